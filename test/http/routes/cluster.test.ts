import { describe, expect, it } from 'vitest';
import type { ClusterView } from '../../../src/cluster/cluster-view.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { InFlight } from '../../../src/lib/in-flight.ts';
import type { ClusterNode } from '../../../src/storage/cluster-stores.ts';
import { startHttp } from '../../support/http-fixture.ts';

const node = (name: string, patch: Partial<ClusterNode> = {}): ClusterNode => ({
  ...{ id: `id-of-${name}`, name, url: `http://${name}:8080`, version: '0.1.0', capacity: 0, startedAt: 0 },
  ...{ silentFor: 1_000, isDraining: false, instances: 5, ...patch },
});

const clusterOf = (nodes: ClusterNode[], orphans: number): ClusterView => ({
  node: { id: 'id-of-a', name: 'a', url: 'http://a:8080' },
  isJoined: true,
  locate: async () => null,
  hasLocated: () => false,
  claim: async () => false,
  otherReachableNodes: async () => [],
  isDraining: false,
  inFlightRequests: new InFlight(systemClock),
  nodes: async () => nodes,
  countOrphans: async () => orphans,
  ttl: 15_000,
});

describe('GET /cluster', () => {
  it('GET /cluster reports the state of each node, and counts the instances without a live node', async () => {
    const nodes = [
      node('a'),
      node('b', { isDraining: true, instances: 2 }),
      node('c', { silentFor: 15_000, instances: 4 }),
    ];
    const http = await startHttp({}, { cluster: clusterOf(nodes, 6) });
    expect((await http.call('GET', '/cluster')).body).toEqual({
      enabled: true,
      node: { id: 'id-of-a', name: 'a', url: 'http://a:8080' },
      nodes: [
        expect.objectContaining({ name: 'a', state: 'live', silentFor: 1_000, startedAt: '1970-01-01T00:00:00.000Z' }),
        expect.objectContaining({ name: 'b', state: 'draining' }),
        // The four instances of this node are among the six orphans.
        expect.objectContaining({ name: 'c', state: 'silent', instances: 4 }),
      ],
      instances: 13,
      orphans: 6,
      leaseTtl: 15,
    });
  });

  it('GET /cluster reports enabled: false when the gateway is not a cluster', async () => {
    const http = await startHttp();
    expect((await http.call('GET', '/cluster')).body).toEqual({
      ...{ enabled: false, node: null, nodes: [], instances: 2, orphans: 0, leaseTtl: 0 },
    });
  });

  it('GET /cluster refuses a missing key and the key of an instance', async () => {
    const http = await startHttp();
    for (const apikey of [undefined, 'shop-key'])
      expect((await http.call('GET', '/cluster', undefined, { apikey })).status).toBe(401);
  });
});
