// Media over HTTP: callers that hang up, the closing of files, and signed links. More tests of media are in test/e2e.
import { once } from 'node:events';
import { request as connect } from 'node:http';
import type { Socket } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Message } from '../../../src/events/events.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import type { DownloadRequest } from '../../../src/whatsapp/media/download.ts';
import type { OpenFile } from '../../../src/whatsapp/media/encrypted-spool.ts';
import { createMessageFilesService } from '../../../src/whatsapp/media/message-files.ts';
import { createSignedLinks } from '../../../src/whatsapp/media/signed-link.ts';
import { KEY, startHttp } from '../../support/http-fixture.ts';

const message: Message = {
  key: { remoteJid: '5511900000001@s.whatsapp.net', fromMe: false, id: 'M1' },
  message: {
    imageMessage: { mediaKey: Buffer.alloc(32).toString('base64'), directPath: '/v/x', mimetype: 'image/png' },
  },
  messageType: 'imageMessage',
  messageTimestamp: 1_700_000_000,
  source: 'android',
};

async function serve(open: (wanted: DownloadRequest) => Promise<OpenFile>) {
  const links = createSignedLinks({ keys: [Buffer.alloc(32)], days: 7, clock: systemClock });
  const messages = { get: async () => message, find: async () => [{ message, statuses: [] }] };
  const files = createMessageFilesService({ links, messages, open });
  const http = await startHttp({}, { files });
  const url = await http.app.listen({ host: '127.0.0.1', port: 0 });
  return { http, files, url };
}

/** A file of `chunks` chunks of 64 KiB. When it is closed, `closed` resolves with the number of chunks read. */
function fileOf(chunks: number) {
  const closed = Promise.withResolvers<number>();
  let read = 0;
  const file: OpenFile = {
    size: chunks * 65_536,
    async *read() {
      for (; read < chunks; read++) yield Buffer.alloc(65_536);
    },
    close: async () => closed.resolve(read),
  };
  return { file, closed: closed.promise };
}

describe('GET /media', () => {
  it('GET /media aborts the download and logs no warning when the caller hangs up', async () => {
    const downloadStarted = Promise.withResolvers<AbortSignal>();
    const { http, url } = await serve(({ signal }) => {
      downloadStarted.resolve(signal);
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    });
    const caller = connect(`${url}/media/shop/M1`, { headers: { apikey: KEY } }).on('error', () => undefined);
    caller.end();
    const signal = await downloadStarted.promise;
    const stopped = new Promise((resolve) => signal.addEventListener('abort', resolve));
    caller.destroy();
    await stopped;
    await new Promise((resolve) => setImmediate(resolve));
    expect(http.log.filter(({ level }) => Number(level) >= 40)).toEqual([]);
  });

  it('GET /media closes the file after a complete response, and when the caller hangs up during the response', async () => {
    const shortFile = fileOf(3);
    const longFile = fileOf(100_000);
    const files = [shortFile.file, longFile.file];
    const { url } = await serve(async () => files.shift() ?? longFile.file);
    const answer = await fetch(`${url}/media/shop/M1`, { headers: { apikey: KEY } });
    expect(answer.headers.get('content-length')).toBe(String(3 * 65_536));
    expect((await answer.arrayBuffer()).byteLength).toBe(3 * 65_536);
    expect(await shortFile.closed).toBe(3);

    const caller = connect(`${url}/media/shop/M1`, { headers: { apikey: KEY } }, (response) => {
      response.once('data', () => caller.destroy());
    });
    caller.on('error', () => undefined).end();
    expect(await longFile.closed).toBeLessThan(100_000);
  });

  it('GET /media closes the file of a caller that is too slow for the size of the file', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    // At 64 KiB per second, these chunks take 1,000 s.
    const longFile = fileOf(1_000);
    const { http, url } = await serve(async () => longFile.file);
    const accepted = once(http.app.server, 'connection') as Promise<[Socket]>;
    const caller = connect(`${url}/media/shop/M1`, { headers: { apikey: KEY } }).on('error', () => undefined);
    const [response] = await once(caller.end(), 'response');
    await once(response, 'data');
    response.pause();
    const [connection] = await accepted;
    vi.advanceTimersByTime(1_059_999);
    expect(connection.destroyed).toBe(false);
    vi.advanceTimersByTime(1);
    expect(await longFile.closed).toBeLessThan(1_000);
    caller.destroy();
  });

  it('GET /media breaks off the response when the file cannot be read to its end', async () => {
    const closed = Promise.withResolvers<void>();
    const file: OpenFile = {
      size: 10,
      async *read() {
        yield Buffer.from('12345');
        throw new Error('the disk is broken');
      },
      close: async () => closed.resolve(),
    };
    const { url } = await serve(async () => file);
    const answer = await fetch(`${url}/media/shop/M1`, { headers: { apikey: KEY } });
    await expect(answer.arrayBuffer()).rejects.toThrow();
    await closed.promise;
  });

  it('GET /media accepts a valid link with a key of any scope, and requires the scope read otherwise', async () => {
    const { http, files } = await serve(async () => fileOf(1).file);
    const link = files.linkTo({ id: 'id-of-shop', name: 'shop' }, message) ?? '';
    const { key } = await http.keys.create({ name: 'k', scopes: ['send'], instanceId: null, expiresAt: null });
    const statusOf = async (url: string) => (await http.app.inject({ url, headers: { apikey: key } })).statusCode;
    expect([await statusOf(link), await statusOf(`${link}x`), await statusOf(link.split('?')[0] ?? '')]).toEqual([
      200, 403, 403,
    ]);
  });

  it('AUTH_FAILURE_LIMIT counts invalid media links like invalid keys', async () => {
    const { file } = fileOf(1);
    const { http, files } = await serve(async () => file);
    const link = files.linkTo({ id: 'id-of-shop', name: 'shop' }, message) ?? '';
    const limited = await startHttp({ AUTH_FAILURE_LIMIT: '2' }, { files });
    const getWithoutKey = (path: string) => limited.call('GET', path, undefined, { apikey: undefined });
    const statuses = [];
    for (let turn = 0; turn < 3; turn++) statuses.push((await getWithoutKey(`${link}x`)).status);
    expect(statuses).toEqual([403, 403, 429]);
    expect((await getWithoutKey(link)).status, 'good links go on').toBe(200);
    expect((await getWithoutKey('/media/shop/M1?expires=1&expires=2&signature=x&signature=y')).status).toBe(429);
    Object.assign(http.manager, { ready: false });
    const beforeReady = await http.call('GET', `${link}x`, undefined, { apikey: undefined });
    expect(beforeReady.body).toMatchObject({ code: 'STARTING' });
  });

  it('GET /media distinguishes an expired link from an invalid one, and logs no signature', async () => {
    let now = Date.now();
    const clock = { now: () => now, after: () => ({ cancel: () => undefined }) };
    const links = createSignedLinks({ keys: [Buffer.alloc(32)], days: 7, clock });
    const messages = { get: async () => message, find: async () => [{ message, statuses: [] }] };
    const files = createMessageFilesService({ links, messages, open: async () => fileOf(1).file });
    const http = await startHttp({}, { files });
    const link = files.linkTo({ id: 'id-of-shop', name: 'shop' }, message) ?? '';
    const get = (path: string) => http.call('GET', path, undefined, { apikey: undefined });
    expect((await get(link)).status).toBe(200);
    now += 8 * 86_400_000;
    expect((await get(link)).body).toMatchObject({ status: 403, error: 'Forbidden', code: 'LINK_EXPIRED' });
    expect((await get(link.replace('M1', 'M2'))).body).toMatchObject({ status: 403, code: 'LINK_INVALID' });
    const signature = new URL(link, 'http://x').searchParams.get('signature') ?? '';
    expect(JSON.stringify(http.log)).not.toContain(signature.slice(0, 20));
  });
});
