import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const text = readFileSync(new URL('openapi/DECISIONS.md', root), 'utf8');

const entries = text
  .split(/^## /m)
  .slice(1)
  .map((entry) => ({ title: entry.split('\n')[0] ?? '', entry }));

/** What follows `- Name:` up to the next point. */
function point(entry: string, name: string): string {
  return new RegExp(`^- ${name}: ([\\s\\S]*?)(?=\\n- |\\n*$)`, 'm').exec(entry)?.[1]?.trim() ?? '';
}

describe('openapi/DECISIONS.md', () => {
  it('numbers its entries without gaps', () => {
    const numbers = entries.map(({ title }) => title.slice(0, 5));
    expect(numbers).toEqual(entries.map((_, index) => `D-${String(index + 1).padStart(3, '0')}`));
  });

  it.each(entries)('$title says what was unknown, what was chosen and why', ({ title, entry }) => {
    expect(title).toMatch(/^D-\d{3} \S/);
    for (const name of ['Unknown', 'Chosen', 'Why']) expect(point(entry, name), name).not.toBe('');
  });

  it.each(entries)('$title is pinned by tests that exist', ({ entry }) => {
    const tests = [...point(entry, 'Pinned by').matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '');
    expect(tests.length).toBeGreaterThan(0);
    expect(tests.filter((path) => !path.endsWith('.test.ts') || !existsSync(new URL(path, root)))).toEqual([]);
  });
});
