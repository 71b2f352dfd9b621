import { EventEmitter } from 'node:events';
import { proto } from '@whiskeysockets/baileys';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { encryptFile, encryptRetryReply } from '../../../packages/sandbox/src/crypto/media-cipher.ts';
import type { MessageKey } from '../../../src/events/events.ts';
import type { AttachedFile } from '../../../src/whatsapp/media/attached-file.ts';
import { createDownloader, type DownloadDeps, type DownloadRequest } from '../../../src/whatsapp/media/download.ts';
import type { OpenFile } from '../../../src/whatsapp/media/encrypted-spool.ts';
import type { SessionSocket } from '../../../src/whatsapp/session.ts';
import { waitFor } from '../../support/wait-for.ts';
import { fakeSession } from '../fakes.ts';

const { ResultType } = proto.MediaRetryNotification;
const key: MessageKey = { remoteJid: '5511900000009@s.whatsapp.net', fromMe: false, id: '3EB0' };
const content = Buffer.from('a picture of a cat');
const { body, ...keys } = encryptFile(content, 'image');
const attached: AttachedFile = {
  kind: 'image',
  mediaKey: Buffer.from(keys.mediaKey),
  fileSha256: Buffer.from(keys.fileSha256),
  fileEncSha256: Buffer.from(keys.fileEncSha256),
  directPath: '/v/old?oh=1',
  url: 'https://media-1.cdn.whatsapp.net/v/old?oh=1',
  fileLength: content.length,
  mimetype: 'image/png',
  fileName: undefined,
};

type Reply = number | Buffer | Error | 'hangs';

/** A media host that answers by path; what is not listed is 404. */
function host(files: Record<string, Reply>) {
  const asked: string[] = [];
  const receive: DownloadDeps['fetchStream'] = async ({ url, signal }, take) => {
    asked.push(url);
    const reply = files[new URL(url).pathname] ?? 404;
    if (reply instanceof Error) throw reply;
    if (reply === 'hangs') {
      signal.throwIfAborted();
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    }
    async function* bytes() {
      if (reply instanceof Buffer) yield reply;
    }
    return take({ status: reply instanceof Buffer ? 200 : Number(reply), body: bytes() });
  };
  return { receive, asked };
}

const moved: unknown[] = [];
const open = (
  files: Record<string, Reply>,
  wanted: Partial<DownloadRequest> = {},
  more: Partial<DownloadDeps> = {},
) => {
  const { receive, asked } = host(files);
  const openFile = createDownloader({
    fetchStream: receive,
    endpoint: { network: 'whatsapp' },
    messages: { setFileLocation: async (...args) => void moved.push(args) },
    ...{ downloadLimit: 1_000, timeout: 1_000, reuploadTimeout: 1_000, ...more },
  });
  const signal = new AbortController().signal;
  const all = { instanceId: 'one', key, attached, signal, ...wanted };
  return { file: openFile(all), asked, openFile, all };
};

/** Opens seven more files, of two instances, because one instance never gets all slots. */
const openSeven = (openFile: (request: DownloadRequest) => Promise<OpenFile>, request: DownloadRequest) =>
  Array.from({ length: 7 }, (_, n) => openFile({ ...request, instanceId: n < 4 ? 'two' : 'one' }));

async function text(file: Awaited<ReturnType<ReturnType<typeof createDownloader>>>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of file.read()) chunks.push(chunk);
  await file.close();
  return Buffer.concat(chunks).toString();
}

/** A session whose phone answers requests for files; undefined is silence. */
function phone(answer: (jid: string) => { directPath?: string; error?: number; garbage?: true } | undefined) {
  const emitter = new EventEmitter();
  const asked: string[] = [];
  const sendNode: SessionSocket['sendNode'] = async (node) => {
    const rmr = Array.isArray(node.content) ? node.content.find(({ tag }) => tag === 'rmr') : undefined;
    const jid = rmr?.attrs.jid ?? '';
    asked.push(jid);
    const said = answer(jid);
    if (!said) return;
    const other = { key: { ...key, id: 'OTHER' }, error: new Error('not yours') };
    const notification = { stanzaId: key.id, directPath: said.directPath ?? '', result: ResultType.SUCCESS };
    const sealed = encryptRetryReply(keys.mediaKey, key.id, proto.MediaRetryNotification.encode(notification).finish());
    const media = said.garbage ? { ...sealed, iv: Buffer.alloc(12) } : sealed;
    const error = Object.assign(new Error('no'), { data: { code: String(said.error) } });
    const own = said.error === undefined ? { key, media } : { key, error };
    queueMicrotask(() => emitter.emit('messages.media-update', [other, own]));
  };
  const session = fakeSession({ sendNode, ev: emitter as unknown as SessionSocket['ev'] });
  return { session, asked, listeners: () => emitter.listenerCount('messages.media-update') };
}

describe('a file of a message', () => {
  it("a download uses the message's host when it belongs to WhatsApp", async () => {
    const { file, asked } = open({ '/v/old': body });
    expect(await text(await file)).toBe('a picture of a cat');
    expect(asked).toEqual(['https://media-1.cdn.whatsapp.net/v/old?oh=1']);
  });

  it.each([
    undefined,
    'https://evil.example/v/old',
    'https://whatsapp.net.evil.example/v/old',
    'https://evil-whatsapp.net/v/old',
    'https://mmg.whatsapp.net:8443/v/old',
    'https://mmg.whatsapp.net@evil.example/v/old',
    'http://mmg.whatsapp.net/v/old',
    'file:///etc/passwd',
    'nonsense',
  ])("a download uses WhatsApp's own host when the message names %s", async (url) => {
    const { file, asked } = open({ '/v/old': body }, { attached: { ...attached, url } });
    await (await file).close();
    expect(asked).toEqual(['https://mmg.whatsapp.net/v/old?oh=1']);
  });

  it("a download of a test endpoint uses only that endpoint's host", async () => {
    const endpoint = { network: 'sandbox', url: 'ws://127.0.0.1:5000/ws/chat' } as const;
    const named = { ...attached, url: 'https://127.0.0.1:6000/v/old' };
    const { file, asked } = open({ '/v/old': body }, { attached: named }, { endpoint });
    await (await file).close();
    expect(asked).toEqual(['https://127.0.0.1:6000/v/old?oh=1']);
    const foreign = open({}, { attached }, { endpoint });
    await expect(foreign.file).rejects.toMatchObject({ code: 'MEDIA_HOST_FAILED' });
    expect(foreign.asked).toEqual([]);
  });

  it.each<[string, Reply, string, number]>([
    ['is unreachable', Object.assign(new Error('no'), { code: 'ECONNREFUSED' }), 'MEDIA_HOST_FAILED', 502],
    ['is too slow', Object.assign(new Error('late'), { code: 'ETIMEDOUT' }), 'MEDIA_TIMEOUT', 504],
    ['answers 500', 500, 'MEDIA_HOST_FAILED', 502],
    ['answers something else', Buffer.alloc(64), 'MEDIA_CORRUPT', 502],
    ['sends too much', Buffer.alloc(5_000), 'MEDIA_OVER_LIMIT', 413],
    ['has it no more, and nobody is to be asked', 404, 'MEDIA_GONE', 410],
  ])('a download reports its error when the host %s', async (_, reply, code, status) => {
    await expect(open({ '/v/old': reply }).file).rejects.toMatchObject({ code, status });
  });

  it('a download says whether the host was unreachable or the connection broke', async () => {
    const unreachable = open({ '/v/old': Object.assign(new Error('no'), { code: 'ECONNREFUSED' }) });
    await expect(unreachable.file).rejects.toMatchObject({
      responseMessage: 'The media host could not be reached.',
    });
    const fetchStream: DownloadDeps['fetchStream'] = (_request, take) => {
      async function* halfOfBody() {
        yield body.subarray(0, 10);
        throw Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' });
      }
      return take({ status: 200, body: halfOfBody() });
    };
    await expect(open({}, {}, { fetchStream }).file).rejects.toMatchObject({
      code: 'MEDIA_HOST_FAILED',
      responseMessage: 'The connection to the media host broke before the file was complete.',
    });
  });

  it('a download of a too large file sends no request', async () => {
    const { file, asked } = open({ '/v/old': body }, { attached: { ...attached, fileLength: 1_001 } });
    await expect(file).rejects.toMatchObject({
      code: 'MEDIA_OVER_LIMIT',
      responseMessage: ['The file is larger than 1000 bytes (setting DOWNLOAD_LIMIT).'],
    });
    await expect(open({ '/v/old': body }, { maxBytes: 5 }).file).rejects.toMatchObject({ code: 'MEDIA_OVER_LIMIT' });
    expect(asked).toEqual([]);
  });

  it('a download ends when its caller aborts, while it runs and while it waits', async () => {
    const leaver = new AbortController();
    const { file, all, openFile } = open({ '/v/old': 'hangs' }, { signal: leaver.signal });
    const others = Array.from({ length: 20 }, () => openFile(all));
    leaver.abort(new Error('left'));
    for (const each of await Promise.allSettled([file, ...others]))
      expect(each).toMatchObject({ status: 'rejected', reason: { message: 'left' } });
  });

  it('eight downloads run at once; the next one starts when a file is closed', async () => {
    const { file, all, openFile, asked } = open({ '/v/old': body });
    const first = await Promise.all([file, ...openSeven(openFile, all)]);
    const ninth = openFile(all);
    await first[7]?.close();
    const files = [...first, await ninth];
    expect(asked).toHaveLength(9);
    await Promise.all(files.map((each) => each.close()));
  });

  it('the downloads of one instance leave slots to others', async () => {
    const leaver = new AbortController();
    const { file, all, openFile } = open({ '/v/old': 'hangs', '/v/other': body }, { signal: leaver.signal });
    const flood = [file, ...Array.from({ length: 20 }, () => openFile(all))];
    const other = { instanceId: 'two', attached: { ...attached, directPath: '/v/other' } };
    expect(await text(await openFile({ ...all, ...other }))).toBe('a picture of a cat');
    leaver.abort(new Error('left'));
    for (const each of await Promise.allSettled(flood)) expect(each).toMatchObject({ reason: { message: 'left' } });
  });

  it('a slot is free only when the file that holds it is closed', async () => {
    const { file, all, openFile, asked } = open({ '/v/old': body });
    const first = await Promise.all([file, ...openSeven(openFile, all)]);
    const ninth = openFile(all);
    const closing = first[0]?.close();
    for (let turn = 0; turn < 50; turn++) await undefined;
    expect(asked).toHaveLength(8);
    await closing;
    await Promise.all([...first.slice(1), await ninth].map((each) => each.close()));
  });

  it('a download that waits too long for a slot is refused, and takes no slot later', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { file, all, openFile, asked } = open({ '/v/old': body });
    const first = await Promise.all([file, ...openSeven(openFile, all)]);
    const late = openFile(all);
    const refused = expect(late).rejects.toMatchObject({ code: 'OVERLOADED', status: 503, retryAfter: 5 });
    vi.advanceTimersByTime(30_000);
    await refused;
    await Promise.all(first.map((each) => each.close()));
    await (await openFile(all)).close();
    expect(asked).toHaveLength(9);
  });

  it('a download that waits for a slot ends when its caller aborts', async () => {
    const { file, all, openFile } = open({ '/v/old': body });
    const first = await Promise.all([file, ...openSeven(openFile, all)]);
    const leaver = new AbortController();
    const ninth = openFile({ ...all, signal: leaver.signal });
    leaver.abort(new Error('left'));
    await expect(ninth).rejects.toThrow('left');
    await Promise.all(first.map((each) => each.close()));
  });
});

describe('a file that the host no longer has', () => {
  it.each([
    403, 404, 410,
  ])('an expired file is uploaded again by the phone, and its new path is stored (%i)', async (status) => {
    moved.length = 0;
    const { session, listeners } = phone(() => ({ directPath: '/v/new?oh=2' }));
    const { file, asked } = open({ '/v/old': status, '/v/new': body }, { session: () => session });
    expect(await text(await file)).toBe('a picture of a cat');
    const url = 'https://media-1.cdn.whatsapp.net/v/new?oh=2';
    expect(asked[1]).toBe(url);
    expect(moved).toEqual([['one', key, { directPath: '/v/new?oh=2', url }]]);
    expect(listeners()).toBe(0);
  });

  it('an expired file is requested once for concurrent callers', async () => {
    const { session, asked } = phone(() => ({ directPath: '/v/new' }));
    const { file, all, openFile } = open({ '/v/new': body }, { session: () => session });
    const files = await Promise.all([file, openFile(all), openFile(all)]);
    await Promise.all(files.map((each) => each.close()));
    expect(asked).toHaveLength(1);
  });

  it('a caller that aborts while the phone uploads frees its slot, and the new path is stored', async () => {
    moved.length = 0;
    const { promise: uploaded, resolve: upload } = Promise.withResolvers<void>();
    const { session } = phone(() => ({ directPath: '/v/new' }));
    const { sendNode } = session.socket;
    session.socket.sendNode = (node) => uploaded.then(() => sendNode(node));
    const leaver = new AbortController();
    const wanted = { session: () => session, signal: leaver.signal };
    const { file, all, openFile } = open({ '/v/other': body, '/v/new': body }, wanted);
    const waiting = [file, ...openSeven(openFile, all)];
    const other = openFile({
      ...all,
      attached: { ...attached, directPath: '/v/other' },
      signal: new AbortController().signal,
    });
    await new Promise((resolve) => setImmediate(resolve));
    leaver.abort(new Error('left'));
    for (const each of await Promise.allSettled(waiting)) expect(each).toMatchObject({ reason: { message: 'left' } });
    await (await other).close();
    upload();
    await waitFor(() => expect(moved).toHaveLength(2));
  });

  it('an expired file is gone when the phone has it under neither address of the chat', async () => {
    const { session, asked } = phone(() => ({ error: ResultType.NOT_FOUND }));
    const both = { ...key, remoteJidAlt: '99@lid' };
    const { file } = open({}, { session: () => session, key: both });
    await expect(file).rejects.toMatchObject({ code: 'MEDIA_GONE', status: 410 });
    expect(asked).toEqual([key.remoteJid, '99@lid']);
  });

  it('an expired file is found under the alternate address of the chat', async () => {
    const { session } = phone((jid) =>
      jid.endsWith('lid') ? { directPath: '/v/new' } : { error: ResultType.NOT_FOUND },
    );
    const { file } = open({ '/v/new': body }, { session: () => session, key: { ...key, remoteJidAlt: '99@lid' } });
    expect(await text(await file)).toBe('a picture of a cat');
  });

  it('the timeout for the phone covers both addresses of the chat', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { session, asked } = phone((jid) => (jid.endsWith('lid') ? undefined : { error: ResultType.NOT_FOUND }));
    const { sendNode } = session.socket;
    session.socket.sendNode = (node) =>
      new Promise((resolve) => setTimeout(() => resolve(sendNode(node)), asked.length === 0 ? 900 : 0));
    const wanted = { session: () => session, key: { ...key, remoteJidAlt: '99@lid' } };
    const { file } = open({}, wanted, { reuploadTimeout: 1_000 });
    let failure: unknown;
    file.catch((error: unknown) => {
      failure = error;
    });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(asked).toHaveLength(2);
    expect(failure).toMatchObject({ code: 'PLATFORM_TIMEOUT' });
  });

  it.each([
    ['says that it failed', { error: ResultType.GENERAL_ERROR }, 'MEDIA_HOST_FAILED'],
    ['answers what nobody can read', { directPath: '/v/new', garbage: true }, 'MEDIA_HOST_FAILED'],
    ['names no path', { directPath: '@evil.example' }, 'MEDIA_HOST_FAILED'],
    ['uploaded nothing', { directPath: '/v/nowhere' }, 'MEDIA_GONE'],
    ['says nothing', undefined, 'PLATFORM_TIMEOUT'],
  ] as const)('an expired file is not served when the phone %s', async (_, answer, code) => {
    const { session, listeners } = phone(() => answer);
    const { file } = open({}, { session: () => session }, { reuploadTimeout: 30 });
    await expect(file).rejects.toMatchObject({ code });
    expect(listeners()).toBe(0);
  });

  it('an expired file needs a connection that lasts until the phone is asked', async () => {
    const { session, listeners } = phone(() => undefined);
    session.socket.sendNode = async () => {
      throw Object.assign(new Error('Connection Closed'), { output: { statusCode: 428 } });
    };
    const { file } = open({}, { session: () => session });
    await expect(file).rejects.toMatchObject({ code: 'INSTANCE_NOT_OPEN', status: 400 });
    expect(listeners()).toBe(0);
  });

  it('an expired file needs a connection', async () => {
    const { session } = phone(() => undefined);
    const { file } = open({}, { session: () => session });
    session.end();
    await expect(file).rejects.toMatchObject({ code: 'INSTANCE_NOT_OPEN', status: 400 });
  });
});
