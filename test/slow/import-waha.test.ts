// Sessions of WAHA NOWEB in a real PostgreSQL: one table for all sessions, and a database for each session.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import type { FoundSession, SessionContents } from '../../packages/import/src/session/source.ts';
import { openWaha } from '../../packages/import/src/sources/waha.ts';
import { listSessions, writeSession } from '../../packages/import/test/stored-session.ts';
import { parseBundle } from '../../src/session-bundle/parse.ts';
import { emptyFolder } from '../support/folder.ts';
import { addClosedChains } from '../support/long-conversation.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';
import type { Party } from '../support/signal-party.ts';

const SHARED_TABLE = 'CREATE TABLE waha_auth (session_id text, key text, value jsonb, PRIMARY KEY (session_id, key))';

async function createDatabase(): Promise<{ url: string; client: Client }> {
  const url = await sharedPostgres().createDatabase();
  return { url, client: await connect(url) };
}

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

async function createDevice(): Promise<Party> {
  const folder = join(emptyFolder(), 'session');
  mkdirSync(folder);
  return writeSession(folder);
}

/**
 * Stores the session as WAHA does. WAHA passes texts to the driver unchanged, so the digits of a LID become a number.
 */
async function store(client: Client, device: Party, insert: (name: string, json: string) => [string, string[]]) {
  const rows = device.keys().map(({ type, id, value }): [string, unknown] => [`${type}-${id}`, value]);
  for (const [name, value] of [['creds', device.creds] as [string, unknown], ...rows]) {
    if (value === null || value === undefined) continue;
    await client.query(...insert(name, typeof value === 'string' ? value : JSON.stringify(value)));
  }
}

async function list(database: string): Promise<FoundSession[]> {
  const source = await openWaha({ database });
  onTestFinished(() => source.close());
  return listSessions(source);
}

async function expectSession(device: Party, found: FoundSession | undefined): Promise<SessionContents> {
  expect(found?.problem).toBeUndefined();
  expect(found?.account).toBe(device.jid.replace(/:\d+/, ''));
  const contents = await found?.read();
  if (!contents) throw new Error('not found');
  const bundle = parseBundle(contents.bundle);
  const ids = (type: string) => device.keys().flatMap((key) => (key.type === type && key.value ? [key.id] : []));
  expect(Object.keys(bundle.keys.sessions).sort()).toEqual(ids('session').sort());
  expect(Object.keys(bundle.keys.preKeys).sort()).toEqual(ids('pre-key').sort());
  expect(Object.keys(bundle.keys.senderKeys).sort()).toEqual(ids('sender-key').sort());
  expect(Object.keys(bundle.keys.appStateSyncKeys)).toEqual(ids('app-state-sync-key'));
  expect(bundle.keys.lidMap).toMatchObject({ '200000000000001': '4915550009001' });
  return contents;
}

it('openWaha() finds a table with several sessions by its content and reads each session', async () => {
  const { url, client } = await createDatabase();
  await client.query(SHARED_TABLE);
  await client.query('CREATE TABLE session_config (id text PRIMARY KEY, data text)');
  await client.query('CREATE TABLE other (key text, value text)');
  const devices = { shop: await createDevice(), old: await createDevice() };
  for (const [session, device] of Object.entries(devices)) {
    await store(client, device, (name, value) => ['INSERT INTO waha_auth VALUES ($1, $2, $3)', [session, name, value]]);
  }
  const config = JSON.stringify({ id: 'shop', data: { ignore: { groups: true } } });
  await client.query('INSERT INTO session_config VALUES ($1, $2)', ['shop', config]);
  const [old, shop] = await list(url);
  expect([old?.name, shop?.name]).toEqual(['old', 'shop']);
  await expectSession(devices.old, old);
  const { bundle } = await expectSession(devices.shop, shop);
  expect(bundle.instance).toEqual({ name: 'shop', settings: { groupsIgnore: true } });
});

it('openWaha() reads the Signal session of a long conversation from PostgreSQL', async () => {
  const { url, client } = await createDatabase();
  await client.query('CREATE TABLE auth (key text PRIMARY KEY, value jsonb)');
  const device = await createDevice();
  addClosedChains(device.keys().find(({ type, value }) => type === 'session' && value)?.value);
  await store(client, device, (name, value) => ['INSERT INTO auth VALUES ($1, $2)', [name, value]]);
  const [session] = await list(url);
  const { dropped } = await expectSession(device, session);
  expect(dropped.map(({ type }) => type)).not.toContain('session');
});

it('openWaha() reads a database with one session from a column without a JSON type', async () => {
  const { url, client } = await createDatabase();
  await client.query('CREATE TABLE auth (id text PRIMARY KEY, data text)');
  const device = await createDevice();
  await store(client, device, (name, value) => ['INSERT INTO auth VALUES ($1, $2)', [name, value]]);
  const [session, ...others] = await list(url);
  expect(others).toEqual([]);
  await expectSession(device, session);
});

it('openWaha() finds the database of a single session through the main database of WAHA', async () => {
  const { url, client } = await createDatabase();
  const name = `shop${Math.floor(Math.random() * 1e9)}`;
  await client.query(`CREATE DATABASE waha_noweb_${name}`);
  onTestFinished(async () => {
    await client.query(`DROP DATABASE waha_noweb_${name} WITH (FORCE)`);
  });
  const sessionUrl = Object.assign(new URL(url), { pathname: `/waha_noweb_${name}` }).href;
  const session = await connect(sessionUrl);
  await session.query('CREATE TABLE auth (key text PRIMARY KEY, value jsonb)');
  const device = await createDevice();
  await store(session, device, (key, value) => ['INSERT INTO auth VALUES ($1, $2)', [key, value]]);
  const sessions = (await list(url)).filter((candidate) => candidate.name === name);
  expect(sessions).toHaveLength(1);
  await expectSession(device, sessions[0]);
  const [openedDirectly] = await list(sessionUrl);
  expect(openedDirectly?.name, 'opened directly').toBe(name);
});

it('openWaha() counts damaged keys and reports damaged credentials as a problem', async () => {
  const { url, client } = await createDatabase();
  await client.query('CREATE TABLE auth (session text, key text, value text)');
  for (const session of ['shop', 'old']) {
    await store(client, await createDevice(), (key, value) => [
      'INSERT INTO auth VALUES ($1, $2, $3)',
      [session, key, value],
    ]);
  }
  await client.query(`UPDATE auth SET value = '{"_sess' WHERE session = 'shop' AND key LIKE 'session-%'`);
  await client.query(`UPDATE auth SET value = left(value, 100) WHERE session = 'old' AND key = 'creds'`);
  const [old, shop] = await list(url);
  expect(old?.problem).toBe('The value of creds is no valid JSON: it is damaged or incomplete.');
  const damaged = (await shop?.read())?.dropped.find(({ type }) => type === 'session');
  expect(damaged).toEqual({ type: 'session', count: shop?.counts.session, reason: 'The value is damaged.' });
});

it('openWaha() rejects a database without sessions of WAHA', async () => {
  const { url, client } = await createDatabase();
  await client.query('CREATE TABLE other (key text, value text)');
  await client.query(`INSERT INTO other VALUES ('a', 'b')`);
  await expect(openWaha({ database: url })).rejects.toThrow('has no sessions of the engine NOWEB.');
});

it('openWaha() lists databases of single sessions, keeps no connection to them and reports missing permission', async () => {
  const { url, client } = await createDatabase();
  const prefix = `b${Math.floor(Math.random() * 1e9)}`;
  const role = `reader_${prefix}`;
  await client.query(`CREATE ROLE ${role} LOGIN PASSWORD 'reader'`);
  const names = ['shop', 'old', 'closed'].map((name) => `${prefix}${name}`);
  onTestFinished(async () => {
    for (const name of names) await client.query(`DROP DATABASE IF EXISTS waha_noweb_${name} WITH (FORCE)`);
    await client.query(`DROP ROLE ${role}`);
  });
  for (const name of names) {
    await client.query(`CREATE DATABASE waha_noweb_${name}`);
    const session = await connect(Object.assign(new URL(url), { pathname: `/waha_noweb_${name}` }).href);
    await session.query('CREATE TABLE auth (key text PRIMARY KEY, value jsonb)');
    await session.query(`INSERT INTO auth VALUES ('creds', '{}')`);
    await session.query('GRANT SELECT ON auth TO PUBLIC');
  }
  await client.query(`REVOKE CONNECT ON DATABASE waha_noweb_${prefix}closed FROM PUBLIC`);
  const reader = Object.assign(new URL(url), { username: role, password: 'reader' }).href;
  const sessions = (await list(reader)).filter(({ name }) => names.includes(name));
  expect(sessions.map(({ name }) => name).sort()).toEqual([...names].sort());
  expect(sessions.find(({ name }) => name.endsWith('closed'))?.problem).toContain('no permission');
  const connections = await client.query(
    "SELECT 1 FROM pg_stat_activity WHERE application_name = 'messaging-gateway-import' AND datname = ANY($1)",
    [names.map((name) => `waha_noweb_${name}`)],
  );
  expect(connections.rowCount).toBe(0);
});
