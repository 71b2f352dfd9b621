// Drops the receipts from group members that do not change the status of a message. The first member who receives or
// reads a message sets the status of the message. In a large group hundreds of further receipts follow, which the store
// would reject one by one. patches/message-receipts.ts uses this filter to drop most of them before they become events.
// translator.ts applies it to the receipts that Baileys itself handles and reports as events.
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
    const relevant = receipts.filter((receipt) => this.recordIfRelevant(receipt));
    if (relevant.length === receipts.length) return batch;
    return relevant.length > 0 ? { ...others, 'message-receipt.update': relevant } : others;
  }

  /** Returns false for a receipt that does not raise the rank of its message, else true. Records the raised rank. */
  recordIfRelevant({ key, receipt }: MessageUserReceiptUpdate): boolean {
    // Receipts for messages of other people, and receipts without these fields, are not ranked and count as relevant.
    // fromReceipt() and readOnOtherDevices() handle them.
    if (!key.fromMe || !key.id || !receipt.userJid) return true;
    const message = `${key.remoteJid}|${key.id}`;
    const rank = receipt.readTimestamp ? READ : DELIVERED;
    if ((this.#ranks.get(message) ?? 0) >= rank) return false;
    this.#ranks.set(message, rank);
    return true;
  }
}
