import { describe, expect, it } from 'vitest';
import { startHttp } from '../../support/http-fixture.ts';

const list = '/instance/fetchInstances';

describe('API keys', () => {
  it('the global key gives access to all instances, and the name of its header is case-insensitive', async () => {
    const http = await startHttp();
    const answer = await http.call('GET', list, undefined, { apikey: undefined, APIKEY: 'service-key-0123456789' });
    expect(answer.body).toHaveLength(2);
  });

  it('the key of an instance gives access to the operations of this instance', async () => {
    const http = await startHttp();
    for (const [method, path] of [
      ['GET', '/instance/connectionState/shop'],
      ['PUT', '/instance/restart/shop'],
      ['GET', '/webhook/find/shop'],
      ['DELETE', '/instance/logout/shop'],
      ['DELETE', '/instance/delete/shop'],
    ] as const) {
      expect((await http.call(method, path, undefined, { apikey: 'shop-key' })).status, path).toBe(200);
    }
  });

  it('fetchInstances returns only the own instance for the key of an instance, with any filter', async () => {
    const http = await startHttp();
    for (const path of [
      list,
      `${list}?instanceName=other`,
      `${list}?instanceId=id-of-other`,
      `${list}?instanceName=nobody`,
    ]) {
      const answer = await http.call('GET', path, undefined, { apikey: 'shop-key' });
      expect(answer.body, path).toMatchObject([{ name: 'shop', instance: { apikey: 'shop-key' } }]);
    }
  });

  it('the server reads the key only from the header, and the instance only from the path', async () => {
    const http = await startHttp();
    const inQuery = await http.call('GET', `${list}?apikey=service-key-0123456789`, undefined, { apikey: undefined });
    expect(inQuery.status).toBe(401);
    const other = await http.call(
      'GET',
      '/instance/connectionState/shop?instanceName=other&instance=other',
      undefined,
      {
        apikey: 'shop-key',
      },
    );
    expect(other.body).toEqual({ instance: { instanceName: 'shop', state: 'open' } });
  });

  it('the server rejects the key of a deleted instance', async () => {
    const http = await startHttp();
    http.instances.delete('shop');
    const answer = await http.call('GET', '/instance/connectionState/shop', undefined, { apikey: 'shop-key' });
    expect(answer.status).toBe(401);
  });

  it('the log never contains keys, phone numbers or message texts', async () => {
    const http = await startHttp();
    await http.call('GET', list);
    await http.call('GET', list, undefined, { apikey: 'wrong-key-of-somebody' });
    await http.call('POST', '/message/sendText/shop', {
      number: '15551234567',
      textMessage: { text: 'a secret text' },
    });
    await http.call('GET', '/instance/connect/shop?number=15551234567');
    expect(http.log.length).toBeGreaterThan(0);
    expect(JSON.stringify(http.log)).not.toMatch(/service-key|wrong-key|shop-key|15551234567|secret text/);
  });
});

describe('requests without a valid key', () => {
  it('an address with too many failed requests gets 429 with Retry-After, but its requests with a valid key succeed', async () => {
    const http = await startHttp({ AUTH_FAILURE_LIMIT: '3' });
    const statuses = [];
    for (const apikey of ['a', undefined, 'b', 'c', undefined]) {
      statuses.push((await http.call('GET', list, undefined, { apikey })).status);
    }
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    const limited = await http.call('GET', '/no/such/route', undefined, { apikey: undefined });
    expect(limited.body).toMatchObject({ status: 429, error: 'Too Many Requests', code: 'RATE_LIMITED' });
    expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0);
    expect((await http.call('GET', list)).status).toBe(200);
    expect((await http.call('GET', '/no/such/route')).status).toBe(404);
  });

  it('AUTH_FAILURE_LIMIT counts failures by the address that a trusted proxy forwards', async () => {
    const http = await startHttp({ AUTH_FAILURE_LIMIT: '1', TRUST_PROXY: '127.0.0.1' });
    const from = (address: string) =>
      http.call('GET', list, undefined, { apikey: undefined, 'x-forwarded-for': address });
    expect((await from('192.0.2.1')).status).toBe(401);
    expect((await from('192.0.2.1')).status).toBe(429);
    expect((await from('192.0.2.2')).status).toBe(401);
  });

  it('AUTH_FAILURE_LIMIT ignores X-Forwarded-For when no proxy is trusted', async () => {
    const http = await startHttp({ AUTH_FAILURE_LIMIT: '1' });
    const from = (address: string) =>
      http.call('GET', list, undefined, { apikey: undefined, 'x-forwarded-for': address });
    expect((await from('192.0.2.1')).status).toBe(401);
    expect((await from('192.0.2.2')).status).toBe(429);
  });
});
