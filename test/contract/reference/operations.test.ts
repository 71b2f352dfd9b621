import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { aliasTargetOf } from '../../../openapi/reference/operations.ts';
import { operations, spec } from '../document.ts';

const text = readFileSync('docs/reference/operations.md', 'utf8');

interface Row {
  methods: string[];
  path: string;
  scope: string;
  status: string;
  text: string;
}

const rows = text.split('\n').flatMap((line): Row[] => {
  const [, methods, path = '', scope = '', status = '', what = ''] =
    /^\| ((?:`[A-Z]+` ?)+) \| `([^`]+)` \| (\w+) \| (\d+) \| (.+) \|$/.exec(line) ?? [];
  return methods ? [{ methods: methods.replaceAll('`', '').split(' '), path, scope, status, text: what }] : [];
});
const shown = rows.flatMap(({ methods, path }) => methods.map((method) => `${method} ${path}`));
const rowOf = (path: string) => rows.find((row) => row.path === path);

describe('docs/reference/operations.md', () => {
  it('shows each operation of the contract exactly once', () => {
    const declared = operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    expect(shown.toSorted()).toEqual(declared.toSorted());
  });

  it('describes every topic of the contract in a section of its own', () => {
    const sections = [...text.matchAll(/^## (.+)$/gm)].map(([, title = '']) => title.toLowerCase());
    expect(sections).toEqual(spec.tags.map(({ name }) => name));
  });

  it('shows PUT and POST of one path in one row', () => {
    expect(rowOf('/chat/pinChat/{instance}')).toMatchObject({ methods: ['PUT', 'POST'], text: 'Pin or unpin a chat' });
  });

  it('shows two operations of one path in two rows', () => {
    expect(rows.filter(({ path }) => path === '/log/level').map(({ methods }) => methods)).toEqual([['GET'], ['POST']]);
  });

  it('names the operation that an alias stands for', () => {
    expect(rowOf('/message/sendWhatsAppAudio/{instance}')).toMatchObject({
      status: '201',
      text: 'The same as `POST /message/sendPlatformAudio/{instance}`',
    });
    const aliases = operations.flatMap(({ operation }) => aliasTargetOf(operation) ?? []);
    expect(aliases.length).toBeGreaterThan(20);
    expect(aliases.filter((alias) => !shown.includes(alias))).toEqual([]);
  });

  it('shows who may call an operation, and that a refused one answers 501', () => {
    expect(rowOf('/livez')?.scope).toBe('none');
    expect(rowOf('/keys')?.scope).toBe('admin');
    expect(rowOf('/call/offer/{instance}')?.status).toBe('501');
  });

  it('has nothing to say about operations that are not built', () => {
    expect(operations.filter(({ operation }) => operation['x-status'] === 'planned')).toEqual([]);
  });
});
