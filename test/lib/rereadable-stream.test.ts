import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { RereadableStream } from '../../src/lib/rereadable-stream.ts';

describe('Replay', () => {
  it('gives all of a source to a second reader while the first one is still at it', async () => {
    const source = new PassThrough();
    const replay = new RereadableStream(source, 100);
    expect(replay.isStarted).toBe(false);
    source.write('one ');
    const first = replay.read()[Symbol.asyncIterator]();
    expect(String((await first.next()).value)).toBe('one ');
    const waiting = first.next();
    const second = text(replay.read());
    source.end('two');
    expect(await second).toBe('one two');
    expect(String((await waiting).value)).toBe('two');
    expect([replay.isStarted, replay.isRereadable]).toEqual([true, true]);
  });

  it('goes on after a reader that left', async () => {
    const source = new PassThrough();
    const replay = new RereadableStream(source, 100);
    source.write('one ');
    const left = replay.read();
    await left[Symbol.asyncIterator]().next();
    left.destroy();
    source.end('two');
    expect(await text(replay.read())).toBe('one two');
  });

  it('keeps no more than its limit, and then says so', async () => {
    const pieces = [1, 2, 3].map(() => Buffer.alloc(100_000));
    const replay = new RereadableStream(Readable.from(pieces), 150_000);
    expect((await text(replay.read())).length).toBe(300_000);
    expect(replay.isRereadable).toBe(false);
    await expect(text(replay.read())).rejects.toThrow('no longer buffered');
  });

  it('fails as its source does, for every reader', async () => {
    const source = new PassThrough();
    const replay = new RereadableStream(source, 100);
    const read = text(replay.read());
    const broken = new Error('hung up');
    source.destroy(broken);
    await expect(read).rejects.toBe(broken);
    expect(replay.failure).toBe(broken);
    await expect(text(replay.read())).rejects.toThrow();
  });

  it('drains the rest without a reader', async () => {
    const source = new PassThrough().end(Buffer.alloc(300_000));
    await new RereadableStream(source, 100).drain();
    expect(source.readableEnded).toBe(true);
  });
});
