// Callers behind a reverse proxy: the address that limits use, and the warnings about a wrong TRUST_PROXY.
import { describe, expect, it } from 'vitest';
import { startHttp } from '../../support/http-fixture.ts';

const PATH = '/instance/connectionState/shop';
const lines = (http: { log: Record<string, unknown>[] }, msg: string) => http.log.filter((line) => line.msg === msg);

describe('X-Forwarded-For', () => {
  it('X-Forwarded-For from an untrusted address causes one warning, which names the address and TRUST_PROXY', async () => {
    for (const trusted of ['', '10.0.0.5']) {
      const http = await startHttp({ TRUST_PROXY: trusted });
      await http.call('GET', PATH);
      expect(lines(http, 'proxy.forwarded_for.ignored')).toEqual([]);
      for (const address of ['203.0.113.1', '203.0.113.2'])
        await http.call('GET', PATH, undefined, { 'x-forwarded-for': address });
      expect(lines(http, 'proxy.forwarded_for.ignored')).toMatchObject([
        { level: 40, address: '127.0.0.1', advice: expect.stringContaining('TRUST_PROXY') },
      ]);
    }
  });

  it('X-Forwarded-For from a trusted proxy causes no warning', async () => {
    const http = await startHttp({ TRUST_PROXY: '127.0.0.1' });
    await http.call('GET', PATH, undefined, { 'x-forwarded-for': '203.0.113.1' });
    expect(lines(http, 'proxy.forwarded_for.ignored')).toEqual([]);
  });
});

describe('warnings at the start', () => {
  it('the gateway warns at its start when SERVER_URL is https and no proxy is trusted', async () => {
    const trustWarnings = async (env: Record<string, string>) => lines(await startHttp(env), 'proxy.trust.required');
    const SERVER_URL = 'https://gateway.example';
    expect(await trustWarnings({ SERVER_URL })).toMatchObject([
      { level: 40, advice: expect.stringContaining('AUTH_FAILURE_LIMIT') },
    ]);
    expect(await trustWarnings({})).toEqual([]);
    expect(await trustWarnings({ SERVER_URL, TRUST_PROXY: '10.0.0.5' })).toEqual([]);
    expect(await trustWarnings({ SERVER_URL: 'http://gateway.example' })).toEqual([]);
  });
});

describe('callers behind a trusted proxy', () => {
  it('a caller behind a trusted proxy cannot change its address with X-Forwarded-For, and shares no limit with others', async () => {
    const http = await startHttp({ TRUST_PROXY: '127.0.0.1,172.30.0.0/24', AUTH_FAILURE_LIMIT: '1' });
    const statusOfFailedRequest = async (forwarded: string) =>
      (await http.call('GET', PATH, undefined, { apikey: 'wrong', 'x-forwarded-for': forwarded })).status;
    expect(await statusOfFailedRequest('198.51.100.1, 203.0.113.7')).toBe(401);
    // The same caller with another invented address.
    expect(await statusOfFailedRequest('198.51.100.2, 203.0.113.7')).toBe(429);
    expect(await statusOfFailedRequest('127.0.0.1, 203.0.113.7')).toBe(429);
    expect(await statusOfFailedRequest('198.51.100.3, 203.0.113.7, 172.30.0.1')).toBe(429);
    expect(await statusOfFailedRequest('203.0.113.8')).toBe(401);
  });
});
