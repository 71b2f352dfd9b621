// Checks that the regular expressions of the product take linear time.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { checkSync } from 'recheck';
import { describe, expect, it } from 'vitest';
import manifest from '../../node_modules/recheck/package.json' with { type: 'json' };
import { SETTINGS } from '../../src/config/settings.ts';
import { compiledAtRunTime, literalsOf, patternsOf, type Regex, regexesOf } from './regexes.ts';

/**
 * Regular expressions that are allowed to take more than linear time, each with the reason why its input is bounded.
 * All others are rewritten: lib/trim.ts removes characters at the ends, String.split() returns a part.
 */
const BOUNDED: Readonly<Record<string, string>> = {};

/** Timeout for one expression, in ms. An expression that takes longer counts as unchecked. */
const TIMEOUT = 60_000;

/** Verdicts of earlier runs, by version of the linter and expression. A verdict depends on nothing else. */
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
 * Returns `safe` for linear time, `unknown` when the linter did not decide in time, and otherwise the order of growth.
 * The checker `automaton` proves its verdict. The checker `fuzz` measures time, so a busy machine can make it find
 * growth. It is used only for expressions that `automaton` does not support, such as look-ahead.
 */
function verdictOn({ source, flags }: Pick<Regex, 'source' | 'flags'>): string {
  const key = `${manifest.version} automaton /${source}/${flags}`;
  const cachedVerdict = verdicts.get(key);
  if (cachedVerdict !== undefined) return cachedVerdict;
  const automatonResult = checkSync(source, flags, { checker: 'automaton', timeout: TIMEOUT });
  const result =
    automatonResult.status === 'unknown' ? checkSync(source, flags, { timeout: TIMEOUT }) : automatonResult;
  const verdict = result.status === 'vulnerable' ? result.complexity.summary : result.status;
  // An undecided expression is not cached, because a less busy machine can decide it.
  if (result.status !== 'unknown') verdicts.set(key, verdict);
  return verdict;
}

describe('regular expressions', () => {
  it('every regular expression takes linear time, unless BOUNDED has the reason why its input is bounded', {
    timeout: 300_000,
  }, () => {
    expect(regexes.length).toBeGreaterThan(100);
    const slow = regexes.flatMap((regex) => {
      const verdict = verdictOn(regex);
      const literal = `/${regex.source}/${regex.flags}`;
      return verdict === 'safe' || literal in BOUNDED ? [] : [`${literal} (${verdict}) in ${regex.places.join(', ')}`];
    });
    mkdirSync(dirname(CACHE), { recursive: true });
    writeFileSync(CACHE, JSON.stringify(Object.fromEntries(verdicts)));
    expect(slow).toEqual([]);
  });

  it('every regular expression is a literal or a pattern of the contract, which the linter can read', () => {
    expect(unreadable).toEqual([]);
  });
});

describe('search for regular expressions', () => {
  it('verdictOn() reports the growth of expressions that once blocked the event loop', () => {
    expect(verdictOn({ source: '^[.\\s]+|[.\\s]+$', flags: 'g' })).toContain('2nd degree polynomial');
    expect(verdictOn({ source: '[.,;:!?)\\]}]+$', flags: '' })).toContain('2nd degree polynomial');
    expect(verdictOn({ source: '^(a+)+$', flags: '' })).toContain('exponential');
    expect(verdictOn({ source: '^[a-z]+$', flags: '' })).toBe('safe');
  });

  it('literalsOf() reads literals in all places, and compiledAtRunTime() finds calls that compile a text', () => {
    const code =
      'type A = string;\nconst f = (a: A) => a.replace(/x+$/g, /y/.source);\nnew RegExp(f(""));\nf("").match("z+$");';
    expect(literalsOf('a.ts', code).map(({ source, places }) => [source, places])).toEqual([
      ['x+$', ['a.ts:2']],
      ['y', ['a.ts:2']],
    ]);
    expect(compiledAtRunTime('a.ts', code)).toEqual([3, 4]);
  });

  it('patternsOf() reads the patterns of schemas at any depth', () => {
    const schema = { a: [{ type: 'string', pattern: 'x+$' }], patternProperties: { 'y+$': { type: 'object' } } };
    expect(patternsOf(schema, 'a').map(({ source }) => source)).toEqual(['x+$', 'y+$']);
  });
});
