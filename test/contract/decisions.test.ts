// Checks of docs/decisions. Every entry is complete and has tests. The index has all entries. Numbers of decisions in
// pages are links.
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DECISIONS, fieldOf, INDEX, withLinks, withTable } from '../support/decisions.ts';
import { LINKED_PAGES } from '../support/docs.ts';

const entries = DECISIONS.map((decision) => ({ name: `${decision.number} ${decision.title}`, decision }));

describe('docs/decisions', () => {
  it('docs/decisions has each number once and no gap below the numbers that were assigned in advance', () => {
    const firstInAdvance = 180;
    const numbers = DECISIONS.map(({ number }) => Number(number.slice('D-'.length)));
    expect(numbers.length).toBeGreaterThan(171);
    expect(new Set(numbers).size).toBe(numbers.length);
    const withoutGaps = numbers.filter((number) => number < firstInAdvance);
    expect(withoutGaps).toEqual(Array.from({ length: firstInAdvance - 1 }, (_, index) => index + 1));
  });

  it('a page of decisions lists its entries in the order of their numbers, in lines of at most 120 characters', () => {
    for (const page of new Set(DECISIONS.map(({ page }) => page))) {
      const text = readFileSync(page, 'utf8');
      const numbers = [...text.matchAll(/^## (D-\d{3})/gm)].map(([, number]) => number);
      expect(numbers, page).toEqual(numbers.toSorted());
      // The targets of links at the end of a page cannot be wrapped.
      const long = text.split('\n').filter((line) => line.length > 120 && !/^\[D-/.test(line));
      expect(long, page).toEqual([]);
    }
  });

  it.each(entries)('decision $name has a title, a context, a decision and consequences', ({ decision }) => {
    expect(decision.title).toMatch(/\S/);
    for (const name of ['Context', 'Decision', 'Consequences']) expect(fieldOf(decision, name), name).not.toBe('');
  });

  it.each(entries)('decision $name names test files that exist', ({ decision }) => {
    const tests = [...fieldOf(decision, 'Tests').matchAll(/`([^`]+)`/g)].map(([, path = '']) => path);
    expect(tests.length).toBeGreaterThan(0);
    expect(tests.filter((path) => !path.endsWith('.test.ts') || !existsSync(path))).toEqual([]);
  });

  it('the index of decisions has all entries and is the output of `npm run decisions`', () => {
    const index = readFileSync(INDEX, 'utf8');
    expect(index).toBe(withTable(index));
    expect(
      DECISIONS.filter(
        ({ number, title }) => !new RegExp(`\\| \\[${number}\\]`).test(index) || !index.includes(`| ${title} |`),
      ),
    ).toEqual([]);
  });
});

describe('links to decisions', () => {
  it.each(LINKED_PAGES)('the numbers of decisions in %s are links, as `npm run decisions` writes them', (page) => {
    const text = readFileSync(page, 'utf8');
    expect(text).toBe(withLinks(page, text));
  });

  it('withLinks() turns numbers of decisions into links and leaves its own output unchanged', () => {
    const linked = withLinks('docs/a.md', 'See D-001, `D-002`.\n');
    expect(linked).toMatch(/^See \[D-001\], `D-002`\.\n\n\[D-001\]: decisions\/\S+\.md#d-001-\S+\n$/);
    expect(withLinks('docs/a.md', linked)).toBe(linked);
  });

  it('withLinks() rejects the number of a decision that does not exist', () => {
    expect(() => withLinks('docs/a.md', 'See D-999.\n')).toThrow('D-999');
  });
});
