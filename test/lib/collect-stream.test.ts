import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { type CollectOptions, collect } from '../../src/lib/collect-stream.ts';

function startCollecting(options: Partial<CollectOptions> = {}) {
  const stream = new PassThrough();
  const result = new Promise<string>((resolve, reject) =>
    collect(stream, { limit: 1000, toLimitError: () => new Error('too long'), ...options }, (error, bytes) =>
      error ? reject(error) : resolve(bytes.toString()),
    ),
  );
  return { stream, result };
}

describe('collect', () => {
  it.each([
    ['no pieces', []],
    ['one piece', ['abc']],
    ['several pieces', ['a', 'bc', 'é'.repeat(100), 'd']],
  ])('collect() reads a stream of %s', async (_, pieces) => {
    const { stream, result } = startCollecting();
    for (const piece of pieces) stream.write(piece);
    stream.end();
    expect(await result).toBe(pieces.join(''));
  });

  it('collect() uses less than 2 MB of memory for a stream of 100,000 single bytes', async () => {
    const { stream, result } = startCollecting({ limit: 100_000 });
    const before = process.memoryUsage().arrayBuffers;
    const byte = Buffer.from('x');
    for (let count = 0; count < 100_000; count++) if (!stream.write(byte)) await new Promise(setImmediate);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2_000_000);
    stream.end();
    expect(await result).toHaveLength(100_000);
  });

  it('collect() fails at the first byte beyond the limit and discards the rest of the stream', async () => {
    const { stream, result } = startCollecting({ limit: 3 });
    stream.write('abc');
    stream.write('d');
    await expect(result).rejects.toThrow('too long');
    for (let count = 0; count < 100; count++) stream.write(Buffer.alloc(16_384));
    await new Promise((resolve) => stream.end(resolve));
    expect(stream.listenerCount('data')).toBe(0);
  });

  it('collect() ignores an error of the stream after it has failed with another error', async () => {
    const { stream, result } = startCollecting({ limit: 3 });
    stream.write('abcd');
    await expect(result).rejects.toThrow('too long');
    expect(() => stream.emit('error', new Error('late'))).not.toThrow();
  });

  it('collect() fails with the error that `check` returns, and checks no further chunks', async () => {
    const checkedChunks: string[] = [];
    const check = (piece: Buffer) => {
      checkedChunks.push(piece.toString());
      return checkedChunks.length === 2 ? new Error('checked') : undefined;
    };
    const { stream, result } = startCollecting({ check });
    for (const piece of ['a', 'b', 'c']) stream.write(piece);
    await expect(result).rejects.toThrow('checked');
    expect(checkedChunks).toEqual(['a', 'b']);
  });

  it('collect() fails with the error of the stream', async () => {
    const { stream, result } = startCollecting();
    stream.write('a');
    stream.destroy(new Error('broken'));
    await expect(result).rejects.toThrow('broken');
  });
});
