// `npm run cluster` in small: every disaster once. What it says at the end is what is promised.
import { expect, it } from 'vitest';
import { disasters } from './disasters.ts';
import { run } from './run.ts';

it('nodes lose nothing, double nothing and open nothing twice, whatever happens to them', async () => {
  const names = Object.keys(disasters);
  const outcome = await run({ nodes: 2, instances: 6, rate: 12, ttl: 3, disasters: names });
  expect(outcome.faults).toEqual([]);
  expect(outcome.blows).toHaveLength(names.length + 2);
  expect(outcome.totals['rows whose writer was checked']).toBeGreaterThan(0);
}, 180_000);
