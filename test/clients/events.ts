// What arrived, by webhook or by socket, for programs that wait for an event.
import { EventEmitter, once } from 'node:events';
import { deviation, type Shape } from './shape.ts';

/** Longer than any answer of the platform takes; only ends a wait for what never comes. */
const PATIENCE = 20_000;

/** Events on arrival, for readers that wait for one. */
export class Events {
  readonly #all: { name: string; body: unknown }[] = [];
  readonly #news = new EventEmitter().setMaxListeners(0);

  get count(): number {
    return this.#all.length;
  }

  add(name: string, body: unknown): void {
    this.#all.push({ name, body });
    this.#news.emit('event');
  }

  /** Whether such an event came already. */
  has(name: string, shape: Shape): boolean {
    return this.#all.some((event) => event.name === name && deviation(event.body, shape) === undefined);
  }

  /** The first event of that name, past or coming, whose envelope has the shape. Throws with what came when it does not. */
  async next(name: string, shape: Shape): Promise<unknown> {
    const signal = AbortSignal.timeout(PATIENCE);
    for (;;) {
      const found = this.#all.find((event) => event.name === name && deviation(event.body, shape) === undefined);
      if (found) return found.body;
      await once(this.#news, 'event', { signal }).catch(() => {
        throw new Error(this.#missing(name, shape));
      });
    }
  }

  #missing(name: string, shape: Shape): string {
    const near = this.#all.filter((event) => event.name === name).slice(-3);
    const why = near.map(({ body }) => `${deviation(body, shape)} in ${JSON.stringify(body).slice(0, 1500)}`);
    const names = this.#all.map((event) => event.name).join(' ');
    return [`no ${name} as expected came`, ...why, `came: ${names}`].join('\n  ');
  }
}
