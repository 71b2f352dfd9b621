// Receipts of our messages: each is an event of its own, and none is acknowledged before it is stored.
// rc14 folds the statuses of one moment into the last of them, or into the message that they are about, and acknowledges at once.
import type { WASocket } from '@whiskeysockets/baileys';

/**
 * Stands between rc14 and its turns for receipts, in which it reports them; it acknowledges a receipt when its turn has resolved. `stored`
 * resolves when what the socket has reported so far is stored, and never when it cannot be: that receipt comes again.
 */
export function storeReceipts(
  { ev, receiptMutex }: Pick<WASocket, 'ev' | 'receiptMutex'>,
  stored: () => Promise<void>,
): void {
  const { mutex } = receiptMutex;
  receiptMutex.mutex = async <T>(handle: () => Promise<T> | T): Promise<T> => {
    const handled = await mutex(() => {
      // Ends buffering, and rc14 reports before it waits for anything: at once, and after the message itself if that was held back.
      ev.flush();
      return handle();
    });
    await stored();
    return handled;
  };
}
