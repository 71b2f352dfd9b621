import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import { type Download, fetchMedia } from '../../../src/whatsapp/media/source.ts';

const bytes = Buffer.from('some bytes \u00ff\u00fe');
const base64 = bytes.toString('base64');

interface Site {
  answer?: Partial<Download>;
  failure?: unknown;
  maxBytes?: number;
  uploads?: Record<string, Buffer>;
}

function fetchSource(source: string, { answer, failure, maxBytes = 1000, uploads = {} }: Site = {}) {
  const requests: unknown[] = [];
  const get = async (url: string, limits: unknown) => {
    requests.push([url, limits]);
    if (failure) throw failure;
    return { status: 200, body: bytes, isOversize: false, ...answer };
  };
  const result = fetchMedia(source, { get, maxBytes, timeout: 500, takeUploaded: async (address) => uploads[address] });
  return { result, requests };
}

describe('fetchMedia', () => {
  it.each([
    ['base64', base64],
    ['base64 in lines', base64.replaceAll(/(.{4})/g, '$1\r\n')],
    ['base64 without padding', base64.replace(/=+$/, '')],
    ['base64 in the alphabet of URLs', bytes.toString('base64url')],
    ['a data URL', `data:audio/ogg;base64,${base64}`],
    ['a data URL with parameters', `data:audio/ogg; codecs=opus;base64,${base64}`],
    ['a data URL in capitals', `DATA:;BASE64,${base64}`],
    ['a URL', 'https://example.com/a'],
    ['a URL between blanks', '  https://example.com/a\n'],
  ])('fetchMedia() accepts %s', async (_, source) => {
    expect(await fetchSource(source).result).toEqual(bytes);
  });

  it('fetchMedia() requests a URL once, trimmed and with the limits', async () => {
    const { result, requests } = fetchSource(' https://example.com/a?b=c ');
    await result;
    expect(requests).toEqual([['https://example.com/a?b=c', { timeout: 500, maxBytes: 1000 }]]);
  });

  it('fetchMedia() reads an uploaded file of the request and handles an unknown upload address like a URL', async () => {
    const uploads = { 'upload:1': Buffer.from('sent') };
    expect(String(await fetchSource('upload:1', { uploads }).result)).toBe('sent');
    const { result, requests } = fetchSource('upload:2', { failure: new GatewayError('ADDRESS_FORBIDDEN', ['no']) });
    await expect(result).rejects.toMatchObject({ code: 'ADDRESS_FORBIDDEN' });
    expect(requests).toHaveLength(1);
  });

  it.each<[string, string, Site, string, RegExp]>([
    ['a text that is not base64', 'not base64!', {}, 'MEDIA_INVALID', /url or base64/],
    ['a file path', '/etc/passwd?', {}, 'MEDIA_INVALID', /url or base64/],
    ['a blank source', '   ', {}, 'MEDIA_INVALID', /empty/],
    ['an empty data URL', 'data:audio/ogg;base64,', {}, 'MEDIA_INVALID', /empty/],
    ['a data URL that is not base64', 'data:text/plain,hello', {}, 'MEDIA_INVALID', /url or base64/],
    ['an empty upload', 'upload:1', { uploads: { 'upload:1': Buffer.alloc(0) } }, 'MEDIA_INVALID', /empty/],
    ['too much base64', base64, { maxBytes: 5 }, 'MEDIA_TOO_LARGE', /larger than 5 bytes \(setting MEDIA_LIMIT\)/],
    ['an empty file', 'http://a.example', { answer: { body: Buffer.alloc(0) } }, 'MEDIA_INVALID', /empty/],
    ['a missing file', 'http://a.example', { answer: { status: 404 } }, 'MEDIA_UNREACHABLE', /answered 404/],
    ['a site that answers 500', 'http://a.example', { answer: { status: 500 } }, 'MEDIA_UNREACHABLE', /answered 500/],
    ['an oversized file', 'http://a.example', { answer: { isOversize: true } }, 'MEDIA_TOO_LARGE', /larger than 1000/],
    [
      'a site that is down',
      'http://a.example',
      { failure: withCode('ECONNREFUSED') },
      'MEDIA_UNREACHABLE',
      /ECONNREFUSED/,
    ],
    ['a site that is slow', 'http://a.example', { failure: withCode('ETIMEDOUT') }, 'MEDIA_UNREACHABLE', /ETIMEDOUT/],
    ['a failure without a code', 'http://a.example', { failure: 'no' }, 'MEDIA_UNREACHABLE', /connection failed/],
  ])('fetchMedia() rejects this source with certain: true: %s', async (_, source, site, code, problem) => {
    const error = await fetchSource(source, site).result.then(String, (thrown: GatewayError) => thrown);
    expect(error).toMatchObject({
      code,
      status: 400,
      certain: true,
      responseMessage: [expect.stringMatching(problem)],
    });
  });

  it('fetchMedia() keeps the error of the address check for a forbidden URL', async () => {
    const failure = new GatewayError('ADDRESS_FORBIDDEN', ['Requests to "10.0.0.1" are not allowed: private']);
    await expect(fetchSource('http://10.0.0.1', { failure }).result).rejects.toMatchObject({
      code: 'ADDRESS_FORBIDDEN',
      certain: true,
      responseMessage: failure.responseMessage,
    });
  });

  it('fetchMedia() does not reveal internal addresses in errors', async () => {
    const failure = withCode('ECONNREFUSED', 'connect ECONNREFUSED 10.1.2.3:80');
    const error = await fetchSource('http://a.example', { failure }).result.then(
      String,
      (thrown: GatewayError) => thrown,
    );
    expect(JSON.stringify(error)).not.toContain('10.1.2.3');
  });
});

function withCode(code: string, text = code): Error {
  return Object.assign(new Error(text), { code });
}
