import { describe, expect, it } from 'vitest';
import { copyBytes, copyBytesIn } from '../../src/lib/copy-bytes.ts';

/** True when the bytes keep no other bytes in memory. */
const isAlone = ({ buffer, byteLength }: Uint8Array) => buffer.byteLength === byteLength;

describe('detached bytes', () => {
  it('copies bytes out of the pool they are part of', () => {
    const pooled = Buffer.from('a key of a session');
    const copy = copyBytes(pooled);
    expect([isAlone(pooled), isAlone(copy)]).toEqual([false, true]);
    expect(copy.equals(pooled)).toBe(true);
  });

  it('copies all bytes in credentials and leaves everything else as it is', () => {
    const pair = { private: Buffer.from('private'), public: Buffer.from('public') };
    const creds = { noiseKey: pair, signalIdentities: [{ identifierKey: Buffer.from('key') }], me: undefined, id: 7 };
    const detached = copyBytesIn(creds);
    expect(detached).toBe(creds);
    expect(detached).toEqual({
      noiseKey: { private: Buffer.from('private'), public: Buffer.from('public') },
      signalIdentities: [{ identifierKey: Buffer.from('key') }],
      me: undefined,
      id: 7,
    });
    const bytes = [pair.private, pair.public, ...creds.signalIdentities.map(({ identifierKey }) => identifierKey)];
    expect(bytes.map(isAlone)).toEqual([true, true, true]);
  });
});
