// The plan for many instances in docs/operate/capacity.md, computed again from its figures.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SETTINGS } from '../../src/config/settings.ts';

const page = readFileSync('docs/operate/capacity.md', 'utf8');
const figures = JSON.parse(readFileSync('deploy/plan.json', 'utf8')) as typeof import('../../deploy/plan.json');
const { assumed, measured } = figures;

/** Signs of life per LEASE_TTL. */
const BEATS = 5;
const whole = (value: number) => Math.round(value).toLocaleString('en');
const short = (value: number) => value.toFixed(2);

/** What a sign of life costs the database: so much, for each lease of the node, and for each of all. */
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
  const [out, into] = [perSecond(assumed.sentPerDay), perSecond(assumed.receivedPerDay)];
  const both = (field: 'transactions' | 'rows' | 'wal' | 'databaseMs' | 'nodeMs') =>
    out * sent[field] + into * received[field];
  const nodes = Math.ceil(n / assumed.instancesPerNode) + 1;
  // One of them is away.
  const each = n / (nodes - 1);
  const round = roundCosts();
  const beats = (nodes * (round.fixed + (round.own * n) / nodes + round.all * n)) / (assumed.leaseTtl / BEATS);
  const keptPerDay = n * (assumed.sentPerDay * sent.kept + assumed.receivedPerDay * received.kept);
  const recovery = (n / nodes / (nodes - 1) / assumed.connectConcurrency) * assumed.loginSeconds;
  return [
    whole(nodes),
    `${short((instance.cpuMsPerSecond * each + both('nodeMs') / (nodes - 1)) / 1000)} cores`,
    `${whole(node.mib + instance.mib * each)} MiB`,
    `${whole(out)} and ${whole(into)}`,
    `${whole(nodes * (assumed.poolSize + 2))}, and ${whole((nodes + 1) * (assumed.poolSize + 2))}`,
    whole(both('transactions')),
    whole(both('rows')),
    `${short(both('wal') / 1e6)} MB`,
    `${short(both('databaseMs') / 1000)} cores`,
    `${short(beats / 1000)} cores`,
    `${short((n * instance.keyRows) / 1e6)} million, ${short((n * instance.keyBytes) / 1e9)} GB`,
    `${short(keptPerDay / 1e9)} GB`,
    `${whole(assumed.leaseTtl + assumed.leaseTtl / BEATS + recovery)} s`,
    `${short((n * listed.nodeMs) / 1000)} and ${short((n * listed.databaseMs) / 1000)} s`,
  ];
}

const { sent, received, instance, listed } = measured;
const cost = roundCosts();
const inThousand = (value: number) => `${short(value * 1000)}/1000`;
const rows = [
  ['nodes', `N/${whole(assumed.instancesPerNode)}, and one that may fail`],
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
  ['write-ahead log a second', `${whole(sent.wal)} and ${whole(received.wal)} bytes`],
  ['processor of PostgreSQL, messages', `${sent.databaseMs} and ${received.databaseMs} ms`],
  [
    'processor of PostgreSQL, signs of life',
    `nodes × (${short(cost.fixed)} + ${inThousand(cost.own)} × own + ${inThousand(cost.all)} × N) ms each ${assumed.leaseTtl / BEATS} s`,
  ],
  ['rows of keys', `${whole(instance.keyRows)} rows, ${whole(instance.keyBytes)} bytes each`],
  ['messages kept, a day', `${whole(sent.kept)} and ${whole(received.kept)} bytes`],
  [
    'a node dies: all open again after',
    `TTL + TTL/${BEATS} + its instances / (other nodes × ${assumed.connectConcurrency}) × ${assumed.loginSeconds} s`,
  ],
  [
    'one list of all instances: processor of a node, of PostgreSQL',
    `${listed.nodeMs} and ${listed.databaseMs} ms a record`,
  ],
];

describe('the plan for many instances', () => {
  it('is what its figures say', () => {
    const [few, many] = [planFor(10_000), planFor(100_000)];
    const lines = rows.map((row, index) => `| ${[...row, few[index], many[index]].join(' | ')} |`);
    const table = ['| | from | N = 10,000 | N = 100,000 |', '|---|---|---|---|', ...lines].join('\n');
    expect(/<!-- plan -->\n(.*)\n<!-- \/plan -->/s.exec(page)?.[1]).toBe(table);
  });

  it('takes for granted what the settings are by default', () => {
    const { poolSize, leaseTtl, connectConcurrency } = assumed;
    expect({ poolSize, leaseTtl, connectConcurrency }).toEqual({
      poolSize: SETTINGS.DATABASE_POOL_SIZE.default,
      leaseTtl: SETTINGS.LEASE_TTL.default,
      connectConcurrency: SETTINGS.CONNECT_CONCURRENCY.default,
    });
  });
});
