// The help texts of metrics: phrases that start with a capital and have no full stop.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { field, filesBelow, nodesOf, parseSource, root, textsOf } from '../support/syntax-tree.ts';

const texts = filesBelow('src/observability').flatMap((path) => {
  const { program } = parseSource(path, readFileSync(join(root, path), 'utf8'));
  const properties = [...nodesOf(program)].filter(({ type }) => type === 'Property');
  const helps = properties.filter((property) => field(field(property, 'key'), 'name') === 'help');
  return helps.flatMap((property) => [...nodesOf(property)].flatMap(textsOf)).map((text) => ({ path, text }));
});

describe('help texts of metrics', () => {
  it('more than 20 help texts of metrics are found in the source', () => {
    expect(texts.length).toBeGreaterThan(20);
  });

  it('each help text of a metric starts with a capital letter and has no full stop', () => {
    expect(texts.filter(({ text }) => !/^[A-Z].*[^.?!\s]$/.test(text))).toEqual([]);
  });

  it('no help text of a metric starts with "Whether", "How", "Is", "Are" or an article', () => {
    expect(texts.filter(({ text }) => /^(?:Whether|How|Is|Are|The|A|An) /.test(text))).toEqual([]);
  });
});
