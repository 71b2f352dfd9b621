import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../src/errors.ts';
import { FakeWorld, opened, tick } from './fakes.ts';

const failure = (code: string) => expect.objectContaining({ name: 'GatewayError', code });

describe('connect', () => {
  it('answers the state once open, and at once when it already is', async () => {
    const world = new FakeWorld();
    const instance = await opened(world);
    expect(await instance.connect()).toEqual({ instance: { instanceName: 'shop', state: 'open' } });
    expect(world.links).toHaveLength(1);
    expect(instance.status()).toMatchObject({ state: 'open', phase: 'open', cause: null, code: null, qr: null });
  });

  it('answers the first QR code when there is nothing linked', async () => {
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

  it('names the failure when the platform closes instead', async () => {
    const world = new FakeWorld();
    const instance = world.instance();
    const connecting = instance.connect();
    (await world.link()).close(405);
    await expect(connecting).rejects.toEqual(failure('CONNECT_FAILED'));
    await expect(connecting).rejects.toThrow(/outdated.*Upgrade/);
    expect(instance.status()).toMatchObject({ state: 'close', phase: 'blocked', cause: 'outdated', code: 405 });
  });

  it('names a failure to reach the platform and goes on trying', async () => {
    const world = new FakeWorld();
    const instance = world.instance();
    const connecting = instance.connect();
    (await world.link()).close(503);
    await expect(connecting).rejects.toEqual(failure('CONNECT_FAILED'));
    expect(instance.status()).toMatchObject({ state: 'connecting', phase: 'backoff', cause: 'transient' });
    expect(instance.status().retryAt).toBe(world.clock.now() + 1000);
  });

  it('does not wait out a backoff when asked to connect', async () => {
    const world = new FakeWorld();
    const instance = await opened(world);
    world.last.close(503);
    await world.reached('backoff');
    const connecting = instance.connect();
    (await world.link(2)).open();
    await expect(connecting).resolves.toMatchObject({ instance: { state: 'open' } });
    expect(world.clock.pending).toEqual([]);
  });

  it('gives up after its deadline while the instance goes on', async () => {
    const world = new FakeWorld();
    const instance = world.instance();
    const connecting = instance.connect();
    const refused = expect(connecting).rejects.toEqual(failure('PLATFORM_TIMEOUT'));
    await world.link();
    await world.clock.advance(20_000);
    await refused;
    expect(instance.status().phase).toBe('connecting');
  });

  it('ends when the caller hangs up', async () => {
    const world = new FakeWorld();
    const controller = new AbortController();
    const connecting = world.instance().connect({ signal: controller.signal });
    await world.link();
    controller.abort(new Error('gone'));
    await expect(connecting).rejects.toThrow('gone');
  });

  it('reports credentials that cannot be read and keeps them', async () => {
    const world = new FakeWorld();
    const instance = world.instance();
    world.openFailure = new GatewayError('STORAGE_UNREADABLE', 'no key');
    await expect(instance.connect()).rejects.toEqual(failure('CONNECT_FAILED'));
    expect(instance.status()).toMatchObject({ phase: 'blocked', cause: 'unreadable' });
    expect(world.wipes).toBe(0);
  });

  it('treats a store that does not answer as passing', async () => {
    const world = new FakeWorld();
    const instance = world.instance();
    world.openFailure = new GatewayError('STORAGE_UNAVAILABLE', 'busy');
    await expect(instance.connect()).rejects.toEqual(failure('CONNECT_FAILED'));
    expect(instance.status()).toMatchObject({ phase: 'backoff', cause: 'transient' });
  });
});

describe('session', () => {
  it('is refused while not open, and says that nothing was sent', () => {
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

  it('is the one of the open connection, and gone the moment it closes', async () => {
    const world = new FakeWorld();
    const instance = await opened(world);
    expect(instance.session().instanceId).toBe(instance.id);
    world.last.close(428);
    expect(() => instance.session()).toThrow('Connection Closed');
  });
});

describe('restart', () => {
  it('closes the old connection before it opens the new one, and ends open', async () => {
    const world = new FakeWorld();
    const instance = await opened(world);
    const restarting = instance.restart();
    (await world.link(2)).open();
    await restarting;
    expect(instance.status().state).toBe('open');
    expect(world.mostAlive).toBe(1);
    expect(world.last.logouts).toBe(0);
  });

  it('answers after a short while with the true state when the platform is slow', async () => {
    const world = new FakeWorld();
    const instance = await opened(world);
    const restarting = instance.restart();
    await world.link(2);
    await world.clock.advance(5_000);
    await restarting;
    expect(instance.status().state).toBe('connecting');
  });

  it('says that the instance is gone when it was deleted meanwhile', async () => {
    const world = new FakeWorld();
    const instance = await opened(world);
    const restarting = instance.restart();
    const deleting = instance.delete();
    await expect(restarting).rejects.toMatchObject({ code: 'INSTANCE_NOT_FOUND' });
    await deleting;
  });

  it('starts a blocked instance again', async () => {
    const world = new FakeWorld();
    const instance = await opened(world);
    world.last.close(440);
    await world.reached('blocked(replaced)');
    const restarting = instance.restart();
    (await world.link(2)).open();
    await restarting;
    expect(instance.status()).toMatchObject({ state: 'open', cause: null });
  });
});

describe('logout', () => {
  it('tells the platform, wipes the credentials and keeps the record', async () => {
    const world = new FakeWorld();
    const instance = await opened(world);
    expect(await instance.logout()).toEqual({ isConfirmed: true });
    expect(world.last.logouts).toBe(1);
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

  it('says so when the platform did not confirm', async () => {
    const world = new FakeWorld();
    const instance = await opened(world);
    world.deafToLogout = true;
    expect(await instance.logout()).toEqual({ isConfirmed: false });
    expect(world.linked.size).toBe(0);
  });

  it('wipes locally when linked but not open', async () => {
    const world = new FakeWorld();
    const instance = await opened(world);
    world.last.close(503);
    await world.reached('backoff');
    expect(await instance.logout()).toEqual({ isConfirmed: false });
    expect(world.linked.size).toBe(0);
    expect(world.clock.pending).toEqual([]);
  });

  it('ends a pairing without a notice to the platform', async () => {
    const world = new FakeWorld();
    const instance = world.instance();
    const connecting = instance.connect();
    (await world.link()).qr();
    await connecting;
    expect(await instance.logout()).toEqual({ isConfirmed: true });
    expect(instance.status()).toMatchObject({ phase: 'logged_out', qr: null });
  });

  it('does not fail because of a failure of storage before it', async () => {
    const world = new FakeWorld();
    const instance = world.instance();
    const { wipe } = world.storage.authKeys;
    world.storage.authKeys.wipe = () => Promise.reject(new Error('disk full'));
    const connecting = instance.connect();
    (await world.link()).close(503);
    await expect(connecting).rejects.toEqual(failure('CONNECT_FAILED'));
    world.storage.authKeys.wipe = wipe;
    const again = instance.connect();
    (await world.link(2)).open();
    await again;
    expect(await instance.logout()).toEqual({ isConfirmed: true });
  });

  it('is refused when there is nothing to log out from, before and after', async () => {
    const world = new FakeWorld();
    const fresh = world.instance();
    await expect(fresh.logout()).rejects.toMatchObject({
      code: 'INSTANCE_NOT_CONNECTED',
      responseMessage: ['The "shop" instance is not connected'],
    });
    const instance = await opened(new FakeWorld());
    await instance.logout();
    await expect(instance.logout()).rejects.toEqual(failure('INSTANCE_NOT_CONNECTED'));
  });

  it('is the same as removing the device on the phone, except for the reason', async () => {
    const world = new FakeWorld();
    const instance = await opened(world);
    world.last.close(401);
    await world.event('logout.instance');
    expect(world.reportedStates.at(-1)).toBe('close:401');
    expect(instance.status()).toMatchObject({ phase: 'logged_out', cause: 'logged_out' });
    expect(world.wipes).toBe(1);
    expect(world.rows.get(instance.id)).toMatchObject({ disconnectionCode: 401, disconnectionCause: 'logged_out' });
  });
});

describe('connect while the gateway cleans up after the end of a link', () => {
  /** The next deletion of credentials waits until `release` is called. */
  function holdWipe(world: FakeWorld): { begun: Promise<void>; release: () => void } {
    const { wipe } = world.storage.authKeys;
    const begun = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    world.storage.authKeys.wipe = async (id) => {
      world.storage.authKeys.wipe = wipe;
      begun.resolve();
      await released.promise;
      return wipe(id);
    };
    return { begun: begun.promise, release: released.resolve };
  }

  it.each([
    ['the logout', 401],
    ['the last QR code', 408],
  ])('keeps the instance running after %s', async (_, code) => {
    const world = new FakeWorld();
    const instance = world.instance({ qrLimit: 1 });
    const connecting = instance.connect();
    const first = await world.link();
    first.qr();
    await connecting;
    const wipe = holdWipe(world);
    first.close(code);
    await wipe.begun;
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

  it('keeps the instance running when a restart was requested right before the logout', async () => {
    const world = new FakeWorld();
    const instance = await opened(world);
    world.last.close(401);
    const restarting = instance.restart();
    (await world.link(2)).open();
    await restarting;
    expect(instance.status().state).toBe('open');
    expect(world.rows.get(instance.id)?.desired).toBe('running');
  });
});

describe('disconnect', () => {
  it('does not say that a lost connection is retried', async () => {
    const world = new FakeWorld();
    const instance = await opened(world);
    world.last.close(503);
    await world.reached('backoff');
    await instance.disconnect();
    expect(instance.status()).toMatchObject({ phase: 'stopped', cause: null, message: null });
    expect(() => instance.session()).toThrow('The \\"shop\\" instance is stopped.');
    expect(world.reportedStates.at(-1)).toBe('close:200');
  });

  it('does not hide that a logout could not wipe the credentials', async () => {
    const world = new FakeWorld();
    const instance = await opened(world);
    world.storage.authKeys.wipe = () => Promise.reject(new Error('disk full'));
    const loggedOut = expect(instance.logout()).rejects.toThrow('disk full');
    // The wipe has failed then, and the logout does not know it yet.
    await world.changes.waitFor(() => world.ofType('status.instance')[0], { clock: world.clock });
    await instance.disconnect();
    await loggedOut;
  });

  it('keeps the reason for which a person has to act', async () => {
    const world = new FakeWorld();
    const instance = await opened(world);
    world.last.close(402);
    await world.reached('blocked(banned)');
    await instance.disconnect();
    expect(instance.status()).toMatchObject({ phase: 'stopped', cause: 'banned' });
  });

  it('does not fail because of a failure of storage before it', async () => {
    const world = new FakeWorld();
    const instance = world.instance();
    world.storage.authKeys.wipe = () => Promise.reject(new Error('disk full'));
    const connecting = instance.connect();
    (await world.link()).close(503);
    await expect(connecting).rejects.toEqual(failure('CONNECT_FAILED'));
    await instance.disconnect();
    expect(instance.status().phase).toBe('stopped');
  });

  it('closes without logging out, and opens no connection before a client asks for one', async () => {
    const world = new FakeWorld();
    const instance = await opened(world);
    expect(instance.isStopped).toBe(false);
    await instance.disconnect();
    expect(instance.isStopped).toBe(true);
    expect(world.last).toMatchObject({ logouts: 0, alive: false });
    expect(world.linked.has(instance.id)).toBe(true);
    expect(world.rows.get(instance.id)?.desired).toBe('stopped');
    const { restored } = await world.manager().boot();
    await restored;
    expect(world.links).toHaveLength(1);
    const connected = instance.connect();
    (await world.link(2)).open();
    expect(await connected).toEqual({ instance: { instanceName: 'shop', state: 'open' } });
  });

  it('is not undone by a change of the proxy while it closes the connection', async () => {
    const world = new FakeWorld();
    const instance = await opened(world);
    const proxy = { host: 'proxy.example', port: 1080, protocol: 'socks5', username: '', password: '' } as const;
    await Promise.all([instance.disconnect(), instance.changeProxy(proxy)]);
    await tick();
    expect(instance.isStopped).toBe(true);
    expect(world.links).toHaveLength(1);
    expect(instance.row.proxy).toEqual(proxy);
  });
});

describe('shutDown', () => {
  it('closes without logging out, keeps what was asked for, and reports nothing', async () => {
    const world = new FakeWorld();
    const instance = await opened(world);
    const before = world.events.length;
    await instance.shutDown();
    await tick();
    expect(instance.status().phase).toBe('stopped');
    expect(world.last).toMatchObject({ logouts: 0, alive: false });
    expect(world.linked.has(instance.id)).toBe(true);
    expect(world.rows.get(instance.id)?.desired).toBe('running');
    expect(world.events).toHaveLength(before);
    await expect(instance.connect()).rejects.toEqual(failure('SHUTTING_DOWN'));
  });

  it('answers callers that wait for a connection', async () => {
    const world = new FakeWorld();
    const instance = world.instance();
    const refused = expect(instance.connect()).rejects.toEqual(failure('SHUTTING_DOWN'));
    await world.link();
    await instance.shutDown();
    await refused;
  });
});
