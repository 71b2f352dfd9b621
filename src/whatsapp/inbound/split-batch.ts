// Splits a batch into batches of one item each, so that an item that cannot be mapped affects only itself. No I/O.
import type { Batch } from './batch.ts';

/**
 * Returns one batch per item of `batch`, messages before their updates. Returns `batch` if it has at most one item.
 * Deletions of whole chats are left out, because Baileys rc14 declares them but never emits them.
 */
export function splitBatch(batch: Batch): Batch[] {
  const { 'messages.upsert': upsert, 'messages.delete': deletion, 'messaging-history.set': history, ...others } = batch;
  const withoutItems = { ...history, contacts: [], chats: [], messages: [] };
  const items: Batch[] = [
    ...(history?.contacts ?? []).map((item) => ({ 'messaging-history.set': { ...withoutItems, contacts: [item] } })),
    ...(history?.chats ?? []).map((item) => ({ 'messaging-history.set': { ...withoutItems, chats: [item] } })),
    ...(history?.messages ?? []).map((item) => ({ 'messaging-history.set': { ...withoutItems, messages: [item] } })),
    ...(upsert ? upsert.messages.map((item) => ({ 'messages.upsert': { ...upsert, messages: [item] } })) : []),
    ...Object.entries(others).flatMap(([name, value]): Batch[] =>
      Array.isArray(value) ? value.map((item: unknown) => ({ [name]: [item] })) : [{ [name]: value }],
    ),
    ...(deletion && 'keys' in deletion ? deletion.keys.map((key) => ({ 'messages.delete': { keys: [key] } })) : []),
  ];
  return items.length > 1 ? items : [batch];
}
