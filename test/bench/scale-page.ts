// Makes the table and the chart of docs/operate/capacity.md from the rows of the part `scale` of the benchmark.

/** The figures of one gateway process. */
export type ScaleRow = {
  instances: number;
  /** Time from the start of the process until all instances are open. */
  'open s': number;
  /** Resident memory without messages. */
  'memory MiB': number;
  'idle CPU ms/s': number;
  'CPU ms/text': number;
  /** Latency of a request that sends a text, with 16 requests at a time. */
  'p50 ms': number;
  'p99 ms': number;
  'memory after texts MiB': number;
};

/** The stored results of one run. */
export interface ScaleResults {
  /** Version of Node. */
  node: string;
  /** Start of the run, ISO 8601. */
  at: string;
  rows: ScaleRow[];
}

/** The shown figures in their order, with their titles and numbers of decimals. */
const COLUMNS = [
  ['memory MiB', 'resident memory, MiB', 0],
  ['open s', 'start until all are open, s', 1],
  ['idle CPU ms/s', 'CPU without messages, ms per s', 1],
  ['CPU ms/text', 'CPU per text, ms', 2],
  ['p50 ms', 'latency of a text, median, ms', 1],
  ['p99 ms', 'latency of a text, 99 %, ms', 1],
] as const;

const START = '<!-- scale -->';
const END = '<!-- /scale -->';

const formatCount = (value: number): string => value.toLocaleString('en');
const formatDecimal = (value: number, decimals: number): string =>
  value.toLocaleString('en', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });

/** Returns the table in Markdown, with a sentence about the run. */
export function toScaleTable({ node, at, rows }: ScaleResults): string {
  const lines = [
    ['instances', ...COLUMNS.map(([, title]) => title)],
    ['---', ...COLUMNS.map(() => '---')],
    ...rows.map((row) => [
      formatCount(row.instances),
      ...COLUMNS.map(([key, , decimals]) => formatDecimal(row[key], decimals)),
    ]),
  ];
  const tableLines = lines.map((cells) => `| ${cells.join(' | ')} |`);
  return `${tableLines.join('\n')}\n\nMeasured on ${at.slice(0, 10)} with Node ${node.replace('v', '')}.`;
}

/** Returns `page` with the table of `results` between the two marks. Throws an Error when the page has no marks. */
export function withScaleTable(page: string, results: ScaleResults): string {
  const [start, end] = [page.indexOf(START), page.indexOf(END)];
  if (start < 0 || end < start) throw new Error(`the page has no ${START} and ${END}`);
  return `${page.slice(0, start)}${START}\n${toScaleTable(results)}\n${page.slice(end)}`;
}

/** Sizes in the chart, px. */
const PANEL = { width: 300, height: 190 };
const MARGIN = { top: 34, bottom: 26, side: 14 };
const PANELS_PER_ROW = 3;
const BAR_GAP = 10;

/** Returns an SVG image with one bar chart for each figure. */
export function toScaleChart({ rows }: ScaleResults): string {
  const width = PANELS_PER_ROW * PANEL.width;
  const height = Math.ceil(COLUMNS.length / PANELS_PER_ROW) * PANEL.height;
  const panels = COLUMNS.map(([key, title, decimals], index) => {
    const bars = rows.map((row) => ({
      label: formatCount(row.instances),
      value: row[key],
      text: formatDecimal(row[key], decimals),
    }));
    const x = (index % PANELS_PER_ROW) * PANEL.width;
    const y = Math.floor(index / PANELS_PER_ROW) * PANEL.height;
    return [`  <g transform="translate(${x} ${y})">`, ...toPanel(title, bars), '  </g>'].join('\n');
  });
  const sizes = rows.map(({ instances }) => formatCount(instances)).join(', ');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="12" role="img">
  <title>One gateway process with ${sizes} instances</title>
  <rect width="${width}" height="${height}" fill="#ffffff"/>
${panels.join('\n')}
</svg>
`;
}

interface Bar {
  label: string;
  value: number;
  /** The value above the bar, formatted. */
  text: string;
}

/** Returns the elements of one bar chart. */
function toPanel(title: string, bars: readonly Bar[]): string[] {
  const highest = Math.max(...bars.map(({ value }) => value));
  const step = (PANEL.width - 2 * MARGIN.side) / bars.length;
  const bottom = PANEL.height - MARGIN.bottom;
  const space = bottom - MARGIN.top - 16;
  const elements = bars.flatMap(({ label, value, text }, index) => {
    const barHeight = highest > 0 ? (value / highest) * space : 0;
    const left = MARGIN.side + index * step;
    const middle = (left + step / 2).toFixed(1);
    const top = bottom - barHeight;
    return [
      `    <rect x="${(left + BAR_GAP / 2).toFixed(1)}" y="${top.toFixed(1)}" width="${(step - BAR_GAP).toFixed(1)}" height="${barHeight.toFixed(1)}" fill="#2f6f9f"/>`,
      `    <text x="${middle}" y="${(top - 4).toFixed(1)}" text-anchor="middle" fill="#222222">${text}</text>`,
      `    <text x="${middle}" y="${bottom + 16}" text-anchor="middle" fill="#555555">${label}</text>`,
    ];
  });
  const axis = `    <line x1="${MARGIN.side}" y1="${bottom}" x2="${PANEL.width - MARGIN.side}" y2="${bottom}" stroke="#999999"/>`;
  return [`    <text x="${MARGIN.side}" y="20" fill="#222222" font-weight="bold">${title}</text>`, axis, ...elements];
}
