import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import sharp from 'sharp';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createImageDecoder, type ImageDecoderOptions } from '../../../src/whatsapp/media/image-decoder.ts';
import type { ImageResult } from '../../../src/whatsapp/media/image-operations.ts';
import type { ImageJob } from '../../../src/whatsapp/media/image-process.ts';
import { imageTypeOf } from '../../../src/whatsapp/media/image-type.ts';
import { emptyFolder } from '../../support/folder.ts';
import { disguisedSvgs, hugePng, manyFrames, nestedSvg } from '../../support/hostile-images.ts';
import { decoderForTests } from '../../support/images.ts';
import { readableLog, silent } from '../../support/session-fakes.ts';

const FORMATS = ['jpeg', 'png', 'webp', 'gif', 'tiff', 'avif'] as const;
const OPERATIONS = ['photo', 'sticker', 'picture', 'preview'] as const;
const picture = (format: (typeof FORMATS)[number] = 'png') =>
  sharp({
    create: {
      width: 60,
      height: 40,
      channels: 3,
      background: '#f00',
      noise: { type: 'gaussian', mean: 128, sigma: 60 },
    },
  })
    .toFormat(format)
    .toBuffer();

const decoder = decoderForTests();

/**
 * Creates a decoder whose processes run `code`. In `code`, `job` is the received job, and `answer()` sends a result.
 */
function createDecoder(code: string, options: Partial<ImageDecoderOptions> = {}) {
  const path = join(emptyFolder(), 'program.mjs');
  const answer =
    "const answer = (width) => process.send({ result: { outcome: 'done', width, height: 1, isAnimated: false }, rss: 1 });";
  writeFileSync(
    path,
    `${answer}\nprocess.once('disconnect', () => process.exit());\nprocess.on('message', (job) => { ${code} });\nprocess.send('ready');`,
  );
  const ownDecoder = createImageDecoder({ log: silent, program: pathToFileURL(path), ...options });
  onTestFinished(() => ownDecoder.close());
  return ownDecoder;
}

/** A file with the signature of a PNG, and with a byte that the programs of these tests read. */
const markedPng = (mark: number) => Buffer.concat([hugePng(1, 1).subarray(0, 8), Buffer.alloc(8, mark)]);
const widthOf = (result: ImageResult) => (result.outcome === 'done' ? result.width : undefined);
const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('decoded images', () => {
  it.each(FORMATS)('every image operation decodes images with the signature of %s', async (format) => {
    const image = await picture(format);
    expect(imageTypeOf(image)).toBe(format === 'avif' ? 'heif' : format);
    for (const operation of OPERATIONS)
      expect((await decoder.run('a', operation, image)).outcome, operation).toBe('done');
  });

  it('the image decoder starts no process for an SVG or another unsupported format', async () => {
    expect(nestedSvg().length).toBeLessThan(1_300);
    const hanging = createDecoder('for (;;);', { timeout: 2 ** 30 });
    const { plain, compressed, ...others } = disguisedSvgs();
    const [mark, blanks, wide] = Object.values(others);
    const pdf = Buffer.from('%PDF-1.4\n1 0 obj');
    const ppm = Buffer.from('P6\n1 1\n255\nabc');
    const playlist = Buffer.from('#EXTM3U\nfile:///etc/passwd');
    for (const file of [plain, compressed, mark, blanks, wide, pdf, ppm, playlist, Buffer.alloc(0)])
      for (const operation of OPERATIONS)
        expect(await hanging.run('a', operation, file ?? Buffer.alloc(0))).toEqual({ outcome: 'unreadable' });
  });

  it('the image decoder reports an SVG behind the signature of another format as unreadable', async () => {
    for (const [name, file] of Object.entries(disguisedSvgs()))
      for (const operation of OPERATIONS)
        expect(await decoder.run('a', operation, file), name).toEqual({ outcome: 'unreadable' });
  });

  it('the image process rejects an SVG even when the job declares an allowed format', async () => {
    const program = new URL('../../../src/whatsapp/media/image-process.ts', import.meta.url);
    const limits = JSON.stringify({ cpu: 60_000, memory: 2 ** 30 });
    const child = fork(program, [limits], { serialization: 'advanced' });
    onTestFinished(() => void child.kill('SIGKILL'));
    expect(await once(child, 'message')).toEqual(['ready', undefined]);
    for (const type of ['svg', 'png']) {
      child.send({ operation: 'photo', type, image: nestedSvg() } satisfies ImageJob);
      const [answer] = await once(child, 'message');
      expect(answer).toMatchObject({ result: { outcome: 'unreadable' } });
    }
  });

  it('the image process limits the number of pixels', async () => {
    const sides = { photo: 10_000, picture: 10_000, sticker: 7_000, preview: 6_300 };
    // Created once, because the compression of the rows takes longer than all the work of the process.
    const largest = [hugePng(2 ** 31 - 1, 2 ** 31 - 1), hugePng(1, 2 ** 31 - 1)];
    for (const operation of OPERATIONS) {
      const side = sides[operation];
      const largestAllowed = hugePng(side, side);
      expect(largestAllowed.length).toBeLessThan(50_000);
      expect((await decoder.run('a', operation, largestAllowed)).outcome, operation).toBe('done');
      for (const bomb of [hugePng(side + 500, side + 500), ...largest])
        expect(await decoder.run('a', operation, bomb), operation).toEqual({ outcome: 'unreadable' });
    }
  });

  it('the image process limits the number of frames of a sticker', async () => {
    expect(await decoder.run('a', 'sticker', manyFrames(5_000))).toEqual({ outcome: 'tooLarge' });
    expect(await decoder.run('a', 'sticker', manyFrames(10))).toMatchObject({ outcome: 'done', isAnimated: true });
    expect(await decoder.run('a', 'photo', manyFrames(5_000))).toMatchObject({ outcome: 'done', width: 1 });
  });

  it('the image process survives truncated and damaged images', async () => {
    for (const format of FORMATS) {
      const image = await picture(format);
      for (let at = 16; at < image.length; at += Math.ceil(image.length / 12)) {
        const damaged = Buffer.from(image);
        damaged.fill(at % 251, at, at + 7);
        for (const file of [image.subarray(0, at), damaged])
          expect(['done', 'unreadable']).toContain((await decoder.run('a', 'photo', file)).outcome);
      }
    }
    expect((await decoder.run('a', 'photo', await picture())).outcome).toBe('done');
  });
});

describe('processes of the image decoder', () => {
  it('the image decoder kills a process after its timeout and continues with another process', async () => {
    const { log, lines } = readableLog();
    const ownDecoder = createDecoder('if (job.image[8] === 1) for (;;); answer(process.pid);', { log, timeout: 5_000 });
    const first = widthOf(await ownDecoder.run('a', 'photo', markedPng(0)));
    expect(await ownDecoder.run('a', 'photo', markedPng(1))).toEqual({ outcome: 'unreadable' });
    expect(isAlive(Number(first))).toBe(false);
    const second = widthOf(await ownDecoder.run('a', 'photo', markedPng(0)));
    expect(second).not.toBe(first);
    expect(lines).toEqual([
      expect.objectContaining({
        msg: 'media.decoder.failed',
        reason: 'timeout',
        operation: 'photo',
        type: 'png',
        bytes: 16,
      }),
    ]);
  });

  it.each(['SIGSEGV', 'SIGABRT', 'SIGKILL'])('the image decoder survives a process that ends by %s', async (signal) => {
    const { log, lines } = readableLog();
    const ownDecoder = createDecoder(
      `if (job.image[8] === 1) process.kill(process.pid, '${signal}'); else answer(1);`,
      { log },
    );
    expect(await ownDecoder.run('a', 'photo', markedPng(1))).toEqual({ outcome: 'unreadable' });
    expect(widthOf(await ownDecoder.run('a', 'photo', markedPng(0)))).toBe(1);
    expect(lines).toEqual([expect.objectContaining({ msg: 'media.decoder.failed', reason: 'exit', signal })]);
  });

  it.each([
    ['processor time', { cpu: 1, memory: 2 ** 40 }],
    ['memory', { cpu: 2 ** 40, memory: 1 }],
  ])('the image decoder ends a process whose image uses too much %s', async (_, limits) => {
    const { log, lines } = readableLog();
    const ownDecoder = createImageDecoder({ log, limits });
    onTestFinished(() => ownDecoder.close());
    expect(await ownDecoder.run('a', 'sticker', hugePng(7_000, 7_000))).toEqual({ outcome: 'unreadable' });
    expect(lines).toEqual([
      expect.objectContaining({ msg: 'media.decoder.failed', reason: 'exit', signal: 'SIGKILL' }),
    ]);
  });

  it('the image decoder throws OVERLOADED when the program of its process cannot start', async () => {
    const { log, lines } = readableLog();
    const brokenDecoder = createImageDecoder({ log, program: new URL('file:///nothing/is/here.mjs') });
    onTestFinished(() => brokenDecoder.close());
    await expect(brokenDecoder.run('a', 'photo', markedPng(0))).rejects.toMatchObject({
      code: 'OVERLOADED',
      certain: true,
      retryAfter: 5,
    });
    expect(lines).toEqual([expect.objectContaining({ msg: 'media.decoder.failed', reason: 'exit', signal: null })]);
  });

  it('the image decoder throws OVERLOADED when the operating system refuses the process', async () => {
    const { log, lines } = readableLog();
    // fork() throws for this URL, as it does when the memory does not suffice for a process.
    const brokenDecoder = createImageDecoder({ log, program: new URL('https://example.com/program.mjs') });
    await expect(brokenDecoder.run('a', 'photo', markedPng(0))).rejects.toMatchObject({
      code: 'OVERLOADED',
      certain: true,
    });
    expect(lines).toEqual([expect.objectContaining({ msg: 'media.decoder.failed', reason: 'error' })]);
  });

  it('the image decoder serves other instances while the images of one instance hang', async () => {
    const ownDecoder = createDecoder('if (job.image[8] === 1) for (;;); answer(7);', { timeout: 2 ** 30 });
    const hanging = [ownDecoder.run('a', 'photo', markedPng(1)), ownDecoder.run('a', 'photo', markedPng(1))];
    for (let n = 0; n < 3; n++) expect(widthOf(await ownDecoder.run('b', 'photo', markedPng(0)))).toBe(7);
    ownDecoder.close();
    const shutdownRejection = {
      status: 'rejected',
      reason: expect.objectContaining({ code: 'SHUTTING_DOWN', certain: true }),
    };
    expect(await Promise.allSettled(hanging)).toEqual([shutdownRejection, shutdownRejection]);
  });

  it('the image decoder rejects too many images of one instance and accepts images of other instances', async () => {
    const ownDecoder = createDecoder('if (job.image[8] === 0) answer(7);', { timeout: 2 ** 30 });
    // Two images are being decoded, and 200 wait.
    const flood = Array.from({ length: 202 }, () => ownDecoder.run('a', 'photo', markedPng(1)));
    await expect(ownDecoder.run('a', 'photo', markedPng(1))).rejects.toMatchObject({
      code: 'OVERLOADED',
      certain: true,
      retryAfter: 5,
    });
    expect(widthOf(await ownDecoder.run('b', 'photo', markedPng(0)))).toBe(7);
    ownDecoder.close();
    const shutdownRejection = {
      status: 'rejected',
      reason: expect.objectContaining({ code: 'SHUTTING_DOWN', certain: true }),
    };
    expect(await Promise.allSettled(flood)).toEqual(flood.map(() => shutdownRejection));
  });

  it('the image decoder reuses a process and ends it when it is idle', async () => {
    const ownDecoder = createDecoder('answer(process.pid);', { idleTimeout: 500 });
    const pids = [
      await ownDecoder.run('a', 'photo', markedPng(0)),
      await ownDecoder.run('b', 'photo', markedPng(0)),
    ].map(widthOf);
    expect(pids[1]).toBe(pids[0]);
    await vi.waitFor(() => expect(isAlive(Number(pids[0]))).toBe(false), { timeout: 20_000 });
  });

  it('the image decoder decodes an image that arrives right after an idle process was killed', async () => {
    const ownDecoder = createDecoder('answer(process.pid);');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const first = widthOf(await ownDecoder.run('a', 'photo', markedPng(0)));
    vi.advanceTimersByTime(30_000);
    const second = widthOf(await ownDecoder.run('a', 'photo', markedPng(0)));
    expect([first, second]).toEqual([expect.any(Number), expect.any(Number)]);
    expect(second).not.toBe(first);
  });

  it('the image decoder does not reuse a process that uses much memory', async () => {
    const code =
      "process.send({ result: { outcome: 'done', width: process.pid, height: 1, isAnimated: false }, rss: 2 ** 30 });";
    const ownDecoder = createDecoder(code);
    const pids = [
      await ownDecoder.run('a', 'photo', markedPng(0)),
      await ownDecoder.run('a', 'photo', markedPng(0)),
    ].map(widthOf);
    expect(pids[1]).not.toBe(pids[0]);
  });
});
