import { describe, expect, it } from 'vitest';
import type { Instance } from '../../src/instances/instance.ts';
import { FakeWorld, opened, tick } from './fakes.ts';

/** ms until the next attempt. */
const wait = (world: FakeWorld, instance: Instance): number => (instance.status().retryAt ?? 0) - world.clock.now();

/** Closes the newest connection, waits for the retry timer and returns its delay in ms. */
async function lose(world: FakeWorld, instance: Instance, code = 503): Promise<number> {
  const before = world.transitions.filter((name) => name === 'backoff').length;
  world.last.close(code);
  await world.reached('backoff', before + 1);
  return wait(world, instance);
}

/** Fires the retry timer and returns once the next connection exists. */
async function retry(world: FakeWorld, instance: Instance): Promise<void> {
  const next = world.links.length + 1;
  await world.clock.advance(wait(world, instance));
  await world.link(next);
}

describe('reconnecting', () => {
  it('waits longer after each failed attempt, up to a minute', async () => {
    const world = new FakeWorld();
    const instance = await opened(world);
    const delays: number[] = [];
    for (let i = 0; i < 8; i++) {
      delays.push(await lose(world, instance));
      await retry(world, instance);
    }
    expect(delays).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
    expect(world.mostAlive).toBe(1);
  });

  it('starts over only after the connection was open for a while', async () => {
    const world = new FakeWorld();
    const instance = await opened(world);
    const reopen = async (ms: number): Promise<void> => {
      await retry(world, instance);
      world.last.open();
      await tick();
      await world.clock.advance(ms);
    };
    expect(await lose(world, instance)).toBe(1000);
    await reopen(29_000);
    expect(await lose(world, instance)).toBe(2000);
    await reopen(30_000);
    expect(await lose(world, instance)).toBe(1000);
  });

  it('reconnects at once after 515, without counting it', async () => {
    const world = new FakeWorld();
    const instance = await opened(world);
    world.last.close(515);
    await world.link(2);
    expect(instance.status()).toMatchObject({ state: 'connecting', retryAt: null });
    world.last.open();
    await world.reached('open', 2);
    expect(await lose(world, instance)).toBe(1000);
  });

  it('does not spin when the platform answers every connection with 515', async () => {
    const world = new FakeWorld();
    const instance = await opened(world);
    for (let n = 2; n <= 5; n++) {
      world.last.close(515);
      await world.link(n);
    }
    expect(await lose(world, instance, 515)).toBe(1000);
  });

  it('never retries after 440 and says what to do', async () => {
    const world = new FakeWorld();
    const instance = await opened(world);
    world.last.close(440);
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

  it('takes a link back three times where another node may have been late, then names the conflict', async () => {
    const world = new FakeWorld();
    const instance = await opened(world, { maxTakeovers: 3 });
    for (let time = 1; time <= 3; time++) {
      await lose(world, instance, 440);
      expect(instance.status()).toMatchObject({ cause: 'displaced', userAction: null });
      await retry(world, instance);
      world.last.open();
      await world.reached('open', time + 1);
    }
    world.last.close(440);
    await world.reached('blocked(conflict)');
    await world.clock.advance(86_400_000);
    expect(world.links).toHaveLength(4);
    expect(world.ofType('connection.update').at(-1)).toMatchObject({ statusReason: 440, cause: 'conflict' });
    expect(world.linked.size).toBe(1);
  });

  it('forgets after a while that a link was taken, so that late nodes of a week do not add up', async () => {
    const world = new FakeWorld();
    const instance = await opened(world, { maxTakeovers: 3 });
    for (let time = 1; time <= 6; time++) {
      await lose(world, instance, 440);
      await retry(world, instance);
      world.last.open();
      await world.reached('open', time + 1);
      await world.clock.advance(600_000);
    }
    expect(instance.status().state).toBe('open');
  });

  it('keeps trying after 500, names the problem from the fifth in a row, and an open connection ends the count', async () => {
    const world = new FakeWorld();
    const instance = await opened(world);
    for (const time of [1, 2, 3]) {
      const causes: unknown[] = [];
      const delays: number[] = [];
      for (let i = 0; i < 8; i++) {
        delays.push(await lose(world, instance, 500));
        causes.push(instance.status().cause);
        await retry(world, instance);
      }
      expect(causes).toEqual([...Array(4).fill('transient'), ...Array(4).fill('bad_session')]);
      expect(delays).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
      world.last.open();
      await world.reached('open', time + 1);
      expect(instance.status()).toMatchObject({ cause: null, userAction: null });
      await world.clock.advance(30_000);
    }
  });

  it('warns about an undocumented close code', async () => {
    const world = new FakeWorld();
    const instance = await opened(world);
    await lose(world, instance, 1006);
    expect(world.logged).toContainEqual(
      expect.objectContaining({ level: 'warn', name: 'instance.close_code.defaulted' }),
    );
  });

  it('stores when and why the connection ended', async () => {
    const world = new FakeWorld();
    const instance = await opened(world);
    await lose(world, instance, 428);
    expect(world.rows.get(instance.id)).toMatchObject({
      disconnectionCode: 428,
      disconnectionCause: 'transient',
      disconnectionAt: world.clock.now(),
    });
  });
});

describe('the watchdog', () => {
  it('ends a connection that never opens and retries', async () => {
    const world = new FakeWorld();
    const instance = world.instance();
    await instance.start();
    await world.link(1);
    await world.clock.advance(30_000);
    await world.reached('backoff');
    expect(world.last.alive).toBe(false);
    expect(instance.status()).toMatchObject({ cause: 'transient', code: 408 });
    await retry(world, instance);
    expect(world.links).toHaveLength(2);
    expect(world.mostAlive).toBe(1);
  });

  it('does not touch a connection that opened or displays a QR code in time', async () => {
    const world = new FakeWorld();
    await opened(world);
    await world.clock.advance(86_400_000);
    expect(world.transitions.at(-1)).toBe('open');

    const other = new FakeWorld();
    await other.instance().start();
    (await other.link(1)).qr();
    await other.event('qrcode.updated');
    await other.clock.advance(86_400_000);
    expect(other.transitions.at(-1)).toBe('pairing');
  });

  it('gives up a socket that does not go away, and ignores its later events', async () => {
    const world = new FakeWorld();
    const instance = await opened(world);
    const [old] = world.links;
    world.hangsOnClose = true;
    const restarting = instance.restart();
    await world.reached('closing(connecting)');
    await world.clock.advance(10_000);
    const second = await world.link(2);
    world.hangsOnClose = false;
    second.open();
    await restarting;
    old?.close(401);
    await tick();
    expect(instance.status().state).toBe('open');
    expect(world.linked.size).toBe(0);
    expect(world.wipes).toBe(0);
  });
});

describe('generations', () => {
  it('keeps signals that arrive before the session is known', async () => {
    const world = new FakeWorld();
    const row = world.row({ ownerJid: 'x' });
    world.linked.add(row.id);
    const instance = world.instance({}, row);
    await instance.start();
    await world.until(() => world.links.length === 1, 'opening');
    // The fake resolves openSession one tick after the link exists.
    world.last.open();
    await world.reached('open');
    expect(instance.session()).toBeDefined();
  });

  it('ignores a second close and everything after it', async () => {
    const world = new FakeWorld();
    const instance = await opened(world);
    const [link] = world.links;
    await lose(world, instance, 503);
    link?.close(401);
    link?.qr();
    link?.open();
    await tick();
    expect(world.transitions.at(-1)).toBe('backoff');
    expect(world.wipes).toBe(0);
  });

  it('never opens a socket that was unwanted before it existed', async () => {
    const world = new FakeWorld();
    const instance = world.instance();
    const starting = instance.start();
    const stopping = instance.shutDown();
    await Promise.all([starting, stopping]);
    await tick();
    expect(world.links.filter(({ alive }) => alive)).toEqual([]);
    expect(instance.status().phase).toBe('stopped');
  });
});
