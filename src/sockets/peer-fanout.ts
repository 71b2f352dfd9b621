// Sends events of this node to other cluster nodes whose websocket clients listen to them. Keeps no events for a node
// that is disconnected.

/** The events that a node needs for its websocket clients. */
export interface Interest {
  /** Ids of the instances (WhatsApp sessions) that websocket clients of the node listen to. */
  instances: readonly string[];
  /** Whether clients of the node listen to the namespace that has the events of every instance. */
  all: boolean;
}

/**
 * One line of JSON that a node sends to another: an event, or the deletion of an instance (`gone`). Every event goes to
 * the namespace of all instances. When `isOwn` is true, the event also goes to the namespace of its instance. `body` is
 * the event as JSON.
 */
export type RelayedEvent =
  | { instance: string; type: string; body: string; isOwn: boolean }
  | { instance: string; gone: true };

/** The connection to another node. */
export interface PeerConnection {
  write(text: string): void;
  close(): void;
}

interface IncomingSubscription {
  instances: ReadonlySet<string>;
  all: boolean;
  connection: PeerConnection;
}

export class PeerFanout {
  readonly #byNode = new Map<string, IncomingSubscription>();

  get isEmpty(): boolean {
    return this.#byNode.size === 0;
  }

  /**
   * Subscribes a node to events. A second connection of the same node replaces the first one. Returns a function that
   * ends the subscription.
   */
  add(node: string, interest: Interest, connection: PeerConnection): () => void {
    this.#byNode.get(node)?.connection.close();
    this.#byNode.set(node, { instances: new Set(interest.instances), all: interest.all, connection });
    return () => {
      if (this.#byNode.get(node)?.connection === connection) this.#byNode.delete(node);
      connection.close();
    };
  }

  /** Changes the interest of a node. Returns false when the node is not subscribed. */
  change(node: string, { instances, all }: Interest): boolean {
    const subscription = this.#byNode.get(node);
    if (!subscription) return false;
    this.#byNode.set(node, { connection: subscription.connection, instances: new Set(instances), all });
    return true;
  }

  /** Returns whether any node has clients in the namespace of all instances. */
  isAnyInterestedInAll(): boolean {
    return [...this.#byNode.values()].some(({ all }) => all);
  }

  /** Returns whether any node has clients in the namespace of the instance. */
  isAnyInterestedIn(instance: string): boolean {
    return [...this.#byNode.values()].some(({ instances }) => instances.has(instance));
  }

  /** Sends the event to the nodes that are interested in it. */
  send(event: RelayedEvent): void {
    let line: string | undefined;
    for (const { instances, all, connection } of this.#byNode.values()) {
      const isForNamespace = instances.has(event.instance) && ('gone' in event || event.isOwn);
      const isForAll = all && 'type' in event;
      if (!isForNamespace && !isForAll) continue;
      line ??= `${JSON.stringify(event)}\n`;
      connection.write(line);
    }
  }

  close(): void {
    for (const { connection } of this.#byNode.values()) connection.close();
    this.#byNode.clear();
  }
}
