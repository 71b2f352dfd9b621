// Recent webhook deliveries with their state, and replays.
import { useState } from 'preact/hooks';
import { call, hasScope, pathOf } from './api.js';
import { Field, html, Notice, onValue, Problem, plural, timeOf, usePolling, useWork } from './view.js';

/** @typedef {import('../types.d.ts').Delivery} Delivery */
/** @typedef {import('../types.d.ts').DeliveryReport} DeliveryReport */
/** @typedef {import('../types.d.ts').EndpointHealth} EndpointHealth */
/** @typedef {import('../types.d.ts').Replay} ReplayReport */

/** ms between requests. */
const POLL_INTERVAL = 2000;
const INITIAL_LIMIT = 25;
const MAX_LIMIT = 200;
/** @type {Record<Delivery['state'], [kind: string, label: string]>} */
const STATES = { waiting: ['busy', 'Waiting'], delivered: ['good', 'Delivered'], dead: ['bad', 'Failed'] };

const EMPTY = {
  all: 'No deliveries yet. The first event of the instance appears here.',
  filtered: 'No deliveries in this state.',
};

/** @param {{ name: string, feed: import('../types.d.ts').Feed }} props */
export function Deliveries({ name, feed }) {
  const [state, setState] = useState('');
  const [limit, setLimit] = useState(INITIAL_LIMIT);
  const [report, setReport] = useState(/** @type {DeliveryReport | undefined} */ (undefined));
  const [notice, setNotice] = useState('');
  const [problem, isBusy, run] = useWork();
  const load = async (/** @type {AbortSignal | undefined} */ signal) => {
    const query = new URLSearchParams({ limit: String(limit) });
    if (state) query.set('state', state);
    setReport(await call('GET', `${pathOf`webhook/deliveries/${name}`}?${query}`, undefined, signal));
  };
  usePolling(load, POLL_INTERVAL, [name, state, limit]);
  const replay = (/** @type {object} */ body) =>
    run(async () => {
      setNotice('');
      const { queued } = await call('POST', pathOf`webhook/replay/${name}`, body);
      if (queued === 0) throw new Error('Nothing to replay: the webhook is off, or the events are no longer stored');
      setNotice(`Replaying ${plural(queued, 'event')}.`);
      await load(undefined);
    });
  const rows = report?.deliveries ?? [];
  return html`<section class="card" aria-labelledby="deliveries-title">
    <div class="bar">
      <h2 id="deliveries-title">Deliveries</h2>
      <div class="row">
        <${Field} label="Show" as="select" value=${state} onChange=${onValue(setState)}>
          <option value="">all</option>
          ${Object.entries(STATES).map(([id, [, label]]) => html`<option value=${id}>${label.toLowerCase()}</option>`)}
        <//>
        ${
          hasScope('admin') &&
          html`<button type="button" disabled=${isBusy} onClick=${() => replay({ dead: true })}>Replay failed deliveries</button>`
        }
      </div>
    </div>
    <${Problem} text=${problem} /><${Notice} text=${notice} />
    ${rows.length === 0 && html`<p class="empty">${report ? EMPTY[state ? 'filtered' : 'all'] : 'Loading…'}</p>`}
    <${Replays} report=${report} updates=${feed.replays} />
    <ul class="plain">
      ${rows.map(
        (row) => html`<${Row} key=${`${row.id} ${row.endpoint.id}`} row=${row} isBusy=${isBusy}
        onReplay=${() => replay({ ids: [row.id], endpoint: row.endpoint.id })} />`,
      )}
    </ul>
    ${report?.next && limit < MAX_LIMIT && html`<button type="button" onClick=${() => setLimit(MAX_LIMIT)}>Show more</button>`}
  </section>`;
}

/**
 * The running replays and the last finished one. `updates`: progress from the event stream.
 * @param {{ report: DeliveryReport | undefined, updates: Map<string, ReplayReport> }} props
 */
function Replays({ report, updates }) {
  /** @param {ReplayReport} replay */
  const keyOf = ({ id, endpoint }) => `${id} ${endpoint.id}`;
  const replays = (report?.replays ?? []).map((each) => {
    const update = updates.get(keyOf(each));
    return update && update.progress > each.progress ? update : each;
  });
  const shown = [...replays.filter(({ done }) => !done), ...replays.filter(({ done }) => done).slice(0, 1)];
  if (shown.length === 0) return null;
  return html`<ul class="replays" aria-label="Replays">
    ${shown.map((each) => html`<li key=${keyOf(each)}><${Replay} replay=${each} endpoints=${report?.endpoints} /></li>`)}
  </ul>`;
}

/** @param {{ replay: ReplayReport, endpoints: EndpointHealth[] }} props */
function Replay({ replay, endpoints }) {
  const { endpoint, startedAt, queued, delivered, dead, dropped, progress, done } = replay;
  const parts = [
    `${delivered} of ${queued} delivered`,
    dead > 0 && `${dead} failed`,
    dropped > 0 && `${dropped} dropped`,
  ];
  const counts = parts.filter(Boolean).join(', ');
  if (done) return html`<p class="quiet">Replayed at ${timeOf(startedAt)} to ${endpoint.url}: ${counts}.</p>`;
  const health = endpoints.find(({ id }) => id === endpoint.id);
  const isEnabled = health?.enabled ?? true;
  return html`<label class="past">
    Replaying to ${endpoint.url}: ${progress} %, ${counts}
    ${!isEnabled && ' – the webhook is off; the replay continues when it is turned on'}
    ${isEnabled && health?.breakerOpenUntil && ` – the webhook is paused until ${timeOf(health.breakerOpenUntil)}; the replay continues when deliveries succeed again`}
    <progress max="100" value=${progress}></progress>
  </label>`;
}

/** @param {{ row: Delivery, isBusy: boolean, onReplay: () => void }} props */
function Row({ row, isBusy, onReplay }) {
  const { event, endpoint, state, attempts, lastStatus, lastError, nextAttemptAt, createdAt } = row;
  const [kind, label] = STATES[state] ?? ['', state];
  const last = [lastStatus !== null && `status ${lastStatus}`, lastError].filter(Boolean).join(': ');
  return html`<li class="delivery" data-state=${state}>
    <span class=${`badge ${kind}`}>${label}</span>
    <div>
      <p><strong>${event}</strong> <time class="quiet">${timeOf(createdAt)}</time></p>
      <p class="quiet">to ${endpoint.url}</p>
      <p class="quiet">${plural(attempts, 'attempt')}${last && `, ${last}`}${
        nextAttemptAt && `, next ${timeOf(nextAttemptAt)}`
      }</p>
    </div>
    ${
      hasScope('admin') &&
      state !== 'waiting' &&
      html`<button type="button" disabled=${isBusy} onClick=${onReplay}>Replay</button>`
    }
  </li>`;
}
