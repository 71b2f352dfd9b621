import { Curve } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { usePublishedSignatures } from '../../../test/support/signatures.ts';
import { isValidSignature, sign, withWrongBit } from '../src/crypto/signing.ts';

describe('signatures', () => {
  it('isValidSignature() accepts a signature for its own key and message only', () => {
    usePublishedSignatures();
    for (let n = 0; n < 10; n++) {
      const [key, other] = [Curve.generateKeyPair(), Curve.generateKeyPair()];
      const message = Buffer.from(`message ${n}`);
      const signature = sign(key.private, message);
      expect(isValidSignature(key.public, message, signature)).toBe(true);
      expect(isValidSignature(other.public, message, signature)).toBe(false);
      expect(isValidSignature(key.public, Buffer.from('another'), signature)).toBe(false);
      expect(isValidSignature(key.public, message, withWrongBit(signature))).toBe(false);
    }
  });

  it('isValidSignature() accepts the signatures of Baileys', () => {
    usePublishedSignatures();
    const key = Curve.generateKeyPair();
    expect(isValidSignature(key.public, Buffer.from('x'), Curve.sign(key.private, Buffer.from('x')))).toBe(true);
  });

  it('isValidSignature() rejects a signature or key of the wrong length without an exception', () => {
    expect(isValidSignature(Curve.generateKeyPair().public, Buffer.from('x'), Buffer.alloc(3))).toBe(false);
    expect(isValidSignature(Buffer.alloc(3), Buffer.from('x'), Buffer.alloc(64))).toBe(false);
  });
});
