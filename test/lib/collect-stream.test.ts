import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { type CollectOptions, collect } from '../../src/lib/collect-stream.ts';

function reading(options: Partial<CollectOptions> = {}) {
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
    ['nothing', []],
    ['one piece', ['abc']],
    ['pieces', ['a', 'bc', 'é'.repeat(100), 'd']],
  ])('reads %s', async (_, pieces) => {
    const { stream, result } = reading();
    for (const piece of pieces) stream.write(piece);
    stream.end();
    expect(await result).toBe(pieces.join(''));
  });

  it('takes as much memory for a stream in single bytes as for one in large pieces', async () => {
    const { stream, result } = reading({ limit: 100_000 });
    const before = process.memoryUsage().arrayBuffers;
    const byte = Buffer.from('x');
    for (let count = 0; count < 100_000; count++) if (!stream.write(byte)) await new Promise(setImmediate);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2_000_000);
    stream.end();
    expect(await result).toHaveLength(100_000);
  });

  it('ends with the byte that is one too many, and discards the rest', async () => {
    const { stream, result } = reading({ limit: 3 });
    stream.write('abc');
    stream.write('d');
    await expect(result).rejects.toThrow('too long');
    for (let count = 0; count < 100; count++) stream.write(Buffer.alloc(16_384));
    await new Promise((resolve) => stream.end(resolve));
    expect(stream.listenerCount('data')).toBe(0);
  });

  it('ignores an error of the stream after it has ended with another one', async () => {
    const { stream, result } = reading({ limit: 3 });
    stream.write('abcd');
    await expect(result).rejects.toThrow('too long');
    expect(() => stream.emit('error', new Error('late'))).not.toThrow();
  });

  it('ends with what the check finds', async () => {
    const seen: string[] = [];
    const check = (piece: Buffer) => {
      seen.push(piece.toString());
      return seen.length === 2 ? new Error('checked') : undefined;
    };
    const { stream, result } = reading({ check });
    for (const piece of ['a', 'b', 'c']) stream.write(piece);
    await expect(result).rejects.toThrow('checked');
    expect(seen).toEqual(['a', 'b']);
  });

  it('ends with the error of the stream', async () => {
    const { stream, result } = reading();
    stream.write('a');
    stream.destroy(new Error('broken'));
    await expect(result).rejects.toThrow('broken');
  });
});
