import { describe, expect, it } from 'vitest';
import type { Instance } from '../../src/instances/instance.ts';
import { FakeWorld, openInstance, tick } from '../support/instance-fakes.ts';

/** Time until the next attempt, ms. */
const retryDelay = (world: FakeWorld, instance: Instance): number =>
  (instance.status().retryAt ?? 0) - world.clock.now();

/** Closes the newest connection, waits for the retry timer and returns its delay in ms. */
async function loseConnection(world: FakeWorld, instance: Instance, code = 503): Promise<number> {
  const before = world.transitions.filter((name) => name === 'backoff').length;
  world.lastLink.close(code);
  await world.reached('backoff', before + 1);
  return retryDelay(world, instance);
}

/** Fires the retry timer and returns once the next connection exists. */
async function retry(world: FakeWorld, instance: Instance): Promise<void> {
  const next = world.links.length + 1;
  await world.clock.advance(retryDelay(world, instance));
  await world.link(next);
}

describe('reconnecting', () => {
  it('the reconnect delay doubles after each failed attempt, up to one minute', async () => {
    const world = new FakeWorld();
    const instance = await openInstance(world);
    const delays: number[] = [];
    for (let i = 0; i < 8; i++) {
      delays.push(await loseConnection(world, instance));
      await retry(world, instance);
    }
    expect(delays).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
    expect(world.maxAliveLinks).toBe(1);
  });

  it('the reconnect delay restarts only after the connection was open for 30 seconds', async () => {
    const world = new FakeWorld();
    const instance = await openInstance(world);
    const reopen = async (ms: number): Promise<void> => {
      await retry(world, instance);
      world.lastLink.open();
      await tick();
      await world.clock.advance(ms);
    };
    expect(await loseConnection(world, instance)).toBe(1000);
    await reopen(29_000);
    expect(await loseConnection(world, instance)).toBe(2000);
    await reopen(30_000);
    expect(await loseConnection(world, instance)).toBe(1000);
  });

  it('an instance reconnects without a delay after close code 515, and does not count the close', async () => {
    const world = new FakeWorld();
    const instance = await openInstance(world);
    world.lastLink.close(515);
    await world.link(2);
    expect(instance.status()).toMatchObject({ state: 'connecting', retryAt: null });
    world.lastLink.open();
    await world.reached('open', 2);
    expect(await loseConnection(world, instance)).toBe(1000);
  });

  it('an instance waits before it reconnects after the fifth close code 515 in a row', async () => {
    const world = new FakeWorld();
    const instance = await openInstance(world);
    for (let n = 2; n <= 5; n++) {
      world.lastLink.close(515);
      await world.link(n);
    }
    expect(await loseConnection(world, instance, 515)).toBe(1000);
  });

  it('an instance is blocked after close code 440, keeps its link and reports the required action', async () => {
    const world = new FakeWorld();
    const instance = await openInstance(world);
    world.lastLink.close(440);
    await world.reached('blocked(replaced)');
    await world.clock.advance(86_400_000);
    expect(world.links).toHaveLength(1);
    expect(instance.status()).toMatchObject({ state: 'close', phase: 'blocked', cause: 'replaced', code: 440 });
    expect(instance.status().userAction).toMatch(/restart/);
    expect(world.ofType('connection.update').at(-1)).toMatchObject({
      state: 'close',
      statusReason: 440,
      cause: 'replaced',
    });
    expect(world.linked.size).toBe(1);
  });

  it('an instance reconnects after three takeovers, and is blocked with the cause conflict after the fourth', async () => {
    const world = new FakeWorld();
    const instance = await openInstance(world, { maxTakeovers: 3 });
    for (let time = 1; time <= 3; time++) {
      await loseConnection(world, instance, 440);
      expect(instance.status()).toMatchObject({ cause: 'displaced', userAction: null });
      await retry(world, instance);
      world.lastLink.open();
      await world.reached('open', time + 1);
    }
    world.lastLink.close(440);
    await world.reached('blocked(conflict)');
    await world.clock.advance(86_400_000);
    expect(world.links).toHaveLength(4);
    expect(world.ofType('connection.update').at(-1)).toMatchObject({ statusReason: 440, cause: 'conflict' });
    expect(world.linked.size).toBe(1);
  });

  it('takeovers that are ten minutes apart do not add up to a conflict', async () => {
    const world = new FakeWorld();
    const instance = await openInstance(world, { maxTakeovers: 3 });
    for (let time = 1; time <= 6; time++) {
      await loseConnection(world, instance, 440);
      await retry(world, instance);
      world.lastLink.open();
      await world.reached('open', time + 1);
      await world.clock.advance(600_000);
    }
    expect(instance.status().state).toBe('open');
  });

  it('an instance retries after close code 500, and reports bad_session from the fifth close in a row', async () => {
    const world = new FakeWorld();
    const instance = await openInstance(world);
    for (const time of [1, 2, 3]) {
      const causes: unknown[] = [];
      const delays: number[] = [];
      for (let i = 0; i < 8; i++) {
        delays.push(await loseConnection(world, instance, 500));
        causes.push(instance.status().cause);
        await retry(world, instance);
      }
      expect(causes).toEqual([...Array(4).fill('transient'), ...Array(4).fill('bad_session')]);
      expect(delays).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
      world.lastLink.open();
      await world.reached('open', time + 1);
      expect(instance.status()).toMatchObject({ cause: null, userAction: null });
      await world.clock.advance(30_000);
    }
  });

  it('an instance logs a warning for an undocumented close code', async () => {
    const world = new FakeWorld();
    const instance = await openInstance(world);
    await loseConnection(world, instance, 1006);
    expect(world.logged).toContainEqual(
      expect.objectContaining({ level: 'warn', name: 'instance.close_code.defaulted' }),
    );
  });

  it('an instance stores when and why its connection ended', async () => {
    const world = new FakeWorld();
    const instance = await openInstance(world);
    await loseConnection(world, instance, 428);
    expect(world.rows.get(instance.id)).toMatchObject({
      disconnectionCode: 428,
      disconnectionCause: 'transient',
      disconnectionAt: world.clock.now(),
    });
  });
});

describe('the watchdog', () => {
  it('the watchdog ends a connection that does not open within 30 seconds, and the instance retries', async () => {
    const world = new FakeWorld();
    const instance = world.instance();
    await instance.start();
    await world.link(1);
    await world.clock.advance(30_000);
    await world.reached('backoff');
    expect(world.lastLink.isAlive).toBe(false);
    expect(instance.status()).toMatchObject({ cause: 'transient', code: 408 });
    await retry(world, instance);
    expect(world.links).toHaveLength(2);
    expect(world.maxAliveLinks).toBe(1);
  });

  it('the watchdog does not end a connection that is open or displays a QR code', async () => {
    const world = new FakeWorld();
    await openInstance(world);
    await world.clock.advance(86_400_000);
    expect(world.transitions.at(-1)).toBe('open');

    const other = new FakeWorld();
    await other.instance().start();
    (await other.link(1)).qr();
    await other.event('qrcode.updated');
    await other.clock.advance(86_400_000);
    expect(other.transitions.at(-1)).toBe('pairing');
  });

  it('an instance abandons a socket that does not close, and ignores its later events', async () => {
    const world = new FakeWorld();
    const instance = await openInstance(world);
    const [oldLink] = world.links;
    world.hangsOnClose = true;
    const restarting = instance.restart();
    await world.reached('closing(connecting)');
    await world.clock.advance(10_000);
    const second = await world.link(2);
    world.hangsOnClose = false;
    second.open();
    await restarting;
    oldLink?.close(401);
    await tick();
    expect(instance.status().state).toBe('open');
    expect(world.wipes).toBe(0);
  });
});

describe('signals of old and new connections', () => {
  it('an instance keeps signals that arrive before its session exists', async () => {
    const world = new FakeWorld();
    const row = world.row({ ownerJid: 'x' });
    world.linked.add(row.id);
    const instance = world.instance({}, row);
    await instance.start();
    await world.until(() => world.links.length === 1, 'opening');
    // The fake resolves openSession one tick after the link exists.
    world.lastLink.open();
    await world.reached('open');
    expect(instance.session()).toBeDefined();
  });

  it('an instance ignores all signals of a connection after its close', async () => {
    const world = new FakeWorld();
    const instance = await openInstance(world);
    const [link] = world.links;
    await loseConnection(world, instance, 503);
    link?.close(401);
    link?.qr();
    link?.open();
    await tick();
    expect(world.transitions.at(-1)).toBe('backoff');
    expect(world.wipes).toBe(0);
  });

  it('instance.shutDown() leaves no socket open when it is called during start()', async () => {
    const world = new FakeWorld();
    const instance = world.instance();
    const starting = instance.start();
    const stopping = instance.shutDown();
    await Promise.all([starting, stopping]);
    await tick();
    expect(world.links.filter(({ isAlive: alive }) => alive)).toEqual([]);
    expect(instance.status().phase).toBe('stopped');
  });
});
