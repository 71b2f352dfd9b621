// The leases (fencing tokens) under which this node writes. A write with an outdated lease is refused here or by the database, so
// correctness does not depend on timers.
import { GatewayError } from '../errors.ts';

/** Seconds after which a caller may retry; the instance has a new owner by then. */
const RETRY_AFTER = 1;

export class LeaseFence {
  /** Id of this node; null before it joined the cluster. Writes are fenced only after that. */
  nodeId: string | null = null;
  readonly #epochs = new Map<string, number>();
  readonly #expected = new Set<string>();
  readonly #listeners: ((instance: string) => void)[] = [];

  /** Epochs of the leases that this node believes to hold, by instance. */
  get epochs(): ReadonlyMap<string, number> {
    return this.#epochs;
  }

  /** Records a lease. Does nothing before this node joined. */
  hold(instance: string, epoch: number): void {
    if (this.nodeId === null) return;
    this.#expected.delete(instance);
    this.#epochs.set(instance, epoch);
  }

  /** Announces that a claim or a loss of this lease is under way, so that a refused write is not reported as a surprise. */
  expectChange(instance: string): void {
    if (this.nodeId === null) return;
    this.#expected.add(instance);
  }

  isChangeExpected(instance: string): boolean {
    return this.#expected.has(instance);
  }

  drop(instance: string): void {
    this.#expected.delete(instance);
    this.#epochs.delete(instance);
  }

  /** The epoch for a write of this instance; undefined when writes are not fenced. Throws LEASE_LOST for an instance of another node. */
  epochOf(instance: string): number | undefined {
    if (this.nodeId === null) return undefined;
    const epoch = this.#epochs.get(instance);
    if (epoch === undefined) throw lost();
    return epoch;
  }

  onRefused(listener: (instance: string) => void): void {
    this.#listeners.push(listener);
  }

  /** Drops the lease after the database refused a write with `epoch`. Throws LEASE_LOST. */
  refuse(instance: string, epoch: number): never {
    // When the lease was claimed again meanwhile, only this write is outdated.
    if (this.#epochs.get(instance) === epoch) {
      this.#epochs.delete(instance);
      for (const listener of this.#listeners) listener(instance);
    }
    throw lost();
  }
}

const lost = () =>
  new GatewayError('LEASE_LOST', 'The instance belongs to another node now', { retryAfter: RETRY_AFTER });
