import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { at } from '../support/api.ts';
import { isEvent, isState, isTransition, startWorld, type World } from '../support/gateway.ts';

const mine = '15550004001';
const theirs = '15550004002';

async function linked(env?: Record<string, string>): Promise<World> {
  const world = await startWorld({ env });
  await world.link('shop', mine);
  world.expectErrors(/stream errored out/, /unexpected error/);
  return world;
}

/** Rows of every table that holds anything of an instance, but for the record of who did what; the gateway must be stopped. */
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

const record = async (world: World) =>
  ((await world.api('GET', '/instance/fetchInstances?instanceName=shop')).body as unknown[])[0];

describe('what a close code leads to', () => {
  it.each([
    [515, 'restart_required'],
    [428, 'transient'],
    [503, 'transient'],
    [500, 'transient'],
  ])('reconnects after %i (%s) and sends again', async (code) => {
    const world = await linked();
    const seen = world.log.length;
    const before = world.sandbox.world.companion(`${mine}:1@s.whatsapp.net`)?.connection?.id;
    world.sandbox.faults.add({ kind: 'close', number: mine, code });
    await world.logged((line) => isTransition(line, 'open'), seen);
    const sent = await world.api('POST', '/message/sendText/shop', { number: theirs, textMessage: { text: 'back' } });
    expect(sent.status).toBe(201);
    expect(world.sandbox.world.companion(`${mine}:1@s.whatsapp.net`)?.connection?.id).not.toBe(before);
  });

  it.each([
    [440, 'replaced'],
    [402, 'banned'],
    [405, 'outdated'],
    [409, 'outdated'],
    [411, 'incompatible'],
  ])('stays closed after %i and says why (%s)', async (code, cause) => {
    const world = await linked();
    world.sandbox.faults.add({ kind: 'close', number: mine, code });
    const closed = await world.receiver.next((post) => isState(post.body, 'shop', 'close'));
    expect(at(closed.body, 'data')).toMatchObject({
      statusReason: code,
      cause,
      message: expect.any(String),
      userAction: expect.any(String),
    });
    expect(await record(world)).toMatchObject({ connectionStatus: 'close', disconnectionReasonCode: code, cause });
    expect(world.sandbox.connections().total).toBe(0);
  });

  it.each([[401], [403], [406]])('wipes the credentials after %i and asks for a new link', async (code) => {
    const world = await linked();
    world.sandbox.faults.add({ kind: 'close', number: mine, code });
    await world.receiver.next((post) => isEvent(post.body, 'logout.instance', 'shop'));
    expect(await record(world)).toMatchObject({ connectionStatus: 'close', cause: 'logged_out' });
    const connect = await world.api('GET', '/instance/connect/shop');
    expect(connect.body).toMatchObject({ code: expect.stringContaining('2@') });
  });

  it('notices when the phone removes the device', async () => {
    const world = await linked();
    const companion = world.sandbox.world.companion(`${mine}:1@s.whatsapp.net`);
    if (!companion) throw new Error('no companion');
    world.sandbox.pairing.unlink(companion);
    await world.receiver.next((post) => isEvent(post.body, 'logout.instance', 'shop'));
  });

  it('retries while the platform refuses the upgrade, and opens when it accepts again', async () => {
    const world = await linked();
    const seen = world.log.length;
    world.sandbox.faults.add({ kind: 'http', code: 503 });
    world.sandbox.faults.add({ kind: 'close', number: mine, code: 428 });
    await world.logged((line) => isTransition(line, 'open'), seen);
    const attempts = world.log.slice(seen).filter((line) => isTransition(line, 'connecting'));
    expect(attempts).toHaveLength(2);
  });
});

describe('PUT /instance/restart', () => {
  it('reopens the same link and answers the true state', async () => {
    const world = await linked();
    const restarted = await world.api('PUT', '/instance/restart/shop');
    expect(restarted).toMatchObject({ status: 200, body: { instance: { instanceName: 'shop', state: 'open' } } });
    expect((await world.api('POST', '/instance/restart/shop')).status).toBe(200);
  });
});

describe('DELETE /instance/logout', () => {
  it('unlinks on the platform, keeps the record, and can be linked again', async () => {
    const world = await linked();
    const out = await world.api('DELETE', '/instance/logout/shop');
    expect(out.status).toBe(200);
    expect(out.body).toMatchObject({ status: 'SUCCESS', error: false, response: { message: 'Instance logged out' } });
    expect(world.sandbox.world.companion(`${mine}:1@s.whatsapp.net`)).toBeUndefined();
    expect(await record(world)).toMatchObject({ connectionStatus: 'close', name: 'shop' });
    const again = await world.api('DELETE', '/instance/logout/shop');
    expect(again).toMatchObject({
      status: 400,
      body: { response: { message: ['The "shop" instance is not connected'] }, code: 'INSTANCE_NOT_CONNECTED' },
    });
    expect((await world.api('GET', '/instance/connect/shop')).body).toMatchObject({ count: 1 });
  });
});

describe('DELETE /instance/delete', () => {
  it('unlinks, removes everything, and answers 404 afterwards', async () => {
    const world = await linked();
    const gone = await world.api('DELETE', '/instance/delete/shop');
    expect(gone.body).toMatchObject({ status: 'SUCCESS', error: false, response: { message: 'Instance deleted' } });
    expect(world.sandbox.world.companion(`${mine}:1@s.whatsapp.net`)).toBeUndefined();
    const after = await world.api('GET', '/instance/connectionState/shop');
    expect(after).toMatchObject({
      status: 404,
      body: { response: { message: ['The "shop" instance does not exist'] } },
    });
    await world.restart();
    expect((await world.api('GET', '/instance/fetchInstances')).body).toEqual([]);
  });

  it('leaves no row of it in any table, undelivered posts included', async () => {
    const world = await linked();
    const dead = { enabled: true, url: 'http://127.0.0.1:9/nobody' };
    expect((await world.api('POST', '/webhook/set/shop', dead)).status).toBe(201);
    await world.api('POST', '/message/sendText/shop', { number: theirs, textMessage: { text: 'out' } });
    await world.sandbox.phones.phone(theirs).send(mine, { text: 'in' });
    await world.logged(({ msg, next }) => msg === 'webhook.attempted' && next !== 'delivered');
    expect((await world.api('DELETE', '/instance/delete/shop')).status).toBe(200);
    await world.gateway.stop();
    const left = rowsPerTable(world.dataDir);
    expect(Object.keys(left)).toEqual(expect.arrayContaining(['instance', 'auth_key', 'message', 'event', 'delivery']));
    expect(Object.entries(left).filter(([, rows]) => rows > 0)).toEqual([]);
  });
});
