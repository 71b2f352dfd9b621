// Files of messages as base64 in JSON: the exact response, and callers that do not read it or hang up.
import { once } from 'node:events';
import { request as connect } from 'node:http';
import type { Socket } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Message } from '../../../src/events/events.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import type { OpenFile } from '../../../src/whatsapp/media/encrypted-spool.ts';
import { createMessageFilesService } from '../../../src/whatsapp/media/message-files.ts';
import { createSignedLinks } from '../../../src/whatsapp/media/signed-link.ts';
import { KEY, startHttp } from '../../support/http-fixture.ts';

const CHUNK_BYTES = 65_536;
const path = '/chat/getBase64FromMediaMessage/shop';
const headers = { apikey: KEY, 'content-type': 'application/json' };
const body = JSON.stringify({ message: { key: { id: 'M1' } } });

const message: Message = {
  key: { remoteJid: '5511900000001@s.whatsapp.net', fromMe: false, id: 'M1' },
  message: {
    imageMessage: {
      mediaKey: Buffer.alloc(32).toString('base64'),
      directPath: '/v/x',
      mimetype: 'image/png',
      caption: 'a "cat",\n"base64":""',
      width: 40,
      height: 30,
    },
  },
  messageType: 'imageMessage',
  messageTimestamp: 1_700_000_000,
  source: 'android',
};

async function serve(file: OpenFile) {
  const messages = { get: async () => message, find: async () => [{ message, statuses: [] }] };
  const links = createSignedLinks({ keys: [Buffer.alloc(32)], days: 7, clock: systemClock });
  const http = await startHttp({}, { files: createMessageFilesService({ links, messages, open: async () => file }) });
  const url = await http.app.listen({ host: '127.0.0.1', port: 0 });
  /** Requests the file and reads only the first piece of the response. `connection` is its end in the server. */
  const readFirstPiece = async () => {
    const accepted = once(http.app.server, 'connection') as Promise<[Socket]>;
    const caller = connect(url + path, { method: 'POST', headers }).on('error', () => undefined);
    onTestFinished(() => void caller.destroy());
    const [response] = await once(caller.end(body), 'response');
    await once(response, 'data');
    response.pause();
    const [connection] = await accepted;
    return { caller, connection };
  };
  return { url, readFirstPiece };
}

/** A file of the given chunks. `closed` resolves with the number of chunks that were read when the file is closed. */
function fileOf(chunks: Buffer[]) {
  const closed = Promise.withResolvers<number>();
  let read = 0;
  const file: OpenFile = {
    size: chunks.reduce((size, { length }) => size + length, 0),
    async *read() {
      for (const chunk of chunks) {
        read += 1;
        yield chunk;
      }
    },
    close: async () => closed.resolve(read),
  };
  return { file, closed: closed.promise };
}

const longFile = () => fileOf(Array.from({ length: 1_000 }, () => Buffer.alloc(CHUNK_BYTES)));

it.each([
  [[]],
  [[1]],
  [[2]],
  [[3]],
  [[1, 1, 2, 5, 100, CHUNK_BYTES, 1]],
])('getBase64FromMediaMessage returns a file that is read in chunks of %s bytes as one JSON text', async (lengths) => {
  const chunks = lengths.map((length, index) => Buffer.alloc(length, `${index}?þ`));
  const { file, closed } = fileOf(chunks);
  const { url } = await serve(file);
  const answer = await fetch(url + path, { method: 'POST', headers, body });
  const text = await answer.text();
  expect(text).toBe(
    JSON.stringify({
      mediaType: 'imageMessage',
      fileName: 'M1.png',
      size: { fileLength: String(file.size), height: 30, width: 40 },
      mimetype: 'image/png',
      base64: Buffer.concat(chunks).toString('base64'),
      caption: 'a "cat",\n"base64":""',
      buffer: null,
    }),
  );
  expect(answer.status).toBe(201);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(text)),
  });
  expect(await closed).toBe(chunks.length);
});

it('getBase64FromMediaMessage keeps a file on the disk while its caller does not read the response', async () => {
  const { file, closed } = longFile();
  const { readFirstPiece } = await serve(file);
  const { caller } = await readFirstPiece();
  caller.destroy();
  expect(await closed).toBeLessThan(1_000);
});

it('getBase64FromMediaMessage closes the file of a caller that stops reading', async () => {
  const { file, closed } = longFile();
  const { readFirstPiece } = await serve(file);
  const { connection } = await readFirstPiece();
  connection.setTimeout(100);
  expect(await closed).toBeLessThan(1_000);
});

it('getBase64FromMediaMessage closes the file of a caller that is too slow for the size of the response', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { file, closed } = longFile();
  const { readFirstPiece } = await serve(file);
  const { connection } = await readFirstPiece();
  // One minute, plus the time of 1,000 chunks as base64 at 64 KiB per second, minus one second.
  vi.advanceTimersByTime(60_000 + 1_000 * (4 / 3) * 1_000 - 1_000);
  expect(connection.destroyed).toBe(false);
  vi.advanceTimersByTime(2_000);
  expect(await closed).toBeLessThan(1_000);
});
