// Starts of the gateway with damaged rows or without its database. Linked instances stay linked.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Api, at, createApi } from '../support/api.ts';
import { emptyFolder } from '../support/folder.ts';
import { isEvent, KEY } from '../support/gateway.ts';
import {
  createLinkedStore,
  type LinkedStore,
  nameOf,
  numberOf,
  startGatewayProcess,
  waitUntilOpen,
} from '../support/linked-processes.ts';
import { freePort } from '../support/port.ts';
import { startPostgres } from '../support/postgres.ts';
import { run } from '../support/process.ts';
import { startReceiver } from '../support/receiver.ts';

/** Runs SQL on the database of a stopped gateway. */
function alter({ dataDir }: LinkedStore, ...statements: string[]): void {
  const database = new DatabaseSync(join(dataDir, 'gateway.db'));
  for (const sql of statements) database.exec(sql);
  database.close();
}

const damagedValue = `value = CAST(substr(value, 1, length(value) - 4) || x'00000000' AS BLOB)`;

const fetchRecord = async (api: Api, name: string) =>
  at((await api('GET', `/instance/fetchInstances?instanceName=${name}`)).body, '0');

describe('starts with damaged rows', () => {
  it('a gateway with damaged rows opens all other instances, reports the damage, and does not overwrite the rows', async () => {
    const place = await createLinkedStore(4);
    alter(
      place,
      `UPDATE auth_key SET ${damagedValue} WHERE instance = 'id-1'`,
      `UPDATE instance SET token = x'00' WHERE id = 'id-2'`,
      `UPDATE webhook SET secrets = x'00' WHERE instance = 'id-3'`,
    );
    const { program, api } = await startGatewayProcess(place);
    await program.line(/gateway.restored/);
    for (const n of [2, 3, 4]) await waitUntilOpen(program, n);
    expect(await fetchRecord(api, nameOf(1))).toMatchObject({
      connectionStatus: 'close',
      phase: 'blocked',
      cause: 'unreadable',
      userAction: expect.stringContaining('encryption key'),
    });
    const logged = program.lines.filter((line) => line.includes('storage.decryption.failed'));
    expect(logged.map((line) => at(JSON.parse(line), 'what')).toSorted()).toEqual(['instance key', 'webhook']);
    // The key of instance 2 is lost. The global key still gives access to it.
    const withInstanceKey = createApi(api.url, 'key-of-2');
    expect((await withInstanceKey('GET', `/instance/connectionState/${nameOf(2)}`)).status).toBe(401);
    expect((await api('GET', `/instance/connectionState/${nameOf(2)}`)).body).toMatchObject({
      instance: { state: 'open' },
    });
    expect((await createApi(api.url, 'key-of-4')('GET', `/instance/connectionState/${nameOf(4)}`)).status).toBe(200);
    expect(await program.stop()).toBe(0);
    // The gateway has not overwritten the damaged values.
    const database = new DatabaseSync(join(place.dataDir, 'gateway.db'));
    onTestFinished(() => database.close());
    expect(database.prepare(`SELECT token FROM instance WHERE id = 'id-2'`).get()).toEqual({
      token: new Uint8Array(1),
    });
    const rows = database.prepare(`SELECT substr(hex(value), -8) AS tail FROM auth_key WHERE instance = 'id-1'`);
    expect(rows.all()).toEqual([{ tail: '00000000' }]);
  });
});

describe('damaged Signal sessions', () => {
  it('a gateway recovers the messages of a contact with a damaged Signal session, and all others arrive as before', async () => {
    const receiver = await startReceiver();
    onTestFinished(() => receiver.stop());
    const place = await createLinkedStore(1, { hook: receiver.url });
    const { phones } = place.sandbox;
    const [damagedContact, otherContact] = ['15550018601', '15550018602'];
    const waitForText = (text: string) =>
      receiver.next(({ body }) => isEvent(body, 'messages.upsert') && at(body, 'data.message.conversation') === text);
    const first = await startGatewayProcess(place);
    await waitUntilOpen(first.program);
    for (const number of [damagedContact, otherContact]) {
      // Both sides write, so that later messages no longer carry the prekey data that creates a session.
      await phones.phone(number).send(numberOf(1), { text: `first of ${number}` });
      await waitForText(`first of ${number}`);
      await first.api('POST', `/message/sendText/${nameOf(1)}`, { number, textMessage: { text: 'hello' } });
    }
    await first.program.stop();
    const { lid } = place.sandbox.world.account(damagedContact);
    alter(
      place,
      `UPDATE auth_key SET ${damagedValue} WHERE type = 'session' AND (id LIKE '${damagedContact}%' OR id LIKE '${lid}%')`,
    );

    await phones.phone(damagedContact).send(numberOf(1), { text: 'through the damage' });
    await phones.phone(otherContact).send(numberOf(1), { text: 'beside the damage' });
    const second = await startGatewayProcess(place);
    await second.program.line(/session\.key\.damaged/);
    await Promise.all([waitForText('through the damage'), waitForText('beside the damage')]);
    const answer = { number: damagedContact, textMessage: { text: 'all is well' } };
    expect((await second.api('POST', `/message/sendText/${nameOf(1)}`, answer)).status).toBe(201);
    const phone = phones.phone(damagedContact);
    await phone.waitFor(() => phone.messages().some(({ text }) => text === 'all is well'));
    expect(second.program.lines.filter((line) => line.includes('"to":"open"'))).toHaveLength(1);
  });
});

describe('starts without the PostgreSQL server', () => {
  it('a gateway waits for its PostgreSQL server at the start, and exits with 78 when the database does not exist', async () => {
    const server = await startPostgres();
    onTestFinished(() => server.stop());
    const place = await createLinkedStore(1, { databaseUrl: await server.createDatabase() });
    await server.halt();
    const { program, api } = await startGatewayProcess(place);
    expect(await program.line(/storage\.open\.retried/)).toContain('ECONNREFUSED');
    await server.resume();
    await waitUntilOpen(program, 1);
    expect((await api('GET', '/readyz')).status).toBe(200);
    expect(program.lines.some((line) => line.includes('"to":"pairing"'))).toBe(false);
    const wrong = new URL(place.databaseUrl ?? '');
    wrong.pathname = '/nowhere';
    const withoutDatabase = await startGatewayProcess({ ...place, databaseUrl: wrong.href });
    expect(await withoutDatabase.program.ended).toBe(78);
    expect(withoutDatabase.program.lines.at(-1)).toMatch(
      /^messaging-gateway: The database nowhere at .* cannot be used \(3D000\)/,
    );
  });

  it('a gateway exits with 69 and an explanation when PostgreSQL does not answer within DATABASE_WAIT', async () => {
    const dataDir = emptyFolder();
    const port = await freePort();
    const env = { DATA_DIR: dataDir, API_KEY: KEY, DATABASE_URL: `postgres://u:secret@127.0.0.1:${port}/d` };
    const program = run(['src/server.ts'], { ...env, DATABASE_WAIT: '1500' });
    expect(await program.ended).toBe(69);
    expect(program.lines.at(-1)).toBe(
      `messaging-gateway: The database d at 127.0.0.1:${port} cannot be used (ECONNREFUSED). Start it, or check DATABASE_URL; the start waited 1500 ms for it.`,
    );
    expect(program.lines.join()).not.toContain('secret');
  });
});
