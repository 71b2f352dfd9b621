// The table and the chart in docs/operate about many instances, generated again from the stored results of the benchmark.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type ScaleResults, toScaleChart, withScaleTable } from '../bench/scale-page.ts';

const read = (name: string) => readFileSync(`docs/operate/${name}`, 'utf8');
const results: ScaleResults = JSON.parse(read('capacity-scale.json'));

describe('figures of many instances in the documentation', () => {
  it('has the table of the stored results on the page', () => {
    const page = read('capacity.md');
    expect(withScaleTable(page, results)).toBe(page);
  });

  it('has the chart of the stored results', () => {
    expect(toScaleChart(results)).toBe(read('capacity-scale.svg'));
  });

  it('has figures for 1 to 2,000 instances', () => {
    expect(results.rows.map(({ instances }) => instances)).toEqual([1, 10, 100, 1_000, 2_000]);
  });
});
