import { EventEmitter } from 'node:events';
import { proto } from '@whiskeysockets/baileys';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { encryptFile, encryptRetryReply } from '../../../packages/sandbox/src/crypto/media-cipher.ts';
import type { MessageKey } from '../../../src/events/events.ts';
import type { AttachedFile } from '../../../src/whatsapp/media/attached-file.ts';
import { createDownloader, type DownloadDeps, type DownloadRequest } from '../../../src/whatsapp/media/download.ts';
import type { OpenFile } from '../../../src/whatsapp/media/encrypted-spool.ts';
import type { SessionSocket } from '../../../src/whatsapp/session.ts';
import { fakeSession } from '../../support/session-fakes.ts';
import { waitFor } from '../../support/wait-for.ts';

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

/** Creates a media host that answers by path. Other paths get a 404. */
function createHost(files: Record<string, Reply>) {
  const requests: string[] = [];
  const receive: DownloadDeps['fetchStream'] = async ({ url, signal }, take) => {
    requests.push(url);
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
  return { receive, requests };
}

const storedLocations: unknown[] = [];
const startDownload = (
  files: Record<string, Reply>,
  overrides: Partial<DownloadRequest> = {},
  depOverrides: Partial<DownloadDeps> = {},
) => {
  const { receive, requests } = createHost(files);
  const openFile = createDownloader({
    fetchStream: receive,
    endpoint: { network: 'whatsapp' },
    messages: { setFileLocation: async (...args) => void storedLocations.push(args) },
    ...{ downloadLimit: 1_000, timeout: 1_000, reuploadTimeout: 1_000, ...depOverrides },
  });
  const signal = new AbortController().signal;
  const fullRequest = { instanceId: 'one', key, attached, signal, ...overrides };
  return { file: openFile(fullRequest), requests, openFile, fullRequest };
};

/** Opens seven more files of two instances, because one instance never gets all slots. */
const openSeven = (openFile: (request: DownloadRequest) => Promise<OpenFile>, request: DownloadRequest) =>
  Array.from({ length: 7 }, (_, n) => openFile({ ...request, instanceId: n < 4 ? 'two' : 'one' }));

async function readText(file: Awaited<ReturnType<ReturnType<typeof createDownloader>>>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of file.read()) chunks.push(chunk);
  await file.close();
  return Buffer.concat(chunks).toString();
}

/**
 * Creates a session whose phone answers requests for files. The phone does not answer when `answer` returns undefined.
 */
function createPhone(answer: (jid: string) => { directPath?: string; error?: number; garbage?: true } | undefined) {
  const emitter = new EventEmitter();
  const requests: string[] = [];
  const sendNode: SessionSocket['sendNode'] = async (node) => {
    const rmr = Array.isArray(node.content) ? node.content.find(({ tag }) => tag === 'rmr') : undefined;
    const jid = rmr?.attrs.jid ?? '';
    requests.push(jid);
    const phoneReply = answer(jid);
    if (!phoneReply) return;
    const other = { key: { ...key, id: 'OTHER' }, error: new Error('not yours') };
    const notification = { stanzaId: key.id, directPath: phoneReply.directPath ?? '', result: ResultType.SUCCESS };
    const encrypted = encryptRetryReply(
      keys.mediaKey,
      key.id,
      proto.MediaRetryNotification.encode(notification).finish(),
    );
    const media = phoneReply.garbage ? { ...encrypted, iv: Buffer.alloc(12) } : encrypted;
    const error = Object.assign(new Error('no'), { data: { code: String(phoneReply.error) } });
    const ownUpdate = phoneReply.error === undefined ? { key, media } : { key, error };
    queueMicrotask(() => emitter.emit('messages.media-update', [other, ownUpdate]));
  };
  const session = fakeSession({ sendNode, ev: emitter as unknown as SessionSocket['ev'] });
  return { session, requests, listeners: () => emitter.listenerCount('messages.media-update') };
}

describe('downloads', () => {
  it('a download uses the host that the message names when it belongs to WhatsApp', async () => {
    const { file, requests } = startDownload({ '/v/old': body });
    expect(await readText(await file)).toBe('a picture of a cat');
    expect(requests).toEqual(['https://media-1.cdn.whatsapp.net/v/old?oh=1']);
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
  ])("a download uses WhatsApp's default host when the message names %s", async (url) => {
    const { file, requests } = startDownload({ '/v/old': body }, { attached: { ...attached, url } });
    await (await file).close();
    expect(requests).toEqual(['https://mmg.whatsapp.net/v/old?oh=1']);
  });

  it('a download from a test endpoint uses only the host of that endpoint', async () => {
    const endpoint = { network: 'sandbox', url: 'ws://127.0.0.1:5000/ws/chat' } as const;
    const named = { ...attached, url: 'https://127.0.0.1:6000/v/old' };
    const { file, requests } = startDownload({ '/v/old': body }, { attached: named }, { endpoint });
    await (await file).close();
    expect(requests).toEqual(['https://127.0.0.1:6000/v/old?oh=1']);
    const foreignDownload = startDownload({}, { attached }, { endpoint });
    await expect(foreignDownload.file).rejects.toMatchObject({ code: 'MEDIA_HOST_FAILED' });
    expect(foreignDownload.requests).toEqual([]);
  });

  it.each<[string, Reply, string, number]>([
    ['is unreachable', Object.assign(new Error('no'), { code: 'ECONNREFUSED' }), 'MEDIA_HOST_FAILED', 502],
    ['is too slow', Object.assign(new Error('late'), { code: 'ETIMEDOUT' }), 'MEDIA_TIMEOUT', 504],
    ['answers 500', 500, 'MEDIA_HOST_FAILED', 502],
    ['sends another file', Buffer.alloc(64), 'MEDIA_CORRUPT', 502],
    ['sends too many bytes', Buffer.alloc(5_000), 'MEDIA_OVER_LIMIT', 413],
    ['has no file and no phone is connected', 404, 'MEDIA_GONE', 410],
  ])('a download fails with the matching error when the host %s', async (_, reply, code, status) => {
    await expect(startDownload({ '/v/old': reply }).file).rejects.toMatchObject({ code, status });
  });

  it('a download reports whether the host was unreachable or the connection was lost', async () => {
    const unreachable = startDownload({ '/v/old': Object.assign(new Error('no'), { code: 'ECONNREFUSED' }) });
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
    await expect(startDownload({}, {}, { fetchStream }).file).rejects.toMatchObject({
      code: 'MEDIA_HOST_FAILED',
      responseMessage: 'The connection to the media host broke before the file was complete.',
    });
  });

  it('a download of a file above the size limit sends no request', async () => {
    const { file, requests } = startDownload({ '/v/old': body }, { attached: { ...attached, fileLength: 1_001 } });
    await expect(file).rejects.toMatchObject({
      code: 'MEDIA_OVER_LIMIT',
      responseMessage: ['The file is larger than 1000 bytes (setting DOWNLOAD_LIMIT).'],
    });
    await expect(startDownload({ '/v/old': body }, { maxBytes: 5 }).file).rejects.toMatchObject({
      code: 'MEDIA_OVER_LIMIT',
    });
    expect(requests).toEqual([]);
  });

  it('a running download and a waiting download end when their caller aborts', async () => {
    const controller = new AbortController();
    const { file, fullRequest, openFile } = startDownload({ '/v/old': 'hangs' }, { signal: controller.signal });
    const others = Array.from({ length: 20 }, () => openFile(fullRequest));
    controller.abort(new Error('left'));
    for (const outcome of await Promise.allSettled([file, ...others]))
      expect(outcome).toMatchObject({ status: 'rejected', reason: { message: 'left' } });
  });

  it('eight downloads run at the same time, and the next one starts when a file is closed', async () => {
    const { file, fullRequest, openFile, requests } = startDownload({ '/v/old': body });
    const first = await Promise.all([file, ...openSeven(openFile, fullRequest)]);
    const ninth = openFile(fullRequest);
    await first[7]?.close();
    const files = [...first, await ninth];
    expect(requests).toHaveLength(9);
    await Promise.all(files.map((opened) => opened.close()));
  });

  it('the downloads of one instance leave slots for other instances', async () => {
    const controller = new AbortController();
    const { file, fullRequest, openFile } = startDownload(
      { '/v/old': 'hangs', '/v/other': body },
      { signal: controller.signal },
    );
    const flood = [file, ...Array.from({ length: 20 }, () => openFile(fullRequest))];
    const other = { instanceId: 'two', attached: { ...attached, directPath: '/v/other' } };
    expect(await readText(await openFile({ ...fullRequest, ...other }))).toBe('a picture of a cat');
    controller.abort(new Error('left'));
    for (const outcome of await Promise.allSettled(flood))
      expect(outcome).toMatchObject({ reason: { message: 'left' } });
  });

  it('a download slot becomes free only when its file is completely closed', async () => {
    const { file, fullRequest, openFile, requests } = startDownload({ '/v/old': body });
    const first = await Promise.all([file, ...openSeven(openFile, fullRequest)]);
    const ninth = openFile(fullRequest);
    const closing = first[0]?.close();
    for (let turn = 0; turn < 50; turn++) await undefined;
    expect(requests).toHaveLength(8);
    await closing;
    await Promise.all([...first.slice(1), await ninth].map((opened) => opened.close()));
  });

  it('a download that waits too long for a slot is rejected and takes no slot later', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { file, fullRequest, openFile, requests } = startDownload({ '/v/old': body });
    const first = await Promise.all([file, ...openSeven(openFile, fullRequest)]);
    const waitingDownload = openFile(fullRequest);
    const rejection = expect(waitingDownload).rejects.toMatchObject({ code: 'OVERLOADED', status: 503, retryAfter: 5 });
    vi.advanceTimersByTime(30_000);
    await rejection;
    await Promise.all(first.map((opened) => opened.close()));
    await (await openFile(fullRequest)).close();
    expect(requests).toHaveLength(9);
  });

  it('a download that waits for a slot ends when its caller aborts', async () => {
    const { file, fullRequest, openFile } = startDownload({ '/v/old': body });
    const first = await Promise.all([file, ...openSeven(openFile, fullRequest)]);
    const controller = new AbortController();
    const ninth = openFile({ ...fullRequest, signal: controller.signal });
    controller.abort(new Error('left'));
    await expect(ninth).rejects.toThrow('left');
    await Promise.all(first.map((opened) => opened.close()));
  });
});

describe('expired files', () => {
  it.each([
    403, 404, 410,
  ])('an expired file is uploaded again by the phone, and its new path is stored (status %i)', async (status) => {
    storedLocations.length = 0;
    const { session, listeners } = createPhone(() => ({ directPath: '/v/new?oh=2' }));
    const { file, requests } = startDownload({ '/v/old': status, '/v/new': body }, { session: () => session });
    expect(await readText(await file)).toBe('a picture of a cat');
    const url = 'https://media-1.cdn.whatsapp.net/v/new?oh=2';
    expect(requests[1]).toBe(url);
    expect(storedLocations).toEqual([['one', key, { directPath: '/v/new?oh=2', url }]]);
    expect(listeners()).toBe(0);
  });

  it('an expired file is requested from the phone once for concurrent callers', async () => {
    const { session, requests } = createPhone(() => ({ directPath: '/v/new' }));
    const { file, fullRequest, openFile } = startDownload({ '/v/new': body }, { session: () => session });
    const files = await Promise.all([file, openFile(fullRequest), openFile(fullRequest)]);
    await Promise.all(files.map((opened) => opened.close()));
    expect(requests).toHaveLength(1);
  });

  it('a caller that aborts while the phone uploads frees its slot, and the new path is stored', async () => {
    storedLocations.length = 0;
    const { promise: uploaded, resolve: upload } = Promise.withResolvers<void>();
    const { session } = createPhone(() => ({ directPath: '/v/new' }));
    const { sendNode } = session.socket;
    session.socket.sendNode = (node) => uploaded.then(() => sendNode(node));
    const controller = new AbortController();
    const overrides = { session: () => session, signal: controller.signal };
    const { file, fullRequest, openFile } = startDownload({ '/v/other': body, '/v/new': body }, overrides);
    const waiting = [file, ...openSeven(openFile, fullRequest)];
    const other = openFile({
      ...fullRequest,
      attached: { ...attached, directPath: '/v/other' },
      signal: new AbortController().signal,
    });
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort(new Error('left'));
    for (const outcome of await Promise.allSettled(waiting))
      expect(outcome).toMatchObject({ reason: { message: 'left' } });
    await (await other).close();
    upload();
    await waitFor(() => expect(storedLocations).toHaveLength(2));
  });

  it('a download fails with MEDIA_GONE when the phone has the file under neither address of the chat', async () => {
    const { session, requests } = createPhone(() => ({ error: ResultType.NOT_FOUND }));
    const keyWithLid = { ...key, remoteJidAlt: '99@lid' };
    const { file } = startDownload({}, { session: () => session, key: keyWithLid });
    await expect(file).rejects.toMatchObject({ code: 'MEDIA_GONE', status: 410 });
    expect(requests).toEqual([key.remoteJid, '99@lid']);
  });

  it('an expired file is also requested under the alternate address of the chat', async () => {
    const { session } = createPhone((jid) =>
      jid.endsWith('lid') ? { directPath: '/v/new' } : { error: ResultType.NOT_FOUND },
    );
    const { file } = startDownload(
      { '/v/new': body },
      { session: () => session, key: { ...key, remoteJidAlt: '99@lid' } },
    );
    expect(await readText(await file)).toBe('a picture of a cat');
  });

  it('the timeout for a reupload by the phone covers both addresses of the chat', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { session, requests } = createPhone((jid) =>
      jid.endsWith('lid') ? undefined : { error: ResultType.NOT_FOUND },
    );
    const { sendNode } = session.socket;
    session.socket.sendNode = (node) =>
      new Promise((resolve) => setTimeout(() => resolve(sendNode(node)), requests.length === 0 ? 900 : 0));
    const overrides = { session: () => session, key: { ...key, remoteJidAlt: '99@lid' } };
    const { file } = startDownload({}, overrides, { reuploadTimeout: 1_000 });
    let failure: unknown;
    file.catch((error: unknown) => {
      failure = error;
    });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(requests).toHaveLength(2);
    expect(failure).toMatchObject({ code: 'PLATFORM_TIMEOUT' });
  });

  it.each([
    ['reports a failure', { error: ResultType.GENERAL_ERROR }, 'MEDIA_HOST_FAILED'],
    ['sends an undecryptable answer', { directPath: '/v/new', garbage: true }, 'MEDIA_HOST_FAILED'],
    ['names an invalid path', { directPath: '@evil.example' }, 'MEDIA_HOST_FAILED'],
    ['names a path without a file', { directPath: '/v/nowhere' }, 'MEDIA_GONE'],
    ['does not answer', undefined, 'PLATFORM_TIMEOUT'],
  ] as const)('a download of an expired file fails when the phone %s', async (_, answer, code) => {
    const { session, listeners } = createPhone(() => answer);
    const { file } = startDownload({}, { session: () => session }, { reuploadTimeout: 30 });
    await expect(file).rejects.toMatchObject({ code });
    expect(listeners()).toBe(0);
  });

  it('a download of an expired file throws INSTANCE_NOT_OPEN when the connection closes before the phone is asked', async () => {
    const { session, listeners } = createPhone(() => undefined);
    session.socket.sendNode = async () => {
      throw Object.assign(new Error('Connection Closed'), { output: { statusCode: 428 } });
    };
    const { file } = startDownload({}, { session: () => session });
    await expect(file).rejects.toMatchObject({ code: 'INSTANCE_NOT_OPEN', status: 400 });
    expect(listeners()).toBe(0);
  });

  it('a download of an expired file throws INSTANCE_NOT_OPEN after the end of the session', async () => {
    const { session } = createPhone(() => undefined);
    const { file } = startDownload({}, { session: () => session });
    session.end();
    await expect(file).rejects.toMatchObject({ code: 'INSTANCE_NOT_OPEN', status: 400 });
  });
});
