// Reads and writes Baileys' authentication state (credentials and Signal keys) of one WhatsApp session (the login of an
// instance) in storage.authKeys. A Signal session is the encryption state shared with one other device; it is one of
// the keys. Each set() is one transaction. A read or write that fails ends the socket before the socket sends anything
// else (patches/write-gate.ts).

import { GatewayError, hasCode } from '../../../errors.ts';
import { copyBytesIn } from '../../../lib/copy-bytes.ts';
import { atTurnEnd } from '../../../lib/event-loop-turn.ts';
import type { AuthKeys, KeyWrite } from '../../../storage/storage.ts';
import {
  type AuthenticationCreds,
  type AuthenticationState,
  initAuthCreds,
  type SignalDataSet,
  type SignalDataTypeMap,
} from '../library.ts';
import { decodeCreds, decodeKey, encodeCreds, encodeKey } from './codec.ts';
import { type CachedKeyType, DecodedKeys } from './decoded-keys.ts';
import { LateWrite, toWrite } from './key-writes.ts';
import { lidUserIn } from './lid-mappings.ts';
import { isSessionRecord, keepChanges, type SessionRecord } from './session-record.ts';

export interface AuthStateOptions {
  keys: AuthKeys;
  instanceId: string;
  /** Called when a read or write fails, before Baileys gets the error. Must make the socket unable to send. */
  onFailure: (error: unknown) => void;
  /** Called when a stored key cannot be decoded. The key is removed, and the Signal protocol replaces it. */
  onDamagedKey?: (error: unknown) => void;
  /** Called when Baileys stores phone numbers of LIDs (WhatsApp's ids of people, which hide the number). */
  onNumbersLearned?: (numberJidsByLid: ReadonlyMap<string, string>) => void;
}

export class AuthState {
  readonly creds: AuthenticationCreds;
  /** False when open() has created the credentials. */
  readonly hadStoredCreds: boolean;
  readonly #keys: AuthKeys;
  readonly #instanceId: string;
  readonly #onFailure: (error: unknown) => void;
  readonly #onDamagedKey: (error: unknown) => void;
  readonly #onNumbersLearned: NonNullable<AuthStateOptions['onNumbersLearned']>;
  /** Writes that the store has not committed yet, by `type|id`. Reads must see them. The value null removes a key. */
  readonly #uncommitted = new Map<string, { value: Uint8Array | null }>();
  readonly #decoded = new DecodedKeys();
  /** Signal sessions that putSession() has changed in this turn of the event loop, by id. */
  readonly #changedSessions = new Map<string, SessionRecord>();
  /** Number of calls of set() and putSession(). */
  #writeCount = 0;
  /** Resolves when the latest write is committed or has failed. */
  #lastWrite: Promise<void> = Promise.resolve();
  #hasFailed = false;
  /** Set by seal(). */
  #isSealed = false;
  /** Set by blockKeys(). */
  #areKeysBlocked = false;
  #hasUnsavedCreds = false;
  /** The write of credentials that is in progress. */
  #credsWrite: Promise<void> | undefined;

  private constructor(options: AuthStateOptions, creds: AuthenticationCreds, hadStoredCreds: boolean) {
    this.#keys = options.keys;
    this.#instanceId = options.instanceId;
    this.#onFailure = options.onFailure;
    this.#onDamagedKey = options.onDamagedKey ?? (() => undefined);
    this.#onNumbersLearned = options.onNumbersLearned ?? (() => undefined);
    this.creds = creds;
    this.hadStoredCreds = hadStoredCreds;
  }

  /**
   * Reads the credentials, or creates new ones when the instance has none. Rejects with STORAGE_UNREADABLE when they
   * cannot be read.
   */
  static async open(options: AuthStateOptions): Promise<AuthState> {
    const stored = await loadCreds(options.keys, options.instanceId);
    return new AuthState(options, copyBytesIn(stored ?? initAuthCreds()), stored !== null);
  }

  /** The value of Baileys' option `auth`. */
  get state(): AuthenticationState {
    return { creds: this.creds, keys: { get: (type, ids) => this.get(type, ids), set: (data) => this.set(data) } };
  }

  /** True when a phone has signed these credentials. */
  isPaired(): boolean {
    return Boolean(this.creds.account && this.creds.me);
  }

  /** Returns keys by id, including uncommitted writes. The result lacks keys that do not exist. */
  async get<T extends keyof SignalDataTypeMap>(
    type: T,
    ids: string[],
  ): Promise<{ [id: string]: SignalDataTypeMap[T] }> {
    this.#assertUsable();
    const found: { [id: string]: unknown } = {};
    const notInMemory: string[] = [];
    try {
      for (const id of ids) {
        const value = this.#peek(type, id);
        if (value === undefined) notInMemory.push(id);
        else if (value !== null) found[id] = value;
      }
      if (notInMemory.length > 0) {
        const writeCount = this.#writeCount;
        const stored = await this.#read(type, notInMemory);
        for (const id of notInMemory) {
          // A value that was written during the read replaces the result of the read.
          const newer = writeCount === this.#writeCount ? undefined : this.#peek(type, id);
          const value = newer === undefined ? stored.get(id) : newer;
          if (newer === undefined) this.#decoded.set(type, id, value);
          if (value !== null && value !== undefined) found[id] = value;
        }
      }
    } catch (cause) {
      // The socket must end. Baileys treats a Signal session whose read fails as a missing one, and would overwrite its
      // ratchet (the chain of keys).
      throw this.#fail(cause);
    }
    // The key type determines the type of the value, as Baileys' SignalDataTypeMap declares it.
    return found as { [id: string]: SignalDataTypeMap[T] };
  }

  /**
   * Returns a key without waiting. Null means that it does not exist, and undefined that get() must read it. The value
   * must not be changed. Throws Error when the WhatsApp session has ended.
   */
  peek(type: CachedKeyType, id: string): unknown {
    this.#assertUsable();
    return this.#peek(type, id);
  }

  /**
   * Writes the Signal session `id` at the end of the turn of the event loop. All Signal sessions of a turn are one
   * write, and a Signal session that changes several times is encoded once. The socket sends nothing before the write
   * is committed (patches/write-gate.ts). Throws Error when the WhatsApp session has ended.
   */
  putSession(id: string, record: SessionRecord): void {
    this.#assertUsable();
    this.#writeCount += 1;
    if (this.#changedSessions.size === 0) atTurnEnd(() => this.#writeChangedSessions());
    this.#changedSessions.set(id, record);
    this.#decoded.set('session', id, record);
  }

  /**
   * Writes the Signal session `id` after the decryption of a message, and the keys `others`, in one transaction. Unlike
   * set(), does not merge the changes of putSession() into `record`: `record` must be the successor of the record that
   * peek() returned in the same turn of the event loop. Throws Error when the WhatsApp session has ended.
   */
  putDecrypted(id: string, record: SessionRecord, others: readonly KeyWrite[]): void {
    this.#assertUsable();
    this.#writeCount += 1;
    this.#changedSessions.delete(id);
    this.#decoded.set('session', id, record);
    this.#write([new LateWrite('session', id, () => encodeKey('session', record)), ...others]);
  }

  /**
   * Writes all of `data` or nothing. The value null removes a key. For key types of the gateway itself, a value can be
   * a function that returns the bytes of the key. This function is called when the transaction begins. set() resolves
   * before the commit, so that Baileys can process the next message meanwhile. The socket sends nothing before
   * waitForWrites() resolves.
   */
  async set(data: SignalDataSet): Promise<void> {
    this.#assertUsable();
    this.#writeCount += 1;
    try {
      const writes: KeyWrite[] = [];
      for (const [type, values] of Object.entries(data)) {
        for (const [id, value] of Object.entries(values ?? {})) {
          if (type === 'session') this.#takeChanges(id, value);
          writes.push(toWrite(type, id, value));
          this.#decoded.set(type, id, value);
        }
      }
      if (writes.length > 0) this.#write(writes);
    } catch (cause) {
      throw this.#fail(cause);
    }
    const numberJidsByLid = numberJidsIn(data['lid-mapping']);
    if (numberJidsByLid.size > 0) this.#onNumbersLearned(numberJidsByLid);
  }

  /**
   * Returns all stored keys of a type that the gateway itself defines. Must be called before the first write, because
   * the result lacks uncommitted writes.
   */
  readAll(type: string): Promise<Map<string, Uint8Array>> {
    return this.#keys.readAll(this.#instanceId, type);
  }

  /** Returns the ids of all stored keys of a type. The result lacks uncommitted writes. */
  readStoredIds(type: string): Promise<string[]> {
    return this.#keys.ids(this.#instanceId, type);
  }

  /** Removes keys of a type that the gateway itself defines. Returns false and removes nothing after seal(). */
  remove(type: string, ids: readonly string[]): boolean {
    if (this.#isSealed) return false;
    if (ids.length > 0) this.#write(ids.map((id) => ({ type, id, value: null })));
    return true;
  }

  /** Resolves when all writes so far, also of credentials, are finished. The result is false when a write failed. */
  async waitForWrites(): Promise<boolean> {
    this.#writeChangedSessions();
    await this.#lastWrite;
    if (this.#credsWrite) await this.#credsWrite;
    return !this.#hasFailed;
  }

  /** Stores the current credentials. Several calls during a running write cause only one further write. */
  saveCreds(): void {
    if (this.#isSealed) return;
    this.#hasUnsavedCreds = true;
    this.#credsWrite ??= this.#writeCreds().finally(() => {
      this.#credsWrite = undefined;
      // True when saveCreds() was called after the loop in #writeCreds() had ended.
      if (this.#hasUnsavedCreds) this.saveCreds();
    });
  }

  /** Resolves when the credentials of all saveCreds() calls so far are stored, or when a write failed. */
  async waitForCreds(): Promise<void> {
    while (this.#credsWrite) await this.#credsWrite;
  }

  /** Ends all access to the store, so that a late write of this session cannot restore keys that a logout removed. */
  seal(): void {
    this.#isSealed = true;
    this.#hasUnsavedCreds = false;
  }

  /** Ends Baileys' access to keys, so that no ratchet advances. Credentials can still be saved. */
  blockKeys(): void {
    this.#areKeysBlocked = true;
  }

  /** Reads keys from the store. Removes keys that cannot be decoded. */
  async #read(type: string, ids: readonly string[]): Promise<Map<string, unknown>> {
    try {
      const rows = await this.#keys.get(this.#instanceId, type, ids);
      return new Map(Array.from(rows, ([id, bytes]) => [id, decode(type, bytes)]));
    } catch (cause) {
      if (!isUndecodable(cause)) throw cause;
      const [id = ''] = ids;
      if (ids.length === 1) return this.#removeDamaged({ type, id }, cause);
    }
    // One of several keys cannot be decoded: read the keys one by one.
    const found = new Map<string, unknown>();
    for (const id of ids) {
      const value = (await this.#read(type, [id])).get(id);
      if (value !== undefined) found.set(id, value);
    }
    return found;
  }

  /**
   * Removes a key that cannot be decoded. If another value of this key was written during the read, removes nothing and
   * returns that value, by id. The encryption key of the store is right, because the credentials could be read, so only
   * this key is damaged. The Signal protocol creates sessions and sender keys again, and requests keys of other types.
   */
  #removeDamaged({ type, id }: Pick<KeyWrite, 'type' | 'id'>, cause: unknown): Map<string, unknown> {
    const newer = this.#uncommitted.get(`${type}|${id}`);
    if (newer) return new Map(newer.value ? [[id, decodeKey(type, newer.value)]] : []);
    this.#write([{ type, id, value: null }]);
    this.#onDamagedKey(cause);
    return new Map();
  }

  #write(writes: KeyWrite[]): void {
    const entries = writes.map((write) => [`${write.type}|${write.id}`, write] as const);
    for (const [key, write] of entries) this.#uncommitted.set(key, write);
    // The store commits the writes of an instance in call order, so the promise of the latest write resolves last.
    this.#lastWrite = this.#keys.set(this.#instanceId, writes).then(
      () => {
        for (const [key, write] of entries) {
          if (this.#uncommitted.get(key) === write) this.#uncommitted.delete(key);
        }
      },
      (cause: unknown) => {
        this.#fail(cause);
      },
    );
  }

  /** Like peek(), for keys of all types, and also after the end of the WhatsApp session. */
  #peek(type: string, id: string): unknown {
    const value = this.#decoded.get(type, id);
    if (value !== undefined) return value;
    const changed = type === 'session' ? this.#changedSessions.get(id) : undefined;
    if (changed) return changed;
    const uncommitted = this.#uncommitted.get(`${type}|${id}`);
    if (!uncommitted) return undefined;
    return uncommitted.value && decodeKey(type, uncommitted.value);
  }

  /** Merges into `session`, which set() writes next, what putSession() has changed since Baileys read this session. */
  #takeChanges(id: string, session: unknown): void {
    const current = this.#peek('session', id);
    this.#changedSessions.delete(id);
    if (isSessionRecord(current) && isSessionRecord(session)) keepChanges(current, session);
  }

  #writeChangedSessions(): void {
    if (this.#changedSessions.size === 0) return;
    if (this.#isSealed) {
      // The sessions cannot be written, so the socket must not send what they encrypted.
      this.#changedSessions.clear();
      this.#hasFailed = true;
      return;
    }
    try {
      const writes = Array.from(this.#changedSessions, ([id, record]) => ({
        type: 'session',
        id,
        value: encodeKey('session', record),
      }));
      this.#changedSessions.clear();
      this.#write(writes);
    } catch (cause) {
      this.#changedSessions.clear();
      this.#fail(cause);
    }
  }

  async #writeCreds(): Promise<void> {
    while (this.#hasUnsavedCreds) {
      this.#hasUnsavedCreds = false;
      try {
        await this.#keys.setCreds(this.#instanceId, encodeCreds(this.creds));
      } catch (cause) {
        this.#fail(cause);
        return;
      }
    }
  }

  #assertUsable(): void {
    if (this.#isSealed || this.#areKeysBlocked) throw new Error('the session has ended, and its keys are sealed');
  }

  /**
   * Ends the socket and returns `cause`, which the caller can then throw to Baileys. The socket must end first: Baileys
   * answers the error with a nack (a refusal of the message), and WhatsApp would then drop the message.
   */
  #fail(cause: unknown): unknown {
    this.#hasFailed = true;
    this.seal();
    this.#onFailure(cause);
    return cause;
  }
}

/** Reads the credentials; null when the instance has none. Throws STORAGE_UNREADABLE when they cannot be decoded. */
async function loadCreds(keys: AuthKeys, instanceId: string): Promise<AuthenticationCreds | null> {
  const bytes = await keys.creds(instanceId);
  if (!bytes) return null;
  let creds: AuthenticationCreds;
  try {
    creds = decodeCreds(bytes);
  } catch (cause) {
    throw new GatewayError('STORAGE_UNREADABLE', 'The credentials of this instance cannot be read.', { cause });
  }
  // requestPairingCode() sets `me` before the user enters the code. With `me`, the next connection would try to log in,
  // and WhatsApp would refuse the login with the code 401.
  if (!creds.account) {
    delete creds.me;
    creds.pairingCode = undefined;
  }
  return creds;
}

/** Returns the phone-number JIDs that a write contains, by LID. */
function numberJidsIn(mappings: SignalDataSet['lid-mapping']): Map<string, string> {
  const pairs = Object.entries(mappings ?? {}).flatMap(([id, number]) => {
    const lidUser = lidUserIn(id);
    return number && lidUser !== undefined ? [[`${lidUser}@lid`, `${number}@s.whatsapp.net`] as const] : [];
  });
  return new Map(pairs);
}

/** True for the error of a key that is stored but cannot be decoded. */
const isUndecodable = (cause: unknown): boolean => hasCode(cause, 'STORAGE_UNREADABLE');

function decode(type: string, bytes: Uint8Array): unknown {
  try {
    return decodeKey(type, bytes);
  } catch (cause) {
    throw new GatewayError('STORAGE_UNREADABLE', 'Internal Server Error', { cause });
  }
}
