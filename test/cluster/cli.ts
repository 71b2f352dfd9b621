// `npm run cluster`: runs several nodes on one PostgreSQL server under constant traffic, causes disasters and prints a
// report. Arguments: --nodes 3 --instances 60 --rate 30 (messages per second in each direction) --ttl 15 (seconds)
// --disasters killed,stopped,…
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { printTable } from '../bench/statistics.ts';
import { disasters } from './disasters.ts';
import { run } from './run.ts';

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '3' },
    instances: { type: 'string', default: '60' },
    rate: { type: 'string', default: '30' },
    ttl: { type: 'string', default: '15' },
    disasters: { type: 'string', default: Object.keys(disasters).join(',') },
  },
});
const startedAt = performance.now();
const outcome = await run({
  nodes: Number(values.nodes),
  instances: Number(values.instances),
  rate: Number(values.rate),
  ttl: Number(values.ttl),
  disasters: values.disasters.split(',').filter(Boolean),
  report: (text) => console.log(`${((performance.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${text}`),
});
printTable('disasters (ms)', outcome.disasters);
printTable(
  'how attempts to send ended',
  Object.entries(outcome.attempts).map(([outcome, times]) => ({ outcome, times: String(times) })),
);
printTable(
  'the ledgers',
  Object.entries(outcome.totals).map(([what, count]) => ({ what, count: String(count) })),
);
console.log(outcome.faults.length === 0 ? '\nas promised' : `\nFAULTS\n${outcome.faults.join('\n')}`);
writeFileSync('cluster-results.json', `${JSON.stringify({ arguments: values, ...outcome }, null, 2)}\n`);
process.exit(outcome.faults.length === 0 ? 0 : 1);
