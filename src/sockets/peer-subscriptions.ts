// Lines from other nodes, held as long as somebody listens here: each tells what happens to its instances. They all get the same wish, so
// an instance may move as it likes.
import type { Readable } from 'node:stream';
import type { Clock, Timer } from '../lib/clock.ts';
import { createLimiter } from '../lib/limiter.ts';
import type { Interest, RelayedEvent } from './peer-fanout.ts';

/** ms between looks at which nodes there are and which lines have ended. */
const LOOK = 2_000;

interface Node {
  id: string;
  url: string;
}

/** The way to other nodes. */
export interface PeerTransport {
  peers(): Promise<Node[]>;
  /** Resolves when the other side listens to the wish. */
  open(to: Node, wish: Interest, signal: AbortSignal): Promise<Readable>;
  change(to: Node, wish: Interest): Promise<void>;
}

export interface PeerSubscriptionsDeps {
  transport: PeerTransport;
  clock: Clock;
  /** What is heard here. */
  interest(): Interest;
  onEvent(told: RelayedEvent): void;
}

interface Link {
  left: AbortController;
  /** The wish as the other side knows it. */
  told: string;
}

export class PeerSubscriptions {
  readonly #deps: PeerSubscriptionsDeps;
  readonly #links = new Map<string, Link>();
  readonly #rounds = createLimiter(1);
  #next: Timer | undefined;
  #closed = false;

  constructor(deps: PeerSubscriptionsDeps) {
    this.#deps = deps;
  }

  /** Resolves when every node that can be reached knows what is heard here. Never rejects. */
  update(): Promise<void> {
    return this.#rounds.run(() => this.#round());
  }

  close(): void {
    this.#closed = true;
    this.#next?.cancel();
    for (const { left } of this.#links.values()) left.abort();
  }

  async #round(): Promise<void> {
    this.#next?.cancel();
    if (this.#closed) return;
    const wish = this.#deps.interest();
    const isHeard = wish.all || wish.instances.length > 0;
    const peers = isHeard ? await this.#deps.transport.peers().catch(() => undefined) : [];
    if (peers) await this.#reach(peers, wish);
    if (isHeard && !this.#closed) this.#next = this.#deps.clock.after(LOOK, () => void this.update());
  }

  async #reach(peers: readonly Node[], wish: Interest): Promise<void> {
    const known = new Set(peers.map(({ id }) => id));
    for (const [id, { left }] of this.#links) if (!known.has(id)) left.abort();
    const text = JSON.stringify(wish);
    await Promise.all(
      peers.map(async (node) => {
        const link = this.#links.get(node.id);
        // One that cannot be reached is tried again in the next round.
        if (!link) await this.#open(node, wish).catch(() => undefined);
        else if (link.told !== text) await this.#change(link, node, wish);
      }),
    );
  }

  async #open(node: Node, wish: Interest): Promise<void> {
    const left = new AbortController();
    const lines = await this.#deps.transport.open(node, wish, left.signal);
    this.#links.set(node.id, { left, told: JSON.stringify(wish) });
    void this.#read(lines).finally(() => this.#links.delete(node.id));
  }

  async #change(link: Link, node: Node, wish: Interest): Promise<void> {
    try {
      await this.#deps.transport.change(node, wish);
      link.told = JSON.stringify(wish);
    } catch {
      // The next round begins anew.
      link.left.abort();
    }
  }

  async #read(lines: Readable): Promise<void> {
    let rest = '';
    try {
      for await (const text of lines.setEncoding('utf8')) {
        const [first = '', ...more] = String(text).split('\n');
        const whole = [rest + first, ...more];
        rest = whole.pop() ?? '';
        for (const line of whole) this.#hear(line);
      }
    } catch {
      // The line broke; the next round makes another.
    }
  }

  #hear(line: string): void {
    if (line === '') return;
    const told: unknown = JSON.parse(line);
    if (isTold(told)) this.#deps.onEvent(told);
  }
}

function isTold(told: unknown): told is RelayedEvent {
  if (typeof told !== 'object' || told === null || !('instance' in told)) return false;
  return 'gone' in told || ('type' in told && 'body' in told && 'isOwn' in told);
}
