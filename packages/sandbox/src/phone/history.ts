// The history that a phone sends to a newly linked device, as messages of the type HISTORY_SYNC_NOTIFICATION. Reactions
// and protocol messages (edits, deletions) are not part of it.
import { deflateSync } from 'node:zlib';
import { proto } from '@whiskeysockets/baileys';
import { encodeHistory } from '../crypto/first-contact.ts';
import { addressingOf, shownJidOf, shownPnJid } from '../world/delivery.ts';
import type { World } from '../world/model.ts';
import { lidJid } from '../world/world.ts';
import type { PhonePort } from './interfaces.ts';
import type { StoredMessage } from './mailbox.ts';

const { HistorySyncType } = proto.HistorySync;

/** Maximum number of messages per chat in the first chunk of the history. The last chunk has the older messages. */
const BOOTSTRAP_MESSAGES = 20;

/**
 * Whether a person sent the message in a direct chat (`chat` is a phone number) or a group. A history sync contains
 * neither statuses nor channel posts.
 */
export const belongsToChat = (world: World, { chat, from }: StoredMessage) =>
  (chat.endsWith('@g.us') || world.isOnWhatsApp(chat)) && world.isOnWhatsApp(from);

/** Whether a history contains the message. Reactions and protocol messages, also encrypted ones, are left out. */
export const isIncluded = ({ content }: StoredMessage) =>
  !content.protocolMessage &&
  !content.reactionMessage &&
  !content.encReactionMessage &&
  !content.secretEncryptedMessage;

/** A phone and its messages in direct chats and groups, reactions and protocol messages included. */
interface PhoneHistory {
  phone: PhonePort;
  messages: StoredMessage[];
}

/** The delivery status of a sent message. */
function statusOf({ receipts }: StoredMessage): proto.WebMessageInfo.Status {
  const { READ, DELIVERY_ACK } = proto.WebMessageInfo.Status;
  return receipts.some(({ type }) => type === 'read') ? READ : DELIVERY_ACK;
}

/** Converts a message of a direct chat or a group to the form in which phones send it to companions. */
export function toInfo(world: World, phone: PhonePort, message: StoredMessage): proto.IWebMessageInfo {
  const { id, chat, from, fromMe, content, timestamp } = message;
  const isGroup = chat.endsWith('@g.us');
  const author = world.account(from);
  const remoteJid = isGroup ? chat : shownJidOf('pn', world.account(chat));
  const participant = isGroup ? shownJidOf(message.addressing, author) : undefined;
  return {
    key: { remoteJid, fromMe, id, participant },
    participant,
    message: content,
    messageTimestamp: timestamp,
    status: fromMe ? statusOf(message) : undefined,
    pushName: fromMe ? phone.account.name : author.name,
  };
}

/**
 * Returns one conversation per chat. `select` receives the messages of the chat, newest first, and returns those to
 * include. A chat without selected messages is left out.
 */
function conversationsOf(
  world: World,
  { phone, messages: all }: PhoneHistory,
  select: (messages: StoredMessage[]) => StoredMessage[],
): proto.IConversation[] {
  const chats = Map.groupBy(all, ({ chat }) => chat);
  // A new companion gets at most this many messages per chat. It can request older ones.
  const { syncedPerChat } = phone;
  return [...chats].flatMap(([chat, inChat]) => {
    const newestFirst = inChat.filter(isIncluded).reverse().slice(0, syncedPerChat);
    const messages = select(newestFirst).map((message) => ({ message: toInfo(world, phone, message) }));
    const [newest] = newestFirst;
    if (messages.length === 0 || !newest) return [];
    const contact = chat.endsWith('@g.us') ? undefined : world.account(chat);
    const unreadCount = inChat.filter(({ unread }) => unread).length;
    const conversation = { messages, unreadCount, conversationTimestamp: newest.timestamp };
    if (!contact) return [{ id: chat, ...conversation }];
    // `id` is the phone-number JID (`pn`), and `lidJid` the LID, the second address of the contact. When the number is
    // hidden, `id` is the LID, and `lidJid` is not set.
    const id = shownJidOf('pn', contact);
    const contactLid = addressingOf(id) === 'pn' ? lidJid(contact) : undefined;
    return [{ id, lidJid: contactLid, displayName: contact.name, username: contact.username, ...conversation }];
  });
}

/**
 * Returns the chunks of the history in the order in which they are sent. A client regards a sync type as complete when
 * a chunk of that type has the progress 100.
 */
export function historyOf(world: World, phone: PhonePort): proto.Message.IProtocolMessage[] {
  const history = { phone, messages: phone.mailbox.all().filter((message) => belongsToChat(world, message)) };
  const first = conversationsOf(world, history, (messages) => messages.slice(0, BOOTSTRAP_MESSAGES));
  const rest = conversationsOf(world, history, (messages) => messages.slice(BOOTSTRAP_MESSAGES));
  const authors = history.messages.map(({ from }) => world.account(from));
  const people = [...new Set([phone.account, ...authors])];
  const pushnames = people.map((account) => ({ id: shownJidOf('pn', account), pushname: account.name }));
  const phoneNumberToLidMappings = people.flatMap((account) => {
    const pnJid = shownPnJid(account);
    return pnJid ? [{ pnJid, lidJid: lidJid(account) }] : [];
  });
  const { INITIAL_BOOTSTRAP, PUSH_NAME, RECENT } = HistorySyncType;
  return [
    { syncType: INITIAL_BOOTSTRAP, chunkOrder: 1, progress: 100, conversations: first, phoneNumberToLidMappings },
    { syncType: PUSH_NAME, chunkOrder: 1, pushnames },
    { syncType: RECENT, chunkOrder: 2, progress: 100, conversations: rest },
  ].map((chunk) =>
    toNotification(chunk, { salt: chunk.syncType === INITIAL_BOOTSTRAP ? phone.account.nctSalt : undefined }),
  );
}

/**
 * Creates the message for a chunk of the history. The message contains the chunk itself and not the address of a file,
 * regardless of the size of the chunk: Baileys would download the file only from the host of the real WhatsApp.
 * `requestId` is the id of the request that the chunk answers, if there is one. `salt` is the salt of first-contact
 * tokens. Only the first chunk for a new companion contains the salt.
 */
export function toNotification(
  sync: proto.IHistorySync,
  { requestId, salt }: { requestId?: string; salt?: Uint8Array | undefined },
): proto.Message.IProtocolMessage {
  const { syncType, chunkOrder, progress } = sync;
  return {
    type: proto.Message.ProtocolMessage.Type.HISTORY_SYNC_NOTIFICATION,
    historySyncNotification: {
      // HistorySync and HistorySyncNotification have separate enums with the same numbers.
      syncType: syncType as number | undefined,
      chunkOrder,
      progress,
      initialHistBootstrapInlinePayload: deflateSync(encodeHistory(sync, salt)),
      peerDataRequestSessionId: requestId,
    },
  };
}
