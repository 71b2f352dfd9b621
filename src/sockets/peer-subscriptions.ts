// Subscriptions at other cluster nodes, open while this node has websocket clients. Every node gets the same interest,
// because an instance may move to any node.
import type { Readable } from 'node:stream';
import type { Clock, Timer } from '../lib/clock.ts';
import { createLimiter } from '../lib/limiter.ts';
import type { Interest, RelayedEvent } from './peer-fanout.ts';

/** ms between checks for new nodes and ended connections. */
const CHECK_INTERVAL_MS = 2_000;

interface Node {
  id: string;
  url: string;
}

/** The requests to other nodes. */
export interface PeerTransport {
  otherLiveNodes(): Promise<Node[]>;
  /** Opens a connection. Resolves with its lines when the node has accepted the interest. */
  openStream(node: Node, interest: Interest, signal: AbortSignal): Promise<Readable>;
  changeInterest(node: Node, interest: Interest): Promise<void>;
}

export interface PeerSubscriptionsDeps {
  transport: PeerTransport;
  clock: Clock;
  /** Returns what this node has clients for. */
  interest(): Interest;
  onEvent(event: RelayedEvent): void;
}

interface PeerSubscription {
  abort: AbortController;
  /** JSON of the interest that the node has accepted. */
  interest: string;
}

export class PeerSubscriptions {
  readonly #deps: PeerSubscriptionsDeps;
  readonly #byNode = new Map<string, PeerSubscription>();
  /** One update at a time. */
  readonly #updates = createLimiter(1);
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(deps: PeerSubscriptionsDeps) {
    this.#deps = deps;
  }

  /** Resolves when every reachable node has accepted the current interest. Never rejects. */
  update(): Promise<void> {
    return this.#updates.run(() => this.#update());
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    for (const { abort } of this.#byNode.values()) abort.abort();
  }

  async #update(): Promise<void> {
    this.#timer?.cancel();
    if (this.#isClosed) return;
    const { transport, clock } = this.#deps;
    const interest = this.#deps.interest();
    const hasClients = interest.all || interest.instances.length > 0;
    const nodes = hasClients ? await transport.otherLiveNodes().catch(() => undefined) : [];
    if (nodes) await this.#subscribe(nodes, interest);
    if (hasClients && !this.#isClosed) this.#timer = clock.after(CHECK_INTERVAL_MS, () => void this.update());
  }

  /** Subscribes at these nodes, with this interest, and at no other node. */
  async #subscribe(nodes: readonly Node[], interest: Interest): Promise<void> {
    const ids = new Set(nodes.map(({ id }) => id));
    for (const [id, { abort }] of this.#byNode) if (!ids.has(id)) abort.abort();
    const text = JSON.stringify(interest);
    await Promise.all(
      nodes.map(async (node) => {
        const subscription = this.#byNode.get(node.id);
        // The next update retries an unreachable node.
        if (!subscription) await this.#open(node, interest).catch(() => undefined);
        else if (subscription.interest !== text) await this.#change(subscription, node, interest);
      }),
    );
  }

  async #open(node: Node, interest: Interest): Promise<void> {
    const abort = new AbortController();
    const lines = await this.#deps.transport.openStream(node, interest, abort.signal);
    this.#byNode.set(node.id, { abort, interest: JSON.stringify(interest) });
    void this.#read(lines).finally(() => this.#byNode.delete(node.id));
  }

  async #change(subscription: PeerSubscription, node: Node, interest: Interest): Promise<void> {
    try {
      await this.#deps.transport.changeInterest(node, interest);
      subscription.interest = JSON.stringify(interest);
    } catch {
      // The next update opens a new connection.
      subscription.abort.abort();
    }
  }

  async #read(stream: Readable): Promise<void> {
    let rest = '';
    try {
      for await (const text of stream.setEncoding('utf8')) {
        const [first = '', ...more] = String(text).split('\n');
        const lines = [rest + first, ...more];
        rest = lines.pop() ?? '';
        for (const line of lines) this.#receive(line);
      }
    } catch {
      // The connection broke; the next update opens a new one.
    }
  }

  #receive(line: string): void {
    if (line === '') return;
    const event: unknown = JSON.parse(line);
    if (isRelayedEvent(event)) this.#deps.onEvent(event);
  }
}

function isRelayedEvent(value: unknown): value is RelayedEvent {
  if (typeof value !== 'object' || value === null || !('instance' in value)) return false;
  return 'gone' in value || ('type' in value && 'body' in value && 'isOwn' in value);
}
