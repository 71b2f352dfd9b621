// Writes the table and the chart of the part `scale` of the benchmark to the documentation. Run
// `node test/bench/write-scale.ts` after `npm run bench -- scale`. Without a new run (no bench-results.json), it writes
// them from the stored results.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type ScaleResults, toScaleChart, withScaleTable } from './scale-page.ts';

const RUN = 'bench-results.json';
const STORED = 'docs/operate/capacity-scale.json';
const CHART = 'docs/operate/capacity-scale.svg';
const PAGE = 'docs/operate/capacity.md';

/** The results of the last run. Undefined when the last run did not measure this part. */
function readRun(): ScaleResults | undefined {
  if (!existsSync(RUN)) return undefined;
  const run: { node: string; at: string; scale?: ScaleResults['rows'] } = JSON.parse(readFileSync(RUN, 'utf8'));
  return run.scale && { node: run.node, at: run.at, rows: run.scale };
}

const run = readRun();
if (run) writeFileSync(STORED, `${JSON.stringify(run, null, 2)}\n`);
const results: ScaleResults = JSON.parse(readFileSync(STORED, 'utf8'));
writeFileSync(CHART, toScaleChart(results));
writeFileSync(PAGE, withScaleTable(readFileSync(PAGE, 'utf8'), results));
