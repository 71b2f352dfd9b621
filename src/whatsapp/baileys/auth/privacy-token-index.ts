// Wraps the store of Signal keys to keep Baileys' index of privacy tokens (tokens that contacts have given to the
// account) out of the database. The index is one value that lists all contacts with a token. For each new contact,
// Baileys reads the list, adds the contact and writes the list: the cost of a first message grows with the number of
// contacts (300 kB at 10,000). The store can list its tokens without the index.

import { TC_TOKEN_INDEX_KEY } from '@whiskeysockets/baileys/lib/Utils/tc-token-utils.js';
import type { SignalDataTypeMap, SignalKeyStore } from '../library.ts';

type Keys = Pick<SignalKeyStore, 'get' | 'set'>;
type Tokens = Record<string, SignalDataTypeMap['tctoken']>;

const TYPE = 'tctoken';

/**
 * Returns a wrapper of `keys` that drops writes of the index. The first read of the index returns `readStoredIds()`,
 * the ids of the stored tokens, from which Baileys removes the expired ones after the login. Later reads return
 * nothing, because Baileys makes them only to write the extended index, and that write is dropped.
 */
export function withPrivacyTokenIndex(keys: Keys, readStoredIds: () => Promise<readonly string[]>): Keys {
  let wasIndexRead = false;

  async function readIndex(): Promise<Tokens> {
    if (wasIndexRead) return {};
    wasIndexRead = true;
    const jids = (await readStoredIds()).filter((id) => id !== TC_TOKEN_INDEX_KEY);
    return { [TC_TOKEN_INDEX_KEY]: { token: Buffer.from(JSON.stringify(jids)) } };
  }

  return {
    get(type, ids) {
      // The cast is needed because the type of the result depends on the value of `type`.
      if (type === TYPE && ids[0] === TC_TOKEN_INDEX_KEY)
        return readIndex() as ReturnType<typeof keys.get<typeof type>>;
      return keys.get(type, ids);
    },
    async set(data) {
      const tokens = data[TYPE];
      if (!tokens || !(TC_TOKEN_INDEX_KEY in tokens)) return keys.set(data);
      const { [TC_TOKEN_INDEX_KEY]: _index, ...otherTokens } = tokens;
      const { [TYPE]: _tokens, ...otherTypes } = data;
      const kept = Object.keys(otherTokens).length > 0 ? { ...otherTypes, [TYPE]: otherTokens } : otherTypes;
      if (Object.keys(kept).length > 0) await keys.set(kept);
    },
  };
}
