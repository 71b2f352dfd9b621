import { describe, expect, it } from 'vitest';
import { at, textAt } from '../../support/api.ts';
import { startHttp } from '../../support/http-fixture.ts';

const url = 'http://hook.example/';
const shopKey = { apikey: 'shop-key' };

describe('webhooks of an instance', () => {
  it('/webhook/endpoints adds, lists, changes and removes webhooks', async () => {
    const http = await startHttp();
    expect((await http.call('GET', '/webhook/endpoints/shop')).body).toEqual({ endpoints: [] });
    const added = await http.call('POST', '/webhook/endpoints/shop', { url, chats: { except: ['group'] } });
    expect(added.status).toBe(201);
    expect(added.body).toMatchObject({
      ...{ main: false, enabled: true, url, headers: {}, byEvents: false, base64: false, oldSecretsUntil: null },
      ...{ chats: { only: [], except: ['group'] }, secret: expect.stringMatching(/^whsec_/) },
      events: expect.arrayContaining(['MESSAGES_UPSERT']),
    });
    const path = `/webhook/endpoints/shop/${textAt(added.body, 'id')}`;
    const changed = await http.call('PUT', path, { url: `${url}2`, events: ['CALL'], enabled: false });
    expect(changed.body).toMatchObject({ url: `${url}2`, events: ['CALL'], enabled: false, chats: { except: [] } });
    expect(at(changed.body, 'secret')).toBe(at(added.body, 'secret'));
    expect((await http.call('POST', path, { url, events: ['CALL'] })).body).toMatchObject({ url, enabled: true });
    expect(at((await http.call('GET', '/webhook/endpoints/shop')).body, 'endpoints.0.url')).toBe(url);
    expect(await http.call('DELETE', path)).toMatchObject({ status: 200, body: { dropped: 2 } });
    expect((await http.call('DELETE', path)).body).toMatchObject({ status: 404, code: 'WEBHOOK_NOT_FOUND' });
  });

  it('GET /webhook/endpoints lists the webhook of webhook/set first', async () => {
    const http = await startHttp();
    await http.call('POST', '/webhook/endpoints/shop', { url: `${url}further` });
    expect((await http.call('GET', '/webhook/find/shop')).body).toMatchObject({ enabled: false, url: '' });
    await http.call('POST', '/webhook/set/shop', { webhook: { url } });
    const { body } = await http.call('GET', '/webhook/endpoints/shop');
    expect(body).toMatchObject({
      endpoints: [
        { main: true, url },
        { main: false, url: `${url}further` },
      ],
    });
    expect((await http.call('GET', '/webhook/find/shop')).body).toMatchObject({ url });
  });

  it('POST /webhook/endpoints accepts at most ten webhooks of an instance', async () => {
    const http = await startHttp();
    for (let n = 0; n < 10; n++) await http.call('POST', '/webhook/endpoints/shop', { url });
    const answer = await http.call('POST', '/webhook/endpoints/shop', { url });
    expect(answer.body).toMatchObject({ status: 400, code: 'TOO_MANY_WEBHOOKS' });
  });

  it('GET /webhook/endpoints shows secrets only to the key of the instance or the global key, and the log has none', async () => {
    const http = await startHttp();
    const added = await http.call('POST', '/webhook/endpoints/shop', { url });
    const { secret } = http.subscriptions.get('id-of-shop', textAt(added.body, 'id'));
    for (const headers of [shopKey, {}]) {
      const { status, body } = await http.call('GET', '/webhook/endpoints/shop', undefined, headers);
      expect([status, at(body, 'endpoints.0.secret')]).toEqual([200, secret]);
    }
    for (const apikey of ['other-key', undefined]) {
      const answer = await http.call('GET', '/webhook/endpoints/shop', undefined, { apikey });
      expect([answer.status, answer.text]).toEqual([401, expect.not.stringContaining('whsec_')]);
    }
    expect(JSON.stringify(http.log)).not.toContain('whsec_');
  });

  it.each([
    [{}, [[expect.stringContaining('url')]]],
    [{ url: 'nonsense' }, ['Invalid "url" property', 'The URL must begin with http:// or https://.']],
    [{ url, events: ['NOPE'] }, [[expect.stringMatching(/^events\[0\] is not one of enum values: /)]]],
    [{ url, headers: { host: 'x' } }, ['Invalid "headers" property', expect.any(String)]],
    [{ url, chats: 'group' }, [['chats is not of a type(s) object']]],
    [{ url, chats: { only: ['direct', 'everyone'] } }, [[expect.stringContaining('chats.only[1]')]]],
  ])('POST /webhook/endpoints names the invalid field of %j', async (body, message) => {
    const http = await startHttp();
    const answer = await http.call('POST', '/webhook/endpoints/shop', body);
    expect(answer.body).toMatchObject({ status: 400, response: { message } });
  });
});

describe('POST /webhook/rotate', () => {
  it('POST /webhook/rotate gives the webhook of webhook/set, or the named webhook, a new secret', async () => {
    const http = await startHttp();
    expect((await http.call('POST', '/webhook/rotate/shop')).body).toMatchObject({ code: 'WEBHOOK_NOT_FOUND' });
    const main = await http.call('POST', '/webhook/set/shop', { webhook: { url } });
    const added = await http.call('POST', '/webhook/endpoints/shop', { url });
    const rotated = await http.call('POST', '/webhook/rotate/shop', {}, shopKey);
    expect(rotated).toMatchObject({ status: 200, body: { id: textAt(main.body, 'id') } });
    expect(at(rotated.body, 'secret')).not.toBe(at(main.body, 'secret'));
    const gracePeriod = Date.parse(textAt(rotated.body, 'oldSecretsUntil')) - Date.now();
    expect(Math.abs(gracePeriod - 24 * 3_600_000)).toBeLessThan(60_000);
    expect((await http.call('GET', '/webhook/find/shop')).body).toMatchObject({ secret: at(rotated.body, 'secret') });
    const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
    const id = textAt(added.body, 'id');
    const other = await http.call('POST', `/webhook/rotate/shop?endpoint=${id}`, { secret, graceHours: 0 });
    expect(other.body).toEqual({ id, secret, oldSecretsUntil: null });
  });

  it.each([
    [{ secret: 'whsec_short' }, ['Invalid "secret" property', expect.any(String)]],
    [{ graceHours: -1 }, [[expect.stringContaining('graceHours')]]],
    [{ graceHours: 'day' }, [[expect.stringContaining('graceHours')]]],
  ])('POST /webhook/rotate names the invalid field of %j', async (body, message) => {
    const http = await startHttp();
    await http.call('POST', '/webhook/set/shop', { webhook: { url } });
    const answer = await http.call('POST', '/webhook/rotate/shop', body);
    expect(answer.body).toMatchObject({ status: 400, response: { message } });
    expect(answer.text).not.toContain('whsec_short');
  });
});

describe('POST /webhook/test', () => {
  const testResult = { delivered: true, status: 200, body: 'thanks', error: null };

  it('POST /webhook/test returns the response of the receiver to the key of an instance only with EGRESS_STRICT=true', async () => {
    for (const [env, body] of [[{}, null] as const, [{ EGRESS_STRICT: 'true' }, 'thanks'] as const]) {
      const http = await startHttp(env);
      expect((await http.call('POST', '/webhook/test/shop')).body).toMatchObject({ code: 'WEBHOOK_NOT_FOUND' });
      await http.call('POST', '/webhook/set/shop', { webhook: { url } });
      expect((await http.call('POST', '/webhook/test/shop')).body).toMatchObject(testResult);
      const other = await http.call('POST', '/webhook/test/shop', undefined, shopKey);
      expect(other.body).toMatchObject({ ...testResult, body });
    }
  });

  it('POST /webhook/test does not find webhooks of another instance', async () => {
    const http = await startHttp();
    const added = await http.call('POST', '/webhook/endpoints/other', { url });
    const answer = await http.call('POST', `/webhook/test/shop?endpoint=${textAt(added.body, 'id')}`);
    expect(answer.body).toMatchObject({ status: 404, code: 'WEBHOOK_NOT_FOUND' });
  });
});

describe('the global webhook', () => {
  it('GET /webhook/global and POST /webhook/global/test require the global key', async () => {
    const http = await startHttp();
    expect((await http.call('GET', '/webhook/global')).body).toMatchObject({
      ...{ id: 'global', main: false, enabled: true, url: 'http://global.example/', events: ['CALL'] },
      secret: expect.stringMatching(/^whsec_/),
    });
    expect((await http.call('POST', '/webhook/global/test')).body).toMatchObject({ body: 'thanks' });
    for (const [method, path] of [['GET', ''] as const, ['POST', '/test'] as const]) {
      expect((await http.call(method, `/webhook/global${path}`, undefined, shopKey)).status).toBe(401);
    }
    expect((await http.call('GET', '/webhook/endpoints/shop')).body).toEqual({ endpoints: [] });
  });

  it('webhook operations of an instance do not find the global webhook', async () => {
    const http = await startHttp();
    for (const [method, path, body] of [
      ['PUT', '/webhook/endpoints/shop/global', { url }],
      ['DELETE', '/webhook/endpoints/shop/global', undefined],
      ['POST', '/webhook/rotate/shop?endpoint=global', {}],
      ['POST', '/webhook/test/shop?endpoint=global', undefined],
    ] as const) {
      expect((await http.call(method, path, body, shopKey)).body).toMatchObject({ code: 'WEBHOOK_NOT_FOUND' });
    }
  });
});
