// The leases of this node and their epochs. A lease is the right of one node of the cluster to run an instance and
// write its data. The epoch of a lease rises with every change of its owner and serves as a fencing token: a write
// under an outdated epoch is refused here or by the database, so correctness does not depend on timers. Decision D-147.
import { GatewayError } from '../errors.ts';

/** Seconds after which a client can retry. The instance usually has a new owner by then. */
const RETRY_AFTER_S = 1;

export class LeaseFence {
  /** Id of this node; null until it joins the cluster. Until then, writes require no lease. */
  nodeId: string | null = null;
  /** By instance. */
  readonly #epochs = new Map<string, number>();
  /** Instances whose lease this node is creating. */
  readonly #expected = new Set<string>();
  readonly #refusedListeners: ((instance: string) => void)[] = [];
  readonly #acquiredListeners: ((instance: string) => void)[] = [];

  /**
   * Epochs, by instance, of the leases that this node has recorded. Another node can have taken some of them already.
   */
  get epochs(): ReadonlyMap<string, number> {
    return this.#epochs;
  }

  /**
   * Calls the listeners of onAcquired(), then records the lease, which allows writes. Does nothing before this node has
   * joined the cluster.
   */
  hold(instance: string, epoch: number): void {
    if (this.nodeId === null) return;
    this.#expected.delete(instance);
    for (const listener of this.#acquiredListeners) listener(instance);
    this.#epochs.set(instance, epoch);
  }

  /**
   * Announces that this node is creating the lease. A heartbeat can find the lease in the database before hold() has
   * recorded it here. The heartbeat must then not report the lease as recovered.
   */
  expectLease(instance: string): void {
    if (this.nodeId === null) return;
    this.#expected.add(instance);
  }

  /** Whether this node is creating the lease. */
  isExpected(instance: string): boolean {
    return this.#expected.has(instance);
  }

  /** Removes the record of the lease, without calling a listener. */
  drop(instance: string): void {
    this.#expected.delete(instance);
    this.#epochs.delete(instance);
  }

  /**
   * The epoch for a write to this instance; undefined before this node has joined the cluster. Throws LEASE_LOST when
   * this node has no lease of the instance.
   */
  epochOf(instance: string): number | undefined {
    if (this.nodeId === null) return undefined;
    const epoch = this.#epochs.get(instance);
    if (epoch === undefined) throw leaseLostError();
    return epoch;
  }

  /**
   * Calls `listener` when this node gets a lease. Cached data of the instance can be outdated then, because another
   * node may have owned the instance before.
   */
  onAcquired(listener: (instance: string) => void): void {
    this.#acquiredListeners.push(listener);
  }

  /** Calls `listener` when the database refuses a write because the lease of its instance is lost. */
  onWriteRefused(listener: (instance: string) => void): void {
    this.#refusedListeners.push(listener);
  }

  /**
   * Throws LEASE_LOST after the database refused a write under `epoch`. If the record of the lease still has this
   * epoch, removes it first, and calls the listeners of onWriteRefused().
   */
  refuse(instance: string, epoch: number): never {
    // A record with another epoch means that this node has claimed the lease again, and only this write is outdated.
    if (this.#epochs.get(instance) === epoch) {
      this.#epochs.delete(instance);
      for (const listener of this.#refusedListeners) listener(instance);
    }
    throw leaseLostError();
  }
}

const leaseLostError = () =>
  new GatewayError('LEASE_LOST', 'The instance belongs to another node now', { retryAfter: RETRY_AFTER_S });
