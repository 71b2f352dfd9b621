// GET /cluster: the nodes of the cluster, their states and their numbers of instances, for operators. Orphans are
// instances that no live node owns. Decision D-150.
import type { ClusterView } from '../../cluster/cluster-view.ts';
import { nodeStateOf } from '../../cluster/placement.ts';
import type { ClusterNode } from '../../storage/cluster-stores.ts';
import type { AppDeps } from '../deps.ts';
import { type ClusterNodeRecord, type ClusterRecord, findClusterRoute } from '../schemas/health.ts';
import type { RoutePlugin } from '../type-provider.ts';

export const clusterRoutes: RoutePlugin<Pick<AppDeps, 'cluster' | 'manager'>> = async (app, deps) => {
  const { cluster, manager } = deps;
  app.route({
    ...findClusterRoute,
    schema: findClusterRoute,
    config: { access: 'service' },
    handler: async (): Promise<ClusterRecord> => {
      if (cluster) return toCluster(cluster);
      const instances = manager.list().length;
      return { enabled: false, node: null, nodes: [], instances, orphans: 0, leaseTtl: 0 };
    },
  });
};

async function toCluster(cluster: ClusterView): Promise<ClusterRecord> {
  const [rows, orphans] = await Promise.all([cluster.nodes(), cluster.countOrphans()]);
  const nodes = rows.map((node) => toNode(node, cluster.ttl));
  const { id, name, url } = cluster.node;
  // The number `orphans` already includes the instances of silent nodes, so these nodes are not added here.
  const owned = nodes.filter(({ state }) => state !== 'silent').reduce((sum, { instances }) => sum + instances, 0);
  return {
    enabled: true,
    node: { id, name, url },
    nodes,
    instances: owned + orphans,
    orphans,
    leaseTtl: cluster.ttl / 1000,
  };
}

/** `leaseTtl`: ms without a heartbeat after which a node is silent. */
function toNode(node: ClusterNode, leaseTtl: number): ClusterNodeRecord {
  const { isDraining: _, startedAt, silentFor, ...rest } = node;
  const state = nodeStateOf(node, leaseTtl);
  // `silentFor` is negative when the clock of the database was set back.
  return { ...rest, startedAt: new Date(startedAt).toISOString(), state, silentFor: Math.max(0, silentFor) };
}
