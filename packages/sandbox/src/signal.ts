// Signal encryption of the phones: one in-memory store per account, one session per companion, addressed by LID.
// Rejects bundles with a wrong signature, and identities other than the one that the companion was linked with.
import { Curve, generateSignalPubKey } from '@whiskeysockets/baileys';
import { ProtocolAddress, SessionBuilder, SessionCipher, SessionRecord, type SignalStorage } from 'libsignal';
import { systemClock } from './lib/clock.ts';
import { KeyedQueue } from './lib/keyed-queue.ts';
import type { Account, Companion, KeyBundle, KeyPair, PreKey } from './model.ts';
import { isValidSignature, sign } from './signing.ts';

export interface Encrypted {
  /** pkmsg opens a session, msg continues one. */
  type: 'pkmsg' | 'msg';
  ciphertext: Uint8Array;
}

export interface Signal {
  /** Public keys for a device that opens a session with this phone; every call returns another one-time pre-key. */
  createBundle(): KeyBundle;
  /**
   * Encrypts padded bytes; the first time it opens a session from the companion's registered keys, using up one
   * pre-key.
   */
  encrypt(to: Companion, plaintext: Uint8Array): Promise<Encrypted>;
  /**
   * Decrypts to padded bytes. Throws Error when the session, the key or the identity does not fit; the session stays as
   * it was.
   */
  decrypt(from: Companion, message: Encrypted): Promise<Uint8Array>;
  /**
   * Opens a new session from keys that the companion sent with a retry receipt. Throws Error when they are not its own.
   */
  reopen(to: Companion, keys: KeyBundle): Promise<void>;
}

interface Peer {
  cipher: SessionCipher;
  builder: SessionBuilder;
  /** With whichever session it is for; the others stay as they were. */
  decrypt(message: Buffer): Promise<Uint8Array>;
  hasSession(): boolean;
}

/**
 * Bundles of companions whose signature was found good: a check costs milliseconds and every phone meets the same ones.
 */
const verified = new WeakSet<object>();

/**
 * Keys are created at first use, so that a thousand contacts cost nothing until they receive a message. `takePreKey`
 * hands out one of a companion's one-time keys, as the server does.
 */
export function createSignal(account: Account, takePreKey: (of: Companion) => PreKey | undefined): Signal {
  const queue = new KeyedQueue();
  const peers = new WeakMap<Companion, Peer>();
  const preKeys = new Map<number, KeyPair>();
  let signedPreKey: (KeyBundle['signedPreKey'] & { pair: KeyPair }) | undefined;
  let lastPreKeyId = 0;

  function signed() {
    if (signedPreKey) return signedPreKey;
    const pair = Curve.generateKeyPair();
    const signature = sign(account.identity().private, generateSignalPubKey(pair.public));
    signedPreKey = { id: 1, public: pair.public, signature, pair };
    return signedPreKey;
  }

  const own: Omit<SignalStorage, 'loadSession' | 'storeSession' | 'isTrustedIdentity'> = {
    loadPreKey: async (id) => {
      const pair = preKeys.get(Number(id));
      return pair && toSignalPair(pair);
    },
    removePreKey: (id) => {
      preKeys.delete(id);
    },
    loadSignedPreKey: () => toSignalPair(signed().pair),
    getOurRegistrationId: () => account.registrationId,
    getOurIdentity: () => toSignalPair(account.identity()),
  };

  function peer(companion: Companion): Peer {
    const existing = peers.get(companion);
    if (existing) return existing;
    const created = createPeer(own, companion);
    peers.set(companion, created);
    return created;
  }

  return {
    createBundle() {
      const { id, signature, public: key } = signed();
      const pair = Curve.generateKeyPair();
      preKeys.set(++lastPreKeyId, pair);
      return {
        registrationId: account.registrationId,
        identity: account.identity().public,
        signedPreKey: { id, public: key, signature },
        preKey: { id: lastPreKeyId, public: pair.public },
      };
    },
    encrypt: (to, plaintext) =>
      queue.run(address(to), async () => {
        const { cipher, builder, hasSession } = peer(to);
        if (!hasSession()) await open(builder, { ...to, preKey: takePreKey(to) });
        const { type, body } = await cipher.encrypt(Buffer.from(plaintext));
        return { type: type === 3 ? 'pkmsg' : 'msg', ciphertext: Buffer.from(body, 'binary') };
      }),
    decrypt: (from, { type, ciphertext }) =>
      queue.run(address(from), async () => {
        const { cipher, decrypt } = peer(from);
        const bytes = Buffer.from(ciphertext);
        return type === 'pkmsg' ? cipher.decryptPreKeyWhisperMessage(bytes) : decrypt(bytes);
      }),
    reopen: (to, keys) =>
      queue.run(address(to), async () => {
        if (!sameBytes(keys.identity, to.identity)) throw new Error('the keys are not those of the linked device');
        await open(peer(to).builder, keys);
      }),
  };
}

const address = (companion: Companion) => `${companion.account.lid}_1.${companion.device}`;

/**
 * A session is kept serialized: libsignal steps the ratchet before it checks the MAC, so working on the live record
 * would let one garbled message ruin the session for good.
 */
function createPeer(
  own: Omit<SignalStorage, 'loadSession' | 'storeSession' | 'isTrustedIdentity'>,
  companion: Companion,
): Peer {
  let saved: SavedRecord | undefined;
  const identity = generateSignalPubKey(companion.identity);
  const storage: SignalStorage = {
    ...own,
    loadSession: async () => saved && QuietRecord.deserialize(saved),
    storeSession: async (_address, record) => {
      saved = pruned(record.serialize());
    },
    isTrustedIdentity: (_address, key) => sameBytes(key, identity),
  };
  const name = new ProtocolAddress(`${companion.account.lid}_1`, companion.device);
  const cipher = new SessionCipher(storage, name);
  return {
    cipher,
    async decrypt(message) {
      const all = saved && jsonOf(saved);
      const sessions = Object.entries(all?._sessions ?? {});
      if (!all || sessions.length < 2) return cipher.decryptWhisperMessage(message);
      let failure: unknown;
      // One by one, the newest first: libsignal would keep what trying one session has made of another.
      for (const [key, session] of sessions.toReversed()) {
        saved = recordOf({ ...all, _sessions: { [key]: session } });
        try {
          const plaintext = await cipher.decryptWhisperMessage(message);
          saved = recordOf({ ...all, _sessions: { ...all._sessions, ...jsonOf(saved)._sessions } });
          return plaintext;
        } catch (error) {
          failure = error;
          saved = recordOf(all);
        }
      }
      throw failure;
    },
    builder: new SessionBuilder(storage, name),
    // A stored record always has an open session: libsignal closes one only in favour of another.
    hasSession: () => saved !== undefined,
  };
}

/** libsignal prints a session with its private keys whenever it closes one. */
class QuietRecord extends SessionRecord {
  closeSession(session: { indexInfo: { closed: number } }): void {
    session.indexInfo.closed = systemClock.now();
  }
}

type SavedRecord = ReturnType<SessionRecord['serialize']>;

/**
 * Closed receiving chains to keep, for messages that arrive late; libsignal keeps every one, and each turn adds one.
 */
const CLOSED_CHAINS = 5;

interface RecordJson {
  _sessions: Record<string, { _chains: Record<string, { chainKey: { key?: string } }> }>;
}

/** libsignal's types call a record bytes; it is plain JSON. */
const jsonOf = (record: SavedRecord) => record as unknown as RecordJson;
const recordOf = (json: RecordJson) => json as unknown as SavedRecord;

function pruned(record: SavedRecord): SavedRecord {
  for (const { _chains: chains } of Object.values(jsonOf(record)._sessions)) {
    const closed = Object.keys(chains).filter((id) => chains[id]?.chainKey.key === undefined);
    for (const id of closed.slice(0, -CLOSED_CHAINS)) delete chains[id];
  }
  return record;
}

async function open(builder: SessionBuilder, keys: KeyBundle): Promise<void> {
  const { signedPreKey, preKey } = keys;
  if (!verified.has(signedPreKey)) {
    const key = generateSignalPubKey(signedPreKey.public);
    if (!isValidSignature(keys.identity, key, signedPreKey.signature))
      throw new Error('signed pre-key has a wrong signature');
    verified.add(signedPreKey);
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
    // libsignal's types demand a one-time key, its code and the protocol do without.
    preKey: oneTime as Session['preKey'],
  });
}

/** libsignal insists on Buffers and on the type byte in front of public keys. */
const signalKey = (key: Uint8Array) => Buffer.from(generateSignalPubKey(key));
const toSignalPair = (pair: KeyPair) => ({ privKey: Buffer.from(pair.private), pubKey: signalKey(pair.public) });
const sameBytes = (a: Uint8Array, b: Uint8Array) => Buffer.compare(a, b) === 0;
