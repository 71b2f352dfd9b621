// The past that a phone hands over to a device it links: chats, people, messages, in portions. Pure.

import type { Message } from '../../events/events.ts';
import { isLid, isUser } from '../address/jid.ts';
import type { KnownJids } from '../address/message-key.ts';
import { proto } from '../baileys/proto.ts';
import type { SocketEvents, WireMessage } from '../baileys/types.ts';
import { fromMessage } from '../content/message.ts';

export type History = SocketEvents['messaging-history.set'];

/** Messages, chats or people in one portion, which is one transaction and one post. */
const PORTION_SIZE = 100;

/**
 * A batch without its history. While a device is being linked rc14 merges a live message into the history that holds it too: those are
 * live again. It makes them of stanzas, while those of the past are decoded, and instances of the protocol's class.
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
 * The history in portions, people first, and of the messages the oldest first: it may hold tens of thousands, and live messages come in
 * between.
 */
export function* splitHistory({ contacts, chats, messages }: History): Generator<History> {
  const none = { contacts: [], chats: [], messages: [] };
  for (const slice of slices(contacts)) yield { ...none, contacts: slice };
  for (const slice of slices(chats)) yield { ...none, chats: slice };
  // Phones give the newest of each chat first.
  for (const slice of slices(messages.toReversed())) yield { ...none, messages: slice.map(withAuthor) };
}

/** Phones name the author of a message in a group in its key or beside it, clients of live messages in the key. */
function withAuthor(message: WireMessage): WireMessage {
  // Mapping says what is wrong with a message without a key.
  if (!message?.key) return message;
  const { key, participant } = message;
  const isDirect = isUser(key.remoteJid ?? '') || isLid(key.remoteJid ?? '');
  return key.participant || !participant || isDirect ? message : { ...message, key: { ...key, participant } };
}

function* slices<T>(items: readonly T[]): Generator<T[]> {
  for (let from = 0; from < items.length; from += PORTION_SIZE) yield items.slice(from, from + PORTION_SIZE);
}

/** A message of the past, with the status it has on the phone; or why it is none. */
export function fromHistory(past: WireMessage, knownJids: KnownJids): { message: Message } | { skipped: string } {
  const { messageSecret: secret, message: content } = past;
  // Live messages carry the secret that votes are encrypted with in their content, those of the past beside it.
  const info = content && secret ? { ...content.messageContextInfo, messageSecret: secret } : undefined;
  const mapped = fromMessage(info ? { ...past, message: { ...content, messageContextInfo: info } } : past, knownJids);
  if ('skipped' in mapped) return mapped;
  if (mapped.event.type !== 'messages.upsert') return { skipped: 'not readable' };
  const { status, ...message } = mapped.event.message;
  // What is still on its way from the phone is not ours to wait for.
  return { message: status && status !== 'PENDING' ? { ...message, status } : message };
}
