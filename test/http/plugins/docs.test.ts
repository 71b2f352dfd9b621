import { describe, expect, it } from 'vitest';
import packageInfo from '../../../package.json' with { type: 'json' };
import { countTurns } from '../../support/event-loop-turns.ts';
import { startHttp } from '../../support/http-fixture.ts';
import { spec } from '../../support/openapi-document.ts';

const noKey = { apikey: undefined };

describe('the page at /docs', () => {
  it('the page at /docs links to existing files, and its policy forbids files of other hosts', async () => {
    const http = await startHttp({ SERVER_DISABLE_DOCS: 'false' });
    const page = await http.call('GET', '/docs/', undefined, noKey);
    expect(page.status).toBe(200);
    const csp = String(page.headers['content-security-policy']);
    expect(csp).toMatch(/default-src 'none'; script-src 'self';/);
    expect(csp).not.toMatch(/https?:|unsafe-eval/);
    const files = [...page.text.matchAll(/(?:src|href)="([^":]+)"/g)].map(([, file]) => file ?? '');
    expect(files).toEqual(expect.arrayContaining(['page.css', 'page.js', '../openapi.yaml', '../openapi.json']));
    for (const file of files) {
      const answer = await http.call('GET', new URL(file, 'http://host/docs/').pathname, undefined, noKey);
      expect(answer.status, file).toBe(200);
    }
  });

  it('the page at /docs shows the versions of the gateway and of the interface', async () => {
    const http = await startHttp({ SERVER_DISABLE_DOCS: 'false' });
    const page = await http.call('GET', '/docs/', undefined, noKey);
    expect(page.text).toContain(`gateway ${packageInfo.version}, interface ${spec.info.version}`);
  });

  it('GET /docs redirects to /docs/, also below a path prefix', async () => {
    const http = await startHttp({ SERVER_DISABLE_DOCS: 'false' });
    const answer = await http.call('GET', '/docs', undefined, noKey);
    expect(answer.status).toBe(302);
    expect(new URL(String(answer.headers.location), 'http://host/base/docs').pathname).toBe('/base/docs/');
  });

  it('GET /docs/viewer.js sends gzip only to clients that accept it, and 304 for a known ETag', async () => {
    const http = await startHttp({ SERVER_DISABLE_DOCS: 'false' });
    const browserHeaders = { ...noKey, 'accept-encoding': 'gzip, deflate, br' };
    const compressed = await http.call('GET', '/docs/viewer.js', undefined, browserHeaders);
    expect(compressed.headers).toMatchObject({
      'content-encoding': 'gzip',
      'content-type': expect.stringMatching(/javascript/),
      vary: 'accept-encoding',
    });
    const plain = await http.call('GET', '/docs/viewer.js', undefined, noKey);
    expect(plain.headers).not.toHaveProperty('content-encoding');
    expect(plain.text).toContain('createApiReference');
    const headersWithoutGzip = { ...noKey, 'accept-encoding': 'br, gzip;q=0' };
    const uncompressed = await http.call('GET', '/docs/viewer.js', undefined, headersWithoutGzip);
    expect(uncompressed.headers).not.toHaveProperty('content-encoding');
    const unchanged = await http.call('GET', '/docs/viewer.js', undefined, {
      ...browserHeaders,
      'if-none-match': String(plain.headers.etag),
    });
    expect(unchanged.status).toBe(304);
  });

  it('GET /docs/viewer.js does not block the event loop, and sends the same text to concurrent requests', async () => {
    const http = await startHttp({ SERVER_DISABLE_DOCS: 'false' });
    const get = () => http.call('GET', '/docs/viewer.js', undefined, noKey);
    await http.call('GET', '/docs/viewer.js', undefined, { ...noKey, 'accept-encoding': 'gzip' });
    const {
      result: { text },
      turns,
    } = await countTurns(get);
    // On the main thread, the decompression would take only a few turns of the event loop, each of them long.
    expect(turns).toBeGreaterThan(100);
    for (const copy of await Promise.all(Array.from({ length: 5 }, get))) expect(copy.text === text).toBe(true);
  });

  it('the server responds to unknown paths below /docs with 404', async () => {
    const http = await startHttp({ SERVER_DISABLE_DOCS: 'false' });
    for (const path of ['/docs/constructor', '/docs/index.html', '/docs/%2e%2e/plugins/docs.ts']) {
      expect((await http.call('GET', path, undefined, noKey)).status, path).toBe(404);
    }
  });

  it('SERVER_DISABLE_DOCS=true removes the page at /docs and its link in GET /', async () => {
    const http = await startHttp({ SERVER_DISABLE_DOCS: 'true' });
    for (const path of ['/docs', '/docs/', '/docs/viewer.js']) expect((await http.call('GET', path)).status).toBe(404);
    expect((await http.call('GET', '/')).body).not.toHaveProperty('swagger');
  });
});
