// What a node does with leases and knows of the other nodes. Without a cluster there is nothing of this.
import { Counter } from 'prom-client';
import type { ClusterNode, Leases } from '../storage/cluster-stores.ts';
import type { Metrics } from './metrics.ts';
import { readGauges } from './scrape-gauges.ts';

interface Looked<T> {
  value: T;
  /** Epoch ms. */
  at: number;
}

export interface WatchOptions {
  now(): number;
  /** ms for which what was looked up is good. */
  ttl: number;
  stateOf(node: ClusterNode): 'live' | 'draining' | 'silent';
}

/** The same leases; what is done with them is counted, and what they said last is shown at a scrape. */
export function withClusterMetrics(
  { registry }: Pick<Metrics, 'registry'>,
  leases: Leases,
  { now, ttl, stateOf }: WatchOptions,
): Leases {
  const registers = [registry];
  const changes = new Counter({
    ...{ name: 'gateway_lease_changes_total', registers, labelNames: ['change'] },
    help: 'Leases that this node claimed, gave back (released), or lost to another node without having given them back',
  });
  for (const change of ['claimed', 'released', 'lost']) changes.inc({ change }, 0);
  const refused = new Counter({
    ...{ name: 'gateway_fenced_writes_total', registers },
    help: 'Writes of this node that the database refused, because the lease was another node’s',
  });
  let heard: number | undefined;
  let nodes: Looked<readonly ClusterNode[]> | undefined;
  let orphans: Looked<number> | undefined;
  leases.onRefused(() => {
    refused.inc();
    changes.inc({ change: 'lost' });
  });
  readGauges(registry, { name: 'gateway_leases', help: 'Instances whose lease this node holds' }, (line) =>
    line(leases.held),
  );
  readGauges(
    registry,
    {
      name: 'gateway_heartbeat_age_seconds',
      help: 'Time since the last sign of life of this node that the database took',
    },
    (line) => {
      if (heard === undefined) throw unknown();
      line(Math.max(0, now() - heard) / 1000);
    },
  );
  const isFresh = ({ at }: Looked<unknown>) => now() - at < ttl;
  readGauges(
    registry,
    { name: 'gateway_nodes', help: 'Nodes on this database by state, as this node sees them', labels: ['state'] },
    (line) => {
      if (!nodes || !isFresh(nodes)) throw unknown();
      const states = nodes.value.map(stateOf);
      for (const state of ['live', 'draining', 'silent'])
        line(states.filter((each) => each === state).length, { state });
    },
  );
  readGauges(
    registry,
    {
      name: 'gateway_orphaned_leases',
      help: 'Instances that no node has, or one that is silent, as this node sees them',
    },
    (line) => {
      if (!orphans || !isFresh(orphans)) throw unknown();
      line(orphans.value);
    },
  );
  const claimed = (taken: string[]): string[] => {
    changes.inc({ change: 'claimed' }, taken.length);
    return taken;
  };
  return {
    ...leases,
    get node() {
      return leases.node;
    },
    get held() {
      return leases.held;
    },
    async join(card) {
      const taken = claimed(await leases.join(card));
      heard = now();
      return taken;
    },
    async heartbeat(state) {
      const beat = await leases.heartbeat(state);
      heard = now();
      changes.inc({ change: 'lost' }, beat.lost.length);
      return beat;
    },
    claim: async (wish) => claimed(await leases.claim(wish)),
    async release(instances) {
      await leases.release(instances);
      changes.inc({ change: 'released' }, instances.length);
    },
    async orphans(wanted) {
      const value = await leases.orphans(wanted);
      orphans = { value, at: now() };
      return value;
    },
    async nodes() {
      const value = await leases.nodes();
      nodes = { value, at: now() };
      return value;
    },
    async leave() {
      const { held } = leases;
      await leases.leave();
      changes.inc({ change: 'released' }, held);
    },
  };
}

/** Who cannot look does not know, and shows no line. */
const unknown = () => new Error('not known');
