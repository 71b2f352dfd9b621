import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMedia, type Media, type MediaDeps } from '../../../src/whatsapp/media/media.ts';
import { ownTemporaryFolder } from '../../support/folder.ts';
import { noImages } from '../../support/images.ts';
import { waitFor } from '../../support/wait-for.ts';
import { fakeSession, silent } from '../../whatsapp/fakes.ts';
import { type Http, startHttp } from '../routes/fixture.ts';

const audio = '/message/sendWhatsAppAudio/shop';
const LIMIT = 4096;

/** An app whose instance is open and whose media host takes everything; `sent` is what was to be sent. */
async function start(env: Record<string, string> = {}) {
  const parts: MediaDeps = {
    endpoint: { network: 'sandbox' },
    ffmpeg: async () => undefined,
    log: silent,
    images: noImages,
    get: async () => ({ status: 404, body: Buffer.alloc(0), isOversize: false }),
    maxBytes: LIMIT,
    timeout: 1_000,
  };
  const real = createMedia(parts);
  const seen: string[] = [];
  const media: Media = {
    ...real,
    toVoice: async (_owner, file, { encode }) => {
      seen.push(`${file.toString('latin1')} ${encode}`);
      return { bytes: file, mimetype: 'audio/ogg' };
    },
    upload: async () => ({ audioMessage: { ptt: true } }),
  };
  const http = await startHttp({ MEDIA_LIMIT: String(LIMIT), BODY_LIMIT: '8192', ...env }, { media });
  // The folder of the app itself is made by then.
  const folder = ownTemporaryFolder();
  const session = fakeSession();
  Object.assign(http.instances.get('shop') ?? {}, { session: () => session });
  const left = () => [...readdirSync(folder), ...Array(media.requestFiles.size).fill('open')];
  return { http, session, seen, left };
}

type Part = [name: string, value: string, more?: string];

const boundary = 'limit';
const textOf = (parts: Part[]) =>
  `${parts.map(([name, value, more = '']) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`).join('')}--${boundary}--\r\n`;
const type = { 'content-type': `multipart/form-data; boundary=${boundary}` };
const file = (content = 'sound', name = 'file'): Part => [name, content, '; filename="a.ogg"'];
const number: Part = ['number', '5511987654321'];
const post = (http: Http, parts: Part[], url = audio) => http.call('POST', url, textOf(parts), type);

describe('forms with a file', () => {
  it('send it, in the flat dialect, with every field as its operation wants it', async () => {
    const { http, seen, session, left } = await start();
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
    expect(seen).toEqual(['sound false']);
    const [, , content] = session.calls.find(([name]) => name === 'relayMessage') ?? [];
    expect(content).toMatchObject({
      audioMessage: { contextInfo: { stanzaId: 'ABC', mentionedJid: ['5511900000009@s.whatsapp.net'] } },
    });
    expect(left()).toEqual([]);
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
      'another source beside it',
      [
        ['audio', 'https://example.com/a.mp3'],
        ['encoding', 'false'],
      ],
    ],
    [
      'another source inside',
      [
        ['audioMessage', '{"audio":"https://example.com/a.mp3"}'],
        ['options', '{"encoding":false}'],
      ],
    ],
  ] as [string, Part[]][])('may have %s: the file wins', async (_, more) => {
    const { http, seen } = await start();
    expect((await post(http, [file(), number, ...more])).status).toBe(201);
    expect(seen).toEqual(['sound false']);
  });

  it.each(['file', 'audio'])('may call the part %s', async (name) => {
    const { http, seen } = await start();
    expect((await post(http, [number, file('x', name)])).status).toBe(201);
    expect(seen).toEqual(['x true']);
  });

  it('may come without the file when a field names the source', async () => {
    const { http, seen } = await start();
    const source = Buffer.from('sound').toString('base64');
    expect((await post(http, [number, ['audio', source]])).status).toBe(201);
    expect(seen).toEqual(['sound true']);
    expect((await post(http, [number])).body).toMatchObject({
      response: { message: [['instance requires property "audio"']] },
    });
  });

  it('are refused with 413 when the file is larger than MEDIA_LIMIT', async () => {
    const { http, left } = await start();
    const url = await http.app.listen({ host: '127.0.0.1', port: 0 });
    const headers = { apikey: 'service-key-0123456789' };
    const form = new FormData();
    form.set('number', '5511987654321');
    form.set('file', new Blob([Buffer.alloc(LIMIT + 1)]), 'a.ogg');
    for (let i = 0; i < 3; i++) {
      const answer = await fetch(url + audio, { method: 'POST', body: form, headers });
      expect(answer.status).toBe(413);
      expect(await answer.json()).toMatchObject({
        code: 'BODY_TOO_LARGE',
        response: { message: `The file is larger than ${LIMIT} bytes (setting MEDIA_LIMIT).` },
        certain: true,
      });
    }
    form.set('file', new Blob([Buffer.alloc(LIMIT)]), 'a.ogg');
    expect((await fetch(url + audio, { method: 'POST', body: form, headers })).status).toBe(201);
    expect(left()).toEqual([]);
  });

  it('that are refused in the middle are read to their end, so that the connection can be used again', async () => {
    const { http } = await start({ BODY_LIMIT: '4000000' });
    const url = new URL(await http.app.listen({ host: '127.0.0.1', port: 0 }));
    const socket = connect(Number(url.port), url.hostname).setEncoding('utf8');
    onTestFinished(() => void socket.destroy());
    const form = textOf([number, file('x'.repeat(3_000_000))]);
    const key = 'apikey: service-key-0123456789';
    socket.write(
      `POST ${audio} HTTP/1.1\r\nHost: a\r\n${key}\r\nContent-Type: ${type['content-type']}\r\nContent-Length: ${form.length}\r\n\r\n`,
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

  it('are refused with 413 when their fields are larger than BODY_LIMIT together', async () => {
    const { http } = await start();
    const fields = Array.from({ length: 5 }, (_, i): Part => [`field${i}`, 'x'.repeat(2000)]);
    expect(await post(http, fields)).toMatchObject({ status: 413, body: { code: 'BODY_TOO_LARGE' } });
    expect((await post(http, [['a', 'x'.repeat(9000)]])).status).toBe(413);
  });

  it('may begin their JSON with a byte order mark', async () => {
    const { http, seen } = await start();
    const options = '\ufeff{"encoding":false}';
    const typed: Part = ['options', options, '\r\nContent-Type: application/json'];
    for (const part of [typed, ['options', options] satisfies Part])
      expect(await post(http, [number, file(), part])).toMatchObject({ status: 201 });
    expect(seen).toEqual(['sound false', 'sound false']);
  });

  it('have the limits of JSON also for parts that say they are JSON', async () => {
    const json = (name: string, value: string): Part => [name, value, '\r\nContent-Type: application/json'];
    const { http, seen } = await start();
    expect((await post(http, [number, file(), json('options', '{"encoding":false}')])).status).toBe(201);
    expect(seen).toEqual(['sound false']);
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
    const large = await start({ BODY_LIMIT: '200000' });
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

  it('are refused where no file is taken, unread', async () => {
    const { http } = await start();
    for (const url of ['/message/sendText/shop', '/group/create/shop', '/instance/create', '/instance/restart/shop']) {
      const answer = await post(http, [number, file()], url);
      expect(answer, url).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
      expect(answer.text).toContain('takes no file');
    }
  });

  it('are not read before the key is accepted', async () => {
    const { http } = await start();
    const url = new URL(await http.app.listen({ host: '127.0.0.1', port: 0 }));
    const socket = connect(Number(url.port), url.hostname);
    onTestFinished(() => void socket.destroy());
    // The form never ends; the answer comes all the same.
    socket.write(
      `POST ${audio} HTTP/1.1\r\nHost: a\r\napikey: wrong\r\nContent-Type: ${type['content-type']}\r\nContent-Length: 9000\r\n\r\n--${boundary}`,
    );
    const first = await new Promise((resolve) => socket.once('data', resolve));
    expect(String(first)).toMatch(/^HTTP\/1.1 401/);
  });

  it('whose sender leaves in the middle leave nothing behind, and the next one is served', async () => {
    const { http, left } = await start();
    const url = new URL(await http.app.listen({ host: '127.0.0.1', port: 0 }));
    const socket = connect(Number(url.port), url.hostname);
    const head = `POST ${audio} HTTP/1.1\r\nHost: a\r\napikey: service-key-0123456789\r\nContent-Type: ${type['content-type']}\r\nContent-Length: 9000\r\n\r\n`;
    socket.write(head + textOf([number, file('x'.repeat(2000))]).slice(0, -40));
    await waitFor(() =>
      expect(http.log).toContainEqual(expect.objectContaining({ msg: 'starting multipart parsing' })),
    );
    socket.destroy();
    await waitFor(() => expect(http.log).toContainEqual(expect.objectContaining({ msg: 'request.refused' })));
    expect(left()).toEqual([]);
    expect((await post(http, [number, file()])).status).toBe(201);
  });
});

const many = (count: number, make: (i: number) => Part) => textOf(Array.from({ length: count }, (_, i) => make(i)));

describe('hostile forms', () => {
  it.each([
    ['no boundary', textOf([number, file()]), 'multipart/form-data'],
    ['another boundary', textOf([number, file()]), 'multipart/form-data; boundary=other'],
    ['a boundary of nothing', textOf([number, file()]), 'multipart/form-data; boundary='],
    ['nothing', '', type['content-type']],
    ['no end', textOf([number, file()]).slice(0, -8), type['content-type']],
    ['half a head', textOf([number, file()]).slice(0, 70), type['content-type']],
    ['no parts', `--${boundary}--\r\n`, type['content-type']],
    ['thousands of fields', many(5000, (i) => [`f${i}`, 'x']), type['content-type']],
    ['thousands of the same field', many(5000, () => number), type['content-type']],
    ['thousands of files', many(5000, () => file('x')), type['content-type']],
    ['two files', textOf([number, file(), file()]), type['content-type']],
    ['a file in a part of another name', textOf([number, file('x', 'picture')]), type['content-type']],
    ['a huge name', textOf([['x'.repeat(5000), '1'], number, file()]), type['content-type']],
    ['a huge head', textOf([[`x"; a="${'y'.repeat(200_000)}`, '1'], number, file()]), type['content-type']],
    ['a prototype', textOf([['__proto__', '{"polluted":true}'], number, file()]), type['content-type']],
    ['a constructor', textOf([['constructor', '1'], number, file()]), type['content-type']],
    ['a file called __proto__', textOf([number, file('x', '__proto__')]), type['content-type']],
    ['broken JSON', textOf([['options', '{"delay":'], number, file()]), type['content-type']],
    [
      'bottomless JSON',
      textOf([['options', `${'{"a":'.repeat(900)}1${'}'.repeat(900)}`], number, file()]),
      type['content-type'],
    ],
    ['a NUL', textOf([['presence', 'a\0b'], number, file()]), type['content-type']],
    ['a list where text belongs', textOf([number, number, file()]), type['content-type']],
    ['text where an object belongs', textOf([['audioMessage', 'x'], number, file()]), type['content-type']],
    ['an empty file', textOf([number, file('')]), type['content-type']],
    ['a length above all limits', textOf([number, file('x'.repeat(20_000))]), type['content-type']],
  ])('with %s are a 4xx in the envelope, and leave nothing behind', async (_, body, contentType) => {
    const { http, left, seen } = await start();
    const answer = await http.call('POST', audio, body, { 'content-type': contentType });
    expect(answer.status, answer.text).toBeGreaterThanOrEqual(400);
    expect(answer.status, answer.text).toBeLessThan(500);
    expect(answer.body).toMatchObject({ status: answer.status, code: expect.any(String), certain: true });
    expect(seen).toEqual([]);
    expect(left()).toEqual([]);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });
});
