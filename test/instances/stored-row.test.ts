// Changes of the instance row while storage fails.
import { expect, it } from 'vitest';
import { GatewayError } from '../../src/errors.ts';
import { FakeWorld, opened, tick } from './fakes.ts';

const unavailable = new GatewayError('STORAGE_UNAVAILABLE', 'The database is not available');

/** Makes writes of the row fail until `repair` is called. `writes` are the fields of all attempts. */
function breakRows(world: FakeWorld, error: Error = unavailable) {
  const { update } = world.storage.instances;
  const writes: object[] = [];
  world.storage.instances.update = async (_id, patch) => {
    writes.push(patch);
    throw error;
  };
  const repair = () => {
    world.storage.instances.update = update;
  };
  return { writes, repair };
}

const stored = (world: FakeWorld) => [...world.rows.values()][0];

it('an instance that is started while storage fails is connected again after a restart', async () => {
  const world = new FakeWorld();
  const instance = world.instance({}, { ownerJid: '4915100000001@s.whatsapp.net' });
  const { repair } = breakRows(world);
  const connecting = instance.connect();
  (await world.link()).open();
  await connecting;
  await world.clock.advance(60_000);
  expect(stored(world)?.desired).toBe('stopped');
  repair();
  await world.clock.advance(60_000);
  expect(stored(world)).toMatchObject({ desired: 'running', ownerJid: instance.row.ownerJid });
  expect(world.clock.pending).toEqual([]);
  await instance.shutDown();
  await world.manager().boot();
  expect((await world.link(2)).options.instanceId).toBe(instance.id);
});

it('a later change is not overwritten by an earlier one that is written again', async () => {
  const world = new FakeWorld();
  const instance = await opened(world);
  const { repair } = breakRows(world);
  await expect(instance.disconnect()).rejects.toBe(unavailable);
  await instance.start();
  await tick();
  repair();
  await world.clock.advance(60_000);
  expect(stored(world)?.desired).toBe('running');
});

it('disconnect() rejects while the stop is not stored, and the instance counts as stopped when it is', async () => {
  const world = new FakeWorld();
  const instance = await opened(world);
  const { repair } = breakRows(world);
  await expect(instance.disconnect()).rejects.toBe(unavailable);
  expect(instance.status().phase).toBe('stopped');
  expect(instance.isStopped).toBe(false);
  await expect(instance.disconnect()).rejects.toBe(unavailable);
  repair();
  await instance.disconnect();
  expect(instance.isStopped).toBe(true);
  expect(stored(world)?.desired).toBe('stopped');
});

it('shutDown() makes a last attempt', async () => {
  const world = new FakeWorld();
  const instance = await opened(world);
  const { repair } = breakRows(world);
  await expect(instance.disconnect()).rejects.toBe(unavailable);
  repair();
  await instance.shutDown();
  expect(stored(world)?.desired).toBe('stopped');
  expect(world.clock.pending).toEqual([]);
});

it('a change is not written again when another node has the instance', async () => {
  const world = new FakeWorld();
  const instance = await opened(world);
  const lost = new GatewayError('LEASE_LOST', 'The instance belongs to another node now');
  const { writes } = breakRows(world, lost);
  await instance.disconnect().catch(() => undefined);
  const { length } = writes;
  await world.clock.advance(60_000);
  await instance.shutDown();
  expect(writes).toHaveLength(length);
});

it('a change is not written again after the deletion of the instance has started', async () => {
  const world = new FakeWorld();
  const instance = await opened(world);
  const { writes, repair } = breakRows(world);
  await expect(instance.disconnect()).rejects.toBe(unavailable);
  world.deleteFailure = unavailable;
  await expect(instance.delete()).rejects.toBe(unavailable);
  repair();
  const { length } = writes;
  await world.clock.advance(60_000);
  expect(writes).toHaveLength(length);
  expect(stored(world)?.desired).toBe('running');
});
