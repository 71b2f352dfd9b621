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
  it.each(rows)('names source, evidence and date: $fact', ({ source, evidence, confirmed }) => {
    expect(source).not.toBe('');
    expect(['code', 'report', 'guess']).toContain(evidence);
    expect(confirmed).toMatch(/^20\d\d-(?:0[1-9]|1[0-2])(?:-[0-3]\d)?$/);
  });

  it.each(rows)('names files that exist: $fact', ({ usedIn }) => {
    expect(usedIn.length).toBeGreaterThan(0);
    expect(usedIn.filter((path) => !existsSync(new URL(path, root)))).toEqual([]);
  });

  it('contains the query ids of the installed Baileys that the gateway uses', () => {
    const { SUBSCRIBERS, ADMIN_COUNT, CHANGE_OWNER, DEMOTE, ...used } = baileys.QueryIds;
    expect(Object.values(used).filter((id) => !document.includes(id))).toEqual([]);
    expect([SUBSCRIBERS, ADMIN_COUNT, CHANGE_OWNER, DEMOTE].filter((id) => document.includes(id))).toEqual([]);
  });
});
