// The media host with requests that Baileys does not send: other kinds of uploads, interrupted uploads, and downloads
// with more query parameters.
import { createHash, randomBytes } from 'node:crypto';
import { request } from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTrust } from '../../../src/whatsapp/baileys/platform-endpoint.ts';
import { ManualClock } from '../../../test/support/dispatcher-world.ts';
import { createSandbox, type Sandbox } from '../src/sandbox.ts';
import { RealClient } from './real-client.ts';

let sandbox: Sandbox;
let clock: ManualClock;
let trust: ReturnType<typeof createTrust>;
let client: RealClient;
let auth: string;

beforeAll(async () => {
  clock = new ManualClock();
  sandbox = await createSandbox({ tlsPort: false, clock });
  trust = createTrust({ network: 'sandbox', url: sandbox.platformUrl, ca: sandbox.caPem });
  client = new RealClient(sandbox, { creds: sandbox.provision('15550032001'), keys: new Map() });
  await client.open();
  ({ auth } = await client.sock.refreshMediaConn());
});
afterAll(async () => {
  await client.sock.end(undefined);
  expect(sandbox.unanswered).toEqual([]);
  await sandbox.close();
});

const hashOf = (file: Buffer) => createHash('sha256').update(file).digest('base64url');
const urlOf = (path: string, file: Buffer, moreQuery = '') =>
  `https://${sandbox.mediaHost}${path}/${hashOf(file)}?auth=${auth}&token=${hashOf(file)}${moreQuery}`;

function upload(path: string, file: Buffer, moreQuery = '', body = file): Promise<Response> {
  return fetch(urlOf(path, file, moreQuery), { ...trust.options, method: 'POST', body: new Uint8Array(body) });
}

/** Reads the answer of the media host to an upload. */
const readAnswer = async (response: Response) =>
  (await response.json()) as { url: string; direct_path: string; resume?: string };

/** Queries how many bytes of the file the media host has. */
const queryPosition = async (file: Buffer) =>
  readAnswer(await upload('/mms/video', file, '&resume=1', Buffer.alloc(0)));

/** Uploads the first half of the file and then closes the connection. */
async function uploadHalf(file: Buffer): Promise<void> {
  const half = file.length / 2;
  const uploadRequest = request(urlOf('/mms/video', file), { method: 'POST', ca: sandbox.caPem });
  uploadRequest.on('error', () => undefined);
  uploadRequest.setHeader('content-length', file.length);
  await new Promise<void>((resolve) => uploadRequest.write(file.subarray(0, half), () => resolve()));
  uploadRequest.destroy();
}

describe('downloads', () => {
  it('the media host finds a file by path and oh, also when the client adds other query parameters', async () => {
    const file = randomBytes(100);
    const { url } = await readAnswer(await upload('/mms/image', file));
    for (const extra of ['', '&hash=abc&mms-type=image&__wa-mms=', `&auth=${auth}&token=t`]) {
      const found = await fetch(`${url}${extra}`, trust.options);
      expect(Buffer.from(await found.arrayBuffer())).toEqual(file);
    }
    const { pathname, origin, search } = new URL(url);
    expect((await fetch(`${origin}${pathname}?mms-type=image&${search.slice(1)}`, trust.options)).status).toBe(200);
    expect((await fetch(`${origin}${pathname}?oh=wrong`, trust.options)).status).toBe(404);
    expect((await fetch(`${origin}${pathname}`, trust.options)).status).toBe(404);
  });
});

describe('uploads', () => {
  it.each([
    '/mms/thumbnail-link',
    '/mms/md-msg-hist',
    '/mms/sticker-pack',
    '/mms/thumbnail-sticker-pack',
    '/mms/ptt',
    '/product/image',
    '/newsletter/newsletter-sticker',
  ])('the media host accepts uploads at %s', async (path) => {
    const file = randomBytes(100);
    const answer = await upload(path, file);
    expect(answer.status).toBe(200);
    const { url } = await readAnswer(answer);
    expect(Buffer.from(await (await fetch(url, trust.options)).arrayBuffer())).toEqual(file);
  });

  it('the media host reports a complete upload, so that a client need not upload the file again', async () => {
    const file = randomBytes(100);
    expect(await queryPosition(file)).toEqual({ resume: '0' });
    const { url, direct_path } = await readAnswer(await upload('/mms/video', file));
    expect(await queryPosition(file)).toEqual({ resume: 'complete', url, direct_path });
  });

  it('a client continues an interrupted upload at the position that the media host reports', async () => {
    const file = randomBytes(200_000);
    await uploadHalf(file);
    let resume = 0;
    while (resume === 0) resume = Number((await queryPosition(file)).resume);
    expect(resume).toBeLessThanOrEqual(100_000);
    const wrong = await upload('/mms/video', file, `&file_offset=${resume + 1}`, file.subarray(resume + 1));
    expect(wrong.status).toBe(400);
    const answer = await upload('/mms/video', file, `&file_offset=${resume}`, file.subarray(resume));
    expect(answer.status).toBe(200);
    const { url } = await readAnswer(answer);
    expect(Buffer.from(await (await fetch(url, trust.options)).arrayBuffer())).toEqual(file);
  });

  it.each([
    ['', '='],
    ['=', '='],
    ['%3D', '%3D'],
    ['%3d', ''],
  ])('an upload can have base64 padding in the path and in the token (%s, %s)', async (inPath, inToken) => {
    const file = randomBytes(100);
    const url = `https://${sandbox.mediaHost}/mms/image/${hashOf(file)}${inPath}?auth=${auth}&token=${hashOf(file)}${inToken}`;
    const answer = await fetch(url, { ...trust.options, method: 'POST', body: new Uint8Array(file) });
    expect(answer.status).toBe(200);
  });

  it('an upload requires a token that has not expired', async () => {
    clock.advance(3_599_000);
    expect((await upload('/mms/image', randomBytes(100))).status).toBe(200);
    clock.advance(1_000);
    expect((await upload('/mms/image', randomBytes(100))).status).toBe(401);
    // The client was silent for an hour on this clock, so the server closes its connection.
    await client.closed();
    client = new RealClient(sandbox, client.identity);
    await client.open();
    ({ auth } = await client.sock.refreshMediaConn());
    expect((await upload('/mms/image', randomBytes(100))).status).toBe(200);
  });

  it('a query for the position of an upload requires a token', async () => {
    const file = randomBytes(100);
    const url = urlOf('/mms/video', file, '&resume=1').replace(auth, 'guessed');
    expect((await fetch(url, { ...trust.options, method: 'POST' })).status).toBe(401);
  });
});
