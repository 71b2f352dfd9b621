import { describe, expect, it } from 'vitest';
import { FakeWorld, openInstance } from '../support/instance-fakes.ts';

const gatewayError = (code: string) => expect.objectContaining({ name: 'GatewayError', code });

/** Advances the clock until the socket of the instance counts as closed. Resolves with the settled results. */
async function settleAfterClose(world: FakeWorld, results: Promise<unknown>[]) {
  const settled = Promise.allSettled(results);
  await world.clock.advance(10_000);
  return settled;
}

describe('Instance.delete()', () => {
  it('instance.delete() logs the device out, reports remove.instance and deletes the row of the instance', async () => {
    const world = new FakeWorld();
    const instance = await openInstance(world);
    await instance.delete();
    expect(world.lastLink.logouts).toBe(1);
    expect(world.rows.size).toBe(0);
    expect(world.events.at(-1)).toEqual({ type: 'remove.instance' });
    await expect(instance.connect()).rejects.toEqual(gatewayError('INSTANCE_NOT_FOUND'));
  });

  it('instance.delete() succeeds when the socket does not close in time', async () => {
    const world = new FakeWorld();
    const instance = await openInstance(world);
    world.hangsOnClose = true;
    const deleting = instance.delete();
    await world.reached('closing(deleted)');
    await world.clock.advance(10_000);
    await deleting;
    expect(world.rows.size).toBe(0);
  });

  it('instance.delete() rejects when the storage fails, and can be repeated', async () => {
    const world = new FakeWorld();
    const instance = await openInstance(world);
    world.deleteFailure = new Error('disk full');
    await expect(instance.delete()).rejects.toThrow('disk full');
    await expect(instance.delete()).rejects.toThrow('disk full');
    world.deleteFailure = undefined;
    await instance.delete();
    expect(world.rows.size).toBe(0);
  });

  it('both of two concurrent delete() calls reject when the storage fails', async () => {
    const world = new FakeWorld();
    const instance = await openInstance(world);
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
  ] as const)('instance.delete() rejects when the storage fails, also with another command %s: %s', async (order, command) => {
    const world = new FakeWorld();
    const instance = await openInstance(world);
    world.hangsOnClose = true;
    world.deleteFailure = new Error('disk full');
    const earlier = order === 'before it' ? instance[command]() : undefined;
    const deletion = instance.delete();
    await world.reached('closing(deleted)');
    const results = [deletion, earlier ?? instance[command]()];
    expect((await settleAfterClose(world, results))[0]).toMatchObject({
      status: 'rejected',
      reason: { message: 'disk full' },
    });
    world.deleteFailure = undefined;
    await instance.delete();
    expect(world.rows.size).toBe(0);
  });

  it('instance.delete() rejects with SHUTTING_DOWN when shutDown() interrupts it, and the row remains', async () => {
    const world = new FakeWorld();
    const instance = await openInstance(world);
    world.hangsOnDelete = true;
    const deletion = instance.delete();
    deletion.catch(() => undefined);
    await world.reached('deleted');
    await instance.shutDown();
    await expect(deletion).rejects.toEqual(gatewayError('SHUTTING_DOWN'));
    expect(world.logged.filter(({ level }) => level === 'error')).toEqual([]);
    expect(world.rows.size).toBe(1);
  });

  it('a logout() that waits for a deletion rejects with INSTANCE_NOT_FOUND', async () => {
    const world = new FakeWorld();
    const instance = await openInstance(world);
    world.hangsOnClose = true;
    const deletion = instance.delete();
    await world.reached('closing(deleted)');
    const results = [deletion, instance.logout()];
    const [, logout] = await settleAfterClose(world, results);
    expect(logout).toMatchObject({ status: 'rejected', reason: { code: 'INSTANCE_NOT_FOUND' } });
  });

  it('a deleted instance drops the events that its session still receives', async () => {
    const world = new FakeWorld();
    const instance = await openInstance(world);
    const { ingest } = world.lastLink.options;
    await instance.delete();
    const before = world.events.length;
    await ingest([{ type: 'logout.instance' }]);
    expect(world.events).toHaveLength(before);
  });
});
