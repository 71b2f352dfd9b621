import { existsSync, readFileSync } from 'node:fs';
import * as baileys from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';

const root = new URL('../../../', import.meta.url);
const document = readFileSync(new URL('docs/internals/platform.md', root), 'utf8');

/** The rows of all tables that list facts. */
const rows = document
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .filter((cells) => cells.length === 7 && !['fact', '---'].includes(cells[1] ?? ''))
  .map(([, fact = '', usedIn = '', source = '', evidence = '', confirmed = '']) => ({
    fact,
    usedIn: [...usedIn.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path),
    source,
    evidence,
    confirmed,
  }));

describe('docs/internals/platform.md', () => {
  it.each(rows)('docs/internals/platform.md names source, evidence and date of the fact: $fact', ({
    source,
    evidence,
    confirmed,
  }) => {
    expect(source).not.toBe('');
    expect(['code', 'report', 'guess']).toContain(evidence);
    expect(confirmed).toMatch(/^20\d\d-(?:0[1-9]|1[0-2])(?:-[0-3]\d)?$/);
  });

  it.each(rows)('docs/internals/platform.md names existing files for the fact: $fact', ({ usedIn }) => {
    expect(usedIn.length).toBeGreaterThan(0);
    expect(usedIn.filter((path) => !existsSync(new URL(path, root)))).toEqual([]);
  });

  it('docs/internals/platform.md contains exactly the query ids of Baileys that the gateway uses', () => {
    const { SUBSCRIBERS, ADMIN_COUNT, CHANGE_OWNER, DEMOTE, ...usedIds } = baileys.QueryIds;
    expect(Object.values(usedIds).filter((id) => !document.includes(id))).toEqual([]);
    expect([SUBSCRIBERS, ADMIN_COUNT, CHANGE_OWNER, DEMOTE].filter((id) => document.includes(id))).toEqual([]);
  });
});
