// Computes the plan for many instances in docs/operate/capacity.md again from the measurements in deploy/plan.json.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SETTINGS } from '../../src/config/settings.ts';

const page = readFileSync('docs/operate/capacity.md', 'utf8');
const figures = JSON.parse(readFileSync('deploy/plan.json', 'utf8')) as typeof import('../../deploy/plan.json');
const { assumed, measured } = figures;

/** Heartbeats of a node per LEASE_TTL. */
const HEARTBEATS_PER_TTL = 5;
const formatInteger = (value: number) => Math.round(value).toLocaleString('en');
const formatDecimal = (value: number) => value.toFixed(2);

/**
 * The processor time of a heartbeat in the database, in ms: a fixed part, a part for each lease of the node, and a part
 * for each lease of the cluster.
 */
function roundCosts(): { fixed: number; own: number; all: number } {
  const [few, many, crowded] = measured.rounds;
  if (!few || !many || !crowded) throw new Error('three rounds were measured');
  const all = (crowded.databaseMs - many.databaseMs) / (crowded.all - many.all);
  const own = (many.databaseMs - few.databaseMs) / (many.own - few.own) - all;
  return { fixed: few.databaseMs - few.own * (own + all), own, all };
}

/** The rows of the table for `n` instances. */
function planFor(n: number): string[] {
  const { instance, node, sent, received, listed } = measured;
  const perSecond = (perDay: number) => (n * perDay * assumed.shareOfBusiestHour) / 3600;
  const [sentPerSecond, receivedPerSecond] = [perSecond(assumed.sentPerDay), perSecond(assumed.receivedPerDay)];
  const costPerSecond = (field: 'transactions' | 'rows' | 'wal' | 'databaseMs' | 'nodeMs') =>
    sentPerSecond * sent[field] + receivedPerSecond * received[field];
  const nodes = Math.ceil(n / assumed.instancesPerNode) + 1;
  // One node may fail. The others run all instances.
  const instancesPerNode = n / (nodes - 1);
  const costs = roundCosts();
  const heartbeatCost =
    (nodes * (costs.fixed + (costs.own * n) / nodes + costs.all * n)) / (assumed.leaseTtl / HEARTBEATS_PER_TTL);
  const keptPerDay = n * (assumed.sentPerDay * sent.kept + assumed.receivedPerDay * received.kept);
  const recovery = (n / nodes / (nodes - 1) / assumed.connectConcurrency) * assumed.loginSeconds;
  return [
    formatInteger(nodes),
    `${formatDecimal((instance.cpuMsPerSecond * instancesPerNode + costPerSecond('nodeMs') / (nodes - 1)) / 1000)} cores`,
    `${formatInteger(node.mib + instance.mib * instancesPerNode)} MiB`,
    `${formatInteger(sentPerSecond)} and ${formatInteger(receivedPerSecond)}`,
    `${formatInteger(nodes * (assumed.poolSize + 2))}, and ${formatInteger((nodes + 1) * (assumed.poolSize + 2))}`,
    formatInteger(costPerSecond('transactions')),
    formatInteger(costPerSecond('rows')),
    `${formatDecimal(costPerSecond('wal') / 1e6)} MB`,
    `${formatDecimal(costPerSecond('databaseMs') / 1000)} cores`,
    `${formatDecimal(heartbeatCost / 1000)} cores`,
    `${formatDecimal((n * instance.keyRows) / 1e6)} million, ${formatDecimal((n * instance.keyBytes) / 1e9)} GB`,
    `${formatDecimal(keptPerDay / 1e9)} GB`,
    `${formatInteger(assumed.leaseTtl + assumed.leaseTtl / HEARTBEATS_PER_TTL + recovery)} s`,
    `${formatDecimal((n * listed.nodeMs) / 1000)} and ${formatDecimal((n * listed.databaseMs) / 1000)} s`,
  ];
}

const { sent, received, instance, listed } = measured;
const cost = roundCosts();
const inThousand = (value: number) => `${formatDecimal(value * 1000)}/1000`;
const rows = [
  ['nodes', `N/${formatInteger(assumed.instancesPerNode)}, and one that may fail`],
  [
    'processor of a node',
    `${instance.cpuMsPerSecond} ms/s each, ${sent.nodeMs} ms a send, ${received.nodeMs} ms a message received`,
  ],
  ['memory of a node', `${measured.node.mib} MiB and ${instance.mib} MiB each`],
  [
    'sent and received a second',
    `N × ${assumed.sentPerDay} and ${assumed.receivedPerDay} × ${assumed.shareOfBusiestHour} / 3600`,
  ],
  ['connections to PostgreSQL, and during a roll-out', `nodes × (${assumed.poolSize} + 2), one node more`],
  ['transactions a second', `${sent.transactions} a send, ${received.transactions} a message received`],
  ['rows written a second', `${sent.rows} and ${received.rows}`],
  ['write-ahead log a second', `${formatInteger(sent.wal)} and ${formatInteger(received.wal)} bytes`],
  ['processor of PostgreSQL, messages', `${sent.databaseMs} and ${received.databaseMs} ms`],
  [
    'processor of PostgreSQL, signs of life',
    `nodes × (${formatDecimal(cost.fixed)} + ${inThousand(cost.own)} × own + ${inThousand(cost.all)} × N) ms each ${assumed.leaseTtl / HEARTBEATS_PER_TTL} s`,
  ],
  ['rows of keys', `${formatInteger(instance.keyRows)} rows, ${formatInteger(instance.keyBytes)} bytes each`],
  ['messages kept, a day', `${formatInteger(sent.kept)} and ${formatInteger(received.kept)} bytes`],
  [
    'a node dies: all open again after',
    `TTL + TTL/${HEARTBEATS_PER_TTL} + its instances / (other nodes × ${assumed.connectConcurrency}) × ${assumed.loginSeconds} s`,
  ],
  [
    'one list of all instances: processor of a node, of PostgreSQL',
    `${listed.nodeMs} and ${listed.databaseMs} ms a record`,
  ],
];

describe('capacity plan', () => {
  it('the plan in capacity.md has the values that follow from deploy/plan.json', () => {
    const [few, many] = [planFor(10_000), planFor(100_000)];
    const lines = rows.map((row, index) => `| ${[...row, few[index], many[index]].join(' | ')} |`);
    const table = ['| | from | N = 10,000 | N = 100,000 |', '|---|---|---|---|', ...lines].join('\n');
    expect(/<!-- plan -->\n(.*)\n<!-- \/plan -->/s.exec(page)?.[1]).toBe(table);
  });

  it('the plan assumes the defaults of DATABASE_POOL_SIZE, LEASE_TTL and CONNECT_CONCURRENCY', () => {
    const { poolSize, leaseTtl, connectConcurrency } = assumed;
    expect({ poolSize, leaseTtl, connectConcurrency }).toEqual({
      poolSize: SETTINGS.DATABASE_POOL_SIZE.default,
      leaseTtl: SETTINGS.LEASE_TTL.default,
      connectConcurrency: SETTINGS.CONNECT_CONCURRENCY.default,
    });
  });
});
