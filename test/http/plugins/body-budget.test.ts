// The limit of the bodies and files of all requests together. It prevents one instance from filling the memory or the
// folder for temporary files.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bodyBudgetSize } from '../../../src/http/plugins/body-budget.ts';
import { createMedia, type Media } from '../../../src/whatsapp/media/media.ts';
import { type Http, startHttp } from '../../support/http-fixture.ts';
import { noImages } from '../../support/images.ts';
import { fakeSession, silent } from '../../support/session-fakes.ts';
import { waitUntil } from '../../support/wait-for.ts';

const MIB = 2 ** 20;
const number = '5511987654321';
const sendAudio = (instance: string) => `/message/sendWhatsAppAudio/${instance}`;
/** Four files of this size fit into half of a budget of 1 MiB. One instance gets at most half of the budget. */
const FILE_BYTES = 120_000;
const overloaded = { code: 'OVERLOADED', certain: true };

interface Server extends Http {
  /** Ends the conversions of files, which wait for this call. */
  convert(): void;
  /** Number of files that are arriving or are in the store. */
  files(): number;
  open(): Promise<Socket>;
}

/** Starts a server with a budget of 1 MiB and the open instances `shop` and `other`. */
async function startServer(): Promise<Server> {
  const conversions = Promise.withResolvers<void>();
  let arrivingFiles = 0;
  const realMedia = createMedia({
    endpoint: { network: 'sandbox' },
    ffmpeg: async () => undefined,
    log: silent,
    images: noImages,
    get: async () => ({ status: 404, body: Buffer.alloc(0), isOversize: false }),
    maxBytes: FILE_BYTES,
    timeout: 1_000,
  });
  const { store } = realMedia.requestFiles;
  realMedia.requestFiles.store = async (stream) => {
    arrivingFiles += 1;
    return store.call(realMedia.requestFiles, stream).finally(() => {
      arrivingFiles -= 1;
    });
  };
  const media: Media = {
    ...realMedia,
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
    files: () => arrivingFiles + media.requestFiles.size,
    async open() {
      const socket = connect(Number(port), '127.0.0.1');
      onTestFinished(() => void socket.destroy());
      await once(socket, 'connect');
      return socket;
    },
  });
}

const boundary = 'limit';
const partHead = (name: string, attributes = '') =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${attributes}\r\n\r\n`;
const file = 'x'.repeat(FILE_BYTES - 1_000);
const form = `${partHead('number')}${number}\r\n${partHead('file', '; filename="a.ogg"')}${file}\r\n--${boundary}--\r\n`;
const JSON_TYPE = 'application/json';
const FORM_TYPE = `multipart/form-data; boundary=${boundary}`;
const json = (bytes: number) => JSON.stringify({ number, audioMessage: { audio: 'QUJD'.repeat(bytes / 4) } });

/** The head of a request. Without `length`, the body is chunked. */
const head = (instance: string, type: string, length?: number) =>
  `POST ${sendAudio(instance)} HTTP/1.1\r\nhost: x\r\napikey: ${instance}-key\r\nconnection: close\r\ncontent-type: ${type}\r\n` +
  `${length === undefined ? 'transfer-encoding: chunked' : `content-length: ${length}`}\r\n\r\n`;
const chunk = (content: string) => `${content.length.toString(16)}\r\n${content}\r\n`;

async function readResponse(
  socket: Socket,
): Promise<{ status: number; retryAfter: string | undefined; body: unknown }> {
  const answer = await text(socket);
  const [, status, headers = '', body = ''] = /^HTTP\/1\.1 (\d+) .*?\r\n(.*?)\r\n\r\n(.*)$/s.exec(answer) ?? [];
  const content = /transfer-encoding: chunked/i.test(headers) ? body.replace(/^.*?\r\n(.*)\r\n0\r\n.*$/s, '$1') : body;
  const retryAfter = /^retry-after: (.*)$/im.exec(headers)?.[1];
  return { status: Number(status), retryAfter, body: JSON.parse(content) };
}

/** Sends forms with a file, except for their last byte. Resolves when the files have arrived. */
async function sendUnfinishedForms(server: Server, instance: string, count: number): Promise<Socket[]> {
  const before = server.files();
  const sockets = await Promise.all(Array.from({ length: count }, () => server.open()));
  for (const socket of sockets) socket.write(head(instance, FORM_TYPE, form.length) + form.slice(0, -1));
  await waitUntil(() => server.files() === before + count);
  return sockets;
}

async function sendForm(server: Server, instance: string) {
  const socket = await server.open();
  socket.write(head(instance, FORM_TYPE, form.length) + form);
  return readResponse(socket);
}

describe('unfinished forms of one instance', () => {
  it('one instance uses at most half of the budget: its next form gets 503, but small bodies and other instances succeed', async () => {
    const server = await startServer();
    server.convert();
    const unfinishedForms = await sendUnfinishedForms(server, 'shop', 4);
    const refusedForm = await server.open();
    refusedForm.write(head('shop', FORM_TYPE, form.length));
    expect(await readResponse(refusedForm)).toMatchObject({ status: 503, retryAfter: '5', body: overloaded });
    const small = await server.call('POST', sendAudio('shop'), { number, audioMessage: { audio: 'QUJD' } });
    expect(small.status).toBe(201);
    expect((await sendForm(server, 'other')).status).toBe(201);
    for (const socket of unfinishedForms) socket.write('\n');
    for (const socket of unfinishedForms) expect((await readResponse(socket)).status).toBe(201);
  });

  it('the budget releases the bytes of an unfinished form when its sender hangs up', async () => {
    const server = await startServer();
    server.convert();
    for (const socket of await sendUnfinishedForms(server, 'shop', 4)) socket.destroy();
    // The connections end one after the other. A request is in the audit log when its bytes are released.
    await waitUntil(() => server.recorded.length === 4);
    expect((await sendForm(server, 'shop')).status).toBe(201);
    const unfinishedForms = await sendUnfinishedForms(server, 'shop', 4);
    for (const socket of unfinishedForms) socket.write('\n');
    for (const socket of unfinishedForms) expect((await readResponse(socket)).status).toBe(201);
  });
});

describe('bodies of unknown length', () => {
  it.each([
    ['JSON', JSON_TYPE, [json(100_000)]],
    ['a field of a form', FORM_TYPE, [partHead('audio'), 'x'.repeat(80_000)]],
    ['a file of a form', FORM_TYPE, [partHead('file', '; filename="a.ogg"'), 'x'.repeat(80_000)]],
  ])('a body of unknown length gets 503 when it grows beyond the budget: %s', async (_, type, pieces) => {
    const server = await startServer();
    const unfinishedForms = await sendUnfinishedForms(server, 'shop', 4);
    const growingRequest = await server.open();
    growingRequest.write(head('shop', type));
    for (const piece of pieces) growingRequest.write(chunk(piece));
    expect(await readResponse(growingRequest)).toMatchObject({ status: 503, retryAfter: '5', body: overloaded });
    await waitUntil(() => server.files() === unfinishedForms.length);
    server.convert();
    for (const socket of unfinishedForms) {
      socket.write('\n');
      expect((await readResponse(socket)).status).toBe(201);
    }
    const completeForm = await server.open();
    completeForm.write(head('shop', FORM_TYPE) + chunk(form) + chunk(''));
    expect((await readResponse(completeForm)).status).toBe(201);
  });
});

describe('bodies of requests in progress', () => {
  it('a body counts against the budget until its request has ended', async () => {
    const server = await startServer();
    const send = () => server.call('POST', sendAudio('shop'), json(150_000));
    const pendingSends = [send(), send(), send()];
    expect(await send()).toMatchObject({ status: 503, body: overloaded });
    server.convert();
    expect((await Promise.all(pendingSends)).map(({ status }) => status)).toEqual([201, 201, 201]);
    expect((await send()).status).toBe(201);
  });
});

describe('bodyBudgetSize', () => {
  const limits = { bodyLimit: 24 * MIB, mediaLimit: 16 * MIB, overloadBodies: 0, overloadMemory: 0 };

  it('bodyBudgetSize() returns a quarter of the memory, at most 512 MiB and at least twice the size of the largest form', () => {
    expect(bodyBudgetSize(limits, 4096 * MIB)).toBe(512 * MIB);
    expect(bodyBudgetSize(limits, 1024 * MIB)).toBe(256 * MIB);
    expect(bodyBudgetSize(limits, 256 * MIB)).toBe(80 * MIB);
    expect(bodyBudgetSize({ ...limits, overloadMemory: 800 }, 4096 * MIB)).toBe(200 * MIB);
    expect(bodyBudgetSize({ ...limits, mediaLimit: 500 * MIB }, 4096 * MIB)).toBe(1048 * MIB);
  });

  it('bodyBudgetSize() returns OVERLOAD_BODIES in bytes, and at least twice the size of the largest form', () => {
    expect(bodyBudgetSize({ ...limits, overloadBodies: 2000 }, 1024 * MIB)).toBe(2000 * MIB);
    expect(bodyBudgetSize({ ...limits, overloadBodies: 10 }, 1024 * MIB)).toBe(80 * MIB);
  });
});
