// Maps Baileys' chats and changes of chats to chats of gateway events. Also maps the receipts with which another device
// of the account reports that it has read a chat. No I/O. Decision D-067.

import type { Chat } from '../../events/events.ts';
import { toWholeNumber } from '../../lib/whole-number.ts';
import { isLid, toBareJid } from '../address/jid.ts';
import { type KnownJids, toJidAndAlt, toMessageKey } from '../address/message-key.ts';
import { proto } from '../baileys/proto.ts';
import type { ChatUpdate, SocketEvents, WireChat } from '../baileys/types.ts';
import { toSecondsOrZero } from '../content/message.ts';

/** Maps a chat. Returns undefined when the chat has no address. */
export function fromChat(chat: Partial<WireChat>, knownJids: KnownJids): Chat | undefined {
  if (!chat.id) return undefined;
  // `alt` is the LID (an id that hides the phone number), when both addresses are known.
  const { jid, alt } = toJidAndAlt(chat.id, knownJids, isLid(chat.id) ? chat.pnJid : chat.lidJid);
  const name = chat.displayName || chat.name;
  const lastMessageAt = toSecondsOrZero(chat.conversationTimestamp);
  const { unreadCount, archived, pinned, muteEndTime, ephemeralExpiration } = chat;
  const ephemeral = toWholeNumber(ephemeralExpiration ?? 0);
  return {
    jid,
    ...(alt ? { lid: alt } : {}),
    ...(name ? { name } : {}),
    ...(typeof unreadCount === 'number' ? { unread: unreadCount } : {}),
    ...(lastMessageAt ? { lastMessageAt } : {}),
    ...(archived === undefined ? {} : { archived: archived === true }),
    ...(pinned === undefined ? {} : { pinned: Boolean(pinned) }),
    ...(muteEndTime === undefined ? {} : { mutedUntil: muteEndTime ? Number(muteEndTime.toString()) : null }),
    ...(ephemeralExpiration === undefined || ephemeral === undefined ? {} : { ephemeral }),
  };
}

/**
 * The last second of the year 9999, in seconds since the epoch. A larger end of a mute means that the mute has no end:
 * phones then send the largest uint64.
 */
const MAX_SECONDS = 253_402_300_799;

/** Converts the end of a mute in the history from seconds to epoch ms. Returns -1 for a mute without an end. */
function toMuteEnd(muteEndTime: WireChat['muteEndTime']): number | undefined {
  if (muteEndTime === null || muteEndTime === undefined) return undefined;
  const seconds = Number(muteEndTime.toString());
  return seconds < 0 || seconds > MAX_SECONDS ? -1 : seconds * 1000;
}

/**
 * Maps a chat of the history. The decoded chat has the value null for fields that the phone did not send. The end of a
 * mute is in seconds in the history, and in ms in changes of chats.
 */
export function fromHistoryChat(chat: WireChat, knownJids: KnownJids): Chat | undefined {
  const { archived, pinned, muteEndTime, ephemeralExpiration } = chat;
  return fromChat(
    {
      ...chat,
      archived: archived ?? undefined,
      pinned: pinned ?? undefined,
      muteEndTime: toMuteEnd(muteEndTime),
      ephemeralExpiration: ephemeralExpiration ?? undefined,
    },
    knownJids,
  );
}

/**
 * The fields of a mapped chat when only a new message caused the update: the addresses of the chat and the time of the
 * message.
 */
const MAPPED_MESSAGE_FIELDS = ['jid', 'lid', 'lastMessageAt'];

/** The archived chats by JID, each with the time of its last change in seconds since the epoch. */
export type ArchivedChats = ReadonlyMap<string, number>;

/**
 * True when Baileys reports that a message takes the chat out of the archive: it then sets both fields to false. With
 * the account's setting "keep chats archived" off, Baileys reports this for each message, also when the chat is not
 * archived.
 */
const isUnarchivedByMessage = ({ archived, readOnly }: ChatUpdate) => archived === false && readOnly === false;

/** The fields of an update of Baileys when only a new message caused the update. */
const UPDATE_MESSAGE_FIELDS: ReadonlySet<string> = new Set([
  'id',
  'messages',
  'conversationTimestamp',
  'unreadCount',
  'archived',
  'readOnly',
]);

/** True for an update that only a new message caused. Such an update contains no information besides the message. */
export function isCausedByMessage(update: ChatUpdate): boolean {
  const { unreadCount, archived } = update;
  // Baileys computes positive counts. The counts 0 (read) and -1 (marked as unread) come from WhatsApp.
  const isReadStateUnchanged = typeof unreadCount !== 'number' || unreadCount > 0;
  const isArchiveUnchanged = archived === undefined || isUnarchivedByMessage(update);
  if (!isReadStateUnchanged || !isArchiveUnchanged) return false;
  return Object.keys(update).every((field) => UPDATE_MESSAGE_FIELDS.has(field));
}

/**
 * Returns all addresses of the chats that a message can take out of the archive. The caller reads which of these chats
 * are archived, and passes them to fromChatUpdate().
 */
export const jidsToUnarchive = (updates: readonly ChatUpdate[], knownJids: KnownJids): string[] =>
  updates.filter(isUnarchivedByMessage).flatMap(({ id }) => {
    const { jid, alt } = toJidAndAlt(id ?? '', knownJids);
    return alt ? [jid, alt] : [jid];
  });

/**
 * Maps a `chats.update`. Returns undefined when only a new message changed the chat, because the message is an event of
 * its own. A message takes a chat out of the archive only if the chat is in `archivedChats`, and if the message is not
 * older than the time in `archivedChats`. Drops a positive unread count, because Baileys computes such a count locally.
 * The counts 0 (read) and -1 (marked as unread) come from WhatsApp.
 */
export function fromChatUpdate(
  { unreadCount, ...update }: ChatUpdate,
  knownJids: KnownJids,
  archivedChats: ArchivedChats,
): Chat | undefined {
  const unread = typeof unreadCount === 'number' && unreadCount <= 0 ? { unreadCount } : {};
  const chat = fromChat({ ...update, ...unread }, knownJids);
  if (!chat) return undefined;
  if (isUnarchivedByMessage(update)) {
    const changedAt = archivedChats.get(chat.jid) ?? archivedChats.get(chat.lid ?? '');
    const isUnarchived = changedAt !== undefined && (chat.lastMessageAt ?? Number.POSITIVE_INFINITY) >= changedAt;
    if (!isUnarchived) delete chat.archived;
  }
  return Object.keys(chat).some((field) => !MAPPED_MESSAGE_FIELDS.includes(field)) ? chat : undefined;
}

const { READ } = proto.WebMessageInfo.Status;

/**
 * Returns the chats that another device of the account has read, each with the last read message and the time. Baileys
 * reports such a read in a direct chat as a status of the message, and in a group as a receipt of this account.
 */
export function readOnOtherDevices(
  batch: Partial<Pick<SocketEvents, 'messages.update' | 'message-receipt.update'>>,
  knownJids: KnownJids,
): Chat[] {
  const { me } = knownJids;
  const isMe = (jid: string | null | undefined) => Boolean(jid && me && [me.jid, me.lid].includes(toBareJid(jid)));
  const direct = (batch['messages.update'] ?? [])
    .filter(({ key, update }) => !key.fromMe && update.status === READ)
    .map(({ key, update }) => ({ key, time: update.messageTimestamp }));
  const inGroups = (batch['message-receipt.update'] ?? [])
    .filter(({ receipt }) => receipt.readTimestamp && isMe(receipt.userJid))
    .map(({ key, receipt }) => ({ key, time: receipt.readTimestamp }));
  const chats = new Map<string, Chat>();
  for (const { key, time } of [...direct, ...inGroups]) {
    const { remoteJid: jid, remoteJidAlt: lid, id } = toMessageKey(key, knownJids) ?? {};
    if (!jid || !id) continue;
    const readAt = toSecondsOrZero(time);
    chats.set(jid, { jid, ...(lid ? { lid } : {}), unread: 0, readTo: id, ...(readAt ? { readAt } : {}) });
  }
  return [...chats.values()];
}
