// Other nodes whose sockets hear what happens here: what each of them wants, and the line to it. Keeps nothing for one that is away.

/** Which instances somebody hears; `all` is the namespace of all instances. */
export interface Interest {
  instances: readonly string[];
  all: boolean;
}

/** What one node tells another: an event, `isOwn` when the instance's own namespace gets it; or that the instance was deleted. */
export type RelayedEvent =
  | { instance: string; type: string; body: string; isOwn: boolean }
  | { instance: string; gone: true };

export interface PeerConnection {
  write(text: string): void;
  close(): void;
}

interface Relay {
  instances: ReadonlySet<string>;
  all: boolean;
  line: PeerConnection;
}

export class PeerFanout {
  readonly #byNode = new Map<string, Relay>();

  get isEmpty(): boolean {
    return this.#byNode.size === 0;
  }

  /** A later line of the same node takes the place of an earlier one. Returns what ends it. */
  add(node: string, wish: Interest, line: PeerConnection): () => void {
    this.#byNode.get(node)?.line.close();
    const relay = { instances: new Set(wish.instances), all: wish.all, line };
    this.#byNode.set(node, relay);
    return () => {
      if (this.#byNode.get(node)?.line === line) this.#byNode.delete(node);
      line.close();
    };
  }

  /** False when there is no line to the node. */
  change(node: string, { instances, all }: Interest): boolean {
    const relay = this.#byNode.get(node);
    if (relay) this.#byNode.set(node, { line: relay.line, instances: new Set(instances), all });
    return relay !== undefined;
  }

  /** Whether somebody hears all instances. */
  isAnyInterestedInAll(): boolean {
    return [...this.#byNode.values()].some(({ all }) => all);
  }

  /** Whether somebody is in the namespace of the instance. */
  isAnyInterestedIn(instance: string): boolean {
    return [...this.#byNode.values()].some(({ instances }) => instances.has(instance));
  }

  send(told: RelayedEvent): void {
    let text: string | undefined;
    for (const { instances, all, line } of this.#byNode.values()) {
      const isHeard = instances.has(told.instance) && ('gone' in told || told.isOwn);
      if (!isHeard && !(all && 'type' in told)) continue;
      text ??= `${JSON.stringify(told)}\n`;
      line.write(text);
    }
  }

  end(): void {
    for (const { line } of this.#byNode.values()) line.close();
    this.#byNode.clear();
  }
}
