// Entry point of the manager page: sign-in, routing by the URL's hash, and requests for the displayed instance.
import { render } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { call, hasKey, hasScope, isInstanceKey, loadRights, networkName, pathOf, setKey, statusOf } from './api.js';
import { Cluster } from './cluster.js';
import { currentLanguage, setLanguage, t } from './current-language.js';
import { Instance } from './instance.js';
import { LANGUAGES } from './languages.js';
import { List } from './list.js';
import { Login } from './login.js';
import { Field, focusFirst, html, isAbort, messageOf, onValue, Problem, usePolling } from './view.js';

/** @typedef {import('./types.d.ts').InstanceRecord} InstanceRecord */

/** Interval of the requests for the instance. */
const POLL_INTERVAL_MS = 4000;

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

/** @param {{ onSignOut: (reason: string) => void }} props */
function Page({ onSignOut }) {
  const { name, tab = 'overview', isNodes } = useRoute();
  // Whether the scopes of the key are loaded.
  const [isReady, setReady] = useState(false);
  // The instance that was requested last. `record` is missing when no instance has this name.
  const [found, setFound] = useState(/** @type {{ name: string, record?: InstanceRecord } | undefined} */ (undefined));
  const [problem, setProblem] = useState('');
  const shownName = useRef(name);
  shownName.current = name;
  /**
   * Runs `work` and displays its error. Signs out when the API refuses the key.
   * @type {import('./types.d.ts').Attempt}
   */
  const attempt = useCallback(async (work) => {
    try {
      await work();
      setProblem('');
    } catch (error) {
      if (statusOf(error) === 401) onSignOut(t('app.keyExpired'));
      else if (!isAbort(error)) setProblem(messageOf(error));
    }
  }, []);
  const refresh = useCallback(
    (/** @type {AbortSignal | undefined} */ signal) =>
      attempt(async () => {
        // After a reload the key comes from the session storage and its scopes are not loaded yet.
        if (!hasScope('read')) await loadRights(signal);
        setReady(true);
        if (name === undefined) return;
        const record = await fetchInstance(name, signal);
        // When the refresh ends, the page can already show another instance.
        if (name === shownName.current) setFound({ name, record });
      }),
    [name],
  );
  usePolling(refresh, POLL_INTERVAL_MS, [name]);
  const isFetched = name !== undefined && found?.name === name;
  const record = isFetched ? found?.record : undefined;
  const canUseAllInstances = isReady && !isInstanceKey();
  // The sandbox is a simulated WhatsApp. The page can operate its phones.
  const isSandbox = networkName() === 'sandbox';
  const hasPhones = useResponse(canUseAllInstances && hasScope('admin') && isSandbox, 'manager/phones') !== undefined;
  const hasNodes = useResponse(canUseAllInstances, 'cluster')?.enabled === true;
  const title = isNodes ? t('app.nodes') : name;
  useEffect(() => {
    document.title = title ? `${title} · ${t('app.title')}` : t('app.title');
  }, [title]);
  useEffect(focusFirst, [name, isNodes, isReady, record === undefined]);
  const isWaiting = !isReady || (name !== undefined && !isFetched);
  return html`<${Top} hasNodes=${hasNodes} onSignOut=${onSignOut} />
    <main>
      <${Problem} text=${problem} />
      ${isWaiting && !problem && html`<p class="quiet" role="status">${t('app.loading')}</p>`}
      ${isReady && isNodes && html`<${Cluster} />`}
      ${isReady && !name && !isNodes && html`<${List} attempt=${attempt} canCreate=${hasScope('admin') && !isInstanceKey()} />`}
      ${
        record &&
        html`<${Instance} key=${record.id} record=${record} tab=${tab} refresh=${refresh} hasPhones=${hasPhones} />`
      }
      ${
        isFetched &&
        !record &&
        html`<h1 tabindex="-1">${t('app.noInstance', { name })}</h1><p><a href="#/">${t('app.allInstances')}</a></p>`
      }
    </main>`;
}

/**
 * The response to GET `path`, which is requested once `isEnabled` is true. Undefined until the response arrives, and
 * when the request fails.
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
