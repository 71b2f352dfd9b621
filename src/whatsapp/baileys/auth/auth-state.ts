// Baileys' AuthenticationState over storage.authKeys, for one socket generation. One keys.set() is one transaction; absent and
// unreadable are different but for sessions; a read or write that fails ends the socket before anything leaves it (outlet.ts). Refuses writers once sealed.
import {
  type AuthenticationCreds,
  type AuthenticationState,
  initAuthCreds,
  type SignalDataSet,
  type SignalDataTypeMap,
} from '@whiskeysockets/baileys';
import { GatewayError } from '../../../errors.ts';
import type { AuthKeys, KeyWrite } from '../../../storage/storage.ts';
import { decodeCreds, decodeKey, encodeCreds, encodeKey } from './codec.ts';

export interface AuthStateOptions {
  keys: AuthKeys;
  instanceId: string;
  /** Called before a failed read or write is reported to Baileys; must make the socket unable to send. */
  onFailure: (error: unknown) => void;
  /** The session with a device could not be read, and is given up. */
  onDamaged?: (error: unknown) => void;
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

/** Whether a value is there and cannot be read, now or ever. */
const isDamage = (cause: unknown): boolean => cause instanceof GatewayError && cause.code === 'STORAGE_UNREADABLE';

function decode(type: string, bytes: Uint8Array): unknown {
  try {
    return decodeKey(type, bytes);
  } catch (cause) {
    throw new GatewayError('STORAGE_UNREADABLE', 'Internal Server Error', { cause });
  }
}

/** Sessions kept as objects per socket: what libsignal gets it copies, so nobody changes them. */
const sessionsMax = 128;

export class AuthState {
  /** What the store does not have yet, as it will be there; null removes. The store must not be asked for these. */
  readonly #unstored = new Map<string, { value: Uint8Array | null }>();
  /** Recently used sessions, least recently written first. */
  readonly #sessions = new Map<string, unknown>();
  #storing: Promise<void> = Promise.resolve();
  #failed = false;
  readonly #keys: AuthKeys;
  readonly #instanceId: string;
  readonly #onFailure: (error: unknown) => void;
  readonly #onDamaged: (error: unknown) => void;
  readonly creds: AuthenticationCreds;
  #sealed = false;
  #refusing = false;
  #unsaved = false;
  #saving: Promise<void> | undefined;

  private constructor(options: AuthStateOptions, creds: AuthenticationCreds) {
    this.#keys = options.keys;
    this.#instanceId = options.instanceId;
    this.#onFailure = options.onFailure;
    this.#onDamaged = options.onDamaged ?? (() => undefined);
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

  /** Values by id, the latest set() included; absent ids are missing. */
  async get<T extends keyof SignalDataTypeMap>(
    type: T,
    ids: string[],
  ): Promise<{ [id: string]: SignalDataTypeMap[T] }> {
    this.#refuseWhenSealed();
    const found: { [id: string]: unknown } = {};
    const unknown: string[] = [];
    try {
      for (const id of ids) {
        const session = type === 'session' ? this.#sessions.get(id) : undefined;
        const unstored = session ? undefined : this.#unstored.get(`${type}|${id}`);
        if (session) found[id] = session;
        else if (unstored?.value) found[id] = decodeKey(type, unstored.value);
        else if (!unstored) unknown.push(id);
      }
      for (const [id, value] of unknown.length > 0 ? await this.#read(type, unknown) : []) {
        found[id] = value;
        if (type === 'session') this.#keep(id, value);
      }
    } catch (cause) {
      // Baileys takes a failing session read for "no session" and would overwrite the ratchet.
      throw this.#fail(cause);
    }
    // The decoded type follows from the key type; the map that says so is Baileys'.
    return found as { [id: string]: SignalDataTypeMap[T] };
  }

  /**
   * Writes all of `data` or nothing; a null removes. Resolves before it is stored: the next message need not wait for the commit
   * of this one, because nothing leaves the socket before stored().
   */
  async set(data: SignalDataSet): Promise<void> {
    this.#refuseWhenSealed();
    try {
      const writes: KeyWrite[] = [];
      for (const [type, values] of Object.entries(data)) {
        for (const [id, value] of Object.entries(values ?? {})) {
          const isRemoval = value === null || value === undefined;
          writes.push({ type, id, value: isRemoval ? null : encodeKey(type, value) });
          if (type === 'session') this.#keep(id, value);
        }
      }
      if (writes.length > 0) this.#store(writes);
    } catch (cause) {
      throw this.#fail(cause);
    }
  }

  /** Every stored key of a type that is ours and not Baileys'; for the start of a session. */
  all(type: string): Promise<Map<string, Uint8Array>> {
    return this.#keys.all(this.#instanceId, type);
  }

  /** Removes keys of a type that is ours, in the order of the other writes. Returns false, and does nothing, once the session is over. */
  remove(type: string, ids: readonly string[]): boolean {
    if (this.#sealed) return false;
    if (ids.length > 0) this.#store(ids.map((id) => ({ type, id, value: null })));
    return true;
  }

  /** What the store has of these, without those that are damaged. */
  async #read(type: string, ids: readonly string[]): Promise<Map<string, unknown>> {
    try {
      return await this.#ask(type, ids);
    } catch (cause) {
      if (!isDamage(cause)) throw cause;
      const [id = ''] = ids;
      if (ids.length === 1) return this.#giveUp({ type, id }, cause);
    }
    const found = new Map<string, unknown>();
    for (const id of ids) for (const [, value] of await this.#read(type, [id])) found.set(id, value);
    return found;
  }

  async #ask(type: string, ids: readonly string[]): Promise<Map<string, unknown>> {
    const rows = await this.#keys.get(this.#instanceId, type, ids);
    return new Map(Array.from(rows, ([id, bytes]) => [id, decode(type, bytes)]));
  }

  /**
   * The credentials could be read, so the key of the store is right and nothing but this key is lost. Sessions and sender keys are made
   * anew by both sides, the rest is asked for again; a read that fails would end every connection at the next message that needs it.
   * Returns what was set meanwhile.
   */
  #giveUp({ type, id }: Pick<KeyWrite, 'type' | 'id'>, cause: unknown): Map<string, unknown> {
    const newer = this.#unstored.get(`${type}|${id}`);
    if (newer) return new Map(newer.value ? [[id, decodeKey(type, newer.value)]] : []);
    this.#store([{ type, id, value: null }]);
    this.#onDamaged(cause);
    return new Map();
  }

  /** Settles when every set() so far is stored, with true, or has ended the socket. */
  async stored(): Promise<boolean> {
    await this.#storing;
    return !this.#failed;
  }

  #store(writes: KeyWrite[]): void {
    const entries = writes.map((one) => [`${one.type}|${one.id}`, one] as const);
    for (const [key, one] of entries) this.#unstored.set(key, one);
    // Writes of one instance are stored in the order of calls, so the last one to end is the last one asked for.
    this.#storing = this.#keys.set(this.#instanceId, writes).then(
      () => {
        for (const [key, one] of entries) if (this.#unstored.get(key) === one) this.#unstored.delete(key);
      },
      (cause: unknown) => void this.#fail(cause),
    );
  }

  #keep(id: string, session: unknown): void {
    this.#sessions.delete(id);
    if (session) this.#sessions.set(id, session);
    const [oldest] = this.#sessions.size > sessionsMax ? this.#sessions.keys() : [];
    if (oldest !== undefined) this.#sessions.delete(oldest);
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

  /** From now on Baileys gets no key and moves no ratchet on; credentials are still saved. */
  refuse(): void {
    this.#refusing = true;
  }

  #refuseWhenSealed(): void {
    if (this.#sealed || this.#refusing) throw new Error('this session is over; its keys are sealed');
  }

  /** Ends the socket first: Baileys would answer the error with a nack, and the platform would drop the message. */
  #fail(cause: unknown): unknown {
    this.#failed = true;
    this.seal();
    this.#onFailure(cause);
    return cause;
  }
}
