// Metrics of leases and nodes, which a scrape creates from the data that this node has.

import { describe, expect, it } from 'vitest';
import { nodeStateOf } from '../../src/cluster/placement.ts';
import { withClusterMetrics } from '../../src/observability/cluster-metrics.ts';
import { createMetrics } from '../../src/observability/metrics.ts';
import type { ClusterNode, Leases } from '../../src/storage/cluster-stores.ts';

const TTL = 15_000;
const node = (id: string, patch: Partial<ClusterNode>): ClusterNode => ({
  ...{ id, name: id, url: `http://${id}`, version: '1', capacity: 0, startedAt: 0 },
  ...{ silentFor: 0, isDraining: false, instances: 0, ...patch },
});

/** Creates metrics over leases with fixed results. `refuse()` reports a refused write. */
function createClusterMetrics() {
  const clock = { now: 0 };
  let refuse = (_: string) => {};
  const leases: Leases = {
    id: 'me',
    joinedId: 'me',
    heldCount: 3,
    databaseTime: () => 0,
    findNodeByName: async () => null,
    join: async () => ['a', 'b'],
    heartbeat: async () => ({ at: 0, lost: ['a'], recovered: [] }),
    claim: async () => ['c', 'd'],
    release: async () => {},
    countOrphans: async () => 4,
    isHeldInDatabase: async () => true,
    onWriteRefused: (listener) => {
      refuse = listener;
    },
    locate: async () => null,
    countsByNode: async () => new Map(),
    nodes: async () => [node('me', {}), node('you', { isDraining: true }), node('he', { silentFor: TTL })],
    deleteStale: async () => {},
    leave: async () => {},
  };
  const metrics = createMetrics();
  const countedLeases = withClusterMetrics(metrics, leases, {
    now: () => clock.now,
    ttl: TTL,
    stateOf: (node) => nodeStateOf(node, TTL),
  });
  return { clock, leases: countedLeases, refuse: (id: string) => refuse(id), scrape: () => metrics.registry.metrics() };
}

describe('cluster metrics', () => {
  it('the cluster metrics count claimed, released and lost leases, and refused writes', async () => {
    const { leases, refuse, scrape } = createClusterMetrics();
    await leases.join({ name: 'me', url: '', version: '1', capacity: 0 });
    await leases.claim({ limit: 2, silenceLimit: TTL });
    await leases.release(['c']);
    await leases.heartbeat({ isDraining: false });
    refuse('d');
    expect(await scrape()).toContain('gateway_lease_changes_total{change="claimed"} 4\n');
    expect(await scrape()).toContain('gateway_lease_changes_total{change="released"} 1\n');
    expect(await scrape()).toContain('gateway_lease_changes_total{change="lost"} 2\n');
    expect(await scrape()).toContain('gateway_fenced_writes_total 1\n');
    expect(await scrape()).toContain('gateway_leases 3\n');
    await leases.leave();
    expect(await scrape()).toContain('gateway_lease_changes_total{change="released"} 4\n');
  });

  it('the cluster metrics show the states of all nodes while they are known, and the age of the last heartbeat', async () => {
    const { clock, leases, scrape } = createClusterMetrics();
    expect(await scrape()).not.toMatch(/^gateway_(nodes|orphaned_leases|heartbeat_age_seconds)\b/m);
    await leases.heartbeat({ isDraining: false });
    await leases.nodes();
    await leases.countOrphans(TTL);
    clock.now = 2_500;
    const lines = await scrape();
    for (const state of ['live', 'draining', 'silent']) expect(lines).toContain(`gateway_nodes{state="${state}"} 1\n`);
    expect(lines).toContain('gateway_orphaned_leases 4\n');
    expect(lines).toContain('gateway_heartbeat_age_seconds 2.5\n');
    clock.now = TTL;
    expect(await scrape()).not.toMatch(/^gateway_(nodes|orphaned_leases)\b/m);
    expect(await scrape()).toContain('gateway_heartbeat_age_seconds 15\n');
  });
});
