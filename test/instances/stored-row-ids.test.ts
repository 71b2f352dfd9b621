import { describe, expect, it } from 'vitest';
import { FakeWorld, openInstance } from '../support/instance-fakes.ts';

describe('ids of stored inbound rows', () => {
  it('the sessions of an instance share storedInboundRowIds, also after a reconnect', async () => {
    const world = new FakeWorld();
    const instance = await openInstance(world);
    const first = world.lastLink.options.storedInboundRowIds;
    first.add('row');
    world.lastLink.close(503);
    await world.reached('backoff');
    void instance.connect();
    expect((await world.link(2)).options.storedInboundRowIds).toBe(first);
    expect([...first]).toEqual(['row']);
  });

  it('instance.logout() clears storedInboundRowIds', async () => {
    const world = new FakeWorld();
    const instance = await openInstance(world);
    const ids = world.lastLink.options.storedInboundRowIds;
    ids.add('row');
    await instance.logout();
    expect([...ids]).toEqual([]);
  });

  it('an instance that is created again after its deletion starts with empty storedInboundRowIds', async () => {
    const world = new FakeWorld();
    const instance = await openInstance(world);
    world.lastLink.options.storedInboundRowIds.add('row');
    await instance.delete();
    const created = world.instance();
    void created.connect();
    expect([...(await world.link(2)).options.storedInboundRowIds]).toEqual([]);
  });
});
