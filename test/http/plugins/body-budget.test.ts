// Bodies and files of all requests together: one instance cannot fill the memory or the folder for temporary files.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bodyBudgetSize } from '../../../src/http/plugins/body-budget.ts';
import { createMedia, type Media } from '../../../src/whatsapp/media/media.ts';
import { noImages } from '../../support/images.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { fakeSession, silent } from '../../whatsapp/fakes.ts';
import { type Http, startHttp } from '../routes/fixture.ts';

const MIB = 2 ** 20;
const number = '5511987654321';
const sendAudio = (instance: string) => `/message/sendWhatsAppAudio/${instance}`;
/** Four of them fit into the half of a budget of 1 MiB, which is what one instance gets. */
const FILE_BYTES = 120_000;
const overloaded = { code: 'OVERLOADED', certain: true };

interface Server extends Http {
  /** Lets the conversions of files end, which wait for it. */
  convert(): void;
  /** Number of files that arrive or wait in the store. */
  files(): number;
  open(): Promise<Socket>;
}

/** A server whose budget is 1 MiB, with the open instances `shop` and `other`. */
async function start(): Promise<Server> {
  const conversions = Promise.withResolvers<void>();
  let arriving = 0;
  const real = createMedia({
    endpoint: { network: 'sandbox' },
    ffmpeg: async () => undefined,
    log: silent,
    images: noImages,
    get: async () => ({ status: 404, body: Buffer.alloc(0), isOversize: false }),
    maxBytes: FILE_BYTES,
    timeout: 1_000,
  });
  const { store } = real.requestFiles;
  real.requestFiles.store = async (stream) => {
    arriving += 1;
    return store.call(real.requestFiles, stream).finally(() => {
      arriving -= 1;
    });
  };
  const media: Media = {
    ...real,
    toVoice: async (_owner, file) => {
      await conversions.promise;
      return { bytes: file, mimetype: 'audio/ogg' };
    },
    upload: async () => ({ audioMessage: { ptt: true } }),
  };
  const env = { OVERLOAD_BODIES: '1', BODY_LIMIT: '200000', MEDIA_LIMIT: String(FILE_BYTES) };
  const http = await startHttp(env, { media });
  for (const instance of http.instances.values()) Object.assign(instance, { session: () => fakeSession() });
  const { port } = new URL(await http.app.listen({ host: '127.0.0.1', port: 0 }));
  return Object.assign(http, {
    convert: conversions.resolve,
    files: () => arriving + media.requestFiles.size,
    async open() {
      const socket = connect(Number(port), '127.0.0.1');
      onTestFinished(() => void socket.destroy());
      await once(socket, 'connect');
      return socket;
    },
  });
}

const boundary = 'limit';
const partHead = (name: string, more = '') =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`;
const file = 'x'.repeat(FILE_BYTES - 1_000);
const form = `${partHead('number')}${number}\r\n${partHead('file', '; filename="a.ogg"')}${file}\r\n--${boundary}--\r\n`;
const JSON_TYPE = 'application/json';
const FORM_TYPE = `multipart/form-data; boundary=${boundary}`;
const json = (bytes: number) => JSON.stringify({ number, audioMessage: { audio: 'QUJD'.repeat(bytes / 4) } });

/** The head of a request; without `length`, the body is chunked. */
const head = (instance: string, type: string, length?: number) =>
  `POST ${sendAudio(instance)} HTTP/1.1\r\nhost: x\r\napikey: ${instance}-key\r\nconnection: close\r\ncontent-type: ${type}\r\n` +
  `${length === undefined ? 'transfer-encoding: chunked' : `content-length: ${length}`}\r\n\r\n`;
const chunk = (content: string) => `${content.length.toString(16)}\r\n${content}\r\n`;

async function answerOf(socket: Socket): Promise<{ status: number; retryAfter: string | undefined; body: unknown }> {
  const answer = await text(socket);
  const [, status, headers = '', body = ''] = /^HTTP\/1\.1 (\d+) .*?\r\n(.*?)\r\n\r\n(.*)$/s.exec(answer) ?? [];
  const content = /transfer-encoding: chunked/i.test(headers) ? body.replace(/^.*?\r\n(.*)\r\n0\r\n.*$/s, '$1') : body;
  const retryAfter = /^retry-after: (.*)$/im.exec(headers)?.[1];
  return { status: Number(status), retryAfter, body: JSON.parse(content) };
}

/** Sends forms with a file, except for their last byte, and resolves when their files have arrived. */
async function sendAlmost(server: Server, instance: string, count: number): Promise<Socket[]> {
  const before = server.files();
  const sockets = await Promise.all(Array.from({ length: count }, () => server.open()));
  for (const socket of sockets) socket.write(head(instance, FORM_TYPE, form.length) + form.slice(0, -1));
  await waitUntil(() => server.files() === before + count);
  return sockets;
}

async function sendForm(server: Server, instance: string) {
  const socket = await server.open();
  socket.write(head(instance, FORM_TYPE, form.length) + form);
  return answerOf(socket);
}

describe('forms that one instance does not finish', () => {
  it('take half of the budget: the next one is refused before it arrives, those of others and small bodies are not', async () => {
    const server = await start();
    server.convert();
    const held = await sendAlmost(server, 'shop', 4);
    const refused = await server.open();
    refused.write(head('shop', FORM_TYPE, form.length));
    expect(await answerOf(refused)).toMatchObject({ status: 503, retryAfter: '5', body: overloaded });
    const small = await server.call('POST', sendAudio('shop'), { number, audioMessage: { audio: 'QUJD' } });
    expect(small.status).toBe(201);
    expect((await sendForm(server, 'other')).status).toBe(201);
    for (const socket of held) socket.write('\n');
    for (const socket of held) expect((await answerOf(socket)).status).toBe(201);
  });

  it('leave their room when their senders hang up', async () => {
    const server = await start();
    server.convert();
    for (const socket of await sendAlmost(server, 'shop', 4)) socket.destroy();
    await waitUntil(async () => (await sendForm(server, 'shop')).status === 201);
    const again = await sendAlmost(server, 'shop', 4);
    for (const socket of again) socket.write('\n');
    for (const socket of again) expect((await answerOf(socket)).status).toBe(201);
  });
});

describe('bodies of unknown length', () => {
  it.each([
    ['JSON', JSON_TYPE, [json(100_000)]],
    ['a field of a form', FORM_TYPE, [partHead('audio'), 'x'.repeat(80_000)]],
    ['a file of a form', FORM_TYPE, [partHead('file', '; filename="a.ogg"'), 'x'.repeat(80_000)]],
  ])('are refused while they grow beyond the budget: %s', async (_, type, pieces) => {
    const server = await start();
    const held = await sendAlmost(server, 'shop', 4);
    const growing = await server.open();
    growing.write(head('shop', type));
    for (const piece of pieces) growing.write(chunk(piece));
    expect(await answerOf(growing)).toMatchObject({ status: 503, retryAfter: '5', body: overloaded });
    await waitUntil(() => server.files() === held.length);
    server.convert();
    for (const socket of held) {
      socket.write('\n');
      expect((await answerOf(socket)).status).toBe(201);
    }
    const whole = await server.open();
    whole.write(head('shop', FORM_TYPE) + chunk(form) + chunk(''));
    expect((await answerOf(whole)).status).toBe(201);
  });
});

describe('bodies whose files wait to be sent', () => {
  it('count until their requests have ended', async () => {
    const server = await start();
    const send = () => server.call('POST', sendAudio('shop'), json(150_000));
    const waiting = [send(), send(), send()];
    expect(await send()).toMatchObject({ status: 503, body: overloaded });
    server.convert();
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([201, 201, 201]);
    expect((await send()).status).toBe(201);
  });
});

describe('the size of the budget', () => {
  const limits = { bodyLimit: 24 * MIB, mediaLimit: 16 * MIB, overloadBodies: 0, overloadMemory: 0 };

  it('follows the memory of the process, and has room for the largest form of one instance', () => {
    expect(bodyBudgetSize(limits, 4096 * MIB)).toBe(512 * MIB);
    expect(bodyBudgetSize(limits, 1024 * MIB)).toBe(256 * MIB);
    expect(bodyBudgetSize(limits, 256 * MIB)).toBe(80 * MIB);
    expect(bodyBudgetSize({ ...limits, overloadMemory: 800 }, 4096 * MIB)).toBe(200 * MIB);
    expect(bodyBudgetSize({ ...limits, mediaLimit: 500 * MIB }, 4096 * MIB)).toBe(1048 * MIB);
  });

  it('is set by OVERLOAD_BODIES', () => {
    expect(bodyBudgetSize({ ...limits, overloadBodies: 2000 }, 1024 * MIB)).toBe(2000 * MIB);
    expect(bodyBudgetSize({ ...limits, overloadBodies: 10 }, 1024 * MIB)).toBe(80 * MIB);
  });
});
