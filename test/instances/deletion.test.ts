import { describe, expect, it } from 'vitest';
import { FakeWorld, opened } from './fakes.ts';

const failure = (code: string) => expect.objectContaining({ name: 'GatewayError', code });

/** Gives up the socket of the instance when commands wait for it to close. Resolves with the results. */
async function settledAfterClose(world: FakeWorld, results: Promise<unknown>[]) {
  const settled = Promise.allSettled(results);
  await world.clock.advance(10_000);
  return settled;
}

describe('delete', () => {
  it('logs out, tells the integrator and removes everything', async () => {
    const world = new FakeWorld();
    const instance = await opened(world);
    await instance.delete();
    expect(world.last.logouts).toBe(1);
    expect(world.rows.size).toBe(0);
    expect(world.events.at(-1)).toEqual({ type: 'remove.instance' });
    await expect(instance.connect()).rejects.toEqual(failure('INSTANCE_NOT_FOUND'));
  });

  it('does not depend on the platform: a socket that never goes away is given up', async () => {
    const world = new FakeWorld();
    const instance = await opened(world);
    world.hangsOnClose = true;
    const deleting = instance.delete();
    await world.reached('closing(deleted)');
    await world.clock.advance(10_000);
    await deleting;
    expect(world.rows.size).toBe(0);
  });

  it('fails when storage fails, and can then be repeated', async () => {
    const world = new FakeWorld();
    const instance = await opened(world);
    world.deleteFailure = new Error('disk full');
    await expect(instance.delete()).rejects.toThrow('disk full');
    await expect(instance.delete()).rejects.toThrow('disk full');
    world.deleteFailure = undefined;
    await instance.delete();
    expect(world.rows.size).toBe(0);
  });

  it('does not succeed while another deletion of the instance fails', async () => {
    const world = new FakeWorld();
    const instance = await opened(world);
    world.deleteFailure = new Error('disk full');
    const results = await Promise.allSettled([instance.delete(), instance.delete()]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    world.deleteFailure = undefined;
    await instance.delete();
    expect(world.rows.size).toBe(0);
  });

  it.each([
    ['after it', 'logout'],
    ['before it', 'logout'],
    ['after it', 'disconnect'],
    ['after it', 'shutDown'],
  ] as const)('fails when storage fails, also with another command %s: %s', async (order, command) => {
    const world = new FakeWorld();
    const instance = await opened(world);
    world.hangsOnClose = true;
    world.deleteFailure = new Error('disk full');
    const earlier = order === 'before it' ? instance[command]() : undefined;
    const deletion = instance.delete();
    await world.reached('closing(deleted)');
    const results = [deletion, earlier ?? instance[command]()];
    expect((await settledAfterClose(world, results))[0]).toMatchObject({
      status: 'rejected',
      reason: { message: 'disk full' },
    });
    world.deleteFailure = undefined;
    await instance.delete();
    expect(world.rows.size).toBe(0);
  });

  it('is interrupted when the instance is shut down, and is then to be continued', async () => {
    const world = new FakeWorld();
    const instance = await opened(world);
    world.hangsOnDelete = true;
    const deletion = instance.delete();
    deletion.catch(() => undefined);
    await world.reached('deleted');
    await instance.shutDown();
    await expect(deletion).rejects.toEqual(failure('SHUTTING_DOWN'));
    expect(world.logged.filter(({ level }) => level === 'error')).toEqual([]);
    expect(world.rows.size).toBe(1);
  });

  it('makes a logout that waits for it fail, because the instance no longer exists', async () => {
    const world = new FakeWorld();
    const instance = await opened(world);
    world.hangsOnClose = true;
    const deletion = instance.delete();
    await world.reached('closing(deleted)');
    const results = [deletion, instance.logout()];
    const [, logout] = await settledAfterClose(world, results);
    expect(logout).toMatchObject({ status: 'rejected', reason: { code: 'INSTANCE_NOT_FOUND' } });
  });

  it('drops what a removed instance still receives', async () => {
    const world = new FakeWorld();
    const instance = await opened(world);
    const { ingest } = world.last.options;
    await instance.delete();
    const before = world.events.length;
    await ingest([{ type: 'logout.instance' }]);
    expect(world.events).toHaveLength(before);
  });
});
