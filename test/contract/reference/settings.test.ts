// Checks of docs/reference/settings.md, of .env.example, and of the declarations from which they are generated.
import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { aliasesOf, IGNORED, UNSUPPORTED } from '../../../src/config/aliases.ts';
import type { Declared } from '../../../src/config/settings/declare.ts';
import { SETTING_GROUPS, SETTINGS } from '../../../src/config/settings.ts';

const page = readFileSync('docs/reference/settings.md', 'utf8');
const example = readFileSync('.env.example', 'utf8');
const settings: [string, Declared][] = Object.entries(SETTINGS);
const names = settings.map(([name]) => name);
const isNumber = ([, { type }]: [string, Declared]) => type === 'integer' || type === 'number';

/** The cells of the row of each setting: default, unit and limits, purpose, reason to change it. */
const rows = page.split('\n').flatMap((line) => {
  const [, name, ...cells] = /^\| `([A-Z_]+)` \| (.+?) \| (.*?) \| (.+) \| (.+) \|$/.exec(line) ?? [];
  return name ? [[name, cells] as const] : [];
});
const rowOf = (name: string) => rows.find(([rowName]) => rowName === name)?.[1].join(' | ') ?? '';

describe('declarations of settings', () => {
  it.each(settings)('the purpose of %s and the reason to change it are full sentences', (_, { help, whenToChange }) => {
    expect(help).toMatch(/^(?:[A-Z]|`).*\.$/);
    expect(whenToChange).toMatch(/^[A-Z].*\.$/);
    expect(whenToChange).not.toBe(help);
  });

  it.each(settings.filter(isNumber))('the declaration of %s has a unit', (_, { unit }) => {
    expect(unit).toBeTypeOf('string');
  });

  it('SETTING_GROUPS has each setting in exactly one group', () => {
    expect(SETTING_GROUPS.flatMap((group) => Object.keys(group.settings))).toEqual(names);
  });
});

describe('docs/reference/settings.md', () => {
  it('the settings reference lists each setting exactly once', () => {
    expect(rows.map(([name]) => name)).toEqual(names);
  });

  it.each(settings.filter(isNumber))('the settings reference shows the default and the unit of %s', (name, {
    default: value,
    unit,
  }) => {
    expect(rowOf(name)).toMatch(new RegExp(`^\`${value}\`[^|]* \\| ${unit}`));
  });

  it.each(
    settings.filter(([name]) => aliasesOf(name).length > 0),
  )('the settings reference shows the aliases of %s', (name) => {
    const others = aliasesOf(name).flatMap((list) => list.split(', '));
    const aliases = others.filter((other) => /^[A-Z]/.test(other)).map((other) => `\`${other}\``);
    expect(aliases.filter((other) => !rowOf(name).includes(other))).toEqual([]);
  });

  it('the settings reference shows the limits of numbers, and sizes in MiB', () => {
    expect(rowOf('LEASE_TTL')).toContain('| seconds, 2 to 3600 |');
    expect(rowOf('QUERY_TIMEOUT')).toContain('| ms, at least 1 |');
    expect(rowOf('RATE_LIMIT')).toContain('| per minute |');
    expect(rowOf('MEDIA_LIMIT')).toMatch(/^`16777216` \(16 MiB\) \| bytes/);
  });

  it('the settings reference shows the values of a setting that is a choice', () => {
    expect(rowOf('LOG_LEVEL')).toContain('`silent`');
    expect(rowOf('EVENT_LOG')).toContain('`always`');
  });

  it('the settings reference shows why settings of other gateways have no effect', () => {
    const others = [...Object.entries(IGNORED), ...UNSUPPORTED.map(({ name, reason }) => [name, reason] as const)];
    const isShown = ([name, reason]: readonly [string, string]) =>
      page.split('\n').some((line) => line.startsWith(`| \`${name}`) && line.endsWith(`| ${reason} |`));
    expect(others.filter((other) => !isShown(other))).toEqual([]);
  });
});

describe('.env.example', () => {
  it('.env.example parses to the defaults of all settings', () => {
    const defaults = settings.map(([name, schema]) => [name, String(schema.default)]);
    expect(parseEnv(example)).toEqual(Object.fromEntries(defaults));
  });

  it('.env.example lists every setting in the order of the settings reference', () => {
    expect([...example.matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name)).toEqual(names);
  });

  it('.env.example explains each setting in the comment above it', () => {
    const blocks = example.split('\n\n').filter((block) => /^[A-Z_]+=/m.test(block));
    expect(blocks).toHaveLength(names.length);
    expect(blocks.filter((block) => !/^# .+\.?\n(?:# .+\n)*# .+\.\n[A-Z_]+=/.test(block))).toEqual([]);
    expect(blocks.find((block) => block.includes('NODE_CAPACITY='))).toBe(
      '# Maximum number of instances on this node. 0: no limit.\n' +
        '# Set it when nodes have different amounts of memory.\n# Unit: count.\nNODE_CAPACITY=0',
    );
  });

  it('.env.example is plain text, with paths in place of links', () => {
    expect(example).not.toMatch(/`|\]\(/);
    expect(example).toContain('see docs/guides/idempotency.md');
  });
});
