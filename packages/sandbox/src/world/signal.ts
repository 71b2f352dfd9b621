// Signal encryption of the simulated phones: one store in memory per account, one session record per companion (linked
// device). Rejects keys with a wrong signature, and identity keys other than the one that the companion was linked
// with.
import { Curve, generateSignalPubKey } from '@whiskeysockets/baileys';
import { ProtocolAddress, SessionBuilder, SessionCipher, SessionRecord, type SignalStorage } from 'libsignal';
import { isValidSignature, sign } from '../crypto/signing.ts';
import { systemClock } from '../lib/clock.ts';
import { KeyedQueue } from '../lib/keyed-queue.ts';
import { limitSize } from '../lib/limit-size.ts';
import type { Account, Companion, KeyBundle, KeyPair, PreKey } from './model.ts';

/** The type that libsignal gives to a message that opens a session. */
const PRE_KEY_MESSAGE = 3;

/**
 * Maximum number of one-time pre-keys per phone that no message has used yet; the oldest are removed. When a message
 * uses a removed key, the phone requests the message again.
 */
const MAX_PRE_KEYS = 1000;

export interface Encrypted {
  /** `pkmsg` opens a session, `msg` continues one. */
  type: 'pkmsg' | 'msg';
  ciphertext: Uint8Array;
}

export interface Signal {
  /**
   * Returns public keys for a device that opens a session with this phone, with a new one-time pre-key at each call.
   */
  createBundle(): KeyBundle;
  /**
   * Encrypts padded content. The first call for a companion opens a session with the companion's registered keys and
   * takes one of the companion's one-time pre-keys.
   */
  encrypt(to: Companion, plaintext: Uint8Array): Promise<Encrypted>;
  /**
   * Decrypts to padded content. Throws Error when no session, key or identity matches; the sessions are then unchanged.
   */
  decrypt(from: Companion, message: Encrypted): Promise<Uint8Array>;
  /**
   * Opens a new session with the keys in a companion's retry receipt. Throws Error when the identity key in `keys` is
   * not the companion's.
   */
  reopen(to: Companion, keys: KeyBundle): Promise<void>;
}

/** The part of libsignal's storage that is the same for all companions: the keys of the phone itself. */
type OwnKeyStorage = Omit<SignalStorage, 'loadSession' | 'storeSession' | 'isTrustedIdentity'>;

/** The sessions with one companion. */
interface Peer {
  cipher: SessionCipher;
  builder: SessionBuilder;
  /** Decrypts a `msg` with the session to which the message belongs. The other sessions stay unchanged. */
  decrypt(message: Buffer): Promise<Uint8Array>;
  hasSession(): boolean;
}

/**
 * The companions' signed pre-keys with a verified signature. A verification takes milliseconds, so each key is verified
 * once for all phones.
 */
const verifiedPreKeys = new WeakSet<object>();

/**
 * Creates the encryption of one phone. Its keys are created at first use, because a test can have a thousand phones
 * that receive no message. `takePreKey` removes and returns a one-time pre-key of a companion.
 */
export function createSignal(account: Account, takePreKey: (companion: Companion) => PreKey | undefined): Signal {
  const queue = new KeyedQueue();
  const peers = new WeakMap<Companion, Peer>();
  const preKeys = new Map<number, KeyPair>();
  let signedPreKey: (KeyBundle['signedPreKey'] & { pair: KeyPair }) | undefined;
  let lastPreKeyId = 0;

  function getSignedPreKey() {
    if (signedPreKey) return signedPreKey;
    const pair = Curve.generateKeyPair();
    const signature = sign(account.identity().private, generateSignalPubKey(pair.public));
    signedPreKey = { id: 1, public: pair.public, signature, pair };
    return signedPreKey;
  }

  const ownKeys: OwnKeyStorage = {
    loadPreKey: async (id) => {
      const pair = preKeys.get(Number(id));
      return pair && toSignalPair(pair);
    },
    removePreKey: (id) => {
      preKeys.delete(id);
    },
    loadSignedPreKey: () => toSignalPair(getSignedPreKey().pair),
    getOurRegistrationId: () => account.registrationId,
    getOurIdentity: () => toSignalPair(account.identity()),
  };

  function getPeer(companion: Companion): Peer {
    const existing = peers.get(companion);
    if (existing) return existing;
    const created = createPeer(ownKeys, companion);
    peers.set(companion, created);
    return created;
  }

  return {
    createBundle() {
      const { id, signature, public: key } = getSignedPreKey();
      const pair = Curve.generateKeyPair();
      preKeys.set(++lastPreKeyId, pair);
      limitSize(preKeys, MAX_PRE_KEYS);
      return {
        registrationId: account.registrationId,
        identity: account.identity().public,
        signedPreKey: { id, public: key, signature },
        preKey: { id: lastPreKeyId, public: pair.public },
      };
    },
    encrypt: (to, plaintext) =>
      queue.run(addressOf(to), async () => {
        const { cipher, builder, hasSession } = getPeer(to);
        if (!hasSession()) await openSession(builder, { ...to, preKey: takePreKey(to) });
        const { type, body } = await cipher.encrypt(Buffer.from(plaintext));
        return { type: type === PRE_KEY_MESSAGE ? 'pkmsg' : 'msg', ciphertext: Buffer.from(body, 'binary') };
      }),
    decrypt: (from, { type, ciphertext }) =>
      queue.run(addressOf(from), async () => {
        const { cipher, decrypt } = getPeer(from);
        const bytes = Buffer.from(ciphertext);
        return type === 'pkmsg' ? cipher.decryptPreKeyWhisperMessage(bytes) : decrypt(bytes);
      }),
    reopen: (to, keys) =>
      queue.run(addressOf(to), async () => {
        if (!sameBytes(keys.identity, to.identity)) throw new Error('the keys are not those of the linked device');
        await openSession(getPeer(to).builder, keys);
      }),
  };
}

/**
 * The name of an account in Signal addresses: the user part of its LID (second address), and `_1`, the number of LIDs
 * in Baileys.
 */
const signalName = ({ lid }: Account) => `${lid}_1`;
const addressOf = ({ account, device }: Companion) => `${signalName(account)}.${device}`;

/**
 * Creates the sessions with one companion. Stores them serialized and loads a copy for each operation, because
 * libsignal advances the ratchet (the keys of a session) before it checks the MAC: without a copy, a corrupt message
 * would destroy the session.
 */
function createPeer(ownKeys: OwnKeyStorage, companion: Companion): Peer {
  let saved: RecordJson | undefined;
  const identity = generateSignalPubKey(companion.identity);
  const storage: SignalStorage = {
    ...ownKeys,
    loadSession: async () => saved && QuietRecord.deserialize(toLibsignal(saved)),
    storeSession: async (_address, record) => {
      saved = prune(fromLibsignal(record.serialize()));
    },
    isTrustedIdentity: (_address, key) => sameBytes(key, identity),
  };
  const name = new ProtocolAddress(signalName(companion.account), companion.device);
  const cipher = new SessionCipher(storage, name);
  return {
    cipher,
    async decrypt(message) {
      const record = saved;
      const sessions = Object.entries(record?._sessions ?? {});
      if (!record || sessions.length < 2) return cipher.decryptWhisperMessage(message);
      let failure: unknown;
      // Tries one session at a time, the newest first. If `saved` contained all sessions, libsignal would also save
      // the changes that failed attempts made to the other sessions.
      for (const [key, session] of sessions.toReversed()) {
        saved = { ...record, _sessions: { [key]: session } };
        try {
          const plaintext = await cipher.decryptWhisperMessage(message);
          saved = { ...record, _sessions: { ...record._sessions, ...saved._sessions } };
          return plaintext;
        } catch (error) {
          failure = error;
          saved = record;
        }
      }
      throw failure;
    },
    builder: new SessionBuilder(storage, name),
    // A stored record always has an open session: libsignal closes a session only when it opens another.
    hasSession: () => saved !== undefined,
  };
}

/** Closes a session without printing it: libsignal's closeSession() prints the private keys of the session. */
class QuietRecord extends SessionRecord {
  closeSession(session: { indexInfo: { closed: number } }): void {
    session.indexInfo.closed = systemClock.now();
  }
}

/**
 * Maximum number of closed receiving chains (series of message keys) that a session keeps for late messages. libsignal
 * keeps all of them, and every change of the direction of a conversation adds one.
 */
const MAX_CLOSED_CHAINS = 5;

interface RecordJson {
  _sessions: Record<string, { _chains: Record<string, { chainKey: { key?: string } }> }>;
}

/** The types of libsignal declare a serialized record as bytes, but it is a plain object. */
const fromLibsignal = (record: object) => record as RecordJson;
const toLibsignal = (record: object) => record as ReturnType<SessionRecord['serialize']>;

/** Removes old receiving chains from the record. */
function prune(record: RecordJson): RecordJson {
  for (const { _chains: chains } of Object.values(record._sessions)) {
    const closed = Object.keys(chains).filter((id) => chains[id]?.chainKey.key === undefined);
    for (const id of closed.slice(0, -MAX_CLOSED_CHAINS)) delete chains[id];
  }
  return record;
}

/** Opens a session. Throws Error when the signature of the signed pre-key is wrong. */
async function openSession(builder: SessionBuilder, keys: KeyBundle): Promise<void> {
  const { signedPreKey, preKey } = keys;
  if (!verifiedPreKeys.has(signedPreKey)) {
    const key = generateSignalPubKey(signedPreKey.public);
    if (!isValidSignature(keys.identity, key, signedPreKey.signature))
      throw new Error('signed pre-key has a wrong signature');
    verifiedPreKeys.add(signedPreKey);
  }
  type Session = Parameters<SessionBuilder['initOutgoing']>[0];
  const oneTime = preKey && { keyId: preKey.id, publicKey: signalKey(preKey.public) };
  await builder.initOutgoing({
    registrationId: keys.registrationId,
    identityKey: signalKey(keys.identity),
    signedPreKey: {
      keyId: signedPreKey.id,
      publicKey: signalKey(signedPreKey.public),
      signature: Buffer.from(signedPreKey.signature),
    },
    // libsignal's types require a one-time key, but its code and the protocol do not.
    preKey: oneTime as Session['preKey'],
  });
}

/** A public key as libsignal requires it: a Buffer that begins with the type byte. */
const signalKey = (key: Uint8Array) => Buffer.from(generateSignalPubKey(key));
const toSignalPair = (pair: KeyPair) => ({ privKey: Buffer.from(pair.private), pubKey: signalKey(pair.public) });
const sameBytes = (a: Uint8Array, b: Uint8Array) => Buffer.compare(a, b) === 0;
