// Bar charts of sent, received and failed messages. They count the messages that the page has loaded: the gateway has
// no index that counts stored messages by direction, and an instance can store a hundred thousand a day.
import { useState } from 'preact/hooks';
import { html, plural, timeOf } from './view.js';

/** @typedef {import('../types.d.ts').MessageRow} MessageRow */
/** @typedef {{ id: string, title: string, includes: (message: MessageRow) => boolean }} Series */

const BARS = 30;
const HEIGHT = 60;
const MINUTE = 60_000;
/** @type {Record<number, string>} */
const SPANS = { 5: '5 minutes', 60: 'hour', 1440: 'day' };
/** @type {Series[]} */
const SERIES = [
  { id: 'sent', title: 'Sent', includes: ({ fromMe, status }) => fromMe && status !== 'ERROR' },
  { id: 'received', title: 'Received', includes: ({ fromMe }) => !fromMe },
  { id: 'failed', title: 'Failed', includes: ({ status }) => status === 'ERROR' },
];

/**
 * `hasMore`: the gateway has older messages than `messages`.
 * @param {{ messages: Map<string, MessageRow>, hasMore: boolean }} props
 */
export function Chart({ messages, hasMore }) {
  const [minutes, setMinutes] = useState(5);
  const width = (minutes * MINUTE) / BARS;
  const end = Math.ceil(Date.now() / width) * width;
  const start = end - BARS * width;
  const loaded = [...messages.values()];
  const shown = loaded.filter(({ at }) => at >= start);
  const since = Math.min(...loaded.map(({ at }) => at));
  return html`<section class="card" aria-labelledby="chart-title">
    <div class="bar">
      <h2 id="chart-title">Traffic of the last ${SPANS[minutes]}</h2>
      <div class="choice" role="group" aria-label="Span">
        ${Object.entries(SPANS).map(
          ([id, name]) =>
            html`<button type="button" aria-pressed=${Number(id) === minutes} onClick=${() => setMinutes(Number(id))}>${name}</button>`,
        )}
      </div>
    </div>
    ${
      hasMore &&
      since > start &&
      html`<p class="quiet">Counts the last ${plural(messages.size, 'message')}, since ${timeOf(since)}. Older messages are not counted.</p>`
    }
    <div class="charts">
      ${SERIES.map((series) => html`<${Bars} key=${series.id} series=${series} times=${shown.filter(series.includes).map(({ at }) => at)} end=${end} width=${width} />`)}
    </div>
  </section>`;
}

/**
 * `times` and `end` are epoch ms, `width` is the duration of a bar in ms.
 * @param {{ series: Series, times: number[], end: number, width: number }} props
 */
function Bars({ series: { id, title }, times, end, width }) {
  const counts = Array.from({ length: BARS }, () => 0);
  for (const at of times) {
    const bar = Math.min(BARS - 1, BARS - Math.ceil((end - at) / width));
    counts[bar] = (counts[bar] ?? 0) + 1;
  }
  const highest = Math.max(1, ...counts);
  return html`<figure>
    <figcaption><strong>${times.length}</strong> ${title.toLowerCase()}</figcaption>
    <svg viewBox=${`0 0 ${BARS * 4} ${HEIGHT}`} class=${id} preserveAspectRatio="none" role="img"
      aria-label=${`${title}: ${times.length}, at most ${Math.max(...counts)} at a time`}>
      ${counts.map((count, n) => {
        const height = Math.max(1, (count / highest) * HEIGHT);
        const from = timeOf(end - (BARS - n) * width);
        return html`<rect x=${n * 4} y=${HEIGHT - height} width="3" height=${height}><title>${`${from}: ${count}`}</title></rect>`;
      })}
    </svg>
  </figure>`;
}
