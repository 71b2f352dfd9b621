// Maps edits and deletions of messages to events. In chats, an edit or deletion is a message of its own. In channels,
// Baileys reports an edit or deletion as an update of the post. No I/O.

import type { Authority, DomainEvent, MessageKey } from '../../events/events.ts';
import { toEpochMilliseconds } from '../../lib/whole-number.ts';
import { refersToOtherAuthor, refersToOtherChat } from '../address/author.ts';
import { isChannelJid, toBareJid } from '../address/jid.ts';
import { type KnownJids, toMessageKey } from '../address/message-key.ts';
import { normalizeMessageContent, proto } from '../baileys/proto.ts';
import type { WireMessage, WireMessageUpdate } from '../baileys/types.ts';
import { type MapResult, toJson, toSecondsOrZero } from './message.ts';
import { editedTextIn } from './sent-event.ts';

const { MESSAGE_EDIT, REVOKE } = proto.Message.ProtocolMessage.Type;

/** Returns the protocol message that edits or deletes an earlier message, or undefined for other messages. */
export function editOrDeletionIn({
  message,
}: Pick<WireMessage, 'message'>): proto.Message.IProtocolMessage | undefined {
  const protocolMessage = normalizeMessageContent(message)?.protocolMessage;
  if (protocolMessage?.type !== REVOKE && protocolMessage?.type !== MESSAGE_EDIT) return undefined;
  return protocolMessage;
}

/**
 * Maps `received`, which edits or deletes an earlier message (the target). The event names the sender of `received` as
 * the author of the target. It sets `namesOtherAuthor` if `received` names another author. `mayModerate` is true when
 * the sender is a group admin, who is allowed to delete messages of other members. `now` (epoch ms) replaces a missing
 * timestamp.
 */
export function fromEditOrDeletion(
  received: WireMessage,
  knownJids: KnownJids,
  { now, mayModerate }: { now: number; mayModerate: boolean },
): MapResult {
  const protocolMessage = editOrDeletionIn(received);
  const receivedKey = toMessageKey(received.key, knownJids);
  const { key: target, editedMessage } = protocolMessage ?? {};
  if (!receivedKey || !target?.id) return { skipped: 'an edit or deletion that names no message' };
  // An edit through a broadcast list can name the list as its chat, while `receivedKey` names the sender as the chat.
  const isSameAddress = target.remoteJid === received.key.remoteJid;
  if (!isSameAddress && refersToOtherChat(target, receivedKey, knownJids))
    return { skipped: 'an edit or deletion in another chat' };
  const key = { ...receivedKey, id: target.id };
  const isDeletion = protocolMessage?.type === REVOKE;
  // From these facts, the store decides whether the sender is allowed to change the target.
  const authority: Authority = {
    ...(isDeletion && mayModerate ? { mayModerate } : {}),
    ...(isDeletion && mayModerate && target.participant ? { namedAuthor: toBareJid(target.participant) } : {}),
    ...(refersToOtherAuthor(target, receivedKey, knownJids) ? { namesOtherAuthor: true } : {}),
  };
  const authorityField = Object.keys(authority).length > 0 ? { authority } : {};
  const receivedAtMs = toSecondsOrZero(received.messageTimestamp) * 1000 || now;
  if (isDeletion) return { event: { type: 'messages.delete', key, at: receivedAtMs, ...authorityField } };
  if (!editedMessage) return { skipped: 'an edit without content' };
  // Clients write the time of an edit in milliseconds. It is rounded down to seconds, the unit of WhatsApp's own times.
  const editedAtMs = Math.floor((toEpochMilliseconds(protocolMessage?.timestampMs) ?? 0) / 1000) * 1000;
  return { event: { ...toEditedEvent(key, editedMessage, editedAtMs || receivedAtMs), ...authorityField } };
}

/**
 * Maps a `messages.update` of Baileys that edits or deletes a channel post. Returns undefined for other updates. `now`
 * is the fallback for a missing timestamp, epoch ms.
 */
export function fromPostEditOrDeletion(
  { key, update }: WireMessageUpdate,
  knownJids: KnownJids,
  now: number,
): DomainEvent | undefined {
  if (!isChannelJid(key.remoteJid ?? '')) return undefined;
  const content = update.message?.editedMessage?.message;
  const isDeletion = update.messageStubType === proto.WebMessageInfo.StubType.REVOKE;
  if (!content && !isDeletion) return undefined;
  const postKey = toMessageKey(key, knownJids);
  if (!postKey) return undefined;
  const atMs = toSecondsOrZero(update.messageTimestamp) * 1000 || now;
  // WhatsApp only accepts edits and deletions of posts from accounts that are allowed to post in the channel.
  const authority: Authority = { mayModerate: true };
  if (!content) return { type: 'messages.delete', key: postKey, at: atMs, authority };
  return { ...toEditedEvent(postKey, content, atMs), authority };
}

function toEditedEvent(
  key: MessageKey,
  content: proto.IMessage,
  atMs: number,
): Extract<DomainEvent, { type: 'messages.edited' }> {
  const message = toJson(content);
  const text = editedTextIn(message);
  return { type: 'messages.edited', key, message, ...(text === undefined ? {} : { text }), at: atMs };
}
