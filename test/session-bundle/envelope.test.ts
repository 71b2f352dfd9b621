import { createCipheriv, createHmac, randomBytes, scryptSync } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import type { SessionBundle } from '../../src/session-bundle/bundle.ts';
import { BundleError } from '../../src/session-bundle/bundle-error.ts';
import { decryptBundle, type EncryptedBundle, encryptBundle, isEncrypted } from '../../src/session-bundle/envelope.ts';
import { parseBundle } from '../../src/session-bundle/parse.ts';
import { silenceConsole } from '../support/console.ts';
import { fullBundle, withChanges } from '../support/sample-bundle.ts';
import { rememberDerivedKeys } from '../support/scrypt.ts';

const PASSPHRASE = 'a long passphrase';

let full: SessionBundle;
let encrypted: EncryptedBundle;
/** The keys of `encrypted`. The test derives them without the tested code. */
let derivedKeys: Buffer | undefined;

// libsignal reports closed sessions with their keys.
silenceConsole();
rememberDerivedKeys();
beforeAll(async () => {
  full = await fullBundle();
  encrypted = await encryptBundle(full, PASSPHRASE);
});

/** Returns the field and the message of the BundleError with which `call` rejects. */
async function rejection(call: Promise<unknown>): Promise<{ field: string; message: string }> {
  const error: unknown = await call.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  if (!(error instanceof BundleError)) throw new Error('expected a BundleError', { cause: error });
  return { field: error.field, message: error.message };
}

/** Encrypts any content, as a hostile program with the passphrase can do. */
function envelopeOf(compressed: Buffer): EncryptedBundle {
  const salt = Buffer.from(encrypted.encryption.salt, 'base64');
  const nonce = randomBytes(12);
  derivedKeys ??= scryptSync(PASSPHRASE, salt, 64, { N: 2 ** 17, r: 8, p: 1, maxmem: 2 ** 28 });
  const { format, version, compression, encryption } = encrypted;
  const header = [format, version, compression, 'aes-256-gcm', 'scrypt', 2 ** 17, 8, 1, salt.toString('base64')];
  const cipher = createCipheriv('aes-256-gcm', derivedKeys.subarray(0, 32), nonce).setAAD(
    Buffer.from(header.join('\n')),
  );
  const ciphertext = Buffer.concat([cipher.update(compressed), cipher.final(), cipher.getAuthTag()]);
  const check = createHmac('sha256', derivedKeys.subarray(32)).update(header.join('\n')).digest('base64');
  const parameters = { ...encryption, salt: salt.toString('base64'), nonce: nonce.toString('base64'), check };
  return { format, version, compression, encryption: parameters, ciphertext: ciphertext.toString('base64') };
}

/** Compressed spaces. */
const mebibyte = gzipSync(Buffer.alloc(2 ** 20, 0x20));

describe('encrypted bundles', () => {
  it('decryptBundle() returns the bundle that was encrypted, also after JSON serialization', async () => {
    const value: unknown = JSON.parse(JSON.stringify(encrypted));
    expect(isEncrypted(value)).toBe(true);
    if (isEncrypted(value)) expect(parseBundle(await decryptBundle(value, PASSPHRASE))).toEqual(full);
    expect([full, null, [], 'text'].map(isEncrypted)).toEqual([false, false, false, false]);
  });

  it('encryptBundle() encrypts differently each time and leaves nothing in plain text', async () => {
    const secondEnvelope = await encryptBundle(full, PASSPHRASE);
    expect(secondEnvelope.encryption.salt).not.toBe(encrypted.encryption.salt);
    expect(secondEnvelope.encryption.nonce).not.toBe(encrypted.encryption.nonce);
    expect(secondEnvelope.ciphertext).not.toBe(encrypted.ciphertext);
    const text = JSON.stringify(encrypted);
    for (const secret of ['shop', full.credentials.noiseKey.private, '4915550001']) expect(text).not.toContain(secret);
  });

  it('decryptBundle() accepts the passphrase in another encoding of Unicode', async () => {
    const envelope = await encryptBundle(full, 'pass\u00e4phrase \ufb01nal');
    expect(await decryptBundle(envelope, 'passa\u0308phrase final')).toEqual(JSON.parse(JSON.stringify(full)));
  });

  it('encryptBundle() requires a passphrase of 12 to 1024 characters', async () => {
    expect(await rejection(encryptBundle(full, 'eleven char'))).toEqual({
      field: 'passphrase',
      message: 'The passphrase must have at least 12 characters.',
    });
    // Six characters of two UTF-16 units.
    expect((await rejection(encryptBundle(full, '😀'.repeat(6)))).field).toBe('passphrase');
    for (const call of [encryptBundle(full, 'x'.repeat(1025)), decryptBundle(encrypted, 'x'.repeat(1025))]) {
      expect((await rejection(call)).message).toBe('The passphrase must have at most 1024 characters.');
    }
  });

  it.each(['another passphrase', ''])('decryptBundle() rejects the wrong passphrase %j', async (passphrase) => {
    expect(await rejection(decryptBundle(encrypted, passphrase))).toEqual({
      field: 'passphrase',
      message: 'The passphrase of the bundle is wrong.',
    });
  });

  it('decryptBundle() rejects a changed or truncated ciphertext and another nonce', async () => {
    const bytes = Buffer.from(encrypted.ciphertext, 'base64');
    const flipped = Buffer.from(bytes);
    flipped.writeUInt8(flipped.readUInt8(100) ^ 1, 100);
    const nonce = randomBytes(12).toString('base64');
    const damaged = [
      { ...encrypted, ciphertext: flipped.toString('base64') },
      { ...encrypted, ciphertext: bytes.subarray(0, -1).toString('base64') },
      { ...encrypted, ciphertext: bytes.subarray(0, 16).toString('base64') },
      { ...encrypted, encryption: { ...encrypted.encryption, nonce } },
    ];
    for (const value of damaged) {
      expect(await rejection(decryptBundle(value, PASSPHRASE))).toEqual({
        field: 'ciphertext',
        message: 'The bundle is damaged: its ciphertext was changed or cut off.',
      });
    }
  });

  it.each<[path: string, problem: string, value: unknown]>([
    ['encryption|N', 'must be 131072', 2 ** 30],
    ['encryption|r', 'must be 8', 8.5],
    ['encryption|p', 'must be 1', 1000],
    ['encryption|kdf', 'must be scrypt', 'none'],
    ['encryption|cipher', 'must be aes-256-gcm', 'aes-256-ecb'],
    ['encryption|salt', 'must be 16 bytes in base64', ''],
    ['encryption|nonce', 'must be 12 bytes in base64', 'A'.repeat(1000)],
    ['encryption|check', 'must be 32 bytes in base64', undefined],
    ['encryption|extra', 'is unknown', 1],
    ['encryption', 'must be an object', 'aes'],
    ['compression', 'must be gzip', 'brotli'],
    ['ciphertext', 'must be 16 to 134217728 bytes in base64', 'AAAA'],
    ['ciphertext', 'must be 16 to 134217728 bytes in base64', ['AAAA']],
    ['keys', 'is unknown', {}],
  ])('decryptBundle() rejects an invalid field before any cryptography: %s %s', async (path, problem, value) => {
    const field = path.replaceAll('|', '.');
    const hostile = Object(withChanges(Object(encrypted), { [path]: value }));
    expect(await rejection(decryptBundle(hostile, PASSPHRASE))).toEqual({
      field,
      message: `The field ${field} ${problem}.`,
    });
  });

  it('decryptBundle() reports that a bundle was written by a newer release', async () => {
    const newer = Object({ ...encrypted, version: 2 });
    expect((await rejection(decryptBundle(newer, PASSPHRASE))).message).toBe(
      'The bundle was written by a newer release, which this one cannot read.',
    );
  });

  it('decryptBundle() checks a large ciphertext in its whole length', async () => {
    const ciphertext = `${'A'.repeat(64 * 2 ** 20)}!AAA`;
    expect((await rejection(decryptBundle({ ...encrypted, ciphertext }, PASSPHRASE))).field).toBe('ciphertext');
  });

  it.each([
    ['is not compressed', () => Buffer.from('{}'), 'The bundle is damaged: it cannot be decompressed.'],
    ['is not JSON', () => gzipSync('{"token":"secret"'), 'The bundle is damaged: its contents are not JSON.'],
    [
      'has more than 256 MiB',
      // A gzip file can have several members.
      () => Buffer.concat(Array.from({ length: 257 }, () => mebibyte)),
      'The bundle must have at most 256 MiB after decompression.',
    ],
    [
      'is deeply nested',
      () => gzipSync(`{"format":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}`),
      'The bundle has too many values, or is nested too deep.',
    ],
    [
      'has millions of values',
      () => gzipSync(`{"format":[${'[],'.repeat(6_000_000)}[]]}`),
      'The bundle has too many values, or is nested too deep.',
    ],
  ])('decryptBundle() rejects a bundle whose content %s', async (_, content, message) => {
    expect(await rejection(decryptBundle(envelopeOf(content()), PASSPHRASE))).toEqual({ field: 'ciphertext', message });
  });
});
