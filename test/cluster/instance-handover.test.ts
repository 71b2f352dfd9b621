// In which order a node gives its instances away.
import { expect, it } from 'vitest';
import { createInstanceHandover } from '../../src/cluster/instance-handover.ts';
import { FakeWorld } from '../instances/fakes.ts';
import { silent } from '../whatsapp/fakes.ts';

it('an instance that is being deleted is busy, so that rebalancing does not move it', async () => {
  const world = new FakeWorld();
  for (const [id, desired] of [
    ['deleted', 'deleted'],
    ['other', 'stopped'],
  ] as const) {
    world.rows.set(id, world.row({ id, name: id, token: id, desired }));
  }
  world.hangsOnDelete = true;
  const manager = world.manager();
  await manager.boot();
  await world.reached('deleted');
  const unused = Object.create(null);
  const { evictionOrder } = createInstanceHandover({
    ...{ manager, recorder: unused, subscriptions: unused, webhookService: unused, leases: unused },
    ...{ inFlightRequests: unused, log: silent, clock: world.clock, newInstanceMs: 0 },
  });
  expect(evictionOrder()).toEqual([
    { id: 'deleted', isBusy: true, isOpen: false },
    { id: 'other', isBusy: false, isOpen: false },
  ]);
  await manager.stop();
});
