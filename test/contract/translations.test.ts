// Checks that the translated pages of docs/ have the same headings, commands, names and links as the English pages. A
// change of one page without the other fails.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { blocksOf, PAGES, TRANSLATIONS } from '../support/docs.ts';

const pairs = Object.entries(TRANSLATIONS).map(([translation, original]) => ({ translation, original }));

/** The page without its code blocks and without the paragraph that links to the other language. */
function proseOf(page: string): string {
  const [title, ...sections] = readFileSync(page, 'utf8')
    .replaceAll(/^ *```.*?^ *```$/gms, '')
    .split('\n\n');
  return [title, ...sections.slice(1)].join('\n\n');
}

const matches = (page: string, pattern: RegExp) =>
  [...proseOf(page).matchAll(pattern)].map(([, capture = '']) => capture);

/** Levels of the headings, in the order of the page. */
const levelsOf = (page: string) => matches(page, /^(#+) /gm).map((marks) => marks.length);
/** Number of table rows below each heading, in the order of the page. */
const rowsOf = (page: string) =>
  proseOf(page)
    .split(/^#+ /m)
    .map((section) => section.split('\n').filter((line) => line.startsWith('|')).length);
/** Names in backticks, such as settings and operations. Sorted, because the word order differs between languages. */
const namesOf = (page: string) => matches(page, /`([^`\n]+)`/g).sort();
/** Numbers of decisions. */
const decisionsOf = (page: string) => matches(page, /\b(D-\d+)\b/g).sort();
/** Files that the page links to. A translated page counts as its original. Anchors are omitted, because they differ. */
const linksOf = (page: string) =>
  matches(page, /\]\((?!https?:)([^)#]+)/g)
    .map((target) => join(dirname(page), target))
    .map((path) => TRANSLATIONS[path] ?? path)
    .sort();

describe('pages of docs/pt-BR', () => {
  it('every page of docs/pt-BR has an English original', () => {
    expect(Object.keys(TRANSLATIONS).sort()).toEqual(PAGES.filter((page) => page.startsWith('docs/pt-BR/')));
  });
});

describe.each(pairs)('$translation', ({ translation, original }) => {
  it('a translated page has the headings and the table rows of the English page', () => {
    expect(levelsOf(translation)).toEqual(levelsOf(original));
    expect(rowsOf(translation)).toEqual(rowsOf(original));
  });

  it('a translated page has the code blocks of the English page, except for comments in commands', () => {
    expect(blocksOf(original).length).toBeGreaterThan(0);
    expect(blocksOf(translation)).toEqual(blocksOf(original));
  });

  it('a translated page names the settings, operations, fields and decisions of the English page', () => {
    expect(namesOf(translation)).toEqual(namesOf(original));
    expect(decisionsOf(translation)).toEqual(decisionsOf(original));
  });

  it('a translated page links to the same files as the English page', () => {
    expect(linksOf(translation)).toEqual(linksOf(original));
  });

  it('a translated page and the English page link to each other at the top', () => {
    for (const [page, other] of [
      [translation, original],
      [original, translation],
    ] as const) {
      const [, top = ''] = readFileSync(page, 'utf8').split('\n\n');
      const [, target = ''] = /\]\(([^)]+)\)/.exec(top) ?? [];
      expect(join(dirname(page), target)).toBe(other);
    }
  });

  it('a translated page states that no native speaker has reviewed it', () => {
    expect(readFileSync(translation, 'utf8')).toContain('não foi revisada por um falante nativo');
  });
});
