// Limits of one body. The server refuses a body while it arrives, before it parses the body or walks through it.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { describe, expect, it, vi } from 'vitest';
import { parseJsonField } from '../../../src/http/plugins/body-parsers.ts';
import { type Http, startHttp } from '../../support/http-fixture.ts';
import { operations } from '../../support/openapi-document.ts';

const MIB = 2 ** 20;
const textPath = '/message/sendText/shop';
const audioPath = '/message/sendWhatsAppAudio/shop';
const form = { 'content-type': 'application/x-www-form-urlencoded' };

const objects = (bytes: number) => `{"number":"1","x":[${'{},'.repeat(bytes / 3)}{}]}`;
const fields = (count: number) => `{${Array.from({ length: count }, (_, n) => `"f${n}":1`).join(',')}}`;
const nested = (levels: number) => `{"number":"1","x":${'['.repeat(levels)}${']'.repeat(levels)}}`;
/** The long texts that were passed to `parse`. The shorter texts are lines of the log, which the fixture parses. */
const longTextsParsedBy = (parse: { mock: { calls: unknown[][] } }) =>
  parse.mock.calls.map(([json]) => String(json).slice(0, 100_000)).filter((json) => json.length > 10_000);
const summaryOf = ({ status, body }: Awaited<ReturnType<Http['call']>>) => {
  const { code, error, response } = Object(body);
  return { status, code, error, message: response?.message };
};

describe('bodies without a file', () => {
  it('a body without a file can be as large as JSON_LIMIT, and a larger one gets 413 with the name of the setting', async () => {
    const http = await startHttp();
    const bodyWithPadding = (length: number) => ({
      number: '1',
      textMessage: { text: 'hi' },
      padding: 'x'.repeat(length),
    });
    const accepted = await http.call('POST', textPath, bodyWithPadding(MIB - 100));
    expect(accepted.status, 'of the instance, which is not open').toBe(400);
    expect(summaryOf(accepted).code).toBe('INSTANCE_NOT_OPEN');
    expect(summaryOf(await http.call('POST', textPath, bodyWithPadding(MIB)))).toEqual({
      status: 413,
      code: 'BODY_TOO_LARGE',
      error: 'Payload Too Large',
      message: 'The body is larger than 1048576 bytes (setting JSON_LIMIT).',
    });
  });

  it('BODY_LIMIT applies to bodies without a file when it is lower than JSON_LIMIT', async () => {
    const http = await startHttp({ BODY_LIMIT: '2048' });
    const answer = await http.call('POST', textPath, { number: '1', text: 'x'.repeat(3_000) });
    expect(summaryOf(answer)).toMatchObject({
      status: 413,
      message: 'The body is larger than 2048 bytes (setting BODY_LIMIT).',
    });
  });

  it('JSON_LIMIT applies to URL-encoded forms', async () => {
    const http = await startHttp({ JSON_LIMIT: '2048' });
    for (const path of [textPath, audioPath]) {
      const answer = await http.call('POST', path, `number=1&text=${'x'.repeat(3_000)}`, form);
      expect(summaryOf(answer)).toMatchObject({
        status: 413,
        message: 'The body is larger than 2048 bytes (setting JSON_LIMIT).',
      });
    }
  });

  it('the server does not parse a JSON body that is larger than JSON_LIMIT', async () => {
    const http = await startHttp();
    const parse = vi.spyOn(JSON, 'parse');
    try {
      for (const body of [objects(12 * MIB), fields(1_000_000), nested(6 * MIB)]) {
        await http.app.inject({
          ...{ method: 'POST', url: textPath, payload: body },
          headers: { apikey: 'shop-key', 'content-type': 'application/json' },
        });
      }
      expect(longTextsParsedBy(parse)).toEqual([]);
    } finally {
      parse.mockRestore();
    }
  });
});

describe('bodies with a file', () => {
  it('a body with a file can be as large as BODY_LIMIT, and a larger one gets 413 with the name of the setting', async () => {
    const http = await startHttp({ BODY_LIMIT: String(4 * MIB) });
    const bodyWithAudio = (length: number) => ({ number: '1', audioMessage: { audio: 'QUJD'.repeat(length / 4) } });
    expect(summaryOf(await http.call('POST', audioPath, bodyWithAudio(3 * MIB))).code).toBe('INSTANCE_NOT_OPEN');
    expect(summaryOf(await http.call('POST', audioPath, bodyWithAudio(4 * MIB)))).toMatchObject({
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
  ])('the server refuses a body by its shape, before it parses it: a body %s', async (_, body, sentence) => {
    const http = await startHttp();
    const parse = vi.spyOn(JSON, 'parse');
    try {
      const delay = monitorEventLoopDelay({ resolution: 5 });
      delay.enable();
      const headers = { apikey: 'shop-key', 'content-type': 'application/json' };
      const answer = await http.app.inject({ method: 'POST', url: audioPath, payload: body, headers });
      delay.disable();
      expect(longTextsParsedBy(parse)).toEqual([]);
      expect(answer.statusCode).toBe(400);
      expect(answer.json()).toMatchObject({ code: 'INVALID_REQUEST', response: { message: [[sentence]] } });
      // This limit detects a blocked event loop. Parsing these bodies takes seconds.
      expect(delay.max / 1e6).toBeLessThan(1_500);
    } finally {
      parse.mockRestore();
    }
  });

  it('only the operations with a file in the contract accept a body that is larger than JSON_LIMIT', async () => {
    const http = await startHttp();
    const largeBodyOperations: string[] = [];
    for (const { method, path, operation } of operations.filter(({ operation }) => operation.requestBody)) {
      const url = path.replace('{instance}', 'shop').replaceAll(/\{\w+\}/g, 'x');
      const headers = { apikey: 'service-key-0123456789', 'content-type': 'application/json' };
      const payload = `{"padding":"${'x'.repeat(2 * MIB)}"`;
      const { statusCode } = await http.app.inject({
        method: method === 'put' ? 'PUT' : 'POST',
        url,
        headers,
        payload,
      });
      if (statusCode !== 413 && statusCode !== 404) largeBodyOperations.push(operation.operationId);
    }
    expect(largeBodyOperations.sort()).toEqual(
      `importInstance sendAlbum sendButtons sendMedia sendPlatformAudio sendPtv sendStatus sendSticker sendWhatsAppAudio createGroup updateChannel
      updateGroupPicture updateGroupPicturePost updateProfilePicture updateProfilePicturePost`
        .split(/\s+/)
        .sort(),
    );
  });
});

describe('JSON in form fields', () => {
  const multipart = { 'content-type': 'multipart/form-data; boundary=b' };
  const part = ([name, value]: [name: string, value: string]) =>
    `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const formOf = (...fields: [name: string, value: string][]) => `${fields.map(part).join('')}--b--\r\n`;

  it('JSON in the field of a form has the same limits as a JSON body', async () => {
    const http = await startHttp();
    const post = (options: string) =>
      http.call('POST', audioPath, formOf(['number', '1'], ['options', options]), multipart);
    expect(summaryOf(await post(`[${'{},'.repeat(30_000)}{}]`)).message).toEqual([
      ['The body has more than 25000 values.'],
    ]);
    expect(summaryOf(await post(`["${'x'.repeat(MIB)}"]`))).toMatchObject({
      status: 413,
      message: 'The body is larger than 1048576 bytes (setting JSON_LIMIT).',
    });
  });

  it('JSON in the field of a form loses all members with the names of prototypes, and changes no prototype', async () => {
    const members = '"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"delay":1';
    const limits = { bodyLimit: MIB, jsonLimit: MIB };
    // toEqual() would ignore a member with the name __proto__.
    expect(JSON.stringify(parseJsonField(`{${members},"nested":[{${members}}]}`, limits))).toBe(
      '{"delay":1,"nested":[{"delay":1}]}',
    );
    const http = await startHttp();
    const body = formOf(['number', '1'], ['audio', 'QUJD'], ['options', `{${members}}`]);
    expect(summaryOf(await http.call('POST', audioPath, body, multipart)).code).toBe('INSTANCE_NOT_OPEN');
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });
});

describe('maxLength of texts', () => {
  it.each([
    ['x'.repeat(65_536), true],
    ['x'.repeat(65_537), false],
    ['🙂'.repeat(65_536), true],
    ['🙂'.repeat(65_537), false],
    [`${'🙂'.repeat(65_535)}x`, true],
    [`${'🙂'.repeat(65_535)}xx`, false],
  ])('maxLength counts Unicode characters instead of UTF-16 code units (case %#)', async (content, isValid) => {
    const http = await startHttp();
    const answer = await http.call('POST', textPath, { number: '1', textMessage: { text: content } });
    if (isValid) expect(summaryOf(answer).code).toBe('INSTANCE_NOT_OPEN');
    else expect(summaryOf(answer).message).toEqual([['textMessage.text does not meet maximum length of 65536']]);
  });
});
