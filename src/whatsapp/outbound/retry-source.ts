// Which messages a device may have again. A retry request names a message by its id alone, and rc14 sends what it is given to whoever asks.
import type { Messages } from '../../storage/storage.ts';
import { toBareJid } from '../address/jid.ts';
import { type LidKeys, lookupLids } from '../address/lid-map.ts';
import { proto } from '../baileys/proto.ts';
import type { SocketConfig, WireMessageKey } from '../baileys/types.ts';
import { toDistinctRows } from '../content/list-rows.ts';

export interface RetrySourceDeps {
  messages: Pick<Messages, 'get'>;
  instanceId: string;
  /** Stored pairs of phone numbers and LIDs. */
  keys: LidKeys;
}

/**
 * Returns the `getMessage` of a socket: the content of a stored message in the chat that the key names, by phone number or by LID. None for a
 * message that was deleted for everyone, and for one of another author than the key says when the key says that it is this account's.
 */
export function createRetrySource({ messages, instanceId, keys }: RetrySourceDeps): SocketConfig['getMessage'] {
  return async (key: WireMessageKey | null) => {
    // rc14 hands on what a response to an event names, which may be no message.
    const { id, remoteJid, fromMe } = key ?? {};
    if (!id || !remoteJid) return undefined;
    const chat = toBareJid(remoteJid);
    const alternate = (await lookupLids(keys, [chat])).get(chat);
    const stored =
      (await messages.get(instanceId, id, chat)) ??
      (alternate === undefined ? null : await messages.get(instanceId, id, alternate));
    if (!stored || stored.status === 'DELETED' || (fromMe && !stored.key.fromMe)) return undefined;
    return toDistinctRows(proto.Message.fromObject(stored.message));
  };
}
