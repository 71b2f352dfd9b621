import { beforeAll, expect, it } from 'vitest';
import { encryptWithSession } from '../../../../src/whatsapp/baileys/auth/session-encryption.ts';
import { isSessionRecord } from '../../../../src/whatsapp/baileys/auth/session-record.ts';
import { installLibsignalConsole } from '../../../../src/whatsapp/baileys/patches/libsignal-console.ts';
import { installSessionRollback } from '../../../../src/whatsapp/baileys/patches/session-rollback.ts';
import { Random } from '../../../fuzz/random.ts';
import { createSignalPeer, type SignalPeerOptions } from '../signal-peer.ts';

const SIGNED_KEY_ID = 70_000;

/** A peer that encrypts with both implementations. */
function device(registrationId: number, options: SignalPeerOptions = {}) {
  const peer = createSignalPeer({ registrationId, signedKeyId: SIGNED_KEY_ID, ...options });
  return {
    ...peer,
    /** Encrypts with both implementations from the same state, and compares messages and new states. */
    async encrypt(plaintext: Buffer) {
      const record = peer.record();
      if (!isSessionRecord(record)) throw new Error('not a session record');
      const before = structuredClone(record);
      const own = encryptWithSession(record, plaintext, { identityKey: peer.identity.pubKey, registrationId });
      if (!own) throw new Error('not encrypted');
      const expected = await peer.encrypt(plaintext);
      expect(own.ciphertext.toString('hex')).toBe(expected.ciphertext.toString('hex'));
      expect(own.type).toBe(expected.type);
      expect(own.record).toEqual(peer.record());
      expect(record, 'the given record does not change').toEqual(before);
      return own;
    },
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
    for (let n = 0; n < 5; n++) await we.encrypt(random.bytes(random.int(400)));
    return;
  }
  const sides = [we, they] as const;
  for (let round = 0; round < 60; round++) {
    const [from, to] = round % 2 === 0 ? sides : ([they, we] as const);
    for (let count = random.int(5); count >= 0; count--) {
      const plaintext = random.bytes(random.int(400));
      const message = await from.encrypt(plaintext);
      if (random.chance(0.9)) expect(await to.decrypt(message)).toEqual(plaintext);
    }
    if (round === 30) await we.open(they.bundle);
  }
});

it('more than 127 messages of one chain have the same ciphertexts as with libsignal', async () => {
  const [we, they] = [device(1), device(2)];
  await we.open(they.bundle);
  for (let n = 0; n < 140; n++) await we.encrypt(Buffer.from(`message ${n}`));
});

it('a record without an open session cannot encrypt', async () => {
  const we = device(1);
  await we.open(device(2).bundle);
  const record = we.record();
  if (!isSessionRecord(record)) throw new Error('not a session record');
  for (const session of Object.values(record._sessions)) session.indexInfo.closed = 1;
  const own = { identityKey: Buffer.alloc(33), registrationId: 1 };
  expect(encryptWithSession(record, Buffer.from('a'), own)).toBeUndefined();
});
