// The nodes of the cluster: state, number of instances, last heartbeat.
import { useCallback, useState } from 'preact/hooks';
import { call } from './api.js';
import { t } from './current-language.js';
import { html, isAbort, messageOf, Problem, timeOf, usePolling } from './view.js';

/** @typedef {import('./types.d.ts').ClusterReport} ClusterReport */
/** @typedef {import('./types.d.ts').NodeReport} NodeReport */

/** Interval of the requests for the report. */
const POLL_INTERVAL_MS = 4000;
/**
 * The badge of a node by its state; `color` is a class of the style sheet. A `draining` node is stopping. A `silent`
 * node has sent no heartbeat for `leaseTtl` seconds.
 * @type {Record<NodeReport['state'], { color: string, label: import('./types.d.ts').TextKey }>}
 */
const BADGES = {
  live: { color: 'good', label: 'cluster.live' },
  draining: { color: 'busy', label: 'cluster.draining' },
  silent: { color: 'bad', label: 'cluster.silent' },
};

export function Cluster() {
  const [cluster, setCluster] = useState(/** @type {ClusterReport | undefined} */ (undefined));
  const [problem, setProblem] = useState('');
  const load = useCallback(async (/** @type {AbortSignal} */ signal) => {
    try {
      setCluster(await call('GET', 'cluster', undefined, signal));
      setProblem('');
    } catch (error) {
      if (!isAbort(error)) setProblem(messageOf(error));
    }
  }, []);
  usePolling(load, POLL_INTERVAL_MS, []);
  return html`<p><a href="#/">${t('app.allInstances')}</a></p>
    <h1 tabindex="-1">${t('app.nodes')}</h1>
    <${Problem} text=${problem} />
    ${cluster?.enabled === false && html`<p class="empty">${t('cluster.single')}</p>`}
    ${cluster?.enabled && html`<${Nodes} cluster=${cluster} />`}`;
}

/**
 * `node`: the node that answers the requests of the page. `instances`: number of all instances. `orphans`: number of
 * instances that no node owns, or whose node is silent.
 * @param {{ cluster: ClusterReport }} props
 */
function Nodes({ cluster: { nodes, node, instances, orphans, leaseTtl } }) {
  const counts = {
    instances: t('count.instances', { count: instances }),
    nodes: t('count.nodes', { count: nodes.length }),
  };
  return html`<p class="quiet">${t('cluster.summary', { ...counts, seconds: leaseTtl })}</p>
    ${
      orphans > 0 &&
      html`<p class="cause">${t('cluster.orphans', { instances: t('count.instances', { count: orphans }) })} <strong>${t('cluster.orphansAdvice')}</strong></p>`
    }
    <ul class="grid" role="list">${nodes.map((each) => html`<${NodeCard} key=${each.id} node=${each} isServing=${each.id === node.id} instanceCount=${instances} />`)}</ul>`;
}

/**
 * `isServing`: this node answers the requests of the page. `instanceCount`: number of instances on all nodes. The
 * `capacity` of a node without a maximum number of instances is 0.
 * @param {{ node: NodeReport, isServing: boolean, instanceCount: number }} props
 */
function NodeCard({ node, isServing, instanceCount }) {
  const { name, url, version, state, instances, capacity, silentFor, startedAt } = node;
  const { color, label } = BADGES[state];
  const share = instanceCount > 0 ? Math.round((instances / instanceCount) * 100) : undefined;
  const instanceText = share === undefined ? instances : t('cluster.share', { instances, share });
  const facts = [
    [t('list.title'), capacity > 0 ? t('cluster.capacity', { instances: instanceText, capacity }) : instanceText],
    [t('cluster.heartbeat'), t('cluster.ago', { seconds: Math.round(silentFor / 1000) })],
    [t('cluster.since'), timeOf(startedAt)],
    [t('cluster.version'), version],
    [t('webhooks.url'), url],
  ];
  return html`<li class=${`card ${state === 'silent' ? 'trouble' : ''}`}>
    <div class="bar"><h2>${name}</h2><span class=${`badge ${color}`}>${t(label)}</span></div>
    ${isServing && html`<p class="quiet">${t('cluster.serves')}</p>`}
    <dl class="facts small">${facts.map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>
    ${state === 'silent' && html`<p class="cause">${t('cluster.takeover')} <strong>${t('cluster.silentAdvice')}</strong></p>`}
    ${state === 'draining' && html`<p class="cause">${t('cluster.stopping')}</p>`}
  </li>`;
}
