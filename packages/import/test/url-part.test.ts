// Users and passwords in addresses of servers.
import { expect, it } from 'vitest';
import { decodeUrlPart } from '../src/url-part.ts';

it.each([
  ['p%40ss', 'p@ss'],
  ['100%', '100%'],
  ['', undefined],
])('the part %j of an address is %j', (text, expected) => {
  expect(decodeUrlPart(text)).toBe(expected);
});
