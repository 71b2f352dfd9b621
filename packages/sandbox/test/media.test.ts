import { createHash, randomBytes } from 'node:crypto';
import { downloadMediaMessage, type proto, type WAMessage } from '@whiskeysockets/baileys';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTrust } from '../../../src/whatsapp/baileys/platform-endpoint.ts';
import { silenceConsole } from '../../../test/support/console.ts';
import { createLightSandbox } from '../../../test/support/light-sandbox.ts';
import { decryptFile, sha256 } from '../src/crypto/media-cipher.ts';
import { describeFile, type MediaKind, uploadEncrypted } from '../src/media/attachments.ts';
import { createMediaHost } from '../src/media/media-host.ts';
import type { Phone } from '../src/phone/phone.ts';
import type { Sandbox } from '../src/sandbox.ts';
import type { Account } from '../src/world/model.ts';
import { pnJid } from '../src/world/world.ts';
import { RealClient } from './real-client.ts';

let sandbox: Sandbox;
let trust: ReturnType<typeof createTrust>;
let nextNumber = 15_550_003_001;
let ownAccount: Account;
let peer: Phone;
let client: RealClient;

const file = randomBytes(70_001);
const hex = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

silenceConsole();
beforeAll(async () => {
  sandbox = await createLightSandbox();
  trust = createTrust({ network: 'sandbox', url: sandbox.platformUrl, ca: sandbox.caPem });
});
afterAll(() => sandbox.close());

beforeEach(async () => {
  ownAccount = sandbox.world.account(String(nextNumber++));
  peer = sandbox.phones.phone(String(nextNumber++));
  const identity = { creds: sandbox.provision(ownAccount.number), keys: new Map() };
  client = new RealClient(sandbox, identity, trust);
  await client.open();
});
afterEach(async () => {
  await client.sock.end(undefined);
  sandbox.faults.clear();
  expect(sandbox.unanswered).toEqual([]);
});

async function send(content: Parameters<RealClient['sock']['sendMessage']>[1]): Promise<string> {
  const sent = await client.sock.sendMessage(pnJid(peer.account), content);
  return sent?.key.id ?? '';
}

const waitForMessage = (phone: Phone, id: string) =>
  phone.waitFor(() => phone.messages().find((message) => message.id === id));

const download = (message: WAMessage) =>
  downloadMediaMessage(message, 'buffer', { options: trust.options }) as Promise<Buffer>;

async function receiveMedia(media: { kind: MediaKind } & Record<string, unknown>): Promise<WAMessage> {
  const id = await peer.send(ownAccount.number, { media: { bytes: file, ...media } });
  return (await client.message(id)).message;
}

describe('media from a client', () => {
  it.each([
    ['image', { image: file, jpegThumbnail: '', caption: 'look' }, { mediatype: 'image', mimetype: 'image/jpeg' }],
    ['video', { video: file, jpegThumbnail: '' }, { mediatype: 'video', mimetype: 'video/mp4' }],
    [
      'audio',
      { audio: file, ptt: true, seconds: 3, waveform: new Uint8Array(64).fill(7), mimetype: 'audio/ogg; codecs=opus' },
      { mediatype: 'ptt', mimetype: 'audio/ogg; codecs=opus', seconds: 3, waveform: Array(64).fill(7) },
    ],
    [
      'document',
      { document: file, mimetype: 'application/pdf', fileName: 'a.pdf' },
      { mediatype: 'document', mimetype: 'application/pdf', fileName: 'a.pdf' },
    ],
    ['sticker', { sticker: file }, { mediatype: 'sticker', mimetype: 'image/webp' }],
  ] as const)('a phone receives the media message of a client: %s', async (kind, content, media) => {
    const id = await send(content as Parameters<typeof send>[0]);
    const message = await waitForMessage(peer, id);
    expect(message).toMatchObject({ kind, media: { ...media, size: file.length, sha256: hex(file) } });
    expect(message.media?.problem).toBeUndefined();
    expect(peer.downloadMedia(id).bytes.equals(file)).toBe(true);
    const own = await waitForMessage(sandbox.phones.phone(ownAccount.number), id);
    expect(own).toMatchObject({ fromMe: true, media: { sha256: hex(file) } });
  });

  it('a phone shows the caption of an image from a client', async () => {
    const id = await send({ image: file, jpegThumbnail: '', caption: 'look' });
    expect(await waitForMessage(peer, id)).toMatchObject({ text: 'look' });
  });

  it('a phone reports a problem when a media message does not match its file', async () => {
    const id = await peer.send(ownAccount.number, { media: { kind: 'image', bytes: file } });
    const { message } = (await client.message(id)).message;
    const sendForged = async (change: Partial<proto.Message.IImageMessage>) => {
      const imageMessage = { ...message?.imageMessage, ...change };
      const forgedId = await client.sock.relayMessage(pnJid(peer.account), { imageMessage }, {});
      return (await waitForMessage(peer, forgedId)).media?.problem;
    };
    expect(await sendForged({})).toBeUndefined();
    expect(await sendForged({ fileSha256: randomBytes(32) })).toMatch(/fileSha256/);
    expect(await sendForged({ fileEncSha256: randomBytes(32) })).toMatch(/fileEncSha256/);
    expect(await sendForged({ mediaKey: randomBytes(32) })).toMatch(/MAC/);
    expect(await sendForged({ fileLength: 1 })).toMatch(/fileLength/);
    expect(await sendForged({ directPath: '/v/nowhere' })).toMatch(/no such file/);
  });

  it('a media message to a group is checked once for all phones', async () => {
    const phones = [peer, ...[1, 2].map(() => sandbox.phones.phone(String(nextNumber++)))];
    const numbers = phones.map(({ account }) => account.number);
    const own = sandbox.phones.phone(ownAccount.number);
    const group = own.createGroup('Friends', numbers);
    const sent = await client.sock.sendMessage(group.id, { image: file, jpegThumbnail: '' });
    const fromPhone = await own.send(group.id, { media: { kind: 'image', bytes: file } });
    for (const id of [sent?.key.id ?? '', fromPhone]) {
      const [first, ...others] = await Promise.all(
        phones.map(async (phone) => (await waitForMessage(phone, id)) && phone.mailbox.byId(id)?.media),
      );
      expect(first).toMatchObject({ sha256: hex(file), problem: undefined });
      for (const other of others) expect(other).toBe(first);
    }
  });

  it('describeFile() checks a message again when the host does not have its file', () => {
    const host = createMediaHost(sandbox.faults);
    const otherHost = createMediaHost(sandbox.faults);
    const content = uploadEncrypted(host, { kind: 'image', bytes: file }, 0);
    expect(describeFile(host, content)?.problem).toBeUndefined();
    expect(describeFile(otherHost, content)?.problem).toMatch(/no such file/);
  });

  it('a client cannot send media while the media host refuses uploads', async () => {
    sandbox.faults.add({ kind: 'upload', code: 503, times: 0 });
    await expect(send({ image: file, jpegThumbnail: '' })).rejects.toThrow(/upload failed/);
    sandbox.faults.clear();
    await waitForMessage(peer, await send({ image: file, jpegThumbnail: '' }));
  });
});

describe('media host', () => {
  const upload = async (path: string, body: Buffer) => {
    const { hostname } = new URL(`https://${sandbox.mediaHost}`);
    expect(hostname).toBe('127.0.0.1');
    const init = { ...trust.options, method: 'POST', body: new Uint8Array(body) };
    return (await fetch(`https://${sandbox.mediaHost}${path}`, init)).status;
  };

  it('the media host accepts a file only with its own hash and a valid token', async () => {
    const token = createHash('sha256').update(file).digest('base64url');
    const other = createHash('sha256').update('other').digest('base64url');
    const { auth } = await client.sock.refreshMediaConn();
    expect(await upload(`/mms/image/${token}?auth=${auth}&token=${token}`, file)).toBe(200);
    expect(await upload(`/mms/image/${other}?auth=${auth}&token=${other}`, file)).toBe(400);
    expect(await upload(`/mms/image/${token}?auth=guessed&token=${token}`, file)).toBe(401);
    expect(await upload(`/mms/anything/${token}?auth=${auth}&token=${token}`, file)).toBe(404);
  });

  it('the media host is not trusted without the certificate authority of the sandbox', async () => {
    await expect(fetch(`https://${sandbox.mediaHost}/v/x`)).rejects.toThrow();
    expect((await fetch(`https://${sandbox.mediaHost}/v/x`, trust.options)).status).toBe(404);
  });
});

describe('media from a phone', () => {
  it.each([
    ['image', { caption: 'see', width: 10, height: 20 }, { mimetype: 'image/jpeg', caption: 'see', width: 10 }],
    ['video', { seconds: 9 }, { mimetype: 'video/mp4', seconds: 9 }],
    ['audio', { ptt: true, seconds: 2 }, { mimetype: 'audio/ogg; codecs=opus', ptt: true, seconds: 2 }],
    ['document', { fileName: 'b.pdf', mimetype: 'application/pdf' }, { fileName: 'b.pdf' }],
    ['sticker', {}, { mimetype: 'image/webp' }],
  ] as const)('a client can download the media message of a phone: %s', async (kind, draft, expected) => {
    const message = await receiveMedia({ kind, ...draft });
    expect(message.message?.[`${kind}Message`]).toMatchObject(expected);
    expect((await download(message)).equals(file)).toBe(true);
  });

  it('the media message of a phone reaches other phones and the clients of its own account', async () => {
    const id = await sandbox.phones
      .phone(ownAccount.number)
      .send(peer.account.number, { media: { kind: 'image', bytes: file } });
    expect((await waitForMessage(peer, id)).media).toMatchObject({ sha256: hex(file), problem: undefined });
    const { message } = await client.message(id);
    expect((await download(message)).equals(file)).toBe(true);
  });

  it.each([403, 404, 410])('a client cannot download a file when the media host responds %i', async (code) => {
    const message = await receiveMedia({ kind: 'image' });
    sandbox.faults.add({ kind: 'download', code });
    await expect(download(message)).rejects.toMatchObject({ output: { statusCode: code } });
    expect((await download(message)).equals(file)).toBe(true);
  });

  it('a phone uploads a file again when a client requests it', async () => {
    // Without this query, Baileys builds the new URL with the host of the real platform.
    await client.sock.refreshMediaConn();
    const message = await receiveMedia({ kind: 'image' });
    const before = message.message?.imageMessage?.directPath;
    sandbox.faults.add({ kind: 'download', code: 410 });
    const downloadError = await download(message).catch((error: Error) => error);
    expect(downloadError).toBeInstanceOf(Error);
    const renewed = await client.sock.updateMediaMessage(message);
    expect(renewed.message?.imageMessage?.directPath).not.toBe(before);
    expect((await download(renewed)).equals(file)).toBe(true);
  });

  it('a client that requests the file of an unknown message again gets an error', async () => {
    const { key, message } = await receiveMedia({ kind: 'image' });
    const unknownMessage = { key: { ...key, id: 'UNKNOWN' }, message };
    await expect(client.sock.updateMediaMessage(unknownMessage)).rejects.toMatchObject({ output: { statusCode: 404 } });
  });
});

describe('files that are shorter than their MAC', () => {
  it('decryptFile() rejects a file that is shorter than its MAC', () => {
    const body = randomBytes(5);
    const keys = { mediaKey: randomBytes(32), fileSha256: randomBytes(32), fileEncSha256: sha256(body) };
    expect(() => decryptFile(body, keys, 'image')).toThrow(new Error('the MAC is wrong'));
  });
});
