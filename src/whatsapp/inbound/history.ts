// Separates the history that a phone sends to a newly linked device (contacts, chats, messages) from live events,
// splits it into portions, and maps its messages. No I/O. Decision D-066.

import type { Message } from '../../events/events.ts';
import { toChunks } from '../../lib/chunks.ts';
import { isPersonJid } from '../address/jid.ts';
import type { KnownJids } from '../address/message-key.ts';
import { proto } from '../baileys/proto.ts';
import type { SocketEvents, WireMessage } from '../baileys/types.ts';
import { fromMessage } from '../content/message.ts';

export type History = SocketEvents['messaging-history.set'];

/** Maximum number of items per portion. A portion becomes one transaction and one webhook request. */
export const PORTION_SIZE = 100;

/**
 * Separates the history in a batch from the live events. While a device is being linked, Baileys 7.0.0-rc14 merges live
 * messages into the history. This function moves them back to `live`. Messages of the history are instances of the
 * protobuf class, live messages are plain objects.
 */
export function separateHistory(batch: Partial<SocketEvents>): {
  live: Partial<SocketEvents>;
  history: History | undefined;
} {
  const { 'messaging-history.set': history, ...live } = batch;
  if (!history) return { live: batch, history: undefined };
  const isHistoryMessage = (message: WireMessage) => message instanceof proto.WebMessageInfo;
  const mergedLive = history.messages.filter((message) => !isHistoryMessage(message));
  if (mergedLive.length === 0) return { live, history };
  const { messages: unmerged = [], type = 'notify' } = live['messages.upsert'] ?? {};
  return {
    live: { ...live, 'messages.upsert': { type, messages: [...mergedLive, ...unmerged] } },
    history: { ...history, messages: history.messages.filter(isHistoryMessage) },
  };
}

/**
 * Splits a history into portions: contacts, then chats, then messages from the oldest to the newest. A history can have
 * tens of thousands of messages, and live messages are handled between the portions.
 */
export function* splitHistory({ syncType, contacts, chats, messages }: History): Generator<History> {
  const empty = { contacts: [], chats: [], messages: [] };
  for (const slice of slices(contacts)) yield { ...empty, contacts: slice };
  // In an answer to a request for older messages, the chat does not have its present state.
  const describesPresentState = syncType !== proto.HistorySync.HistorySyncType.ON_DEMAND;
  for (const slice of slices(describesPresentState ? chats : [])) yield { ...empty, chats: slice };
  // Phones send the newest message of each chat first, so the order is reversed.
  for (const slice of slices(messages.toReversed())) yield { ...empty, messages: slice.map(withAuthorInKey) };
}

/**
 * Copies the author of a group message into its key, where live messages have the author. In the history, phones put
 * the author either into the key or into `participant`.
 */
function withAuthorInKey(message: WireMessage): WireMessage {
  // A message without a key fails in the mapping, which reports the failure.
  if (!message?.key) return message;
  const { key, participant } = message;
  if (key.participant || !participant || isPersonJid(key.remoteJid ?? '')) return message;
  return { ...message, key: { ...key, participant } };
}

const slices = <T>(items: readonly T[]): Generator<T[]> => toChunks(items, PORTION_SIZE);

/** Maps a message of the history, with the status that the phone shows, or returns the reason why it is skipped. */
export function fromHistory(received: WireMessage, knownJids: KnownJids): { message: Message } | { skipped: string } {
  const mapped = fromMessage(received, knownJids);
  if ('skipped' in mapped) return mapped;
  if (mapped.event.type !== 'messages.upsert') return { skipped: 'not readable' };
  const { status, ...message } = mapped.event.message;
  // The status PENDING is left out: the phone was still sending the message, so the final status is unknown.
  return { message: status && status !== 'PENDING' ? { ...message, status } : message };
}
