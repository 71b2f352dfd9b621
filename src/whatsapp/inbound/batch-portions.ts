// Splits a batch with many chats or contacts into portions. After an account is linked or imported, the synchronization
// of the app state reports all chats and contacts in one batch. There can be tens of thousands of them. One transaction
// for all of them would block SQLite for seconds, and one webhook request would be very large. No I/O.
import { toChunks } from '../../lib/chunks.ts';
import type { Batch } from './batch.ts';
import { PORTION_SIZE } from './history.ts';

const SPLIT_LISTS = ['contacts.upsert', 'contacts.update', 'chats.upsert', 'chats.update'] as const;

/**
 * Returns the batch alone if each of its lists of chats and contacts has at most PORTION_SIZE items. Otherwise returns
 * the portions of these lists and the rest of the batch, in the order in which mapEvents() maps one batch. The event
 * `connection.update` comes last: it can be the end of the connection, after which no batch is handled.
 */
export function splitLongLists(batch: Batch): Batch[] {
  if (SPLIT_LISTS.every((name) => (batch[name]?.length ?? 0) <= PORTION_SIZE)) return [batch];
  const {
    'contacts.upsert': newContacts = [],
    'contacts.update': changedContacts = [],
    'chats.upsert': newChats = [],
    'chats.update': changedChats = [],
    'chats.delete': deletedChats,
    'connection.update': connection,
    ...rest
  } = batch;
  return [
    ...Array.from(toChunks(newContacts, PORTION_SIZE), (chunk) => ({ 'contacts.upsert': chunk })),
    ...Array.from(toChunks(changedContacts, PORTION_SIZE), (chunk) => ({ 'contacts.update': chunk })),
    ...Array.from(toChunks(newChats, PORTION_SIZE), (chunk) => ({ 'chats.upsert': chunk })),
    rest,
    ...Array.from(toChunks(changedChats, PORTION_SIZE), (chunk) => ({ 'chats.update': chunk })),
    {
      ...(deletedChats ? { 'chats.delete': deletedChats } : {}),
      ...(connection ? { 'connection.update': connection } : {}),
    },
  ].filter((portion) => Object.keys(portion).length > 0);
}
