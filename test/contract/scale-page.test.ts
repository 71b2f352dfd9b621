// Compares the table and the chart about many instances in docs/operate with the stored results of the benchmark.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type ScaleResults, toScaleChart, withScaleTable } from '../bench/scale-page.ts';

const read = (name: string) => readFileSync(`docs/operate/${name}`, 'utf8');
const results: ScaleResults = JSON.parse(read('capacity-scale.json'));

describe('figures of many instances', () => {
  it('capacity.md has the table that withScaleTable() writes from the stored results', () => {
    const page = read('capacity.md');
    expect(withScaleTable(page, results)).toBe(page);
  });

  it('capacity-scale.svg is the chart that toScaleChart() draws from the stored results', () => {
    expect(toScaleChart(results)).toBe(read('capacity-scale.svg'));
  });

  it('capacity-scale.json has figures for 1, 10, 100, 1,000 and 2,000 instances', () => {
    expect(results.rows.map(({ instances }) => instances)).toEqual([1, 10, 100, 1_000, 2_000]);
  });
});
