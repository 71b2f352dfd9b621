// Parses and builds the names of keys as Baileys stores them: `<type>-<id>`. In file names, Baileys replaces `/` by
// `__` and `:` by `-`. These replacements can be reversed for the ids that Baileys uses, but not for every text.

/** All types of stored keys of Baileys 6 and 7. */
const KEY_TYPES = [
  'app-state-sync-version',
  'app-state-sync-key',
  'sender-key-memory',
  'sender-key',
  'pre-key',
  'identity-key',
  'lid-mapping',
  'device-list',
  'tctoken',
  'session',
] as const;
export type KeyType = (typeof KEY_TYPES)[number];

export interface KeyName {
  type: KeyType;
  id: string;
}

/** Longest type first, because the names of the type `sender-key-memory` also start with `sender-key-`. */
const TYPES_BY_LENGTH = [...KEY_TYPES].sort((a, b) => b.length - a.length);

/**
 * Splits `<type>-<id>`, the name of a key in a database. Returns undefined for a name that is no key, such as `creds`.
 */
export function parseKeyName(name: string): KeyName | undefined {
  const type = TYPES_BY_LENGTH.find((one) => name.startsWith(`${one}-`));
  const id = type && name.slice(type.length + 1);
  return type && id ? { type, id } : undefined;
}

/** The number of keys by type. Names for which `parse` returns undefined are not counted. */
export function countKeyTypes(names: Iterable<string>, parse = parseKeyName): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) {
    const type = parse(name)?.type;
    if (type) counts[type] = (counts[type] ?? 0) + 1;
  }
  return counts;
}

/**
 * Splits `name`, a file name without `.json`, and restores the id. An id of an app state key is base64, which has no
 * `_`, so `__` was `/`. An id of a sender key is `<group>::<user>::<device>`. Its parts contain no `--`, so `--` was
 * `::`. Other ids contain no character that Baileys replaces. Returns undefined for a name that is no key.
 */
export function parseKeyFileName(name: string): KeyName | undefined {
  const key = parseKeyName(name);
  if (key?.type === 'sender-key') return { type: key.type, id: key.id.replaceAll('--', '::') };
  if (key?.type === 'app-state-sync-key') return { type: key.type, id: key.id.replaceAll('__', '/') };
  return key;
}

/** The name of the file of a key, with `.json`, as Baileys chooses it. */
export const toKeyFileName = ({ type, id }: { type: string; id: string }): string =>
  `${type}-${id}.json`.replaceAll('/', '__').replaceAll(':', '-');
