// Drops the receipts from group members that do not change the status of a message. The first member who receives or
// reads a message sets the status of the message. In a large group hundreds of further receipts follow, which the store
// would reject one by one.
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
    const relevant = receipts.filter((receipt) => this.#recordIfNew(receipt));
    if (relevant.length === receipts.length) return batch;
    return relevant.length > 0 ? { ...others, 'message-receipt.update': relevant } : others;
  }

  /** Records the rank of the receipt's message. Returns false when the receipt does not raise it. */
  #recordIfNew({ key, receipt }: MessageUserReceiptUpdate): boolean {
    // Receipts of messages of others are not filtered here: the mapping decides about them.
    if (!key.fromMe || !key.id || !receipt.userJid) return true;
    const message = `${key.remoteJid}|${key.id}`;
    const rank = receipt.readTimestamp ? READ : DELIVERED;
    if ((this.#ranks.get(message) ?? 0) >= rank) return false;
    this.#ranks.set(message, rank);
    return true;
  }
}
