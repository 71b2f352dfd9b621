// The import program with a simulated gateway whose answers the test sets.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runProgram } from '../../packages/import/test/program.ts';
import { writeSession } from '../../packages/import/test/stored-session.ts';
import { emptyFolder } from '../support/folder.ts';
import { startImportGateway } from '../support/import-gateway.ts';
import { freePort } from '../support/port.ts';
import type { Party } from '../support/signal-party.ts';

const env = { GATEWAY_KEY: 'global-key' };

async function createSessions(...names: string[]): Promise<{ path: string; devices: Party[] }> {
  const path = emptyFolder();
  const devices: Party[] = [];
  for (const name of names) {
    mkdirSync(join(path, name), { mode: 0o700 });
    devices.push(await writeSession(join(path, name)));
  }
  return { path, devices };
}

const move = (path: string, url: string, more: string[] = []) =>
  runProgram(['--from', 'baileys', '--path', path, '--to', url, ...more], { env });

describe('import into a gateway', () => {
  it('the import program sends sessions one after another with the key, and shows the answers of the gateway', async () => {
    const { path } = await createSessions('old', 'shop');
    const gateway = await startImportGateway();
    const { code, stdout, stderr } = await move(path, gateway.url);
    expect(gateway.imports.map(({ body }) => [body.bundle.instance.name, body.allowUnencrypted])).toEqual([
      ['old', true],
      ['shop', true],
    ]);
    expect(stderr).toContain(`Writing to gateway ${gateway.url}.`);
    expect(stdout).toMatch(/^shop {2,}written {2,}4 {2,}0 {2,}instance shop$/m);
    expect(stdout).toContain('Warning (old and 1 other): The proxy was not tested.');
    expect(code).toBe(0);
  });

  it('the import program sends a session again when the gateway is busy', async () => {
    const { path } = await createSessions('shop');
    const gateway = await startImportGateway({
      answer: (_request, count) =>
        count < 3 ? { status: [503, 429][count - 1] ?? 503, headers: { 'retry-after': '0' } } : { status: 201 },
    });
    const { code, stdout } = await move(path, gateway.url);
    expect(gateway.imports).toHaveLength(3);
    expect(stdout).toContain('1 session: 1 written.');
    expect(code).toBe(0);
  });

  it('the import program reports why the gateway refuses a session, and sends the others', async () => {
    const { path } = await createSessions('old', 'shop');
    const message = ['bundle.keys: The field must be an object.'];
    const gateway = await startImportGateway({
      answer: ({ body }) =>
        body.bundle.instance.name === 'old'
          ? { status: 400, body: { status: 400, response: { message } } }
          : { status: 201 },
    });
    const { code, stdout } = await move(path, gateway.url);
    expect(stdout).toContain('old: The gateway refuses the session: 400 bundle.keys: The field must be an object.');
    expect(stdout).toContain('2 sessions: 1 failed, 1 written.');
    expect(code).toBe(1);
  });

  it('the import program skips sessions that the gateway has, and reports names that belong to other accounts', async () => {
    const { path, devices } = await createSessions('mine', 'new', 'other', 'unlinked');
    const account = devices[0]?.jid ?? '';
    const instances = { mine: account, other: '4915559999999@s.whatsapp.net', unlinked: null };
    const gateway = await startImportGateway({ instances });
    const { code, stdout } = await move(path, gateway.url);
    expect(stdout).toMatch(/^mine {2,}already there$/m);
    expect(stdout).toContain('other: The gateway has an instance with this name, without this account.');
    expect(stdout).toContain('unlinked: The gateway has an instance with this name, without this account.');
    expect(gateway.imports.map(({ body }) => body.bundle.instance.name)).toEqual(['new']);
    expect(code).toBe(1);
    const secondRun = await move(path, gateway.url, ['--instance', 'mine']);
    expect(secondRun.code).toBe(0);
  });

  it('the import program reports a refused key, a redirect and a gateway that does not answer', async () => {
    const { path } = await createSessions('shop');
    const gateway = await startImportGateway({ answer: () => ({ status: 307, headers: { location: '/other' } }) });
    const wrongKey = ['--from', 'baileys', '--path', path, '--to', gateway.url];
    const refused = await runProgram(wrongKey, { env: { GATEWAY_KEY: 'another-key' } });
    expect(refused.stderr).toContain('The gateway refuses the key: 401 The API key is not valid.');
    expect(refused.code).toBe(1);
    const redirected = await move(path, gateway.url);
    expect(redirected.stdout).toMatch(/^shop: The gateway .* does not answer: unexpected redirect\.$/m);
    const absent = `http://127.0.0.1:${await freePort()}`;
    const silent = await move(path, absent);
    expect(silent.stderr).toContain(`The gateway ${absent} does not answer: ECONNREFUSED.`);
    expect(silent.code).toBe(1);
  });

  it.each([
    ['ftp://127.0.0.1', '--to: ftp://127.0.0.1 is no HTTP URL.'],
    ['http://user:secret@127.0.0.1:8080', '--to: the URL must have no user, password, query or fragment.'],
    ['http://gateway.example:8080', '--to: sessions and the key would cross the network to gateway.example:8080'],
  ])('the import program sends no sessions to %s', async (url, message) => {
    const { path } = await createSessions('shop');
    const { code, stderr } = await move(path, url);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('secret');
    expect(code).toBe(2);
  });
});
