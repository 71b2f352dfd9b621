// Changes of the instance row while the storage fails.
import { expect, it } from 'vitest';
import { GatewayError } from '../../src/errors.ts';
import { FakeWorld, openInstance, tick } from '../support/instance-fakes.ts';

const unavailable = new GatewayError('STORAGE_UNAVAILABLE', 'The database is not available');

/** Makes writes of the row fail until `repair` is called. `writes` contains the fields of each attempt. */
function failRowWrites(world: FakeWorld, error: Error = unavailable) {
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

const readStoredRow = (world: FakeWorld) => [...world.rows.values()][0];

it('an instance that was started while the storage failed is stored later, and connects after a restart', async () => {
  const world = new FakeWorld();
  const instance = world.instance({}, { ownerJid: '4915100000001@s.whatsapp.net' });
  const { repair } = failRowWrites(world);
  const connecting = instance.connect();
  (await world.link()).open();
  await connecting;
  await world.clock.advance(60_000);
  expect(readStoredRow(world)?.desired).toBe('stopped');
  repair();
  await world.clock.advance(60_000);
  expect(readStoredRow(world)).toMatchObject({ desired: 'running', ownerJid: instance.row.ownerJid });
  expect(world.clock.pending).toEqual([]);
  await instance.shutDown();
  await world.manager().boot();
  expect((await world.link(2)).options.instanceId).toBe(instance.id);
});

it('a retried write of the instance row does not overwrite a later change', async () => {
  const world = new FakeWorld();
  const instance = await openInstance(world);
  const { repair } = failRowWrites(world);
  await expect(instance.disconnect()).rejects.toBe(unavailable);
  await instance.start();
  await tick();
  repair();
  await world.clock.advance(60_000);
  expect(readStoredRow(world)?.desired).toBe('running');
});

it('instance.disconnect() rejects until the stop is stored, and isStopped is true only afterwards', async () => {
  const world = new FakeWorld();
  const instance = await openInstance(world);
  const { repair } = failRowWrites(world);
  await expect(instance.disconnect()).rejects.toBe(unavailable);
  expect(instance.status().phase).toBe('stopped');
  expect(instance.isStopped).toBe(false);
  await expect(instance.disconnect()).rejects.toBe(unavailable);
  repair();
  await instance.disconnect();
  expect(instance.isStopped).toBe(true);
  expect(readStoredRow(world)?.desired).toBe('stopped');
});

it('instance.shutDown() makes a last attempt to store a failed change of the instance row', async () => {
  const world = new FakeWorld();
  const instance = await openInstance(world);
  const { repair } = failRowWrites(world);
  await expect(instance.disconnect()).rejects.toBe(unavailable);
  repair();
  await instance.shutDown();
  expect(readStoredRow(world)?.desired).toBe('stopped');
  expect(world.clock.pending).toEqual([]);
});

it('a change of the instance row is not written again when another node has the lease of the instance', async () => {
  const world = new FakeWorld();
  const instance = await openInstance(world);
  const leaseLost = new GatewayError('LEASE_LOST', 'The instance belongs to another node now');
  const { writes } = failRowWrites(world, leaseLost);
  await instance.disconnect().catch(() => undefined);
  const { length } = writes;
  await world.clock.advance(60_000);
  await instance.shutDown();
  expect(writes).toHaveLength(length);
});

it('a change of the instance row is not written again after the deletion of the instance has started', async () => {
  const world = new FakeWorld();
  const instance = await openInstance(world);
  const { writes, repair } = failRowWrites(world);
  await expect(instance.disconnect()).rejects.toBe(unavailable);
  world.deleteFailure = unavailable;
  await expect(instance.delete()).rejects.toBe(unavailable);
  repair();
  const { length } = writes;
  await world.clock.advance(60_000);
  expect(writes).toHaveLength(length);
  expect(readStoredRow(world)?.desired).toBe('running');
});
