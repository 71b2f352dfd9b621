import { describe, expect, it } from 'vitest';
import { startHttp } from '../../support/http-fixture.ts';

const PAGE = 'https://app.example';
const preflightHeaders = (origin: string) => ({
  origin,
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'apikey,content-type',
  apikey: undefined,
});

describe('pages of another origin', () => {
  it('a page of any origin can send requests with a key, and its browser can send a preflight request without a key', async () => {
    const http = await startHttp({ CORS_CREDENTIALS: 'true' });
    for (const path of ['/message/sendText/shop', '/instance/create', '/instance/logout/nobody']) {
      const { status, headers, text } = await http.call('OPTIONS', path, undefined, preflightHeaders(PAGE));
      expect([status, text]).toEqual([204, '']);
      expect(headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
        'access-control-allow-headers': 'apikey,content-type',
      });
      // With credentials for any origin, each page in the browser of a user could call with the credentials of the user.
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
    }
    const list = await http.call('GET', '/instance/fetchInstances', undefined, { origin: PAGE });
    expect(list.status).toBe(200);
    expect(list.headers).toMatchObject({ 'access-control-allow-origin': '*' });
    expect((await http.call('GET', '/')).headers).toMatchObject({ vary: 'Origin' });
    for (const header of ['x-request-id', 'retry-after', 'idempotency-replayed'])
      expect(list.headers['access-control-expose-headers']).toContain(header);
  });

  it('a page of another origin can read the 401 response to a wrong key', async () => {
    const http = await startHttp();
    const refused = await http.call('GET', '/instance/fetchInstances', undefined, { origin: PAGE, apikey: 'wrong' });
    expect([refused.status, refused.headers['access-control-allow-origin']]).toEqual([401, '*']);
  });

  it('CORS_ORIGIN allows only the listed origins, with credentials if CORS_CREDENTIALS is true', async () => {
    const http = await startHttp({
      ...{ CORS_ORIGIN: `${PAGE}, http://127.0.0.1:3000`, CORS_CREDENTIALS: 'true', CORS_METHODS: 'get,POST' },
    });
    const listed = await http.call('OPTIONS', '/message/sendText/shop', undefined, preflightHeaders(PAGE));
    expect(listed.headers).toMatchObject({
      'access-control-allow-origin': PAGE,
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': 'GET, POST',
      vary: 'Origin',
    });
    for (const origin of ['https://evil.example', `${PAGE}.evil.example`, 'null']) {
      const preflight = await http.call('OPTIONS', '/message/sendText/shop', undefined, preflightHeaders(origin));
      const response = await http.call('GET', '/', undefined, { origin });
      for (const { headers } of [preflight, response]) {
        expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
        expect(headers.vary).toBe('Origin');
      }
    }
  });

  it('CORS_ORIGIN=none allows no origin', async () => {
    const http = await startHttp({ CORS_ORIGIN: 'none' });
    const { headers } = await http.call('GET', '/', undefined, { origin: PAGE });
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  });

  it('AUTH_FAILURE_LIMIT does not count preflight requests, which have no key', async () => {
    const http = await startHttp({ AUTH_FAILURE_LIMIT: '1' });
    for (let times = 0; times < 3; times++) {
      const preflight = await http.call('OPTIONS', '/message/sendText/shop', undefined, preflightHeaders(PAGE));
      expect(preflight.status).toBe(204);
    }
    const optionsRequest = await http.call('OPTIONS', '/message/sendText/shop', undefined, { apikey: undefined });
    expect(optionsRequest.status).toBe(404);
  });
});
