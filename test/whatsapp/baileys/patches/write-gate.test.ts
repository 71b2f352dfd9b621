import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { WriteGate } from '../../../../src/whatsapp/baileys/patches/write-gate.ts';
import { waitFor } from '../../../support/wait-for.ts';

/** A stream that notes what reaches it. */
function wire(stored: () => Promise<boolean> = async () => true) {
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
  new WriteGate(stored).attach(stream);
  return { stream, writes };
}

const frame = (text: string) => Buffer.from(text);

describe('WriteGate', () => {
  it('writes the frames of one turn in one write, in order', async () => {
    const { stream, writes } = wire();
    for (const text of ['a', 'b', 'c']) stream.write(frame(text));
    expect(writes).toEqual([]);
    await setImmediate();
    expect(writes).toEqual(['abc']);
    stream.write(frame('d'));
    await setImmediate();
    expect(writes).toEqual(['abc', 'd']);
  });

  it('writes no frame before its keys are stored, and keeps the order', async () => {
    const keys = Promise.withResolvers<boolean>();
    const { stream, writes } = wire(() => keys.promise);
    const reported: string[] = [];
    stream.write(frame('a'), () => reported.push('a'));
    await setImmediate();
    stream.write(frame('b'), () => reported.push('b'));
    await setImmediate();
    expect(reported).toEqual(['a', 'b']);
    expect(writes).toEqual([]);
    keys.resolve(true);
    await setImmediate();
    await setImmediate();
    expect(writes).toEqual(['a', 'b']);
  });

  it('destroys the connection when keys could not be stored, without writing the held frames', async () => {
    const { stream, writes } = wire(async () => false);
    stream.write(frame('a'));
    await setImmediate();
    expect(stream.destroyed).toBe(true);
    expect(writes).toEqual([]);
  });

  it('writes no frame before its callback, which stores its keys: also after the 32nd of a turn', async () => {
    const reported: number[] = [];
    /** How many callbacks had run each time the gate waited for the keys. */
    const reportedBefore: number[] = [];
    const { stream, writes } = wire(async () => {
      reportedBefore.push(reported.length);
      return true;
    });
    for (let n = 0; n < 70; n++) stream.write(frame('.'), () => reported.push(n));
    await Promise.resolve();
    expect(reported).toHaveLength(32);
    await waitFor(() => expect(writes.join('')).toHaveLength(70));
    expect(writes.map(({ length }) => length)).toEqual([70]);
    expect(reportedBefore).toEqual([70]);
    expect(reported).toEqual(Array.from({ length: 70 }, (_empty, n) => n));
  });

  it('drops the frames after the 32nd of a turn when keys could not be stored', async () => {
    const { stream, writes } = wire(async () => false);
    const reported: number[] = [];
    const closed = once(stream, 'close');
    for (let n = 0; n < 40; n++) stream.write(frame('.'), () => reported.push(n));
    await closed;
    expect({ reported: reported.length, writes }).toEqual({ reported: 40, writes: [] });
  });

  it('ends the stream after the held frames', async () => {
    const { stream, writes } = wire();
    stream.write(frame('a'));
    stream.end();
    await setImmediate();
    await setImmediate();
    expect(writes).toEqual(['a', 'end']);
  });
});
