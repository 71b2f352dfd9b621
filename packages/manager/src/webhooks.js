// Where events are posted: the receivers with their health, their editor and a test post.
import { useState } from 'preact/hooks';
import { at, call, may } from './api.js';
import { Deliveries } from './deliveries.js';
import { Backlog, Health, Trouble } from './health.js';
import { Check, Confirm, Dialog, Field, html, Problem, usePolling, useWork, valuesOf } from './view.js';

const LOOK_AGAIN = 2000;

/** What can be chosen; a receiver that takes all of them takes those of later versions as well. */
const EVENTS = [
  ...['APPLICATION_STARTUP', 'QRCODE_UPDATED', 'CONNECTION_UPDATE', 'STATUS_INSTANCE', 'INSTANCE_RESTRICTED'],
  ...['MESSAGES_SET', 'MESSAGES_UPSERT', 'MESSAGES_EDITED', 'MESSAGES_UPDATE', 'MESSAGES_DELETE', 'HISTORY_PROGRESS'],
  ...['MESSAGES_UNDECRYPTABLE', 'SEND_MESSAGE', 'SEND_MESSAGE_UPDATE', 'CONTACTS_UPSERT', 'CONTACTS_UPDATE'],
  ...['PRESENCE_UPDATE', 'CHATS_SET', 'CHATS_UPSERT', 'CHATS_UPDATE', 'CHATS_DELETE', 'GROUPS_UPSERT', 'GROUPS_UPDATE'],
  ...['GROUP_PARTICIPANTS_UPDATE', 'GROUP_JOIN_REQUEST', 'LABELS_EDIT', 'LABELS_ASSOCIATION', 'CALL'],
  ...['INSTANCE_CREATE', 'INSTANCE_DELETE', 'LOGOUT_INSTANCE', 'REMOVE_INSTANCE'],
];

/** Receivers show their secrets, so that only whoever may change them sees them. */
export const Webhooks = ({ record: { name }, feed }) =>
  html`${may('admin') && html`<${Receivers} name=${name} />`}<${Deliveries} name=${name} feed=${feed} />`;

function Receivers({ name }) {
  const [endpoints, setEndpoints] = useState(undefined);
  const [health, setHealth] = useState([]);
  const [editing, setEditing] = useState(undefined);
  const [problem, setProblem] = useState('');
  const load = async (signal) => {
    try {
      const [own, report] = await Promise.all([
        call('GET', at`webhook/endpoints/${name}`, undefined, signal),
        call('GET', `${at`webhook/deliveries/${name}`}?limit=1`, undefined, signal),
      ]);
      setEndpoints(own.endpoints);
      setHealth(report.endpoints);
      setProblem('');
    } catch (error) {
      if (error.name !== 'AbortError') setProblem(error.message);
    }
  };
  usePolling(load, LOOK_AGAIN, [name]);
  return html`<${Problem} text=${problem} />
    <div class="bar">
      <h2>Receivers</h2>
      ${endpoints && html`<button type="button" class="primary" onClick=${() => setEditing({})}>Add a webhook</button>`}
    </div>
    ${endpoints?.length === 0 && html`<p class="empty">Nothing is posted anywhere yet.</p>`}
    <ul class="grid wide" role="list">
      ${endpoints?.map(
        (endpoint) => html`<${Receiver} key=${endpoint.id} name=${name} endpoint=${endpoint} load=${load}
        health=${health.find(({ id }) => id === endpoint.id)} onEdit=${() => setEditing(endpoint)} />`,
      )}
    </ul>
    ${
      editing &&
      html`<${Editor} name=${name} endpoint=${editing} isFirst=${!endpoints.some(({ main }) => main)} load=${load}
      onClose=${() => setEditing(undefined)} />`
    }`;
}

function Receiver({ name, endpoint, health, load, onEdit }) {
  const [problem, busy, run] = useWork();
  const [answer, setAnswer] = useState(undefined);
  const [isRemoving, setRemoving] = useState(false);
  const { id, url, enabled, events } = endpoint;
  const test = () => run(async () => setAnswer(await call('POST', `${at`webhook/test/${name}`}?endpoint=${id}`, {})));
  const remove = async () => {
    await call('DELETE', at`webhook/endpoints/${name}/${id}`);
    await load();
  };
  // What is saved is tried at once, whatever was planned.
  const retry = async () => {
    const { main, secret, oldSecretsUntil, createdAt, updatedAt, ...same } = endpoint;
    await save(name, { ...same, events: isAll(events) ? [] : events });
    await load();
  };
  return html`<li class="card" aria-label=${url || 'no address'}>
    <div class="bar"><h3>${url || 'No address'}</h3><${Health} enabled=${enabled} health=${health} /></div>
    <p class="quiet">${isAll(events) ? 'All events' : events.length === 1 ? '1 kind of event' : `${events.length} kinds of events`}</p>
    <${Trouble} enabled=${enabled} health=${health} onRetry=${retry} />
    ${health && html`<${Backlog} health=${health} />`}
    <details><summary>Secret of the signatures</summary><code>${endpoint.secret}</code></details>
    <${Problem} text=${problem} />
    ${answer && html`<${Answer} answer=${answer} />`}
    <div class="row">
      <button type="button" disabled=${busy} onClick=${test}>Test</button>
      <button type="button" onClick=${onEdit}>Change</button>
      <button type="button" class="danger" onClick=${() => setRemoving(true)}>Remove</button>
    </div>
    ${
      isRemoving &&
      html`<${Confirm} title="Remove this webhook?" action="Remove" work=${remove} onClose=${() => setRemoving(false)}
      text=${`Nothing more is posted to ${url}, and what waits for it is dropped.`} />`
    }
  </li>`;
}

function Answer({ answer: { delivered, status, ms, body, error } }) {
  const said = status === null ? `No answer: ${error}` : `The receiver answered ${status} in ${ms} ms`;
  return html`<div role="status" class=${`notice ${delivered ? 'good' : 'bad'}`}>
    ${said}${body && html`<pre tabindex="0" aria-label="What the receiver answered">${body}</pre>`}
  </div>`;
}

const save = (name, { id, ...webhook }) => call('PUT', at`webhook/endpoints/${name}/${id}`, webhook);

/** A receiver that is off and takes all of them names none. */
const isAll = (events) => events.length === 0 || EVENTS.every((event) => events.includes(event));

/** `Name: value`, one a line, → headers. Throws a sentence for another line. */
function toHeaders(text) {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      const header = line.slice(0, Math.max(colon, 0)).trim();
      if (header === '' || /\s/.test(header)) throw new Error(`"${line}" is no header: write Name: value`);
      return [header, line.slice(colon + 1).trim()];
    }),
  );
}

const toLines = (headers = {}) =>
  Object.entries(headers)
    .map((pair) => pair.join(': '))
    .join('\n');

function Editor({ name, endpoint, isFirst, load, onClose }) {
  const [problem, busy, run] = useWork();
  const [hasAll, setAll] = useState(!endpoint.events || isAll(endpoint.events));
  const submit = (event) => {
    event.preventDefault();
    const { url, enabled, byEvents, base64, headers, ...chosen } = valuesOf(event.currentTarget);
    void run(async () => {
      const events = hasAll ? [] : EVENTS.filter((each) => chosen[each]);
      if (!hasAll && events.length === 0) throw new Error('Choose at least one event');
      const webhook = { url, enabled, events, byEvents, base64, headers: toHeaders(headers), chats: endpoint.chats };
      if (endpoint.id) await save(name, { id: endpoint.id, ...webhook });
      else if (isFirst) await call('POST', at`webhook/set/${name}`, { webhook });
      else await call('POST', at`webhook/endpoints/${name}`, webhook);
      await load();
      onClose();
    });
  };
  return html`<${Dialog} title=${endpoint.id ? 'Change the webhook' : 'New webhook'} onClose=${onClose}>
    <form onSubmit=${submit}>
      <${Problem} text=${problem} />
      <${Field} label="Address" name="url" type="url" required maxlength="2048" defaultValue=${endpoint.url} placeholder="https://" />
      <${Check} label="Switched on" name="enabled" defaultChecked=${endpoint.enabled ?? true} />
      <${Check} label="All events" checked=${hasAll} onChange=${({ target }) => setAll(target.checked)} />
      ${
        !hasAll &&
        html`<fieldset><legend>Events</legend>
        ${EVENTS.map((each) => html`<${Check} key=${each} label=${each} name=${each} defaultChecked=${endpoint.events?.includes(each)} />`)}
      </fieldset>`
      }
      <${Check} label="One address per event" name="byEvents" defaultChecked=${endpoint.byEvents} hint="The event's name is added to the path." />
      <${Check} label="Files inside the post" name="base64" defaultChecked=${endpoint.base64} hint="As base64; otherwise as links." />
      <${Field} label="Headers" as="textarea" name="headers" rows="2" defaultValue=${toLines(endpoint.headers)} hint="Name: value, one a line" />
      <div class="row end">
        <button type="button" onClick=${onClose}>Cancel</button>
        <button type="submit" class="primary" disabled=${busy}>Save</button>
      </div>
    </form>
  <//>`;
}
