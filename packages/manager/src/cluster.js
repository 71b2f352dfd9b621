// The nodes of the cluster: state, number of instances, last heartbeat.
import { useCallback, useState } from 'preact/hooks';
import { call } from './api.js';
import { html, isAbort, messageOf, Problem, plural, timeOf, usePolling } from './view.js';

/** @typedef {import('../types.d.ts').ClusterReport} ClusterReport */

/** ms between requests. */
const POLL_INTERVAL = 4000;
const STATES = { live: ['good', 'Live'], draining: ['busy', 'Stopping'], silent: ['bad', 'Silent'] };

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
  return html`<p><a href="#/">All instances</a></p>
    <h1 tabindex="-1">Nodes</h1>
    <${Problem} text=${problem} />
    ${cluster?.enabled === false && html`<p class="empty">This gateway runs as a single process with its own database.</p>`}
    ${cluster?.enabled && html`<${Nodes} cluster=${cluster} />`}`;
}

/** @param {{ cluster: ClusterReport }} props */
function Nodes({ cluster: { nodes, node, instances, orphans, leaseTtl } }) {
  return html`<p class="quiet">${plural(instances, 'instance')} on ${plural(nodes.length, 'node')}. The instances of a node move to other nodes after ${leaseTtl} s without a heartbeat.</p>
    ${
      orphans > 0 &&
      html`<p class="cause">${plural(orphans, 'instance')} without a node. <strong>Other nodes claim them automatically. If this persists, start another node.</strong></p>`
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
  const share = total > 0 ? ` (${Math.round((instances / total) * 100)} %)` : '';
  const facts = [
    ['Instances', `${instances}${share}${capacity > 0 ? ` of at most ${capacity}` : ''}`],
    ['Last heartbeat', `${Math.round(silentFor / 1000)} s ago`],
    ['Running since', timeOf(startedAt)],
    ['Version', version],
    ['URL', url],
  ];
  return html`<li class=${`card ${state === 'silent' ? 'trouble' : ''}`}>
    <div class="bar"><h2>${name}</h2><span class=${`badge ${kind}`}>${label}</span></div>
    ${isServing && html`<p class="quiet">This node serves the page.</p>`}
    <dl class="facts small">${facts.map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>
    ${state === 'silent' && html`<p class="cause">Other nodes take over its instances. <strong>Check that its process runs and can reach the database.</strong></p>`}
    ${state === 'draining' && html`<p class="cause">The node is stopping. Other nodes take over its instances.</p>`}
  </li>`;
}
