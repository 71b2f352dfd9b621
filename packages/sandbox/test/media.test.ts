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
let mine: Account;
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
  mine = sandbox.world.account(String(nextNumber++));
  peer = sandbox.phones.phone(String(nextNumber++));
  const identity = { creds: sandbox.provision(mine.number), keys: new Map() };
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

const seenBy = (phone: Phone, id: string) => phone.waitFor(() => phone.messages().find((message) => message.id === id));

const download = (message: WAMessage) =>
  downloadMediaMessage(message, 'buffer', { options: trust.options }) as Promise<Buffer>;

async function received(media: { kind: MediaKind } & Record<string, unknown>): Promise<WAMessage> {
  const id = await peer.send(mine.number, { media: { bytes: file, ...media } });
  return (await client.message(id)).message;
}

describe('media that a client sends', () => {
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
  ] as const)('arrives at a phone: %s', async (kind, content, media) => {
    const id = await send(content as Parameters<typeof send>[0]);
    const message = await seenBy(peer, id);
    expect(message).toMatchObject({ kind, media: { ...media, size: file.length, sha256: hex(file) } });
    expect(message.media?.problem).toBeUndefined();
    expect(peer.downloadMedia(id).bytes.equals(file)).toBe(true);
    const own = await seenBy(sandbox.phones.phone(mine.number), id);
    expect(own).toMatchObject({ fromMe: true, media: { sha256: hex(file) } });
  });

  it('shows its caption', async () => {
    const id = await send({ image: file, jpegThumbnail: '', caption: 'look' });
    expect(await seenBy(peer, id)).toMatchObject({ text: 'look' });
  });

  it('is reported as wrong by the phone when the message does not match the file', async () => {
    const id = await peer.send(mine.number, { media: { kind: 'image', bytes: file } });
    const { message } = (await client.message(id)).message;
    const forge = async (change: Partial<proto.Message.IImageMessage>) => {
      const imageMessage = { ...message?.imageMessage, ...change };
      const lied = await client.sock.relayMessage(pnJid(peer.account), { imageMessage }, {});
      return (await seenBy(peer, lied)).media?.problem;
    };
    expect(await forge({})).toBeUndefined();
    expect(await forge({ fileSha256: randomBytes(32) })).toMatch(/fileSha256/);
    expect(await forge({ fileEncSha256: randomBytes(32) })).toMatch(/fileEncSha256/);
    expect(await forge({ mediaKey: randomBytes(32) })).toMatch(/MAC/);
    expect(await forge({ fileLength: 1 })).toMatch(/fileLength/);
    expect(await forge({ directPath: '/v/nowhere' })).toMatch(/no such file/);
  });

  it('is checked once for all phones of a group', async () => {
    const phones = [peer, ...[1, 2].map(() => sandbox.phones.phone(String(nextNumber++)))];
    const numbers = phones.map(({ account }) => account.number);
    const own = sandbox.phones.phone(mine.number);
    const group = own.createGroup('Friends', numbers);
    const sent = await client.sock.sendMessage(group.id, { image: file, jpegThumbnail: '' });
    const fromPhone = await own.send(group.id, { media: { kind: 'image', bytes: file } });
    for (const id of [sent?.key.id ?? '', fromPhone]) {
      const [first, ...others] = await Promise.all(
        phones.map(async (phone) => (await seenBy(phone, id)) && phone.mailbox.byId(id)?.media),
      );
      expect(first).toMatchObject({ sha256: hex(file), problem: undefined });
      for (const other of others) expect(other).toBe(first);
    }
  });

  it('is checked again when the host has lost the file', () => {
    const host = createMediaHost(sandbox.faults);
    const otherHost = createMediaHost(sandbox.faults);
    const content = uploadEncrypted(host, { kind: 'image', bytes: file }, 0);
    expect(describeFile(host, content)?.problem).toBeUndefined();
    expect(describeFile(otherHost, content)?.problem).toMatch(/no such file/);
  });

  it('cannot be sent while the host refuses uploads', async () => {
    sandbox.faults.add({ kind: 'upload', code: 503, times: 0 });
    await expect(send({ image: file, jpegThumbnail: '' })).rejects.toThrow(/upload failed/);
    sandbox.faults.clear();
    await seenBy(peer, await send({ image: file, jpegThumbnail: '' }));
  });
});

describe('the media host', () => {
  const put = async (path: string, body: Buffer) => {
    const { hostname } = new URL(`https://${sandbox.mediaHost}`);
    expect(hostname).toBe('127.0.0.1');
    const init = { ...trust.options, method: 'POST', body: new Uint8Array(body) };
    return (await fetch(`https://${sandbox.mediaHost}${path}`, init)).status;
  };

  it('accepts a file only with its own hash and a valid token', async () => {
    const token = createHash('sha256').update(file).digest('base64url');
    const other = createHash('sha256').update('other').digest('base64url');
    const { auth } = await client.sock.refreshMediaConn();
    expect(await put(`/mms/image/${token}?auth=${auth}&token=${token}`, file)).toBe(200);
    expect(await put(`/mms/image/${other}?auth=${auth}&token=${other}`, file)).toBe(400);
    expect(await put(`/mms/image/${token}?auth=guessed&token=${token}`, file)).toBe(401);
    expect(await put(`/mms/anything/${token}?auth=${auth}&token=${token}`, file)).toBe(404);
  });

  it('is not trusted without the certificate authority of the sandbox', async () => {
    await expect(fetch(`https://${sandbox.mediaHost}/v/x`)).rejects.toThrow();
    expect((await fetch(`https://${sandbox.mediaHost}/v/x`, trust.options)).status).toBe(404);
  });
});

describe('media that a phone sends', () => {
  it.each([
    ['image', { caption: 'see', width: 10, height: 20 }, { mimetype: 'image/jpeg', caption: 'see', width: 10 }],
    ['video', { seconds: 9 }, { mimetype: 'video/mp4', seconds: 9 }],
    ['audio', { ptt: true, seconds: 2 }, { mimetype: 'audio/ogg; codecs=opus', ptt: true, seconds: 2 }],
    ['document', { fileName: 'b.pdf', mimetype: 'application/pdf' }, { fileName: 'b.pdf' }],
    ['sticker', {}, { mimetype: 'image/webp' }],
  ] as const)('can be downloaded: %s', async (kind, draft, shown) => {
    const message = await received({ kind, ...draft });
    expect(message.message?.[`${kind}Message`]).toMatchObject(shown);
    expect((await download(message)).equals(file)).toBe(true);
  });

  it('reaches other phones and the own clients', async () => {
    const id = await sandbox.phones
      .phone(mine.number)
      .send(peer.account.number, { media: { kind: 'image', bytes: file } });
    expect((await seenBy(peer, id)).media).toMatchObject({ sha256: hex(file), problem: undefined });
    const { message } = await client.message(id);
    expect((await download(message)).equals(file)).toBe(true);
  });

  it.each([403, 404, 410])('cannot be downloaded when the host responds %i', async (code) => {
    const message = await received({ kind: 'image' });
    sandbox.faults.add({ kind: 'download', code });
    await expect(download(message)).rejects.toMatchObject({ output: { statusCode: code } });
    expect((await download(message)).equals(file)).toBe(true);
  });

  it('is uploaded again when a client requests it', async () => {
    // Without it Baileys builds the new URL with the host of the real platform.
    await client.sock.refreshMediaConn();
    const message = await received({ kind: 'image' });
    const before = message.message?.imageMessage?.directPath;
    sandbox.faults.add({ kind: 'download', code: 410 });
    const gone = await download(message).catch((error: Error) => error);
    expect(gone).toBeInstanceOf(Error);
    const renewed = await client.sock.updateMediaMessage(message);
    expect(renewed.message?.imageMessage?.directPath).not.toBe(before);
    expect((await download(renewed)).equals(file)).toBe(true);
  });

  it('gets an error when the phone does not have it', async () => {
    const { key, message } = await received({ kind: 'image' });
    const wanted = { key: { ...key, id: 'UNKNOWN' }, message };
    await expect(client.sock.updateMediaMessage(wanted)).rejects.toMatchObject({ output: { statusCode: 404 } });
  });
});

describe('a file that is shorter than its MAC', () => {
  it('cannot be decrypted', () => {
    const body = randomBytes(5);
    const keys = { mediaKey: randomBytes(32), fileSha256: randomBytes(32), fileEncSha256: sha256(body) };
    expect(() => decryptFile(body, keys, 'image')).toThrow(new Error('the MAC is wrong'));
  });
});
