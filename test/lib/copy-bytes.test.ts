import { describe, expect, it } from 'vitest';
import { copyBytes, copyBytesIn } from '../../src/lib/copy-bytes.ts';

/** True when the underlying buffer has no other bytes. */
const ownsBuffer = ({ buffer, byteLength }: Uint8Array) => buffer.byteLength === byteLength;

describe('copies of bytes', () => {
  it('copyBytes() copies bytes out of the pool of which they are a part', () => {
    const pooled = Buffer.from('a key of a session');
    const copy = copyBytes(pooled);
    expect([ownsBuffer(pooled), ownsBuffer(copy)]).toEqual([false, true]);
    expect(copy.equals(pooled)).toBe(true);
  });

  it('copyBytesIn() replaces all bytes in credentials by copies and leaves other values unchanged', () => {
    const keyPair = { private: Buffer.from('private'), public: Buffer.from('public') };
    const creds = {
      noiseKey: keyPair,
      signalIdentities: [{ identifierKey: Buffer.from('key') }],
      me: undefined,
      id: 7,
    };
    const result = copyBytesIn(creds);
    expect(result).toBe(creds);
    expect(result).toEqual({
      noiseKey: { private: Buffer.from('private'), public: Buffer.from('public') },
      signalIdentities: [{ identifierKey: Buffer.from('key') }],
      me: undefined,
      id: 7,
    });
    const bytes = [
      keyPair.private,
      keyPair.public,
      ...creds.signalIdentities.map(({ identifierKey }) => identifierKey),
    ];
    expect(bytes.map(ownsBuffer)).toEqual([true, true, true]);
  });
});
