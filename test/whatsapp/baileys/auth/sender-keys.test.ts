import { GroupCipher } from '@whiskeysockets/baileys/lib/Signal/Group/group_cipher.js';
import { GroupSessionBuilder } from '@whiskeysockets/baileys/lib/Signal/Group/group-session-builder.js';
import { SenderKeyName } from '@whiskeysockets/baileys/lib/Signal/Group/sender-key-name.js';
import { SenderKeyRecord } from '@whiskeysockets/baileys/lib/Signal/Group/sender-key-record.js';
import { expect, it } from 'vitest';
import { decodeKey, encodeKey } from '../../../../src/whatsapp/baileys/auth/codec.ts';

const name = new SenderKeyName('1@g.us', { id: '2', deviceId: 0, toString: () => '2.0' });

/** Returns a device with one sender key. The device stores and reads the key with codec.ts. */
function createDevice() {
  let stored: Uint8Array | undefined;
  const store = {
    loadSenderKey: async () =>
      stored ? SenderKeyRecord.deserialize(decodeKey('sender-key', stored) as Buffer) : new SenderKeyRecord(),
    storeSenderKey: async (_: SenderKeyName, record: SenderKeyRecord) => {
      stored = encodeKey('sender-key', Buffer.from(JSON.stringify(record.serialize())));
    },
  };
  return {
    builder: new GroupSessionBuilder(store),
    cipher: new GroupCipher(store, name),
    stored: () => stored ?? Buffer.alloc(0),
  };
}

it('a stored sender key decrypts messages of a group that arrive out of order', async () => {
  const [sender, receiver] = [createDevice(), createDevice()];
  await receiver.builder.process(name, await sender.builder.create(name));
  const sent: Uint8Array[] = [];
  for (const text of ['one', 'two', 'three', 'four']) sent.push(await sender.cipher.encrypt(Buffer.from(text)));
  const texts: string[] = [];
  for (const index of [3, 0, 2, 1])
    texts.push(Buffer.from(await receiver.cipher.decrypt(sent[index] ?? Buffer.alloc(0))).toString());
  expect(texts).toEqual(['four', 'one', 'three', 'two']);
});

it('encodeKey() does not change a sender key that it has encoded', async () => {
  const [sender, receiver] = [createDevice(), createDevice()];
  await receiver.builder.process(name, await sender.builder.create(name));
  await sender.cipher.encrypt(Buffer.from('skipped'));
  await receiver.cipher.decrypt(await sender.cipher.encrypt(Buffer.from('read')));
  for (const { stored } of [sender, receiver]) {
    expect(Buffer.from(encodeKey('sender-key', stored())).toString()).toBe(Buffer.from(stored()).toString());
  }
});
