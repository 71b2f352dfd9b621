import { Curve, proto } from '@whiskeysockets/baileys';
import {
  GroupCipher,
  GroupSessionBuilder,
  SenderKeyDistributionMessage,
} from '@whiskeysockets/baileys/lib/Signal/Group/index.js';
import { SenderKeyName } from '@whiskeysockets/baileys/lib/Signal/Group/sender-key-name.js';
import { SenderKeyRecord } from '@whiskeysockets/baileys/lib/Signal/Group/sender-key-record.js';
import { describe, expect, it } from 'vitest';
import { createVerifier, isValidSignature, sign, withWrongBit } from '../src/crypto/signing.ts';
import { OwnSenderKey, PeerSenderKeys } from '../src/world/sender-keys.ts';

const toBytes = (content: string) => Buffer.from(content);
const ada = {};
const bob = {};

/** Creates the group cipher and the session builder of Baileys, with records in memory. */
function createBaileysGroup() {
  const records = new Map<string, SenderKeyRecord>();
  const store = {
    loadSenderKey: async (name: SenderKeyName) => records.get(name.toString()) ?? new SenderKeyRecord(),
    storeSenderKey: async (name: SenderKeyName, record: SenderKeyRecord) => {
      records.set(name.toString(), record);
    },
  };
  const name = new SenderKeyName('g', { id: 'me', deviceId: 1, toString: () => 'me.1' });
  return { cipher: new GroupCipher(store, name), builder: new GroupSessionBuilder(store), name };
}

describe('sender keys', () => {
  it('Baileys decrypts the group messages of the sandbox with its sender key', async () => {
    const own = new OwnSenderKey();
    const { cipher, builder, name } = createBaileysGroup();
    const distribution = new SenderKeyDistributionMessage(null, null, null, null, own.distribution());
    await builder.process(name, distribution);
    for (const content of ['one', 'two', 'three']) {
      expect(Buffer.from(await cipher.decrypt(own.encrypt(toBytes(content))))).toEqual(toBytes(content));
    }
  });

  it('the sandbox decrypts the group messages of Baileys with its sender key', async () => {
    const { cipher, builder, name } = createBaileysGroup();
    const keys = new PeerSenderKeys();
    keys.add(ada, (await builder.create(name)).serialize());
    for (const content of ['one', 'two', 'three']) {
      const decrypted = keys.decrypt(await cipher.encrypt(toBytes(content)));
      expect(decrypted.plaintext).toEqual(toBytes(content));
      expect(decrypted.canRead(ada)).toBe(true);
      expect(decrypted.canRead(bob)).toBe(false);
    }
  });

  it('PeerSenderKeys decrypts late messages once, and none from before the key was received', () => {
    const own = new OwnSenderKey();
    const keys = new PeerSenderKeys();
    keys.add(ada, own.distribution());
    const [first, second] = [own.encrypt(toBytes('first')), own.encrypt(toBytes('second'))];
    keys.add(bob, own.distribution());
    expect(keys.decrypt(second).canRead(bob)).toBe(false);
    expect(keys.decrypt(first).plaintext).toEqual(toBytes('first'));
    expect(() => keys.decrypt(first)).toThrow('was used already');
    expect(keys.decrypt(own.encrypt(toBytes('third'))).canRead(bob)).toBe(true);
  });

  it('PeerSenderKeys rejects a wrong signature and decrypts the next message', () => {
    const own = new OwnSenderKey();
    const keys = new PeerSenderKeys();
    keys.add(ada, own.distribution());
    const message = own.encrypt(toBytes('true'));
    const garbled = Buffer.from(message);
    garbled.writeUInt8(garbled.readUInt8(12) ^ 1, 12);
    expect(() => keys.decrypt(garbled)).toThrow();
    expect(() => keys.decrypt(Buffer.concat([message.subarray(0, -64), withWrongBit(message.subarray(-64))]))).toThrow(
      'wrong signature',
    );
    expect(keys.decrypt(message).plaintext).toEqual(toBytes('true'));
  });

  it('PeerSenderKeys rejects a position too far ahead, an unknown key, and a known key with another signer', () => {
    const own = new OwnSenderKey();
    const keys = new PeerSenderKeys();
    const distribution = own.distribution();
    keys.add(ada, distribution);
    expect(() => keys.decrypt(new OwnSenderKey().encrypt(toBytes('who?')))).toThrow('unknown sender key');
    const other = proto.SenderKeyDistributionMessage.decode(distribution.subarray(1));
    other.signingKey = Buffer.concat([Buffer.from([5]), Curve.generateKeyPair().public]);
    const swapped = Buffer.concat([Buffer.from([0x33]), proto.SenderKeyDistributionMessage.encode(other).finish()]);
    expect(() => keys.add(bob, swapped)).toThrow('another signing key');
    expect(() => keys.add(bob, Buffer.from([0x33]))).toThrow('malformed');
    const signer = Curve.generateKeyPair();
    const signingKey = Buffer.concat([Buffer.from([5]), signer.public]);
    const ownDistribution = { id: 7, iteration: 0, chainKey: Buffer.alloc(32), signingKey };
    keys.add(
      ada,
      Buffer.concat([Buffer.from([0x33]), proto.SenderKeyDistributionMessage.encode(ownDistribution).finish()]),
    );
    const body = proto.SenderKeyMessage.encode({ id: 7, iteration: 2001, ciphertext: Buffer.alloc(16) }).finish();
    const message = Buffer.concat([Buffer.from([0x33]), body]);
    expect(() => keys.decrypt(Buffer.concat([message, sign(signer.private, message)]))).toThrow('too far ahead');
  });
});

describe('createVerifier()', () => {
  it('createVerifier() agrees with libsignal for both signs of the key', () => {
    for (let n = 0; n < 8; n++) {
      const pair = Curve.generateKeyPair();
      const verify = createVerifier(pair.public);
      const message = toBytes(`message ${n}`);
      const signature = sign(pair.private, message);
      expect(isValidSignature(pair.public, message, signature)).toBe(true);
      expect(verify(message, signature)).toBe(true);
      expect(verify(message, withWrongBit(signature))).toBe(false);
      expect(verify(toBytes('another'), signature)).toBe(false);
      expect(verify(message, signature.subarray(1))).toBe(false);
    }
  });
});
