// The texts of the manager page. Every language has every used text, with the same values and all plural forms.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

type Text = string | Record<string, string>;
interface Languages {
  LANGUAGES: Record<string, { name: string; texts: Record<string, Text> }>;
  pickLanguage(wanted: string[]): string;
  pickLocale(language: string, wanted: string[]): string;
  formatText(language: string, locale: string, key: string, values: Record<string, string | number>): string;
}

const SRC = new URL('../src/', import.meta.url);
const { LANGUAGES, pickLanguage, pickLocale, formatText }: Languages = await import(
  new URL('languages.js', SRC).pathname
);
const { en, ...otherLanguages } = LANGUAGES;
const english = en?.texts ?? {};

/** All forms of a text. */
const formsOf = (text: Text = '') => (typeof text === 'string' ? [text] : Object.values(text));
const valuesOf = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();

describe('the texts of the page', () => {
  it('the manager page uses every text and defines every text that it uses', () => {
    const code = readdirSync(SRC)
      .filter((name) => name.endsWith('.js') && !name.startsWith('text-'))
      .map((name) => readFileSync(new URL(name, SRC), 'utf8'))
      .join('\n');
    expect(Object.keys(english).filter((key) => !code.includes(`'${key}'`))).toEqual([]);
    const used = [...code.matchAll(/\bt\('([^']+)'/g)].map(([, key = '']) => key);
    expect(used.length).toBeGreaterThan(150);
    expect(used.filter((key) => !Object.hasOwn(english, key))).toEqual([]);
  });

  it.each(
    Object.entries(otherLanguages),
  )('the texts in %s are complete and have the same values as in English', (language, { texts }) => {
    expect(Object.keys(texts)).toEqual(Object.keys(english));
    for (const [key, text] of Object.entries(english)) {
      const expected = valuesOf(formsOf(text)[0] ?? '');
      for (const form of formsOf(texts[key])) {
        expect(form, `${language} ${key}`).not.toBe('');
        expect(valuesOf(form), `${language} ${key}`).toEqual(expected);
      }
    }
  });

  it.each(Object.keys(LANGUAGES))('the texts with a count have every plural form of %s', (language) => {
    const categories = new Intl.PluralRules(language).resolvedOptions().pluralCategories.toSorted();
    const texts = Object.entries(LANGUAGES[language]?.texts ?? {});
    const counted = texts.filter(([, text]) => formsOf(text).some((form) => form.includes('{count}')));
    expect(counted.length).toBeGreaterThan(5);
    for (const [key, text] of counted) expect(Object.keys(text).toSorted(), key).toEqual(categories);
  });

  it('formatText() chooses the plural form of a count', () => {
    const nodes = (language: string, count: number) => formatText(language, language, 'count.nodes', { count });
    expect([0, 1, 2, 1000].map((count) => nodes('en', count))).toEqual(['0 nodes', '1 node', '2 nodes', '1,000 nodes']);
    expect([1, 2, 1_000_000].map((count) => nodes('pt-BR', count))).toEqual(['1 nó', '2 nós', '1.000.000 de nós']);
    expect([0, 1, 2].map((count) => nodes('es', count))).toEqual(['0 nodos', '1 nodo', '2 nodos']);
  });

  it('formatText() formats numbers for the locale and inserts other values unchanged', () => {
    const all = { state: 'All', total: 1001 };
    expect(formatText('en', 'en-US', 'list.stateCount', all)).toBe('All (1,001)');
    expect(formatText('en', 'en', 'app.noInstance', { name: '{count} $& <b>' })).toBe('No instance {count} $& <b>');
  });
});

describe('the language of the page', () => {
  it.each([
    [['pt-PT', 'en'], 'pt-BR'],
    [['es-419'], 'es'],
    [['de', 'es-MX', 'en'], 'es'],
    [['en-GB'], 'en'],
    [['de'], 'en'],
    [[], 'en'],
  ])('pickLanguage(%j) returns %s', (wanted, language) => {
    expect(pickLanguage(wanted)).toBe(language);
  });

  it('pickLocale() keeps the region of the reader', () => {
    expect(pickLocale('en', ['pt-BR', 'en-GB'])).toBe('en-GB');
    expect(pickLocale('es', ['en-GB'])).toBe('es');
    expect(pickLocale('en', ['en-US@posix'])).toBe('en');
  });
});
