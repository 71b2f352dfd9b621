// Recent webhook deliveries with their state, and replays, which send stored events to an endpoint again.
import { useState } from 'preact/hooks';
import { call, hasScope, pathOf } from './api.js';
import { t } from './current-language.js';
import { replayKeyOf, replaysToShow } from './replays.js';
import { Field, html, Notice, onValue, Problem, timeOf, usePolling, useWork } from './view.js';

/** @typedef {import('./types.d.ts').Delivery} Delivery */
/** @typedef {import('./types.d.ts').DeliveryReport} DeliveryReport */
/** @typedef {import('./types.d.ts').EndpointHealth} EndpointHealth */
/** @typedef {import('./types.d.ts').Replay} ReplayReport */

/** Interval of the requests for the report. */
const POLL_INTERVAL_MS = 2000;
/** Number of deliveries that are requested at first. */
const INITIAL_LIMIT = 25;
/** Number of deliveries that are requested after the button "Show more". */
const MAX_LIMIT = 200;
/**
 * The badge of a delivery by its state; `color` is a class of the style sheet.
 * @type {Record<Delivery['state'], { color: string, label: import('./types.d.ts').TextKey }>}
 */
const BADGES = {
  waiting: { color: 'busy', label: 'deliveries.waiting' },
  delivered: { color: 'good', label: 'deliveries.delivered' },
  dead: { color: 'bad', label: 'deliveries.failed' },
};

/**
 * `name`: name of the instance. `feed`: what the event stream has sent so far.
 * @param {{ name: string, feed: import('./types.d.ts').Feed }} props
 */
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
  usePolling(load, POLL_INTERVAL_MS, [name, state, limit]);
  const replay = (/** @type {object} */ body) =>
    run(async () => {
      setNotice('');
      const { queued } = await call('POST', pathOf`webhook/replay/${name}`, body);
      if (queued === 0) throw new Error(t('deliveries.nothing'));
      setNotice(t('deliveries.replaying', { events: t('count.events', { count: queued }) }));
      await load(undefined);
    });
  const rows = report?.deliveries ?? [];
  const emptyTextKey = state ? 'deliveries.emptyState' : 'deliveries.empty';
  return html`<section class="card" aria-labelledby="deliveries-title">
    <div class="bar">
      <h2 id="deliveries-title">${t('deliveries.title')}</h2>
      <div class="row">
        <${Field} label=${t('deliveries.show')} as="select" value=${state} onChange=${onValue(setState)}>
          <option value="">${t('deliveries.all')}</option>
          ${Object.entries(BADGES).map(([id, { label }]) => html`<option value=${id}>${t(label)}</option>`)}
        <//>
        ${
          hasScope('admin') &&
          report?.endpoints.some(({ dead }) => dead > 0) &&
          html`<button type="button" disabled=${isBusy} onClick=${() => replay({ dead: true })}>${t('deliveries.replayFailed')}</button>`
        }
      </div>
    </div>
    <${Problem} text=${problem} /><${Notice} text=${notice} />
    ${rows.length === 0 && html`<p class="empty">${t(report ? emptyTextKey : 'app.loading')}</p>`}
    <${Replays} report=${report} updates=${feed.replays} />
    <ul class="plain">
      ${rows.map(
        (row) => html`<${DeliveryRow} key=${`${row.id} ${row.endpoint.id}`} row=${row} isBusy=${isBusy}
        onReplay=${() => replay({ ids: [row.id], endpoint: row.endpoint.id })} />`,
      )}
    </ul>
    ${report?.next && limit < MAX_LIMIT && html`<button type="button" onClick=${() => setLimit(MAX_LIMIT)}>${t('app.showMore')}</button>`}
  </section>`;
}

/** @param {{ report: DeliveryReport | undefined, updates: Map<string, ReplayReport> }} props */
function Replays({ report, updates }) {
  const shown = replaysToShow(report?.replays ?? [], updates);
  if (shown.length === 0) return null;
  return html`<ul class="replays" aria-label=${t('deliveries.replays')}>
    ${shown.map((each) => html`<li key=${replayKeyOf(each)}><${Replay} replay=${each} endpoints=${report?.endpoints} /></li>`)}
  </ul>`;
}

/** @param {{ replay: ReplayReport, endpoints: EndpointHealth[] }} props */
function Replay({ replay, endpoints }) {
  const { endpoint, startedAt, queued, delivered, dead, dropped, progress, done } = replay;
  const parts = [
    t('deliveries.countDelivered', { delivered, queued }),
    dead > 0 && t('deliveries.countFailed', { dead }),
    dropped > 0 && t('deliveries.countDropped', { dropped }),
  ];
  const counts = parts.filter(Boolean).join(', ');
  if (done)
    return html`<p class="quiet">${t('deliveries.replayed', { time: timeOf(startedAt), url: endpoint.url, counts })}</p>`;
  const health = endpoints.find(({ id }) => id === endpoint.id);
  const isEnabled = health?.enabled ?? true;
  return html`<label class="past">
    ${t('deliveries.progress', { url: endpoint.url, progress, counts })}
    ${!isEnabled && ` ${t('deliveries.progressOff')}`}
    ${isEnabled && health?.breakerOpenUntil && ` ${t('deliveries.progressPaused', { time: timeOf(health.breakerOpenUntil) })}`}
    <progress max="100" value=${progress}></progress>
  </label>`;
}

/**
 * Whether the time is in the future. While a webhook is paused, the next attempt of a delivery can be overdue.
 * @param {string | null} time
 */
const isFuture = (time) => time !== null && Date.parse(time) > Date.now();

/** @param {{ row: Delivery, isBusy: boolean, onReplay: () => void }} props */
function DeliveryRow({ row, isBusy, onReplay }) {
  const { event, endpoint, state, attempts, lastStatus, lastError, nextAttemptAt, createdAt } = row;
  const { color, label } = BADGES[state];
  const lastResult = [lastStatus !== null && t('deliveries.status', { status: lastStatus }), lastError]
    .filter(Boolean)
    .join(': ');
  return html`<li class="delivery" data-state=${state}>
    <span class=${`badge ${color}`}>${t(label)}</span>
    <div>
      <p><strong>${event}</strong> <time class="quiet">${timeOf(createdAt)}</time></p>
      <p class="quiet">${t('deliveries.to', { url: endpoint.url })}</p>
      <p class="quiet">${t('count.attempts', { count: attempts })}${lastResult && `, ${lastResult}`}${
        isFuture(nextAttemptAt) && `, ${t('deliveries.next', { time: timeOf(nextAttemptAt) })}`
      }</p>
    </div>
    ${
      hasScope('admin') &&
      state !== 'waiting' &&
      html`<button type="button" disabled=${isBusy} onClick=${onReplay}>${t('deliveries.replay')}</button>`
    }
  </li>`;
}
