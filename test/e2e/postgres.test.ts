// The whole walk on PostgreSQL: what SQLite does in the other e2e tests, a real server does here.
import { describe, expect, it } from 'vitest';
import { at } from '../support/api.ts';
import { isEvent, isState, startWorld, type World } from '../support/gateway.ts';
import { rowsPerTable } from '../support/postgres.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';
import { soak } from '../webhooks/soak.ts';

const mine = '15550007001';
const theirs = '15550007002';

const server = sharedPostgres();

async function linked(env: Record<string, string> = {}): Promise<{ world: World; url: string }> {
  const url = await server.createDatabase();
  const world = await startWorld({ env: { DATABASE_URL: url, ...env } });
  await world.link('shop', mine);
  return { world, url };
}

const textOf = (body: unknown) => at(body, 'data.message.conversation');
const upsert = (body: unknown) => isEvent(body, 'messages.upsert', 'shop');
const post = (world: World, text: string) =>
  world.api('POST', '/message/sendText/shop', { number: theirs, textMessage: { text } });

describe('the gateway on PostgreSQL', () => {
  it('links, sends with every status, and posts what it receives', async () => {
    const { world, url } = await linked();
    const phone = world.sandbox.phones.phone(theirs);
    const sent = await post(world, 'out');
    expect(sent.status).toBe(201);
    const id = at(sent.body, 'key.id');
    const became = (status: string) =>
      world.receiver.next(
        ({ body }) =>
          isEvent(body, 'messages.update', 'shop') &&
          at(body, 'data.keyId') === id &&
          at(body, 'data.status') === status,
      );
    await became('SERVER_ACK');
    await became('DELIVERY_ACK');
    phone.read(mine);
    await became('READ');
    await phone.send(mine, { text: 'in' });
    const received = await world.receiver.next(({ body }) => upsert(body));
    expect(textOf(received.body)).toBe('in');
    expect(await rowsPerTable(server, url)).toMatchObject({ instance: 1, message: 2, message_status: 3, webhook: 1 });
  });

  it('posts the messages of each chat in the order in which they were sent, however fast they arrive', async () => {
    const { world } = await linked();
    const numbers = Array.from({ length: 8 }, (_, n) => String(15_550_007_101 + n));
    const texts = ['1', '2', '3', '4', '5', '6'];
    const sendAll = async (number: string) => {
      const phone = world.sandbox.phones.phone(number);
      for (const text of texts) await phone.send(mine, { text });
    };
    await Promise.all(numbers.map(sendAll));
    const posts = () => world.receiver.posts.filter(({ body }) => upsert(body));
    const total = numbers.length * texts.length;
    await world.receiver.next(() => posts().length === total);
    const textsOf = (number: string) =>
      posts().flatMap(({ body }) =>
        at(body, 'data.key.remoteJid') === `${number}@s.whatsapp.net` ? textOf(body) : [],
      );
    for (const number of numbers) expect(textsOf(number), number).toEqual(texts);
  });

  it('keeps link and waiting webhooks across a restart', async () => {
    const { world } = await linked({ WEBHOOK_RETRY_SCHEDULE: '1' });
    world.receiver.answer(({ body }) => (upsert(body) ? 503 : 200));
    await world.sandbox.phones.phone(theirs).send(mine, { text: 'kept' });
    const refused = await world.receiver.next(({ body }) => upsert(body));
    await world.gateway.stop();
    await world.sandbox.phones.phone(theirs).send(mine, { text: 'missed' });
    world.receiver.answer(() => 200);
    const after = world.receiver.posts.length;
    await world.restart();
    await world.receiver.next(({ body }) => upsert(body) && textOf(body) === 'missed', { after });
    await world.receiver.next(({ body }) => isState(body, 'shop', 'open'), { after });
    const taken = world.receiver.posts.filter(({ body, status }) => upsert(body) && status === 200);
    expect(taken.map(({ body }) => textOf(body))).toEqual(['kept', 'missed']);
    expect(taken[0]?.headers['webhook-id']).toBe(refused.headers['webhook-id']);
    expect(world.receiver.posts.slice(after).some(({ body }) => isEvent(body, 'qrcode.updated'))).toBe(false);
  });

  it('delivers in order per chat to a receiver that fails at random, with restarts in between', async () => {
    await soak({ seed: 4, perChat: 8, databaseUrl: await server.createDatabase() });
  });

  it('wipes the credentials at logout and every row at delete', async () => {
    const { world, url } = await linked();
    await post(world, 'out');
    await world.sandbox.phones.phone(theirs).send(mine, { text: 'in' });
    await world.receiver.next(({ body }) => upsert(body));
    expect((await rowsPerTable(server, url)).auth_key).toBeGreaterThan(0);
    expect((await world.api('DELETE', '/instance/logout/shop')).status).toBe(200);
    expect(await rowsPerTable(server, url)).toMatchObject({ auth_key: 0, instance: 1, message: 2, webhook: 1 });
    expect((await world.api('DELETE', '/instance/delete/shop')).status).toBe(200);
    // The audit also lists what is gone.
    const { audit: _, ...left } = await rowsPerTable(server, url);
    expect(Object.keys(left).length).toBeGreaterThan(8);
    expect(
      Object.values(left).every((rows) => rows === 0),
      JSON.stringify(left),
    ).toBe(true);
    expect((await world.api('GET', '/instance/connectionState/shop')).status).toBe(404);
  });
});
