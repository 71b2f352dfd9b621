import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../src/errors.ts';
import { FakeWorld, openInstance, tick } from '../support/instance-fakes.ts';

const gatewayError = (code: string) => expect.objectContaining({ name: 'GatewayError', code });

describe('Instance.connect()', () => {
  it('instance.connect() returns the state of an open instance, and opens no second connection', async () => {
    const world = new FakeWorld();
    const instance = await openInstance(world);
    expect(await instance.connect()).toEqual({ instance: { instanceName: 'shop', state: 'open' } });
    expect(world.links).toHaveLength(1);
    expect(instance.status()).toMatchObject({ state: 'open', phase: 'open', cause: null, code: null, qr: null });
  });

  it('instance.connect() returns the first QR code when no account is linked', async () => {
    const world = new FakeWorld();
    const instance = world.instance();
    const connecting = instance.connect();
    (await world.link()).qr('the text of the code');
    const answer = await connecting;
    expect(answer).toMatchObject({ code: 'the text of the code', count: 1, pairingCode: null });
    expect(answer).toHaveProperty('base64', expect.stringMatching(/^data:image\/png;base64,iVBOR/));
    expect(instance.status().qr).toEqual(answer);
    expect(instance.row.desired).toBe('running');
  });

  it('instance.connect() rejects with the cause and the required action when the platform refuses the connection', async () => {
    const world = new FakeWorld();
    const instance = world.instance();
    const connecting = instance.connect();
    (await world.link()).close(405);
    await expect(connecting).rejects.toEqual(gatewayError('CONNECT_FAILED'));
    await expect(connecting).rejects.toThrow(/outdated.*Upgrade/);
    expect(instance.status()).toMatchObject({ state: 'close', phase: 'blocked', cause: 'outdated', code: 405 });
  });

  it('instance.connect() rejects when the platform is unavailable, and the instance retries', async () => {
    const world = new FakeWorld();
    const instance = world.instance();
    const connecting = instance.connect();
    (await world.link()).close(503);
    await expect(connecting).rejects.toEqual(gatewayError('CONNECT_FAILED'));
    expect(instance.status()).toMatchObject({ state: 'connecting', phase: 'backoff', cause: 'transient' });
    expect(instance.status().retryAt).toBe(world.clock.now() + 1000);
  });

  it('instance.connect() opens a connection at once while the instance waits for its next attempt', async () => {
    const world = new FakeWorld();
    const instance = await openInstance(world);
    world.lastLink.close(503);
    await world.reached('backoff');
    const connecting = instance.connect();
    (await world.link(2)).open();
    await expect(connecting).resolves.toMatchObject({ instance: { state: 'open' } });
    expect(world.clock.pending).toEqual([]);
  });

  it('instance.connect() rejects with PLATFORM_TIMEOUT after 20 seconds, and the instance keeps connecting', async () => {
    const world = new FakeWorld();
    const instance = world.instance();
    const connecting = instance.connect();
    const refused = expect(connecting).rejects.toEqual(gatewayError('PLATFORM_TIMEOUT'));
    await world.link();
    await world.clock.advance(20_000);
    await refused;
    expect(instance.status().phase).toBe('connecting');
  });

  it('instance.connect() rejects when its signal is aborted', async () => {
    const world = new FakeWorld();
    const controller = new AbortController();
    const connecting = world.instance().connect({ signal: controller.signal });
    await world.link();
    controller.abort(new Error('gone'));
    await expect(connecting).rejects.toThrow('gone');
  });

  it('instance.connect() blocks an instance whose credentials cannot be read, and keeps the credentials', async () => {
    const world = new FakeWorld();
    const instance = world.instance();
    world.openFailure = new GatewayError('STORAGE_UNREADABLE', 'no key');
    await expect(instance.connect()).rejects.toEqual(gatewayError('CONNECT_FAILED'));
    expect(instance.status()).toMatchObject({ phase: 'blocked', cause: 'unreadable' });
    expect(world.wipes).toBe(0);
  });

  it('instance.connect() rejects when the storage is unavailable, and the instance retries', async () => {
    const world = new FakeWorld();
    const instance = world.instance();
    world.openFailure = new GatewayError('STORAGE_UNAVAILABLE', 'busy');
    await expect(instance.connect()).rejects.toEqual(gatewayError('CONNECT_FAILED'));
    expect(instance.status()).toMatchObject({ phase: 'backoff', cause: 'transient' });
  });
});

describe('Instance.session()', () => {
  it('instance.session() throws INSTANCE_NOT_OPEN with certain: true while the instance is not open', () => {
    const instance = new FakeWorld().instance();
    expect(() => instance.session()).toThrow(GatewayError);
    try {
      instance.session();
    } catch (err) {
      expect(err).toMatchObject({ code: 'INSTANCE_NOT_OPEN', status: 400, certain: true });
      expect(err).toHaveProperty('responseMessage', [
        'Error: Connection Closed',
        'The "shop" instance is stopped. It is not linked: link it with GET /instance/connect/shop.',
      ]);
    }
  });

  it('instance.session() returns the session of the open connection, and throws as soon as the connection closes', async () => {
    const world = new FakeWorld();
    const instance = await openInstance(world);
    expect(instance.session().instanceId).toBe(instance.id);
    world.lastLink.close(428);
    expect(() => instance.session()).toThrow('Connection Closed');
  });
});

describe('Instance.restart()', () => {
  it('instance.restart() closes the old connection before it opens the new one, and does not log out', async () => {
    const world = new FakeWorld();
    const instance = await openInstance(world);
    const restarting = instance.restart();
    (await world.link(2)).open();
    await restarting;
    expect(instance.status().state).toBe('open');
    expect(world.maxAliveLinks).toBe(1);
    expect(world.lastLink.logouts).toBe(0);
  });

  it('instance.restart() resolves after 5 seconds when the platform is slow, and the instance is still connecting', async () => {
    const world = new FakeWorld();
    const instance = await openInstance(world);
    const restarting = instance.restart();
    await world.link(2);
    await world.clock.advance(5_000);
    await restarting;
    expect(instance.status().state).toBe('connecting');
  });

  it('instance.restart() rejects with INSTANCE_NOT_FOUND when the instance is deleted meanwhile', async () => {
    const world = new FakeWorld();
    const instance = await openInstance(world);
    const restarting = instance.restart();
    const deleting = instance.delete();
    await expect(restarting).rejects.toMatchObject({ code: 'INSTANCE_NOT_FOUND' });
    await deleting;
  });

  it('instance.restart() connects a blocked instance', async () => {
    const world = new FakeWorld();
    const instance = await openInstance(world);
    world.lastLink.close(440);
    await world.reached('blocked(replaced)');
    const restarting = instance.restart();
    (await world.link(2)).open();
    await restarting;
    expect(instance.status()).toMatchObject({ state: 'open', cause: null });
  });
});

describe('Instance.logout()', () => {
  it('instance.logout() unlinks the device, deletes the credentials, keeps the row and reports three events', async () => {
    const world = new FakeWorld();
    const instance = await openInstance(world);
    expect(await instance.logout()).toEqual({ isConfirmed: true });
    expect(world.lastLink.logouts).toBe(1);
    expect(world.linked.size).toBe(0);
    expect(instance.status()).toMatchObject({ state: 'close', phase: 'logged_out', cause: 'logout_requested' });
    expect(world.rows.get(instance.id)).toMatchObject({ ownerJid: null, profileName: null, desired: 'stopped' });
    expect(world.events.slice(-3).map(({ type }) => type)).toEqual([
      'connection.update',
      'status.instance',
      'logout.instance',
    ]);
    const again = instance.connect();
    (await world.link(2)).qr();
    await expect(again).resolves.toMatchObject({ count: 1 });
  });

  it('instance.logout() returns isConfirmed false when the platform does not confirm the logout', async () => {
    const world = new FakeWorld();
    const instance = await openInstance(world);
    world.failsToLogOut = true;
    expect(await instance.logout()).toEqual({ isConfirmed: false });
    expect(world.linked.size).toBe(0);
  });

  it('instance.logout() deletes the credentials of a linked instance that is not open, and returns isConfirmed false', async () => {
    const world = new FakeWorld();
    const instance = await openInstance(world);
    world.lastLink.close(503);
    await world.reached('backoff');
    expect(await instance.logout()).toEqual({ isConfirmed: false });
    expect(world.linked.size).toBe(0);
    expect(world.clock.pending).toEqual([]);
  });

  it('instance.logout() ends a pairing and removes the QR code', async () => {
    const world = new FakeWorld();
    const instance = world.instance();
    const connecting = instance.connect();
    (await world.link()).qr();
    await connecting;
    expect(await instance.logout()).toEqual({ isConfirmed: true });
    expect(instance.status()).toMatchObject({ phase: 'logged_out', qr: null });
  });

  it('instance.logout() succeeds after an earlier failure of the storage', async () => {
    const world = new FakeWorld();
    const instance = world.instance();
    const { wipe } = world.storage.authKeys;
    world.storage.authKeys.wipe = () => Promise.reject(new Error('disk full'));
    const connecting = instance.connect();
    (await world.link()).close(503);
    await expect(connecting).rejects.toEqual(gatewayError('CONNECT_FAILED'));
    world.storage.authKeys.wipe = wipe;
    const again = instance.connect();
    (await world.link(2)).open();
    await again;
    expect(await instance.logout()).toEqual({ isConfirmed: true });
  });

  it('instance.logout() rejects with INSTANCE_NOT_CONNECTED before an account is linked and after a logout', async () => {
    const world = new FakeWorld();
    const unlinked = world.instance();
    await expect(unlinked.logout()).rejects.toMatchObject({
      code: 'INSTANCE_NOT_CONNECTED',
      responseMessage: ['The "shop" instance is not connected'],
    });
    const instance = await openInstance(new FakeWorld());
    await instance.logout();
    await expect(instance.logout()).rejects.toEqual(gatewayError('INSTANCE_NOT_CONNECTED'));
  });

  it('an instance logs out and deletes its credentials when the device is removed on the phone', async () => {
    const world = new FakeWorld();
    const instance = await openInstance(world);
    world.lastLink.close(401);
    await world.event('logout.instance');
    expect(world.reportedStates.at(-1)).toBe('close:401');
    expect(instance.status()).toMatchObject({ phase: 'logged_out', cause: 'logged_out' });
    expect(world.wipes).toBe(1);
    expect(world.rows.get(instance.id)).toMatchObject({ disconnectionCode: 401, disconnectionCause: 'logged_out' });
  });
});

describe('connect() and restart() during the cleanup after a link has ended', () => {
  /** Makes the next deletion of credentials wait until `release` is called. */
  function holdWipe(world: FakeWorld): { started: Promise<void>; release: () => void } {
    const { wipe } = world.storage.authKeys;
    const started = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    world.storage.authKeys.wipe = async (id) => {
      world.storage.authKeys.wipe = wipe;
      started.resolve();
      await released.promise;
      return wipe(id);
    };
    return { started: started.promise, release: released.resolve };
  }

  it.each([
    ['the logout', 401],
    ['the last QR code', 408],
  ])('instance.connect() keeps the instance running when it is called during the cleanup after %s', async (_, code) => {
    const world = new FakeWorld();
    const instance = world.instance({ qrLimit: 1 });
    const connecting = instance.connect();
    const first = await world.link();
    first.qr();
    await connecting;
    const wipe = holdWipe(world);
    first.close(code);
    await wipe.started;
    expect(instance.status().state).toBe('close');
    expect(instance.row.desired).toBe('stopped');
    const again = instance.connect();
    wipe.release();
    (await world.link(2)).open();
    await again;
    await instance.waitUntilSettled(0);
    expect(instance.status().state).toBe('open');
    expect(world.rows.get(instance.id)?.desired).toBe('running');
  });

  it('instance.restart() keeps the instance running when it is called right after the phone removed the device', async () => {
    const world = new FakeWorld();
    const instance = await openInstance(world);
    world.lastLink.close(401);
    const restarting = instance.restart();
    (await world.link(2)).open();
    await restarting;
    expect(instance.status().state).toBe('open');
    expect(world.rows.get(instance.id)?.desired).toBe('running');
  });
});

describe('Instance.disconnect()', () => {
  it('instance.disconnect() clears the cause and the message of a lost connection', async () => {
    const world = new FakeWorld();
    const instance = await openInstance(world);
    world.lastLink.close(503);
    await world.reached('backoff');
    await instance.disconnect();
    expect(instance.status()).toMatchObject({ phase: 'stopped', cause: null, message: null });
    expect(() => instance.session()).toThrow('The \\"shop\\" instance is stopped.');
    expect(world.reportedStates.at(-1)).toBe('close:200');
  });

  it('instance.logout() rejects when the credentials cannot be deleted, also when disconnect() is called meanwhile', async () => {
    const world = new FakeWorld();
    const instance = await openInstance(world);
    world.storage.authKeys.wipe = () => Promise.reject(new Error('disk full'));
    const loggedOut = expect(instance.logout()).rejects.toThrow('disk full');
    // The deletion of the credentials has failed by then, and logout() has not rejected yet.
    await world.changes.waitFor(() => world.ofType('status.instance')[0], { clock: world.clock });
    await instance.disconnect();
    await loggedOut;
  });

  it('instance.disconnect() keeps a cause that requires a user action', async () => {
    const world = new FakeWorld();
    const instance = await openInstance(world);
    world.lastLink.close(402);
    await world.reached('blocked(banned)');
    await instance.disconnect();
    expect(instance.status()).toMatchObject({ phase: 'stopped', cause: 'banned' });
  });

  it('instance.disconnect() succeeds after an earlier failure of the storage', async () => {
    const world = new FakeWorld();
    const instance = world.instance();
    world.storage.authKeys.wipe = () => Promise.reject(new Error('disk full'));
    const connecting = instance.connect();
    (await world.link()).close(503);
    await expect(connecting).rejects.toEqual(gatewayError('CONNECT_FAILED'));
    await instance.disconnect();
    expect(instance.status().phase).toBe('stopped');
  });

  it('instance.disconnect() closes the connection without a logout, and only connect() opens a new connection', async () => {
    const world = new FakeWorld();
    const instance = await openInstance(world);
    expect(instance.isStopped).toBe(false);
    await instance.disconnect();
    expect(instance.isStopped).toBe(true);
    expect(world.lastLink).toMatchObject({ logouts: 0, isAlive: false });
    expect(world.linked.has(instance.id)).toBe(true);
    expect(world.rows.get(instance.id)?.desired).toBe('stopped');
    const { restored } = await world.manager().boot();
    await restored;
    expect(world.links).toHaveLength(1);
    const connected = instance.connect();
    (await world.link(2)).open();
    expect(await connected).toEqual({ instance: { instanceName: 'shop', state: 'open' } });
  });

  it('instance.changeProxy() does not undo a disconnect() that runs at the same time', async () => {
    const world = new FakeWorld();
    const instance = await openInstance(world);
    const proxy = { host: 'proxy.example', port: 1080, protocol: 'socks5', username: '', password: '' } as const;
    await Promise.all([instance.disconnect(), instance.changeProxy(proxy)]);
    await tick();
    expect(instance.isStopped).toBe(true);
    expect(world.links).toHaveLength(1);
    expect(instance.row.proxy).toEqual(proxy);
  });
});

describe('Instance.shutDown()', () => {
  it('instance.shutDown() closes the connection without a logout, keeps the desired state and reports nothing', async () => {
    const world = new FakeWorld();
    const instance = await openInstance(world);
    const before = world.events.length;
    await instance.shutDown();
    await tick();
    expect(instance.status().phase).toBe('stopped');
    expect(world.lastLink).toMatchObject({ logouts: 0, isAlive: false });
    expect(world.linked.has(instance.id)).toBe(true);
    expect(world.rows.get(instance.id)?.desired).toBe('running');
    expect(world.events).toHaveLength(before);
    await expect(instance.connect()).rejects.toEqual(gatewayError('SHUTTING_DOWN'));
  });

  it('instance.shutDown() rejects waiting connect() calls with SHUTTING_DOWN', async () => {
    const world = new FakeWorld();
    const instance = world.instance();
    const refused = expect(instance.connect()).rejects.toEqual(gatewayError('SHUTTING_DOWN'));
    await world.link();
    await instance.shutDown();
    await refused;
  });
});
