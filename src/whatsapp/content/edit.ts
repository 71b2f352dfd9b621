// Maps edits and deletions: those of people, which are messages themselves, and those of channel posts, which WhatsApp
// reports. No I/O.

import type { Authority, DomainEvent, MessageKey } from '../../events/events.ts';
import { toEpochMilliseconds } from '../../lib/whole-number.ts';
import { refersToOtherAuthor, refersToOtherChat } from '../address/author.ts';
import { isNewsletter } from '../address/jid.ts';
import { type KnownJids, toKey } from '../address/message-key.ts';
import { normalizeMessageContent, proto } from '../baileys/proto.ts';
import type { WireMessage, WireMessageUpdate } from '../baileys/types.ts';
import { type MapResult, toJson, toSeconds } from './message.ts';
import { editedText } from './sent-event.ts';

const { MESSAGE_EDIT, REVOKE } = proto.Message.ProtocolMessage.Type;

/** Returns the edit or deletion that a message contains, or undefined. */
export function correctionIn({ message }: Pick<WireMessage, 'message'>): proto.Message.IProtocolMessage | undefined {
  const change = normalizeMessageContent(message)?.protocolMessage;
  return change && (change.type === REVOKE || change.type === MESSAGE_EDIT) ? change : undefined;
}

/**
 * Maps an edit or deletion. Its author is the sender of the message that contains it, whatever its key says.
 * `mayModerate`: the sender is an admin of the group and may delete messages of others. `now` is epoch ms.
 */
export function fromCorrection(
  received: WireMessage,
  knownJids: KnownJids,
  { now, mayModerate }: { now: number; mayModerate: boolean },
): MapResult {
  const change = correctionIn(received);
  const sender = toKey(received.key, knownJids);
  const { key: target, editedMessage } = change ?? {};
  if (!sender || !target?.id) return { skipped: 'a change that names no message' };
  if (refersToOtherChat(target, sender, knownJids)) return { skipped: 'a change of a message in another chat' };
  const key = { ...sender, id: target.id };
  const isRevoke = change?.type === REVOKE;
  const authority: Authority = {
    ...(isRevoke && mayModerate ? { mayModerate } : {}),
    ...(refersToOtherAuthor(target, sender, knownJids) ? { targetsOther: true } : {}),
  };
  const given = Object.keys(authority).length > 0 ? { authority } : {};
  const at = toSeconds(received.messageTimestamp) * 1000 || now;
  if (isRevoke) return { event: { type: 'messages.delete', key, at, ...given } };
  if (!editedMessage) return { skipped: 'an edit without content' };
  // Clients write milliseconds. WhatsApp's own times are seconds, so edits have seconds too.
  const editedAt = Math.floor((toEpochMilliseconds(change?.timestampMs) ?? 0) / 1000) * 1000;
  return { event: { ...toEdited(key, editedMessage, editedAt || at), ...given } };
}

/** Maps a `messages.update` of Baileys about a channel post. Returns undefined for other updates. `now` is epoch ms. */
export function fromPostCorrection(
  { key, update }: WireMessageUpdate,
  knownJids: KnownJids,
  now: number,
): DomainEvent | undefined {
  const content = update.message?.editedMessage?.message;
  const isRevoked = update.messageStubType === proto.WebMessageInfo.StubType.REVOKE;
  const isPost = isNewsletter(key.remoteJid ?? '') && (content || isRevoked);
  const corrected = isPost ? toKey(key, knownJids) : undefined;
  if (!corrected) return undefined;
  const at = toSeconds(update.messageTimestamp) * 1000 || now;
  // WhatsApp delivers changes of posts only from accounts that may post in the channel.
  const authority: Authority = { mayModerate: true };
  if (!content) return { type: 'messages.delete', key: corrected, at, authority };
  return { ...toEdited(corrected, content, at), authority };
}

function toEdited(
  key: MessageKey,
  content: proto.IMessage,
  at: number,
): Extract<DomainEvent, { type: 'messages.edited' }> {
  const message = toJson(content);
  const text = editedText(message);
  return { type: 'messages.edited', key, message, ...(text === undefined ? {} : { text }), at };
}
