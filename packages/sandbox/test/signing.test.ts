import { Curve } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { usePublishedSignatures } from '../../../test/support/signatures.ts';
import { isValidSignature, sign, withWrongBit } from '../src/crypto/signing.ts';

describe('signatures', () => {
  it('are valid for their own key and message only', () => {
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

  it('of Baileys are valid', () => {
    usePublishedSignatures();
    const key = Curve.generateKeyPair();
    expect(isValidSignature(key.public, Buffer.from('x'), Curve.sign(key.private, Buffer.from('x')))).toBe(true);
  });

  it('of the wrong length are invalid and do not throw', () => {
    expect(isValidSignature(Curve.generateKeyPair().public, Buffer.from('x'), Buffer.alloc(3))).toBe(false);
    expect(isValidSignature(Buffer.alloc(3), Buffer.from('x'), Buffer.alloc(64))).toBe(false);
  });
});
