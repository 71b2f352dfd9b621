// `npm run bench`: the gateway against plain Baileys on the same simulated platform in the same run. Prints tables, writes JSON.
// Arguments name the parts to run (start, send, group, find, inbound, webhooks, receivers, memory, cluster, plan, compare); none means all. Ratios count, absolute figures depend on the machine.
import { writeFileSync } from 'node:fs';
import { benchCluster } from './cluster.ts';
import { benchCompare } from './compare.ts';
import { benchFind } from './find.ts';
import { benchGroup } from './group.ts';
import { benchInbound } from './inbound.ts';
import { benchMemory } from './memory.ts';
import { benchPlan } from './plan.ts';
import { benchReceivers } from './receivers.ts';
import { benchSend } from './send.ts';
import { benchStart } from './start.ts';
import { benchWebhooks } from './webhooks.ts';

const parts = {
  start: benchStart,
  send: benchSend,
  group: benchGroup,
  find: benchFind,
  inbound: benchInbound,
  webhooks: benchWebhooks,
  receivers: benchReceivers,
  memory: benchMemory,
  cluster: benchCluster,
  plan: benchPlan,
  compare: benchCompare,
};
const wanted = process.argv.slice(2);
const results: Record<string, unknown> = { node: process.version, at: new Date().toISOString() };
for (const [name, bench] of Object.entries(parts)) {
  if (wanted.length === 0 || wanted.includes(name)) results[name] = await bench();
}
writeFileSync('bench-results.json', `${JSON.stringify(results, null, 2)}\n`);
console.log('\nwritten to bench-results.json');
process.exit(0);
