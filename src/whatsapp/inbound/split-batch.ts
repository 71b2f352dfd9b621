// Splits a batch of Baileys events into batches of one item each (a message, a chat, a contact …), so that an item that
// cannot be mapped to events of the gateway does not affect other items. No I/O.
import type { Batch } from './batch.ts';

/**
 * Returns one batch per item of `batch`: first history, then messages, then their updates and all other items, then
 * deletions. If the value of an event is not a list, the value is one item. Returns `batch` if it has at most one item.
 * Deletions of whole chats are left out, because Baileys rc14 declares them but never emits them.
 */
export function splitBatch(batch: Batch): Batch[] {
  const { 'messages.upsert': upsert, 'messages.delete': deletion, 'messaging-history.set': history, ...others } = batch;
  const emptyHistory = { ...history, contacts: [], chats: [], messages: [] };
  const items: Batch[] = [
    ...(history?.contacts ?? []).map((item) => ({ 'messaging-history.set': { ...emptyHistory, contacts: [item] } })),
    ...(history?.chats ?? []).map((item) => ({ 'messaging-history.set': { ...emptyHistory, chats: [item] } })),
    ...(history?.messages ?? []).map((item) => ({ 'messaging-history.set': { ...emptyHistory, messages: [item] } })),
    ...(upsert ? upsert.messages.map((item) => ({ 'messages.upsert': { ...upsert, messages: [item] } })) : []),
    ...Object.entries(others).flatMap(([name, value]): Batch[] =>
      Array.isArray(value) ? value.map((item: unknown) => ({ [name]: [item] })) : [{ [name]: value }],
    ),
    ...(deletion && 'keys' in deletion ? deletion.keys.map((key) => ({ 'messages.delete': { keys: [key] } })) : []),
  ];
  return items.length > 1 ? items : [batch];
}
