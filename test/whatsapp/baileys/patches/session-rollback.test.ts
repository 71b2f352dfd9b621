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

const read = async (peer: Peer, message: SignalMessage) => (await peer.decrypt(message)).toString();

/** A message with a wrong MAC and this header. */
function forge(header: { counter: number; previousCounter: number; ephemeralKey?: Buffer }): SignalMessage {
  const { ephemeralKey = curve.generateKeyPair().pubKey } = header;
  const fields = WhisperMessage.encode({ ...header, ephemeralKey, ciphertext: Buffer.alloc(16) }).finish();
  return { type: 'msg', ciphertext: Buffer.concat([Buffer.of(0x33), fields, Buffer.alloc(8)]) };
}

beforeAll(() => {
  installLibsignalConsole();
  installSessionRollback();
});

it('a new session survives messages of the previous one that arrive late', async () => {
  const [we, they] = [createSignalPeer(), createSignalPeer()];
  await we.open(they.bundle);
  expect(await read(they, await we.encrypt('hello'))).toBe('hello');
  expect(await read(we, await they.encrypt('hi'))).toBe('hi');
  expect(await read(they, await we.encrypt('there'))).toBe('there');
  const underWay = await they.encrypt('of the old session');
  await we.open(they.bundle);
  const anew = await we.encrypt('of the new one');
  expect(await read(we, underWay)).toBe('of the old session');
  expect(await read(they, anew)).toBe('of the new one');
  expect(await read(we, await they.encrypt('answer'))).toBe('answer');
  expect(await read(they, await we.encrypt('goes on'))).toBe('goes on');
});

it('one forged message of a device with 40 sessions derives the keys of a few messages', async () => {
  const [we, they] = [createSignalPeer(), createSignalPeer()];
  for (let count = 0; count < 40; count++) {
    await they.open(we.bundle);
    await we.decrypt(await they.encrypt('hello'));
  }
  const calculateMac = vi.spyOn(crypto, 'calculateMAC');
  for (const header of [
    { counter: 1_999, previousCounter: 2_000 },
    { counter: 98, previousCounter: 1 },
  ]) {
    calculateMac.mockClear();
    await expect(we.decrypt(forge(header))).rejects.toThrow('No matching sessions');
    // Two HMACs per key, and a few for the root keys and the MAC of each session that is tried.
    expect(calculateMac.mock.calls.length).toBeLessThan(9_000);
  }
  calculateMac.mockRestore();
  expect(await read(we, await they.encrypt('still here'))).toBe('still here');
});

it('a late message of a closed session is decrypted, although the 1,500 messages before it are missing', async () => {
  const [we, they] = [createSignalPeer(), createSignalPeer()];
  await they.open(we.bundle);
  await read(we, await they.encrypt('hello'));
  await read(they, await we.encrypt('hi'));
  await read(we, await they.encrypt('first of the chain'));
  for (let count = 0; count < 1_500; count++) await they.encrypt('missing');
  const late = await they.encrypt('late');
  for (let count = 0; count < 3; count++) {
    await they.open(we.bundle);
    await read(we, await they.encrypt('of a newer session'));
  }
  expect(await read(we, late)).toBe('late');
});

it('a device that goes on in the closed session is understood, although its first 90 messages are missing', async () => {
  const [we, they] = [createSignalPeer(), createSignalPeer()];
  await we.open(they.bundle);
  await they.open(we.bundle);
  const [ours, theirs] = [await we.encrypt('ours'), await they.encrypt('theirs')];
  // Each side now writes in the session that the other one has started last.
  expect(await read(they, ours)).toBe('ours');
  expect(await read(we, theirs)).toBe('theirs');
  for (let count = 0; count < 90; count++) await they.encrypt('missing');
  expect(await read(we, await they.encrypt('answer'))).toBe('answer');
  expect(await read(they, await we.encrypt('and on'))).toBe('and on');
});
