// The database server goes away in the middle and comes back: nothing that was acknowledged to the platform may be missing.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { at } from '../support/api.ts';
import { isEvent, isTransition, type LogLine, startWorld, type World } from '../support/gateway.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';

const mine = '15550007101';
const theirs = '15550007102';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
// Before the world of the test is torn down: what it still has to store needs a server.
afterEach(() => server.resume());
afterAll(() => server.stop());

async function linked(url?: string): Promise<World> {
  const world = await startWorld({ env: { DATABASE_URL: url ?? (await server.createDatabase()) } });
  world.expectErrors(/./);
  await world.link('shop', mine);
  await world.sandbox.phones.phone(theirs).send(mine, { text: 'before' });
  await arrived(world, 'before');
  return world;
}

const arrived = (world: World, text: string) =>
  world.receiver.next(
    ({ body }) => isEvent(body, 'messages.upsert', 'shop') && at(body, 'data.message.conversation') === text,
  );
/** Ids of the messages that the platform still keeps for the gateway's device. */
const unacknowledged = (world: World) =>
  world.sandbox.world.companion(`${mine}:1@s.whatsapp.net`)?.queue.map(({ node }) => node.attrs.id);
/** The connection of an instance is open, or is again after what happened to it. */
async function isOpen(world: World, name: string): Promise<void> {
  const isOf = (line: LogLine) => line.msg === 'instance.state.changed' && line.instance === name;
  const last = world.log.findLastIndex(isOf);
  await world.logged((line) => isOf(line) && line.to === 'open', last);
}
const send = (world: World, text: string) =>
  world.api('POST', '/message/sendText/shop', { number: theirs, textMessage: { text } });

describe('PostgreSQL stopped and started again', () => {
  it('closes the session before a message is acknowledged, and gets the message afterwards', async () => {
    const world = await linked();
    const phone = world.sandbox.phones.phone(theirs);
    await server.halt();
    const seen = world.log.length;
    const id = await phone.send(mine, { text: 'during' });
    await world.logged((line) => isTransition(line, 'backoff'), seen);
    expect(unacknowledged(world)).toContain(id);
    expect((await world.api('GET', '/readyz')).status).toBe(503);
    expect((await world.api('GET', '/livez')).status).toBe(200);
    expect(at((await world.api('GET', '/instance/connectionState/shop')).body, 'instance.state')).toBe('connecting');
    const refused = await send(world, 'not sent');
    expect(refused.body).toMatchObject({ certain: true });
    await server.resume();
    await arrived(world, 'during');
    await world.logged((line) => isTransition(line, 'open'), seen);
    expect((await send(world, 'after')).status).toBe(201);
    expect((await world.api('GET', '/readyz')).status).toBe(200);
  });

  it('says that nothing left, or what may have, when a send meets it first', async () => {
    const world = await linked();
    expect((await send(world, 'resolved')).status).toBe(201);
    await server.halt();
    const seen = world.log.length;
    const refused = await send(world, 'during');
    expect([refused.status, refused.body]).toEqual([
      expect.any(Number),
      expect.objectContaining({ certain: expect.any(Boolean) }),
    ]);
    await world.logged((line) => isTransition(line, 'backoff'), seen);
    await server.resume();
    await world.logged((line) => isTransition(line, 'open'), seen);
    const received = world.sandbox.phones
      .phone(theirs)
      .messages()
      .map(({ text }) => text);
    expect(received.includes('during')).toBe(at(refused.body, 'certain') === false);
    expect((await send(world, 'after')).status).toBe(201);
  });
});

describe('PostgreSQL restarted under five instances with traffic', () => {
  it('costs seconds: no message and no link, and nothing goes out twice', async () => {
    const shops = [0, 1, 2, 3, 4].map((index) => ({ name: `shop${index}`, number: `1555000711${index}` }));
    const url = await server.createDatabase();
    const world = await startWorld({ env: { DATABASE_URL: url, DATABASE_POOL_SIZE: '3' } });
    world.expectErrors(/./);
    for (const { name, number } of shops) await world.link(name, number);
    // One that is not done with its past waits for it.
    const isDone = (body: unknown, name: string) =>
      isEvent(body, 'history.progress', name) && at(body, 'data.done') === true;
    await Promise.all(shops.map(({ name }) => world.receiver.next(({ body }) => isDone(body, name))));
    const phone = world.sandbox.phones.phone(theirs);
    const incoming: string[] = [];
    const outgoing = new Map<string, { status: number; body: unknown }>();
    /** A message each way for every instance. */
    const round = (label: string) =>
      Promise.all(
        shops.map(async ({ name, number }) => {
          const text = `${label} ${name}`;
          incoming.push(text);
          await phone.send(number, { text });
          const body = { number: theirs, textMessage: { text: `answer to ${text}` } };
          outgoing.set(body.textMessage.text, await world.api('POST', `/message/sendText/${name}`, body));
        }),
      );
    await round('before');
    const [used] = await server.execute(
      url,
      'SELECT count(*)::integer AS connections FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    // Two are for leases.
    expect([3, 4, 5]).toContain(at(used, 'connections'));
    const posted = world.receiver.posts.length;
    await Promise.all([server.halt(), round('halting'), round('halting further')]);
    await round('down');
    await Promise.all([server.resume(), round('resuming')]);
    const resumed = performance.now();
    const isOf = (body: unknown, text: string) =>
      isEvent(body, 'messages.upsert') && at(body, 'data.message.conversation') === text;
    await Promise.all(incoming.map((text) => world.receiver.next(({ body }) => isOf(body, text))));
    expect(performance.now() - resumed).toBeLessThan(15_000);
    await Promise.all(shops.map(({ name }) => isOpen(world, name)));
    await round('after');
    const received = phone.messages().map(({ text }) => text);
    for (const [text, { status, body }] of outgoing) {
      const copies = received.filter((one) => one === text).length;
      expect(copies, text).toBeLessThan(2);
      if (status === 201) expect(copies, text).toBe(1);
      else if (at(body, 'certain') === true) expect(copies, text).toBe(0);
    }
    expect(shops.map(({ name }) => outgoing.get(`answer to after ${name}`)?.status)).toEqual(shops.map(() => 201));
    expect(world.receiver.posts.slice(posted).some(({ body }) => isEvent(body, 'qrcode.updated'))).toBe(false);
  });
});

describe('PostgreSQL that takes keys and no messages', () => {
  it('costs none of the messages that the platform no longer has, and keeps their order', async () => {
    const url = await server.createDatabase();
    const world = await linked(url);
    const phone = world.sandbox.phones.phone(theirs);
    await server.execute(url, 'ALTER TABLE message ADD CONSTRAINT refuse CHECK (false) NOT VALID');
    const seen = world.log.length;
    for (const text of ['one', 'two', 'three']) await phone.send(mine, { text });
    await world.logged(({ msg }) => msg === 'session.ingest.failed', seen);
    await server.execute(url, 'ALTER TABLE message DROP CONSTRAINT refuse');
    await arrived(world, 'three');
    await phone.send(mine, { text: 'four' });
    await arrived(world, 'four');
    const texts = world.receiver.posts
      .filter(({ body }) => isEvent(body, 'messages.upsert'))
      .map(({ body }) => at(body, 'data.message.conversation'));
    expect(texts).toEqual(['before', 'one', 'two', 'three', 'four']);
  });
});
