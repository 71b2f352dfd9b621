// Collects events from webhooks or sockets for programs that wait for them.
import { EventEmitter, once } from 'node:events';
import { deviation, type Shape } from './shape.ts';

/**
 * Timeout in ms. It is longer than any answer of the platform takes. It only ends the wait for an event that never
 * arrives.
 */
const TIMEOUT_MS = 20_000;

/** Events in order of arrival. */
export class Events {
  readonly #events: { name: string; body: unknown }[] = [];
  readonly #arrivals = new EventEmitter().setMaxListeners(0);

  get count(): number {
    return this.#events.length;
  }

  add(name: string, body: unknown): void {
    this.#events.push({ name, body });
    this.#arrivals.emit('event');
  }

  /** True if an event of this name and shape has arrived. */
  has(name: string, shape: Shape): boolean {
    return this.#events.some((event) => event.name === name && deviation(event.body, shape) === undefined);
  }

  /**
   * Resolves with the first event of this name whose envelope has the shape, including past events. Throws with the
   * received events when none arrives in time.
   */
  async next(name: string, shape: Shape): Promise<unknown> {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    for (;;) {
      const found = this.#events.find((event) => event.name === name && deviation(event.body, shape) === undefined);
      if (found) return found.body;
      await once(this.#arrivals, 'event', { signal }).catch(() => {
        throw new Error(this.#describeMissing(name, shape));
      });
    }
  }

  #describeMissing(name: string, shape: Shape): string {
    const lastEvents = this.#events.filter((event) => event.name === name).slice(-3);
    const differences = lastEvents.map(
      ({ body }) => `${deviation(body, shape)} in ${JSON.stringify(body).slice(0, 1500)}`,
    );
    const names = this.#events.map((event) => event.name).join(' ');
    return [`no ${name} as expected came`, ...differences, `came: ${names}`].join('\n  ');
  }
}
