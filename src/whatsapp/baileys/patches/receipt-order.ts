// Emits a separate event for every receipt that Baileys handles, and acknowledges the receipt after the event is
// stored. Receipts that message-receipts.ts handles do not reach Baileys. Decision D-143.
// Why: Baileys' event buffer merges the statuses of a message that arrive within 100 ms. Only the last status remains,
//   and it becomes a part of the message when the message is in the buffer, too. Baileys acknowledges a receipt before
//   its event is stored, so that a crash loses the status.
// Upstream: not reported.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: Baileys has an option to acknowledge after the event handlers have finished, and buffers each status
//   separately.
import type { WASocket } from '../library.ts';

/**
 * Wraps the mutex in which Baileys handles receipts. Baileys acknowledges a receipt when this mutex resolves.
 * `waitForEvents` returns a promise that resolves when all events emitted so far are stored. When they cannot be
 * stored, the promise stays pending: the receipt is not acknowledged and WhatsApp sends it again.
 */
export function patchReceiptOrder(
  { ev, receiptMutex }: Pick<WASocket, 'ev' | 'receiptMutex'>,
  waitForEvents: () => Promise<void>,
): void {
  const { mutex } = receiptMutex;
  receiptMutex.mutex = async <T>(handle: () => Promise<T> | T): Promise<T> => {
    const result = await mutex(() => {
      // Emits what is buffered and ends buffering. Baileys then emits the status synchronously. The status is not
      // merged with other statuses, and its event follows the event of a message that was in the buffer.
      ev.flush();
      return handle();
    });
    await waitForEvents();
    return result;
  };
}
