// The page: who is logged in, which part is shown, and the list of instances that all parts share.
import { render } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { call, hasKey, isBound, learnRights, may, networkName, useKey } from './api.js';
import { Cluster } from './cluster.js';
import { Instance } from './instance.js';
import { List } from './list.js';
import { Login } from './login.js';
import { html, Problem, usePolling } from './view.js';

/** ms between looks at all instances. */
const LOOK_AGAIN = 4000;

/** `#/i/NAME/TAB` → name and tab, `#/nodes`; nothing for the list. The key never stands there. */
function placeOf(hash) {
  if (hash === '#/nodes') return { isNodes: true };
  const [, name, tab] = /^#\/i\/([^/]+)(?:\/(\w+))?$/.exec(hash) ?? [];
  try {
    return name ? { name: decodeURIComponent(name), tab: tab ?? 'overview' } : {};
  } catch {
    // Written by hand, and no address of ours.
    return {};
  }
}

function usePlace() {
  const [place, setPlace] = useState(() => placeOf(location.hash));
  useEffect(() => {
    const onChange = () => setPlace(placeOf(location.hash));
    addEventListener('hashchange', onChange);
    return () => removeEventListener('hashchange', onChange);
  }, []);
  return place;
}

function Page({ onLeave }) {
  const { name, tab, isNodes } = usePlace();
  const [records, setRecords] = useState(undefined);
  const [problem, setProblem] = useState('');
  const refresh = useCallback(async (signal) => {
    try {
      // The key may be one of before the page was loaded anew.
      if (!may('read')) await learnRights(signal);
      setRecords(await call('GET', 'instance/fetchInstances', undefined, signal));
      setProblem('');
    } catch (error) {
      if (error.status === 401) onLeave('The key does not count any more');
      else if (error.name !== 'AbortError') setProblem(error.message);
    }
  }, []);
  usePolling(refresh, LOOK_AGAIN, []);
  const record = records?.find((each) => each.name === name);
  const isWhole = records !== undefined && !isBound();
  const hasPhones = useAnswer(isWhole && may('admin') && networkName() === 'sandbox', 'manager/phones') !== undefined;
  const hasNodes = useAnswer(isWhole, 'cluster')?.enabled === true;
  // Whoever listens hears where they are now.
  useEffect(() => {
    const what = isNodes ? 'Nodes' : name;
    document.title = what ? `${what} · Messaging gateway` : 'Messaging gateway';
    document.querySelector('h1')?.focus();
  }, [name, isNodes, records === undefined]);
  return html`<${Top} hasNodes=${hasNodes} onLeave=${onLeave} />
    <main>
      <${Problem} text=${problem} />
      ${records === undefined && !problem && html`<p class="quiet" role="status">Loading…</p>`}
      ${records && isNodes && html`<${Cluster} />`}
      ${records && !name && !isNodes && html`<${List} records=${records} canCreate=${may('admin') && !isBound()} refresh=${refresh} />`}
      ${record && html`<${Instance} key=${record.id} record=${record} tab=${tab} refresh=${refresh} hasPhones=${hasPhones} />`}
      ${records && name && !record && html`<h1 tabindex="-1">No instance ${name}</h1><p><a href="#/">All instances</a></p>`}
    </main>`;
}

/** What is answered there, asked for once and where there may be something only; undefined until then. */
function useAnswer(mayBe, path) {
  const [answer, setAnswer] = useState(undefined);
  useEffect(() => {
    if (mayBe) call('GET', path).then(setAnswer, () => undefined);
  }, [mayBe]);
  return answer;
}

const Top = ({ hasNodes, onLeave }) => html`<header class="top">
  <a class="brand" href="#/"><img src="icon.svg" alt="" width="28" height="28" />Messaging gateway</a>
  ${networkName() !== 'whatsapp' && html`<span class="badge busy">${networkName()}</span>`}
  ${hasNodes && html`<a href="#/nodes">Nodes</a>`}
  <button type="button" onClick=${() => onLeave('')}>Leave</button>
</header>`;

function App() {
  const [isIn, setIn] = useState(hasKey());
  const [reason, setReason] = useState('');
  const leave = useCallback((why) => {
    useKey('');
    setReason(why);
    setIn(false);
  }, []);
  if (!isIn) return html`<${Login} reason=${reason} onDone=${() => setIn(true)} />`;
  return html`<${Page} onLeave=${leave} />`;
}

render(html`<${App} />`, document.getElementById('page'));
