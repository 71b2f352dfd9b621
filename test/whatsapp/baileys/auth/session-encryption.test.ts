import { beforeAll, expect, it } from 'vitest';
import { encryptWithSession } from '../../../../src/whatsapp/baileys/auth/session-encryption.ts';
import { isSessionRecord } from '../../../../src/whatsapp/baileys/auth/session-record.ts';
import { installLibsignalConsole } from '../../../../src/whatsapp/baileys/patches/libsignal-console.ts';
import { installSessionRollback } from '../../../../src/whatsapp/baileys/patches/session-rollback.ts';
import { Random } from '../../../support/random.ts';
import { createSignalPeer, type SignalPeerOptions } from '../signal-peer.ts';

const SIGNED_KEY_ID = 70_000;

/** Returns a peer that encrypts with encryptWithSession() and with libsignal. */
function createDevice(registrationId: number, options: SignalPeerOptions = {}) {
  const peer = createSignalPeer({ registrationId, signedKeyId: SIGNED_KEY_ID, ...options });
  return {
    ...peer,
    /** Encrypts with both implementations from the same state, and compares messages and new states. */
    async encrypt(plaintext: Buffer) {
      const record = peer.record();
      if (!isSessionRecord(record)) throw new Error('not a session record');
      const before = structuredClone(record);
      const encrypted = encryptWithSession(record, plaintext, { identityKey: peer.identity.pubKey, registrationId });
      if (!encrypted) throw new Error('not encrypted');
      const expected = await peer.encrypt(plaintext);
      expect(encrypted.ciphertext.toString('hex')).toBe(expected.ciphertext.toString('hex'));
      expect(encrypted.type).toBe(expected.type);
      expect(encrypted.record).toEqual(peer.record());
      expect(record, 'the given record does not change').toEqual(before);
      return encrypted;
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
])('encryptWithSession() returns the ciphertexts of libsignal in a conversation (one-time key: %s)', async (hasKey) => {
  const random = new Random(180, `conversation ${hasKey}`);
  const [account, contact] = [createDevice(5), createDevice(16_380, { hasOneTimeKey: hasKey })];
  await account.open(contact.bundle);
  if (!hasKey) {
    for (let n = 0; n < 5; n++) await account.encrypt(random.bytes(random.int(400)));
    return;
  }
  const sides = [account, contact] as const;
  for (let round = 0; round < 60; round++) {
    const [from, to] = round % 2 === 0 ? sides : ([contact, account] as const);
    for (let count = random.int(5); count >= 0; count--) {
      const plaintext = random.bytes(random.int(400));
      const message = await from.encrypt(plaintext);
      if (random.chance(0.9)) expect(await to.decrypt(message)).toEqual(plaintext);
    }
    if (round === 30) await account.open(contact.bundle);
  }
});

it('encryptWithSession() returns the ciphertexts of libsignal for more than 127 messages of one chain', async () => {
  const [account, contact] = [createDevice(1), createDevice(2)];
  await account.open(contact.bundle);
  for (let n = 0; n < 140; n++) await account.encrypt(Buffer.from(`message ${n}`));
});

it('encryptWithSession() returns undefined for a record without an open session', async () => {
  const account = createDevice(1);
  await account.open(createDevice(2).bundle);
  const record = account.record();
  if (!isSessionRecord(record)) throw new Error('not a session record');
  for (const session of Object.values(record._sessions)) session.indexInfo.closed = 1;
  const ownIdentity = { identityKey: Buffer.alloc(33), registrationId: 1 };
  expect(encryptWithSession(record, Buffer.from('a'), ownIdentity)).toBeUndefined();
});
