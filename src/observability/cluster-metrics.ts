// Metrics of a cluster node: its leases (a lease gives one node the right to run an instance), its heartbeats, and the
// nodes of the cluster. A process outside a cluster does not have these metrics.

import type { ClusterNode, Leases } from '../storage/cluster-stores.ts';
import type { Metrics } from './metrics.ts';
import { Counter } from './prom-client.ts';
import { registerGauge } from './scrape-gauges.ts';

/** A value from the database. `atMs` is the time of `now` at which it was read. */
interface Observed<T> {
  value: T;
  atMs: number;
}

export interface ClusterMetricsOptions {
  /** A monotonic time in ms: changes of the system time do not affect it. */
  now(): number;
  /** ms after which a value from the database is too old for a scrape. */
  ttl: number;
  stateOf(node: ClusterNode): 'live' | 'draining' | 'silent';
}

/**
 * Wraps `leases` and counts changes of leases. For the next scrape, remembers the number of orphans (instances without
 * a live owner) and the list of nodes that were last read from the database.
 */
export function withClusterMetrics(
  { registry }: Pick<Metrics, 'registry'>,
  leases: Leases,
  { now, ttl, stateOf }: ClusterMetricsOptions,
): Leases {
  const registers = [registry];
  const changes = new Counter({
    name: 'gateway_lease_changes_total',
    registers,
    labelNames: ['change'],
    help: 'Leases that this node claimed, released, or lost to another node',
  });
  for (const change of ['claimed', 'released', 'lost']) changes.inc({ change }, 0);
  const refused = new Counter({
    name: 'gateway_fenced_writes_total',
    registers,
    help: 'Leases that this node lost without noticing: the database refused a write because another node holds the lease',
  });
  let lastHeartbeatAt: number | undefined;
  let nodes: Observed<readonly ClusterNode[]> | undefined;
  let orphans: Observed<number> | undefined;
  leases.onWriteRefused(() => {
    refused.inc();
    changes.inc({ change: 'lost' });
  });
  registerGauge(registry, { name: 'gateway_leases', help: 'Instances whose lease this node holds' }, (set) =>
    set(leases.heldCount),
  );
  registerGauge(
    registry,
    {
      name: 'gateway_heartbeat_age_seconds',
      help: 'Time since the last stored heartbeat of this node',
    },
    (set) => {
      if (lastHeartbeatAt === undefined) throw noRecentValueError();
      set(Math.max(0, now() - lastHeartbeatAt) / 1000);
    },
  );
  const isFresh = ({ atMs }: Observed<unknown>) => now() - atMs < ttl;
  registerGauge(
    registry,
    { name: 'gateway_nodes', help: 'Nodes by state, as seen by this node', labels: ['state'] },
    (set) => {
      if (!nodes || !isFresh(nodes)) throw noRecentValueError();
      const states = nodes.value.map(stateOf);
      for (const state of ['live', 'draining', 'silent'])
        set(states.filter((each) => each === state).length, { state });
    },
  );
  registerGauge(
    registry,
    {
      name: 'gateway_orphaned_leases',
      help: 'Orphans (instances without a live owner), as seen by this node',
    },
    (set) => {
      if (!orphans || !isFresh(orphans)) throw noRecentValueError();
      set(orphans.value);
    },
  );
  const countClaimed = (instances: string[]): string[] => {
    changes.inc({ change: 'claimed' }, instances.length);
    return instances;
  };
  return {
    ...leases,
    // The spread above copies only the current values of these getters.
    get joinedId() {
      return leases.joinedId;
    },
    get heldCount() {
      return leases.heldCount;
    },
    async join(nodeInfo) {
      const instances = countClaimed(await leases.join(nodeInfo));
      lastHeartbeatAt = now();
      return instances;
    },
    async heartbeat(state) {
      const result = await leases.heartbeat(state);
      lastHeartbeatAt = now();
      changes.inc({ change: 'lost' }, result.lost.length);
      return result;
    },
    claim: async (filter) => countClaimed(await leases.claim(filter)),
    async release(instances) {
      await leases.release(instances);
      changes.inc({ change: 'released' }, instances.length);
    },
    async countOrphans(silenceLimit) {
      const value = await leases.countOrphans(silenceLimit);
      orphans = { value, atMs: now() };
      return value;
    },
    async nodes() {
      const value = await leases.nodes();
      nodes = { value, atMs: now() };
      return value;
    },
    async leave() {
      const { heldCount } = leases;
      await leases.leave();
      changes.inc({ change: 'released' }, heldCount);
    },
  };
}

/** A gauge that throws this error during a scrape has no value in that scrape. */
const noRecentValueError = () => new Error('no recent value');
