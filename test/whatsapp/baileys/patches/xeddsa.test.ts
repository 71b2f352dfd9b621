import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import * as xeddsa from '../../../../src/whatsapp/baileys/patches/xeddsa.ts';

const hex = (text: string) => new Uint8Array(Buffer.from(text, 'hex'));

/**
 * The published test vector of XEdDSA signatures: Curve25519Test of libsignal-protocol-java, also in Signal's C, Swift
 * and Rust libraries. A signature contains a random nonce, so the vector can only test the verification.
 */
const VECTOR = {
  privateKey: hex('c097248412e58bf05df487968205132794178e367637f5818f81e0e6ce73e865'),
  publicKey: hex('ab7e717d4a163b7d9a1d8071dfe9dcf8cdcd1cea3339b6356be84d887e322c64'),
  message: hex('05edce9d9c415ca78cb7252e72c2c4a554d3eb29485a0e1d503118d1a82d99fb4a'),
  signature: hex(
    '5de88ca9a89b4a115da79109c67c9c7464a3e4180274f1cb8c63c2984e286dfb' +
      'ede82deb9dcd9fae0bfbb821569b3d9001bd8130cd11d486cef047bd60b86e88',
  ),
};

const requireFromBaileys = createRequire(import.meta.resolve('@whiskeysockets/baileys'));
const requireFromLibsignal = createRequire(requireFromBaileys.resolve('libsignal'));

it('xeddsa.verify() accepts the signature of the published test vector', () => {
  const { privateKey, publicKey, message, signature } = VECTOR;
  expect(xeddsa.verify(publicKey, message, signature)).toBe(true);
  const { public: derivedKey } = requireFromLibsignal('curve25519-js').generateKeyPair(privateKey);
  expect(new Uint8Array(derivedKey)).toEqual(publicKey);
});

it('xeddsa.verify() rejects the signature of the published test vector with any byte changed', () => {
  const { publicKey, message, signature } = VECTOR;
  for (const index of signature.keys()) {
    const changed = Uint8Array.from(signature);
    changed[index] = (changed[index] ?? 0) ^ 1;
    expect(xeddsa.verify(publicKey, message, changed), `byte ${index}`).toBe(false);
  }
});

it('xeddsa.verify() rejects the signature of the published test vector for another message', () => {
  const { publicKey, message, signature } = VECTOR;
  expect(xeddsa.verify(publicKey, message.subarray(1), signature)).toBe(false);
});

it('xeddsa.sign() creates a signature that the public key of the published test vector verifies', () => {
  const { privateKey, publicKey, message } = VECTOR;
  const signature = xeddsa.sign(privateKey, message);
  expect(xeddsa.verify(publicKey, message, signature)).toBe(true);
  // The sign bit of the Ed25519 key is in the last byte, as in the published signature.
  expect((signature[63] ?? 0) & 128).toBe((VECTOR.signature[63] ?? 0) & 128);
});
