// Published vectors (RFC 1321, RFC 5869), vectors created with whatsapp-rust-bridge 0.5.4, and errors.
import { globSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as exported from '../src/index.js';

const { expandAppStateKeys, hkdf, LTHashAntiTampering, md5 } = exported;
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
/** Bytes `first`, `first + 1`, … */
const range = (first: number, length: number) => Uint8Array.from({ length }, (_, n) => first + n);

describe('md5', () => {
  it.each([
    ['', 'd41d8cd98f00b204e9800998ecf8427e'],
    ['a', '0cc175b9c0f1b6a831c399e269772661'],
    ['abc', '900150983cd24fb0d6963f7d28e17f72'],
    ['message digest', 'f96b697d7cb7938d525a2f31aaf161d0'],
    ['abcdefghijklmnopqrstuvwxyz', 'c3fcd3d76192e4007dfb496cca67e13b'],
    ['ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789', 'd174ab98d277d9f5a5611c2c9f419d9f'],
    ['1234567890'.repeat(8), '57edf4a22be3c955ac49da2e2107b67a'],
  ])('md5(%o) returns the digest of RFC 1321, A.5', (text, digest) => {
    expect(hex(md5(Buffer.from(text)))).toBe(digest);
  });
});

describe('hkdf', () => {
  const key = new Uint8Array(22).fill(0x0b);

  it('hkdf() derives the key of RFC 5869, A.1', () => {
    expect(hex(hkdf(key, 42, { salt: range(0, 13), info: range(0xf0, 10) }))).toBe(
      '3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865',
    );
  });

  it('hkdf() derives the key of RFC 5869, A.2 (longer inputs)', () => {
    expect(hex(hkdf(range(0, 80), 82, { salt: range(0x60, 80), info: range(0xb0, 80) }))).toBe(
      'b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87',
    );
  });

  it('hkdf() derives the key of RFC 5869, A.3 (no salt, no info)', () => {
    const expected = '8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8';
    expect(hex(hkdf(key, 42, {}))).toBe(expected);
    expect(hex(hkdf(key, 42, { salt: new Uint8Array(0), info: '' }))).toBe(expected);
    expect(hex(hkdf(key, 42, { salt: new Uint8Array(32) }))).toBe(expected);
  });

  it('hkdf() derives the keys of whatsapp-rust-bridge with a salt, with multi-byte text and with a long info', () => {
    const one = new Uint8Array(32).fill(1);
    expect(hex(hkdf(one, 64, { salt: new Uint8Array(32).fill(2), info: '' }))).toBe(
      'f13753d996ddf621689ee1baf81726ca065217bb9d98360dd0b4f546aefc5c82ae01a6e50aa53792f16cd2bac200bd8d184ae305594cbdd4f79d8db3a9aa6cc1',
    );
    expect(hex(hkdf(one, 16, { info: 'é\u{1F600}\uD800' }))).toBe('018d65028bc6e31fb565ddbda92ab430');
    expect(hex(hkdf(one, 16, { info: 'x'.repeat(2000) }))).toBe('360e8f267089a2ef19cd0d421279cce6');
  });

  it('hkdf() derives from 0 to 8160 bytes and rejects other lengths', () => {
    expect(hkdf(key, 0, {})).toHaveLength(0);
    expect(hkdf(key, 8160, {})).toHaveLength(8160);
    for (const length of [-1, 8161, 1.5, Number.NaN]) {
      expect(() => hkdf(key, length, {})).toThrow(
        new RangeError(`HKDF length must be an integer from 0 to 8160, got ${length}`),
      );
    }
  });
});

describe('expandAppStateKeys', () => {
  it('expandAppStateKeys() derives the five keys that whatsapp-rust-bridge derives', () => {
    const { indexKey, valueEncryptionKey, valueMacKey, snapshotMacKey, patchMacKey } = expandAppStateKeys(
      new Uint8Array(32).fill(1),
    );
    expect([indexKey, valueEncryptionKey, valueMacKey, snapshotMacKey, patchMacKey].map(hex)).toEqual([
      'cf5843111e02668ac841ab11241343c880f245788f1852427a680fc70d54752f',
      'df562a2f01462897c812c7babd8266f3f5a48c8cfd1a40be7f3b3914c0d31797',
      '2becbac4c8cfc92222d12751d61f3737c8bc79707bac75becf869e39e876aae1',
      '64ca9f24f2f9db72d481f8dd1f9da6d451332139e5d0deb5b02c4373cd746729',
      'd7fb7d55086ae9bbf027d23ae5747e2107e0bd8a39ac304aa39e44b8f3ba12a2',
    ]);
  });
});

describe('LTHashAntiTampering', () => {
  const hash = new LTHashAntiTampering();
  const zero = new Uint8Array(128);
  const valueMac = new Uint8Array(32).fill(1);

  it('subtractThenAdd() adds and subtracts a value MAC like whatsapp-rust-bridge', () => {
    expect(hex(hash.subtractThenAdd(zero, [], [valueMac]))).toBe(
      '480731be8120f60bc4ec932b3d4a39963619f5159f1b76eb47c202e2015b5eacfaeb9739457e87ebe9b32113d372c334184c526cb53a7b3a62ec3732838ee43b94d8b11eeb4c6a278ac31f15e3d4b26e23f637f31e278ff399d2141a81dbc5f400aa882afeff5deeedd3ebcdd7e6e0757b7f0fb0595de01935b2819f1ab58173',
    );
    expect(hex(hash.subtractThenAdd(zero, [valueMac], []))).toBe(
      'b8f8cf417fdf0af43c136dd4c3b5c769cae60bea61e48a14b93dfe1dffa4a253061469c6bb817914174cdfec2d8d3dcbe8b3ae934bc585c59e13c9cd7d711cc46c274fe115b396d8763ce1ea1d2b4e91dd09c90ce2d8710c672dece57f243b0b005678d50200a311132c15322919208a8580f14fa7a220e6cb4d7f60e64a7f8c',
    );
  });

  it('subtractThenAdd() restores the hash when the added MACs are subtracted, and does not change its argument', () => {
    const base = range(0, 128);
    const macs = [range(1, 32), range(2, 32), range(3, 32)];
    const changed = hash.subtractThenAdd(base, [], macs);
    expect(hex(changed)).not.toBe(hex(base));
    expect(hex(hash.subtractThenAdd(changed, macs.toReversed(), []))).toBe(hex(range(0, 128)));
    expect(hex(base)).toBe(hex(range(0, 128)));
  });

  it('subtractThenAdd() rejects a hash of another length than 128 bytes', () => {
    for (const length of [0, 64, 130]) {
      expect(() => hash.subtractThenAdd(new Uint8Array(length), [], [])).toThrow(
        new RangeError(`the base hash must have 128 bytes, got ${length}`),
      );
    }
  });
});

describe('package whatsapp-crypto', () => {
  it('whatsapp-crypto exports all names that Baileys imports from whatsapp-rust-bridge, and no others', () => {
    const files = globSync('node_modules/@whiskeysockets/baileys/lib/**/*.js');
    const lines = files.flatMap((file) => readFileSync(file, 'utf8').split('\n'));
    const statements = lines.filter((line) => line.includes("'whatsapp-rust-bridge'"));
    const names = statements.flatMap((line) => {
      expect(line).toMatch(/^(?:import|export) \{.*\} from 'whatsapp-rust-bridge';$/);
      return line.slice(line.indexOf('{') + 1, line.indexOf('}')).split(',');
    });
    expect([...new Set(names.map((name) => name.trim()))].sort()).toEqual(Object.keys(exported).sort());
  });

  it('Baileys loads whatsapp-crypto in place of whatsapp-rust-bridge', () => {
    const baileys = createRequire(realpathSync('node_modules/@whiskeysockets/baileys/package.json'));
    expect(baileys.resolve('whatsapp-rust-bridge')).toBe(resolve('packages/whatsapp-crypto/src/index.js'));
  });
});
