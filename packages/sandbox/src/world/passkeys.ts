// The accounts that require a passkey to link a device, and their passkeys.
import type { KeyObject } from 'node:crypto';

/** A registered passkey, as the server knows it. */
export interface Passkey {
  /** Credential id, base64url without padding. */
  readonly id: string;
  /** Public key on the curve P-256 (ES256). */
  readonly publicKey: KeyObject;
  /** The counter in the last assertion (signature with the passkey); 0 for authenticators that do not count. */
  signCount: number;
}

export class Passkeys {
  readonly #byNumber = new Map<string, Map<string, Passkey>>();

  /** Makes the number link devices only with one of these passkeys. With an empty list, it links no device. */
  require(number: string, passkeys: readonly Pick<Passkey, 'id' | 'publicKey'>[]): void {
    const entries = passkeys.map(({ id, publicKey }) => [id, { id, publicKey, signCount: 0 }] as const);
    this.#byNumber.set(number, new Map(entries));
  }

  /** Makes the number link devices without a passkey. */
  clear(number: string): void {
    this.#byNumber.delete(number);
  }

  /** The passkeys by credential id; undefined for a number that needs none. */
  get(number: string): ReadonlyMap<string, Passkey> | undefined {
    return this.#byNumber.get(number);
  }
}
