// Users and passwords in URLs of servers.
import { expect, it } from 'vitest';
import { decodeUrlPart } from '../src/lib/url-part.ts';

it.each([
  ['p%40ss', 'p@ss'],
  ['100%', '100%'],
  ['', undefined],
])('decodeUrlPart(%j) returns %j', (text, expected) => {
  expect(decodeUrlPart(text)).toBe(expected);
});
