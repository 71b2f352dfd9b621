// Provides the content for retry requests. A request contains only a message id, and Baileys rc14 would send the
// content to any device that asks.
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
 * Returns the `getMessage` option of a socket: it reads a message of the chat in the key, by phone number or by LID. It
 * returns nothing for deleted messages, and for messages of others when the key claims that they are own messages.
 */
export function createRetrySource({ messages, instanceId, keys }: RetrySourceDeps): SocketConfig['getMessage'] {
  return async (key: WireMessageKey | null) => {
    // rc14 also passes keys of event responses here, which may be missing.
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
