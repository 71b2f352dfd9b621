// The two timers of an instance: when to try again, and when to stop waiting for a socket. A timer that was replaced never fires.
// What falls due is no request's doing, whichever request the timer was armed in.
import { backoff } from '../lib/backoff.ts';
import type { Clock, Timer } from '../lib/clock.ts';
import { runWithoutTrace } from '../lib/request-trace.ts';
import type { Event } from './state-machine.ts';

const RETRY = { base: 1000, cap: 60_000, jitter: 0.2 };

export class InstanceTimers {
  readonly #clock: Clock;
  readonly #dispatch: (event: Event, isLive: () => boolean) => unknown;
  readonly #random: (() => number) | undefined;
  #retry: Timer | undefined;
  #watchdog: Timer | undefined;
  /** Epoch ms of the next attempt. */
  retryAt: number | null = null;

  constructor(
    clock: Clock,
    dispatch: (event: Event, isLive: () => boolean) => unknown,
    random: (() => number) | undefined,
  ) {
    this.#clock = clock;
    this.#dispatch = (event, isLive) => runWithoutTrace(() => dispatch(event, isLive));
    this.#random = random;
  }

  /** Arms the retry after loss number `n` (from 0). */
  armRetry(n: number): void {
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

  /** Arms the watchdog: `event` is asked for when `ms` have passed. */
  watch(ms: number, event: () => Event): void {
    const timer = this.#clock.after(ms, () => this.#dispatch(event(), () => this.#watchdog === timer));
    this.#watchdog = timer;
  }

  cancelWatchdog(): void {
    this.#watchdog?.cancel();
    this.#watchdog = undefined;
  }
}
