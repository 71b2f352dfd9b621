// Clients that receive events with socket.io, each with another way to send its key, beside a webhook with the same
// events.
import { io, type Socket } from 'socket.io-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { at } from '../support/api.ts';
import { isEvent, KEY, startWorld, type World } from '../support/gateway.ts';

const mine = '15550009301';
const contact = '15550009302';
const OWN = 'key-of-the-shop-0123456789';

interface Received {
  event: string;
  body: unknown;
}

const textOf = (body: unknown) => at(body, 'data.message.conversation');

/** A client of a namespace, with the events that it has received. */
class EventClient {
  readonly socket: Socket;
  readonly received: Received[] = [];
  readonly #checks = new Set<() => void>();

  constructor(world: World, namespace: string, options: Parameters<typeof io>[1] = {}) {
    this.socket = io(world.api.url + namespace, { forceNew: true, reconnection: false, ...options });
    onTestFinished(() => void this.socket.disconnect());
    this.socket.onAny((event: string, body: unknown) => {
      this.received.push({ event, body });
      for (const check of [...this.#checks]) check();
    });
  }

  /** Resolves when the client has joined the namespace. */
  waitForJoin(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.socket.once('connect', resolve);
      this.socket.once('connect_error', reject);
    });
  }

  /** Resolves with the error when the server refuses the client. */
  waitForRefusal(): Promise<{ message: string; data?: unknown }> {
    return new Promise((resolve, reject) => {
      this.socket.once('connect_error', resolve);
      this.socket.once('connect', () => reject(new Error('was let in')));
    });
  }

  waitForDisconnect(): Promise<string> {
    return new Promise((resolve) => this.socket.once('disconnect', resolve));
  }

  waitFor(matches: (inbound: Received) => boolean): Promise<Received> {
    return new Promise((resolve) => {
      const check = () => {
        const found = this.received.find(matches);
        if (!found) return;
        this.#checks.delete(check);
        resolve(found);
      };
      this.#checks.add(check);
      check();
    });
  }

  waitForText(text: string): Promise<Received> {
    return this.waitFor(({ event, body }) => event === 'messages.upsert' && textOf(body) === text);
  }
}

const env = { WEBSOCKET_ENABLED: 'true', WEBSOCKET_GLOBAL_EVENTS: 'true' };

describe('socket.io', () => {
  it('socket.io clients with a valid key receive the same events as webhooks, in their namespace', async () => {
    const world = await startWorld({ env });
    const { api, sandbox, receiver } = world;
    const created = await api('POST', '/instance/create', {
      ...{ instanceName: 'my shop', token: OWN, qrcode: true, integration: 'WHATSAPP-BAILEYS' },
      webhook: { url: receiver.url },
      websocket: { enabled: true, events: ['MESSAGES_UPSERT', 'CONNECTION_UPDATE', 'REMOVE_INSTANCE'] },
    });
    expect(at(created.body, 'websocket')).toEqual({
      enabled: true,
      events: ['MESSAGES_UPSERT', 'CONNECTION_UPDATE', 'REMOVE_INSTANCE'],
    });
    const older = await api('POST', '/instance/create', {
      ...{ instanceName: 'other', websocket_enabled: true, websocket_events: ['CALL'] },
    });
    expect(at(older.body, 'websocket')).toEqual({ enabled: true, events: ['CALL'] });

    const clients = {
      query: new EventClient(world, '/my shop', { query: { apikey: OWN } }),
      header: new EventClient(world, '/my%20shop', { extraHeaders: { apikey: OWN }, transports: ['polling'] }),
      auth: new EventClient(world, '/my shop', { auth: { apikey: KEY }, transports: ['websocket'] }),
      all: new EventClient(world, '', { query: { apikey: KEY }, transports: ['websocket'] }),
      other: new EventClient(world, '/other', { query: { apikey: KEY } }),
    };
    await Promise.all(Object.values(clients).map((client) => client.waitForJoin()));
    const refusals: [string, Parameters<typeof io>[1], string][] = [
      ['/my shop', {}, 'UNAUTHORIZED'],
      ['/my shop', { query: { apikey: 'wrong' }, transports: ['websocket'] }, 'UNAUTHORIZED'],
      ['/other', { auth: { apikey: OWN } }, 'UNAUTHORIZED'],
      ['/nobody', { query: { apikey: OWN } }, 'UNAUTHORIZED'],
      ['', { extraHeaders: { apikey: OWN } }, 'UNAUTHORIZED'],
      ['/MY SHOP', { query: { apikey: KEY } }, 'INSTANCE_NOT_FOUND'],
    ];
    for (const [namespace, options, code] of refusals) {
      const { message, data } = await new EventClient(world, namespace, options).waitForRefusal();
      expect(data, namespace).toMatchObject({ code });
      expect(message).toMatch(code === 'UNAUTHORIZED' ? /apikey/ : /does not exist/);
    }

    await sandbox.pairing.scanQr(mine, String(at(created.body, 'qrcode.code')));
    const { query, header, auth, all, other } = clients;
    const isOpen = ({ event, body }: Received) => event === 'connection.update' && at(body, 'data.state') === 'open';
    await Promise.all([query, header, auth, all].map((client) => client.waitFor(isOpen)));
    const phone = sandbox.phones.phone(contact);
    await phone.send(mine, { text: 'first' });
    const post = await receiver.next(({ body }) => isEvent(body, 'messages.upsert') && textOf(body) === 'first');
    const { destination, ...same } = post.body as Record<string, unknown>;
    expect(destination).toBe(receiver.url);
    for (const client of [query, header, auth, all]) expect((await client.waitForText('first')).body).toEqual(same);
    expect(new Set(query.received.map(({ event }) => event))).toEqual(
      new Set(['connection.update', 'messages.upsert']),
    );
    // The root namespace also has events to which no instance is subscribed.
    await all.waitFor(({ event }) => event === 'contacts.update');

    // The settings change while clients are connected, in flat and in wrapped form.
    const set = (body: unknown) => api('POST', '/websocket/set/my shop', body);
    const find = async () => (await api('GET', '/websocket/find/my shop')).body;
    const off = await set({ enabled: false });
    expect(off).toMatchObject({ status: 201, body: { enabled: false } });
    await phone.send(mine, { text: 'second' });
    await all.waitForText('second');
    const on = await set({ websocket: { enabled: true } });
    expect(at(on.body, 'events')).toContain('MESSAGES_UPSERT');
    expect(at(on.body, 'websocket.websocket.enabled')).toBe(true);
    await phone.send(mine, { text: 'third' });
    await query.waitForText('third');
    const texts = query.received.filter(({ event }) => event === 'messages.upsert').map(({ body }) => textOf(body));
    expect(texts).toEqual(['first', 'third']);
    expect(await set({ enabled: true, events: ['nonsense'] })).toMatchObject({ status: 400 });
    await set({ enabled: true, events: ['MESSAGES_UPSERT', 'REMOVE_INSTANCE'] });
    expect(await find()).toMatchObject({ enabled: true, events: ['MESSAGES_UPSERT', 'REMOVE_INSTANCE'] });
    const [record] = (await api('GET', '/instance/fetchInstances?instanceName=my shop')).body as unknown[];
    expect(at(record, 'Websocket.events')).toEqual(['MESSAGES_UPSERT', 'REMOVE_INSTANCE']);

    // The deletion of the instance emits its events and closes the connections of its namespace.
    const instanceClosings = Promise.all([query, header, auth].map((client) => client.waitForDisconnect()));
    await api('DELETE', '/instance/delete/my shop');
    expect(await instanceClosings).toEqual(Array(3).fill('io server disconnect'));
    expect(query.received.at(-1)?.event).toBe('remove.instance');
    await all.waitFor(({ event, body }) => event === 'remove.instance' && at(body, 'instance') === 'my shop');
    expect(other.received.map(({ event }) => event)).toEqual([]);
    expect(JSON.stringify(world.log)).not.toContain(OWN);

    const otherClosings = Promise.all([all, other].map((client) => client.waitForDisconnect()));
    await world.gateway.stop();
    await otherClosings;
  });
});
