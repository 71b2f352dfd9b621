// The main paths of the gateway on a real PostgreSQL server. The other e2e tests use SQLite.
import { describe, expect, it } from 'vitest';
import { at } from '../support/api.ts';
import { isEvent, isState, startWorld, type World } from '../support/gateway.ts';
import { rowsPerTable } from '../support/postgres.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';
import { soak } from '../webhooks/soak.ts';

const mine = '15550007001';
const contact = '15550007002';

const server = sharedPostgres();

async function startLinked(env: Record<string, string> = {}): Promise<{ world: World; url: string }> {
  const url = await server.createDatabase();
  const world = await startWorld({ env: { DATABASE_URL: url, ...env } });
  await world.link('shop', mine);
  return { world, url };
}

const textOf = (body: unknown) => at(body, 'data.message.conversation');
const isUpsert = (body: unknown) => isEvent(body, 'messages.upsert', 'shop');
const sendText = (world: World, text: string) =>
  world.api('POST', '/message/sendText/shop', { number: contact, textMessage: { text } });

describe('the gateway on PostgreSQL', () => {
  it('a gateway on PostgreSQL links, sends with every status, and posts received messages', async () => {
    const { world, url } = await startLinked();
    const phone = world.sandbox.phones.phone(contact);
    const sent = await sendText(world, 'out');
    expect(sent.status).toBe(201);
    const id = at(sent.body, 'key.id');
    const waitForStatus = (status: string) =>
      world.receiver.next(
        ({ body }) =>
          isEvent(body, 'messages.update', 'shop') &&
          at(body, 'data.keyId') === id &&
          at(body, 'data.status') === status,
      );
    await waitForStatus('SERVER_ACK');
    await waitForStatus('DELIVERY_ACK');
    phone.read(mine);
    await waitForStatus('READ');
    await phone.send(mine, { text: 'in' });
    const received = await world.receiver.next(({ body }) => isUpsert(body));
    expect(textOf(received.body)).toBe('in');
    expect(await rowsPerTable(server, url)).toMatchObject({ instance: 1, message: 2, message_status: 3, webhook: 1 });
  });

  it('a gateway on PostgreSQL posts the messages of each chat in the order of sending when chats write concurrently', async () => {
    const { world } = await startLinked();
    const numbers = Array.from({ length: 8 }, (_, n) => String(15_550_007_101 + n));
    const texts = ['1', '2', '3', '4', '5', '6'];
    const sendAll = async (number: string) => {
      const phone = world.sandbox.phones.phone(number);
      for (const text of texts) await phone.send(mine, { text });
    };
    await Promise.all(numbers.map(sendAll));
    const posts = () => world.receiver.posts.filter(({ body }) => isUpsert(body));
    const total = numbers.length * texts.length;
    await world.receiver.next(() => posts().length === total);
    const textsOf = (number: string) =>
      posts().flatMap(({ body }) =>
        at(body, 'data.key.remoteJid') === `${number}@s.whatsapp.net` ? textOf(body) : [],
      );
    for (const number of numbers) expect(textsOf(number), number).toEqual(texts);
  });

  it('a gateway on PostgreSQL keeps its link and its waiting webhook posts across a restart', async () => {
    const { world } = await startLinked({ WEBHOOK_RETRY_SCHEDULE: '1' });
    world.receiver.answer(({ body }) => (isUpsert(body) ? 503 : 200));
    await world.sandbox.phones.phone(contact).send(mine, { text: 'kept' });
    const refused = await world.receiver.next(({ body }) => isUpsert(body));
    await world.gateway.stop();
    await world.sandbox.phones.phone(contact).send(mine, { text: 'missed' });
    world.receiver.answer(() => 200);
    const after = world.receiver.posts.length;
    await world.restart();
    await world.receiver.next(({ body }) => isUpsert(body) && textOf(body) === 'missed', { after });
    await world.receiver.next(({ body }) => isState(body, 'shop', 'open'), { after });
    const delivered = world.receiver.posts.filter(({ body, status }) => isUpsert(body) && status === 200);
    expect(delivered.map(({ body }) => textOf(body))).toEqual(['kept', 'missed']);
    expect(delivered[0]?.headers['webhook-id']).toBe(refused.headers['webhook-id']);
    expect(world.receiver.posts.slice(after).some(({ body }) => isEvent(body, 'qrcode.updated'))).toBe(false);
  });

  it('a gateway on PostgreSQL delivers in order per chat to a receiver that fails at random, also with restarts', async () => {
    await soak({ seed: 4, perChat: 8, databaseUrl: await server.createDatabase() });
  });

  it('a gateway on PostgreSQL wipes the credentials at logout, and all rows of the instance at deletion', async () => {
    const { world, url } = await startLinked();
    await sendText(world, 'out');
    await world.sandbox.phones.phone(contact).send(mine, { text: 'in' });
    await world.receiver.next(({ body }) => isUpsert(body));
    expect((await rowsPerTable(server, url)).auth_key).toBeGreaterThan(0);
    expect((await world.api('DELETE', '/instance/logout/shop')).status).toBe(200);
    expect(await rowsPerTable(server, url)).toMatchObject({ auth_key: 0, instance: 1, message: 2, webhook: 1 });
    expect((await world.api('DELETE', '/instance/delete/shop')).status).toBe(200);
    // The audit log also lists deleted instances.
    const { audit: _, ...remainingRows } = await rowsPerTable(server, url);
    expect(Object.keys(remainingRows).length).toBeGreaterThan(8);
    expect(
      Object.values(remainingRows).every((rows) => rows === 0),
      JSON.stringify(remainingRows),
    ).toBe(true);
    expect((await world.api('GET', '/instance/connectionState/shop')).status).toBe(404);
  });
});
