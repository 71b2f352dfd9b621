// Posts to receivers: what was delivered, what waits, what was given up, and posting it again.
import { useState } from 'preact/hooks';
import { at, call, may } from './api.js';
import { Field, html, Notice, Problem, timeOf, usePolling, useWork } from './view.js';

const LOOK_AGAIN = 2000;
const FIRST = 25;
const MOST = 200;
const words = { waiting: ['busy', 'Waiting'], delivered: ['good', 'Delivered'], dead: ['bad', 'Given up'] };

export function Deliveries({ name, feed }) {
  const [state, setState] = useState('');
  const [limit, setLimit] = useState(FIRST);
  const [report, setReport] = useState(undefined);
  const [done, setDone] = useState('');
  const [problem, busy, run] = useWork();
  const load = async (signal) => {
    const query = new URLSearchParams({ limit: String(limit), ...(state && { state }) });
    setReport(await call('GET', `${at`webhook/deliveries/${name}`}?${query}`, undefined, signal));
  };
  usePolling(load, LOOK_AGAIN, [name, state, limit]);
  const replay = (body) =>
    run(async () => {
      setDone('');
      const { queued } = await call('POST', at`webhook/replay/${name}`, body);
      if (queued === 0)
        throw new Error('Nothing is posted again: the receiver is off, or the events are no longer kept');
      setDone(queued === 1 ? '1 event is posted again.' : `${queued} events are posted again.`);
      await load();
    });
  const rows = report?.deliveries ?? [];
  return html`<section class="card" aria-labelledby="deliveries-title">
    <div class="bar">
      <h2 id="deliveries-title">Deliveries</h2>
      <div class="row">
        <${Field} label="Show" as="select" value=${state} onChange=${({ target }) => setState(target.value)}>
          <option value="">all</option>
          ${Object.entries(words).map(([id, [, text]]) => html`<option value=${id}>${text.toLowerCase()}</option>`)}
        <//>
        ${may('admin') && html`<button type="button" disabled=${busy} onClick=${() => replay({ dead: true })}>Post again what was given up</button>`}
      </div>
    </div>
    <${Problem} text=${problem} /><${Notice} text=${done} />
    ${rows.length === 0 && html`<p class="empty">${report ? 'Nothing to show.' : 'Loading…'}</p>`}
    <${Replays} report=${report} told=${feed.replays} />
    <ul class="plain">
      ${rows.map(
        (row) => html`<${Row} key=${`${row.id} ${row.endpoint.id}`} row=${row} busy=${busy}
        onReplay=${() => replay({ ids: [row.id], endpoint: row.endpoint.id })} />`,
      )}
    </ul>
    ${report?.next && limit < MOST && html`<button type="button" onClick=${() => setLimit(MOST)}>Show more</button>`}
  </section>`;
}

/** What is posted again now, and what became of the last that was. `told` is what the stream said since the report. */
function Replays({ report, told }) {
  const keyOf = ({ id, endpoint }) => `${id} ${endpoint.id}`;
  const known = (report?.replays ?? []).map((each) => {
    const news = told.get(keyOf(each));
    return news && news.progress > each.progress ? news : each;
  });
  const shown = [...known.filter(({ done }) => !done), ...known.filter(({ done }) => done).slice(0, 1)];
  if (shown.length === 0) return null;
  return html`<ul class="replays" aria-label="Posted again">
    ${shown.map((each) => html`<li key=${keyOf(each)}><${Replay} replay=${each} endpoints=${report.endpoints} /></li>`)}
  </ul>`;
}

function Replay({ replay, endpoints }) {
  const { endpoint, startedAt, queued, delivered, dead, dropped, progress, done } = replay;
  const ends = [
    `${delivered} of ${queued} delivered`,
    dead > 0 && `${dead} given up`,
    dropped > 0 && `${dropped} dropped`,
  ];
  const counts = ends.filter(Boolean).join(', ');
  if (done) return html`<p class="quiet">Posted again at ${timeOf(startedAt)} to ${endpoint.url}: ${counts}.</p>`;
  const { enabled = true, breakerOpenUntil } = endpoints.find(({ id }) => id === endpoint.id) ?? {};
  return html`<label class="past">
    Posting again to ${endpoint.url}: ${progress} %, ${counts}
    ${!enabled && ' – the receiver is off; this goes on when it is switched on'}
    ${enabled && breakerOpenUntil && ` – the receiver is paused until ${timeOf(breakerOpenUntil)}; this goes on when it takes posts again`}
    <progress max="100" value=${progress}></progress>
  </label>`;
}

function Row({ row, busy, onReplay }) {
  const { event, endpoint, state, attempts, lastStatus, lastError, nextAttemptAt, createdAt } = row;
  const [kind, text] = words[state] ?? ['', state];
  const last = [lastStatus !== null && `answered ${lastStatus}`, lastError].filter(Boolean).join(': ');
  return html`<li class="delivery" data-state=${state}>
    <span class=${`badge ${kind}`}>${text}</span>
    <div>
      <p><strong>${event}</strong> <time class="quiet">${timeOf(createdAt)}</time></p>
      <p class="quiet">to ${endpoint.url}</p>
      <p class="quiet">${attempts === 1 ? '1 attempt' : `${attempts} attempts`}${last && `, ${last}`}${
        nextAttemptAt && `, next ${timeOf(nextAttemptAt)}`
      }</p>
    </div>
    ${may('admin') && state !== 'waiting' && html`<button type="button" disabled=${busy} onClick=${onReplay}>Post again</button>`}
  </li>`;
}
