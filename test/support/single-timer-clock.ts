// A clock for tests of periodic work. `fire` runs the callback of its last timer.
import type { Clock } from '../../src/lib/clock.ts';

export function createSingleTimerClock(): { clock: Clock; fire(): void } {
  let onTimer = () => {};
  const clock: Clock = {
    now: () => 0,
    after(_ms, callback) {
      onTimer = callback;
      return { cancel: () => undefined };
    },
  };
  return { clock, fire: () => onTimer() };
}
