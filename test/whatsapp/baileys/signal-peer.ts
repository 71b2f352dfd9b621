// Simulates a device that exchanges messages with one other device by libsignal. It stores its sessions as JSON, as the
// gateway does.
import { Curve, generateSignalPubKey, signedKeyPair } from '@whiskeysockets/baileys';
import { ProtocolAddress, SessionBuilder, SessionCipher, SessionRecord, type SignalStorage } from 'libsignal';

export interface SignalMessage {
  type: 'pkmsg' | 'msg';
  ciphertext: Buffer;
}

type PreKeyBundle = Parameters<SessionBuilder['initOutgoing']>[0];

/** libsignal's number for a message with session keys. */
const PRE_KEY_MESSAGE = 3;

const toPair = (pair: ReturnType<typeof Curve.generateKeyPair>) => ({
  privKey: Buffer.from(pair.private),
  pubKey: Buffer.from(generateSignalPubKey(pair.public)),
});

export interface SignalPeerOptions {
  registrationId?: number;
  /** Whether the bundle has a one-time key. */
  hasOneTimeKey?: boolean;
  /** Id of the signed pre-key. */
  signedKeyId?: number;
}

export function createSignalPeer(options: SignalPeerOptions = {}) {
  const { registrationId = 1, hasOneTimeKey = true, signedKeyId = 1 } = options;
  const identityPair = Curve.generateKeyPair();
  const signed = signedKeyPair(identityPair, signedKeyId);
  const [identity, signedPair] = [toPair(identityPair), toPair(signed.keyPair)];
  const oneTime = toPair(Curve.generateKeyPair());
  let stored = 'null';
  const storage: SignalStorage = {
    loadSession: async () => (stored === 'null' ? undefined : SessionRecord.deserialize(JSON.parse(stored))),
    storeSession: async (_, record) => {
      stored = JSON.stringify(record.serialize());
    },
    isTrustedIdentity: () => true,
    loadPreKey: async () => oneTime,
    removePreKey: () => undefined,
    loadSignedPreKey: () => signedPair,
    getOurRegistrationId: () => registrationId,
    getOurIdentity: () => identity,
  };
  const peer = new ProtocolAddress('peer', 0);
  const cipher = new SessionCipher(storage, peer);
  const bundle = {
    registrationId,
    identityKey: identity.pubKey,
    signedPreKey: { keyId: signedKeyId, publicKey: signedPair.pubKey, signature: Buffer.from(signed.signature) },
    ...(hasOneTimeKey ? { preKey: { keyId: 300, publicKey: oneTime.pubKey } } : {}),
  } as PreKeyBundle;
  return {
    identity,
    registrationId,
    bundle,
    /** Starts a session with the device of a bundle. Keeps existing sessions. */
    open: (other: PreKeyBundle) => new SessionBuilder(storage, peer).initOutgoing(other),
    async encrypt(plaintext: Uint8Array | string): Promise<SignalMessage> {
      const { type, body } = await cipher.encrypt(Buffer.from(plaintext));
      return { type: type === PRE_KEY_MESSAGE ? 'pkmsg' : 'msg', ciphertext: Buffer.from(body, 'binary') };
    },
    decrypt: ({ type, ciphertext }: SignalMessage): Promise<Buffer> =>
      type === 'pkmsg' ? cipher.decryptPreKeyWhisperMessage(ciphertext) : cipher.decryptWhisperMessage(ciphertext),
    /** Returns a copy of the stored sessions. */
    record: (): unknown => JSON.parse(stored),
  };
}
