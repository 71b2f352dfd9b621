// `npm run cluster` in small, every disaster once: what it says at the end is what is promised.
import { readFileSync, rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import { disasters } from '../cluster/disasters.ts';
import type { Outcome } from '../cluster/figures.ts';
import { runNpm } from '../support/process.ts';

/** Written by the command, beside what it prints. */
const RESULTS = 'cluster-results.json';

it('nodes lose nothing, double nothing and open nothing twice, in all disasters', async () => {
  rmSync(RESULTS, { force: true });
  // A node that stands still for longer than the TTL loses its instances while its sockets are still open: another node
  // then opens a second socket, which is correct. The TTL must exceed the pauses of a busy machine; 3 s did not.
  const size = ['--nodes', '2', '--instances', '4', '--rate', '6', '--ttl', '8'];
  const program = runNpm(['run', 'cluster', '--', ...size]);
  const code = await program.ended;
  // It names its faults, or what did not come back at all; then it writes no results.
  expect(code, program.lines.join('\n')).toBe(0);
  const outcome = JSON.parse(readFileSync(RESULTS, 'utf8')) as Outcome;
  expect(outcome.faults).toEqual([]);
  expect(outcome.blows).toHaveLength(Object.keys(disasters).length + 2);
  expect(outcome.totals['rows whose writer was checked']).toBeGreaterThan(0);
}, 180_000);
