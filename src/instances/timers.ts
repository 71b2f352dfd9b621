// The two timers of an instance: the next connection attempt, and the watchdog of a socket that opens or closes.
// Callbacks run without the request id of the request that set the timer, because they outlive the request.
import { backoff } from '../lib/backoff.ts';
import type { Clock, Timer } from '../lib/clock.ts';
import { runWithoutRequestId } from '../lib/request-id.ts';
import type { LifecycleEvent } from './state-machine.ts';

/** Delay of an attempt: `base` ms, doubled with each previous loss up to `cap` ms, varied by the fraction `jitter`. */
const RETRY = { base: 1000, cap: 60_000, jitter: 0.2 };

/**
 * Queues an event for the state machine. `isWanted` is called right before the event is handled. The event is dropped
 * when the result is false: the timer was canceled or replaced while the event was queued.
 */
type Dispatch = (event: LifecycleEvent, isWanted: () => boolean) => unknown;

export class InstanceTimers {
  readonly #clock: Clock;
  readonly #dispatch: Dispatch;
  readonly #random: (() => number) | undefined;
  #retry: Timer | undefined;
  #watchdog: Timer | undefined;
  /** Epoch ms of the next connection attempt; null when no attempt is scheduled. */
  retryAt: number | null = null;

  /** `random` returns 0 to 1 for the jitter of the delay; default: Math.random(). */
  constructor(clock: Clock, dispatch: Dispatch, random: (() => number) | undefined) {
    this.#clock = clock;
    this.#dispatch = (event, isWanted) => runWithoutRequestId(() => dispatch(event, isWanted));
    this.#random = random;
  }

  /** Sets the timer of the next connection attempt. The delay grows with the number of previous connection losses. */
  armRetry(previousLosses: number): void {
    this.cancelRetry();
    const delay = backoff(previousLosses, RETRY, this.#random);
    this.retryAt = this.#clock.now() + delay;
    const timer = this.#clock.after(delay, () => {
      this.retryAt = null;
      this.#dispatch({ type: 'RETRY_DUE' }, () => this.#retry === timer);
    });
    this.#retry = timer;
  }

  cancelRetry(): void {
    this.#retry?.cancel();
    this.#retry = undefined;
    this.retryAt = null;
  }

  /** Sets the watchdog: calls `toEvent` after `ms` and dispatches the result. */
  armWatchdog(ms: number, toEvent: () => LifecycleEvent): void {
    this.cancelWatchdog();
    const timer = this.#clock.after(ms, () => this.#dispatch(toEvent(), () => this.#watchdog === timer));
    this.#watchdog = timer;
  }

  cancelWatchdog(): void {
    this.#watchdog?.cancel();
    this.#watchdog = undefined;
  }
}
