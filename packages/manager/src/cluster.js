// The nodes of the gateway: who has how many instances, who goes, who is silent.
import { useCallback, useState } from 'preact/hooks';
import { call } from './api.js';
import { html, Problem, timeOf, usePolling } from './view.js';

/** ms between looks. */
const LOOK_AGAIN = 4000;
const words = { live: ['good', 'Live'], draining: ['busy', 'Stopping'], silent: ['bad', 'Silent'] };

export function Cluster() {
  const [cluster, setCluster] = useState(undefined);
  const [problem, setProblem] = useState('');
  const look = useCallback(async (signal) => {
    try {
      setCluster(await call('GET', 'cluster', undefined, signal));
      setProblem('');
    } catch (error) {
      if (error.name !== 'AbortError') setProblem(error.message);
    }
  }, []);
  usePolling(look, LOOK_AGAIN, []);
  return html`<p><a href="#/">All instances</a></p>
    <h1 tabindex="-1">Nodes</h1>
    <${Problem} text=${problem} />
    ${cluster?.enabled === false && html`<p class="empty">This gateway is one process with a database of its own.</p>`}
    ${cluster?.enabled && html`<${Nodes} cluster=${cluster} />`}`;
}

const count = (number, word) => `${number} ${word}${number === 1 ? '' : 's'}`;

function Nodes({ cluster: { nodes, node, instances, orphans, leaseTtl } }) {
  const waiting = `Without a node at the moment: ${count(orphans, 'instance')}.`;
  return html`<p class="quiet">${count(instances, 'instance')} on ${count(nodes.length, 'node')}. What a node has goes to others after ${leaseTtl} s without a sign of life.</p>
    ${orphans > 0 && html`<p class="cause">${waiting} <strong>Others take them by themselves; if that stays so, start another node.</strong></p>`}
    <ul class="grid" role="list">${nodes.map((each) => html`<${Item} key=${each.id} node=${each} isAsked=${each.id === node.id} all=${instances} />`)}</ul>`;
}

function Item({ node, isAsked, all }) {
  const { name, url, version, state, instances, capacity, silentFor, startedAt } = node;
  const [kind, word] = words[state];
  const share = all > 0 ? ` (${Math.round((instances / all) * 100)} %)` : '';
  const facts = [
    ['Instances', `${instances}${share}${capacity > 0 ? ` of at most ${capacity}` : ''}`],
    ['Last sign of life', `${Math.round(silentFor / 1000)} s ago`],
    ['Running since', timeOf(startedAt)],
    ['Version', version],
    ['Address', url],
  ];
  return html`<li class=${`card ${state === 'silent' ? 'trouble' : ''}`}>
    <div class="bar"><h2>${name}</h2><span class=${`badge ${kind}`}>${word}</span></div>
    ${isAsked && html`<p class="quiet">It serves this page.</p>`}
    <dl class="facts small">${facts.map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>
    ${state === 'silent' && html`<p class="cause">Others take its instances. <strong>Look whether its process runs and reaches the database.</strong></p>`}
    ${state === 'draining' && html`<p class="cause">It is being stopped and gives its instances to the others.</p>`}
  </li>`;
}
