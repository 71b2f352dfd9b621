import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { EventName } from '../../../src/http/schemas/common.ts';
import { startHttp } from '../routes/fixture.ts';

const noKey = { apikey: undefined };
const shown = { SERVER_DISABLE_MANAGER: 'false' };

describe('the page for operators', () => {
  it('is named by GET / and found there, behind a prefix as well', async () => {
    const http = await startHttp({ ...shown, SERVER_URL: 'https://gate.example/base' });
    expect((await http.call('GET', '/')).body).toMatchObject({ manager: 'https://gate.example/base/manager' });
    const answer = await http.call('GET', '/manager', undefined, noKey);
    expect(answer.status).toBe(302);
    const target = new URL(String(answer.headers.location), 'https://gate.example/base/manager');
    expect(target.pathname).toBe('/base/manager/');
  });

  it('comes with all that it loads, from nowhere else', async () => {
    const http = await startHttp(shown);
    const page = await http.call('GET', '/manager/', undefined, noKey);
    expect(page.status).toBe(200);
    expect(page.text).not.toMatch(/https?:/);
    const inPage = [...page.text.matchAll(/(?:src|href|:)="(?:\.\/)?([\w/]+\.\w+)"/g)].map(([, name]) => name);
    const vendor = [...page.text.matchAll(/"\.\/(vendor\/\w+\.js)"/g)].map(([, name]) => name);
    const own = readdirSync('packages/manager/src');
    expect(vendor).toHaveLength(3);
    for (const name of [...inPage, ...vendor, ...own]) {
      const answer = await http.call('GET', `/manager/${name}`, undefined, noKey);
      expect(answer.status, name).toBe(200);
      const imports = [...answer.text.matchAll(/from '\.\/([\w.-]+)'/g)].map(([, file]) => file);
      expect(own, name).toEqual(expect.arrayContaining(imports));
    }
  });

  it('runs its own scripts only, and nothing written into it', async () => {
    const http = await startHttp(shown);
    const { headers } = await http.call('GET', '/manager/', undefined, noKey);
    const policy = String(headers['content-security-policy']);
    expect(policy).toMatch(/^default-src 'none'; script-src 'self' 'sha256-[\w+/=]{44}'; style-src 'self';/);
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(policy).toContain("frame-ancestors 'none'");
  });

  it('is sent once and then confirmed', async () => {
    const http = await startHttp(shown);
    const { headers } = await http.call('GET', '/manager/app.js', undefined, noKey);
    const { etag } = headers;
    // A proxy that compresses the response sends the ETag as a weak one.
    for (const known of [`${etag}`, `W/${etag}`, `"an-older-one", W/${etag}`]) {
      const answer = await http.call('GET', '/manager/app.js', undefined, { ...noKey, 'if-none-match': known });
      expect([answer.status, answer.text], known).toEqual([304, '']);
    }
    const other = { ...noKey, 'if-none-match': '"an-older-one"' };
    expect((await http.call('GET', '/manager/app.js', undefined, other)).status).toBe(200);
  });

  it('serves nothing beside its files', async () => {
    const http = await startHttp({ ...shown, AUTH_FAILURE_LIMIT: '0' });
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

  it('is small files that say what they are for', () => {
    for (const name of readdirSync('packages/manager/src')) {
      const lines = readFileSync(`packages/manager/src/${name}`, 'utf8').trimEnd().split('\n');
      // The texts of a language are one file, however many there are.
      if (!name.startsWith('text-')) expect(lines.length, name).toBeLessThanOrEqual(300);
      if (name.endsWith('.js')) expect(lines[0], name).toMatch(/^\/\/ \S/);
    }
  });

  it('offers events that there are', () => {
    const offered =
      readFileSync('packages/manager/src/event-names.js', 'utf8').match(/'[A-Z]+(_[A-Z]+)+'|'CALL'/g) ?? [];
    expect(offered.length).toBeGreaterThan(25);
    expect(EventName.enum).toEqual(expect.arrayContaining(offered.map((name) => name.slice(1, -1))));
  });

  it('does not exist when the operator hides it', async () => {
    const http = await startHttp({ SERVER_DISABLE_MANAGER: 'true' });
    expect((await http.call('GET', '/manager')).status).toBe(404);
    expect((await http.call('GET', '/manager/app.js')).status).toBe(404);
    expect((await http.call('GET', '/')).body).not.toHaveProperty('manager');
  });
});
