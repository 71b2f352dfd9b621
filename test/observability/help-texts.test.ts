// The help texts of metrics: phrases that start with a capital and have no full stop.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { field, filesBelow, nodesOf, parseSource, root, textsOf } from '../architecture/syntax.ts';

const texts = filesBelow('src/observability').flatMap((path) => {
  const { program } = parseSource(path, readFileSync(join(root, path), 'utf8'));
  const properties = [...nodesOf(program)].filter(({ type }) => type === 'Property');
  const helps = properties.filter((property) => field(field(property, 'key'), 'name') === 'help');
  return helps.flatMap((property) => [...nodesOf(property)].flatMap(textsOf)).map((text) => ({ path, text }));
});

describe('the help texts of metrics', () => {
  it('are found', () => {
    expect(texts.length).toBeGreaterThan(20);
  });

  it('start with a capital and have no full stop', () => {
    expect(texts.filter(({ text }) => !/^[A-Z].*[^.?!\s]$/.test(text))).toEqual([]);
  });

  it('are phrases without a verb in front', () => {
    expect(texts.filter(({ text }) => /^(?:Whether|How|Is|Are|The|A|An) /.test(text))).toEqual([]);
  });
});
