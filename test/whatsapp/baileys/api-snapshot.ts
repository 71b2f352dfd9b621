// The names of Baileys' public API in api-snapshot.json, with what the gateway does with each of them.
import { readFileSync } from 'node:fs';

/**
 * What this gateway does with each name. A name has one of the marks `used`, `not used` and `decided against` (with the
 * reason).
 */
export interface Marks {
  used: string[];
  'not used': string[];
  'decided against': Record<string, string>;
}

/** Baileys' public API. After an upgrade: mark new names, remove missing ones, and set the version. */
export const snapshot: { version: string; exports: Marks; socket: Marks } = JSON.parse(
  readFileSync(new URL('api-snapshot.json', import.meta.url), 'utf8'),
);

/** All names, with any mark. */
export const namesIn = (marks: Marks): string[] => [
  ...marks.used,
  ...marks['not used'],
  ...Object.keys(marks['decided against']),
];
