// Callers behind a reverse proxy: whose address counts, and what the operator reads when it is the wrong one.
import { describe, expect, it } from 'vitest';
import { startHttp } from '../routes/fixture.ts';

const PATH = '/instance/connectionState/shop';
const lines = (http: { log: Record<string, unknown>[] }, msg: string) => http.log.filter((line) => line.msg === msg);

describe('X-Forwarded-For from an address that TRUST_PROXY does not name', () => {
  it('warns once, names the address and the setting', async () => {
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

  it('does not warn when the proxy is trusted', async () => {
    const http = await startHttp({ TRUST_PROXY: '127.0.0.1' });
    await http.call('GET', PATH, undefined, { 'x-forwarded-for': '203.0.113.1' });
    expect(lines(http, 'proxy.forwarded_for.ignored')).toEqual([]);
  });
});

describe('a start', () => {
  it('warns when the public address is https, this server is not, and no proxy is trusted', async () => {
    const missing = async (env: Record<string, string>) => lines(await startHttp(env), 'proxy.trust.required');
    const SERVER_URL = 'https://gateway.example';
    expect(await missing({ SERVER_URL })).toMatchObject([
      { level: 40, advice: expect.stringContaining('AUTH_FAILURE_LIMIT') },
    ]);
    expect(await missing({})).toEqual([]);
    expect(await missing({ SERVER_URL, TRUST_PROXY: '10.0.0.5' })).toEqual([]);
    expect(await missing({ SERVER_URL: 'http://gateway.example' })).toEqual([]);
  });
});

describe('a caller behind a trusted proxy that appends', () => {
  it('cannot choose its address by sending X-Forwarded-For itself, and shares no limit with others', async () => {
    const http = await startHttp({ TRUST_PROXY: '127.0.0.1,172.30.0.0/24', AUTH_FAILURE_LIMIT: '1' });
    const failed = async (forwarded: string) =>
      (await http.call('GET', PATH, undefined, { apikey: 'wrong', 'x-forwarded-for': forwarded })).status;
    expect(await failed('198.51.100.1, 203.0.113.7')).toBe(401);
    // Another invented address, the same caller.
    expect(await failed('198.51.100.2, 203.0.113.7')).toBe(429);
    expect(await failed('127.0.0.1, 203.0.113.7')).toBe(429);
    expect(await failed('198.51.100.3, 203.0.113.7, 172.30.0.1')).toBe(429);
    expect(await failed('203.0.113.8')).toBe(401);
  });
});
