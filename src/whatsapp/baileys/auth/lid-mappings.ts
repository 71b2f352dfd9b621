// Reads entries of the LID map: the pairs of phone numbers and LIDs (ids that hide the number of a person) that Baileys
// stores under the key type `lid-mapping`. Each pair has two entries: the entry of the number contains the LID, and the
// reverse entry `<LID>_reverse` contains the number. Ids and values lack the server part of the JIDs.

/** Reads stored mappings: the key store of Baileys, or the database while there is no socket. */
export interface LidMappingReader {
  get(type: 'lid-mapping', ids: string[]): Promise<Record<string, string>> | Record<string, string>;
  /** Returns an entry without waiting. Null means that it does not exist, and undefined that get() must read it. */
  peek?(type: 'lid-mapping', id: string): unknown;
}

const REVERSE_SUFFIX = '_reverse';

/** Returns the id of the reverse entry of a LID. `lidUser` is the LID without its server part. */
export const reverseIdOf = (lidUser: string): string => lidUser + REVERSE_SUFFIX;

/** Returns the LID, without its server part, of a reverse entry. Undefined for the id of another entry. */
export const lidUserIn = (id: string): string | undefined =>
  id.endsWith(REVERSE_SUFFIX) ? id.slice(0, -REVERSE_SUFFIX.length) : undefined;

/**
 * Returns the entries with these ids that exist. For each reverse entry, also returns the entry of the number in it.
 * Leaves out outdated reverse entries: their number has an entry with another LID. A person who gives up a number keeps
 * the LID, so the reverse entry can still exist after another person gets the number. Rejects when the reader fails.
 *
 * This function runs for every receipt from a LID, so it must be fast.
 */
export async function readLidMappings(
  reader: LidMappingReader,
  ids: Iterable<string>,
): Promise<ReadonlyMap<string, string>> {
  const requested = new Set(ids);
  const entries = new Map<string, string>();
  /** The numbers in the requested reverse entries, by the id of the entry. */
  const numbers = new Map<string, string>();
  const stored = await reader.get('lid-mapping', [...requested]);
  for (const id of requested) {
    const value = stored[id];
    if (!value) continue;
    entries.set(id, value);
    if (lidUserIn(id) !== undefined) numbers.set(id, value);
  }
  if (numbers.size === 0) return entries;
  const unrequested = [...new Set(numbers.values())].filter((number) => !requested.has(number));
  const entriesOfNumbers = unrequested.length > 0 ? await reader.get('lid-mapping', unrequested) : {};
  for (const number of unrequested) {
    const lidUser = entriesOfNumbers[number];
    if (lidUser) entries.set(number, lidUser);
  }
  for (const [id, number] of numbers) {
    const lidUser = entries.get(number);
    if (lidUser !== undefined && reverseIdOf(lidUser) !== id) entries.delete(id);
  }
  return entries;
}

/**
 * Returns what readLidMappings() returns, without waiting. Undefined when the reader must read one of the entries
 * first. Throws when the reader fails.
 */
export function peekLidMappings(
  reader: LidMappingReader,
  ids: Iterable<string>,
): ReadonlyMap<string, string> | undefined {
  if (!reader.peek) return undefined;
  const entries = new Map<string, string>();
  /** The entries of the numbers in reverse entries: the LID by number. */
  const entriesOfNumbers = new Map<string, string>();
  for (const id of ids) {
    const value = reader.peek('lid-mapping', id);
    if (value === undefined) return undefined;
    if (typeof value !== 'string' || value === '') continue;
    const isReverse = lidUserIn(id) !== undefined;
    const lidUser = isReverse ? reader.peek('lid-mapping', value) : null;
    if (lidUser === undefined) return undefined;
    if (typeof lidUser === 'string' && lidUser !== '') {
      entriesOfNumbers.set(value, lidUser);
      if (reverseIdOf(lidUser) !== id) continue;
    }
    entries.set(id, value);
  }
  for (const [number, lidUser] of entriesOfNumbers) entries.set(number, lidUser);
  return entries;
}
