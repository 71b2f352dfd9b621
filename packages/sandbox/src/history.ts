// The history that a phone sends to a newly linked companion, as history sync notifications. Reactions, edits and
// deletions are left out.
import { deflateSync } from 'node:zlib';
import { proto } from '@whiskeysockets/baileys';
import type { StoredMessage } from './mailbox.ts';
import type { World } from './model.ts';
import type { Phone } from './phone.ts';
import { lidJid, pnJid } from './world.ts';

const { HistorySyncType } = proto.HistorySync;

/** Messages of each chat in the first chunk; the rest follows in the second. */
const BOOTSTRAP_MESSAGES = 20;

/** Statuses, channel posts and addresses that are no number belong to no conversation of a history sync. */
const isInChat = (world: World, { chat, from }: StoredMessage) =>
  (chat.endsWith('@g.us') || world.isOnPlatform(chat)) && world.isOnPlatform(from);

const isShown = ({ content }: StoredMessage) => !content.protocolMessage && !content.reactionMessage;

/** What a phone hands over. */
interface Past {
  phone: Phone;
  letters: StoredMessage[];
}

function toInfo(world: World, phone: Phone, letter: StoredMessage): proto.IWebMessageInfo {
  const { id, chat, from, fromMe, content, timestamp } = letter;
  const isGroup = chat.endsWith('@g.us');
  const author = world.account(from);
  const remoteJid = isGroup ? chat : pnJid(world.account(chat));
  const participant = isGroup ? (letter.form === 'lid' ? lidJid(author) : pnJid(author)) : undefined;
  const read = letter.receipts.some(({ type }) => type === 'read');
  const { READ, DELIVERY_ACK } = proto.WebMessageInfo.Status;
  return {
    key: { remoteJid, fromMe, id, participant },
    participant,
    message: content,
    messageTimestamp: timestamp,
    status: fromMe ? (read ? READ : DELIVERY_ACK) : undefined,
    pushName: fromMe ? phone.account.name : author.name,
  };
}

/** The phone's chats: of each, the letters that `take` picks (given newest first). */
function conversations(
  world: World,
  { phone, letters: all }: Past,
  take: (letters: StoredMessage[]) => StoredMessage[],
): proto.IConversation[] {
  const chats = Map.groupBy(all, ({ chat }) => chat);
  return [...chats].flatMap(([chat, letters]) => {
    const newestFirst = letters.filter(isShown).reverse();
    const messages = take(newestFirst).map((letter) => ({ message: toInfo(world, phone, letter) }));
    const [newest] = newestFirst;
    if (messages.length === 0 || !newest) return [];
    const other = chat.endsWith('@g.us') ? undefined : world.account(chat);
    const unreadCount = letters.filter(({ unread }) => unread).length;
    const conversation = { messages, unreadCount, conversationTimestamp: newest.timestamp };
    if (!other) return [{ id: chat, ...conversation }];
    return [{ id: pnJid(other), lidJid: lidJid(other), displayName: other.name, ...conversation }];
  });
}

/** The chunks in the order in which they are sent. They end with progress 100, which clients wait for. */
export function historyOf(world: World, phone: Phone): proto.Message.IProtocolMessage[] {
  const past = { phone, letters: phone.mailbox.all().filter((letter) => isInChat(world, letter)) };
  const first = conversations(world, past, (letters) => letters.slice(0, BOOTSTRAP_MESSAGES));
  const rest = conversations(world, past, (letters) => letters.slice(BOOTSTRAP_MESSAGES));
  const known = new Set(past.letters.map(({ from }) => world.account(from)));
  const people = [phone.account, ...known].filter((account, at, all) => all.indexOf(account) === at);
  const pushnames = people.map((account) => ({ id: pnJid(account), pushname: account.name }));
  const phoneNumberToLidMappings = people.map((account) => ({ pnJid: pnJid(account), lidJid: lidJid(account) }));
  const { INITIAL_BOOTSTRAP, PUSH_NAME, RECENT } = HistorySyncType;
  return [
    { syncType: INITIAL_BOOTSTRAP, chunkOrder: 1, progress: 100, conversations: first, phoneNumberToLidMappings },
    { syncType: PUSH_NAME, chunkOrder: 1, pushnames },
    { syncType: RECENT, chunkOrder: 2, progress: 100, conversations: rest },
  ].map(toNotification);
}

/**
 * The payload travels inline, however big: Baileys would look for a file of history at the real platform's host only.
 */
function toNotification(sync: proto.IHistorySync): proto.Message.IProtocolMessage {
  const { syncType, chunkOrder, progress } = sync;
  const bytes = proto.HistorySync.encode(proto.HistorySync.fromObject(sync)).finish();
  return {
    type: proto.Message.ProtocolMessage.Type.HISTORY_SYNC_NOTIFICATION,
    historySyncNotification: {
      // The two enums have the same numbers.
      syncType: syncType as number | undefined,
      chunkOrder,
      progress,
      initialHistBootstrapInlinePayload: deflateSync(bytes),
    },
  };
}
