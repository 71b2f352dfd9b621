// Nodes on one PostgreSQL: who has an instance, what follows when a node goes, and that a request finds it through any of them.
import { io } from 'socket.io-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Api, at, textAt } from '../support/api.ts';
import { isEvent, isState, KEY, startWorld, type World } from '../support/gateway.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';

const server = sharedPostgres();

const mine = '15550007101';
const theirs = '15550007102';

const startFirst = async (): Promise<World> =>
  startWorld({
    env: { DATABASE_URL: await server.createDatabase(), LEASE_TTL: '3' },
  });

const send = (api: Api, text: string, name = 'shop') =>
  api('POST', `/message/sendText/${name}`, { number: theirs, textMessage: { text } });
const received = async (world: World, text: string) => {
  const { body } = await world.receiver.next(
    ({ body }) => isEvent(body, 'messages.upsert') && at(body, 'data.message.conversation') === text,
  );
  return textAt(body, 'data.message.conversation');
};
const openAgain = (world: World, name: string, after: number) =>
  world.logged(
    ({ msg, to, instance }) => msg === 'instance.state.changed' && to === 'open' && instance === name,
    after,
  );

describe('two nodes', () => {
  it('answer for each other, and list the same instances', async () => {
    const world = await startFirst();
    await world.link('shop', mine);
    const other = await world.join();
    expect((await send(other.api, 'through the other')).status).toBe(201);
    for (const api of [world.api, other.api]) {
      const { body } = await api('GET', '/instance/fetchInstances');
      expect(body).toMatchObject([{ instance: { instanceName: 'shop', status: 'open' } }]);
    }
    expect(world.gateway.manager.list()).toHaveLength(1);
    expect(other.gateway.manager.list()).toHaveLength(0);
    await world.sandbox.phones.phone(theirs).send(mine, { text: 'in' });
    expect(await received(world, 'in')).toBe('in');
  });

  it('deliver events of each other, on streams and over socket.io', async () => {
    const env = { WEBSOCKET_ENABLED: 'true', WEBSOCKET_GLOBAL_EVENTS: 'true' };
    const world = await startWorld({ env: { DATABASE_URL: await server.createDatabase(), LEASE_TTL: '3', ...env } });
    await world.link('shop', mine);
    await world.api('POST', '/websocket/set/shop', { enabled: true, events: ['MESSAGES_UPSERT'] });
    const other = await world.join(env);
    const received: unknown[] = [];
    for (const namespace of ['/shop', '/']) {
      const socket = io(other.api.url + namespace, {
        query: { apikey: KEY },
        transports: ['websocket'],
        forceNew: true,
      });
      onTestFinished(() => void socket.disconnect());
      await new Promise(
        (resolve, reject) => void socket.once('connect', () => resolve(null)).once('connect_error', reject),
      );
      socket.on('messages.upsert', (body) =>
        received.push(`${namespace} ${textAt(body, 'data.message.conversation')}`),
      );
    }
    const left = new AbortController();
    onTestFinished(() => left.abort());
    const stream = await fetch(`${other.api.url}/events/shop?types=messages.upsert`, {
      ...{ headers: { apikey: KEY, accept: 'text/event-stream' }, signal: left.signal },
    });
    const texts = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
    await world.sandbox.phones.phone(theirs).send(mine, { text: 'in' });
    await expect.poll(() => received.toSorted()).toEqual(['/ in', '/shop in']);
    let streamed = '';
    while (!streamed.includes('"conversation":"in"')) streamed += (await texts?.read())?.value ?? '';
    expect(streamed).toContain('event: messages.upsert');
  });

  it('refuse a name that is taken on the other, and know what was deleted there', async () => {
    const world = await startFirst();
    const other = await world.join();
    await world.api('POST', '/instance/create', { instanceName: 'one' });
    expect(await other.api('POST', '/instance/create', { instanceName: 'one' })).toMatchObject({ status: 403 });
    expect((await other.api('DELETE', '/instance/delete/one')).status).toBe(200);
    expect((await world.api('GET', '/instance/connectionState/one')).status).toBe(404);
    expect((await other.api('POST', '/instance/create', { instanceName: 'one' })).status).toBe(201);
  });

  it('hand an instance over when one of them stops: no QR, no logout, nothing lost', async () => {
    const world = await startFirst();
    await world.link('shop', mine);
    const other = await world.join();
    const before = world.log.length;
    await world.gateway.stop();
    await openAgain(world, 'shop', before);
    expect((await send(other.api, 'after')).status).toBe(201);
    await world.sandbox.phones.phone(theirs).send(mine, { text: 'in' });
    expect(await received(world, 'in')).toBe('in');
    expect(world.receiver.posts.filter(({ body }) => isState(body, 'shop', 'close'))).toEqual([]);
  });

  it('share what there is when another one joins', async () => {
    const world = await startFirst();
    for (const name of ['a', 'b', 'c', 'd']) await world.api('POST', '/instance/create', { instanceName: name });
    const before = world.log.length;
    const other = await world.join();
    await world.logged(({ msg }) => msg === 'cluster.instances.acquired', before);
    await world.logged(() => other.gateway.manager.list().length === 2, before);
    expect(world.gateway.manager.list()).toHaveLength(2);
    const { body } = await other.api('GET', '/instance/fetchInstances');
    expect(body).toHaveLength(4);
  });
});
