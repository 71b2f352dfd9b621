import { Curve, generateSignalPubKey, signedKeyPair } from '@whiskeysockets/baileys';
import { ProtocolAddress, SessionBuilder, SessionCipher, SessionRecord, type SignalStorage } from 'libsignal';
import { beforeAll, expect, it } from 'vitest';
import { encryptWithSession } from '../../../../src/whatsapp/baileys/auth/session-encryption.ts';
import { isSessionRecord } from '../../../../src/whatsapp/baileys/auth/session-record.ts';
import { installLibsignalConsole } from '../../../../src/whatsapp/baileys/patches/libsignal-console.ts';
import { installSessionRollback } from '../../../../src/whatsapp/baileys/patches/session-rollback.ts';
import { Random } from '../../../fuzz/random.ts';

const toPair = (pair: ReturnType<typeof Curve.generateKeyPair>) => ({
  privKey: Buffer.from(pair.private),
  pubKey: Buffer.from(generateSignalPubKey(pair.public)),
});

type Bundle = Parameters<SessionBuilder['initOutgoing']>[0];

/** A device that talks to one other device with libsignal. It stores its sessions as the gateway does, as JSON. */
function device(registrationId: number, { hasOneTimeKey = true } = {}) {
  const identity = toPair(Curve.generateKeyPair());
  const signed = signedKeyPair(Curve.generateKeyPair(), 70_000);
  const oneTime = toPair(Curve.generateKeyPair());
  let stored: string | undefined;
  const storage: SignalStorage = {
    loadSession: async () => (stored === undefined ? undefined : SessionRecord.deserialize(JSON.parse(stored))),
    storeSession: async (_, record) => {
      stored = JSON.stringify(record.serialize());
    },
    isTrustedIdentity: () => true,
    loadPreKey: async () => oneTime,
    removePreKey: () => undefined,
    loadSignedPreKey: () => toPair(signed.keyPair),
    getOurRegistrationId: () => registrationId,
    getOurIdentity: () => identity,
  };
  const peer = new ProtocolAddress('peer', 0);
  const cipher = new SessionCipher(storage, peer);
  const bundle: Bundle = {
    registrationId,
    identityKey: identity.pubKey,
    signedPreKey: {
      keyId: 70_000,
      publicKey: toPair(signed.keyPair).pubKey,
      signature: Buffer.from(Curve.sign(identity.privKey, generateSignalPubKey(signed.keyPair.public))),
    },
    ...(hasOneTimeKey ? { preKey: { keyId: 300, publicKey: oneTime.pubKey } } : {}),
  } as Bundle;
  return {
    bundle,
    open: (other: Bundle) => new SessionBuilder(storage, peer).initOutgoing(other),
    /** Encrypts with both implementations from the same state, and compares messages and new states. */
    async say(plaintext: Buffer) {
      const record: unknown = JSON.parse(stored ?? 'null');
      if (!isSessionRecord(record)) throw new Error('not a session record');
      const before = structuredClone(record);
      const own = encryptWithSession(record, plaintext, { identityKey: identity.pubKey, registrationId });
      const { type, body } = await cipher.encrypt(plaintext);
      expect(own.ciphertext.toString('hex')).toBe(Buffer.from(body, 'binary').toString('hex'));
      expect(own.type).toBe(type === 3 ? 'pkmsg' : 'msg');
      expect(own.record).toEqual(JSON.parse(stored ?? 'null'));
      expect(record, 'the given record does not change').toEqual(before);
      return own;
    },
    async hear({ type, ciphertext }: { type: 'pkmsg' | 'msg'; ciphertext: Buffer }) {
      return type === 'pkmsg'
        ? cipher.decryptPreKeyWhisperMessage(ciphertext)
        : cipher.decryptWhisperMessage(ciphertext);
    },
    record: (): unknown => JSON.parse(stored ?? 'null'),
  };
}

beforeAll(() => {
  installLibsignalConsole();
  installSessionRollback();
});

it.each([
  true,
  false,
])('conversations have the same ciphertexts as with libsignal (one-time key: %s)', async (hasKey) => {
  const random = new Random(180, `conversation ${hasKey}`);
  const [we, they] = [device(5), device(16_380, { hasOneTimeKey: hasKey })];
  await we.open(they.bundle);
  if (!hasKey) {
    for (let n = 0; n < 5; n++) await we.say(random.bytes(random.int(400)));
    return;
  }
  const sides = [we, they] as const;
  for (let round = 0; round < 60; round++) {
    const [from, to] = round % 2 === 0 ? sides : ([they, we] as const);
    for (let count = random.int(5); count >= 0; count--) {
      const plaintext = random.bytes(random.int(400));
      const message = await from.say(plaintext);
      if (random.chance(0.9)) expect(await to.hear(message)).toEqual(plaintext);
    }
    if (round === 30) await we.open(they.bundle);
  }
});

it('more than 127 messages of one chain have the same ciphertexts as with libsignal', async () => {
  const [we, they] = [device(1), device(2)];
  await we.open(they.bundle);
  for (let n = 0; n < 140; n++) await we.say(Buffer.from(`message ${n}`));
});

it('a record without an open session cannot encrypt', async () => {
  const we = device(1);
  await we.open(device(2).bundle);
  const record = structuredClone(we.record());
  if (!isSessionRecord(record)) throw new Error('not a session record');
  for (const session of Object.values(record._sessions)) session.indexInfo.closed = 1;
  const own = { identityKey: Buffer.alloc(33), registrationId: 1 };
  expect(() => encryptWithSession(record, Buffer.from('a'), own)).toThrow('no open session');
});
