import { describe, expect, it } from 'vitest';
import { startHttp } from '../routes/fixture.ts';

const list = '/instance/fetchInstances';

describe('keys', () => {
  it('open everything when global, and the header’s name may be written in any case', async () => {
    const http = await startHttp();
    const answer = await http.call('GET', list, undefined, { apikey: undefined, APIKEY: 'service-key-0123456789' });
    expect(answer.body).toHaveLength(2);
  });

  it('open the own instance when they are an instance’s', async () => {
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

  it('show an instance only its own record, for any filter', async () => {
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

  it('are taken from the header only, and the instance from the path only', async () => {
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

  it('of a deleted instance open nothing', async () => {
    const http = await startHttp();
    http.instances.delete('shop');
    const answer = await http.call('GET', '/instance/connectionState/shop', undefined, { apikey: 'shop-key' });
    expect(answer.status).toBe(401);
  });

  it('never reach the log', async () => {
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
  it('get 429 with Retry-After beyond the limit, while valid keys from the same address go on', async () => {
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

  it('are counted by the address the trusted proxy names', async () => {
    const http = await startHttp({ AUTH_FAILURE_LIMIT: '1', TRUST_PROXY: '127.0.0.1' });
    const from = (address: string) =>
      http.call('GET', list, undefined, { apikey: undefined, 'x-forwarded-for': address });
    expect((await from('192.0.2.1')).status).toBe(401);
    expect((await from('192.0.2.1')).status).toBe(429);
    expect((await from('192.0.2.2')).status).toBe(401);
  });

  it('cannot choose their address when no proxy is trusted', async () => {
    const http = await startHttp({ AUTH_FAILURE_LIMIT: '1' });
    const from = (address: string) =>
      http.call('GET', list, undefined, { apikey: undefined, 'x-forwarded-for': address });
    expect((await from('192.0.2.1')).status).toBe(401);
    expect((await from('192.0.2.2')).status).toBe(429);
  });
});
