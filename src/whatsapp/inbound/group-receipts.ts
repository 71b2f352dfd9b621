// Filters repeated receipts of groups. The first member who receives or reads a message sets its status; a large group
// sends hundreds of further receipts, which the store would reject one by one.
import { BoundedMap } from '../../lib/bounded-map.ts';
import type { MessageUserReceiptUpdate } from '../baileys/types.ts';
import type { Batch } from './batch.ts';

/** Messages to remember; the oldest are evicted, and the store rejects their repeated receipts. */
const MAX_MESSAGES = 2_000;

const DELIVERED = 1;
const READ = 2;

export class ReceiptFilter {
  readonly #ranks = new BoundedMap<string, number>(MAX_MESSAGES);

  /** Returns the batch without receipts that change no status; the same object when it has none. */
  withoutRedundant(batch: Batch): Batch {
    const { 'message-receipt.update': receipts, ...others } = batch;
    if (!receipts) return batch;
    const news = receipts.filter((receipt) => this.#recordIfNew(receipt));
    if (news.length === receipts.length) return batch;
    return news.length > 0 ? { ...others, 'message-receipt.update': news } : others;
  }

  #recordIfNew({ key, receipt }: MessageUserReceiptUpdate): boolean {
    // Mapping handles receipts that are not for an own message.
    if (!key.fromMe || !key.id || !receipt.userJid) return true;
    const message = `${key.remoteJid}|${key.id}`;
    const rank = receipt.readTimestamp ? READ : DELIVERED;
    if ((this.#ranks.get(message) ?? 0) >= rank) return false;
    this.#ranks.set(message, rank);
    return true;
  }
}
