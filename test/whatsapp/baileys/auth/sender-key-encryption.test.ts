import { randomBytes, randomInt } from 'node:crypto';
import { GroupCipher } from '@whiskeysockets/baileys/lib/Signal/Group/group_cipher.js';
import { GroupSessionBuilder } from '@whiskeysockets/baileys/lib/Signal/Group/group-session-builder.js';
import { SenderKeyName } from '@whiskeysockets/baileys/lib/Signal/Group/sender-key-name.js';
import { SenderKeyRecord } from '@whiskeysockets/baileys/lib/Signal/Group/sender-key-record.js';
import { describe, expect, it } from 'vitest';
import { decodeKey, encodeKey } from '../../../../src/whatsapp/baileys/auth/codec.ts';
import { encryptWithSenderKey } from '../../../../src/whatsapp/baileys/auth/sender-key-encryption.ts';
import { senderKeyIdOf } from '../../../../src/whatsapp/baileys/auth/sender-key-memory.ts';

const name = new SenderKeyName('1@g.us', { id: '2', deviceId: 0, toString: () => '2.0' });

/** Returns a device with the sender key `record`. The device stores and reads the key with codec.ts. */
function createDevice(record?: Uint8Array) {
  let stored = record;
  const read = () => Buffer.from(decodeKey('sender-key', stored ?? Buffer.from('[]')) as Uint8Array);
  const write = (changed: Uint8Array) => {
    stored = encodeKey('sender-key', changed);
  };
  const store = {
    loadSenderKey: async () => (stored ? SenderKeyRecord.deserialize(read()) : new SenderKeyRecord()),
    storeSenderKey: async (_: SenderKeyName, changed: SenderKeyRecord) =>
      write(Buffer.from(JSON.stringify(changed.serialize()))),
  };
  const builder = new GroupSessionBuilder(store);
  const cipher = new GroupCipher(store, name);
  return {
    read,
    distribution: () => builder.create(name),
    accept: (message: Awaited<ReturnType<typeof builder.create>>) => builder.process(name, message),
    encryptAsBaileys: (content: Uint8Array) => cipher.encrypt(content),
    encrypt(content: Uint8Array): Uint8Array {
      const encrypted = encryptWithSenderKey(read(), content);
      if (!encrypted) throw new Error('not encrypted');
      write(encrypted.record);
      return encrypted.ciphertext;
    },
    decrypt: async (ciphertext: Uint8Array) => Buffer.from(await cipher.decrypt(ciphertext)).toString('hex'),
  };
}

type Device = ReturnType<typeof createDevice>;

async function createPair(): Promise<{ sender: Device; receiver: Device }> {
  const [sender, receiver] = [createDevice(), createDevice()];
  await receiver.accept(await sender.distribution());
  return { sender, receiver };
}

const randomContents = (count: number): Buffer[] => Array.from({ length: count }, () => randomBytes(randomInt(0, 600)));
const hexOf = (contents: readonly Buffer[]): string[] => contents.map((content) => content.toString('hex'));

/** Removes and returns a random element. */
const takeRandom = <T>(list: T[]): T | undefined => list.splice(randomInt(list.length), 1)[0];

describe('encryptWithSenderKey', () => {
  it('encryptWithSenderKey() returns the ciphertext of Baileys at the same position of the chain', async () => {
    for (const [index, content] of randomContents(40).entries()) {
      const { sender } = await createPair();
      for (let skipped = 0; skipped < index % 5; skipped += 1) sender.encrypt(content);
      const baileys = createDevice(sender.read());
      // Baileys skips a position, except at the first one.
      if (index % 5 > 0) sender.encrypt(content);
      expect(Buffer.from(sender.encrypt(content))).toEqual(Buffer.from(await baileys.encryptAsBaileys(content)));
      expect(sender.read().toString()).toBe(baileys.read().toString());
    }
  });

  it('Baileys decrypts ciphertexts of encryptWithSenderKey() in order, out of order and after lost messages', async () => {
    for (const order of ['in order', 'out of order', 'after lost messages']) {
      const { sender, receiver } = await createPair();
      const contents = randomContents(30);
      const sent = contents.map((content) => ({ content, ciphertext: sender.encrypt(content) }));
      const receivedMessages = order === 'after lost messages' ? sent.filter((_, index) => index % 3 === 2) : sent;
      const remaining = [...receivedMessages];
      while (remaining.length > 0) {
        const next = order === 'out of order' ? takeRandom(remaining) : remaining.shift();
        if (next) expect(await receiver.decrypt(next.ciphertext)).toBe(next.content.toString('hex'));
      }
      const [first] = receivedMessages;
      if (first) await expect(receiver.decrypt(first.ciphertext)).rejects.toThrow();
    }
  });

  it('encryptWithSenderKey() and Baileys can alternate with one sender key, also for receivers that join later', async () => {
    const { sender, receiver } = await createPair();
    const receivers = [receiver];
    for (let turn = 0; turn < 40; turn += 1) {
      const content = randomBytes(50);
      const isOurs = randomInt(2) === 0;
      const ciphertext = isOurs ? sender.encrypt(content) : await sender.encryptAsBaileys(content);
      for (const device of receivers) expect(await device.decrypt(ciphertext)).toBe(content.toString('hex'));
      if (turn % 10 === 0) {
        const lateReceiver = createDevice();
        await lateReceiver.accept(await sender.distribution());
        await expect(lateReceiver.decrypt(ciphertext)).rejects.toThrow();
        receivers.push(lateReceiver);
      }
    }
  });

  it('encryptWithSenderKey() uses the newest state of a record, and each key of its chain once', async () => {
    const { sender } = await createPair();
    const [other] = JSON.parse((await createPair()).sender.read().toString());
    const deviceWithTwoStates = createDevice(
      Buffer.from(JSON.stringify([other, ...JSON.parse(sender.read().toString())])),
    );
    const contents = randomContents(5);
    expect(contents.map((content) => deviceWithTwoStates.encrypt(content))).toEqual(
      contents.map((content) => sender.encrypt(content)),
    );
    expect(JSON.parse(deviceWithTwoStates.read().toString())).toEqual([other, ...JSON.parse(sender.read().toString())]);
    const ciphertextsOfSameText = [sender.encrypt(Buffer.from('same')), sender.encrypt(Buffer.from('same'))];
    expect(new Set(hexOf(ciphertextsOfSameText.map((ciphertext) => Buffer.from(ciphertext)))).size).toBe(2);
  });

  it('encryptWithSenderKey() returns undefined for malformed records and for keys of other senders', async () => {
    const { sender, receiver } = await createPair();
    const [state] = JSON.parse(sender.read().toString());
    const list = { type: 'Buffer', data: [...Buffer.from(state.senderChainKey.seed.data, 'base64')] };
    const short = { type: 'Buffer', data: 'AAAA' };
    const unusableRecords = [
      'no JSON',
      'null',
      '{}',
      '[]',
      '[null]',
      '[5]',
      ...[
        { senderKeyId: undefined },
        { senderKeyId: 1.5 },
        { senderKeyId: -1 },
        { senderKeyId: 2 ** 32 },
        { senderChainKey: undefined },
        { senderChainKey: { ...state.senderChainKey, iteration: '1' } },
        { senderChainKey: { ...state.senderChainKey, iteration: 2 ** 32 - 1 } },
        { senderChainKey: { ...state.senderChainKey, seed: list } },
        { senderChainKey: { ...state.senderChainKey, seed: short } },
        { senderSigningKey: undefined },
        { senderSigningKey: { public: state.senderSigningKey.public } },
        { senderSigningKey: { ...state.senderSigningKey, private: { type: 'Buffer', data: '' } } },
        { senderSigningKey: { ...state.senderSigningKey, private: short } },
      ].map((changes) => JSON.stringify([{ ...state, ...changes }])),
      receiver.read().toString(),
    ];
    for (const record of unusableRecords)
      expect(encryptWithSenderKey(Buffer.from(record), Buffer.from('a'))).toBeUndefined();
    expect(encryptWithSenderKey(Buffer.from(JSON.stringify([state])), Buffer.from('a'))).toBeDefined();
  });
});

it('senderKeyIdOf() returns the id that Baileys gives a sender key', () => {
  expect(senderKeyIdOf('1@g.us', '2@s.whatsapp.net')).toBe(name.toString());
  expect(senderKeyIdOf('1@g.us', '2:7@s.whatsapp.net')).toBe('1@g.us::2::7');
  expect(senderKeyIdOf('1@g.us', '2:7@lid')).toBe('1@g.us::2_1::7');
  expect(senderKeyIdOf('1@g.us', '2:99@hosted')).toBe('1@g.us::2_128::99');
  expect(senderKeyIdOf('1@g.us', 'text')).toBeUndefined();
});
