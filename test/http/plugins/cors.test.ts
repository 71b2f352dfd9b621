import { describe, expect, it } from 'vitest';
import { startHttp } from '../routes/fixture.ts';

const PAGE = 'https://app.example';
const question = (origin: string) => ({
  origin,
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'apikey,content-type',
  apikey: undefined,
});

describe('a page of another origin', () => {
  it('may call with its key, and its browser may ask before without one', async () => {
    const http = await startHttp({ CORS_CREDENTIALS: 'true' });
    for (const path of ['/message/sendText/shop', '/instance/create', '/instance/logout/nobody']) {
      const { status, headers, text } = await http.call('OPTIONS', path, undefined, question(PAGE));
      expect([status, text]).toEqual([204, '']);
      expect(headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
        'access-control-allow-headers': 'apikey,content-type',
      });
      // Any page together with credentials would be every page of the user's browser.
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
    }
    const found = await http.call('GET', '/instance/fetchInstances', undefined, { origin: PAGE });
    expect(found.status).toBe(200);
    expect(found.headers).toMatchObject({ 'access-control-allow-origin': '*' });
    expect((await http.call('GET', '/')).headers).toMatchObject({ vary: 'Origin' });
    for (const header of ['x-request-id', 'retry-after', 'idempotency-replayed'])
      expect(found.headers['access-control-expose-headers']).toContain(header);
  });

  it('may read refusals too, and needs a key as all callers', async () => {
    const http = await startHttp();
    const refused = await http.call('GET', '/instance/fetchInstances', undefined, { origin: PAGE, apikey: 'wrong' });
    expect([refused.status, refused.headers['access-control-allow-origin']]).toEqual([401, '*']);
  });

  it('is answered by name when it is one of the listed ones, with credentials if they are allowed; others get no header', async () => {
    const http = await startHttp({
      ...{ CORS_ORIGIN: `${PAGE}, http://127.0.0.1:3000`, CORS_CREDENTIALS: 'true', CORS_METHODS: 'get,POST' },
    });
    const known = await http.call('OPTIONS', '/message/sendText/shop', undefined, question(PAGE));
    expect(known.headers).toMatchObject({
      'access-control-allow-origin': PAGE,
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': 'GET, POST',
      vary: 'Origin',
    });
    for (const origin of ['https://evil.example', `${PAGE}.evil.example`, 'null']) {
      const asked = await http.call('OPTIONS', '/message/sendText/shop', undefined, question(origin));
      const called = await http.call('GET', '/', undefined, { origin });
      for (const { headers } of [asked, called]) {
        expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
        expect(headers.vary).toBe('Origin');
      }
    }
  });

  it('may not call at all when no origin may', async () => {
    const http = await startHttp({ CORS_ORIGIN: 'none' });
    const { headers } = await http.call('GET', '/', undefined, { origin: PAGE });
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  });

  it('does not use up what is allowed in failures by asking', async () => {
    const http = await startHttp({ AUTH_FAILURE_LIMIT: '1' });
    for (let times = 0; times < 3; times++) {
      const asked = await http.call('OPTIONS', '/message/sendText/shop', undefined, question(PAGE));
      expect(asked.status).toBe(204);
    }
    const plain = await http.call('OPTIONS', '/message/sendText/shop', undefined, { apikey: undefined });
    expect(plain.status).toBe(404);
  });
});
