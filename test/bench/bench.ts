// `npm run bench`: compares the gateway with plain Baileys on the same simulated platform in the same run. Prints
// tables and writes JSON. The arguments name the parts to run, which are the keys of `parts`. Without arguments, all
// parts run. The ratios are significant. The absolute figures depend on the machine.
import { writeFileSync } from 'node:fs';
import { benchPlan } from './capacity-plan.ts';
import { benchCluster } from './cluster.ts';
import { benchCompare } from './compare-checkouts.ts';
import { benchReceivers } from './failing-receivers.ts';
import { benchFind } from './find.ts';
import { benchFirst } from './first-messages.ts';
import type { BenchResult, Goal } from './goals.ts';
import { benchGroup } from './group.ts';
import { benchImport } from './import.ts';
import { benchInbound } from './inbound.ts';
import { benchLists } from './lists.ts';
import { benchMedia } from './media.ts';
import { benchMemory } from './memory.ts';
import { benchOverload } from './overload.ts';
import { benchPairing } from './pairing.ts';
import { benchScale } from './scale.ts';
import { benchSend } from './send.ts';
import { benchStart } from './start.ts';
import { printTable } from './statistics.ts';
import { benchWebhooks } from './webhooks.ts';

const parts = {
  start: benchStart,
  send: benchSend,
  media: benchMedia,
  first: benchFirst,
  group: benchGroup,
  find: benchFind,
  lists: benchLists,
  overload: benchOverload,
  inbound: benchInbound,
  import: benchImport,
  webhooks: benchWebhooks,
  receivers: benchReceivers,
  memory: benchMemory,
  pairing: benchPairing,
  scale: benchScale,
  cluster: benchCluster,
  plan: benchPlan,
  compare: benchCompare,
};
const requestedParts = process.argv.slice(2);
const results: Record<string, unknown> = { node: process.version, at: new Date().toISOString() };
const goals: Goal[] = [];
for (const [name, bench] of Object.entries(parts)) {
  if (requestedParts.length > 0 && !requestedParts.includes(name)) continue;
  const result: unknown = await bench();
  results[name] = hasGoals(result) ? result.rows : result;
  if (hasGoals(result)) goals.push(...result.goals);
}
if (goals.length > 0) {
  results.goals = goals;
  printTable(
    'goals',
    goals.map(({ holds, ...goal }) => ({ ...goal, holds: holds ? 'yes' : 'NO' })),
  );
}
writeFileSync('bench-results.json', `${JSON.stringify(results, null, 2)}\n`);
console.log('\nwritten to bench-results.json');
process.exit(0);

function hasGoals(result: unknown): result is BenchResult {
  return typeof result === 'object' && result !== null && 'goals' in result;
}
