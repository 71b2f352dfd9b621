// A device with real Signal keys, without a socket: Baileys itself creates and uses the keys.
import {
  type AuthenticationCreds,
  addTransactionCapability,
  BufferJSON,
  DEFAULT_CONNECTION_CONFIG as CONFIG_7,
  Curve,
  initAuthCreds,
  type SignalDataSet,
  type SignalDataTypeMap,
  type SignalRepositoryWithLIDStore,
} from '@whiskeysockets/baileys';
import { BufferJSON as BUFFER_JSON_6, DEFAULT_CONNECTION_CONFIG as CONFIG_6 } from 'baileys-6';
import pino from 'pino';
import { provisionCompanion } from '../../packages/sandbox/src/world/adv.ts';
import { Faults } from '../../packages/sandbox/src/world/faults.ts';
import type { Account } from '../../packages/sandbox/src/world/model.ts';
import { createWorld } from '../../packages/sandbox/src/world/world.ts';
import type { BaileysKey } from '../../src/session-bundle/baileys.ts';

const logger = pino({ level: 'silent' });
const world = createWorld({ faults: new Faults() });
let nextNumber = 4_915_550_001_001;

type Repository = Pick<
  SignalRepositoryWithLIDStore,
  | 'encryptMessage'
  | 'decryptMessage'
  | 'encryptGroupMessage'
  | 'decryptGroupMessage'
  | 'processSenderKeyDistributionMessage'
  | 'injectE2ESession'
>;

export class Party {
  readonly creds: AuthenticationCreds;
  readonly repository: Repository;
  readonly #stored: Map<string, BaileysKey>;
  /** JID with the device. */
  readonly jid: string;

  /** `version` is the major version of Baileys. */
  constructor(creds: AuthenticationCreds, keys: Iterable<BaileysKey> = [], version: 6 | 7 = 7) {
    this.creds = creds;
    this.jid = creds.me?.id ?? '';
    this.#stored = new Map(Array.from(keys, (key) => [`${key.type}|${key.id}`, key]));
    const store = {
      get: async <T extends keyof SignalDataTypeMap>(type: T, ids: string[]) => {
        const found: { [id: string]: SignalDataTypeMap[T] } = {};
        for (const id of ids) {
          const value = this.#stored.get(`${type}|${id}`)?.value;
          if (value !== undefined && value !== null) found[id] = value as SignalDataTypeMap[T];
        }
        return found;
      },
      set: async (data: SignalDataSet) => {
        for (const [type, values] of Object.entries(data)) {
          for (const [id, value] of Object.entries(values ?? {}))
            this.#stored.set(`${type}|${id}`, { type, id, value });
        }
      },
    };
    const transactionalKeys = addTransactionCapability(store, logger, { maxCommitRetries: 1, delayBetweenTriesMs: 1 });
    const auth = { creds, keys: transactionalKeys };
    // The types of the two versions differ in members that these tests do not use.
    this.repository = version === 7 ? CONFIG_7.makeSignalRepository(auth, logger) : CONFIG_6.makeSignalRepository(auth);
  }

  /** The stored keys as they are in memory, including removed ones. */
  keys(): BaileysKey[] {
    return [...this.#stored.values()];
  }

  set(type: string, id: string, value: unknown): void {
    this.#stored.set(`${type}|${id}`, { type, id, value });
  }

  /** Encrypts a message to `peer`. */
  async send(peer: Party | string, text: string): Promise<Envelope> {
    const jid = typeof peer === 'string' ? peer : peer.jid;
    const { type, ciphertext } = await this.repository.encryptMessage({ jid, data: Buffer.from(text) });
    return { from: this.jid, type, ciphertext };
  }

  async receive({ from, type, ciphertext }: Envelope, jid = from): Promise<string> {
    return Buffer.from(await this.repository.decryptMessage({ jid, type, ciphertext })).toString();
  }

  /** Starts a session with `peer`, with a new pre-key of the peer. */
  async greet(peer: Party, jid = peer.jid): Promise<void> {
    const preKey = Curve.generateKeyPair();
    const keyId = peer.creds.nextPreKeyId++;
    peer.creds.firstUnuploadedPreKeyId = peer.creds.nextPreKeyId;
    peer.set('pre-key', String(keyId), preKey);
    const { signedIdentityKey, signedPreKey, registrationId } = peer.creds;
    await this.repository.injectE2ESession({
      jid,
      session: {
        registrationId,
        identityKey: withTypeByte(signedIdentityKey.public),
        signedPreKey: {
          keyId: signedPreKey.keyId,
          publicKey: withTypeByte(signedPreKey.keyPair.public),
          signature: signedPreKey.signature,
        },
        preKey: { keyId, publicKey: withTypeByte(preKey.public) },
      },
    });
  }

  async sendToGroup(group: string, text: string) {
    const sent = await this.repository.encryptGroupMessage({ group, meId: this.jid, data: Buffer.from(text) });
    return { ...sent, ciphertext: Buffer.from(sent.ciphertext) };
  }

  async receiveFromGroup(group: string, from: Party | string, msg: Uint8Array): Promise<string> {
    const authorJid = typeof from === 'string' ? from : from.jid;
    return Buffer.from(await this.repository.decryptGroupMessage({ group, authorJid, msg })).toString();
  }

  /** Stores the sender key of `from`. */
  async join(group: string, from: Party | string, distribution: Uint8Array): Promise<void> {
    const authorJid = typeof from === 'string' ? from : from.jid;
    const item = { groupId: group, axolotlSenderKeyDistributionMessage: distribution };
    await this.repository.processSenderKeyDistributionMessage({ authorJid, item });
  }
}

export interface Envelope {
  from: string;
  type: 'pkmsg' | 'msg';
  ciphertext: Uint8Array;
}

const withTypeByte = (key: Uint8Array): Uint8Array => Buffer.concat([Buffer.from([5]), key]);

export function newAccount(): Account {
  return world.account(String(nextNumber++));
}

/** A linked device of a new account. */
export function linkedParty(version: 6 | 7 = 7, account = newAccount()): Party {
  return new Party(provisionCompanion(account, world.now()).creds, [], version);
}

/** The phone of an account. Its identity key is the one that signs linked devices. */
export function phoneOf(account: Account): Party {
  const identity = account.identity();
  const signedIdentityKey = { private: Buffer.from(identity.private), public: Buffer.from(identity.public) };
  return new Party({ ...initAuthCreds(), signedIdentityKey, me: { id: `${account.number}@s.whatsapp.net` } });
}

/** JSON as Baileys' multi-file store writes it, parsed without a reviver. */
export const asStoredJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value, BufferJSON.replacer));

/** JSON without the replacer: Buffers are arrays of numbers, other bytes are objects with indexes. */
export const asPlainJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** The value of asStoredJson(), read with the reviver. */
export const asRevived = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, BufferJSON.replacer), BufferJSON.reviver);

/** The states of a sender key, whose bytes are base64 or arrays. The reviver of Baileys 7 does not convert arrays. */
export const senderKeyStates = (record: Uint8Array): unknown =>
  asStoredJson(JSON.parse(Buffer.from(record).toString(), BUFFER_JSON_6.reviver));
