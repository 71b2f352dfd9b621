// Linked Baileys clients move to a PostgreSQL database of whatsmeow and back, and continue their conversations.
import { type BinaryNode, initAuthCreds } from '@whiskeysockets/baileys';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { SessionContents, Source } from '../../packages/import/src/session/source.ts';
import type { WriteReport } from '../../packages/import/src/session/target.ts';
import { openWhatsmeow } from '../../packages/import/src/sources/whatsmeow.ts';
import { openWhatsmeowTarget } from '../../packages/import/src/targets/whatsmeow.ts';
import { createMovingSession } from '../../packages/import/test/support/whatsmeow-bundle.ts';
import { GroupStage, type Member } from '../../packages/sandbox/test/group-setup.ts';
import { RealClient } from '../../packages/sandbox/test/real-client.ts';
import { fromBaileys, toBaileys } from '../../src/session-bundle/baileys.ts';
import { BUNDLE_FORMAT, BUNDLE_VERSION, type SessionBundle } from '../../src/session-bundle/bundle.ts';
import { installLibsignalConsole } from '../../src/whatsapp/baileys/patches/libsignal-console.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';

let stage: GroupStage;

beforeAll(async () => {
  installLibsignalConsole();
  stage = await GroupStage.open(15_550_008_001);
});
afterAll(() => stage.sandbox.close());
afterEach(() => stage.disconnectClients());

/** Converts the credentials and keys of a client to a bundle. */
function bundleOf({ identity: { creds, keys } }: Member): SessionBundle {
  const stored = Array.from(keys, ([name, value]) => {
    const [type = '', id = ''] = name.split(/\|(.*)/s);
    return { type, id, value };
  });
  const { credentials, keys: converted } = fromBaileys({ creds, keys: stored });
  return {
    format: BUNDLE_FORMAT,
    version: BUNDLE_VERSION,
    createdAt: new Date().toISOString(),
    source: 'test',
    instance: { name: 'moving' },
    credentials,
    keys: converted,
  };
}

async function write(location: string, ...bundles: SessionBundle[]): Promise<WriteReport[]> {
  const target = await openWhatsmeowTarget({ location });
  const reports: WriteReport[] = [];
  for (const bundle of bundles) reports.push(await target.write(bundle));
  await target.close();
  return reports;
}

async function read(database: string): Promise<{ source: Source; sessions: SessionContents[] }> {
  const source = await openWhatsmeow({ database });
  const sessions: SessionContents[] = [];
  for await (const session of source.find()) sessions.push(await session.read());
  await source.close();
  return { source, sessions };
}

/** Opens a client with the credentials and keys of a bundle. */
async function connect({ credentials, keys }: SessionBundle): Promise<RealClient> {
  const session = toBaileys({ credentials, keys });
  const creds = Object.assign(initAuthCreds(), session.creds);
  const stored = new Map(session.keys.map(({ type, id, value }) => [`${type}|${id}`, value]));
  const client = new RealClient(stage.sandbox, { creds, keys: stored });
  await client.open();
  return client;
}

/** Records the encryption of each message for the client, and the messages for which it gets a retry receipt. */
function observe({ sock }: RealClient): { encryptions: string[]; retries: string[] } {
  const observed = { encryptions: [] as string[], retries: [] as string[] };
  sock.ws.on('CB:message', ({ content }: BinaryNode) => {
    for (const child of Array.isArray(content) ? content : []) {
      if (child.tag === 'enc') observed.encryptions.push(child.attrs.type ?? '');
    }
  });
  sock.ws.on('CB:receipt', ({ attrs }: BinaryNode) => {
    if (attrs.type === 'retry') observed.retries.push(attrs.id ?? '');
  });
  return observed;
}

const textOf = async (client: RealClient, id: string) => {
  const { message } = await client.message(id);
  return message.message?.conversation ?? message.message?.extendedTextMessage?.text;
};

const jidOf = ({ account }: Member) => `${account.number}@s.whatsapp.net`;

async function exchange(first: RealClient, second: RealClient, jids: [one: string, other: string]): Promise<void> {
  const [question, answer] = [
    await first.sock.sendMessage(jids[1], { text: 'question' }),
    await second.sock.sendMessage(jids[0], { text: 'answer' }),
  ];
  expect(await textOf(second, question?.key.id ?? '')).toBe('question');
  expect(await textOf(first, answer?.key.id ?? '')).toBe('answer');
}

describe('conversations of a linked client', () => {
  it('a linked client continues its conversations after a move to whatsmeow and back, without retry receipts', async () => {
    const mover = await stage.member();
    const ben = await stage.member();
    const cleo = await stage.member();
    const group = stage.phone().createGroup(
      'Friends',
      [mover, ben, cleo].map(({ account }) => account.number),
    );
    for (let round = 0; round < 3; round++) await exchange(mover.client, ben.client, [jidOf(mover), jidOf(ben)]);
    // The mover has not answered Cleo, so her next message is a pre-key message again.
    const greeting = await cleo.send(jidOf(mover), 'hello');
    expect(await textOf(mover.client, greeting)).toBe('hello');
    for (const sender of [mover, ben]) {
      const id = await sender.send(group.id, 'hello all');
      for (const reader of [mover, ben, cleo]) if (reader !== sender) await textOf(reader.client, id);
    }

    await mover.sock.end(undefined);
    const waiting = await ben.send(jidOf(mover), 'sent during the move');
    const database = await sharedPostgres().createDatabase();
    const before = bundleOf(mover);
    const [report] = await write(database, before);
    const { source, sessions } = await read(database);
    expect(source.title).toBe('whatsmeow (PostgreSQL, schema version 15)');
    const [moved] = sessions;
    if (!moved || !report) throw new Error('no session');
    expect([...report.dropped, ...moved.dropped].map(({ type }) => type)).not.toContain('skipped message keys');
    expect(Object.keys(moved.bundle.keys.sessions).sort()).toEqual(Object.keys(before.keys.sessions).sort());
    expect(moved.bundle.keys.senderKeys).toEqual(before.keys.senderKeys);
    expect(moved.bundle.keys.lidMap).toEqual(before.keys.lidMap);

    const back = await connect(moved.bundle);
    const observations = [observe(back), observe(ben.client), observe(cleo.client)];
    expect(await textOf(back, waiting)).toBe('sent during the move');
    for (let round = 0; round < 3; round++) await exchange(back, ben.client, [jidOf(mover), jidOf(ben)]);
    await exchange(back, cleo.client, [jidOf(mover), jidOf(cleo)]);
    const sent = await back.sock.sendMessage(group.id, { text: 'back again' });
    for (const { client } of [ben, cleo]) expect(await textOf(client, sent?.key.id ?? '')).toBe('back again');
    const received = await ben.send(group.id, 'welcome');
    expect(await textOf(back, received)).toBe('welcome');
    expect(observations.flatMap(({ retries }) => retries)).toEqual([]);
    // Ben answered before the move, so no message between the two needs a prekey again.
    expect(observations[1]?.encryptions.filter((type) => type === 'pkmsg')).toEqual([]);
    await back.sock.end(undefined);
  });
});

describe('a PostgreSQL database of whatsmeow', () => {
  it('a whatsmeow session counts as connected while another program uses its PostgreSQL database', async () => {
    const database = await sharedPostgres().createDatabase();
    await write(database, (await createMovingSession()).bundle);
    const program = new Client({ connectionString: database });
    await program.connect();
    const source = await openWhatsmeow({ database });
    const states = async () => {
      const connectionStates = [];
      for await (const { isConnected } of source.find()) connectionStates.push(isConnected);
      return connectionStates;
    };
    expect(await states()).toEqual([true]);
    await program.end();
    // The server counts a client until its process has ended.
    await expect.poll(states).toEqual([false]);
    await source.close();
  });

  it('a whatsmeow database has the same rows after its sessions are read and written again', async () => {
    const { createDatabase, execute } = sharedPostgres();
    const [first, second, third] = [await createDatabase(), await createDatabase(), await createDatabase()];
    const bundles = [(await createMovingSession()).bundle, (await createMovingSession('4915187654321')).bundle];
    await write(first, ...bundles);
    await write(second, ...(await read(first)).sessions.map(({ bundle }) => bundle));
    await write(third, ...(await read(second)).sessions.map(({ bundle }) => bundle));
    const tables = await execute(first, "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'");
    expect(tables).toHaveLength(17);
    for (const { name } of tables as { name: string }[]) {
      const sql = `SELECT * FROM ${name} ORDER BY 1, 2`;
      expect(await execute(third, sql), name).toEqual(await execute(second, sql));
    }
    expect(await execute(third, 'SELECT version, compat FROM whatsmeow_version')).toEqual([{ version: 15, compat: 8 }]);
  });

  it('openWhatsmeow() counts damaged rows and reads more keys than one page has', async () => {
    const { createDatabase, execute } = sharedPostgres();
    const database = await createDatabase();
    const { bundle } = await createMovingSession();
    await write(database, bundle);
    const jid = "'4915112345678:7@s.whatsapp.net'";
    await execute(
      database,
      `INSERT INTO whatsmeow_sessions SELECT ${jid}, i || ':0', 'garbage'::bytea FROM generate_series(1, 2500) i;
       INSERT INTO whatsmeow_pre_keys SELECT ${jid}, i, decode(lpad(to_hex(i), 64, '1'), 'hex'), true FROM generate_series(100, 2599) i;
       INSERT INTO whatsmeow_lid_map SELECT '9' || i, '8' || i FROM generate_series(10000, 12499) i`,
    );
    const [session] = (await read(database)).sessions;
    expect(session?.dropped).toContainEqual({
      type: 'whatsmeow_sessions',
      count: 2500,
      reason: 'The rows are damaged.',
    });
    expect(Object.keys(session?.bundle.keys.preKeys ?? {})).toHaveLength(2503);
    expect(Object.keys(session?.bundle.keys.lidMap ?? {})).toHaveLength(2502);
    expect(Object.keys(session?.bundle.keys.sessions ?? {})).toHaveLength(2);
    expect(session?.bundle.credentials).toMatchObject({ nextPreKeyId: 2600, firstUnuploadedPreKeyId: 31 });
  });

  it('a whatsmeow target rolls back a failed write and rejects an existing device and a foreign database', async () => {
    const { createDatabase, execute } = sharedPostgres();
    const database = await createDatabase();
    const { bundle } = await createMovingSession();
    bundle.keys.preKeys['1'] = { private: 'AAAA', public: 'AAAA' };
    const target = await openWhatsmeowTarget({ location: database });
    await expect(target.write(bundle)).rejects.toThrow('check constraint');
    delete bundle.keys.preKeys['1'];
    const session = { name: 'shop', account: '4915112345678@s.whatsapp.net', device: bundle.credentials.me.id };
    expect(await target.has?.(session)).toBe(false);
    await target.write(bundle);
    expect(await target.has?.(session)).toBe(true);
    await expect(target.write(bundle)).rejects.toThrow('already');
    await target.close();
    await execute(database, 'UPDATE whatsmeow_version SET version = 14');
    await expect(openWhatsmeowTarget({ location: database })).rejects.toThrow('have version 14');
    await execute(database, 'DROP SCHEMA public CASCADE; CREATE SCHEMA public; CREATE TABLE notes (text TEXT)');
    await expect(openWhatsmeowTarget({ location: database })).rejects.toThrow('not empty');
    await expect(openWhatsmeow({ database })).rejects.toThrow('no table whatsmeow_device');
  });
});
