// The translated pages of docs/: the same headings, commands, names and links as the English pages, so that a change of one
// page without the other fails.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { blocksOf, PAGES, TRANSLATIONS } from '../support/docs.ts';

const pairs = Object.entries(TRANSLATIONS).map(([translation, original]) => ({ translation, original }));

/** The page without its code blocks and without the line that links to the other language. */
function proseOf(page: string): string {
  const [title, ...sections] = readFileSync(page, 'utf8')
    .replaceAll(/^ *```.*?^ *```$/gms, '')
    .split('\n\n');
  return [title, ...sections.slice(1)].join('\n\n');
}

const matches = (page: string, pattern: RegExp) => [...proseOf(page).matchAll(pattern)].map(([, found = '']) => found);

/** Levels of the headings, in order. */
const levelsOf = (page: string) => matches(page, /^(#+) /gm).map((marks) => marks.length);
/** Rows of tables below each heading, in order. */
const rowsOf = (page: string) =>
  proseOf(page)
    .split(/^#+ /m)
    .map((section) => section.split('\n').filter((line) => line.startsWith('|')).length);
/** Names in backticks, such as settings and operations. The order of words differs between languages. */
const namesOf = (page: string) => matches(page, /`([^`\n]+)`/g).sort();
/** Numbers of decisions. */
const decisionsOf = (page: string) => matches(page, /\b(D-\d+)\b/g).sort();
/** Files that the page links to. A translated page counts as its original. Headings in it have other anchors. */
const linksOf = (page: string) =>
  matches(page, /\]\((?!https?:)([^)#]+)/g)
    .map((target) => join(dirname(page), target))
    .map((path) => TRANSLATIONS[path] ?? path)
    .sort();

describe('the pages of docs/pt-BR', () => {
  it('each have an English original', () => {
    expect(Object.keys(TRANSLATIONS).sort()).toEqual(PAGES.filter((page) => page.startsWith('docs/pt-BR/')));
  });
});

describe.each(pairs)('$translation', ({ translation, original }) => {
  it('has the headings and the rows of tables of the English page', () => {
    expect(levelsOf(translation)).toEqual(levelsOf(original));
    expect(rowsOf(translation)).toEqual(rowsOf(original));
  });

  it('has the same code blocks, except for comments in commands', () => {
    expect(blocksOf(original).length).toBeGreaterThan(0);
    expect(blocksOf(translation)).toEqual(blocksOf(original));
  });

  it('names the same settings, operations, fields and decisions', () => {
    expect(namesOf(translation)).toEqual(namesOf(original));
    expect(decisionsOf(translation)).toEqual(decisionsOf(original));
  });

  it('links to the same files', () => {
    expect(linksOf(translation)).toEqual(linksOf(original));
  });

  it('and the English page link to each other at the top', () => {
    for (const [page, other] of [
      [translation, original],
      [original, translation],
    ] as const) {
      const [, top = ''] = readFileSync(page, 'utf8').split('\n\n');
      const [, target = ''] = /\]\(([^)]+)\)/.exec(top) ?? [];
      expect(join(dirname(page), target)).toBe(other);
    }
  });

  it('says that no native speaker has reviewed it', () => {
    expect(readFileSync(translation, 'utf8')).toContain('não foi revisada por um falante nativo');
  });
});
