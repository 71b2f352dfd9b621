// Integrators that listen with socket.io, each in its own way, beside a webhook that gets the same.
import { io, type Socket } from 'socket.io-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { at } from '../support/api.ts';
import { isEvent, KEY, startWorld, type World } from '../support/gateway.ts';

const mine = '15550009301';
const theirs = '15550009302';
const OWN = 'key-of-the-shop-0123456789';

interface Received {
  event: string;
  body: unknown;
}

const textOf = (body: unknown) => at(body, 'data.message.conversation');

/** A client of a namespace, and what it received. */
class Ear {
  readonly socket: Socket;
  readonly received: Received[] = [];
  readonly #looks = new Set<() => void>();

  constructor(world: World, namespace: string, options: Parameters<typeof io>[1] = {}) {
    this.socket = io(world.api.url + namespace, { forceNew: true, reconnection: false, ...options });
    onTestFinished(() => void this.socket.disconnect());
    this.socket.onAny((event: string, body: unknown) => {
      this.received.push({ event, body });
      for (const look of [...this.#looks]) look();
    });
  }

  /** Resolves when the namespace was joined. */
  joined(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.socket.once('connect', resolve);
      this.socket.once('connect_error', reject);
    });
  }

  /** Resolves with the error that the client got when it was refused. */
  refused(): Promise<{ message: string; data?: unknown }> {
    return new Promise((resolve, reject) => {
      this.socket.once('connect_error', resolve);
      this.socket.once('connect', () => reject(new Error('was let in')));
    });
  }

  left(): Promise<string> {
    return new Promise((resolve) => this.socket.once('disconnect', resolve));
  }

  until(matches: (inbound: Received) => boolean): Promise<Received> {
    return new Promise((resolve) => {
      const look = () => {
        const found = this.received.find(matches);
        if (!found) return;
        this.#looks.delete(look);
        resolve(found);
      };
      this.#looks.add(look);
      look();
    });
  }

  text(text: string): Promise<Received> {
    return this.until(({ event, body }) => event === 'messages.upsert' && textOf(body) === text);
  }
}

const env = { WEBSOCKET_ENABLED: 'true', WEBSOCKET_GLOBAL_EVENTS: 'true' };

describe('socket.io', () => {
  it('sends what webhooks get, to those who may read it', async () => {
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

    const ears = {
      query: new Ear(world, '/my shop', { query: { apikey: OWN } }),
      header: new Ear(world, '/my%20shop', { extraHeaders: { apikey: OWN }, transports: ['polling'] }),
      auth: new Ear(world, '/my shop', { auth: { apikey: KEY }, transports: ['websocket'] }),
      all: new Ear(world, '', { query: { apikey: KEY }, transports: ['websocket'] }),
      other: new Ear(world, '/other', { query: { apikey: KEY } }),
    };
    await Promise.all(Object.values(ears).map((ear) => ear.joined()));
    const deaf: [string, Parameters<typeof io>[1], string][] = [
      ['/my shop', {}, 'UNAUTHORIZED'],
      ['/my shop', { query: { apikey: 'wrong' }, transports: ['websocket'] }, 'UNAUTHORIZED'],
      ['/other', { auth: { apikey: OWN } }, 'UNAUTHORIZED'],
      ['/nobody', { query: { apikey: OWN } }, 'UNAUTHORIZED'],
      ['', { extraHeaders: { apikey: OWN } }, 'UNAUTHORIZED'],
      ['/MY SHOP', { query: { apikey: KEY } }, 'INSTANCE_NOT_FOUND'],
    ];
    for (const [namespace, options, code] of deaf) {
      const { message, data } = await new Ear(world, namespace, options).refused();
      expect(data, namespace).toMatchObject({ code });
      expect(message).toMatch(code === 'UNAUTHORIZED' ? /apikey/ : /does not exist/);
    }

    await sandbox.pairing.scanQr(mine, String(at(created.body, 'qrcode.code')));
    const { query, header, auth, all, other } = ears;
    const isOpen = ({ event, body }: Received) => event === 'connection.update' && at(body, 'data.state') === 'open';
    await Promise.all([query, header, auth, all].map((ear) => ear.until(isOpen)));
    const phone = sandbox.phones.phone(theirs);
    await phone.send(mine, { text: 'first' });
    const post = await receiver.next(({ body }) => isEvent(body, 'messages.upsert') && textOf(body) === 'first');
    const { destination, ...same } = post.body as Record<string, unknown>;
    expect(destination).toBe(receiver.url);
    for (const ear of [query, header, auth, all]) expect((await ear.text('first')).body).toEqual(same);
    expect(new Set(query.received.map(({ event }) => event))).toEqual(
      new Set(['connection.update', 'messages.upsert']),
    );
    // The root namespace has what no setting of an instance asks for.
    await all.until(({ event }) => event === 'contacts.update');

    // Changed while they listen, in either form.
    const set = (body: unknown) => api('POST', '/websocket/set/my shop', body);
    const find = async () => (await api('GET', '/websocket/find/my shop')).body;
    const off = await set({ enabled: false });
    expect(off).toMatchObject({ status: 201, body: { enabled: false } });
    await phone.send(mine, { text: 'second' });
    await all.text('second');
    const on = await set({ websocket: { enabled: true } });
    expect(at(on.body, 'events')).toContain('MESSAGES_UPSERT');
    expect(at(on.body, 'websocket.websocket.enabled')).toBe(true);
    await phone.send(mine, { text: 'third' });
    await query.text('third');
    const texts = query.received.filter(({ event }) => event === 'messages.upsert').map(({ body }) => textOf(body));
    expect(texts).toEqual(['first', 'third']);
    expect(await set({ enabled: true, events: ['nonsense'] })).toMatchObject({ status: 400 });
    await set({ enabled: true, events: ['MESSAGES_UPSERT', 'REMOVE_INSTANCE'] });
    expect(await find()).toMatchObject({ enabled: true, events: ['MESSAGES_UPSERT', 'REMOVE_INSTANCE'] });
    const [record] = (await api('GET', '/instance/fetchInstances?instanceName=my shop')).body as unknown[];
    expect(at(record, 'Websocket.events')).toEqual(['MESSAGES_UPSERT', 'REMOVE_INSTANCE']);

    // Deletion posts its events, and closes all connections.
    const left = Promise.all([query, header, auth].map((ear) => ear.left()));
    await api('DELETE', '/instance/delete/my shop');
    expect(await left).toEqual(Array(3).fill('io server disconnect'));
    expect(query.received.at(-1)?.event).toBe('remove.instance');
    await all.until(({ event, body }) => event === 'remove.instance' && at(body, 'instance') === 'my shop');
    expect(other.received.map(({ event }) => event)).toEqual([]);
    expect(JSON.stringify(world.log)).not.toContain(OWN);

    const ended = Promise.all([all, other].map((ear) => ear.left()));
    await world.gateway.stop();
    await ended;
  });
});
