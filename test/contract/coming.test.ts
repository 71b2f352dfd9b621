// The page and table about the move from Evolution API agree with the contract, the settings and the decisions.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseArguments } from '../../packages/import/src/arguments.ts';
import { SOURCES } from '../../packages/import/src/sources/open.ts';
import { COMPATIBILITY_PHRASES, COMPATIBLE_VALIDATION_MESSAGES } from '../../src/compatibility-phrases.ts';
import { classify } from '../../src/config/aliases.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import { DECISIONS } from './decisions.ts';
import { operations } from './document.ts';

/** Variables of Evolution API that say where its sessions are. */
const STORE_VARIABLES = [
  ...['CACHE_REDIS_ENABLED', 'CACHE_REDIS_URI', 'CACHE_REDIS_PREFIX_KEY', 'PROVIDER_ENABLED'],
  ...['SOURCE_DATABASE', 'SOURCE_REDIS', 'SOURCE_MONGO'],
];

const section = readFileSync('docs/guides/migrate-from-evolution.md', 'utf8');
const table = /<!-- coming -->\n(.*)\n<!-- \/coming -->/s.exec(section)?.[1] ?? '';
const rows = table.split('\n').slice(2);

const named = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name]) => name ?? '');
const operationsIn = (text: string) => named(text, /`((?:GET|POST|PUT|DELETE) \/[^`]*)`/g);
const settingsIn = (text: string) => named(text, /`([A-Z0-9]+_[A-Z0-9_]+)[`=]/g);
const known = new Map(operations.map(({ method, path, operation }) => [`${method.toUpperCase()} ${path}`, operation]));

/** The rows below a heading of the table. */
function under(heading: string): string {
  const from = rows.findIndex((row) => row.startsWith(`| **${heading}**`));
  const length = rows.slice(from + 1).findIndex((row) => row.startsWith('| **'));
  return rows.slice(from + 1, length < 0 ? undefined : from + 1 + length).join('\n');
}

describe('docs/guides/migrate-from-evolution.md', () => {
  it('names operations of the contract, with their verb', () => {
    expect(operationsIn(section).length).toBeGreaterThan(15);
    expect(operationsIn(section).filter((operation) => !known.has(operation))).toEqual([]);
  });

  it('calls refused what the contract refuses, all of it and nothing else', () => {
    const refused = rows.filter((row) => row.includes('refused')).flatMap(operationsIn);
    const inContract = [...known].filter(([, operation]) => operation['x-status'] === 'refused');
    expect(refused.sort()).toEqual(inContract.map(([name]) => name).sort());
  });

  it('names settings that exist, or are understood', () => {
    const isUnderstood = (name: string) =>
      name in SETTINGS || classify(name) === 'alias' || STORE_VARIABLES.includes(name);
    const here = ['The same', 'Better', 'Different'].map(under).join('\n') + section.replace(table, '');
    expect(settingsIn(here).length).toBeGreaterThan(10);
    expect(settingsIn(here).filter((name) => !isUnderstood(name))).toEqual([]);
  });

  it('calls not here what the start calls so', () => {
    expect(settingsIn(under('Not here')).length).toBeGreaterThan(3);
    expect(settingsIn(under('Not here')).filter((name) => classify(name) !== 'unsupported')).toEqual([]);
  });

  it('gives defaults as they are', () => {
    const mebibytes = { BODY_LIMIT: 24, JSON_LIMIT: 1, MEDIA_LIMIT: 16 };
    for (const [name, value] of Object.entries(mebibytes)) {
      expect(section).toContain(`\`${name}\` (${value} MiB)`);
      expect(Reflect.get(SETTINGS, name).default).toBe(value * 1024 * 1024);
    }
    expect(section).toContain('`MAX_DELAY` (60 s)');
    expect(SETTINGS.MAX_DELAY.default).toBe(60_000);
  });

  it('refers to decisions that exist', () => {
    const numbers = named(section, /\b(D-\d+)\b/g);
    expect(numbers.length).toBeGreaterThan(30);
    expect(numbers.filter((number) => !DECISIONS.some((one) => one.number === number))).toEqual([]);
  });

  it('imports sessions with commands that the program understands, of sources that it has', () => {
    const commands = named(section, /^node packages\/import\/src\/cli\.ts (.*)$/gm);
    expect(commands).toHaveLength(2);
    const env = Object.fromEntries(
      [...section.matchAll(/^export (SOURCE_\w+)='?([^'\n]*)/gm)].map(([, name, value]) => [name, value]),
    );
    for (const command of commands) {
      const argv = command.replace('--key-file gateway-key', '--key key').split(' ');
      expect(parseArguments(argv, env)).toMatchObject({
        source: SOURCES.evolution,
        sourceOptions: { path: 'instances', database: env.SOURCE_DATABASE, redis: env.SOURCE_REDIS },
        force: true,
      });
    }
    expect(named(section, /`--from ([^`]*)`/g).filter((name) => !(name in SOURCES))).toEqual([]);
  });
});

describe('docs/guides/migrate-errors.md', () => {
  const page = readFileSync('docs/guides/migrate-errors.md', 'utf8');

  it('names operations of the contract, with their verb', () => {
    expect(operationsIn(page).length).toBeGreaterThan(30);
    expect(operationsIn(page).filter((operation) => !known.has(operation))).toEqual([]);
  });

  it('lists every text that is preserved', () => {
    const preserved = page.split('## Preserved texts')[1] ?? '';
    const texts = [...Object.values(COMPATIBILITY_PHRASES), ...Object.values(COMPATIBLE_VALIDATION_MESSAGES).flat()];
    expect(texts.filter((text) => !preserved.includes(`\`${text}\``))).toEqual([]);
  });
});
