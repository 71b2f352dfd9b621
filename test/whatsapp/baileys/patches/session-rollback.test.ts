import { createRequire } from 'node:module';
import { beforeAll, expect, it, vi } from 'vitest';
import { installLibsignalConsole } from '../../../../src/whatsapp/baileys/patches/libsignal-console.ts';
import { installSessionRollback } from '../../../../src/whatsapp/baileys/patches/session-rollback.ts';
import { createSignalPeer, type SignalMessage } from '../signal-peer.ts';

type Peer = ReturnType<typeof createSignalPeer>;

const requireFromBaileys = createRequire(import.meta.resolve('@whiskeysockets/baileys'));
const crypto: { calculateMAC(key: Buffer, data: Buffer): Buffer } = requireFromBaileys('libsignal/src/crypto.js');
const { WhisperMessage } = requireFromBaileys('libsignal/src/protobufs.js');
const curve: { generateKeyPair(): { pubKey: Buffer } } = requireFromBaileys('libsignal/src/curve.js');

const decryptText = async (peer: Peer, message: SignalMessage) => (await peer.decrypt(message)).toString();

/** Returns a message with this header and a wrong MAC. */
function forge(header: { counter: number; previousCounter: number; ephemeralKey?: Buffer }): SignalMessage {
  const { ephemeralKey = curve.generateKeyPair().pubKey } = header;
  const fields = WhisperMessage.encode({ ...header, ephemeralKey, ciphertext: Buffer.alloc(16) }).finish();
  return { type: 'msg', ciphertext: Buffer.concat([Buffer.of(0x33), fields, Buffer.alloc(8)]) };
}

beforeAll(() => {
  installLibsignalConsole();
  installSessionRollback();
});

it('installSessionRollback() keeps a new session usable after late messages of the previous session', async () => {
  const [account, contact] = [createSignalPeer(), createSignalPeer()];
  await account.open(contact.bundle);
  expect(await decryptText(contact, await account.encrypt('hello'))).toBe('hello');
  expect(await decryptText(account, await contact.encrypt('hi'))).toBe('hi');
  expect(await decryptText(contact, await account.encrypt('there'))).toBe('there');
  const lateMessage = await contact.encrypt('of the old session');
  await account.open(contact.bundle);
  const newMessage = await account.encrypt('of the new one');
  expect(await decryptText(account, lateMessage)).toBe('of the old session');
  expect(await decryptText(contact, newMessage)).toBe('of the new one');
  expect(await decryptText(account, await contact.encrypt('answer'))).toBe('answer');
  expect(await decryptText(contact, await account.encrypt('goes on'))).toBe('goes on');
});

it('installSessionRollback() limits a forged message in 40 sessions to fewer than 9,000 MAC calculations', async () => {
  const [account, contact] = [createSignalPeer(), createSignalPeer()];
  for (let count = 0; count < 40; count++) {
    await contact.open(account.bundle);
    await account.decrypt(await contact.encrypt('hello'));
  }
  const calculateMac = vi.spyOn(crypto, 'calculateMAC');
  for (const header of [
    { counter: 1_999, previousCounter: 2_000 },
    { counter: 98, previousCounter: 1 },
  ]) {
    calculateMac.mockClear();
    await expect(account.decrypt(forge(header))).rejects.toThrow('No matching sessions');
    // Two HMACs per key, and a few for the root keys and the MAC of each session that is tried.
    expect(calculateMac.mock.calls.length).toBeLessThan(9_000);
  }
  calculateMac.mockRestore();
  expect(await decryptText(account, await contact.encrypt('still here'))).toBe('still here');
});

it('installSessionRollback() decrypts a late message of a closed session after 1,500 missing messages', async () => {
  const [account, contact] = [createSignalPeer(), createSignalPeer()];
  await contact.open(account.bundle);
  await decryptText(account, await contact.encrypt('hello'));
  await decryptText(contact, await account.encrypt('hi'));
  await decryptText(account, await contact.encrypt('first of the chain'));
  for (let count = 0; count < 1_500; count++) await contact.encrypt('missing');
  const lateMessage = await contact.encrypt('late');
  for (let count = 0; count < 3; count++) {
    await contact.open(account.bundle);
    await decryptText(account, await contact.encrypt('of a newer session'));
  }
  expect(await decryptText(account, lateMessage)).toBe('late');
});

it('installSessionRollback() decrypts messages in a closed session after its first 90 messages are missing', async () => {
  const [account, contact] = [createSignalPeer(), createSignalPeer()];
  await account.open(contact.bundle);
  await contact.open(account.bundle);
  const [accountMessage, contactMessage] = [await account.encrypt('ours'), await contact.encrypt('theirs')];
  // Each side now encrypts with the session that the other side has started last.
  expect(await decryptText(contact, accountMessage)).toBe('ours');
  expect(await decryptText(account, contactMessage)).toBe('theirs');
  for (let count = 0; count < 90; count++) await contact.encrypt('missing');
  expect(await decryptText(account, await contact.encrypt('answer'))).toBe('answer');
  expect(await decryptText(contact, await account.encrypt('and on'))).toBe('and on');
});
