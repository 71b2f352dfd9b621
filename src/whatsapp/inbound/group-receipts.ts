// Drops the receipts from group members that do not change the status of a message. The first member who receives or
// reads a message sets the status of the message. In a large group hundreds of further receipts follow, which the store
// would reject one by one. patches/message-receipts.ts uses this filter to drop most of them before they become events.
// The translator drops those that Baileys itself handles.
import { BoundedMap } from '../../lib/bounded-map.ts';
import type { MessageUserReceiptUpdate } from '../baileys/types.ts';
import type { Batch } from './batch.ts';

/** Maximum number of messages to remember. The store rejects further receipts of messages that were evicted. */
const MAX_MESSAGES = 2_000;

/** Ranks of a message: a receipt counts only if it raises the rank. */
const DELIVERED = 1;
const READ = 2;

export class ReceiptFilter {
  readonly #ranks = new BoundedMap<string, number>(MAX_MESSAGES);

  /** Returns the batch without receipts that change no status, or the same object when there is nothing to drop. */
  withoutRedundant(batch: Batch): Batch {
    const { 'message-receipt.update': receipts, ...others } = batch;
    if (!receipts) return batch;
    const relevant = receipts.filter((receipt) => this.isRelevant(receipt));
    if (relevant.length === receipts.length) return batch;
    return relevant.length > 0 ? { ...others, 'message-receipt.update': relevant } : others;
  }

  /** False for a receipt that does not raise the rank of its message. Records a rank that it raises. */
  isRelevant({ key, receipt }: MessageUserReceiptUpdate): boolean {
    // Receipts of messages of others, and receipts without these fields, have no rank here. fromReceipt() and
    // readOnOtherDevices() decide about them.
    if (!key.fromMe || !key.id || !receipt.userJid) return true;
    const message = `${key.remoteJid}|${key.id}`;
    const rank = receipt.readTimestamp ? READ : DELIVERED;
    if ((this.#ranks.get(message) ?? 0) >= rank) return false;
    this.#ranks.set(message, rank);
    return true;
  }
}
