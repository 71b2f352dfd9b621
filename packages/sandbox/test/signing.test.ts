import { Curve } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { isValidSignature, sign, withWrongBit } from '../src/crypto/signing.ts';

describe('signatures', () => {
  it('verify for the key and message they were made for, and for nothing else', () => {
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

  it('are accepted from Baileys itself', () => {
    const key = Curve.generateKeyPair();
    expect(isValidSignature(key.public, Buffer.from('x'), Curve.sign(key.private, Buffer.from('x')))).toBe(true);
  });

  it('of the wrong length are false, not an exception', () => {
    expect(isValidSignature(Curve.generateKeyPair().public, Buffer.from('x'), Buffer.alloc(3))).toBe(false);
    expect(isValidSignature(Buffer.alloc(3), Buffer.from('x'), Buffer.alloc(64))).toBe(false);
  });
});
