// Where instances are, as a node remembers it.
import { beforeEach, describe, expect, it } from 'vitest';
import { type ClusterView, createClusterView } from '../../src/cluster/cluster-view.ts';
import { InFlight } from '../../src/lib/in-flight.ts';
import type { InstanceLocation, InstanceSelector } from '../../src/storage/cluster-stores.ts';
import { FakeClock } from '../instances/fakes.ts';

const unknown = { acceptRecentMiss: true };
let clock: FakeClock;
let view: ClusterView;
/** The instances that exist, by name. */
let stored: Map<string, InstanceLocation>;
/** Number of queries of the database. */
let queries: number;

const create = (name: string) => stored.set(name, { instanceId: `id-of-${name}`, name, owner: null });

beforeEach(() => {
  clock = new FakeClock();
  stored = new Map();
  queries = 0;
  const locate = async (selector: InstanceSelector) => {
    queries += 1;
    return ('name' in selector && stored.get(selector.name)) || null;
  };
  view = createClusterView({
    keeper: { isDraining: false, claim: async () => false, nodes: [] },
    leases: { joinedId: 'a', locate, nodes: async () => [], countOrphans: async () => 0 },
    ...{ now: clock.now, inFlightRequests: new InFlight(clock), ttl: 15_000 },
    node: { id: 'a', info: { name: 'a', url: 'http://a', version: '1', capacity: 0 } },
  });
});

describe('an instance that does not exist', () => {
  it('is looked up once per second for callers whose key is not known', async () => {
    for (let attempt = 0; attempt < 3; attempt++) expect(await view.locate({ name: 'new' }, unknown)).toBeNull();
    expect(queries).toBe(1);
    await view.locate({ name: 'other' }, unknown);
    expect(queries).toBe(2);
    create('new');
    await clock.advance(1_000);
    expect(await view.locate({ name: 'new' }, unknown)).toMatchObject({ instanceId: 'id-of-new' });
    expect(queries).toBe(3);
  });

  it('is found at once by all others when another node has created it', async () => {
    await view.locate({ name: 'new' }, unknown);
    create('new');
    expect(await view.locate({ name: 'new' })).toMatchObject({ instanceId: 'id-of-new' });
    expect(await view.locate({ name: 'new' }, unknown)).toMatchObject({ instanceId: 'id-of-new' });
  });
});

describe('an instance that was located', () => {
  it('stays known until a lookup shows that it is deleted', async () => {
    expect(view.hasLocated({ name: 'shop' })).toBe(false);
    create('shop');
    await view.locate({ name: 'shop' });
    await clock.advance(60_000);
    expect(view.hasLocated({ name: 'shop' })).toBe(true);
    stored.clear();
    await view.locate({ name: 'shop' });
    expect(view.hasLocated({ name: 'shop' })).toBe(false);
  });
});
