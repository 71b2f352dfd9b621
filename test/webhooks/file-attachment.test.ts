import { describe, expect, it } from 'vitest';
import { createFileAttachment, type FetchFile } from '../../src/webhooks/file-attachment.ts';
import { ManualClock } from './world.ts';

const data = {
  key: { id: 'M1', remoteJid: '5511900000001@s.whatsapp.net' },
  message: { imageMessage: { caption: 'a "mediaUrl": cat' }, mediaUrl: 'http://x/media/shop/M1' },
};
const event = { event: 'messages.upsert', instance: 'shop', data, server_url: 'http://x' };
const delivery = { type: 'messages.upsert', body: JSON.stringify(event) };
const webhook = { instanceId: 'one', base64: true, url: 'https://a.example/hook' };
const here = new AbortController().signal;

function filling(fetchFile: FetchFile) {
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
  it('a payload has the file as base64 besides the link, and is otherwise the stored body', async () => {
    const asked: unknown[] = [];
    const world = filling(async (...[instanceId, key]) => {
      asked.push([instanceId, key]);
      return Buffer.from('a cat');
    });
    expect(await world.fill({ webhook, delivery }, here, world.post)).toBe('answer');
    const message = { ...data.message, base64: Buffer.from('a cat').toString('base64') };
    expect(world.last()).toEqual({ ...event, data: { ...data, message } });
    expect(asked).toEqual([['one', data.key]]);
    expect(world.clock.timers).toBe(0);
  });

  it.each([
    ['the webhook does not want it', { ...webhook, base64: false }, delivery],
    ['the message has none', webhook, { ...delivery, body: '{"data":{"key":{},"message":{"conversation":"x"}}}' }],
    ['the event is none of a message', webhook, { ...delivery, type: 'messages.update' }],
    [
      'it is only talked about',
      webhook,
      { ...delivery, body: JSON.stringify({ data: { message: { a: '"mediaUrl":' } } }) },
    ],
  ])('a payload is the stored body, unchanged, when %s', async (_, hook, stored) => {
    const world = filling(() => Promise.reject(new Error('not to be asked')));
    await world.fill({ webhook: hook, delivery: stored }, here, world.post);
    expect(world.posted).toEqual([stored.body]);
  });

  it('a payload without an available file names the reason', async () => {
    const world = filling(() => Promise.reject(Object.assign(new Error('gone'), { code: 'MEDIA_GONE' })));
    await world.fill({ webhook, delivery }, here, world.post);
    expect(world.last().data.message).toEqual({ ...data.message, base64Error: 'MEDIA_GONE' });
    const broken = filling(() => Promise.reject(new Error('what?')));
    await broken.fill({ webhook, delivery }, here, broken.post);
    expect(broken.last().data.message).toMatchObject({ base64Error: 'INTERNAL' });
  });

  it('a payload whose file is too long for a string names the reason', async () => {
    const tooLong = () => {
      throw Object.assign(new Error('too long'), { code: 'ERR_STRING_TOO_LONG' });
    };
    const world = filling(async () => Object.assign(Buffer.from('x'), { toString: tooLong }));
    expect(await world.fill({ webhook, delivery }, here, world.post)).toBe('answer');
    expect(world.last().data.message).toEqual({ ...data.message, base64Error: 'ERR_STRING_TOO_LONG' });
    expect(world.clock.timers).toBe(0);
  });

  it('a fetch that throws at once fails no delivery', async () => {
    const world = filling(() => {
      throw new RangeError('broken');
    });
    expect(await world.fill({ webhook, delivery }, here, world.post)).toBe('answer');
    expect(world.last().data.message).toMatchObject({ base64Error: 'INTERNAL' });
    expect(world.clock.timers).toBe(0);
  });

  it('a shutdown ends the wait for a file, also in the queue', async () => {
    const shutdown = new AbortController();
    const world = filling(() => new Promise(() => undefined));
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
    const world = filling((_, __, signal) => {
      signals.push(signal);
      return new Promise(() => undefined);
    });
    const done = world.fill({ webhook, delivery }, here, world.post);
    world.clock.advance(1_000);
    expect(await done).toBe('answer');
    expect(world.last().data.message).toMatchObject({ base64Error: 'TIMEOUT' });
    expect(signals[0]?.aborted).toBe(true);
  });

  it('two deliveries with files run at once for a receiver; its third is sent without its file after the timeout', async () => {
    let fetched = 0;
    const world = filling(async () => {
      fetched++;
      return Buffer.from('x');
    });
    const answers = Promise.withResolvers<string>();
    const slow = (body: string) => {
      world.posted.push(body);
      return answers.promise;
    };
    const first = Array.from({ length: 2 }, () => world.fill({ webhook, delivery }, here, slow));
    const third = world.fill({ webhook, delivery }, here, world.post);
    await expect.poll(() => world.posted.length).toBe(2);
    world.clock.advance(1_000);
    expect(await third).toBe('answer');
    expect(world.last().data.message).toMatchObject({ base64Error: 'BUSY' });
    answers.resolve('slow');
    expect(await Promise.all(first)).toEqual(['slow', 'slow']);
    expect(fetched).toBe(2);
  });

  it('a slow receiver with several webhooks does not delay the files of another receiver', async () => {
    const world = filling(async () => Buffer.from('x'));
    const answers = Promise.withResolvers<string>();
    const slow = Array.from({ length: 6 }, (_, n) => {
      const target = { webhook: { ...webhook, url: `https://slow.example/${n}` }, delivery };
      return world.fill(target, here, () => answers.promise);
    });
    expect(await world.fill({ webhook, delivery }, here, world.post)).toBe('answer');
    expect(world.last().data.message).toMatchObject({ base64: Buffer.from('x').toString('base64') });
    answers.resolve('slow');
    await Promise.all(slow);
  });

  it('a failed request with a file fails its delivery only', async () => {
    const world = filling(async () => Buffer.from('x'));
    const broken = () => Promise.reject(new Error('refused'));
    for (let turn = 0; turn < 5; turn++)
      await expect(world.fill({ webhook, delivery }, here, broken)).rejects.toThrow('refused');
    expect(await world.fill({ webhook, delivery }, here, world.post)).toBe('answer');
  });
});
