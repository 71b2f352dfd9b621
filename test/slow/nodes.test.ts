// Nodes on one PostgreSQL: the distribution of instances, requests and events through any node, and the stop of a node.
import { io } from 'socket.io-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Api, at, textAt } from '../support/api.ts';
import { isEvent, isState, KEY, startWorld, type World } from '../support/gateway.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';

const server = sharedPostgres();

const ownNumber = '15550007101';
const contactNumber = '15550007102';

const startFirst = async (): Promise<World> =>
  startWorld({
    env: { DATABASE_URL: await server.createDatabase(), LEASE_TTL: '3' },
  });

const send = (api: Api, text: string, name = 'shop') =>
  api('POST', `/message/sendText/${name}`, { number: contactNumber, textMessage: { text } });
const waitForText = async (world: World, text: string) => {
  const { body } = await world.receiver.next(
    ({ body }) => isEvent(body, 'messages.upsert') && at(body, 'data.message.conversation') === text,
  );
  return textAt(body, 'data.message.conversation');
};
const waitForReopen = (world: World, name: string, after: number) =>
  world.logged(
    ({ msg, to, instance }) => msg === 'instance.state.changed' && to === 'open' && instance === name,
    after,
  );

describe('two nodes', () => {
  it('each of two nodes answers requests for all instances and lists all instances', async () => {
    const world = await startFirst();
    await world.link('shop', ownNumber);
    const otherNode = await world.join();
    expect((await send(otherNode.api, 'through the other')).status).toBe(201);
    for (const api of [world.api, otherNode.api]) {
      const { body } = await api('GET', '/instance/fetchInstances');
      expect(body).toMatchObject([{ instance: { instanceName: 'shop', status: 'open' } }]);
    }
    expect(world.gateway.manager.list()).toHaveLength(1);
    expect(otherNode.gateway.manager.list()).toHaveLength(0);
    await world.sandbox.phones.phone(contactNumber).send(ownNumber, { text: 'in' });
    expect(await waitForText(world, 'in')).toBe('in');
  });

  it('a node delivers events of an instance on another node on its streams and over socket.io', async () => {
    const env = { WEBSOCKET_ENABLED: 'true', WEBSOCKET_GLOBAL_EVENTS: 'true' };
    const world = await startWorld({ env: { DATABASE_URL: await server.createDatabase(), LEASE_TTL: '3', ...env } });
    await world.link('shop', ownNumber);
    await world.api('POST', '/websocket/set/shop', { enabled: true, events: ['MESSAGES_UPSERT'] });
    const otherNode = await world.join(env);
    const received: unknown[] = [];
    for (const namespace of ['/shop', '/']) {
      const socket = io(otherNode.api.url + namespace, {
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
    const abort = new AbortController();
    onTestFinished(() => abort.abort());
    const stream = await fetch(`${otherNode.api.url}/events/shop?types=messages.upsert`, {
      ...{ headers: { apikey: KEY, accept: 'text/event-stream' }, signal: abort.signal },
    });
    const texts = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
    await world.sandbox.phones.phone(contactNumber).send(ownNumber, { text: 'in' });
    await expect.poll(() => received.toSorted()).toEqual(['/ in', '/shop in']);
    let streamed = '';
    while (!streamed.includes('"conversation":"in"')) streamed += (await texts?.read())?.value ?? '';
    expect(streamed).toContain('event: messages.upsert');
  });

  it('a node rejects an instance name that another node uses, until a node deletes the instance', async () => {
    const world = await startFirst();
    const otherNode = await world.join();
    await world.api('POST', '/instance/create', { instanceName: 'one' });
    expect(await otherNode.api('POST', '/instance/create', { instanceName: 'one' })).toMatchObject({ status: 403 });
    expect((await otherNode.api('DELETE', '/instance/delete/one')).status).toBe(200);
    expect((await world.api('GET', '/instance/connectionState/one')).status).toBe(404);
    expect((await otherNode.api('POST', '/instance/create', { instanceName: 'one' })).status).toBe(201);
  });

  it('an instance of a stopping node continues on another node without QR code, logout or lost message', async () => {
    const world = await startFirst();
    await world.link('shop', ownNumber);
    const otherNode = await world.join();
    const linesBefore = world.log.length;
    await world.gateway.stop();
    await waitForReopen(world, 'shop', linesBefore);
    expect((await send(otherNode.api, 'after')).status).toBe(201);
    await world.sandbox.phones.phone(contactNumber).send(ownNumber, { text: 'in' });
    expect(await waitForText(world, 'in')).toBe('in');
    expect(world.receiver.posts.filter(({ body }) => isState(body, 'shop', 'close'))).toEqual([]);
  });

  it('two nodes share the existing instances equally after the second node joins', async () => {
    const world = await startFirst();
    for (const name of ['a', 'b', 'c', 'd']) await world.api('POST', '/instance/create', { instanceName: name });
    const linesBefore = world.log.length;
    const otherNode = await world.join();
    await world.logged(({ msg }) => msg === 'cluster.instances.acquired', linesBefore);
    await world.logged(() => otherNode.gateway.manager.list().length === 2, linesBefore);
    expect(world.gateway.manager.list()).toHaveLength(2);
    const { body } = await otherNode.api('GET', '/instance/fetchInstances');
    expect(body).toHaveLength(4);
  });
});
