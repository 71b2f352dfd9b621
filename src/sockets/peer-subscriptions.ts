// Subscribes this node to the events of all other cluster nodes, while this node has websocket clients. All nodes get
// the same interest (the events that this node needs), because an instance can move to any node.
import type { Readable } from 'node:stream';
import type { Clock, Timer } from '../lib/clock.ts';
import type { Interest, RelayedEvent } from './peer-fanout.ts';

/** Interval of the checks for new nodes and ended connections. */
const CHECK_INTERVAL_MS = 2_000;

interface PeerNode {
  id: string;
  url: string;
}

/** Sends the requests to other nodes. */
export interface PeerTransport {
  otherReachableNodes(): Promise<PeerNode[]>;
  /** Subscribes to events of the node. Resolves with a stream of RelayedEvent lines when the node has accepted. */
  openStream(node: PeerNode, interest: Interest, signal: AbortSignal): Promise<Readable>;
  changeInterest(node: PeerNode, interest: Interest): Promise<void>;
}

export interface PeerSubscriptionsDeps {
  transport: PeerTransport;
  clock: Clock;
  /** Returns the events that this node needs now. */
  interest(): Interest;
  /** Called for each event, and each deletion of an instance, that another node sends. */
  onEvent(event: RelayedEvent): void;
}

interface OutgoingSubscription {
  controller: AbortController;
  /** JSON of the interest that the node has accepted. */
  acceptedInterest: string;
}

export class PeerSubscriptions {
  readonly #deps: PeerSubscriptionsDeps;
  readonly #byNode = new Map<string, OutgoingSubscription>();
  /** The update that started most recently. It can have ended. */
  #running: Promise<void> = Promise.resolve();
  /** The update that starts when the running one has ended. */
  #waiting: Promise<void> | undefined;
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(deps: PeerSubscriptionsDeps) {
    this.#deps = deps;
  }

  /**
   * Passes the current interest to all nodes. Resolves when every node has accepted it or failed. Never rejects. All
   * calls during a running update share the next update, because an update can wait for a node that does not answer.
   */
  update(): Promise<void> {
    this.#waiting ??= this.#running.then(() => {
      this.#waiting = undefined;
      this.#running = this.#update();
      return this.#running;
    });
    return this.#waiting;
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    for (const { controller } of this.#byNode.values()) controller.abort();
  }

  async #update(): Promise<void> {
    this.#timer?.cancel();
    if (this.#isClosed) return;
    const { transport, clock } = this.#deps;
    const interest = this.#deps.interest();
    const hasClients = interest.all || interest.instances.length > 0;
    // Without clients, all subscriptions end. When the nodes cannot be listed, the subscriptions stay as they are.
    const nodes = hasClients ? await transport.otherReachableNodes().catch(() => undefined) : [];
    if (nodes) await this.#subscribe(nodes, interest);
    if (hasClients && !this.#isClosed) this.#timer = clock.after(CHECK_INTERVAL_MS, () => void this.update());
  }

  /** Subscribes to these nodes with this interest, and ends the subscriptions to all other nodes. */
  async #subscribe(nodes: readonly PeerNode[], interest: Interest): Promise<void> {
    const ids = new Set(nodes.map(({ id }) => id));
    for (const [id, { controller }] of this.#byNode) if (!ids.has(id)) controller.abort();
    const interestJson = JSON.stringify(interest);
    await Promise.all(
      nodes.map(async (node) => {
        const subscription = this.#byNode.get(node.id);
        // When a node is unreachable, the next update tries again.
        if (!subscription) await this.#open(node, interest).catch(() => undefined);
        else if (subscription.acceptedInterest !== interestJson) await this.#change(subscription, node, interest);
      }),
    );
  }

  async #open(node: PeerNode, interest: Interest): Promise<void> {
    const controller = new AbortController();
    const stream = await this.#deps.transport.openStream(node, interest, controller.signal);
    if (this.#isClosed) return controller.abort();
    this.#byNode.set(node.id, { controller, acceptedInterest: JSON.stringify(interest) });
    void this.#read(stream).finally(() => this.#byNode.delete(node.id));
  }

  async #change(subscription: OutgoingSubscription, node: PeerNode, interest: Interest): Promise<void> {
    try {
      await this.#deps.transport.changeInterest(node, interest);
      subscription.acceptedInterest = JSON.stringify(interest);
    } catch {
      // The next update opens a new connection.
      subscription.controller.abort();
    }
  }

  /** Passes on the events of the stream. Resolves when the stream has ended. */
  async #read(stream: Readable): Promise<void> {
    let rest = '';
    try {
      for await (const text of stream.setEncoding('utf8')) {
        // Only the new chunk is split: a long line arrives in many chunks, and would be searched again with each chunk.
        const [first = '', ...more] = String(text).split('\n');
        const lines = [rest + first, ...more];
        rest = lines.pop() ?? '';
        for (const line of lines) this.#receive(line);
      }
    } catch {
      // The connection failed. The next update opens a new one.
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
