// How much was sent, received and failed over time, as bars drawn from the messages that are known: to count what is stored, of which there may be
// a hundred thousand a day, would read them all, since no index tells who sent them.
import { useState } from 'preact/hooks';
import { html, timeOf } from './view.js';

const BARS = 30;
const HEIGHT = 60;
const MINUTE = 60_000;
const spans = { 5: '5 minutes', 60: 'hour', 1440: 'day' };
const rows = [
  { id: 'sent', title: 'Sent', counts: ({ fromMe, status }) => fromMe && status !== 'ERROR' },
  { id: 'received', title: 'Received', counts: ({ fromMe }) => !fromMe },
  { id: 'failed', title: 'Failed', counts: ({ status }) => status === 'ERROR' },
];

/** `hasMore`: there are older messages than `messages`. */
export function Chart({ messages, hasMore }) {
  const [minutes, setMinutes] = useState(5);
  const width = (minutes * MINUTE) / BARS;
  const end = Math.ceil(Date.now() / width) * width;
  const start = end - BARS * width;
  const known = [...messages.values()];
  const shown = known.filter(({ at }) => at >= start);
  const since = Math.min(...known.map(({ at }) => at));
  return html`<section class="card" aria-labelledby="chart-title">
    <div class="bar">
      <h2 id="chart-title">Traffic of the last ${spans[minutes]}</h2>
      <div class="choice" role="group" aria-label="Span">
        ${Object.entries(spans).map(
          ([id, name]) =>
            html`<button type="button" aria-pressed=${Number(id) === minutes} onClick=${() => setMinutes(Number(id))}>${name}</button>`,
        )}
      </div>
    </div>
    ${hasMore && since > start && html`<p class="quiet">Of the last ${messages.size} messages, since ${timeOf(since)}: what was before is not counted.</p>`}
    <div class="charts">
      ${rows.map((row) => html`<${Bars} key=${row.id} row=${row} times=${shown.filter(row.counts).map(({ at }) => at)} end=${end} width=${width} />`)}
    </div>
  </section>`;
}

function Bars({ row: { id, title }, times, end, width }) {
  const counts = new Array(BARS).fill(0);
  for (const at of times) counts[Math.min(BARS - 1, BARS - Math.ceil((end - at) / width))]++;
  const most = Math.max(1, ...counts);
  return html`<figure>
    <figcaption><strong>${times.length}</strong> ${title.toLowerCase()}</figcaption>
    <svg viewBox=${`0 0 ${BARS * 4} ${HEIGHT}`} class=${id} preserveAspectRatio="none" role="img"
      aria-label=${`${title}: ${times.length}, at most ${Math.max(...counts)} at a time`}>
      ${counts.map((count, n) => {
        const height = Math.max(1, (count / most) * HEIGHT);
        const from = timeOf(end - (BARS - n) * width);
        return html`<rect x=${n * 4} y=${HEIGHT - height} width="3" height=${height}><title>${`${from}: ${count}`}</title></rect>`;
      })}
    </svg>
  </figure>`;
}
