// Bar charts of sent, received and failed messages. They count the messages that the page has loaded: the gateway has
// no index that counts stored messages by direction, and an instance can store a hundred thousand a day.
import { useState } from 'preact/hooks';
import { currentLocale, t } from './i18n.js';
import { html, timeOf } from './view.js';

/** @typedef {import('../types.d.ts').MessageRow} MessageRow */
/** @typedef {import('../types.d.ts').TextKey} TextKey */
/** @typedef {{ id: string, title: TextKey, includes: (message: MessageRow) => boolean }} Series */

const BARS = 30;
const HEIGHT = 60;
const MINUTE = 60_000;
/** The spans in minutes. @type {[minutes: number, title: TextKey, name: TextKey][]} */
const SPANS = [
  [5, 'chart.title5', 'chart.span5'],
  [60, 'chart.title60', 'chart.span60'],
  [1440, 'chart.title1440', 'chart.span1440'],
];
/** @type {Series[]} */
const SERIES = [
  { id: 'sent', title: 'chart.sent', includes: ({ fromMe, status }) => fromMe && status !== 'ERROR' },
  { id: 'received', title: 'chart.received', includes: ({ fromMe }) => !fromMe },
  { id: 'failed', title: 'chart.failed', includes: ({ status }) => status === 'ERROR' },
];

/**
 * `hasMore`: the gateway has older messages than `messages`.
 * @param {{ messages: Map<string, MessageRow>, hasMore: boolean }} props
 */
export function Chart({ messages, hasMore }) {
  const [span, setSpan] = useState(SPANS[0]);
  const [minutes = 5, title = 'chart.title5'] = span ?? [];
  const width = (minutes * MINUTE) / BARS;
  const end = Math.ceil(Date.now() / width) * width;
  const start = end - BARS * width;
  const loaded = [...messages.values()];
  const shown = loaded.filter(({ at }) => at >= start);
  const since = Math.min(...loaded.map(({ at }) => at));
  return html`<section class="card" aria-labelledby="chart-title">
    <div class="bar">
      <h2 id="chart-title">${t(title)}</h2>
      <div class="choice" role="group" aria-label=${t('chart.span')}>
        ${SPANS.map(
          (each) =>
            html`<button type="button" aria-pressed=${each === span} onClick=${() => setSpan(each)}>${t(each[2])}</button>`,
        )}
      </div>
    </div>
    ${
      hasMore &&
      since > start &&
      html`<p class="quiet">${t('chart.partial', { messages: t('count.messages', { count: messages.size }), time: timeOf(since) })}</p>`
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
    <figcaption><strong>${times.length}</strong> ${t(title).toLocaleLowerCase(currentLocale())}</figcaption>
    <svg viewBox=${`0 0 ${BARS * 4} ${HEIGHT}`} class=${id} preserveAspectRatio="none" role="img"
      aria-label=${t('chart.summary', { title: t(title), total: times.length, highest: Math.max(...counts) })}>
      ${counts.map((count, n) => {
        const height = Math.max(1, (count / highest) * HEIGHT);
        const from = timeOf(end - (BARS - n) * width);
        return html`<rect x=${n * 4} y=${HEIGHT - height} width="3" height=${height}><title>${`${from}: ${count}`}</title></rect>`;
      })}
    </svg>
  </figure>`;
}
