import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { EventName } from '../../../src/http/schemas/common.ts';
import { startHttp } from '../../support/http-fixture.ts';

const noKey = { apikey: undefined };
const enabled = { SERVER_DISABLE_MANAGER: 'false' };
/** The files of the page. Declarations of types are only for the type checker. */
const pageFiles = () => readdirSync('packages/manager/src').filter((name) => !name.endsWith('.d.ts'));

describe('the manager page', () => {
  it('GET / names the address of the manager page, and GET /manager redirects to it, also below a path prefix', async () => {
    const http = await startHttp({ ...enabled, SERVER_URL: 'https://gate.example/base' });
    expect((await http.call('GET', '/')).body).toMatchObject({ manager: 'https://gate.example/base/manager' });
    const answer = await http.call('GET', '/manager', undefined, noKey);
    expect(answer.status).toBe(302);
    const target = new URL(String(answer.headers.location), 'https://gate.example/base/manager');
    expect(target.pathname).toBe('/base/manager/');
  });

  it('the manager page loads only files that the server has, and none from other hosts', async () => {
    const http = await startHttp(enabled);
    const page = await http.call('GET', '/manager/', undefined, noKey);
    expect(page.status).toBe(200);
    expect(page.text).not.toMatch(/https?:/);
    const namedFiles = [...page.text.matchAll(/(?:src|href|:)="(?:\.\/)?([\w/]+\.\w+)"/g)].map(([, name]) => name);
    const vendorFiles = [...page.text.matchAll(/"\.\/(vendor\/\w+\.js)"/g)].map(([, name]) => name);
    const ownFiles = pageFiles();
    expect(vendorFiles).toHaveLength(3);
    for (const name of [...namedFiles, ...vendorFiles, ...ownFiles]) {
      const answer = await http.call('GET', `/manager/${name}`, undefined, noKey);
      expect(answer.status, name).toBe(200);
      const imports = [...answer.text.matchAll(/from '\.\/([\w.-]+)'/g)].map(([, file]) => file);
      expect(ownFiles, name).toEqual(expect.arrayContaining(imports));
    }
  });

  it('the Content-Security-Policy of the manager page allows only its own scripts', async () => {
    const http = await startHttp(enabled);
    const { headers } = await http.call('GET', '/manager/', undefined, noKey);
    const policy = String(headers['content-security-policy']);
    expect(policy).toMatch(/^default-src 'none'; script-src 'self' 'sha256-[\w+/=]{44}'; style-src 'self';/);
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(policy).toContain("frame-ancestors 'none'");
  });

  it('GET /manager/app.js responds with 304 to a known ETag, and with 200 to another', async () => {
    const http = await startHttp(enabled);
    const { headers } = await http.call('GET', '/manager/app.js', undefined, noKey);
    const { etag } = headers;
    // A proxy that compresses the response sends the ETag as a weak one.
    for (const knownEtag of [`${etag}`, `W/${etag}`, `"an-older-one", W/${etag}`]) {
      const answer = await http.call('GET', '/manager/app.js', undefined, { ...noKey, 'if-none-match': knownEtag });
      expect([answer.status, answer.text], knownEtag).toEqual([304, '']);
    }
    const otherEtag = { ...noKey, 'if-none-match': '"an-older-one"' };
    expect((await http.call('GET', '/manager/app.js', undefined, otherEtag)).status).toBe(200);
  });

  it('the server responds to unknown paths below /manager with 404', async () => {
    const http = await startHttp({ ...enabled, AUTH_FAILURE_LIMIT: '0' });
    for (const name of [
      'nothing.js',
      '../app.ts',
      '..%2Fapp.ts',
      '%2e%2e/app.ts',
      'vendor',
      'vendor/preact',
      '__proto__',
    ]) {
      expect((await http.call('GET', `/manager/${name}`)).status, name).toBe(404);
    }
  });

  it('the files of the manager page have at most 300 lines, and its scripts start with a comment', () => {
    for (const name of pageFiles()) {
      const lines = readFileSync(`packages/manager/src/${name}`, 'utf8').trimEnd().split('\n');
      // All texts of a language are in one file, so this file has no limit.
      if (!name.startsWith('text-')) expect(lines.length, name).toBeLessThanOrEqual(300);
      if (name.endsWith('.js')) expect(lines[0], name).toMatch(/^\/\/ \S/);
    }
  });

  it('the manager page offers only events that exist', () => {
    const offeredEvents =
      readFileSync('packages/manager/src/event-names.js', 'utf8').match(/'[A-Z]+(_[A-Z]+)+'|'CALL'/g) ?? [];
    expect(offeredEvents.length).toBeGreaterThan(25);
    expect(EventName.enum).toEqual(expect.arrayContaining(offeredEvents.map((name) => name.slice(1, -1))));
  });

  it('SERVER_DISABLE_MANAGER=true removes the manager page and its link in GET /', async () => {
    const http = await startHttp({ SERVER_DISABLE_MANAGER: 'true' });
    expect((await http.call('GET', '/manager')).status).toBe(404);
    expect((await http.call('GET', '/manager/app.js')).status).toBe(404);
    expect((await http.call('GET', '/')).body).not.toHaveProperty('manager');
  });
});
