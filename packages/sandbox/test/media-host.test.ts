// The media host as clients of other makes use it: more kinds of uploads, interrupted ones, and downloads with query
// parameters of their own.
import { createHash, randomBytes } from 'node:crypto';
import { request } from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTrust } from '../../../src/whatsapp/baileys/platform-endpoint.ts';
import { ManualClock } from '../../../test/webhooks/world.ts';
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
const urlOf = (path: string, file: Buffer, extra = '') =>
  `https://${sandbox.mediaHost}${path}/${hashOf(file)}?auth=${auth}&token=${hashOf(file)}${extra}`;

function upload(path: string, file: Buffer, extra = '', body = file): Promise<Response> {
  return fetch(urlOf(path, file, extra), { ...trust.options, method: 'POST', body: new Uint8Array(body) });
}

/** The host's answer to an upload. */
const answerOf = async (response: Response) =>
  (await response.json()) as { url: string; direct_path: string; resume?: string };

/** Asks how much of the file the host has. */
const probe = async (file: Buffer) => answerOf(await upload('/mms/video', file, '&resume=1', Buffer.alloc(0)));

/** Uploads the first half of the file and then cuts the connection. */
async function uploadHalf(file: Buffer): Promise<void> {
  const half = file.length / 2;
  const started = request(urlOf('/mms/video', file), { method: 'POST', ca: sandbox.caPem });
  started.on('error', () => undefined);
  started.setHeader('content-length', file.length);
  await new Promise<void>((resolve) => started.write(file.subarray(0, half), () => resolve()));
  started.destroy();
}

describe('downloads', () => {
  it('are found by path and oh, also when the client adds more', async () => {
    const file = randomBytes(100);
    const { url } = await answerOf(await upload('/mms/image', file));
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
  ])('are accepted at %s', async (path) => {
    const file = randomBytes(100);
    const answer = await upload(path, file);
    expect(answer.status).toBe(200);
    const { url } = await answerOf(answer);
    expect(Buffer.from(await (await fetch(url, trust.options)).arrayBuffer())).toEqual(file);
  });

  it('that are complete are not needed again', async () => {
    const file = randomBytes(100);
    expect(await probe(file)).toEqual({ resume: '0' });
    const { url, direct_path } = await answerOf(await upload('/mms/video', file));
    expect(await probe(file)).toEqual({ resume: 'complete', url, direct_path });
  });

  it('that were interrupted continue where they ended', async () => {
    const file = randomBytes(200_000);
    await uploadHalf(file);
    let resume = 0;
    while (resume === 0) resume = Number((await probe(file)).resume);
    expect(resume).toBeLessThanOrEqual(100_000);
    const wrong = await upload('/mms/video', file, `&file_offset=${resume + 1}`, file.subarray(resume + 1));
    expect(wrong.status).toBe(400);
    const answer = await upload('/mms/video', file, `&file_offset=${resume}`, file.subarray(resume));
    expect(answer.status).toBe(200);
    const { url } = await answerOf(answer);
    expect(Buffer.from(await (await fetch(url, trust.options)).arrayBuffer())).toEqual(file);
  });

  it.each([
    ['', '='],
    ['=', '='],
    ['%3D', '%3D'],
    ['%3d', ''],
  ])('can have base64 padding in the path and the token (%s, %s)', async (inPath, inToken) => {
    const file = randomBytes(100);
    const url = `https://${sandbox.mediaHost}/mms/image/${hashOf(file)}${inPath}?auth=${auth}&token=${hashOf(file)}${inToken}`;
    const answer = await fetch(url, { ...trust.options, method: 'POST', body: new Uint8Array(file) });
    expect(answer.status).toBe(200);
  });

  it('need a token that has not expired', async () => {
    clock.advance(3_599_000);
    expect((await upload('/mms/image', randomBytes(100))).status).toBe(200);
    clock.advance(1_000);
    expect((await upload('/mms/image', randomBytes(100))).status).toBe(401);
    // The server closes connections that are silent for so long.
    await client.closed();
    client = new RealClient(sandbox, client.identity);
    await client.open();
    ({ auth } = await client.sock.refreshMediaConn());
    expect((await upload('/mms/image', randomBytes(100))).status).toBe(200);
  });

  it('need a token for the probe too', async () => {
    const file = randomBytes(100);
    const url = urlOf('/mms/video', file, '&resume=1').replace(auth, 'guessed');
    expect((await fetch(url, { ...trust.options, method: 'POST' })).status).toBe(401);
  });
});
