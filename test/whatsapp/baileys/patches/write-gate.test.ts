import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { WriteGate } from '../../../../src/whatsapp/baileys/patches/write-gate.ts';
import { waitFor } from '../../../support/wait-for.ts';

/** Creates a stream with a gate. `writes` contains the writes that reach the stream. */
function createStream(waitForKeys: () => Promise<boolean> = async () => true) {
  const writes: string[] = [];
  const stream = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _encoding, done) => {
      writes.push(chunk.toString());
      done();
    },
    final: (done) => {
      writes.push('end');
      done();
    },
  });
  new WriteGate(waitForKeys).attach(stream);
  return { stream, writes };
}

const toFrame = (text: string) => Buffer.from(text);

describe('WriteGate', () => {
  it('WriteGate writes the frames of one turn of the event loop in one write, in order', async () => {
    const { stream, writes } = createStream();
    for (const text of ['a', 'b', 'c']) stream.write(toFrame(text));
    expect(writes).toEqual([]);
    await setImmediate();
    expect(writes).toEqual(['abc']);
    stream.write(toFrame('d'));
    await setImmediate();
    expect(writes).toEqual(['abc', 'd']);
  });

  it('WriteGate writes no frame before its keys are stored, and keeps the order', async () => {
    const keys = Promise.withResolvers<boolean>();
    const { stream, writes } = createStream(() => keys.promise);
    const finishedCallbacks: string[] = [];
    stream.write(toFrame('a'), () => finishedCallbacks.push('a'));
    await setImmediate();
    stream.write(toFrame('b'), () => finishedCallbacks.push('b'));
    await setImmediate();
    expect(finishedCallbacks).toEqual(['a', 'b']);
    expect(writes).toEqual([]);
    keys.resolve(true);
    await setImmediate();
    await setImmediate();
    expect(writes).toEqual(['a', 'b']);
  });

  it('WriteGate destroys the connection without writing the waiting frames when keys could not be stored', async () => {
    const { stream, writes } = createStream(async () => false);
    stream.write(toFrame('a'));
    await setImmediate();
    expect(stream.destroyed).toBe(true);
    expect(writes).toEqual([]);
  });

  it('WriteGate writes no frame before its callback, also after the 32nd frame of a turn', async () => {
    const finishedCallbacks: number[] = [];
    /** Number of finished callbacks at each call of `waitForKeys`. */
    const callbackCounts: number[] = [];
    const { stream, writes } = createStream(async () => {
      callbackCounts.push(finishedCallbacks.length);
      return true;
    });
    for (let n = 0; n < 70; n++) stream.write(toFrame('.'), () => finishedCallbacks.push(n));
    await Promise.resolve();
    expect(finishedCallbacks).toHaveLength(32);
    await waitFor(() => expect(writes.join('')).toHaveLength(70));
    expect(writes.map(({ length }) => length)).toEqual([70]);
    expect(callbackCounts).toEqual([70]);
    expect(finishedCallbacks).toEqual(Array.from({ length: 70 }, (_empty, n) => n));
  });

  it('WriteGate drops the frames after the 32nd of a turn when keys could not be stored', async () => {
    const { stream, writes } = createStream(async () => false);
    const finishedCallbacks: number[] = [];
    const closed = once(stream, 'close');
    for (let n = 0; n < 40; n++) stream.write(toFrame('.'), () => finishedCallbacks.push(n));
    await closed;
    expect({ callbacks: finishedCallbacks.length, writes }).toEqual({ callbacks: 40, writes: [] });
  });

  it('WriteGate ends the stream after the waiting frames', async () => {
    const { stream, writes } = createStream();
    stream.write(toFrame('a'));
    stream.end();
    await setImmediate();
    await setImmediate();
    expect(writes).toEqual(['a', 'end']);
  });
});
