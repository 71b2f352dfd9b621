// Receipts of a group's members that say nothing new: a message is delivered, or read, as soon as the first of them has it. Of a large
// group hundreds follow, which the store would refuse one by one.
import type { MessageUserReceiptUpdate } from '../baileys/types.ts';
import type { Batch } from './batch.ts';

/** Messages remembered; those heard of first go first, and the store refuses what is heard of them again. */
const MAX_MESSAGES = 2_000;

const DELIVERED = 1;
const READ = 2;

export class SeenReceipts {
  readonly #ranks = new Map<string, number>();

  /** The batch without receipts of members that come after others as good; the same object when all are news. */
  withoutRepeats(batch: Batch): Batch {
    const { 'message-receipt.update': receipts, ...others } = batch;
    if (!receipts) return batch;
    const news = receipts.filter((receipt) => this.#isNew(receipt));
    if (news.length === receipts.length) return batch;
    return news.length > 0 ? { ...others, 'message-receipt.update': news } : others;
  }

  #isNew({ key, receipt }: MessageUserReceiptUpdate): boolean {
    // Leaves to mapping what it takes for no receipt of an own message.
    if (!key.fromMe || !key.id || !receipt.userJid) return true;
    const message = `${key.remoteJid}|${key.id}`;
    const rank = receipt.readTimestamp ? READ : DELIVERED;
    if ((this.#ranks.get(message) ?? 0) >= rank) return false;
    this.#ranks.set(message, rank);
    const [oldest] = this.#ranks.size > MAX_MESSAGES ? this.#ranks.keys() : [];
    if (oldest !== undefined) this.#ranks.delete(oldest);
    return true;
  }
}
