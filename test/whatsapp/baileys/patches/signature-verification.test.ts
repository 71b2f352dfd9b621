import { createHash, randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { ed25519 } from '@noble/curves/ed25519.js';
import type { SignalRepositoryWithLIDStore } from '@whiskeysockets/baileys';
import { SenderKeyMessage } from '@whiskeysockets/baileys/lib/Signal/Group/sender-key-message.js';
import { Curve, signedKeyPair } from '@whiskeysockets/baileys/lib/Utils/crypto.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  ForgedSignatureError,
  installSignatureVerification,
  passesSelfTest,
  skipUnusableKeys,
  UnusableKeysError,
} from '../../../../src/whatsapp/baileys/patches/signature-verification.ts';
import * as xeddsa from '../../../../src/whatsapp/baileys/patches/xeddsa.ts';
import { readableLog, silent } from '../../../support/session-fakes.ts';

const require = createRequire(createRequire(import.meta.url).resolve('libsignal'));
const libsignal = createRequire(import.meta.url)('libsignal');
/** A second copy of curve25519-js, without the patch. */
const originalCurve = (() => {
  const path = require.resolve('curve25519-js');
  const cachedModule = require.cache[path];
  delete require.cache[path];
  const copy = require('curve25519-js');
  require.cache[path] = cachedModule;
  return copy;
})();

const flipBit = (bytes: Uint8Array, at = 10): Buffer => {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
};

/** Creates a libsignal store without sessions. */
const createEmptyStore = (identity: { public: Uint8Array; private: Uint8Array }) => {
  const stored: unknown[] = [];
  return {
    stored,
    isTrustedIdentity: () => true,
    loadSession: async () => undefined,
    storeSession: async (_id: string, record: unknown) => void stored.push(record),
    getOurIdentity: () => ({
      privKey: Buffer.from(identity.private),
      pubKey: Buffer.concat([Buffer.from([5]), identity.public]),
    }),
  };
};

const withTypeByte = (key: Uint8Array) => Buffer.concat([Buffer.from([5]), key]);

/** Creates a key bundle. `signature` replaces the valid signature. */
const createBundle = async (signature?: Buffer) => {
  const identity = Curve.generateKeyPair();
  const signed = await signedKeyPair(identity, 1);
  return {
    registrationId: 7,
    identityKey: withTypeByte(identity.public),
    signedPreKey: {
      keyId: 1,
      publicKey: withTypeByte(signed.keyPair.public),
      signature: signature ?? Buffer.from(signed.signature),
    },
  };
};

beforeEach(() => void installSignatureVerification({ verify: 'strict', log: silent }));
afterEach(() => void installSignatureVerification({ verify: 'strict', log: silent }));

describe('XEdDSA', () => {
  it('xeddsa.sign() creates signatures that curve25519-js accepts, the same for the same message', () => {
    for (let i = 0; i < 16; i++) {
      const pair = originalCurve.generateKeyPair(randomBytes(32));
      const message = new Uint8Array(randomBytes(i * 17));
      const signature = xeddsa.sign(pair.private, message);
      expect(originalCurve.verify(pair.public, message, signature)).toBe(true);
      expect(xeddsa.verify(pair.public, message, signature)).toBe(true);
      expect(xeddsa.sign(pair.private, message)).toEqual(signature);
    }
  });

  it('xeddsa.sign() uses another nonce for each message, from the full range of scalars', () => {
    const { Fn } = ed25519.Point;
    const toNumber = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
    const key = originalCurve.generateKeyPair(randomBytes(32)).private;
    const a = Fn.create(toNumber(key));
    const point = ed25519.Point.BASE.multiply(a).toBytes();
    const nonces = Array.from({ length: 64 }, (_, n) => {
      const message = Buffer.from([n]);
      const [commitment, response] = [xeddsa.sign(key, message).subarray(0, 32), xeddsa.sign(key, message).slice(32)];
      response[31] = (response[31] ?? 0) & 127;
      const h = Fn.create(toNumber(createHash('sha512').update(commitment).update(point).update(message).digest()));
      return Fn.sub(toNumber(response), Fn.mul(h, a));
    });
    expect(new Set(nonces).size).toBe(nonces.length);
    // The scalar of an Ed25519 key is always 8 times a number of at least 2 ** 251.
    const upper = nonces.filter((nonce) => Fn.div(nonce, 8n) >= 2n ** 251n).length;
    expect(upper).toBeGreaterThan(8);
    expect(upper).toBeLessThan(56);
  });

  it('xeddsa.verify() agrees with curve25519-js about valid, changed and random signatures', () => {
    for (let i = 0; i < 6; i++) {
      const pair = originalCurve.generateKeyPair(randomBytes(32));
      const message = new Uint8Array(randomBytes(40));
      const signature = originalCurve.sign(pair.private, message);
      const cases = [signature, flipBit(signature, 3), flipBit(signature, 45), flipBit(signature, 63), randomBytes(64)];
      for (const candidate of cases) {
        expect(xeddsa.verify(pair.public, message, candidate)).toBe(
          originalCurve.verify(pair.public, message, new Uint8Array(candidate)),
        );
      }
    }
  });

  it.each([
    ['a short signature', 32, 63],
    ['a long key', 33, 64],
    ['no signature', 32, 0],
  ])('xeddsa.verify() returns false for %s', (_, keyLength, signatureLength) => {
    expect(xeddsa.verify(new Uint8Array(keyLength), Buffer.from('m'), new Uint8Array(signatureLength))).toBe(false);
  });

  it('xeddsa.verify() returns false for a key that is not a point of the curve', () => {
    const minusOne = Buffer.from(`ec${'ff'.repeat(30)}7f`, 'hex');
    expect(xeddsa.verify(minusOne, Buffer.from('m'), randomBytes(64))).toBe(false);
  });
});

describe('installSignatureVerification', () => {
  const pair = Curve.generateKeyPair();
  const message = Buffer.from('certificate details');
  const signature = Buffer.from(xeddsa.sign(pair.private, message));

  it('Curve.verify() returns false for a wrong signature, a wrong key and a short signature', () => {
    expect(Curve.verify(pair.public, message, signature)).toBe(true);
    expect(Curve.verify(pair.public, message, flipBit(signature))).toBe(false);
    expect(Curve.verify(Curve.generateKeyPair().public, message, signature)).toBe(false);
    expect(Curve.verify(pair.public, message, Buffer.alloc(3))).toBe(false);
  });

  it('Curve.sign() creates signatures that curve25519-js accepts', () => {
    const createdSignature = Curve.sign(pair.private, message);
    expect(originalCurve.verify(pair.public, new Uint8Array(message), new Uint8Array(createdSignature))).toBe(true);
  });

  it('initOutgoing() opens no session from a bundle with a forged signed pre-key', async () => {
    const store = createEmptyStore(Curve.generateKeyPair());
    const builder = new libsignal.SessionBuilder(store, new libsignal.ProtocolAddress('12345_1', 0));
    await expect(builder.initOutgoing(await createBundle(randomBytes(64)))).rejects.toThrow(ForgedSignatureError);
    expect(store.stored).toHaveLength(0);
    await builder.initOutgoing(await createBundle());
    expect(store.stored).toHaveLength(1);
  });

  it('SenderKeyMessage.verifySignature() rejects a group message that was changed', () => {
    const signing = Curve.generateKeyPair();
    const sent = new SenderKeyMessage(1, 0, Buffer.from('ciphertext'), Buffer.from(signing.private));
    const parseMessage = (bytes: Uint8Array) => new SenderKeyMessage(null, null, null, null, bytes);
    expect(() => parseMessage(sent.serialize()).verifySignature(withTypeByte(signing.public))).not.toThrow();
    expect(() => parseMessage(flipBit(sent.serialize(), 4)).verifySignature(withTypeByte(signing.public))).toThrow(
      'Invalid signature',
    );
  });

  it('installSignatureVerification() accepts and logs a wrong signature in the mode warn', async () => {
    const { log, lines } = readableLog('warn');
    installSignatureVerification({ verify: 'warn', log });
    expect(Curve.verify(pair.public, message, flipBit(signature))).toBe(true);
    const store = createEmptyStore(Curve.generateKeyPair());
    const builder = new libsignal.SessionBuilder(store, new libsignal.ProtocolAddress('12345_1', 0));
    await builder.initOutgoing(await createBundle(randomBytes(64)));
    expect(store.stored).toHaveLength(1);
    expect(lines.map(({ msg, what, refused }) => ({ msg, what, refused }))).toEqual([
      { msg: 'signature.check.failed', what: 'certificate or account', refused: false },
      { msg: 'signature.check.failed', what: 'signed pre-key', refused: false },
    ]);
  });

  it.each([
    ['signs differently', { ...xeddsa, sign: () => new Uint8Array(64) }],
    [
      'signs some messages differently',
      { ...xeddsa, sign: (key: Uint8Array, message: Uint8Array) => xeddsa.sign(key, message[0] === 5 ? key : message) },
    ],
    ['accepts every signature', { ...xeddsa, verify: () => true }],
    ['refuses every signature', { ...xeddsa, verify: () => false }],
    [
      'throws',
      {
        ...xeddsa,
        sign: () => {
          throw new Error('no BigInt here');
        },
      },
    ],
  ])('installSignatureVerification() uses the original code when the implementation %s, and rejects wrong signatures', (_, implementation) => {
    const { log, lines } = readableLog('warn');
    installSignatureVerification({ verify: 'strict', log, implementation });
    expect(Curve.verify(pair.public, message, signature)).toBe(true);
    expect(lines.map(({ msg }) => msg)).toEqual(['signature.self_test.failed']);
    expect(Curve.verify(pair.public, message, flipBit(signature))).toBe(false);
    expect(Buffer.from(Curve.sign(pair.private, message))).toEqual(
      Buffer.from(originalCurve.sign(pair.private, message)),
    );
  });

  it('installSignatureVerification() uses an implementation that passes the self-test', () => {
    expect(passesSelfTest(xeddsa)).toBe(true);
    const signed: Uint8Array[] = [];
    const implementation = {
      ...xeddsa,
      sign(key: Uint8Array, text: Uint8Array) {
        signed.push(text);
        return xeddsa.sign(key, text);
      },
    };
    installSignatureVerification({ verify: 'strict', log: silent, implementation });
    expect(signed).toEqual([]);
    Curve.sign(pair.private, message);
    expect(signed.at(-1)).toEqual(message);
    expect(signed.length).toBeGreaterThan(1);
  });
});

describe('skipUnusableKeys', () => {
  const createRepository = (inject: () => Promise<void>) =>
    skipUnusableKeys(() => ({ injectE2ESession: inject }) as unknown as SignalRepositoryWithLIDStore, silent)(
      { creds: {}, keys: {} } as never,
      {} as never,
    );
  const bundle = { jid: '1@lid', session: {} } as never;

  it('skipUnusableKeys() skips a device with unusable keys', async () => {
    const repository = createRepository(async () => {
      throw new UnusableKeysError(new ForgedSignatureError('signed pre-key'));
    });
    await expect(repository.injectE2ESession(bundle)).resolves.toBeUndefined();
  });

  it('skipUnusableKeys() rejects for every other failure', async () => {
    const repository = createRepository(async () => {
      throw new Error('disk full');
    });
    await expect(repository.injectE2ESession(bundle)).rejects.toThrow('disk full');
  });
});
