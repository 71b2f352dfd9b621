// The nodes of the cluster: state, number of instances, last heartbeat.
import { useCallback, useState } from 'preact/hooks';
import { call } from './api.js';
import { t } from './i18n.js';
import { html, isAbort, messageOf, Problem, timeOf, usePolling } from './view.js';

/** @typedef {import('../types.d.ts').ClusterReport} ClusterReport */

/** ms between requests. */
const POLL_INTERVAL = 4000;
/** @type {Record<import('../types.d.ts').NodeReport['state'], [kind: string, label: import('../types.d.ts').TextKey]>} */
const STATES = {
  live: ['good', 'cluster.live'],
  draining: ['busy', 'cluster.draining'],
  silent: ['bad', 'cluster.silent'],
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
  usePolling(load, POLL_INTERVAL, []);
  return html`<p><a href="#/">${t('app.allInstances')}</a></p>
    <h1 tabindex="-1">${t('app.nodes')}</h1>
    <${Problem} text=${problem} />
    ${cluster?.enabled === false && html`<p class="empty">${t('cluster.single')}</p>`}
    ${cluster?.enabled && html`<${Nodes} cluster=${cluster} />`}`;
}

/** @param {{ cluster: ClusterReport }} props */
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
    <ul class="grid" role="list">${nodes.map((each) => html`<${Item} key=${each.id} node=${each} isServing=${each.id === node.id} total=${instances} />`)}</ul>`;
}

/**
 * `isServing`: this node answers the requests of the page. `total`: number of all instances.
 * @param {{ node: import('../types.d.ts').NodeReport, isServing: boolean, total: number }} props
 */
function Item({ node, isServing, total }) {
  const { name, url, version, state, instances, capacity, silentFor, startedAt } = node;
  const [kind, label] = STATES[state];
  const share = total > 0 ? Math.round((instances / total) * 100) : undefined;
  const held = share === undefined ? instances : t('cluster.share', { instances, share });
  const facts = [
    [t('list.title'), capacity > 0 ? t('cluster.capacity', { instances: held, capacity }) : held],
    [t('cluster.heartbeat'), t('cluster.ago', { seconds: Math.round(silentFor / 1000) })],
    [t('cluster.since'), timeOf(startedAt)],
    [t('cluster.version'), version],
    [t('webhooks.url'), url],
  ];
  return html`<li class=${`card ${state === 'silent' ? 'trouble' : ''}`}>
    <div class="bar"><h2>${name}</h2><span class=${`badge ${kind}`}>${t(label)}</span></div>
    ${isServing && html`<p class="quiet">${t('cluster.serves')}</p>`}
    <dl class="facts small">${facts.map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>
    ${state === 'silent' && html`<p class="cause">${t('cluster.takeover')} <strong>${t('cluster.silentAdvice')}</strong></p>`}
    ${state === 'draining' && html`<p class="cause">${t('cluster.stopping')}</p>`}
  </li>`;
}
