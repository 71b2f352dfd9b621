import { describe, expect, it } from 'vitest';
import { type Http, startHttp } from '../../support/http-fixture.ts';

const sendPath = '/message/sendText/shop';
const createPath = '/instance/create';
const webhookPath = '/webhook/set/shop';

describe('empty bodies', () => {
  it.each([
    ['GET', '/instance/connectionState/shop', 200],
    ['PUT', '/instance/restart/shop', 200],
    ['POST', '/instance/restart/shop', 200],
    ['DELETE', '/instance/logout/shop', 200],
    ['DELETE', '/instance/delete/shop', 200],
  ] as const)('%s %s accepts an empty body, with and without the Content-Type application/json', async (method, path, status) => {
    for (const type of ['application/json', 'application/json; charset=utf-8', undefined]) {
      const http = await startHttp();
      const answer = await http.call(method, path, undefined, { 'content-type': type });
      expect(answer.status, String(type)).toBe(status);
    }
  });

  it.each([
    ['', 'application/json'],
    [' \n', 'application/json'],
    [undefined, undefined],
    ['null', 'application/json'],
  ])('sendText treats an empty body as {} and reports the missing number: %j', async (body, type) => {
    const http = await startHttp();
    const answer = await http.call('POST', sendPath, body, { 'content-type': type });
    expect(answer.body).toMatchObject({
      response: { message: [[expect.stringContaining('requires property "number"'), expect.anything()]] },
    });
  });
});

describe('bodies', () => {
  it('webhook/set accepts a URL-encoded form', async () => {
    const http = await startHttp();
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await http.call(
      'POST',
      webhookPath,
      'url=http%3A%2F%2Fhook.example&enabled=true&webhookByEvents=true',
      form,
    );
    expect(answer.body).toMatchObject({ webhook: { webhook: { url: 'http://hook.example', webhookByEvents: true } } });
  });

  it('instance/create converts numbers and texts to the types of the schema', async () => {
    const http = await startHttp();
    const body = { instanceName: 4711, qrcode: 'false', number: 15551234567, groupsIgnore: 'true', token: null };
    const answer = await http.call('POST', createPath, body);
    expect(answer.body).toMatchObject({ instance: { instanceName: '4711' }, settings: { groupsIgnore: true } });
    expect(http.instances.get('4711')?.row).toMatchObject({ number: '15551234567', token: 'MADE' });
  });

  it('instance/create ignores unknown fields', async () => {
    const http = await startHttp();
    const answer = await http.call('POST', createPath, { instanceName: 'n', chatwootUrl: 'x', mobile: false });
    expect(answer.status).toBe(201);
  });
});

const nestedJson = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

describe('malicious bodies', () => {
  it('the server responds to malicious bodies with a 4xx status, never with 500', async () => {
    const http = await startHttp();
    for (const path of [sendPath, createPath, webhookPath])
      for (const body of maliciousBodies()) await expectRefusal(http, path, body);
  });

  it('a body with __proto__ or constructor does not change Object.prototype', async () => {
    const http = await startHttp();
    const payload = '{"instanceName":"n","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}';
    const answer = await http.call('POST', createPath, payload);
    expect(answer.status).toBe(201);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  it('the error for a NUL character in the body names the field', async () => {
    const http = await startHttp();
    const answer = await http.call('POST', sendPath, { number: '1', text: 'a\0b' });
    expect(answer.body).toMatchObject({ response: { message: [['text contains a NUL character. Remove it.']] } });
  });

  it.each([
    '/media/shop/a%00',
    '/message/status/shop/a%00',
  ])('the error for a NUL character in the path names the parameter: %s', async (path) => {
    const http = await startHttp();
    const answer = await http.call('GET', path);
    expect(answer).toMatchObject({
      status: 400,
      body: { response: { message: [['messageId contains a NUL character. Remove it.']] } },
    });
  });
});

function* maliciousBodies(): Iterable<string> {
  yield* ['[]', '"text"', '5', 'true', '[[[[]]]]', '{"number":{}}', '{"number":[1,2]}', '{"instanceName":{"a":1}}'];
  yield* [
    '{"url":7}',
    '{"webhook":7}',
    '{"webhook":[]}',
    '{"webhook":{"url":{}}}',
    '{"options":[]}',
    '{"textMessage":"x"}',
  ];
  yield* [
    nestedJson(70),
    nestedJson(100_000),
    `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
    '{"number":"1","text":"\\u0000"}',
  ];
  yield JSON.stringify({ number: '1'.repeat(1_000_000), text: 'x' });
  yield JSON.stringify({ instanceName: 'x'.repeat(1_000_000) });
  yield JSON.stringify({ number: '1', text: 'x', mentioned: Array.from({ length: 50_000 }, () => 'x') });
  yield JSON.stringify({ url: 'http://h', events: Array.from({ length: 50_000 }, () => 'NOPE') });
  yield '{"__proto__":null}';
}

async function expectRefusal(http: Http, path: string, body: string): Promise<void> {
  const answer = await http.call('POST', path, body);
  expect(answer.status, `${path} ${body.slice(0, 60)}`).toBeGreaterThanOrEqual(400);
  expect(answer.status, `${path} ${body.slice(0, 60)}`).toBeLessThan(500);
}
