// The names of Baileys' public API in api-snapshot.json, each with a mark that shows how the gateway uses it.
import { readFileSync } from 'node:fs';

/** Names by mark. Each name has exactly one mark. The value of a name in `decided against` is the reason. */
export interface Marks {
  used: string[];
  'not used': string[];
  'decided against': Record<string, string>;
}

/** Baileys' public API. After an upgrade: mark new names, remove missing ones, and set the version. */
export const snapshot: { version: string; exports: Marks; socket: Marks } = JSON.parse(
  readFileSync(new URL('api-snapshot.json', import.meta.url), 'utf8'),
);

/** Returns the names of all marks. */
export const namesIn = (marks: Marks): string[] => [
  ...marks.used,
  ...marks['not used'],
  ...Object.keys(marks['decided against']),
];
