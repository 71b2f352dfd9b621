// The database server stops during traffic and starts again. No message that was acknowledged to the platform is lost.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { at } from '../support/api.ts';
import { isEvent, isTransition, type LogLine, startWorld, type World } from '../support/gateway.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';

const ownNumber = '15550007101';
const contactNumber = '15550007102';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
// The world of the test stores its last data during its teardown, which needs the server.
afterEach(() => server.resume());
afterAll(() => server.stop());

async function startLinked(url?: string): Promise<World> {
  const world = await startWorld({ env: { DATABASE_URL: url ?? (await server.createDatabase()) } });
  world.expectErrors(/./);
  await world.link('shop', ownNumber);
  await world.sandbox.phones.phone(contactNumber).send(ownNumber, { text: 'before' });
  await waitForPost(world, 'before');
  return world;
}

const waitForPost = (world: World, text: string) =>
  world.receiver.next(
    ({ body }) => isEvent(body, 'messages.upsert', 'shop') && at(body, 'data.message.conversation') === text,
  );
/** Ids of the messages that the platform still keeps for the device of the gateway. */
const unacknowledgedIds = (world: World) =>
  world.sandbox.world.companion(`${ownNumber}:1@s.whatsapp.net`)?.queue.map(({ node }) => node.attrs.id);
/** Resolves when the last change of the state of an instance is the change to `open`. */
async function waitUntilOpen(world: World, name: string): Promise<void> {
  const isOf = (line: LogLine) => line.msg === 'instance.state.changed' && line.instance === name;
  const last = world.log.findLastIndex(isOf);
  await world.logged((line) => isOf(line) && line.to === 'open', last);
}
const send = (world: World, text: string) =>
  world.api('POST', '/message/sendText/shop', { number: contactNumber, textMessage: { text } });

describe('a stop and start of PostgreSQL', () => {
  it('an instance disconnects while PostgreSQL is down, and receives the unacknowledged message afterwards', async () => {
    const world = await startLinked();
    const phone = world.sandbox.phones.phone(contactNumber);
    await server.halt();
    const linesBefore = world.log.length;
    const id = await phone.send(ownNumber, { text: 'during' });
    await world.logged((line) => isTransition(line, 'backoff'), linesBefore);
    expect(unacknowledgedIds(world)).toContain(id);
    expect((await world.api('GET', '/readyz')).status).toBe(503);
    expect((await world.api('GET', '/livez')).status).toBe(200);
    expect(at((await world.api('GET', '/instance/connectionState/shop')).body, 'instance.state')).toBe('connecting');
    const refused = await send(world, 'not sent');
    expect(refused.body).toMatchObject({ certain: true });
    await server.resume();
    await waitForPost(world, 'during');
    await world.logged((line) => isTransition(line, 'open'), linesBefore);
    expect((await send(world, 'after')).status).toBe(201);
    // The gateway reuses the result of a failed check for one second.
    await expect.poll(async () => (await world.api('GET', '/readyz')).status).toBe(200);
  });

  it('a send that fails in an outage of PostgreSQL reports certain: false exactly when its message was sent', async () => {
    const world = await startLinked();
    expect((await send(world, 'resolved')).status).toBe(201);
    await server.halt();
    const linesBefore = world.log.length;
    const refused = await send(world, 'during');
    expect(refused.status).not.toBe(201);
    await world.logged((line) => isTransition(line, 'backoff'), linesBefore);
    await server.resume();
    await world.logged((line) => isTransition(line, 'open'), linesBefore);
    const received = world.sandbox.phones
      .phone(contactNumber)
      .messages()
      .map(({ text }) => text);
    expect(refused.body).toMatchObject({ certain: !received.includes('during') });
    expect((await send(world, 'after')).status).toBe(201);
  });
});

describe('a restart of PostgreSQL under traffic of five instances', () => {
  it('five instances lose no message, send none twice and need no QR code when PostgreSQL restarts under traffic', async () => {
    const shops = [0, 1, 2, 3, 4].map((index) => ({ name: `shop${index}`, number: `1555000711${index}` }));
    const url = await server.createDatabase();
    const world = await startWorld({ env: { DATABASE_URL: url, DATABASE_POOL_SIZE: '3' } });
    world.expectErrors(/./);
    for (const { name, number } of shops) await world.link(name, number);
    // An instance whose history sync is not complete waits for it.
    const isDone = (body: unknown, name: string) =>
      isEvent(body, 'history.progress', name) && at(body, 'data.done') === true;
    await Promise.all(shops.map(({ name }) => world.receiver.next(({ body }) => isDone(body, name))));
    const phone = world.sandbox.phones.phone(contactNumber);
    const incoming: string[] = [];
    const outgoing = new Map<string, { status: number; body: unknown }>();
    /** Sends a message in each direction for every instance. */
    const exchange = (label: string) =>
      Promise.all(
        shops.map(async ({ name, number }) => {
          const text = `${label} ${name}`;
          incoming.push(text);
          await phone.send(number, { text });
          const body = { number: contactNumber, textMessage: { text: `answer to ${text}` } };
          outgoing.set(body.textMessage.text, await world.api('POST', `/message/sendText/${name}`, body));
        }),
      );
    await exchange('before');
    const [usage] = await server.execute(
      url,
      'SELECT count(*)::integer AS connections FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    // The pool has at most three connections. The gateway opens two more connections for leases.
    expect([3, 4, 5]).toContain(at(usage, 'connections'));
    const postsBefore = world.receiver.posts.length;
    await Promise.all([server.halt(), exchange('halting'), exchange('halting further')]);
    await exchange('down');
    await Promise.all([server.resume(), exchange('resuming')]);
    const resumedAt = performance.now();
    const isOf = (body: unknown, text: string) =>
      isEvent(body, 'messages.upsert') && at(body, 'data.message.conversation') === text;
    await Promise.all(incoming.map((text) => world.receiver.next(({ body }) => isOf(body, text))));
    expect(performance.now() - resumedAt).toBeLessThan(15_000);
    await Promise.all(shops.map(({ name }) => waitUntilOpen(world, name)));
    await exchange('after');
    // The gateway answers a send when its message is written to the socket, before the phone has it.
    const receivedTexts = () => phone.messages().map(({ text }) => text);
    const acceptedTexts = [...outgoing].flatMap(([text, { status }]) => (status === 201 ? [text] : []));
    await expect.poll(receivedTexts).toEqual(expect.arrayContaining(acceptedTexts));
    const received = receivedTexts();
    for (const [text, { status, body }] of outgoing) {
      const copies = received.filter((message) => message === text).length;
      expect(copies, text).toBeLessThan(2);
      if (status === 201) expect(copies, text).toBe(1);
      else if (at(body, 'certain') === true) expect(copies, text).toBe(0);
    }
    expect(shops.map(({ name }) => outgoing.get(`answer to after ${name}`)?.status)).toEqual(shops.map(() => 201));
    expect(world.receiver.posts.slice(postsBefore).some(({ body }) => isEvent(body, 'qrcode.updated'))).toBe(false);
  });
});

describe('PostgreSQL that stores keys but refuses messages', () => {
  it('the gateway posts messages that PostgreSQL refused at first, in their order', async () => {
    const url = await server.createDatabase();
    const world = await startLinked(url);
    const phone = world.sandbox.phones.phone(contactNumber);
    await server.execute(url, 'ALTER TABLE message ADD CONSTRAINT refuse CHECK (false) NOT VALID');
    const linesBefore = world.log.length;
    for (const text of ['one', 'two', 'three']) await phone.send(ownNumber, { text });
    await world.logged(({ msg }) => msg === 'session.ingest.failed', linesBefore);
    await server.execute(url, 'ALTER TABLE message DROP CONSTRAINT refuse');
    await waitForPost(world, 'three');
    await phone.send(ownNumber, { text: 'four' });
    await waitForPost(world, 'four');
    const texts = world.receiver.posts
      .filter(({ body }) => isEvent(body, 'messages.upsert'))
      .map(({ body }) => at(body, 'data.message.conversation'));
    expect(texts).toEqual(['before', 'one', 'two', 'three', 'four']);
  });
});
