// What one body may cost: it is refused while it arrives, before anything parses or walks it.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { describe, expect, it, vi } from 'vitest';
import { operations } from '../../contract/document.ts';
import { type Http, startHttp } from '../routes/fixture.ts';

const MIB = 2 ** 20;
const text = '/message/sendText/shop';
const audio = '/message/sendWhatsAppAudio/shop';
const form = { 'content-type': 'application/x-www-form-urlencoded' };

const objects = (bytes: number) => `{"number":"1","x":[${'{},'.repeat(bytes / 3)}{}]}`;
const fields = (count: number) => `{${Array.from({ length: count }, (_, n) => `"f${n}":1`).join(',')}}`;
const nested = (levels: number) => `{"number":"1","x":${'['.repeat(levels)}${']'.repeat(levels)}}`;
/** What was given to the parser; the log of this test is parsed as well. */
const longTexts = (parse: { mock: { calls: unknown[][] } }) =>
  parse.mock.calls.map(([json]) => String(json).slice(0, 100_000)).filter((json) => json.length > 10_000);
const refusal = ({ status, body }: Awaited<ReturnType<Http['call']>>) => {
  const { code, error, response } = Object(body);
  return { status, code, error, message: response?.message };
};

describe('a body without a file', () => {
  it('may be as large as JSON_LIMIT, and is refused with a sentence that names it', async () => {
    const http = await startHttp();
    const padded = (length: number) => ({ number: '1', textMessage: { text: 'hi' }, padding: 'x'.repeat(length) });
    const fits = await http.call('POST', text, padded(MIB - 100));
    expect(fits.status, 'of the instance, which is not open').toBe(400);
    expect(refusal(fits).code).toBe('INSTANCE_NOT_OPEN');
    expect(refusal(await http.call('POST', text, padded(MIB)))).toEqual({
      status: 413,
      code: 'BODY_TOO_LARGE',
      error: 'Payload Too Large',
      message: 'The body is larger than 1048576 bytes (setting JSON_LIMIT).',
    });
  });

  it('is no larger than BODY_LIMIT where that is less', async () => {
    const http = await startHttp({ BODY_LIMIT: '2048' });
    const answer = await http.call('POST', text, { number: '1', text: 'x'.repeat(3_000) });
    expect(refusal(answer)).toMatchObject({
      status: 413,
      message: 'The body is larger than 2048 bytes (setting BODY_LIMIT).',
    });
  });

  it('is held to it as a form as well', async () => {
    const http = await startHttp({ JSON_LIMIT: '2048' });
    for (const path of [text, audio]) {
      const answer = await http.call('POST', path, `number=1&text=${'x'.repeat(3_000)}`, form);
      expect(refusal(answer)).toMatchObject({
        status: 413,
        message: 'The body is larger than 2048 bytes (setting JSON_LIMIT).',
      });
    }
  });

  it('is never parsed beyond its limit', async () => {
    const http = await startHttp();
    const parse = vi.spyOn(JSON, 'parse');
    try {
      for (const body of [objects(12 * MIB), fields(1_000_000), nested(6 * MIB)]) {
        await http.app.inject({
          ...{ method: 'POST', url: text, payload: body },
          headers: { apikey: 'shop-key', 'content-type': 'application/json' },
        });
      }
      expect(longTexts(parse)).toEqual([]);
    } finally {
      parse.mockRestore();
    }
  });
});

describe('a body that may hold a file', () => {
  it('may be as large as BODY_LIMIT, and is refused with a sentence that names it', async () => {
    const http = await startHttp({ BODY_LIMIT: String(4 * MIB) });
    const sound = (length: number) => ({ number: '1', audioMessage: { audio: 'QUJD'.repeat(length / 4) } });
    expect(refusal(await http.call('POST', audio, sound(3 * MIB))).code).toBe('INSTANCE_NOT_OPEN');
    expect(refusal(await http.call('POST', audio, sound(4 * MIB)))).toMatchObject({
      status: 413,
      message: 'The body is larger than 4194304 bytes (setting BODY_LIMIT).',
    });
  });

  it.each([
    ['of objects', objects(12 * MIB), 'The body has more than 25000 values.'],
    ['of fields', fields(1_000_000), 'The body has more than 25000 values.'],
    ['that is deep', nested(6 * MIB), 'The body is nested deeper than 64 levels.'],
    [
      'of escapes',
      `{"audio":"${'\\u0041'.repeat(2 * MIB)}"}`,
      'The body has more than 1000000 escaped characters. Send the text without escapes.',
    ],
  ])('is refused for its shape before it is parsed: one %s', async (_, body, sentence) => {
    const http = await startHttp();
    const parse = vi.spyOn(JSON, 'parse');
    try {
      const delay = monitorEventLoopDelay({ resolution: 5 });
      delay.enable();
      const headers = { apikey: 'shop-key', 'content-type': 'application/json' };
      const answer = await http.app.inject({ method: 'POST', url: audio, payload: body, headers });
      delay.disable();
      expect(longTexts(parse)).toEqual([]);
      expect(answer.statusCode).toBe(400);
      expect(answer.json()).toMatchObject({ code: 'INVALID_REQUEST', response: { message: [[sentence]] } });
      // A bound against hangs: these took seconds.
      expect(delay.max / 1e6).toBeLessThan(1_500);
    } finally {
      parse.mockRestore();
    }
  });

  it('is distinguished by the contract: what the documents say of base64 is what is allowed', async () => {
    const http = await startHttp();
    const large: string[] = [];
    const built = operations.filter(({ operation }) => operation.requestBody && operation['x-status'] !== 'planned');
    for (const { method, path, operation } of built) {
      const url = path.replace('{instance}', 'shop').replaceAll(/\{\w+\}/g, 'x');
      const headers = { apikey: 'service-key-0123456789', 'content-type': 'application/json' };
      const payload = `{"padding":"${'x'.repeat(2 * MIB)}"`;
      const { statusCode } = await http.app.inject({
        method: method === 'put' ? 'PUT' : 'POST',
        url,
        headers,
        payload,
      });
      if (statusCode !== 413 && statusCode !== 404) large.push(operation.operationId);
    }
    expect(large.sort()).toEqual(
      `importInstance sendAlbum sendButtons sendMedia sendPlatformAudio sendPtv sendStatus sendSticker sendWhatsAppAudio createGroup updateChannel
      updateGroupPicture updateGroupPicturePost updateProfilePicture updateProfilePicturePost`
        .split(/\s+/)
        .sort(),
    );
  });
});

describe('fields of forms that hold JSON', () => {
  it('are held to the same limits', async () => {
    const http = await startHttp();
    const type = { 'content-type': 'multipart/form-data; boundary=b' };
    const part = (name: string, value: string) =>
      `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const post = (options: string) =>
      http.call('POST', audio, `${part('number', '1')}${part('options', options)}--b--\r\n`, type);
    expect(refusal(await post(`[${'{},'.repeat(30_000)}{}]`)).message).toEqual([
      ['The body has more than 25000 values.'],
    ]);
    expect(refusal(await post(`["${'x'.repeat(MIB)}"]`))).toMatchObject({
      status: 413,
      message: 'The body is larger than 1048576 bytes (setting JSON_LIMIT).',
    });
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });
});

describe('the length of a text', () => {
  it.each([
    ['x'.repeat(65_536), true],
    ['x'.repeat(65_537), false],
    ['🙂'.repeat(65_536), true],
    ['🙂'.repeat(65_537), false],
    [`${'🙂'.repeat(65_535)}x`, true],
    [`${'🙂'.repeat(65_535)}xx`, false],
  ])('counts characters, and not their halves (case %#)', async (sent, isFine) => {
    const http = await startHttp();
    const answer = await http.call('POST', text, { number: '1', textMessage: { text: sent } });
    if (isFine) expect(refusal(answer).code).toBe('INSTANCE_NOT_OPEN');
    else expect(refusal(answer).message).toEqual([['textMessage.text does not meet maximum length of 65536']]);
  });
});
