import { describe, expect, it } from 'vitest';
import { FakeWorld, opened } from './fakes.ts';

describe('the ids of stored rows', () => {
  it('sessions of one instance share them, so that a stored message is not read again after a reconnect', async () => {
    const world = new FakeWorld();
    const instance = await opened(world);
    const first = world.last.options.storedInboundRowIds;
    first.add('row');
    world.last.close(503);
    await world.reached('backoff');
    void instance.connect();
    expect((await world.link(2)).options.storedInboundRowIds).toBe(first);
    expect([...first]).toEqual(['row']);
  });

  it('a logout removes them with the rows', async () => {
    const world = new FakeWorld();
    const instance = await opened(world);
    const ids = world.last.options.storedInboundRowIds;
    ids.add('row');
    await instance.logout();
    expect([...ids]).toEqual([]);
  });

  it('an instance that is created again after a deletion has none', async () => {
    const world = new FakeWorld();
    const instance = await opened(world);
    world.last.options.storedInboundRowIds.add('row');
    await instance.delete();
    const created = world.instance();
    void created.connect();
    expect([...(await world.link(2)).options.storedInboundRowIds]).toEqual([]);
  });
});
