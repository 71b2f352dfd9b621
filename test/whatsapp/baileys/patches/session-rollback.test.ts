import { Curve, generateSignalPubKey, signedKeyPair } from '@whiskeysockets/baileys';
import { ProtocolAddress, SessionBuilder, SessionCipher, SessionRecord, type SignalStorage } from 'libsignal';
import { beforeAll, expect, it } from 'vitest';
import { installLibsignalConsole } from '../../../../src/whatsapp/baileys/patches/libsignal-console.ts';
import { installSessionRollback } from '../../../../src/whatsapp/baileys/patches/session-rollback.ts';

const toPair = (pair: ReturnType<typeof Curve.generateKeyPair>) => ({
  privKey: Buffer.from(pair.private),
  pubKey: Buffer.from(generateSignalPubKey(pair.public)),
});

type Bundle = Parameters<SessionBuilder['initOutgoing']>[0];

/** A device that talks to one other. */
function device(name: string) {
  const identity = Curve.generateKeyPair();
  const signed = signedKeyPair(identity, 1);
  const oneTime = Curve.generateKeyPair();
  let saved: Uint8Array | undefined;
  const storage: SignalStorage = {
    loadSession: async () => saved && SessionRecord.deserialize(saved),
    storeSession: async (_, record) => {
      saved = record.serialize();
    },
    isTrustedIdentity: () => true,
    loadPreKey: async () => toPair(oneTime),
    removePreKey: () => undefined,
    loadSignedPreKey: () => toPair(signed.keyPair),
    getOurRegistrationId: () => 1,
    getOurIdentity: () => toPair(identity),
  };
  const peer = new ProtocolAddress(name, 0);
  const cipher = new SessionCipher(storage, peer);
  const bundle: Bundle = {
    registrationId: 1,
    identityKey: toPair(identity).pubKey,
    signedPreKey: { keyId: 1, publicKey: toPair(signed.keyPair).pubKey, signature: Buffer.from(signed.signature) },
    preKey: { keyId: 1, publicKey: toPair(oneTime).pubKey },
  };
  return {
    bundle,
    /** Begins a session, beside any that is there. */
    open: (other: Bundle) => new SessionBuilder(storage, peer).initOutgoing(other),
    say: (text: string) => cipher.encrypt(Buffer.from(text)),
    async hear({ type, body }: { type: number; body: string }) {
      const bytes = Buffer.from(body, 'binary');
      const plain = await (type === 3
        ? cipher.decryptPreKeyWhisperMessage(bytes)
        : cipher.decryptWhisperMessage(bytes));
      return plain.toString();
    },
  };
}

beforeAll(() => {
  installLibsignalConsole();
  installSessionRollback();
});

it('a new session survives messages of the previous one that arrive late', async () => {
  const [we, they] = [device('they'), device('we')];
  await we.open(they.bundle);
  expect(await they.hear(await we.say('hello'))).toBe('hello');
  expect(await we.hear(await they.say('hi'))).toBe('hi');
  expect(await they.hear(await we.say('there'))).toBe('there');
  const underWay = await they.say('of the old session');
  await we.open(they.bundle);
  const anew = await we.say('of the new one');
  expect(await we.hear(underWay)).toBe('of the old session');
  expect(await they.hear(anew)).toBe('of the new one');
  expect(await we.hear(await they.say('answer'))).toBe('answer');
  expect(await they.hear(await we.say('goes on'))).toBe('goes on');
});
