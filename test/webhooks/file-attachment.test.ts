import { describe, expect, it } from 'vitest';
import { createFileAttachment, type FetchFile } from '../../src/webhooks/file-attachment.ts';
import { ManualClock } from '../support/dispatcher-world.ts';

const data = {
  key: { id: 'M1', remoteJid: '5511900000001@s.whatsapp.net' },
  message: { imageMessage: { caption: 'a "mediaUrl": cat' }, mediaUrl: 'http://x/media/shop/M1' },
};
const event = { event: 'messages.upsert', instance: 'shop', data, server_url: 'http://x' };
const delivery = { type: 'messages.upsert', body: JSON.stringify(event) };
const webhook = { instanceId: 'one', base64: true, url: 'https://a.example/hook' };
const signalWithoutAbort = new AbortController().signal;

function createWorld(fetchFile: FetchFile) {
  const clock = new ManualClock();
  const fill = createFileAttachment({ fetchFile, clock, timeout: 1_000 });
  const posted: string[] = [];
  const post = async (body: string) => {
    posted.push(body);
    return 'answer';
  };
  return { clock, fill, post, posted, last: () => JSON.parse(posted.at(-1) ?? '') };
}

describe('file attachments', () => {
  it('a payload contains the file as base64 besides the link, and otherwise equals the stored body', async () => {
    const requests: unknown[] = [];
    const world = createWorld(async (...[instanceId, key]) => {
      requests.push([instanceId, key]);
      return Buffer.from('a cat');
    });
    expect(await world.fill({ webhook, delivery }, signalWithoutAbort, world.post)).toBe('answer');
    const message = { ...data.message, base64: Buffer.from('a cat').toString('base64') };
    expect(world.last()).toEqual({ ...event, data: { ...data, message } });
    expect(requests).toEqual([['one', data.key]]);
    expect(world.clock.timers).toBe(0);
  });

  it.each([
    ['the webhook has base64 disabled', { ...webhook, base64: false }, delivery],
    ['the message has no file', webhook, { ...delivery, body: '{"data":{"key":{},"message":{"conversation":"x"}}}' }],
    ['the event is not a message', webhook, { ...delivery, type: 'messages.update' }],
    [
      'only a text of the message contains mediaUrl',
      webhook,
      { ...delivery, body: JSON.stringify({ data: { message: { a: '"mediaUrl":' } } }) },
    ],
  ])('the posted payload is the stored body without a file when %s', async (_, hook, stored) => {
    const world = createWorld(() => Promise.reject(new Error('not to be asked')));
    await world.fill({ webhook: hook, delivery: stored }, signalWithoutAbort, world.post);
    expect(world.posted).toEqual([stored.body]);
  });

  it('a payload without an available file contains the reason', async () => {
    const world = createWorld(() => Promise.reject(Object.assign(new Error('gone'), { code: 'MEDIA_GONE' })));
    await world.fill({ webhook, delivery }, signalWithoutAbort, world.post);
    expect(world.last().data.message).toEqual({ ...data.message, base64Error: 'MEDIA_GONE' });
    const failing = createWorld(() => Promise.reject(new Error('what?')));
    await failing.fill({ webhook, delivery }, signalWithoutAbort, failing.post);
    expect(failing.last().data.message).toMatchObject({ base64Error: 'INTERNAL' });
  });

  it('a payload whose file is too long for a string contains the reason', async () => {
    const tooLong = () => {
      throw Object.assign(new Error('too long'), { code: 'ERR_STRING_TOO_LONG' });
    };
    const world = createWorld(async () => Object.assign(Buffer.from('x'), { toString: tooLong }));
    expect(await world.fill({ webhook, delivery }, signalWithoutAbort, world.post)).toBe('answer');
    expect(world.last().data.message).toEqual({ ...data.message, base64Error: 'ERR_STRING_TOO_LONG' });
    expect(world.clock.timers).toBe(0);
  });

  it('a delivery does not fail when the fetch of its file throws synchronously', async () => {
    const world = createWorld(() => {
      throw new RangeError('broken');
    });
    expect(await world.fill({ webhook, delivery }, signalWithoutAbort, world.post)).toBe('answer');
    expect(world.last().data.message).toMatchObject({ base64Error: 'INTERNAL' });
    expect(world.clock.timers).toBe(0);
  });

  it('a shutdown ends the wait for a file, also in the queue', async () => {
    const shutdown = new AbortController();
    const world = createWorld(() => new Promise(() => undefined));
    const fill = () => world.fill({ webhook, delivery }, shutdown.signal, world.post);
    const fills = [fill(), fill(), fill()];
    expect(world.posted).toEqual([]);
    shutdown.abort();
    expect(await Promise.all(fills)).toEqual(['answer', 'answer', 'answer']);
    expect(world.clock.timers).toBe(0);
    expect(await fill()).toBe('answer');
  });

  it('a delivery waits for its file no longer than the timeout, even when the fetch ignores the abort', async () => {
    const signals: AbortSignal[] = [];
    const world = createWorld((_, __, signal) => {
      signals.push(signal);
      return new Promise(() => undefined);
    });
    const filled = world.fill({ webhook, delivery }, signalWithoutAbort, world.post);
    world.clock.advance(1_000);
    expect(await filled).toBe('answer');
    expect(world.last().data.message).toMatchObject({ base64Error: 'TIMEOUT' });
    expect(signals[0]?.aborted).toBe(true);
  });

  it('a receiver gets two deliveries with files at once; a third is sent without its file after the timeout', async () => {
    let fetched = 0;
    const world = createWorld(async () => {
      fetched++;
      return Buffer.from('x');
    });
    const answers = Promise.withResolvers<string>();
    const postSlowly = (body: string) => {
      world.posted.push(body);
      return answers.promise;
    };
    const first = Array.from({ length: 2 }, () => world.fill({ webhook, delivery }, signalWithoutAbort, postSlowly));
    const third = world.fill({ webhook, delivery }, signalWithoutAbort, world.post);
    await expect.poll(() => world.posted.length).toBe(2);
    world.clock.advance(1_000);
    expect(await third).toBe('answer');
    expect(world.last().data.message).toMatchObject({ base64Error: 'BUSY' });
    answers.resolve('slow');
    expect(await Promise.all(first)).toEqual(['slow', 'slow']);
    expect(fetched).toBe(2);
  });

  it('a slow receiver with several webhooks does not delay the files of another receiver', async () => {
    const world = createWorld(async () => Buffer.from('x'));
    const answers = Promise.withResolvers<string>();
    const slowDeliveries = Array.from({ length: 6 }, (_, n) => {
      const target = { webhook: { ...webhook, url: `https://slow.example/${n}` }, delivery };
      return world.fill(target, signalWithoutAbort, () => answers.promise);
    });
    expect(await world.fill({ webhook, delivery }, signalWithoutAbort, world.post)).toBe('answer');
    expect(world.last().data.message).toMatchObject({ base64: Buffer.from('x').toString('base64') });
    answers.resolve('slow');
    await Promise.all(slowDeliveries);
  });

  it('a failed request with a file fails only its own delivery', async () => {
    const world = createWorld(async () => Buffer.from('x'));
    const failingPost = () => Promise.reject(new Error('refused'));
    for (let turn = 0; turn < 5; turn++)
      await expect(world.fill({ webhook, delivery }, signalWithoutAbort, failingPost)).rejects.toThrow('refused');
    expect(await world.fill({ webhook, delivery }, signalWithoutAbort, world.post)).toBe('answer');
  });
});
