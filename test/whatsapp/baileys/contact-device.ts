// Simulates devices of contacts: their keys, in the form in which WhatsApp sends them, and their decryption.
import { Curve, generateSignalPubKey, proto, signedKeyPair } from '@whiskeysockets/baileys';
import { ProtocolAddress, SessionCipher, type SessionRecord, type SignalStorage } from 'libsignal';
import type { Stanza } from '../../../src/whatsapp/baileys/stanza.ts';

export const toPair = (pair: ReturnType<typeof Curve.generateKeyPair>) => ({
  privKey: Buffer.from(pair.private),
  pubKey: Buffer.from(generateSignalPubKey(pair.public)),
});

/** Returns a device to which an account can send. */
export function createDevice() {
  const identity = Curve.generateKeyPair();
  const signed = signedKeyPair(identity, 1);
  const oneTime = Curve.generateKeyPair();
  return {
    bundle: {
      registrationId: 9,
      identityKey: toPair(identity).pubKey,
      signedPreKey: { keyId: 1, publicKey: toPair(signed.keyPair).pubKey, signature: Buffer.from(signed.signature) },
      preKey: { keyId: 1, publicKey: toPair(oneTime).pubKey },
    },
    /** Returns a function that decrypts messages as a device that has received nothing yet. */
    receiver() {
      let record: SessionRecord | undefined;
      const storage: SignalStorage = {
        loadSession: async () => record,
        storeSession: async (_, changed) => {
          record = changed;
        },
        isTrustedIdentity: () => true,
        loadPreKey: async () => toPair(oneTime),
        removePreKey: () => undefined,
        loadSignedPreKey: () => toPair(signed.keyPair),
        getOurRegistrationId: () => 9,
        getOurIdentity: () => toPair(identity),
      };
      const cipher = new SessionCipher(storage, new ProtocolAddress('account', 0));
      return async ({ content }: Stanza): Promise<proto.Message> => {
        if (!(content instanceof Uint8Array)) throw new Error('no ciphertext');
        const padded = await cipher.decryptPreKeyWhisperMessage(Buffer.from(content));
        return proto.Message.decode(padded.subarray(0, padded.length - (padded.at(-1) ?? 0)));
      };
    },
  };
}

export type Receiver = ReturnType<ReturnType<typeof createDevice>['receiver']>;

/** Encodes a number, big endian. */
const toBytes = (value: number, length: number): Buffer => {
  const bytes = Buffer.alloc(length);
  bytes.writeUIntBE(value, 0, length);
  return bytes;
};

/** Returns the `<user>` element with the keys of a device in WhatsApp's answer to a key query. */
export function toKeyNode(jid: string | undefined, { bundle }: ReturnType<typeof createDevice>): Stanza {
  const { registrationId, identityKey, signedPreKey, preKey } = bundle;
  const element = (tag: string, content: Buffer | Stanza[]): Stanza => ({ tag, attrs: {}, content });
  const keyNode = (tag: string, { keyId, publicKey }: typeof preKey, otherElements: Stanza[] = []) =>
    element(tag, [element('id', toBytes(keyId, 3)), element('value', publicKey.subarray(1)), ...otherElements]);
  return {
    tag: 'user',
    attrs: { jid: jid ?? '' },
    content: [
      element('registration', toBytes(registrationId, 4)),
      element('type', Buffer.of(5)),
      element('identity', identityKey.subarray(1)),
      keyNode('skey', signedPreKey, [element('signature', signedPreKey.signature)]),
      keyNode('key', preKey),
    ],
  };
}
