// Sessions of Evolution API 2 in a real PostgreSQL, MariaDB and Redis. The sessions are the state of real Baileys
// clients. The import finds every layout and reads it completely.
import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createSandbox, type Sandbox } from '../../packages/sandbox/src/sandbox.ts';
import type { Dropped } from '../../src/session-bundle/bundle.ts';
import { parseBundle } from '../../src/session-bundle/parse.ts';
import type { Database } from '../support/evolution-installation.ts';
import {
  type ClientState,
  LAYOUTS_2,
  type Layout2,
  writeEvolution2,
  writeRedisHash,
} from '../support/evolution-layouts.ts';
import { install, instanceRow, openInstallation, SHOP_NUMBER } from '../support/evolution-sources.ts';
import type { Make } from '../support/old-clients.ts';
import { createOldState } from '../support/old-states.ts';
import { describeWithServices } from '../support/services.ts';
import { bundleOf, countsOf, findSession, listSessions } from '../support/source-sessions.ts';

const LAYOUTS = Object.keys(LAYOUTS_2) as Layout2[];
const DATABASES: Database[] = ['PostgreSQL', 'MariaDB'];
const FLAGS_OFF = { alwaysOnline: false, readStatus: false, syncFullHistory: false };

await describeWithServices(['MariaDB', 'Redis'], 'Evolution API 2', () => {
  let sandbox: Sandbox;
  /** The state of a client of each version, with Signal sessions, sender keys and app state keys. */
  const states = new Map<Make, ClientState>();

  beforeAll(async () => {
    sandbox = await createSandbox({ tlsPort: false });
    for (const make of ['baileys 6.7.21', 'baileys 7.0.0-rc14'] as const)
      states.set(make, await createOldState(sandbox, make, SHOP_NUMBER));
  });
  afterAll(() => sandbox.close());

  const stateOf = (make: Make): ClientState => {
    const state = states.get(make);
    if (!state) throw new Error(`no state of ${make}`);
    return state;
  };

  const cases = DATABASES.flatMap((database) =>
    LAYOUTS.flatMap((layout) => [
      { database, layout, version: '2.0' as const, make: 'baileys 6.7.21' as const },
      { database, layout, version: '2.3' as const, make: 'baileys 7.0.0-rc14' as const },
    ]),
  );

  it.each(cases)('openEvolution() reads a complete session of version $version in $database ($layout, $make)', async ({
    database,
    layout,
    version,
    make,
  }) => {
    const installation = await install(database, version);
    const state = stateOf(make);
    await writeEvolution2(installation, layout, instanceRow(), state);
    const session = await findSession(await openInstallation(installation), 'shop');
    expect(session).toMatchObject({
      account: `${SHOP_NUMBER}@s.whatsapp.net`,
      isConnected: false,
      counts: countsOf(state),
    });
    expect(session.problem).toBeUndefined();
    const { bundle, dropped, warnings } = await session.read();
    const expected = bundleOf(state);
    expect(bundle).toMatchObject({ credentials: expected.credentials, keys: expected.keys, source: 'evolution-api 2' });
    expect(Object.keys(bundle.keys.sessions).length).toBeGreaterThan(0);
    expect(Object.keys(bundle.keys.senderKeys).length).toBeGreaterThan(0);
    expect(Object.keys(bundle.keys.appStateSyncKeys).length).toBeGreaterThan(0);
    // The order of keys in Redis differs between servers.
    const byType = (a: Dropped, b: Dropped) => a.type.localeCompare(b.type);
    expect(dropped.toSorted(byType)).toEqual(expected.dropped.toSorted(byType));
    // The test itself is connected to the database.
    expect(warnings).toEqual([...expected.warnings, expect.stringContaining('Another program is connected')]);
    expect(parseBundle(bundle)).toEqual(JSON.parse(JSON.stringify(bundle)));
  });

  it.each(DATABASES)('openEvolution() changes no data in %s or Redis', async (database) => {
    const installation = await install(database);
    const id = randomUUID();
    await writeEvolution2(
      installation,
      'creds in SQL, keys in Redis',
      instanceRow({ id }),
      stateOf('baileys 7.0.0-rc14'),
    );
    const dump = async () => [
      await installation.tables.dump(),
      await installation.redis.hgetall(`${installation.prefix}:instance:${id}`),
    ];
    const before = await dump();
    await (await findSession(await openInstallation(installation), 'shop')).read();
    expect(await dump()).toEqual(before);
  });

  it.each(DATABASES)('openEvolution() warns only while another program is connected to %s', async (database) => {
    const installation = await install(database);
    await writeEvolution2(installation, 'all in Redis', instanceRow(), stateOf('baileys 7.0.0-rc14'));
    const session = await findSession(await openInstallation(installation), 'shop');
    const isInUse = async () => (await session.read()).warnings.some((warning) => warning.includes('is stopped'));
    expect(await isInUse()).toBe(true);
    await installation.tables.close();
    // The server counts a client until its process has ended.
    await expect.poll(isInUse).toBe(false);
  });

  it('openEvolution() reads a session as a PostgreSQL user with read permission only', async () => {
    const installation = await install('PostgreSQL');
    await writeEvolution2(installation, 'creds in SQL, keys in files', instanceRow(), stateOf('baileys 7.0.0-rc14'));
    const name = `reader_${randomUUID().replaceAll('-', '')}`;
    for (const sql of [
      `CREATE ROLE ${name} LOGIN PASSWORD 'word'`,
      `GRANT USAGE ON SCHEMA evolution_api TO ${name}`,
      `GRANT SELECT ON ALL TABLES IN SCHEMA evolution_api TO ${name}`,
    ])
      await installation.tables.execute(sql);
    onTestFinished(() => installation.tables.execute(`DROP OWNED BY ${name}; DROP ROLE ${name}`));
    const url = new URL(installation.url);
    Object.assign(url, { username: name, password: 'word' });
    const session = await findSession(await openInstallation(installation, { database: url.href }), 'shop');
    expect((await session.read()).bundle.instance.name).toBe('shop');
  });

  it.each(
    DATABASES,
  )('openEvolution() reads settings, webhook and proxy of an instance in %s and counts other integrations', async (database) => {
    const installation = await install(database);
    const id = randomUUID();
    const { tables } = installation;
    await writeEvolution2(installation, 'all in Redis', instanceRow({ id }), stateOf('baileys 7.0.0-rc14'));
    const rowOf = (fields: object) => ({ id: randomUUID(), instanceId: id, enabled: true, ...fields });
    await tables.insert('Setting', {
      ...{ id: randomUUID(), instanceId: id, rejectCall: true, msgCall: 'I am busy.', groupsIgnore: false },
      ...{ readMessages: true, wavoipToken: 'secret' },
    });
    await tables.insert(
      'Webhook',
      rowOf({
        url: 'https://hooks.example/shop',
        headers: { authorization: 'Bearer 1' },
        events: ['MESSAGES_UPSERT', 'QRCODE_UPDATED'],
        webhookByEvents: true,
        webhookBase64: false,
      }),
    );
    const proxy = { host: 'proxy.example', port: '8080', protocol: 'http', username: 'user', password: 'word' };
    await tables.insert('Proxy', rowOf(proxy));
    await tables.insert('Websocket', rowOf({ events: [] }));
    await tables.insert('Rabbitmq', rowOf({ events: [], enabled: false }));
    await tables.insert('Kafka', rowOf({ events: [] }));
    await tables.insert('Typebot', rowOf({ url: 'https://typebot.example', typebot: 'a' }));
    await tables.insert('Typebot', rowOf({ url: 'https://typebot.example', typebot: 'b' }));
    const { bundle, dropped } = await (await findSession(await openInstallation(installation), 'shop')).read();
    expect(parseBundle(bundle).instance).toEqual({
      name: 'shop',
      token: 'key-of-shop',
      number: SHOP_NUMBER,
      settings: { rejectCall: true, msgCall: 'I am busy.', groupsIgnore: false, readMessages: true, ...FLAGS_OFF },
      webhook: {
        enabled: true,
        url: 'https://hooks.example/shop',
        headers: { authorization: 'Bearer 1' },
        events: ['MESSAGES_UPSERT', 'QRCODE_UPDATED'],
        byEvents: true,
        base64: false,
      },
      proxy: { ...proxy, port: 8080 },
    });
    const droppedCounts = dropped.map(({ type, count }) => [type, count]);
    expect(droppedCounts).toEqual(
      expect.arrayContaining([
        ['wavoipToken', 1],
        ['Websocket', 1],
        ['Kafka', 1],
        ['Typebot', 2],
      ]),
    );
    expect(dropped.map(({ type }) => type)).not.toContain('Rabbitmq');
  });

  it('openEvolution() finds both default Redis prefixes and asks for one when both have the same instance', async () => {
    const installation = await install('PostgreSQL');
    const { redis, tables } = installation;
    const ids = [randomUUID(), randomUUID()];
    for (const [index, id] of ids.entries())
      await tables.insert('Instance', instanceRow({ id, name: `shop ${index}` }));
    const state = stateOf('baileys 7.0.0-rc14');
    const [first = '', second = ''] = ids;
    const hashes = [
      await writeRedisHash(redis, { prefix: 'evolution', name: first }, state),
      await writeRedisHash(redis, { prefix: 'evolution-cache', name: second }, state),
    ];
    onTestFinished(async () => void (await redis.del(hashes)));
    const source = await openInstallation(installation, { redisPrefix: undefined });
    expect((await listSessions(source)).map(({ counts }) => counts)).toEqual([countsOf(state), countsOf(state)]);
    hashes.push(await writeRedisHash(redis, { prefix: 'evolution-cache', name: first }, state));
    expect((await findSession(source, 'shop 0')).problem).toContain('choose one with --redis-prefix');
  });

  describe('different database schemas', () => {
    it('openEvolution() reads a database that lacks optional columns and tables', async () => {
      const installation = await install('PostgreSQL', '2.0');
      for (const column of ['token', 'number', 'integration'])
        await installation.tables.execute(`ALTER TABLE "Instance" DROP COLUMN "${column}"`);
      await installation.tables.execute('DROP TABLE "Proxy"');
      const { name, id, connectionStatus } = instanceRow();
      await installation.tables.insert('Instance', { id, name, connectionStatus });
      await writeRedisHash(installation.redis, { prefix: installation.prefix, name: id }, stateOf('baileys 6.7.21'));
      const { bundle } = await (await findSession(await openInstallation(installation), 'shop')).read();
      expect(parseBundle(bundle).instance).toEqual({ name: 'shop' });
    });

    it.each(DATABASES)('openEvolution() rejects a database in %s without the table Session', async (database) => {
      const installation = await install(database);
      await installation.tables.execute(database === 'MariaDB' ? 'DROP TABLE `Session`' : 'DROP TABLE "Session"');
      await expect(openInstallation(installation)).rejects.toThrow(
        /has no tables Instance and Session of Evolution API 2/,
      );
    });

    it('openEvolution() suggests ?schema= when the PostgreSQL schema is wrong', async () => {
      const installation = await install('PostgreSQL');
      const database = installation.url.replace('evolution_api', 'public');
      await expect(openInstallation(installation, { database })).rejects.toThrow('?schema=');
    });
  });

  it('openEvolution() leaves no transaction open after it lists the sessions', async () => {
    const installation = await install('PostgreSQL');
    await writeEvolution2(installation, 'all in Redis', instanceRow(), stateOf('baileys 7.0.0-rc14'));
    const source = await openInstallation(installation);
    await listSessions(source);
    const client = new Client({ connectionString: installation.url });
    await client.connect();
    onTestFinished(() => client.end());
    const { rows } = await client.query(
      `SELECT state FROM pg_stat_activity WHERE application_name = 'messaging-gateway-import'
       AND datname = current_database()`,
    );
    expect(rows).toEqual([{ state: 'idle' }]);
  });
});
