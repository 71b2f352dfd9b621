import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { RereadableStream } from '../../src/lib/rereadable-stream.ts';

describe('RereadableStream', () => {
  it('RereadableStream gives the whole source to a second reader while the first one still reads', async () => {
    const source = new PassThrough();
    const stream = new RereadableStream(source, 100);
    expect(stream.isStarted).toBe(false);
    source.write('one ');
    const first = stream.read()[Symbol.asyncIterator]();
    expect(String((await first.next()).value)).toBe('one ');
    const nextChunk = first.next();
    const second = text(stream.read());
    source.end('two');
    expect(await second).toBe('one two');
    expect(String((await nextChunk).value)).toBe('two');
    expect([stream.isStarted, stream.isRereadable]).toEqual([true, true]);
  });

  it('RereadableStream gives the whole source to a reader after another reader has left', async () => {
    const source = new PassThrough();
    const stream = new RereadableStream(source, 100);
    source.write('one ');
    const firstReader = stream.read();
    await firstReader[Symbol.asyncIterator]().next();
    firstReader.destroy();
    source.end('two');
    expect(await text(stream.read())).toBe('one two');
  });

  it('RereadableStream cannot be read again after it has exceeded its limit', async () => {
    const pieces = [1, 2, 3].map(() => Buffer.alloc(100_000));
    const stream = new RereadableStream(Readable.from(pieces), 150_000);
    expect((await text(stream.read())).length).toBe(300_000);
    expect(stream.isRereadable).toBe(false);
    await expect(text(stream.read())).rejects.toThrow('no longer buffered');
  });

  it('RereadableStream fails for every reader when its source fails', async () => {
    const source = new PassThrough();
    const stream = new RereadableStream(source, 100);
    const read = text(stream.read());
    const sourceError = new Error('hung up');
    source.destroy(sourceError);
    await expect(read).rejects.toBe(sourceError);
    expect(stream.failure).toBe(sourceError);
    await expect(text(stream.read())).rejects.toThrow();
  });

  it('RereadableStream.drain() reads the source to its end without a reader', async () => {
    const source = new PassThrough().end(Buffer.alloc(300_000));
    await new RereadableStream(source, 100).drain();
    expect(source.readableEnded).toBe(true);
  });
});
