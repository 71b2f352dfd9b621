// Finds the instances of this process by name, id and instance key.
import { hash } from 'node:crypto';
import type { Instance } from './instance.ts';

export class InstanceRegistry {
  readonly #byName = new Map<string, Instance>();
  readonly #byId = new Map<string, Instance>();
  /** By digest of the instance key, so that the duration of a lookup reveals nothing about the keys. */
  readonly #byDigest = new Map<string, Instance>();

  get(name: string): Instance | undefined {
    return this.#byName.get(name);
  }

  byId(id: string): Instance | undefined {
    return this.#byId.get(id);
  }

  /** The instance with this instance key. */
  byKey(key: string): Instance | undefined {
    return this.#byDigest.get(digestOf(key));
  }

  /** Whether an instance has the key with this digest. */
  hasDigest(digest: string): boolean {
    return this.#byDigest.has(digest);
  }

  /** All instances, oldest first. */
  list(): Instance[] {
    return [...this.#byName.values()];
  }

  add(instance: Instance): void {
    const { token } = instance.row;
    // Throws for a damaged row, before anything is added.
    const digest = digestOf(token);
    this.#byName.set(instance.name, instance);
    this.#byId.set(instance.id, instance);
    // The token (the instance key) is empty when it cannot be decrypted. Requests then need API_KEY or an access key.
    if (token !== '') this.#byDigest.set(digest, instance);
  }

  /** Removes the instance. Keeps entries that meanwhile belong to another instance. */
  remove(instance: Instance): void {
    if (this.#byName.get(instance.name) === instance) this.#byName.delete(instance.name);
    if (this.#byId.get(instance.id) === instance) this.#byId.delete(instance.id);
    const digest = digestOf(instance.row.token);
    if (this.#byDigest.get(digest) === instance) this.#byDigest.delete(digest);
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

/** SHA-256 of an instance key, hex. */
export const digestOf = (key: string): string => hash('sha256', key);
