// ClusterView: the locations of instances that a node remembers.
import { beforeEach, describe, expect, it } from 'vitest';
import { type ClusterView, createClusterView } from '../../src/cluster/cluster-view.ts';
import { InFlight } from '../../src/lib/in-flight.ts';
import type { InstanceLocation, InstanceSelector } from '../../src/storage/cluster-stores.ts';
import { FakeClock } from '../support/instance-fakes.ts';

const unknownCaller = { acceptRecentMiss: true };
let clock: FakeClock;
let view: ClusterView;
/** The instances that exist, by name. */
let stored: Map<string, InstanceLocation>;
/** Number of queries of the database. */
let queries: number;

const createInstance = (name: string) => stored.set(name, { instanceId: `id-of-${name}`, name, owner: null });

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
  it('ClusterView.locate() with acceptRecentMiss queries the database once per second for an unknown instance', async () => {
    for (let attempt = 0; attempt < 3; attempt++) expect(await view.locate({ name: 'new' }, unknownCaller)).toBeNull();
    expect(queries).toBe(1);
    await view.locate({ name: 'other' }, unknownCaller);
    expect(queries).toBe(2);
    createInstance('new');
    await clock.advance(1_000);
    expect(await view.locate({ name: 'new' }, unknownCaller)).toMatchObject({ instanceId: 'id-of-new' });
    expect(queries).toBe(3);
  });

  it('ClusterView.locate() finds a new instance at once without acceptRecentMiss, and afterwards also with it', async () => {
    await view.locate({ name: 'new' }, unknownCaller);
    createInstance('new');
    expect(await view.locate({ name: 'new' })).toMatchObject({ instanceId: 'id-of-new' });
    expect(await view.locate({ name: 'new' }, unknownCaller)).toMatchObject({ instanceId: 'id-of-new' });
  });
});

describe('an instance that was located', () => {
  it('ClusterView.hasLocated() stays true until locate() finds that the instance is deleted', async () => {
    expect(view.hasLocated({ name: 'shop' })).toBe(false);
    createInstance('shop');
    await view.locate({ name: 'shop' });
    await clock.advance(60_000);
    expect(view.hasLocated({ name: 'shop' })).toBe(true);
    stored.clear();
    await view.locate({ name: 'shop' });
    expect(view.hasLocated({ name: 'shop' })).toBe(false);
  });
});
