// Events do not stay in the buffer of the socket.
// Why: rc14 forgets to plan the next flush after a planned one found the buffer empty (`flushPendingTimeout` stays set). The events of a
//   stanza with the attribute `offline`, which nothing else flushes, then wait for the buffer's limit of 30 s.
// Upstream: not reported.
// Applies to: 7.0.0-rc14.
// Remove when: `flush` of event-buffer.js resets `flushPendingTimeout` before it returns false.
import type { WASocket } from '@whiskeysockets/baileys';

/** ms after which an event leaves the buffer; the library itself plans 100. */
const LIMIT = 1_000;

/** Flushes the buffer when an event has been in it for a second. */
export function patchEventBuffer({ ev }: { ev: Pick<WASocket['ev'], 'emit' | 'flush' | 'isBuffering'> }): void {
  const { emit } = ev;
  let planned: NodeJS.Timeout | undefined;
  ev.emit = (event, data) => {
    const result = emit(event, data);
    if (planned === undefined && ev.isBuffering()) planned = setTimeout(flush, LIMIT).unref();
    return result;
  };
  function flush(): void {
    planned = undefined;
    ev.flush();
  }
}
