// Bar charts of sent, received and failed messages. They count only the messages that the page has loaded, because the
// gateway has no index to count stored messages by time and direction.
import { useState } from 'preact/hooks';
import { currentLocale, t } from './current-language.js';
import { html, timeOf } from './view.js';

/** @typedef {import('./types.d.ts').MessageRow} MessageRow */
/** @typedef {import('./types.d.ts').TextKey} TextKey */
/** @typedef {{ id: string, title: TextKey, includes: (message: MessageRow) => boolean }} Series */

/** Number of bars of a chart. */
const BARS = 30;
/** Width of a bar and the gap after it, in the units of the SVG. */
const BAR_STEP = 4;
/** Width of a bar, in the units of the SVG. */
const BAR_WIDTH = 3;
/** Height of a chart and of its highest bar, in the units of the SVG. */
const HEIGHT = 60;
const MINUTE_MS = 60_000;
/**
 * The periods that the user can choose. `title` is the heading of the charts, `label` the text of the button.
 * @type {{ minutes: number, title: TextKey, label: TextKey }[]}
 */
const PERIODS = [
  { minutes: 5, title: 'chart.title5', label: 'chart.span5' },
  { minutes: 60, title: 'chart.title60', label: 'chart.span60' },
  { minutes: 1440, title: 'chart.title1440', label: 'chart.span1440' },
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
  const [period, setPeriod] = useState(PERIODS[0]);
  // The defaults only satisfy the type check, which does not know that PERIODS has a first element.
  const { minutes = 5, title = 'chart.title5' } = period ?? {};
  const barMs = (minutes * MINUTE_MS) / BARS;
  const end = Math.ceil(Date.now() / barMs) * barMs;
  const start = end - BARS * barMs;
  const loaded = [...messages.values()];
  const shown = loaded.filter(({ at }) => at >= start);
  const oldest = Math.min(...loaded.map(({ at }) => at));
  return html`<section class="card" aria-labelledby="chart-title">
    <div class="bar">
      <h2 id="chart-title">${t(title)}</h2>
      <div class="choice" role="group" aria-label=${t('chart.span')}>
        ${PERIODS.map(
          (each) =>
            html`<button type="button" aria-pressed=${each === period} onClick=${() => setPeriod(each)}>${t(each.label)}</button>`,
        )}
      </div>
    </div>
    ${
      hasMore &&
      oldest > start &&
      html`<p class="quiet">${t('chart.partial', { messages: t('count.messages', { count: messages.size }), time: timeOf(oldest) })}</p>`
    }
    <div class="charts">
      ${SERIES.map((series) => html`<${Bars} key=${series.id} series=${series} times=${shown.filter(series.includes).map(({ at }) => at)} end=${end} barMs=${barMs} />`)}
    </div>
  </section>`;
}

/**
 * The chart of one series. `times` are the times of the messages, and `end` is the end of the last bar (epoch ms). Each
 * bar counts the messages of `barMs` milliseconds.
 * @param {{ series: Series, times: number[], end: number, barMs: number }} props
 */
function Bars({ series: { id, title }, times, end, barMs }) {
  const counts = Array.from({ length: BARS }, () => 0);
  for (const at of times) {
    // The last bar also counts messages whose time is after `end`, because clocks differ.
    const bar = Math.min(BARS - 1, BARS - Math.ceil((end - at) / barMs));
    counts[bar] = (counts[bar] ?? 0) + 1;
  }
  // At least 1, because the heights are divided by this number.
  const highest = Math.max(1, ...counts);
  return html`<figure>
    <figcaption><strong>${times.length}</strong> ${t(title).toLocaleLowerCase(currentLocale())}</figcaption>
    <svg viewBox=${`0 0 ${BARS * BAR_STEP} ${HEIGHT}`} class=${id} preserveAspectRatio="none" role="img"
      aria-label=${t('chart.summary', { title: t(title), total: times.length, highest: Math.max(...counts) })}>
      ${counts.map((count, bar) => {
        // A bar without messages is visible, too: its height is 1.
        const height = Math.max(1, (count / highest) * HEIGHT);
        const from = timeOf(end - (BARS - bar) * barMs);
        return html`<rect x=${bar * BAR_STEP} y=${HEIGHT - height} width=${BAR_WIDTH} height=${height}><title>${`${from}: ${count}`}</title></rect>`;
      })}
    </svg>
  </figure>`;
}
