// Encrypts messages to devices with the stored Signal sessions of an account. No `await` separates the read of a
// session, the encryption and the change of the session in memory, so that two messages never use the same key.
import { jidDecode } from '../library.ts';
import type { AuthState } from './auth-state.ts';
import { identityKeyOf } from './identity-key.ts';
import { type EncryptedMessage, encryptWithSession } from './session-encryption.ts';
import { isSessionRecord, type SessionRecord, sendingSessionIn, withNewSession } from './session-record.ts';

/** The number that a Signal address contains for the server of a JID. */
const DOMAINS: Readonly<Record<string, number>> = { 's.whatsapp.net': 0, lid: 1, hosted: 128, 'hosted.lid': 129 };
/**
 * Like DOMAINS, for a Signal address in which the LID of the person (id that hides the phone number) replaces the phone
 * number of the JID. For a JID that is a LID, both tables have the same number.
 */
const LID_DOMAINS: Readonly<Record<string, number>> = { 's.whatsapp.net': 1, lid: 1, hosted: 129, 'hosted.lid': 129 };
/** True for the server of a phone-number JID. */
const isNumberServer = (server: string): boolean => DOMAINS[server] !== LID_DOMAINS[server];
/** Device number of a business account that Meta hosts. It occurs only on hosted servers. */
const HOSTED_DEVICE = 99;
/** The lowest number in DOMAINS of a hosted server. */
const FIRST_HOSTED_DOMAIN = 128;

type EncryptedContent = Pick<EncryptedMessage, 'type' | 'ciphertext'>;

export class DeviceSessions {
  readonly #auth: Pick<AuthState, 'creds' | 'get' | 'peek' | 'putSession'>;

  constructor(auth: Pick<AuthState, 'creds' | 'get' | 'peek' | 'putSession'>) {
    this.#auth = auth;
  }

  /**
   * Returns the Signal address of a device: the address with the LID if the LID is known. Undefined when readAddress()
   * or load() must read the LID from the store first, or when `jid` has no Signal address.
   */
  addressOf(jid: string): string | undefined {
    return toAddress(jid, (user) => this.#auth.peek('lid-mapping', user));
  }

  /**
   * Like addressOf(), but reads the LID from the store when it is not in memory. Rejects when the WhatsApp session has
   * ended.
   */
  async readAddress(jid: string): Promise<string | undefined> {
    return this.addressOf(jid) ?? toAddress(jid, await this.#readLids([jid]));
  }

  /**
   * True when encrypt() can encrypt for a device. False when its session is stored but not in memory: call load()
   * first.
   */
  isReady(jid: string): boolean {
    return hasOpenSession(this.#recordOf(this.addressOf(jid)));
  }

  /**
   * Reads the LIDs and Signal sessions of devices from the store into memory. Calls `findLid` for each JID whose LID is
   * not stored, to query this LID. Returns the devices that have no open session. The sessions of the other devices can
   * be evicted from memory meanwhile: isReady() is then false for them. Rejects when the WhatsApp session has ended.
   */
  async load(jids: readonly string[], findLid: (jid: string) => Promise<unknown>): Promise<string[]> {
    const readLidOf = await this.#readLids(jids);
    for (const jid of jids) {
      const { user = '', server = '' } = jidDecode(jid) ?? {};
      if (isNumberServer(server) && !readLidOf(user)) await findLid(jid);
    }
    // addressOf() finds the LIDs that findLid() has stored. LIDs that were read before can be evicted from memory.
    const addresses = new Map(jids.map((jid) => [jid, this.addressOf(jid) ?? toAddress(jid, readLidOf)]));
    const records = await this.#auth.get(
      'session',
      [...addresses.values()].filter((address) => address !== undefined),
    );
    return jids.filter((jid) => !hasOpenSession(records[addresses.get(jid) ?? '']));
  }

  /** Encrypts a message to a device. Returns undefined when isReady() is false. */
  encrypt(jid: string, plaintext: Uint8Array): EncryptedContent | undefined {
    const address = this.addressOf(jid);
    const current = this.#recordOf(address);
    return address === undefined || !current ? undefined : this.#encrypt(address, current, plaintext);
  }

  /**
   * Encrypts a message to the device at `address` with the open session in the store. `visible` is the record that the
   * current key transaction of Baileys sees. Returns undefined when the open session of `visible` is not the one in the
   * store: `visible` can contain a new session that is not stored yet.
   */
  async encryptIfStored(
    address: string,
    visible: unknown,
    plaintext: Uint8Array,
  ): Promise<EncryptedContent | undefined> {
    const stored = this.#recordOf(address) ?? (await this.#auth.get('session', [address]))[address];
    // Another task can have changed the record in memory during the read, so the record in memory has priority.
    const current = this.#recordOf(address) ?? stored;
    if (!isSessionRecord(current) || !isSessionRecord(visible)) return undefined;
    const open = sendingSessionIn(current);
    if (!open || sendingSessionIn(visible)?.baseKey !== open.baseKey) return undefined;
    return this.#encrypt(address, current, plaintext);
  }

  /** Stores the session in `record` as the open session of the address, and closes the session that was open before. */
  async add(address: string, record: SessionRecord): Promise<void> {
    const stored = await this.#auth.get('session', [address]);
    // Another task can have changed the record in memory during the read, so the record in memory has priority.
    const current = this.#recordOf(address) ?? stored[address];
    this.#auth.putSession(address, withNewSession(isSessionRecord(current) ? current : undefined, record));
  }

  /**
   * Reads the LIDs of those devices whose JID contains a phone number. Returns a function that maps the number to the
   * LID, or to null when no LID is stored.
   */
  async #readLids(jids: readonly string[]): Promise<(user: string) => string | null> {
    const users = new Set<string>();
    for (const jid of jids) {
      const { user, server = '' } = jidDecode(jid) ?? {};
      if (user && isNumberServer(server)) users.add(user);
    }
    const lids = await this.#auth.get('lid-mapping', [...users]);
    return (user) => lids[user] ?? null;
  }

  /** Returns undefined when `current` has no open session. */
  #encrypt(address: string, current: SessionRecord, plaintext: Uint8Array): EncryptedContent | undefined {
    const { creds } = this.#auth;
    const own = { identityKey: identityKeyOf(creds), registrationId: creds.registrationId };
    const encrypted = encryptWithSession(current, plaintext, own);
    if (!encrypted) return undefined;
    const { type, ciphertext, record } = encrypted;
    this.#auth.putSession(address, record);
    return { type, ciphertext };
  }

  #recordOf(address: string | undefined): SessionRecord | undefined {
    const record = address === undefined ? undefined : this.#auth.peek('session', address);
    return isSessionRecord(record) ? record : undefined;
  }
}

/** True for a record with a session that can encrypt. */
const hasOpenSession = (record: unknown): boolean => isSessionRecord(record) && sendingSessionIn(record) !== undefined;

/**
 * Returns the Signal address of a device. Returns undefined when the LID must be read first, or when `jid` has no
 * Signal address. `lidOf` returns the LID for the user part of a JID, null when the person has no known LID, and
 * undefined when the LID must be read first.
 */
function toAddress(jid: string, lidOf: (user: string) => unknown): string | undefined {
  const { user, server = '', device = 0 } = jidDecode(jid) ?? {};
  const domain = DOMAINS[server];
  const lidDomain = LID_DOMAINS[server];
  if (!user || domain === undefined || (device === HOSTED_DEVICE && domain < FIRST_HOSTED_DOMAIN)) return undefined;
  if (domain === lidDomain) return `${user}_${domain}.${device}`;
  const lid = lidOf(user);
  if (lid === undefined) return undefined;
  if (typeof lid === 'string') return `${lid}_${lidDomain}.${device}`;
  return `${domain === 0 ? user : `${user}_${domain}`}.${device}`;
}
