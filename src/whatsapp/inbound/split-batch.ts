// Splits a batch into batches of one item each, for a batch that cannot be mapped as a whole. No I/O.
import type { Batch } from './batch.ts';

/** Returns the items of `batch` in the order of its events. Returns the batch itself when it has at most one item. */
export function splitBatch(batch: Batch): Batch[] {
  const { 'messages.upsert': upsert, 'messages.delete': deletion, 'messaging-history.set': past, ...others } = batch;
  const none = { contacts: [], chats: [], messages: [] };
  const items: Batch[] = [
    ...(past?.contacts ?? []).map((one) => ({ 'messaging-history.set': { ...past, ...none, contacts: [one] } })),
    ...(past?.chats ?? []).map((one) => ({ 'messaging-history.set': { ...past, ...none, chats: [one] } })),
    ...(past?.messages ?? []).map((one) => ({ 'messaging-history.set': { ...past, ...none, messages: [one] } })),
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
