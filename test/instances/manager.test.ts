import { describe, expect, it } from 'vitest';
import { InstanceManager } from '../../src/instances/manager.ts';
import type { InstanceRow } from '../../src/storage/instance-row.ts';
import { FakeWorld, tick } from '../support/instance-fakes.ts';

const owner = '4915100000001@s.whatsapp.net';

/** Stores `count` instances that were running and linked when the process ended. */
function storeLinkedInstances(world: FakeWorld, count: number, change: Partial<InstanceRow> = {}): void {
  for (let i = 0; i < count; i++) {
    const row = world.row({
      id: `id-${i}`,
      name: `n${i}`,
      token: `t${i}`,
      desired: 'running',
      ownerJid: owner,
      ...change,
    });
    world.rows.set(row.id, row);
    world.linked.add(row.id);
  }
}

describe('InstanceManager.boot()', () => {
  it('manager.boot() connects 200 linked instances, at most ten at a time', async () => {
    const world = new FakeWorld();
    storeLinkedInstances(world, 200);
    const manager = world.manager();
    expect(manager.ready).toBe(false);
    const { restored } = await manager.boot();
    expect(manager.ready).toBe(true);
    expect(manager.list()).toHaveLength(200);
    const countConnecting = (): number => manager.list().filter((one) => one.status().phase === 'connecting').length;
    let max = 0;
    for (let n = 1; n <= 200; n++) {
      const link = await world.link(n);
      max = Math.max(max, countConnecting());
      link.open();
      await tick();
    }
    await restored;
    expect(max).toBe(10);
    expect(manager.list().every((one) => one.status().state === 'open')).toBe(true);
  });

  it('manager.boot() does not connect stopped or unlinked instances', async () => {
    const world = new FakeWorld();
    storeLinkedInstances(world, 1, { desired: 'stopped' });
    const unlinked = world.row({ id: 'u', name: 'u', token: 'u', desired: 'running' });
    world.rows.set('u', unlinked);
    await (await world.manager().boot()).restored;
    expect(world.links).toEqual([]);
  });

  it('manager.boot() connects the other instances when one row is damaged and another instance does not connect', async () => {
    const world = new FakeWorld();
    storeLinkedInstances(world, 3);
    const broken = world.rows.get('id-0');
    // A damaged row can have a value that the types forbid.
    if (broken) world.rows.set('id-0', { ...broken, token: JSON.parse('null') });
    const manager = world.manager({ connectConcurrency: 1 });
    const { restored } = await manager.boot();
    expect(manager.list().map(({ name }) => name)).toEqual(['n1', 'n2']);
    (await world.link(1)).close(503);
    (await world.link(2)).open();
    await restored;
    expect(manager.get('n1')?.status().phase).toBe('backoff');
    expect(manager.get('n2')?.status().state).toBe('open');
  });

  it('manager.boot() reports application.startup for every instance, linked or not, before all other events', async () => {
    const world = new FakeWorld();
    storeLinkedInstances(world, 1);
    world.rows.set('u', world.row({ id: 'u', name: 'u', token: 'u', desired: 'running' }));
    const startupIds: string[] = [];
    const deps = world.deps();
    const ingest: typeof deps.ingest = async (id, events) => {
      if (events.some(({ type }) => type === 'application.startup')) startupIds.push(id);
      await deps.ingest(id, events);
    };
    const { restored } = await new InstanceManager({ ...deps, ingest }).boot();
    (await world.link(1)).open();
    await restored;
    const startup = { type: 'application.startup', startedAt: expect.any(Number) };
    expect(world.events.slice(0, 2)).toEqual([startup, startup]);
    expect(world.events.length).toBeGreaterThan(2);
    expect(startupIds.sort()).toEqual(['id-0', 'u']);
  });

  it('manager.boot() stores fewer than 20 startup events at the same time', async () => {
    const world = new FakeWorld();
    storeLinkedInstances(world, 100, { desired: 'stopped' });
    let [runningCount, max, stored] = [0, 0, 0];
    const ingest = async () => {
      runningCount += 1;
      max = Math.max(max, runningCount);
      await tick();
      runningCount -= 1;
      stored += 1;
    };
    const manager = new InstanceManager({ ...world.deps(), options: {}, ingest });
    await (await manager.boot()).restored;
    expect(stored).toBe(100);
    expect(max).toBeLessThan(20);
  });

  it('manager.boot() continues the deletion of an instance that another process has started', async () => {
    const world = new FakeWorld();
    storeLinkedInstances(world, 1, { desired: 'deleted', ownerJid: null });
    world.hangsOnDelete = true;
    const manager = world.manager();
    await (await manager.boot()).restored;
    const instance = manager.get('n0');
    await expect(instance?.connect()).rejects.toMatchObject({ code: 'INSTANCE_NOT_FOUND' });
    await manager.stop();
    expect(world.rows.size).toBe(1);

    world.hangsOnDelete = false;
    const nextManager = world.manager();
    await nextManager.boot();
    await world.clock.advance(0);
    expect(nextManager.list()).toEqual([]);
    expect(world.rows.size).toBe(0);
    expect(world.ofType('application.startup')).toEqual([]);
    expect(world.links).toEqual([]);
  });

  it('manager.boot() connects the next instance when a connection hangs for 30 seconds', async () => {
    const world = new FakeWorld();
    storeLinkedInstances(world, 2);
    const { restored } = await world.manager({ connectConcurrency: 1 }).boot();
    await world.link(1);
    await world.clock.advance(30_000);
    (await world.link(2)).open();
    await restored;
  });

  it.each([
    ['stopped', 'disconnect', 'stopped'],
    ['logged out', 'logout', 'logged_out'],
  ] as const)('manager.boot() does not connect an instance that a client has %s before its turn', async (_, command, phase) => {
    const world = new FakeWorld();
    storeLinkedInstances(world, 2);
    const manager = world.manager({ connectConcurrency: 1 });
    const { restored } = await manager.boot();
    const first = await world.link(1);
    const waiting = manager.get('n1');
    await waiting?.[command]();
    first.open();
    await restored;
    expect(waiting?.status()).toMatchObject({ state: 'close', phase });
    expect(waiting?.row.desired).toBe('stopped');
    expect(world.links).toHaveLength(1);
  });

  it('manager.boot() does not connect an instance again that was blocked before its turn', async () => {
    const world = new FakeWorld();
    storeLinkedInstances(world, 2);
    const manager = world.manager({ connectConcurrency: 1 });
    const { restored } = await manager.boot();
    const first = await world.link(1);
    const connecting = manager.get('n1')?.connect();
    (await world.link(2)).close(440);
    await expect(connecting).rejects.toMatchObject({ code: 'CONNECT_FAILED' });
    first.open();
    await restored;
    expect(manager.get('n1')?.status()).toMatchObject({ phase: 'blocked', cause: 'replaced' });
    expect(world.links).toHaveLength(2);
  });

  it('manager.boot() opens no further connection after stop()', async () => {
    const world = new FakeWorld();
    storeLinkedInstances(world, 20);
    const manager = world.manager();
    const { restored } = await manager.boot();
    await world.link(1);
    await manager.stop();
    await restored;
    await tick();
    expect(world.links.filter(({ isAlive: alive }) => alive)).toEqual([]);
    expect(world.links.length).toBeLessThanOrEqual(10);
  });
});

describe('InstanceManager.retryOutdated()', () => {
  it('manager.retryOutdated() connects the linked instances that were refused as outdated, and no others', async () => {
    const world = new FakeWorld();
    storeLinkedInstances(world, 4);
    const manager = world.manager();
    const { restored } = await manager.boot();
    (await world.link(1)).close(405);
    (await world.link(2)).close(402);
    (await world.link(3)).close(409);
    await world.reached('blocked(outdated)', 2);
    await manager.get('n2')?.disconnect();
    const connecting = await world.link(4);
    const retried = manager.retryOutdated();
    // This attempt with the earlier version is refused after the call of retryOutdated().
    connecting.close(405);
    (await world.link(5)).open();
    (await world.link(6)).open();
    await Promise.all([restored, retried]);
    expect(manager.list().map((one) => one.status().phase)).toEqual(['open', 'blocked', 'stopped', 'open']);
    expect(world.links).toHaveLength(6);
  });
});

describe('InstanceManager.create()', () => {
  it('manager.create() stores an instance with a random key, and the manager finds it by name, id and key', async () => {
    const world = new FakeWorld();
    const manager = world.manager();
    const instance = await manager.create({ name: 'shop', start: false });
    expect(instance.row.token).toMatch(/^[0-9A-F]{8}-[0-9A-F]{4}-4[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}$/);
    expect(world.rows.get(instance.id)).toMatchObject({
      name: 'shop',
      desired: 'stopped',
      integration: 'WHATSAPP-BAILEYS',
    });
    expect(manager.get('shop')).toBe(instance);
    expect(manager.byId(instance.id)).toBe(instance);
    expect(manager.byKey(instance.row.token)).toBe(instance);
    expect(manager.byKey('another')).toBeUndefined();
    expect(world.links).toEqual([]);
  });

  it('manager.create() accepts a key, a number and settings, and connects the instance with start: true', async () => {
    const world = new FakeWorld();
    const manager = world.manager();
    const options = { token: 'MY-KEY', number: '+49 151 1234567', settings: { rejectCall: true } };
    const instance = await manager.create({ name: 'shop', start: true, ...options });
    expect(instance.row).toMatchObject({ token: 'MY-KEY', number: '491511234567', desired: 'running' });
    expect(instance.row.settings).toMatchObject({ rejectCall: true, groupsIgnore: false, msgCall: '' });
    const link = await world.link(1);
    link.qr();
    await world.event('qrcode.updated');
    expect(link.requestedNumbers).toEqual(['491511234567']);
  });

  it('manager.create() accepts a name only once, also when several calls run at the same time', async () => {
    const manager = new FakeWorld().manager();
    const results = await Promise.allSettled([1, 2, 3].map(() => manager.create({ name: 'shop', start: false })));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(results[1]).toMatchObject({
      reason: { code: 'INSTANCE_NAME_IN_USE', status: 403, responseMessage: ['This name "shop" is already in use.'] },
    });
  });

  it('manager.create() accepts an instance key only once', async () => {
    const manager = new FakeWorld().manager();
    const create = (name: string) => manager.create({ name, token: 'SAME', start: false });
    const results = await Promise.allSettled([create('a'), create('b')]);
    expect(results[1]).toMatchObject({
      reason: { code: 'INVALID_REQUEST', responseMessage: ['Token already exists'] },
    });
    await expect(create('c')).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  });

  it.each([
    '',
    '  ',
    'a'.repeat(101),
    'a/b',
    'a\\b',
    'a\nb',
    'a\u0000',
    '.',
    '..',
  ])('manager.create() rejects the name %j', async (name) => {
    await expect(new FakeWorld().manager().create({ name, start: false })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      responseMessage: [[expect.stringContaining('instanceName')]],
    });
  });

  it.each([
    'ein Laden',
    'a'.repeat(100),
    '小店',
    '4915112345678',
  ])('manager.create() accepts the name %j', async (name) => {
    const manager = new FakeWorld().manager();
    await manager.create({ name, start: false });
    expect(manager.get(name)?.name).toBe(name);
  });

  it('manager.create() rejects an instance key that no HTTP header can contain', async () => {
    const create = new FakeWorld().manager().create({ name: 'shop', token: 'a\nb', start: false });
    await expect(create).rejects.toMatchObject({ responseMessage: [[expect.stringContaining('token')]] });
  });

  it('manager.create() leaves the name and the key free when the instance cannot be stored', async () => {
    const world = new FakeWorld();
    const manager = world.manager();
    const { create } = world.storage.instances;
    world.storage.instances.create = () => Promise.reject(new Error('disk full'));
    await expect(manager.create({ name: 'shop', token: 'K', start: false })).rejects.toThrow('disk full');
    world.storage.instances.create = create;
    await expect(manager.create({ name: 'shop', token: 'K', start: false })).resolves.toBeDefined();
  });
});

describe('InstanceManager.delete()', () => {
  it('manager.delete() frees the name and the key of the instance', async () => {
    const world = new FakeWorld();
    const manager = world.manager();
    const instance = await manager.create({ name: 'shop', token: 'K', start: false });
    await manager.delete(instance);
    expect([manager.get('shop'), manager.byKey('K'), manager.byId(instance.id)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(world.rows.size).toBe(0);
    await expect(manager.create({ name: 'shop', token: 'K', start: false })).resolves.toBeDefined();
  });

  it('manager.delete() keeps the instance available when the storage fails, and can be repeated', async () => {
    const world = new FakeWorld();
    const manager = world.manager();
    const instance = await manager.create({ name: 'shop', start: false });
    world.deleteFailure = new Error('disk full');
    await expect(manager.delete(instance)).rejects.toThrow('disk full');
    expect(manager.get('shop')).toBe(instance);
    world.deleteFailure = undefined;
    await manager.delete(instance);
    expect(manager.list()).toEqual([]);
  });
});

describe('InstanceManager.stop()', () => {
  it('manager.stop() closes all connections without a logout, also when it is called twice', async () => {
    const world = new FakeWorld();
    storeLinkedInstances(world, 5);
    const manager = world.manager();
    const { restored } = await manager.boot();
    for (let n = 1; n <= 5; n++) (await world.link(n)).open();
    await restored;
    await Promise.all([manager.stop(), manager.stop()]);
    expect(world.links.every(({ isAlive: alive, logouts }) => !alive && logouts === 0)).toBe(true);
    expect(world.linked.size).toBe(5);
    await expect(manager.create({ name: 'late', start: true })).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
  });

  it('manager.stop() prevents the start of an instance whose row is stored only afterwards', async () => {
    const world = new FakeWorld();
    const manager = world.manager();
    const { promise: stored, resolve: store } = Promise.withResolvers<void>();
    world.storage.instances.create = () => stored;
    const created = manager.create({ name: 'late', start: false }).then((instance) => instance.start());
    await manager.stop();
    store();
    await expect(created).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
    expect(world.links).toEqual([]);
  });

  it('manager.stop() does not wait for a socket that does not close', async () => {
    const world = new FakeWorld();
    storeLinkedInstances(world, 1);
    const manager = world.manager();
    const { restored } = await manager.boot();
    (await world.link(1)).open();
    await restored;
    world.hangsOnClose = true;
    const stopping = manager.stop();
    await world.reached('closing(stopped)');
    await world.clock.advance(10_000);
    await stopping;
  });
});
