// Sessions of Evolution API 1 in folders, in a real Redis, and in a MongoDB server that the tests simulate. They have
// never run with MongoDB itself.
import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { Source, SourceOptions } from '../../packages/import/src/session/source.ts';
import { openEvolution1 } from '../../packages/import/src/sources/evolution-1.ts';
import { createSandbox, type Sandbox } from '../../packages/sandbox/src/sandbox.ts';
import { parseBundle } from '../../src/session-bundle/parse.ts';
import { type Installation1, installEvolution1 } from '../support/evolution-installation.ts';
import {
  type ClientState,
  LAYOUTS_1,
  type Layout1,
  putDocument,
  writeEvolution1,
} from '../support/evolution-layouts.ts';
import { addClosedChains } from '../support/long-conversation.ts';
import { type MongoServer, startMongoServer } from '../support/mongo-server.ts';
import { createOldState } from '../support/old-states.ts';
import { freePort } from '../support/port.ts';
import { describeWithServices, REDIS_URL } from '../support/services.ts';
import { bundleOf, countsOf, findSession, listSessions } from '../support/source-sessions.ts';

const NUMBER = '15550004011';
const LAYOUTS = Object.keys(LAYOUTS_1) as Layout1[];
const WEBHOOK = { url: 'https://hooks.example/shop', enabled: true, events: ['MESSAGES_UPSERT'] };
const SETTINGS = {
  apikey: 'key-of-shop',
  webhook: { ...WEBHOOK, webhook_by_events: true, webhook_base64: false },
  settings: { reject_call: true, msg_call: 'I am busy.', groups_ignore: false, always_online: true },
  proxy: { enabled: true, proxy: { host: 'proxy.example', port: '8080', protocol: 'http' } },
  rabbitmq: { enabled: true, events: [] },
};

await describeWithServices(['Redis'], 'Evolution API 1', () => {
  let sandbox: Sandbox;
  let state: ClientState;

  beforeAll(async () => {
    sandbox = await createSandbox({ tlsPort: false });
    state = await createOldState(sandbox, 'baileys 6.7.21', NUMBER);
  });
  afterAll(() => sandbox.close());

  async function install(): Promise<Installation1> {
    const installation = await installEvolution1();
    onTestFinished(installation.remove);
    return installation;
  }

  async function openWith(options: SourceOptions): Promise<Source> {
    const source = await openEvolution1(options);
    onTestFinished(() => source.close());
    return source;
  }

  async function serve({ mongo }: Installation1): Promise<MongoServer> {
    const server = await startMongoServer(mongo);
    onTestFinished(server.close);
    return server;
  }

  /** Opens the source with the stores that the layout uses. */
  async function open(installation: Installation1, layout: Layout1): Promise<Source> {
    const { root, prefix } = installation;
    const redis = layout.includes('Redis') ? { redis: REDIS_URL, redisPrefix: prefix } : {};
    const mongo = layout.includes('MongoDB') ? { mongo: (await serve(installation)).url } : {};
    return openWith({ path: join(root, 'instances'), ...redis, ...mongo });
  }

  it.each(
    LAYOUTS,
  )('openEvolution1() reads a complete session with token, webhook, settings and proxy (%s)', async (layout) => {
    const installation = await install();
    await writeEvolution1(installation, layout, 'shop', SETTINGS, state);
    const session = await findSession(await open(installation, layout), 'shop');
    expect(session.problem).toBeUndefined();
    expect(session).toMatchObject({ account: `${NUMBER}@s.whatsapp.net`, counts: countsOf(state) });
    expect(session.isConnected).toBeUndefined();
    const { bundle, dropped } = await session.read();
    const expected = bundleOf(state);
    expect(bundle).toMatchObject({ credentials: expected.credentials, keys: expected.keys, source: 'evolution-api 1' });
    expect(dropped).toEqual([...expected.dropped, expect.objectContaining({ type: 'rabbitmq', count: 1 })]);
    expect(parseBundle(bundle).instance).toEqual({
      name: 'shop',
      token: 'key-of-shop',
      settings: { rejectCall: true, msgCall: 'I am busy.', groupsIgnore: false, alwaysOnline: true },
      webhook: { ...WEBHOOK, byEvents: true, base64: false },
      proxy: { protocol: 'http', host: 'proxy.example', port: 8080 },
    });
  });

  it.each(LAYOUTS)('openEvolution1() reads the Signal session of a long conversation (%s)', async (layout) => {
    const installation = await install();
    const longState = { ...state, keys: new Map(structuredClone([...state.keys])) };
    const [name = ''] = [...longState.keys.keys()].filter((key) => key.startsWith('session-'));
    addClosedChains(longState.keys.get(name));
    await writeEvolution1(installation, layout, 'shop', SETTINGS, longState);
    const session = await findSession(await open(installation, layout), 'shop');
    expect(session.problem).toBeUndefined();
    const { bundle } = await session.read();
    expect(parseBundle(bundle).keys).toEqual(bundleOf(longState).keys);
  });

  it('openEvolution1() sends only reading commands to MongoDB', async () => {
    const installation = await install();
    await writeEvolution1(installation, 'all in MongoDB', 'shop', SETTINGS, state);
    const server = await serve(installation);
    await (await findSession(await openWith({ mongo: server.url }), 'shop')).read();
    const READING_COMMANDS = [
      'hello',
      'ismaster',
      'isMaster',
      'find',
      'listDatabases',
      'listCollections',
      'ping',
      'endSessions',
    ];
    expect(server.commands.filter((command) => !READING_COMMANDS.includes(command))).toEqual([]);
    expect(server.commands).toContain('find');
  });

  it('openEvolution1() accepts the parent of the folder instances and lists several instances', async () => {
    const installation = await install();
    for (const name of ['shop 1', 'shop 2'])
      await writeEvolution1(installation, 'files', name, { apikey: `key-of-${name.replace(' ', '-')}` }, state);
    const found = await listSessions(await openWith({ path: installation.root }));
    expect(found.map(({ name }) => name)).toEqual(['shop 1', 'shop 2']);
    expect((await found[1]?.read())?.bundle.instance).toMatchObject({ name: 'shop 2', token: 'key-of-shop-2' });
  });

  it('openEvolution1() finds a session under a default Redis prefix and ignores other keys', async () => {
    const installation = await install();
    const name = `shop-${randomUUID()}`;
    await writeEvolution1({ ...installation, prefix: 'evolution' }, 'all in Redis', name, { apikey: 'key' }, state);
    onTestFinished(async () => {
      await installation.redis.del(`evolution:instance:${name}`, `evolution:text-${name}`, `evolution:baileys:${name}`);
    });
    // Keys of other modules and of other Redis types are not sessions.
    await installation.redis.set(`evolution:text-${name}`, 'x');
    await installation.redis.hset(`evolution:baileys:${name}`, 'creds', 'x');
    const source = await openWith({ redis: REDIS_URL });
    expect((await findSession(source, name)).counts).toEqual(countsOf(state));
    const others = (await listSessions(source)).filter((session) => session.name.includes(name));
    expect(others).toHaveLength(1);
  });

  it('openEvolution1() names the missing option when credentials and keys are in different stores', async () => {
    const installation = await install();
    await writeEvolution1(installation, 'creds in MongoDB, keys in files', 'shop', SETTINGS, state);
    const folder = join(installation.root, 'instances');
    expect((await findSession(await openWith({ path: folder }), 'shop')).problem).toMatch(/no credentials.*--mongo/);
    const { url } = await serve(installation);
    expect((await findSession(await openWith({ mongo: url }), 'shop')).problem).toMatch(/not the keys.*--path/);
  });

  it('openEvolution1() reports a missing creds.json, and a damaged one with its path', async () => {
    const installation = await install();
    await writeEvolution1(installation, 'files', 'shop', SETTINGS, state);
    const file = join(installation.root, 'instances', 'shop', 'creds.json');
    writeFileSync(file, '{"noiseKey":{');
    expect((await findSession(await open(installation, 'files'), 'shop')).problem).toContain(
      `${file} is no valid JSON`,
    );
    rmSync(file);
    expect((await findSession(await open(installation, 'files'), 'shop')).problem).toContain(
      'no credentials are found',
    );
  });

  it('openEvolution1() rejects a session with a MongoDB document of over 16 MiB', async () => {
    const installation = await install();
    await writeEvolution1(installation, 'all in MongoDB', 'shop', SETTINGS, state);
    putDocument(installation.mongo, ['evolution-instances', 'shop', 'session-1.0'], { text: 'x'.repeat(16 * 2 ** 20) });
    const session = await findSession(await open(installation, 'all in MongoDB'), 'shop');
    await expect(session.read()).rejects.toThrow(/document session-1\.0 of the instance shop in MongoDB is larger/);
  });

  it('openEvolution1() rejects a MongoDB server with no database of Evolution API or with two of them', async () => {
    const installation = await install();
    await expect(openWith({ mongo: (await serve(installation)).url })).rejects.toThrow('has no database such as');
    for (const prefix of ['a', 'b']) putDocument(installation.mongo, [`${prefix}-instances`, 'shop', 'creds'], {});
    await expect(openWith({ mongo: (await serve(installation)).url })).rejects.toThrow('a-instances, b-instances');
  });

  it('openEvolution1() rejects missing options, a wrong folder and an unusable MongoDB address', async () => {
    const { root } = await install();
    await expect(openWith({})).rejects.toThrow('needs --path, --redis or --mongo');
    await expect(openWith({ path: root })).rejects.toThrow('is not the folder instances of Evolution API');
    await expect(openWith({ mongo: 'secret-word' })).rejects.toThrow(/^--mongo is not an address such as mongodb:/);
    const port = await freePort();
    const closed = openWith({ mongo: `mongodb://user:secret-word@127.0.0.1:${port}/?serverSelectionTimeoutMS=100` });
    await expect(closed).rejects.toThrow(`No MongoDB server answers at 127.0.0.1:${port}.`);
  });
});
