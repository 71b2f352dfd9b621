import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { checkSync } from 'recheck';
import { describe, expect, it } from 'vitest';
import manifest from '../../node_modules/recheck/package.json' with { type: 'json' };
import { SETTINGS } from '../../src/config/settings.ts';
import { compiledAtRunTime, literalsOf, patternsOf, type Regex, regexesOf } from './regexes.ts';

/**
 * Regular expressions that take more than linear time and may stay, each with the reason why its input is bounded.
 * Everything else is rewritten: lib/trim.ts cuts ends, String.split() takes a part.
 */
const BOUNDED: Readonly<Record<string, string>> = {};

/** Milliseconds for one expression; what takes longer counts as not checked. */
const TIMEOUT = 60_000;

/** Verdicts of earlier runs, by version of the linter and expression: a verdict depends on nothing else. */
const CACHE = new URL('../../node_modules/.cache/regexes.json', import.meta.url).pathname;

function readCache(): Map<string, string> {
  try {
    return new Map(Object.entries(JSON.parse(readFileSync(CACHE, 'utf8')) as Record<string, string>));
  } catch {
    return new Map();
  }
}

const verdicts = readCache();
const { regexes, unreadable } = regexesOf(SETTINGS);

/**
 * `safe` for linear time, `unknown` when the linter did not decide in time, else the order of growth. The checker
 * `automaton` proves its verdict. The checker `fuzz` measures time, so that a busy machine can make it find growth: it is
 * only for what the first one does not support, such as look-ahead.
 */
function verdictOn({ source, flags }: Pick<Regex, 'source' | 'flags'>): string {
  const key = `${manifest.version} automaton /${source}/${flags}`;
  const known = verdicts.get(key);
  if (known !== undefined) return known;
  const proven = checkSync(source, flags, { checker: 'automaton', timeout: TIMEOUT });
  const found = proven.status === 'unknown' ? checkSync(source, flags, { timeout: TIMEOUT }) : proven;
  const verdict = found.status === 'vulnerable' ? found.complexity.summary : found.status;
  // What was not decided may be decided on a machine that is less busy.
  if (found.status !== 'unknown') verdicts.set(key, verdict);
  return verdict;
}

describe('regular expressions', () => {
  it('take linear time on every input, or their input is bounded', { timeout: 300_000 }, () => {
    expect(regexes.length).toBeGreaterThan(100);
    const slow = regexes.flatMap((regex) => {
      const verdict = verdictOn(regex);
      const shown = `/${regex.source}/${regex.flags}`;
      return verdict === 'safe' || shown in BOUNDED ? [] : [`${shown} (${verdict}) in ${regex.places.join(', ')}`];
    });
    mkdirSync(dirname(CACHE), { recursive: true });
    writeFileSync(CACHE, JSON.stringify(Object.fromEntries(verdicts)));
    expect(slow).toEqual([]);
  });

  it('are written as literals or as patterns of the contract, where the linter reads them', () => {
    expect(unreadable).toEqual([]);
  });
});

describe('the linter', () => {
  it('finds the expressions that blocked the event loop', () => {
    expect(verdictOn({ source: '^[.\\s]+|[.\\s]+$', flags: 'g' })).toContain('2nd degree polynomial');
    expect(verdictOn({ source: '[.,;:!?)\\]}]+$', flags: '' })).toContain('2nd degree polynomial');
    expect(verdictOn({ source: '^(a+)+$', flags: '' })).toContain('exponential');
    expect(verdictOn({ source: '^[a-z]+$', flags: '' })).toBe('safe');
  });

  it('reads literals in all places, and calls that compile a text', () => {
    const code =
      'type A = string;\nconst f = (a: A) => a.replace(/x+$/g, /y/.source);\nnew RegExp(f(""));\nf("").match("z+$");';
    expect(literalsOf('a.ts', code).map(({ source, places }) => [source, places])).toEqual([
      ['x+$', ['a.ts:2']],
      ['y', ['a.ts:2']],
    ]);
    expect(compiledAtRunTime('a.ts', code)).toEqual([3, 4]);
  });

  it('reads the patterns of schemas at any depth', () => {
    const schema = { a: [{ type: 'string', pattern: 'x+$' }], patternProperties: { 'y+$': { type: 'object' } } };
    expect(patternsOf(schema, 'a').map(({ source }) => source)).toEqual(['x+$', 'y+$']);
  });
});
