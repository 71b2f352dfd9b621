// The leases of this node and their epochs. The epoch of a lease rises with every change of its owner and serves as a
// fencing token: a write under an outdated epoch is refused here or by the database, so correctness does not depend on
// timers. Decision D-147.
import { GatewayError } from '../errors.ts';

/** Seconds after which a client can retry. The instance usually has a new owner by then. */
const RETRY_AFTER_S = 1;

export class LeaseFence {
  /** Id of this node; null until it joins the cluster. Writes require a lease only after that. */
  nodeId: string | null = null;
  readonly #epochs = new Map<string, number>();
  /** Instances whose lease this node is creating. */
  readonly #expected = new Set<string>();
  readonly #refusedListeners: ((instance: string) => void)[] = [];
  readonly #acquiredListeners: ((instance: string) => void)[] = [];

  /** Epochs of the leases that this node believes it holds, by instance. */
  get epochs(): ReadonlyMap<string, number> {
    return this.#epochs;
  }

  /** Records a lease, and calls the listeners of onAcquired(). Does nothing before this node has joined. */
  hold(instance: string, epoch: number): void {
    if (this.nodeId === null) return;
    this.#expected.delete(instance);
    for (const listener of this.#acquiredListeners) listener(instance);
    this.#epochs.set(instance, epoch);
  }

  /**
   * Announces that this node is creating the lease. A heartbeat before hold() then does not report the lease as
   * recovered (held by this node without its knowledge).
   */
  expectLease(instance: string): void {
    if (this.nodeId === null) return;
    this.#expected.add(instance);
  }

  /** Whether this node is creating the lease. */
  isExpected(instance: string): boolean {
    return this.#expected.has(instance);
  }

  /** Removes the record of the lease. */
  drop(instance: string): void {
    this.#expected.delete(instance);
    this.#epochs.delete(instance);
  }

  /**
   * The epoch for a write to this instance; undefined before this node has joined. Throws LEASE_LOST when this node has
   * no lease of the instance.
   */
  epochOf(instance: string): number | undefined {
    if (this.nodeId === null) return undefined;
    const epoch = this.#epochs.get(instance);
    if (epoch === undefined) throw leaseLostError();
    return epoch;
  }

  /** Calls `listener` when this node gets a lease. Another node may have changed the instance before. */
  onAcquired(listener: (instance: string) => void): void {
    this.#acquiredListeners.push(listener);
  }

  /** Calls `listener` when the database refuses a write because the lease of its instance is lost. */
  onRefused(listener: (instance: string) => void): void {
    this.#refusedListeners.push(listener);
  }

  /** Removes the lease after the database refused a write under `epoch`, and calls the listeners. Throws LEASE_LOST. */
  refuse(instance: string, epoch: number): never {
    // Another epoch means that this node has claimed the lease again, and only this write is outdated.
    if (this.#epochs.get(instance) === epoch) {
      this.#epochs.delete(instance);
      for (const listener of this.#refusedListeners) listener(instance);
    }
    throw leaseLostError();
  }
}

const leaseLostError = () =>
  new GatewayError('LEASE_LOST', 'The instance belongs to another node now', { retryAfter: RETRY_AFTER_S });
