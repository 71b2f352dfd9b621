import { createRequire } from 'node:module';
import { beforeAll, expect, it } from 'vitest';
import { installKeyAgreement } from '../../../../src/whatsapp/baileys/patches/key-agreement.ts';
import { Random } from '../../../support/random.ts';

interface Curve {
  calculateAgreement(publicKey: Buffer, privateKey: Buffer): Buffer;
  generateKeyPair(): { pubKey: Buffer; privKey: Buffer };
  getPublicFromPrivateKey(privateKey: Buffer): Buffer;
}

const requireFromBaileys = createRequire(import.meta.resolve('@whiskeysockets/baileys'));
const curve: Curve = requireFromBaileys('libsignal/src/curve.js');
const { calculateAgreement, generateKeyPair } = curve;

const agreementOf = (compute: () => Buffer): string => {
  try {
    return compute().toString('hex');
  } catch (error) {
    return String(error);
  }
};

beforeAll(() => installKeyAgreement());

it('installKeyAgreement() computes the same 1,000 agreements as libsignal, also with repeated keys', () => {
  const random = new Random(180, 'agreements');
  const pairs = Array.from({ length: 40 }, () => (random.chance(0.5) ? curve.generateKeyPair() : generateKeyPair()));
  const randomKey = () => random.bytes(32);
  for (let round = 0; round < 1_000; round++) {
    const privateKey = random.chance(0.7) ? random.pick(pairs).privKey : randomKey();
    const publicKey = random.chance(0.7) ? random.pick(pairs).pubKey : Buffer.concat([Buffer.of(5), randomKey()]);
    const agreement = agreementOf(() => curve.calculateAgreement(publicKey, privateKey));
    expect(agreement).toBe(agreementOf(() => calculateAgreement(publicKey, privateKey)));
  }
});

it('installKeyAgreement() creates key pairs in the form of libsignal, with which both sides agree', () => {
  for (let round = 0; round < 20; round++) {
    const [one, other] = [curve.generateKeyPair(), generateKeyPair()];
    expect([one.pubKey.length, one.pubKey[0], one.privKey.length]).toEqual([33, 5, 32]);
    expect(one.pubKey).not.toEqual(other.pubKey);
    const shared = calculateAgreement(one.pubKey, other.privKey);
    expect(curve.calculateAgreement(other.pubKey, one.privKey)).toEqual(shared);
    expect(calculateAgreement(other.pubKey, one.privKey)).toEqual(shared);
  }
});

it.each([
  ['a public key of another type', Buffer.concat([Buffer.of(6), Buffer.alloc(32, 9)]), Buffer.alloc(32, 1)],
  ['a short public key', Buffer.alloc(31, 9), Buffer.alloc(32, 1)],
  ['a short private key', Buffer.concat([Buffer.of(5), Buffer.alloc(32, 9)]), Buffer.alloc(31, 1)],
  ['the point of order one', Buffer.concat([Buffer.of(5), Buffer.alloc(32)]), Buffer.alloc(32, 1)],
])('installKeyAgreement() rejects %s with the error of libsignal', (_, publicKey, privateKey) => {
  const agreement = agreementOf(() => curve.calculateAgreement(publicKey, privateKey));
  expect(agreement).toMatch(/Error/);
  expect(agreement).toBe(agreementOf(() => calculateAgreement(publicKey, privateKey)));
});
