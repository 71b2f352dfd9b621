// Finds the instances of this process by name, id and instance key.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Instance } from './instance.ts';

export class InstanceRegistry {
  readonly #byName = new Map<string, Instance>();
  readonly #byId = new Map<string, Instance>();
  /** By SHA-256 of the instance key, hex. */
  readonly #byDigest = new Map<string, { digest: Buffer; instance: Instance }>();

  get(name: string): Instance | undefined {
    return this.#byName.get(name);
  }

  byId(id: string): Instance | undefined {
    return this.#byId.get(id);
  }

  /** The instance with this instance key. */
  byKey(key: string): Instance | undefined {
    const digest = digestOf(key);
    const entry = this.#byDigest.get(digest.toString('hex'));
    return entry && timingSafeEqual(entry.digest, digest) ? entry.instance : undefined;
  }

  /** Whether an instance has the key with this SHA-256 (hex). */
  hasDigest(digest: string): boolean {
    return this.#byDigest.has(digest);
  }

  /** All instances, oldest first. */
  list(): Instance[] {
    return [...this.#byName.values()];
  }

  add(instance: Instance): void {
    const { token } = instance.row;
    const digest = digestOf(token);
    this.#byName.set(instance.name, instance);
    this.#byId.set(instance.id, instance);
    // The token (the instance key) is empty when it cannot be decrypted. Requests then need API_KEY or an access key.
    if (token !== '') this.#byDigest.set(digest.toString('hex'), { digest, instance });
  }

  /** Removes the instance. Keeps entries that meanwhile belong to another instance. */
  remove(instance: Instance): void {
    if (this.#byName.get(instance.name) === instance) this.#byName.delete(instance.name);
    if (this.#byId.get(instance.id) === instance) this.#byId.delete(instance.id);
    const digest = digestOf(instance.row.token).toString('hex');
    if (this.#byDigest.get(digest)?.instance === instance) this.#byDigest.delete(digest);
  }

  /**
   * Makes `get` and `list` skip the instance, so that it gets no new requests before it is removed. `byId` and `byKey`
   * still find it.
   */
  hide(id: string): void {
    const name = this.#byId.get(id)?.name;
    if (name !== undefined) this.#byName.delete(name);
  }
}

/** SHA-256 of an instance key. */
export function digestOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
