// Finds the content of a sent message when a device could not decrypt it and asks for it again (retry request). Any
// device that knows the message id can ask, so the message must belong to the chat of the request. Decisions D-152 and
// D-188.
import type { Messages } from '../../storage/storage.ts';
import { isLid, toBareJid } from '../address/jid.ts';
import { lookupLidPairs } from '../address/lid-map.ts';
import type { LidMappingReader } from '../baileys/auth/lid-mappings.ts';
import { proto } from '../baileys/proto.ts';
import type { WireMessageKey } from '../baileys/types.ts';
import { withUniqueRowIds } from '../content/list-rows.ts';
import { type StanzaParts, stanzaPartsOf } from '../content/stanza-parts.ts';
import type { Account } from '../session.ts';
import type { PendingMessages } from './pending-messages.ts';
import { replaceAddresses, wireAddresses } from './wire-content.ts';

export interface RetrySourceDeps {
  /**
   * Returns a recently sent message from Baileys' cache. The cache exists only when sent messages are not stored;
   * otherwise the result is undefined.
   */
  recentMessage: (chat: string, id: string) => proto.IMessage | undefined;
  messages: Pick<Messages, 'get'>;
  instanceId: string;
  /** The stored pairs of phone number and LID (id that hides the number). */
  keys: LidMappingReader;
  /** The linked account, whose LID replaces its number in content for chats that are addressed by LID. */
  me: () => Pick<Account, 'jid' | 'lid'> | undefined;
}

/**
 * Maximum age in seconds of a message that is sent again. A device that was linked after the message was sent must not
 * get old messages, and phones delete messages that a device has not fetched within this time.
 */
const MAX_AGE_SECONDS = 14 * 24 * 3_600;

export interface RetryMessage {
  content: proto.IMessage;
  /** Seconds since the epoch; undefined for a message of recentMessage(). */
  sentAt: number | undefined;
}

type MessageFinder = (key: WireMessageKey | null) => Promise<RetryMessage | undefined>;

/**
 * Returns a function that finds messages for the `getMessage` option of a Baileys socket and for retry requests. The
 * function resolves with the message that has the key's id and is in the key's chat. The key can name the chat by phone
 * number or by LID. The function resolves with undefined for a deleted message, and for another person's message when
 * the key says `fromMe`.
 */
export function createRetrySource({ recentMessage, messages, instanceId, keys, me }: RetrySourceDeps): MessageFinder {
  return async (key) => {
    // Baileys rc14 calls this also for responses to calendar events, where the key can be null.
    const { id, remoteJid, fromMe } = key ?? {};
    if (!id || !remoteJid) return undefined;
    const chat = toBareJid(remoteJid);
    const alternateChat = (await lookupLidPairs(keys, [chat])).get(chat);
    let stored = await messages.get(instanceId, id, chat);
    if (!stored && alternateChat !== undefined) stored = await messages.get(instanceId, id, alternateChat);
    if (!stored) {
      const content = recentMessage(chat, id);
      return content && { content, sentAt: undefined };
    }
    if (stored.status === 'DELETED' || (fromMe && !stored.key.fromMe)) return undefined;
    // Lists are stored with the row ids of the API client. withUniqueRowIds() restores the row ids that were sent.
    const content = withUniqueRowIds(proto.Message.fromObject(stored.message));
    const form = isLid(chat) ? 'lid' : 'pn';
    const addresses = wireAddresses({ chat: stored.key.remoteJid, jid: chat, form }, me());
    return { content: replaceAddresses(content, addresses), sentAt: stored.messageTimestamp };
  };
}

/**
 * Returns a function that finds a sent message that may be sent again, with the parts of its stanza. It resolves with
 * undefined for a message older than MAX_AGE_SECONDS. First waits for the attempt to store the message
 * (`storeAttemptOf`), because a device can ask for a message before the message is stored.
 */
export function createSentMessageFinder(
  findMessage: MessageFinder,
  storeAttemptOf: PendingMessages['storeAttemptOf'],
): (key: WireMessageKey & { id: string }) => Promise<(StanzaParts & { content: proto.IMessage }) | undefined> {
  return async (key) => {
    await storeAttemptOf(key.id);
    const found = await findMessage(key);
    if (!found) return undefined;
    const { content, sentAt } = found;
    if (sentAt !== undefined && Date.now() / 1000 - sentAt > MAX_AGE_SECONDS) return undefined;
    return { content, ...stanzaPartsOf(content) };
  };
}
