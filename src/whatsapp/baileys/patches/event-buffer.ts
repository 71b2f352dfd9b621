// Flushes the event buffer within a second.
// Why: after a planned flush found the buffer empty, Baileys plans no further one (`flushPendingTimeout` stays set). No
//   other code flushes the events of a stanza with the attribute `offline`, so they stay in the buffer for 30 s.
// Upstream: related to WhiskeySockets/Baileys issue #2810 (open); this cause is not reported.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: `flush` of event-buffer.js resets `flushPendingTimeout` before it returns false.
import type { WASocket } from '../library.ts';

/** ms after which an event leaves the buffer. Baileys plans a flush after 100 ms. */
const MAX_DELAY = 1_000;

/** Flushes the buffer when it has held an event for a second. */
export function patchEventBuffer({ ev }: { ev: Pick<WASocket['ev'], 'emit' | 'flush' | 'isBuffering'> }): void {
  const { emit } = ev;
  let timer: NodeJS.Timeout | undefined;
  ev.emit = (event, data) => {
    const result = emit(event, data);
    if (timer === undefined && ev.isBuffering()) timer = setTimeout(flush, MAX_DELAY).unref();
    return result;
  };
  function flush(): void {
    timer = undefined;
    ev.flush();
  }
}
