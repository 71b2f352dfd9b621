// Under which leases this process writes. A write that is refused here or by the database belongs to somebody else now, whatever
// this process believed: what is right does not depend on a timer.
import { GatewayError } from '../errors.ts';

/** Until a caller may find the instance elsewhere, s. */
const RETRY_AFTER = 1;

export class LeaseFence {
  /** This process among the others; null until it joined them, and then nothing is fenced. */
  node: string | null = null;
  readonly #epochs = new Map<string, number>();
  readonly #expected = new Set<string>();
  readonly #listeners: ((instance: string) => void)[] = [];

  /** Instances whose lease this process believes to hold. */
  get held(): ReadonlyMap<string, number> {
    return this.#epochs;
  }

  /** Nothing before this process joined: then it has the database to itself. */
  hold(instance: string, epoch: number): void {
    if (this.node === null) return;
    this.#expected.delete(instance);
    this.#epochs.set(instance, epoch);
  }

  /** A lease that this process is about to hold or not: nobody need wonder who does. */
  expect(instance: string): void {
    if (this.node === null) return;
    this.#expected.add(instance);
  }

  isExpected(instance: string): boolean {
    return this.#expected.has(instance);
  }

  drop(instance: string): void {
    this.#expected.delete(instance);
    this.#epochs.delete(instance);
  }

  /** The epoch that a write for this instance has to carry; undefined when nothing is fenced. Throws LEASE_LOST for an instance of others. */
  epochOf(instance: string): number | undefined {
    if (this.node === null) return undefined;
    const epoch = this.#epochs.get(instance);
    if (epoch === undefined) throw lost();
    return epoch;
  }

  onRefused(listener: (instance: string) => void): void {
    this.#listeners.push(listener);
  }

  /** The database knows a later epoch. Throws LEASE_LOST. */
  refuse(instance: string, epoch: number): never {
    // Claimed anew meanwhile: then only that one write is late.
    if (this.#epochs.get(instance) === epoch) {
      this.#epochs.delete(instance);
      for (const listener of this.#listeners) listener(instance);
    }
    throw lost();
  }
}

const lost = () =>
  new GatewayError('LEASE_LOST', 'The instance belongs to another node now', { retryAfter: RETRY_AFTER });
