// Reads entries of the LID map: the pairs of phone numbers and LIDs (ids that hide the number of a person) that Baileys
// stores.

/** Reads stored mappings: the key store of Baileys, or the database while there is no socket. */
export interface LidMappingReader {
  get(type: 'lid-mapping', ids: string[]): Promise<Record<string, string>> | Record<string, string>;
}

const REVERSE_SUFFIX = '_reverse';

/** Returns the id of the entry that has the phone number of a LID. `lidUser` is the LID without its server part. */
export const reverseIdOf = (lidUser: string): string => lidUser + REVERSE_SUFFIX;

/**
 * Returns the entries with these ids that exist. Baileys stores both directions under the type `lid-mapping`, without
 * the server part of the JIDs: the entry of a phone number has the LID, and the entry `<LID>_reverse` has the number.
 *
 * Leaves out the number of a LID when the number belongs to another LID by now, and returns the entry of this number. A
 * person who gives up a number keeps the LID, and the old entry can still exist after the number has a new owner.
 */
export async function readLidMappings(
  reader: LidMappingReader,
  ids: Iterable<string>,
): Promise<ReadonlyMap<string, string>> {
  const requested = new Set(ids);
  const entries = new Map<string, string>();
  const read = async (wanted: string[]) => {
    const stored = wanted.length > 0 ? await reader.get('lid-mapping', wanted) : {};
    for (const [id, value] of Object.entries(stored)) if (value) entries.set(id, value);
  };
  await read([...requested]);
  const numbers = new Set([...entries].flatMap(([id, value]) => (id.endsWith(REVERSE_SUFFIX) ? [value] : [])));
  await read([...numbers].filter((number) => !requested.has(number)));
  for (const [id, number] of entries) {
    const lidUser = id.endsWith(REVERSE_SUFFIX) ? entries.get(number) : undefined;
    if (lidUser !== undefined && reverseIdOf(lidUser) !== id) entries.delete(id);
  }
  return entries;
}
