// Entry of the page: sign-in, routing by the URL's hash, and the list of instances that all parts share.
import { render } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { call, hasKey, hasScope, isInstanceKey, loadRights, networkName, pathOf, setKey, statusOf } from './api.js';
import { Cluster } from './cluster.js';
import { currentLanguage, setLanguage, t } from './i18n.js';
import { Instance } from './instance.js';
import { LANGUAGES } from './languages.js';
import { List } from './list.js';
import { Login } from './login.js';
import { Field, html, isAbort, messageOf, onValue, Problem, usePolling } from './view.js';

/** @typedef {import('../types.d.ts').InstanceRecord} InstanceRecord */

/** ms between requests for all instances. */
const POLL_INTERVAL = 4000;

/**
 * Parses the URL's hash: `#/i/NAME/TAB` is a tab of an instance, `#/nodes` the list of nodes, and any other hash the
 * list of instances.
 * @param {string} hash
 * @returns {{ name?: string, tab?: string, isNodes?: boolean }}
 */
function routeOf(hash) {
  if (hash === '#/nodes') return { isNodes: true };
  const [, name, tab] = /^#\/i\/([^/]+)(?:\/(\w+))?$/.exec(hash) ?? [];
  try {
    return name ? { name: decodeURIComponent(name), tab: tab ?? 'overview' } : {};
  } catch {
    // The hash contains invalid escapes.
    return {};
  }
}

function useRoute() {
  const [route, setRoute] = useState(() => routeOf(location.hash));
  useEffect(() => {
    const onChange = () => setRoute(routeOf(location.hash));
    addEventListener('hashchange', onChange);
    return () => removeEventListener('hashchange', onChange);
  }, []);
  return route;
}

/**
 * The instance with this name; undefined when there is none.
 * @param {string} name
 * @param {AbortSignal} [signal]
 * @returns {Promise<InstanceRecord | undefined>}
 */
async function fetchInstance(name, signal) {
  try {
    const found = await call('GET', pathOf`instance/fetchInstances?instanceName=${name}`, undefined, signal);
    return found.find((/** @type {InstanceRecord} */ each) => each.name === name);
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}

/**
 * The list with a newer record of one instance, or without the instance when there is no record.
 * @param {InstanceRecord[]} records
 * @param {string} name
 * @param {InstanceRecord | undefined} record
 */
function replaceRecord(records, name, record) {
  if (!record) return records.filter((each) => each.name !== name);
  return records.some((each) => each.name === name)
    ? records.map((each) => (each.name === name ? record : each))
    : [...records, record];
}

/** @param {{ onSignOut: (reason: string) => void }} props */
function Page({ onSignOut }) {
  const { name, tab = 'overview', isNodes } = useRoute();
  const [records, setRecords] = useState(/** @type {InstanceRecord[] | undefined} */ (undefined));
  // Only the list needs all instances: a thousand of them are more than a megabyte.
  const [hasAll, setHasAll] = useState(false);
  // The instance that the gateway was asked for last.
  const [checked, setChecked] = useState(/** @type {string | undefined} */ (undefined));
  const [problem, setProblem] = useState('');
  const refresh = useCallback(
    async (/** @type {AbortSignal | undefined} */ signal) => {
      try {
        // After a reload the key comes from the session storage and its scopes are not loaded yet.
        if (!hasScope('read')) await loadRights(signal);
        if (name === undefined) {
          setRecords(await call('GET', 'instance/fetchInstances', undefined, signal));
          setHasAll(true);
        } else {
          const found = await fetchInstance(name, signal);
          setRecords((known = []) => replaceRecord(known, name, found));
          setChecked(name);
        }
        setProblem('');
      } catch (error) {
        if (statusOf(error) === 401) onSignOut(t('app.keyExpired'));
        else if (!isAbort(error)) setProblem(messageOf(error));
      }
    },
    [name],
  );
  usePolling(refresh, POLL_INTERVAL, [name]);
  const record = records?.find((each) => each.name === name);
  const isGlobal = records !== undefined && !isInstanceKey();
  const isSandbox = networkName() === 'sandbox';
  const hasPhones = useResponse(isGlobal && hasScope('admin') && isSandbox, 'manager/phones') !== undefined;
  const hasNodes = useResponse(isGlobal, 'cluster')?.enabled === true;
  const title = isNodes ? t('app.nodes') : name;
  useEffect(() => {
    document.title = title ? `${title} · ${t('app.title')}` : t('app.title');
  }, [title]);
  // Moves the focus to the heading, so that screen readers announce the new view, or to the field that comes first.
  useEffect(() => {
    /** @type {HTMLElement | null} */
    const first = document.querySelector('[data-focus]') ?? document.querySelector('h1');
    first?.focus();
    if (first instanceof HTMLInputElement) first.select();
  }, [name, isNodes, records === undefined, hasAll, record === undefined]);
  return html`<${Top} hasNodes=${hasNodes} onSignOut=${onSignOut} />
    <main>
      <${Problem} text=${problem} />
      ${(name || isNodes ? records === undefined : !hasAll) && !problem && html`<p class="quiet" role="status">${t('app.loading')}</p>`}
      ${records && isNodes && html`<${Cluster} />`}
      ${
        records &&
        hasAll &&
        !name &&
        !isNodes &&
        html`<${List} records=${records} canCreate=${hasScope('admin') && !isInstanceKey()} refresh=${refresh} />`
      }
      ${
        record &&
        html`<${Instance} key=${record.id} record=${record} tab=${tab} refresh=${refresh} hasPhones=${hasPhones} />`
      }
      ${
        checked === name &&
        name &&
        !record &&
        html`<h1 tabindex="-1">${t('app.noInstance', { name })}</h1><p><a href="#/">${t('app.allInstances')}</a></p>`
      }
    </main>`;
}

/**
 * The response to GET `path`, which is requested once `isEnabled` is true; undefined before and when the request fails.
 * @param {boolean} isEnabled
 * @param {string} path
 */
function useResponse(isEnabled, path) {
  const [response, setResponse] = useState(/** @type {{ enabled?: boolean } | undefined} */ (undefined));
  useEffect(() => {
    if (isEnabled) call('GET', path).then(setResponse, () => undefined);
  }, [isEnabled]);
  return response;
}

/** @param {{ hasNodes: boolean, onSignOut: (reason: string) => void }} props */
const Top = ({ hasNodes, onSignOut }) => html`<header class="top">
  <a class="brand" href="#/"><img src="icon.svg" alt="" width="28" height="28" /><span>${t('app.title')}</span></a>
  ${networkName() !== 'whatsapp' && html`<span class="badge busy">${networkName()}</span>`}
  ${hasNodes && html`<a href="#/nodes">${t('app.nodes')}</a>`}
  <button type="button" onClick=${() => onSignOut('')}>${t('app.signOut')}</button>
</header>`;

function App() {
  const [isSignedIn, setSignedIn] = useState(hasKey());
  const [reason, setReason] = useState('');
  const signOut = useCallback((/** @type {string} */ why) => {
    setKey('');
    setReason(why);
    setSignedIn(false);
  }, []);
  const [language, setShownLanguage] = useState(currentLanguage());
  const choose = (/** @type {string} */ next) => {
    setLanguage(next);
    setShownLanguage(next);
  };
  return html`${
    isSignedIn
      ? html`<${Page} onSignOut=${signOut} />`
      : html`<${Login} reason=${reason} onDone=${() => setSignedIn(true)} />`
  }
    <footer><${Field} label=${t('app.language')} as="select" value=${language} onChange=${onValue(choose)}>
      ${Object.entries(LANGUAGES).map(([tag, { name }]) => html`<option value=${tag} lang=${tag}>${name}</option>`)}
    <//></footer>`;
}

const root = document.getElementById('page');
if (root) render(html`<${App} />`, root);
