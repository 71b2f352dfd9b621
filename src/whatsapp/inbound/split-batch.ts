// Splits a batch into batches of one item each, for a batch that cannot be mapped as a whole. No I/O.
import type { Batch } from './batch.ts';

/** Returns one batch per item of `batch`, messages before their updates. Returns `batch` if it has at most one item. */
export function splitBatch(batch: Batch): Batch[] {
  const { 'messages.upsert': upsert, 'messages.delete': deletion, 'messaging-history.set': history, ...others } = batch;
  const empty = { ...history, contacts: [], chats: [], messages: [] };
  const items: Batch[] = [
    ...(history?.contacts ?? []).map((one) => ({ 'messaging-history.set': { ...empty, contacts: [one] } })),
    ...(history?.chats ?? []).map((one) => ({ 'messaging-history.set': { ...empty, chats: [one] } })),
    ...(history?.messages ?? []).map((one) => ({ 'messaging-history.set': { ...empty, messages: [one] } })),
    ...(upsert?.messages ?? []).map((one) => ({
      'messages.upsert': { ...upsert, type: upsert?.type ?? 'notify', messages: [one] },
    })),
    ...Object.entries(others).flatMap(([name, value]): Batch[] =>
      Array.isArray(value) ? value.map((item: unknown) => ({ [name]: [item] })) : [{ [name]: value }],
    ),
    ...(deletion && 'keys' in deletion ? deletion.keys.map((key) => ({ 'messages.delete': { keys: [key] } })) : []),
  ];
  return items.length > 1 ? items : [batch];
}
