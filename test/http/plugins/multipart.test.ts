import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMedia, type Media, type MediaDeps } from '../../../src/whatsapp/media/media.ts';
import { ownTemporaryFolder } from '../../support/folder.ts';
import { type Http, startHttp } from '../../support/http-fixture.ts';
import { noImages } from '../../support/images.ts';
import { fakeSession, silent } from '../../support/session-fakes.ts';
import { waitFor } from '../../support/wait-for.ts';

const audioPath = '/message/sendWhatsAppAudio/shop';
const LIMIT = 4096;

/**
 * Starts an app with the open instance `shop` and a media host that accepts all files. `voiceMessages` contains the
 * content and the encode option of each voice message to send. `leftovers()` lists the temporary files of requests.
 */
async function startServer(env: Record<string, string> = {}) {
  const parts: MediaDeps = {
    endpoint: { network: 'sandbox' },
    ffmpeg: async () => undefined,
    log: silent,
    images: noImages,
    get: async () => ({ status: 404, body: Buffer.alloc(0), isOversize: false }),
    maxBytes: LIMIT,
    timeout: 1_000,
  };
  const realMedia = createMedia(parts);
  const voiceMessages: string[] = [];
  const media: Media = {
    ...realMedia,
    toVoice: async (_owner, file, { encode }) => {
      voiceMessages.push(`${file.toString('latin1')} ${encode}`);
      return { bytes: file, mimetype: 'audio/ogg' };
    },
    upload: async () => ({ audioMessage: { ptt: true } }),
  };
  const http = await startHttp({ MEDIA_LIMIT: String(LIMIT), BODY_LIMIT: '8192', ...env }, { media });
  // The data folder of the app exists already, so this folder contains only the files of requests.
  const folder = ownTemporaryFolder();
  const session = fakeSession();
  Object.assign(http.instances.get('shop') ?? {}, { session: () => session });
  const leftovers = () => [...readdirSync(folder), ...Array(media.requestFiles.size).fill('open')];
  return { http, session, voiceMessages, leftovers };
}

type Part = [name: string, value: string, more?: string];

const boundary = 'limit';
const formOf = (parts: Part[]) =>
  `${parts.map(([name, value, attributes = '']) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${attributes}\r\n\r\n${value}\r\n`).join('')}--${boundary}--\r\n`;
const formType = { 'content-type': `multipart/form-data; boundary=${boundary}` };
const file = (content = 'sound', name = 'file'): Part => [name, content, '; filename="a.ogg"'];
const number: Part = ['number', '5511987654321'];
const post = (http: Http, parts: Part[], url = audioPath) => http.call('POST', url, formOf(parts), formType);

describe('forms with a file', () => {
  it('sendWhatsAppAudio sends the file of a form, and converts the texts of the other fields to their types', async () => {
    const { http, voiceMessages, session, leftovers } = await startServer();
    const parts: Part[] = [
      ['number', '120363000000000001@g.us'],
      ['delay', '1'],
      ['encoding', 'false'],
      ['presence', ''],
      file(),
    ];
    const quoted: Part = ['quoted', '{"key":{"id":"ABC"},"message":{"conversation":"what?"}}'];
    const answer = await post(http, [...parts, quoted, ['mentioned', '["5511900000009"]']]);
    expect(answer).toMatchObject({ status: 201, body: { messageType: 'audioMessage', status: 'PENDING' } });
    expect(voiceMessages).toEqual(['sound false']);
    const [, , content] = session.calls.find(([name]) => name === 'relayMessage') ?? [];
    expect(content).toMatchObject({
      audioMessage: { contextInfo: { stanzaId: 'ABC', mentionedJid: ['5511900000009@s.whatsapp.net'] } },
    });
    expect(leftovers()).toEqual([]);
  });

  it.each([
    ['options as JSON', [['options', '{"encoding":false,"delay":1}']]],
    [
      'the content as JSON',
      [
        ['audioMessage', '{}'],
        ['options', '{"encoding":"false"}'],
      ],
    ],
    [
      'another source in a field',
      [
        ['audio', 'https://example.com/a.mp3'],
        ['encoding', 'false'],
      ],
    ],
    [
      'another source in the content as JSON',
      [
        ['audioMessage', '{"audio":"https://example.com/a.mp3"}'],
        ['options', '{"encoding":false}'],
      ],
    ],
  ] as [string, Part[]][])('sendWhatsAppAudio sends the file of a form that also has %s', async (_, moreParts) => {
    const { http, voiceMessages } = await startServer();
    expect((await post(http, [file(), number, ...moreParts])).status).toBe(201);
    expect(voiceMessages).toEqual(['sound false']);
  });

  it.each(['file', 'audio'])('sendWhatsAppAudio accepts the file in a part named %s', async (name) => {
    const { http, voiceMessages } = await startServer();
    expect((await post(http, [number, file('x', name)])).status).toBe(201);
    expect(voiceMessages).toEqual(['x true']);
  });

  it('sendWhatsAppAudio accepts a form without a file when a field names the source', async () => {
    const { http, voiceMessages } = await startServer();
    const source = Buffer.from('sound').toString('base64');
    expect((await post(http, [number, ['audio', source]])).status).toBe(201);
    expect(voiceMessages).toEqual(['sound true']);
    expect((await post(http, [number])).body).toMatchObject({
      response: { message: [['instance requires property "audio"']] },
    });
  });

  it('a form whose file is larger than MEDIA_LIMIT gets 413, and leaves no temporary file', async () => {
    const { http, leftovers } = await startServer();
    const url = await http.app.listen({ host: '127.0.0.1', port: 0 });
    const headers = { apikey: 'service-key-0123456789' };
    const form = new FormData();
    form.set('number', '5511987654321');
    form.set('file', new Blob([Buffer.alloc(LIMIT + 1)]), 'a.ogg');
    for (let i = 0; i < 3; i++) {
      const answer = await fetch(url + audioPath, { method: 'POST', body: form, headers });
      expect(answer.status).toBe(413);
      expect(await answer.json()).toMatchObject({
        code: 'BODY_TOO_LARGE',
        response: { message: `The file is larger than ${LIMIT} bytes (setting MEDIA_LIMIT).` },
        certain: true,
      });
    }
    form.set('file', new Blob([Buffer.alloc(LIMIT)]), 'a.ogg');
    expect((await fetch(url + audioPath, { method: 'POST', body: form, headers })).status).toBe(201);
    expect(leftovers()).toEqual([]);
  });

  it('the server reads a refused form to its end, so that the connection stays usable', async () => {
    const { http } = await startServer({ BODY_LIMIT: '4000000' });
    const url = new URL(await http.app.listen({ host: '127.0.0.1', port: 0 }));
    const socket = connect(Number(url.port), url.hostname).setEncoding('utf8');
    onTestFinished(() => void socket.destroy());
    const form = formOf([number, file('x'.repeat(3_000_000))]);
    const key = 'apikey: service-key-0123456789';
    socket.write(
      `POST ${audioPath} HTTP/1.1\r\nHost: a\r\n${key}\r\nContent-Type: ${formType['content-type']}\r\nContent-Length: ${form.length}\r\n\r\n`,
    );
    socket.write(form);
    socket.write('GET /livez HTTP/1.1\r\nHost: a\r\n\r\n');
    let answers = '';
    for await (const text of socket) {
      answers += text;
      if (answers.includes('HTTP/1.1 200')) break;
    }
    expect(answers).toMatch(/^HTTP\/1.1 413/);
  });

  it('a form whose fields are together larger than BODY_LIMIT gets 413', async () => {
    const { http } = await startServer();
    const fields = Array.from({ length: 5 }, (_, i): Part => [`field${i}`, 'x'.repeat(2000)]);
    expect(await post(http, fields)).toMatchObject({ status: 413, body: { code: 'BODY_TOO_LARGE' } });
    expect((await post(http, [['a', 'x'.repeat(9000)]])).status).toBe(413);
  });

  it('JSON in a form field can start with a byte order mark', async () => {
    const { http, voiceMessages } = await startServer();
    const options = '\ufeff{"encoding":false}';
    const partWithType: Part = ['options', options, '\r\nContent-Type: application/json'];
    for (const part of [partWithType, ['options', options] satisfies Part])
      expect(await post(http, [number, file(), part])).toMatchObject({ status: 201 });
    expect(voiceMessages).toEqual(['sound false', 'sound false']);
  });

  it('form parts with the Content-Type application/json have the limits of JSON bodies', async () => {
    const json = (name: string, value: string): Part => [name, value, '\r\nContent-Type: application/json'];
    const { http, voiceMessages } = await startServer();
    expect((await post(http, [number, file(), json('options', '{"encoding":false}')])).status).toBe(201);
    expect(voiceMessages).toEqual(['sound false']);
    const lists = Array.from({ length: 5 }, (_, i) => json(`field${i}`, `["${'x'.repeat(2000)}"]`));
    expect(await post(http, [number, file(), ...lists])).toMatchObject({
      status: 413,
      body: { code: 'BODY_TOO_LARGE' },
    });
    const tooLarge = json('options', `{"quoted":"${'x'.repeat(9000)}"}`);
    expect(await post(http, [number, file(), tooLarge])).toMatchObject({
      status: 413,
      body: { code: 'BODY_TOO_LARGE', response: { message: expect.stringContaining('BODY_LIMIT') } },
    });
    const large = await startServer({ BODY_LIMIT: '200000' });
    const values = JSON.stringify(Array(30_000).fill(0));
    expect(await post(large.http, [number, file(), json('values', values)])).toMatchObject({
      status: 400,
      body: { response: { message: [['The body has more than 25000 values.']] } },
    });
    const fields = Array.from({ length: 150 }, (_, i) => json(`field${i}`, '[1]'));
    expect(await post(large.http, [number, file(), ...fields])).toMatchObject({
      status: 400,
      body: { response: { message: [['The form has more than 100 fields.']] } },
    });
    expect(await post(http, [number, file(), json('options', '{"encoding":')])).toMatchObject({
      status: 400,
      body: {
        response: { message: [['A part of the form with the Content-Type application/json is not valid JSON.']] },
      },
    });
  });

  it('operations without a file parameter refuse multipart forms with 400', async () => {
    const { http } = await startServer();
    for (const url of ['/message/sendText/shop', '/group/create/shop', '/instance/create', '/instance/restart/shop']) {
      const answer = await post(http, [number, file()], url);
      expect(answer, url).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
      expect(answer.text).toContain('takes no file');
    }
  });

  it('a form with a wrong key gets 401 before its body has arrived', async () => {
    const { http } = await startServer();
    const url = new URL(await http.app.listen({ host: '127.0.0.1', port: 0 }));
    const socket = connect(Number(url.port), url.hostname);
    onTestFinished(() => void socket.destroy());
    // The form is incomplete, but the response arrives.
    socket.write(
      `POST ${audioPath} HTTP/1.1\r\nHost: a\r\napikey: wrong\r\nContent-Type: ${formType['content-type']}\r\nContent-Length: 9000\r\n\r\n--${boundary}`,
    );
    const first = await new Promise((resolve) => socket.once('data', resolve));
    expect(String(first)).toMatch(/^HTTP\/1.1 401/);
  });

  it('a form whose sender hangs up leaves no temporary file, and the next form succeeds', async () => {
    const { http, leftovers } = await startServer();
    const url = new URL(await http.app.listen({ host: '127.0.0.1', port: 0 }));
    const socket = connect(Number(url.port), url.hostname);
    const head = `POST ${audioPath} HTTP/1.1\r\nHost: a\r\napikey: service-key-0123456789\r\nContent-Type: ${formType['content-type']}\r\nContent-Length: 9000\r\n\r\n`;
    socket.write(head + formOf([number, file('x'.repeat(2000))]).slice(0, -40));
    await waitFor(() =>
      expect(http.log).toContainEqual(expect.objectContaining({ msg: 'starting multipart parsing' })),
    );
    socket.destroy();
    await waitFor(() => expect(http.log).toContainEqual(expect.objectContaining({ msg: 'request.refused' })));
    expect(leftovers()).toEqual([]);
    expect((await post(http, [number, file()])).status).toBe(201);
  });
});

const repeatPart = (count: number, toPart: (i: number) => Part) =>
  formOf(Array.from({ length: count }, (_, i) => toPart(i)));

describe('malicious forms', () => {
  it.each([
    ['no boundary', formOf([number, file()]), 'multipart/form-data'],
    ['another boundary', formOf([number, file()]), 'multipart/form-data; boundary=other'],
    ['an empty boundary', formOf([number, file()]), 'multipart/form-data; boundary='],
    ['an empty body', '', formType['content-type']],
    ['no end', formOf([number, file()]).slice(0, -8), formType['content-type']],
    ['an incomplete part header', formOf([number, file()]).slice(0, 70), formType['content-type']],
    ['no parts', `--${boundary}--\r\n`, formType['content-type']],
    ['thousands of fields', repeatPart(5000, (i) => [`f${i}`, 'x']), formType['content-type']],
    ['thousands of the same field', repeatPart(5000, () => number), formType['content-type']],
    ['thousands of files', repeatPart(5000, () => file('x')), formType['content-type']],
    ['two files', formOf([number, file(), file()]), formType['content-type']],
    ['a file in a part of another name', formOf([number, file('x', 'picture')]), formType['content-type']],
    ['a huge name', formOf([['x'.repeat(5000), '1'], number, file()]), formType['content-type']],
    ['a huge part header', formOf([[`x"; a="${'y'.repeat(200_000)}`, '1'], number, file()]), formType['content-type']],
    ['a prototype', formOf([['__proto__', '{"polluted":true}'], number, file()]), formType['content-type']],
    ['a constructor', formOf([['constructor', '1'], number, file()]), formType['content-type']],
    ['a file called __proto__', formOf([number, file('x', '__proto__')]), formType['content-type']],
    ['broken JSON', formOf([['options', '{"delay":'], number, file()]), formType['content-type']],
    [
      'deeply nested JSON',
      formOf([['options', `${'{"a":'.repeat(900)}1${'}'.repeat(900)}`], number, file()]),
      formType['content-type'],
    ],
    ['a NUL', formOf([['presence', 'a\0b'], number, file()]), formType['content-type']],
    ['a list where text belongs', formOf([number, number, file()]), formType['content-type']],
    ['text where an object belongs', formOf([['audioMessage', 'x'], number, file()]), formType['content-type']],
    ['an empty file', formOf([number, file('')]), formType['content-type']],
    ['a length above all limits', formOf([number, file('x'.repeat(20_000))]), formType['content-type']],
  ])('a form with %s gets a 4xx error in the envelope, and leaves no temporary file', async (_, body, contentType) => {
    const { http, leftovers, voiceMessages } = await startServer();
    const answer = await http.call('POST', audioPath, body, { 'content-type': contentType });
    expect(answer.status, answer.text).toBeGreaterThanOrEqual(400);
    expect(answer.status, answer.text).toBeLessThan(500);
    expect(answer.body).toMatchObject({ status: answer.status, code: expect.any(String), certain: true });
    expect(voiceMessages).toEqual([]);
    expect(leftovers()).toEqual([]);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });
});
