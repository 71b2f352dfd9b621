// Checks that the pages about the migration from Evolution API agree with the contract, the settings and the decisions.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseArguments } from '../../packages/import/src/arguments.ts';
import { SOURCES } from '../../packages/import/src/sources/open.ts';
import { COMPATIBILITY_PHRASES, COMPATIBLE_VALIDATION_MESSAGES } from '../../src/compatibility-phrases.ts';
import { classify } from '../../src/config/aliases.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import { DECISIONS } from '../support/decisions.ts';
import { operations } from '../support/openapi-document.ts';

/** Variables of Evolution API that define where it stores its sessions. */
const STORE_VARIABLES = [
  ...['CACHE_REDIS_ENABLED', 'CACHE_REDIS_URI', 'CACHE_REDIS_PREFIX_KEY', 'PROVIDER_ENABLED'],
  ...['SOURCE_DATABASE', 'SOURCE_REDIS', 'SOURCE_MONGO'],
];

const guide = readFileSync('docs/guides/migrate-from-evolution.md', 'utf8');
const table = /<!-- coming -->\n(.*)\n<!-- \/coming -->/s.exec(guide)?.[1] ?? '';
const rows = table.split('\n').slice(2);

const capturesOf = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name]) => name ?? '');
const operationsIn = (text: string) => capturesOf(text, /`((?:GET|POST|PUT|DELETE) \/[^`]*)`/g);
const settingsIn = (text: string) => capturesOf(text, /`([A-Z0-9]+_[A-Z0-9_]+)[`=]/g);
const operationsByName = new Map(
  operations.map(({ method, path, operation }) => [`${method.toUpperCase()} ${path}`, operation]),
);

/** The rows below a heading of the table. */
function rowsBelow(heading: string): string {
  const from = rows.findIndex((row) => row.startsWith(`| **${heading}**`));
  const length = rows.slice(from + 1).findIndex((row) => row.startsWith('| **'));
  return rows.slice(from + 1, length < 0 ? undefined : from + 1 + length).join('\n');
}

describe('docs/guides/migrate-from-evolution.md', () => {
  it('migrate-from-evolution.md names only operations of the contract, with their HTTP method', () => {
    expect(operationsIn(guide).length).toBeGreaterThan(15);
    expect(operationsIn(guide).filter((operation) => !operationsByName.has(operation))).toEqual([]);
  });

  it('migrate-from-evolution.md marks the same operations as refused as the contract', () => {
    const refused = rows.filter((row) => row.includes('refused')).flatMap(operationsIn);
    const inContract = [...operationsByName].filter(([, operation]) => operation['x-status'] === 'refused');
    expect(refused.sort()).toEqual(inContract.map(([name]) => name).sort());
  });

  it('migrate-from-evolution.md names only settings, aliases and store variables outside its "Not here" rows', () => {
    const isUnderstood = (name: string) =>
      name in SETTINGS || classify(name) === 'alias' || STORE_VARIABLES.includes(name);
    const supportedText = ['The same', 'Better', 'Different'].map(rowsBelow).join('\n') + guide.replace(table, '');
    expect(settingsIn(supportedText).length).toBeGreaterThan(10);
    expect(settingsIn(supportedText).filter((name) => !isUnderstood(name))).toEqual([]);
  });

  it('the "Not here" rows of migrate-from-evolution.md name only settings that classify() calls unsupported', () => {
    expect(settingsIn(rowsBelow('Not here')).length).toBeGreaterThan(3);
    expect(settingsIn(rowsBelow('Not here')).filter((name) => classify(name) !== 'unsupported')).toEqual([]);
  });

  it('migrate-from-evolution.md states the defaults of BODY_LIMIT, JSON_LIMIT, MEDIA_LIMIT and MAX_DELAY', () => {
    const mebibytes = { BODY_LIMIT: 24, JSON_LIMIT: 1, MEDIA_LIMIT: 16 };
    for (const [name, value] of Object.entries(mebibytes)) {
      expect(guide).toContain(`\`${name}\` (${value} MiB)`);
      expect(Reflect.get(SETTINGS, name).default).toBe(value * 1024 * 1024);
    }
    expect(guide).toContain('`MAX_DELAY` (60 s)');
    expect(SETTINGS.MAX_DELAY.default).toBe(60_000);
  });

  it('migrate-from-evolution.md refers only to decisions that exist', () => {
    const numbers = capturesOf(guide, /\b(D-\d+)\b/g);
    expect(numbers.length).toBeGreaterThan(30);
    expect(numbers.filter((number) => !DECISIONS.some((one) => one.number === number))).toEqual([]);
  });

  it('the import commands of migrate-from-evolution.md parse, and each `--from` value is a known source', () => {
    const commands = capturesOf(guide, /^node packages\/import\/src\/cli\.ts (.*)$/gm);
    expect(commands).toHaveLength(2);
    const env = Object.fromEntries(
      [...guide.matchAll(/^export (SOURCE_\w+)='?([^'\n]*)/gm)].map(([, name, value]) => [name, value]),
    );
    for (const command of commands) {
      const argv = command.replace('--key-file gateway-key', '--key key').split(' ');
      expect(parseArguments(argv, env)).toMatchObject({
        source: SOURCES.evolution,
        sourceOptions: { path: 'instances', database: env.SOURCE_DATABASE, redis: env.SOURCE_REDIS },
        force: true,
      });
    }
    expect(capturesOf(guide, /`--from ([^`]*)`/g).filter((name) => !(name in SOURCES))).toEqual([]);
  });
});

describe('docs/guides/migrate-errors.md', () => {
  const page = readFileSync('docs/guides/migrate-errors.md', 'utf8');

  it('migrate-errors.md names only operations of the contract, with their HTTP method', () => {
    expect(operationsIn(page).length).toBeGreaterThan(30);
    expect(operationsIn(page).filter((operation) => !operationsByName.has(operation))).toEqual([]);
  });

  it('migrate-errors.md lists every preserved error text', () => {
    const preserved = page.split('## Preserved texts')[1] ?? '';
    const texts = [...Object.values(COMPATIBILITY_PHRASES), ...Object.values(COMPATIBLE_VALIDATION_MESSAGES).flat()];
    expect(texts.filter((text) => !preserved.includes(`\`${text}\``))).toEqual([]);
  });
});
