import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { at } from '../support/api.ts';
import { isEvent, isState, isTransition, startWorld, type World } from '../support/gateway.ts';

const mine = '15550004001';
const contact = '15550004002';

async function startLinked(env?: Record<string, string>): Promise<World> {
  const world = await startWorld({ env });
  await world.link('shop', mine);
  world.expectErrors(/stream errored out/, /unexpected error/);
  return world;
}

/** The number of rows in each table with data of instances, without the audit log. The gateway must be stopped. */
function rowsPerTable(dataDir: string): Record<string, number> {
  const database = new DatabaseSync(join(dataDir, 'gateway.db'), { readOnly: true });
  try {
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
    const owned = tables
      .map(({ name }) => String(name))
      .filter((name) => !/^(fact|audit|schema_version|sqlite_\w+)$/.test(name));
    const count = (table: string) => database.prepare(`SELECT count(*) AS n FROM "${table}"`).get()?.n;
    return Object.fromEntries(owned.map((table) => [table, Number(count(table))]));
  } finally {
    database.close();
  }
}

const fetchRecord = async (world: World) =>
  ((await world.api('GET', '/instance/fetchInstances?instanceName=shop')).body as unknown[])[0];

describe('close codes of the platform', () => {
  it.each([
    [515, 'restart_required'],
    [428, 'transient'],
    [503, 'transient'],
    [500, 'transient'],
  ])('an instance reconnects after close code %i (%s) and sends again', async (code) => {
    const world = await startLinked();
    const linesBefore = world.log.length;
    const connectionBefore = world.sandbox.world.companion(`${mine}:1@s.whatsapp.net`)?.connection?.id;
    world.sandbox.faults.add({ kind: 'close', number: mine, code });
    await world.logged((line) => isTransition(line, 'open'), linesBefore);
    const sent = await world.api('POST', '/message/sendText/shop', { number: contact, textMessage: { text: 'back' } });
    expect(sent.status).toBe(201);
    expect(world.sandbox.world.companion(`${mine}:1@s.whatsapp.net`)?.connection?.id).not.toBe(connectionBefore);
  });

  it.each([
    [440, 'replaced'],
    [402, 'banned'],
    [405, 'outdated'],
    [409, 'outdated'],
    [411, 'incompatible'],
  ])('an instance stays closed after close code %i and reports the cause %s', async (code, cause) => {
    const world = await startLinked();
    world.sandbox.faults.add({ kind: 'close', number: mine, code });
    const closed = await world.receiver.next((post) => isState(post.body, 'shop', 'close'));
    expect(at(closed.body, 'data')).toMatchObject({
      statusReason: code,
      cause,
      message: expect.any(String),
      userAction: expect.any(String),
    });
    expect(await fetchRecord(world)).toMatchObject({ connectionStatus: 'close', disconnectionReasonCode: code, cause });
    expect(world.sandbox.connections().total).toBe(0);
  });

  it.each([
    [401],
    [403],
    [406],
  ])('close code %i wipes the credentials of an instance, and a new QR code can be requested', async (code) => {
    const world = await startLinked();
    world.sandbox.faults.add({ kind: 'close', number: mine, code });
    await world.receiver.next((post) => isEvent(post.body, 'logout.instance', 'shop'));
    expect(await fetchRecord(world)).toMatchObject({ connectionStatus: 'close', cause: 'logged_out' });
    const connect = await world.api('GET', '/instance/connect/shop');
    expect(connect.body).toMatchObject({ code: expect.stringContaining('2@') });
  });

  it('an instance logs out when the phone removes its device', async () => {
    const world = await startLinked();
    const companion = world.sandbox.world.companion(`${mine}:1@s.whatsapp.net`);
    if (!companion) throw new Error('no companion');
    world.sandbox.pairing.unlink(companion);
    await world.receiver.next((post) => isEvent(post.body, 'logout.instance', 'shop'));
  });

  it('an instance retries while the platform refuses the upgrade, and opens when the platform accepts it again', async () => {
    const world = await startLinked();
    const linesBefore = world.log.length;
    world.sandbox.faults.add({ kind: 'http', code: 503 });
    world.sandbox.faults.add({ kind: 'close', number: mine, code: 428 });
    await world.logged((line) => isTransition(line, 'open'), linesBefore);
    const attempts = world.log.slice(linesBefore).filter((line) => isTransition(line, 'connecting'));
    expect(attempts).toHaveLength(2);
  });
});

describe('PUT /instance/restart', () => {
  it('PUT /instance/restart reopens the same link and answers the state open', async () => {
    const world = await startLinked();
    const restarted = await world.api('PUT', '/instance/restart/shop');
    expect(restarted).toMatchObject({ status: 200, body: { instance: { instanceName: 'shop', state: 'open' } } });
    expect((await world.api('POST', '/instance/restart/shop')).status).toBe(200);
  });
});

describe('DELETE /instance/logout', () => {
  it('DELETE /instance/logout unlinks the device, keeps the record of the instance, and allows a new link', async () => {
    const world = await startLinked();
    const loggedOut = await world.api('DELETE', '/instance/logout/shop');
    expect(loggedOut.status).toBe(200);
    expect(loggedOut.body).toMatchObject({
      status: 'SUCCESS',
      error: false,
      response: { message: 'Instance logged out' },
    });
    expect(world.sandbox.world.companion(`${mine}:1@s.whatsapp.net`)).toBeUndefined();
    expect(await fetchRecord(world)).toMatchObject({ connectionStatus: 'close', name: 'shop' });
    const secondLogout = await world.api('DELETE', '/instance/logout/shop');
    expect(secondLogout).toMatchObject({
      status: 400,
      body: { response: { message: ['The "shop" instance is not connected'] }, code: 'INSTANCE_NOT_CONNECTED' },
    });
    expect((await world.api('GET', '/instance/connect/shop')).body).toMatchObject({ count: 1 });
  });
});

describe('DELETE /instance/delete', () => {
  it('DELETE /instance/delete unlinks the device and removes the instance, also after a restart', async () => {
    const world = await startLinked();
    const deleted = await world.api('DELETE', '/instance/delete/shop');
    expect(deleted.body).toMatchObject({ status: 'SUCCESS', error: false, response: { message: 'Instance deleted' } });
    expect(world.sandbox.world.companion(`${mine}:1@s.whatsapp.net`)).toBeUndefined();
    const after = await world.api('GET', '/instance/connectionState/shop');
    expect(after).toMatchObject({
      status: 404,
      body: { response: { message: ['The "shop" instance does not exist'] } },
    });
    await world.restart();
    expect((await world.api('GET', '/instance/fetchInstances')).body).toEqual([]);
  });

  it('DELETE /instance/delete leaves no row of the instance in any table, including undelivered posts', async () => {
    const world = await startLinked();
    const dead = { enabled: true, url: 'http://127.0.0.1:9/nobody' };
    expect((await world.api('POST', '/webhook/set/shop', dead)).status).toBe(201);
    await world.api('POST', '/message/sendText/shop', { number: contact, textMessage: { text: 'out' } });
    await world.sandbox.phones.phone(contact).send(mine, { text: 'in' });
    await world.logged(({ msg, next }) => msg === 'webhook.attempted' && next !== 'delivered');
    expect((await world.api('DELETE', '/instance/delete/shop')).status).toBe(200);
    await world.gateway.stop();
    const remainingRows = rowsPerTable(world.dataDir);
    expect(Object.keys(remainingRows)).toEqual(
      expect.arrayContaining(['instance', 'auth_key', 'message', 'event', 'delivery']),
    );
    expect(Object.entries(remainingRows).filter(([, rows]) => rows > 0)).toEqual([]);
  });
});
