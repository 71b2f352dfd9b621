import { createRequire } from 'node:module';
import { beforeAll, expect, it } from 'vitest';
import { installKeyDerivation } from '../../../../src/whatsapp/baileys/patches/key-derivation.ts';
import { Random } from '../../../support/random.ts';

interface Crypto {
  deriveSecrets(input: unknown, salt: unknown, info: unknown, chunks?: number): Buffer[];
}

const requireFromBaileys = createRequire(import.meta.resolve('@whiskeysockets/baileys'));
const crypto: Crypto = requireFromBaileys('libsignal/src/crypto.js');
const { deriveSecrets } = crypto;

beforeAll(() => installKeyDerivation());

it('installKeyDerivation() derives the keys of test case 1 of RFC 5869 with a salt of 32 bytes', () => {
  // The RFC pads a shorter salt with zeros (HMAC), so that the result is the same.
  const salt = Buffer.concat([Buffer.from('000102030405060708090a0b0c', 'hex'), Buffer.alloc(19)]);
  const [first, second] = crypto.deriveSecrets(
    Buffer.alloc(22, 0x0b),
    salt,
    Buffer.from('f0f1f2f3f4f5f6f7f8f9', 'hex'),
  );
  expect(
    Buffer.concat([first ?? Buffer.alloc(0), second ?? Buffer.alloc(0)])
      .subarray(0, 42)
      .toString('hex'),
  ).toBe('3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865');
});

it('installKeyDerivation() computes the same 1,000 derivations as libsignal', () => {
  const random = new Random(192, 'derivations');
  for (let round = 0; round < 1_000; round++) {
    const input = random.bytes(32 + 32 * random.int(4));
    const salt = random.chance(0.3) ? Buffer.alloc(32) : random.bytes(32);
    const info = Buffer.from(random.pick(['WhisperText', 'WhisperRatchet', 'WhisperMessageKeys', '']));
    const chunks = random.pick([undefined, 1, 2, 3]);
    expect(crypto.deriveSecrets(input, salt, info, chunks)).toEqual(deriveSecrets(input, salt, info, chunks));
  }
});

it.each([
  ['a short salt', Buffer.alloc(32), Buffer.alloc(31), Buffer.alloc(0), 3],
  ['an input that is not a buffer', 'input', Buffer.alloc(32), Buffer.alloc(0), 3],
  ['four keys', Buffer.alloc(32), Buffer.alloc(32), Buffer.alloc(0), 4],
])('installKeyDerivation() rejects %s with the error of libsignal', (_, input, salt, info, chunks) => {
  const errorOf = (derive: Crypto['deriveSecrets']): string => {
    try {
      return derive(input, salt, info, chunks).join();
    } catch (error) {
      return String(error);
    }
  };
  expect(errorOf(crypto.deriveSecrets)).toMatch(/Error/);
  expect(errorOf(crypto.deriveSecrets)).toBe(errorOf(deriveSecrets));
});
