// Acknowledges a notification, such as a change of a group, after its events are stored. Decision D-143.
// Why: Baileys acknowledges a notification before its events are stored, so that a crash loses them.
// Upstream: not reported.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: Baileys has an option to acknowledge after the event handlers have finished.
import type { WASocket } from '../library.ts';

/**
 * Wraps `mutex()`, in which Baileys handles a notification. Baileys acknowledges the notification when the promise of
 * `mutex()` resolves. `waitForEvents` returns a promise that resolves when all events emitted so far are stored. When
 * the events cannot be stored, neither this promise nor the promise of `mutex()` resolves. The notification is then not
 * acknowledged, and WhatsApp sends it again at the next login.
 */
export function patchNotificationAcks(
  { ev, notificationMutex }: Pick<WASocket, 'ev' | 'notificationMutex'>,
  waitForEvents: () => Promise<void>,
): void {
  const { mutex } = notificationMutex;
  notificationMutex.mutex = async <T>(handle: () => Promise<T> | T): Promise<T> => {
    const result = await mutex(handle);
    // Emits what is buffered, so that waitForEvents() includes the events of the notification.
    ev.flush();
    await waitForEvents();
    return result;
  };
}
