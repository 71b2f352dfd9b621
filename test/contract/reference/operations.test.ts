// Checks of docs/reference/operations.md.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { aliasTargetOf } from '../../../openapi/reference/operations.ts';
import { operations, spec } from '../../support/openapi-document.ts';

const text = readFileSync('docs/reference/operations.md', 'utf8');

interface Row {
  methods: string[];
  path: string;
  scope: string;
  status: string;
  text: string;
}

const rows = text.split('\n').flatMap((line): Row[] => {
  const [, methods, path = '', scope = '', status = '', summary = ''] =
    /^\| ((?:`[A-Z]+` ?)+) \| `([^`]+)` \| (\w+) \| (\d+) \| (.+) \|$/.exec(line) ?? [];
  return methods ? [{ methods: methods.replaceAll('`', '').split(' '), path, scope, status, text: summary }] : [];
});
const listedOperations = rows.flatMap(({ methods, path }) => methods.map((method) => `${method} ${path}`));
const rowOf = (path: string) => rows.find((row) => row.path === path);

describe('docs/reference/operations.md', () => {
  it('the operation reference lists each operation of the contract exactly once', () => {
    const declared = operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    expect(listedOperations.toSorted()).toEqual(declared.toSorted());
  });

  it('the operation reference has a section for every topic of the contract', () => {
    const sections = [...text.matchAll(/^## (.+)$/gm)].map(([, title = '']) => title.toLowerCase());
    expect(sections).toEqual(spec.tags.map(({ name }) => name));
  });

  it('the operation reference shows PUT and POST of the same operation in one row', () => {
    expect(rowOf('/chat/pinChat/{instance}')).toMatchObject({ methods: ['PUT', 'POST'], text: 'Pin or unpin a chat' });
  });

  it('the operation reference shows two operations of one path in two rows', () => {
    expect(rows.filter(({ path }) => path === '/log/level').map(({ methods }) => methods)).toEqual([['GET'], ['POST']]);
  });

  it('the operation reference names the operation of each alias', () => {
    expect(rowOf('/message/sendWhatsAppAudio/{instance}')).toMatchObject({
      status: '201',
      text: 'The same as `POST /message/sendPlatformAudio/{instance}`',
    });
    const aliases = operations.flatMap(({ operation }) => aliasTargetOf(operation) ?? []);
    expect(aliases.length).toBeGreaterThan(20);
    expect(aliases.filter((alias) => !listedOperations.includes(alias))).toEqual([]);
  });

  it('the operation reference shows the scope of an operation, and the status 501 of a refused one', () => {
    expect(rowOf('/livez')?.scope).toBe('none');
    expect(rowOf('/keys')?.scope).toBe('admin');
    expect(rowOf('/call/offer/{instance}')?.status).toBe('501');
  });

  it('the contract has no operation with the status planned', () => {
    expect(operations.filter(({ operation }) => operation['x-status'] === 'planned')).toEqual([]);
  });
});
