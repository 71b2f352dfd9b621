import { describe, expect, it } from 'vitest';
import { FrameReader, NOISE_HEADER, toFrame } from '../../src/wire/frame.ts';

const hello = Buffer.from('hello');
const world = Buffer.from('world');
const route = Buffer.concat([Buffer.from('ED'), Buffer.from([0, 1]), toFrame(Buffer.from('over there'))]);

describe('FrameReader', () => {
  it.each([
    ['plain', Buffer.alloc(0)],
    ['with routing info', route],
  ])('FrameReader finds the same frames no matter where the stream is split (%s intro)', (_name, routing) => {
    const stream = Buffer.concat([routing, NOISE_HEADER, toFrame(hello), toFrame(Buffer.alloc(0)), toFrame(world)]);
    for (let cut = 0; cut <= stream.length; cut++) {
      const reader = new FrameReader();
      const frames = [...reader.push(stream.subarray(0, cut)), ...reader.push(stream.subarray(cut))];
      expect(frames.map(String)).toEqual(['hello', '', 'world']);
    }
  });

  it('FrameReader rejects a stream without the intro of a client', () => {
    expect(() => new FrameReader().push(Buffer.from('GET / HTTP/1.1')).next()).toThrow('not a client');
  });
});
