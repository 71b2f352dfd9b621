import { describe, expect, it } from 'vitest';
import packageInfo from '../../../package.json' with { type: 'json' };
import { spec } from '../../contract/document.ts';
import { countTurns } from '../../support/turns.ts';
import { startHttp } from '../routes/fixture.ts';

const noKey = { apikey: undefined };

describe('the page at /docs', () => {
  it('has all its files, and may load nothing from another host', async () => {
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

  it('shows the version of the gateway and that of the interface', async () => {
    const http = await startHttp({ SERVER_DISABLE_DOCS: 'false' });
    const page = await http.call('GET', '/docs/', undefined, noKey);
    expect(page.text).toContain(`gateway ${packageInfo.version}, interface ${spec.info.version}`);
  });

  it('is at the address without a slash too, also below a path prefix', async () => {
    const http = await startHttp({ SERVER_DISABLE_DOCS: 'false' });
    const answer = await http.call('GET', '/docs', undefined, noKey);
    expect(answer.status).toBe(302);
    expect(new URL(String(answer.headers.location), 'http://host/base/docs').pathname).toBe('/base/docs/');
  });

  it('sends the viewer compressed to browsers and plain to other clients, and not twice', async () => {
    const http = await startHttp({ SERVER_DISABLE_DOCS: 'false' });
    const browser = { ...noKey, 'accept-encoding': 'gzip, deflate, br' };
    const compressed = await http.call('GET', '/docs/viewer.js', undefined, browser);
    expect(compressed.headers).toMatchObject({
      'content-encoding': 'gzip',
      'content-type': expect.stringMatching(/javascript/),
      vary: 'accept-encoding',
    });
    const plain = await http.call('GET', '/docs/viewer.js', undefined, noKey);
    expect(plain.headers).not.toHaveProperty('content-encoding');
    expect(plain.text).toContain('createApiReference');
    const refusing = { ...noKey, 'accept-encoding': 'br, gzip;q=0' };
    const refused = await http.call('GET', '/docs/viewer.js', undefined, refusing);
    expect(refused.headers).not.toHaveProperty('content-encoding');
    const again = await http.call('GET', '/docs/viewer.js', undefined, {
      ...browser,
      'if-none-match': String(plain.headers.etag),
    });
    expect(again.status).toBe(304);
  });

  it('decompresses the viewer while other work goes on, and sends many copies at once', async () => {
    const http = await startHttp({ SERVER_DISABLE_DOCS: 'false' });
    const get = () => http.call('GET', '/docs/viewer.js', undefined, noKey);
    await http.call('GET', '/docs/viewer.js', undefined, { ...noKey, 'accept-encoding': 'gzip' });
    const {
      result: { text },
      turns,
    } = await countTurns(get);
    // On the main thread it takes a handful of turns of the event loop, however long each lasts.
    expect(turns).toBeGreaterThan(100);
    for (const copy of await Promise.all(Array.from({ length: 5 }, get))) expect(copy.text === text).toBe(true);
  });

  it('has no other files', async () => {
    const http = await startHttp({ SERVER_DISABLE_DOCS: 'false' });
    for (const path of ['/docs/constructor', '/docs/index.html', '/docs/%2e%2e/plugins/docs.ts']) {
      expect((await http.call('GET', path, undefined, noKey)).status, path).toBe(404);
    }
  });

  it('is absent when the operator turns it off', async () => {
    const http = await startHttp({ SERVER_DISABLE_DOCS: 'true' });
    for (const path of ['/docs', '/docs/', '/docs/viewer.js']) expect((await http.call('GET', path)).status).toBe(404);
    expect((await http.call('GET', '/')).body).not.toHaveProperty('swagger');
  });
});
