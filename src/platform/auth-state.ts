// Baileys' AuthenticationState over storage.authKeys, for one socket generation. One keys.set() is one transaction; absent and
// unreadable are different; a read or write that fails ends the socket before Baileys can act on it. Refuses writers once sealed.
import {
  type AuthenticationCreds,
  type AuthenticationState,
  initAuthCreds,
  type SignalDataSet,
  type SignalDataTypeMap,
} from '@whiskeysockets/baileys';
import { GatewayError } from '../errors.ts';
import type { AuthKeys, KeyWrite } from '../storage/storage.ts';
import { decodeCreds, decodeKey, encodeCreds, encodeKey } from './auth-codec.ts';

export interface AuthStateOptions {
  keys: AuthKeys;
  instanceId: string;
  /** Called before a failed read or write is reported to Baileys; must make the socket unable to send. */
  onFailure: (error: unknown) => void;
}

/** Credentials of the instance, or null when it has none. Throws STORAGE_UNREADABLE when they cannot be read. */
async function loadCreds(keys: AuthKeys, instanceId: string): Promise<AuthenticationCreds | null> {
  const bytes = await keys.creds(instanceId);
  if (!bytes) return null;
  let creds: AuthenticationCreds;
  try {
    creds = decodeCreds(bytes);
  } catch (cause) {
    throw new GatewayError('STORAGE_UNREADABLE', 'the credentials of this instance cannot be read', { cause });
  }
  // requestPairingCode writes `me` before anybody has typed the code; with it the next connect would log in and be refused (401).
  if (!creds.account) {
    delete creds.me;
    creds.pairingCode = undefined;
  }
  return creds;
}

export class AuthState {
  readonly #keys: AuthKeys;
  readonly #instanceId: string;
  readonly #onFailure: (error: unknown) => void;
  readonly creds: AuthenticationCreds;
  #sealed = false;
  #unsaved = false;
  #saving: Promise<void> | undefined;

  private constructor(options: AuthStateOptions, creds: AuthenticationCreds) {
    this.#keys = options.keys;
    this.#instanceId = options.instanceId;
    this.#onFailure = options.onFailure;
    this.creds = creds;
  }

  /** Reads the credentials; makes new ones only when there are none. Rejects with STORAGE_UNREADABLE when they cannot be read. */
  static async open(options: AuthStateOptions): Promise<AuthState> {
    return new AuthState(options, (await loadCreds(options.keys, options.instanceId)) ?? initAuthCreds());
  }

  /** What makeWASocket wants. */
  get state(): AuthenticationState {
    return { creds: this.creds, keys: { get: (type, ids) => this.get(type, ids), set: (data) => this.set(data) } };
  }

  /** True when a phone has signed these credentials. */
  isPaired(): boolean {
    return Boolean(this.creds.account && this.creds.me);
  }

  /** Values by id; absent ids are missing. The store keeps what is hot in memory, as bytes: Baileys may change what it gets. */
  async get<T extends keyof SignalDataTypeMap>(
    type: T,
    ids: string[],
  ): Promise<{ [id: string]: SignalDataTypeMap[T] }> {
    this.#refuseWhenSealed();
    try {
      const found: { [id: string]: SignalDataTypeMap[T] } = {};
      for (const [id, bytes] of await this.#keys.get(this.#instanceId, type, ids)) {
        // The decoded type follows from the key type; the map that says so is Baileys'.
        found[id] = decodeKey(type, bytes) as SignalDataTypeMap[T];
      }
      return found;
    } catch (cause) {
      // Baileys takes a failing session read for "no session" and would overwrite the ratchet.
      throw this.#fail(cause);
    }
  }

  /** Writes all of `data` or nothing; a null removes. */
  async set(data: SignalDataSet): Promise<void> {
    this.#refuseWhenSealed();
    try {
      const writes: KeyWrite[] = [];
      for (const [type, values] of Object.entries(data)) {
        for (const [id, value] of Object.entries(values ?? {})) {
          writes.push({ type, id, value: value === null || value === undefined ? null : encodeKey(type, value) });
        }
      }
      if (writes.length > 0) await this.#keys.set(this.#instanceId, writes);
    } catch (cause) {
      throw this.#fail(cause);
    }
  }

  /** Stores the credentials as they are when their turn comes; several calls in a row cost one write. */
  save(): void {
    if (this.#sealed) return;
    this.#unsaved = true;
    this.#saving ??= this.#saveAll().finally(() => {
      this.#saving = undefined;
      // A save() between the last look and here found a writer that had already gone home.
      if (this.#unsaved) this.save();
    });
  }

  async #saveAll(): Promise<void> {
    while (this.#unsaved) {
      this.#unsaved = false;
      try {
        await this.#keys.setCreds(this.#instanceId, encodeCreds(this.creds));
      } catch (cause) {
        this.#fail(cause);
        return;
      }
    }
  }

  /** Resolves when every save() so far is stored, or has ended the socket. */
  async saved(): Promise<void> {
    while (this.#saving) await this.#saving;
  }

  /** From now on nothing of this generation reaches the store: a late writer must not bring back what logout wiped. */
  seal(): void {
    this.#sealed = true;
    this.#unsaved = false;
  }

  #refuseWhenSealed(): void {
    if (this.#sealed) throw new Error('this session is over; its keys are sealed');
  }

  /** Ends the socket first: Baileys would answer the error with a nack, and the platform would drop the message. */
  #fail(cause: unknown): unknown {
    this.seal();
    this.#onFailure(cause);
    return cause;
  }
}
