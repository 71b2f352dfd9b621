// The webhooks of an instance, which the API calls endpoints: their health, the editor, and test deliveries.
import { useRef, useState } from 'preact/hooks';
import { call, hasScope, pathOf } from './api.js';
import { t } from './current-language.js';
import { Deliveries } from './deliveries.js';
import { EVENTS } from './event-names.js';
import { Backlog, Health, Trouble } from './health.js';
import {
  Check,
  Confirm,
  checksOf,
  Dialog,
  Field,
  html,
  isAbort,
  messageOf,
  Problem,
  textsOf,
  usePolling,
  useWork,
} from './view.js';

/** @typedef {import('./types.d.ts').Endpoint} Endpoint */
/** @typedef {import('./types.d.ts').EndpointHealth} EndpointHealth */
/** @typedef {import('./types.d.ts').FormEvent} FormEvent */

/** Interval of the requests for the endpoints and their health. */
const POLL_INTERVAL_MS = 2000;

/**
 * Shows endpoints only to keys that are allowed to change them, because endpoints contain secrets.
 * @param {{ record: import('./types.d.ts').InstanceRecord, feed: import('./types.d.ts').Feed }} props
 */
export const Webhooks = ({ record: { name }, feed }) =>
  html`${hasScope('admin') && html`<${Endpoints} name=${name} />`}<${Deliveries} name=${name} feed=${feed} />`;

/** @param {{ name: string }} props */
function Endpoints({ name }) {
  const [endpoints, setEndpoints] = useState(/** @type {Endpoint[] | undefined} */ (undefined));
  const [health, setHealth] = useState(/** @type {EndpointHealth[]} */ ([]));
  const [editing, setEditing] = useState(/** @type {Partial<Endpoint> | undefined} */ (undefined));
  const [problem, setProblem] = useState('');
  /** Ids of the endpoints that have a delivery. */
  const used = useRef(/** @type {Set<string>} */ (new Set()));
  const load = async (/** @type {AbortSignal | undefined} */ signal) => {
    const deliveries = pathOf`webhook/deliveries/${name}`;
    try {
      // The list of deliveries also contains the health of the endpoints.
      const [configured, report] = await Promise.all([
        call('GET', pathOf`webhook/endpoints/${name}`, undefined, signal),
        call('GET', `${deliveries}?limit=1`, undefined, signal),
      ]);
      // Requests the latest delivery of each endpoint for which no delivery was found yet.
      for (const { id } of configured.endpoints) {
        if (used.current.has(id)) continue;
        const found = await call('GET', `${deliveries}?limit=1&endpoint=${encodeURIComponent(id)}`, undefined, signal);
        if (found.deliveries.length > 0) used.current.add(id);
      }
      setEndpoints(configured.endpoints);
      setHealth(report.endpoints);
      setProblem('');
    } catch (error) {
      if (!isAbort(error)) setProblem(messageOf(error));
    }
  };
  usePolling(load, POLL_INTERVAL_MS, [name]);
  return html`<${Problem} text=${problem} />
    <div class="bar">
      <h2>${t('instance.webhooks')}</h2>
      ${endpoints && html`<button type="button" class="primary" onClick=${() => setEditing({})}>${t('webhooks.add')}</button>`}
    </div>
    ${endpoints?.length === 0 && html`<p class="empty">${t('webhooks.empty')}</p>`}
    <ul class="grid wide" role="list">
      ${endpoints?.map(
        (endpoint) => html`<${EndpointCard} key=${endpoint.id} name=${name} endpoint=${endpoint} load=${load}
        isUsed=${used.current.has(endpoint.id)} health=${health.find(({ id }) => id === endpoint.id)} onEdit=${() => setEditing(endpoint)} />`,
      )}
    </ul>
    ${
      editing &&
      html`<${Editor} name=${name} endpoint=${editing} isFirst=${!endpoints?.some(({ main }) => main)} load=${load}
      onClose=${() => setEditing(undefined)} />`
    }`;
}

/**
 * @param {object} props
 * @param {string} props.name of the instance
 * @param {Endpoint} props.endpoint
 * @param {EndpointHealth | undefined} props.health
 * @param {boolean} props.isUsed whether the endpoint has a delivery
 * @param {() => Promise<void>} props.load
 * @param {() => void} props.onEdit
 */
function EndpointCard({ name, endpoint, health, isUsed, load, onEdit }) {
  const [problem, isBusy, run] = useWork();
  const [result, setResult] = useState(/** @type {import('./types.d.ts').WebhookTestResult | undefined} */ (undefined));
  const [isRemoving, setRemoving] = useState(false);
  const { id, url, enabled, events } = endpoint;
  const test = () =>
    run(async () => setResult(await call('POST', `${pathOf`webhook/test/${name}`}?endpoint=${id}`, {})));
  const remove = async () => {
    await call('DELETE', pathOf`webhook/endpoints/${name}/${id}`);
    await load();
  };
  // Saving an endpoint, even unchanged, makes its waiting deliveries due at once.
  const retry = async () => {
    // `settings` are the id and the fields that a client can set.
    const { main, secret, oldSecretsUntil, createdAt, updatedAt, ...settings } = endpoint;
    await save(name, { ...settings, events: isAll(events) ? [] : events });
    await load();
  };
  return html`<li class="card" aria-label=${url || t('webhooks.noUrl')}>
    <div class="bar"><h3>${url || t('webhooks.noUrl')}</h3><${Health} enabled=${enabled} health=${health} isUsed=${isUsed} /></div>
    <p class="quiet">${isAll(events) ? t('webhooks.allEvents') : t('count.eventTypes', { count: events.length })}</p>
    <${Trouble} enabled=${enabled} health=${health} onRetry=${retry} />
    ${health && html`<${Backlog} health=${health} />`}
    <details><summary>${t('webhooks.secret')}</summary><code>${endpoint.secret}</code></details>
    <${Problem} text=${problem} />
    ${result && html`<${TestResult} result=${result} />`}
    <div class="row">
      <button type="button" disabled=${isBusy} onClick=${test}>${t('webhooks.test')}</button>
      <button type="button" onClick=${onEdit}>${t('webhooks.edit')}</button>
      <button type="button" class="danger" onClick=${() => setRemoving(true)}>${t('webhooks.remove')}</button>
    </div>
    ${
      isRemoving &&
      html`<${Confirm} title=${t('webhooks.removeTitle')} action=${t('webhooks.remove')} work=${remove} onClose=${() => setRemoving(false)}
      text=${t('webhooks.removeText', { url })} />`
    }
  </li>`;
}

/** @param {{ result: import('./types.d.ts').WebhookTestResult }} props */
function TestResult({ result: { delivered, status, ms, body, error } }) {
  const summary =
    status === null ? t('webhooks.noResponse', { error: error ?? '' }) : t('webhooks.response', { status, ms });
  return html`<div role="status" class=${`notice ${delivered ? 'good' : 'bad'}`}>
    ${summary}${body && html`<pre tabindex="0" aria-label=${t('webhooks.responseBody')}>${body}</pre>`}
  </div>`;
}

/** @param {string} name of the instance @param {{ id: string, [setting: string]: unknown }} endpoint */
const save = (name, { id, ...settings }) => call('PUT', pathOf`webhook/endpoints/${name}/${id}`, settings);

/** Whether the list selects all events. An empty list does, too. @param {string[]} events */
const isAll = (events) => events.length === 0 || EVENTS.every((event) => events.includes(event));

/** Parses `Name: value` lines. Throws Error for a line of another form. @param {string} text */
function parseHeaders(text) {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      const header = line.slice(0, Math.max(colon, 0)).trim();
      if (header === '' || /\s/.test(header)) throw new Error(t('webhooks.badHeader', { line }));
      return [header, line.slice(colon + 1).trim()];
    }),
  );
}

/** @param {Record<string, string>} [headers] */
const formatHeaders = (headers = {}) =>
  Object.entries(headers)
    .map((pair) => pair.join(': '))
    .join('\n');

/**
 * Edits an endpoint, or creates one when it has no id. `isFirst`: the instance has no main endpoint (the one of the
 * route `webhook/set`), so a new endpoint becomes the main one.
 * @param {object} props
 * @param {string} props.name of the instance
 * @param {Partial<Endpoint>} props.endpoint
 * @param {boolean} props.isFirst
 * @param {() => Promise<void>} props.load
 * @param {() => void} props.onClose
 */
function Editor({ name, endpoint, isFirst, load, onClose }) {
  const [problem, isBusy, run] = useWork();
  const [hasAll, setAll] = useState(!endpoint.events || isAll(endpoint.events));
  const submit = (/** @type {FormEvent} */ event) => {
    event.preventDefault();
    const { url, headers = '' } = textsOf(event.currentTarget);
    const { enabled, byEvents, base64, ...chosen } = checksOf(event.currentTarget);
    void run(async () => {
      const events = hasAll ? [] : EVENTS.filter((each) => chosen[each]);
      if (!hasAll && events.length === 0) throw new Error(t('webhooks.noEvent'));
      // The form has no control for `chats`, so the chat filter stays as it is.
      const webhook = { url, enabled, events, byEvents, base64, headers: parseHeaders(headers), chats: endpoint.chats };
      if (endpoint.id) await save(name, { id: endpoint.id, ...webhook });
      else if (isFirst) await call('POST', pathOf`webhook/set/${name}`, { webhook });
      else await call('POST', pathOf`webhook/endpoints/${name}`, webhook);
      await load();
      onClose();
    });
  };
  const toggleAll = (/** @type {{ currentTarget: HTMLInputElement }} */ { currentTarget }) =>
    setAll(currentTarget.checked);
  return html`<${Dialog} title=${t(endpoint.id ? 'webhooks.editTitle' : 'webhooks.newTitle')} onClose=${onClose}>
    <form onSubmit=${submit}>
      <${Problem} text=${problem} />
      <${Field} label=${t('webhooks.url')} name="url" type="url" required maxlength="2048" defaultValue=${endpoint.url} placeholder="https://" />
      <${Check} label=${t('webhooks.enabled')} name="enabled" defaultChecked=${endpoint.enabled ?? true} />
      <${Check} label=${t('webhooks.allEvents')} checked=${hasAll} onChange=${toggleAll} />
      ${
        !hasAll &&
        html`<fieldset><legend>${t('instance.events')}</legend>
        ${EVENTS.map((each) => html`<${Check} key=${each} label=${each} name=${each} defaultChecked=${endpoint.events?.includes(each)} />`)}
      </fieldset>`
      }
      <${Check} label=${t('webhooks.byEvents')} name="byEvents" defaultChecked=${endpoint.byEvents} hint=${t('webhooks.byEventsHint')} />
      <${Check} label=${t('webhooks.files')} name="base64" defaultChecked=${endpoint.base64} hint=${t('webhooks.filesHint')} />
      <${Field} label=${t('webhooks.headers')} as="textarea" name="headers" rows="2" defaultValue=${formatHeaders(endpoint.headers)} hint=${t('webhooks.headersHint')} />
      <div class="row end">
        <button type="button" onClick=${onClose}>${t('app.cancel')}</button>
        <button type="submit" class="primary" disabled=${isBusy}>${t('webhooks.save')}</button>
      </div>
    </form>
  <//>`;
}
