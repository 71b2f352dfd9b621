// Splits and maps the history that a phone sends to a newly linked device: chats, contacts, messages. No I/O.

import type { Message } from '../../events/events.ts';
import { isLid, isPhoneNumberJid } from '../address/jid.ts';
import type { KnownJids } from '../address/message-key.ts';
import { proto } from '../baileys/proto.ts';
import type { SocketEvents, WireMessage } from '../baileys/types.ts';
import { fromMessage } from '../content/message.ts';

export type History = SocketEvents['messaging-history.set'];

/** Items per portion, which is one transaction and one webhook request. */
const PORTION_SIZE = 100;

/**
 * Separates the history from a batch. While a device is being linked, Baileys rc14 merges live messages into the
 * history that also contains them; this function makes them live again. Live messages are plain objects; decoded
 * history messages are instances of the protobuf class.
 */
export function separateHistory(batch: Partial<SocketEvents>): {
  live: Partial<SocketEvents>;
  past: History | undefined;
} {
  if (!batch['messaging-history.set']) return { live: batch, past: undefined };
  const { 'messaging-history.set': past, ...live } = batch;
  const [merged = [], messages = []] = [false, true].map((isPast) =>
    past?.messages.filter((message) => message instanceof proto.WebMessageInfo === isPast),
  );
  if (!past || merged.length === 0) return { live, past };
  const { messages: others = [], type = 'notify' } = live['messages.upsert'] ?? {};
  return {
    live: { ...live, 'messages.upsert': { type, messages: [...merged, ...others] } },
    past: { ...past, messages },
  };
}

/**
 * Splits the history: contacts and chats first, then messages, oldest first. A history can have tens of thousands of
 * messages, and live messages are handled between its portions.
 */
export function* splitHistory({ contacts, chats, messages }: History): Generator<History> {
  const none = { contacts: [], chats: [], messages: [] };
  for (const slice of slices(contacts)) yield { ...none, contacts: slice };
  for (const slice of slices(chats)) yield { ...none, chats: slice };
  // Phones send the newest message of each chat first.
  for (const slice of slices(messages.toReversed())) yield { ...none, messages: slice.map(withAuthorInKey) };
}

/**
 * In group messages of the history, phones put the author into the key or beside it. Live messages always have it in
 * the key.
 */
function withAuthorInKey(message: WireMessage): WireMessage {
  // Mapping reports messages without a key.
  if (!message?.key) return message;
  const { key, participant } = message;
  const isDirect = isPhoneNumberJid(key.remoteJid ?? '') || isLid(key.remoteJid ?? '');
  return key.participant || !participant || isDirect ? message : { ...message, key: { ...key, participant } };
}

function* slices<T>(items: readonly T[]): Generator<T[]> {
  for (let from = 0; from < items.length; from += PORTION_SIZE) yield items.slice(from, from + PORTION_SIZE);
}

/** Maps a history message with its status on the phone, or returns the reason why it is skipped. */
export function fromHistory(past: WireMessage, knownJids: KnownJids): { message: Message } | { skipped: string } {
  const { messageSecret: secret, message: content } = past;
  // Live messages have the secret of poll votes in their content, history messages beside it.
  const info = content && secret ? { ...content.messageContextInfo, messageSecret: secret } : undefined;
  const mapped = fromMessage(info ? { ...past, message: { ...content, messageContextInfo: info } } : past, knownJids);
  if ('skipped' in mapped) return mapped;
  if (mapped.event.type !== 'messages.upsert') return { skipped: 'not readable' };
  const { status, ...message } = mapped.event.message;
  // A message that the phone is still sending has no status here.
  return { message: status && status !== 'PENDING' ? { ...message, status } : message };
}
