// The two timers of an instance: the next connection attempt, and the watchdog of a socket that opens or closes.
// Callbacks run outside of the trace of the request that armed the timer.
import { backoff } from '../lib/backoff.ts';
import type { Clock, Timer } from '../lib/clock.ts';
import { runWithoutTrace } from '../lib/request-trace.ts';
import type { Event } from './state-machine.ts';

const RETRY = { base: 1000, cap: 60_000, jitter: 0.2 };

/**
 * Sends an event to the state machine. The event is dropped when `isCurrent` is false at its turn: the timer was
 * canceled or replaced.
 */
type Dispatch = (event: Event, isCurrent: () => boolean) => unknown;

export class InstanceTimers {
  readonly #clock: Clock;
  readonly #dispatch: Dispatch;
  readonly #random: (() => number) | undefined;
  #retry: Timer | undefined;
  #watchdog: Timer | undefined;
  /** Epoch ms of the next attempt. */
  retryAt: number | null = null;

  /** `random` returns 0 to 1 for the jitter of the delay. */
  constructor(clock: Clock, dispatch: Dispatch, random: (() => number) | undefined) {
    this.#clock = clock;
    this.#dispatch = (event, isCurrent) => runWithoutTrace(() => dispatch(event, isCurrent));
    this.#random = random;
  }

  /** Arms the retry after loss number `n` (from 0). */
  armRetry(n: number): void {
    this.cancelRetry();
    const delay = backoff(n, RETRY, this.#random);
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

  /** Dispatches the result of `toEvent` after `ms`. */
  armWatchdog(ms: number, toEvent: () => Event): void {
    this.cancelWatchdog();
    const timer = this.#clock.after(ms, () => this.#dispatch(toEvent(), () => this.#watchdog === timer));
    this.#watchdog = timer;
  }

  cancelWatchdog(): void {
    this.#watchdog?.cancel();
    this.#watchdog = undefined;
  }
}
