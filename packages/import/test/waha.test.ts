import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseBundle } from '../../../src/session-bundle/parse.ts';
import { emptyFolder } from '../../../test/support/folder.ts';
import type { FoundSession } from '../src/session/source.ts';
import { openWaha } from '../src/sources/waha.ts';
import { toSettingsByName } from '../src/sources/waha-settings.ts';
import { listSessions, writeSession } from './stored-session.ts';

const KEY = 'key-of-the-session-shop';

async function listFrom(path: string): Promise<FoundSession[]> {
  const source = await openWaha({ path });
  onTestFinished(() => source.close());
  return listSessions(source);
}

/** Creates the folder `.sessions` of WAHA with the sessions `shop` and `old` of the engine NOWEB. */
async function createInstallation(): Promise<string> {
  const root = join(emptyFolder(), '.sessions');
  for (const name of ['shop', 'old']) mkdirSync(join(root, 'noweb', name), { recursive: true, mode: 0o700 });
  await writeSession(join(root, 'noweb', 'shop'));
  await writeSession(join(root, 'noweb', 'old'), 6);
  writeFileSync(join(root, 'noweb', 'shop', 'store.sqlite3'), 'messages');
  mkdirSync(join(root, 'webjs', 'session-other'), { recursive: true });
  return root;
}

/** Writes the database beside the sessions as WAHA does, with a write-ahead log that is not merged yet. */
function writeDatabase(folder: string, { config, keys }: { config: Record<string, unknown>; keys: object[] }): void {
  const file = join(folder, 'waha.sqlite3');
  const database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode = WAL');
  database.exec('CREATE TABLE session_config (id TEXT PRIMARY KEY, data TEXT)');
  database.exec('CREATE TABLE api_key (id TEXT PRIMARY KEY, "key" TEXT, "isActive" INTEGER, session TEXT, data TEXT)');
  const insertConfig = database.prepare('INSERT INTO session_config VALUES (?, ?)');
  for (const [id, data] of Object.entries(config)) {
    insertConfig.run(id, typeof data === 'string' ? data : JSON.stringify({ id, data }));
  }
  const insertKey = database.prepare('INSERT INTO api_key VALUES (?, ?, ?, ?, ?)');
  for (const [index, row] of keys.entries()) {
    const { key, isActive, session } = { key: '', isActive: true, session: null, ...row };
    insertKey.run(String(index), key, isActive ? 1 : 0, session, JSON.stringify(row));
  }
  // A copy of the open database includes its log, as after a kill of the program.
  for (const suffix of ['', '-wal']) cpSync(`${file}${suffix}`, join(folder, `copy${suffix}`));
  database.close();
  for (const suffix of ['', '-wal']) cpSync(join(folder, `copy${suffix}`), `${file}${suffix}`);
}

const CONFIG = {
  proxy: { server: 'proxy.example:3128', username: 'user', password: 'secret' },
  ignore: { groups: true, status: false },
  webhooks: [
    { url: 'https://receiver.example/shop', events: ['message'], customHeaders: [{ name: 'X-Key', value: 'header' }] },
    { url: 'https://receiver.example/second', events: ['*'] },
  ],
};

describe('keys in settings of WAHA', () => {
  it.each([
    ['1', KEY],
    ['true', KEY],
    ['0', undefined],
    ['false', undefined],
  ])('toSettingsByName() takes only an active key of WAHA (isActive: %s)', (isActive, token) => {
    const row = { session: 'shop', key: KEY, isActive, data: '{"isAdmin":false}' };
    const settings = toSettingsByName({ session_config: [], api_key: [row] });
    expect(settings.get('shop')?.instance.token).toBe(token);
  });

  it('toSettingsByName() omits a key of WAHA whose damaged row does not rule out an administrator', () => {
    const row = { session: 'shop', key: KEY, isActive: '1', data: '{"isAdmin":' };
    expect(toSettingsByName({ session_config: [], api_key: [row] }).size).toBe(0);
  });
});

describe('proxies in settings of WAHA', () => {
  it.each([
    ['proxy.example:80', 'http', 80],
    ['https://proxy.example:443', 'https', 443],
    ['socks5://proxy.example:1080/', 'socks5', 1080],
  ])('toSettingsByName() reads the proxy %s', (server, protocol, port) => {
    const data = JSON.stringify({ id: 'shop', data: { proxy: { server } } });
    const settings = toSettingsByName({ session_config: [{ id: 'shop', data }], api_key: [] });
    expect(settings.get('shop')?.instance.proxy).toEqual({ protocol, host: 'proxy.example', port });
  });
});

describe('sessions of WAHA in folders', () => {
  it.each(['', 'noweb', 'noweb/shop'])('openWaha() finds sessions in the folder .sessions/%s', async (subfolder) => {
    const root = await createInstallation();
    const sessions = await listFrom(join(root, subfolder));
    const names = subfolder.endsWith('shop') ? ['shop'] : ['old', 'shop'];
    expect(sessions.map(({ name, problem }) => ({ name, problem }))).toEqual(
      names.map((name) => ({ name, problem: undefined })),
    );
    expect(sessions.every(({ account }) => account?.endsWith('@s.whatsapp.net'))).toBe(true);
    const { bundle, dropped } = (await sessions.at(-1)?.read()) ?? {};
    expect(bundle).toMatchObject({ source: 'waha', instance: { name: 'shop' } });
    expect(dropped).toContainEqual({ type: 'other files', count: 1, reason: 'They are no part of a session.' });
  });

  it('openWaha() reads key, proxy, settings and webhook from waha.sqlite3 without changing its folder', async () => {
    const root = await createInstallation();
    const keys = [
      { key: 'key-of-an-administrator', isAdmin: true, session: 'shop' },
      { key: 'key-that-is-not-active', isActive: false, session: 'shop' },
      { key: KEY, isAdmin: false, session: 'shop' },
      { key: 'not a key', isAdmin: false, session: 'old' },
    ];
    writeDatabase(join(root, 'noweb'), { config: { shop: CONFIG, old: '{"id":' }, keys });
    const files = readdirSync(join(root, 'noweb'));
    const [old, shop] = await listFrom(root);
    const { bundle, dropped, warnings } = (await shop?.read()) ?? {};
    expect(bundle?.instance).toEqual({
      name: 'shop',
      token: KEY,
      settings: { groupsIgnore: true },
      proxy: { protocol: 'http', host: 'proxy.example', port: 3128, username: 'user', password: 'secret' },
      webhook: { enabled: false, url: 'https://receiver.example/shop', headers: { 'X-Key': 'header' } },
    });
    expect(dropped).toContainEqual({
      type: 'webhook',
      count: 1,
      reason: 'The bundle has one webhook. Add the others with POST /webhook/endpoints.',
    });
    expect(warnings).toContain(
      'The webhook is disabled, because its requests have another form here. Enable it with POST /webhook/set when the receiver is ready.',
    );
    const oldContents = await old?.read();
    expect(oldContents?.bundle.instance).toEqual({ name: 'old' });
    expect(oldContents?.dropped.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['session_config', 'key of the session']),
    );
    expect(readdirSync(join(root, 'noweb'))).toEqual(files);
  });

  it('openWaha() drops a proxy or webhook with an invalid address and reports it', async () => {
    const root = await createInstallation();
    const config = { proxy: { server: 'proxy' }, webhooks: [{ url: 'ftp://receiver.example' }] };
    writeDatabase(root, { config: { shop: config }, keys: [] });
    const [, shop] = await listFrom(root);
    const { bundle, dropped } = (await shop?.read()) ?? {};
    expect(bundle?.instance).toEqual({ name: 'shop' });
    expect(dropped).toContainEqual({ type: 'proxy', count: 1, reason: 'Its address is no host and port.' });
    expect(dropped).toContainEqual({ type: 'webhook', count: 1, reason: 'Its address is no HTTP URL.' });
  });

  it('openWaha() drops proxies, webhooks and headers that the gateway refuses', async () => {
    const root = await createInstallation();
    const long = 'x'.repeat(5000);
    const config = {
      shop: { proxy: { server: 'proxy.example:0' }, webhooks: [{ url: `https://receiver.example/${long}` }] },
      old: {
        proxy: { server: 'proxy.example:3128', username: long },
        webhooks: [{ url: 'https://receiver.example', customHeaders: [{ name: 'X-Long', value: 'x'.repeat(9000) }] }],
      },
    };
    writeDatabase(root, { config, keys: [] });
    for (const session of await listFrom(root)) {
      const { bundle, dropped } = await session.read();
      expect(parseBundle(bundle).instance).not.toHaveProperty('proxy');
      expect(dropped.map(({ type }) => type)).toEqual(expect.arrayContaining(['proxy']));
      expect(dropped.map(({ type }) => type)).toContain(session.name === 'shop' ? 'webhook' : 'header of the webhook');
    }
  });

  it('openWaha() reads a session without settings when waha.sqlite3 lacks their columns', async () => {
    const root = await createInstallation();
    const database = new DatabaseSync(join(root, 'waha.sqlite3'));
    database.exec('CREATE TABLE api_key (id TEXT PRIMARY KEY, "key" TEXT)');
    database.close();
    const [, shop] = await listFrom(root);
    expect((await shop?.read())?.bundle.instance).toEqual({ name: 'shop' });
  });

  it('openWaha() rejects sessions of other engines with a reason', async () => {
    const root = emptyFolder();
    mkdirSync(join(root, 'webjs', 'session-shop', 'Default'), { recursive: true });
    await expect(openWaha({ path: root })).rejects.toThrow(
      'has no sessions of the engine NOWEB. Sessions of WEBJS and WPP are profiles of a browser and cannot be moved; for GOWS use --from whatsmeow.',
    );
  });

  it('openWaha() rejects a damaged waha.sqlite3', async () => {
    const root = await createInstallation();
    writeFileSync(join(root, 'waha.sqlite3'), 'no database');
    await expect(openWaha({ path: root })).rejects.toThrow(
      /waha\.sqlite3 cannot be read: it is damaged or no database/,
    );
  });

  it('openWaha() requires either a folder or a PostgreSQL database', async () => {
    await expect(openWaha({})).rejects.toThrow('--from waha needs --path or --database.');
    await expect(openWaha({ path: '/a', database: 'postgresql://b/c' })).rejects.toThrow(
      'Choose one of --path and --database.',
    );
    await expect(openWaha({ database: 'mysql://user:secret@host/db' })).rejects.toThrow(
      '--database must be a URL such as postgresql://user:password@127.0.0.1:5432/waha.',
    );
  });
});
