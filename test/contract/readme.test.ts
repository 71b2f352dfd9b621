import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { classify } from '../../src/config/aliases.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import { operations, spec } from './document.ts';

const readme = readFileSync('README.md', 'utf8');

describe('README', () => {
  it('has nothing to say about operations that are not built', () => {
    expect(operations.filter(({ operation }) => operation['x-status'] === 'planned')).toEqual([]);
  });

  it('names only files that exist', () => {
    const targets = [...readme.matchAll(/\]\((?!http)([^)#]+)\)/g)].map(([, target]) => target ?? '');
    expect(targets.length).toBeGreaterThan(3);
    expect(targets.filter((target) => !existsSync(target))).toEqual([]);
  });

  it('names only settings that exist', () => {
    const foreign = [
      'GET',
      'PUT',
      'POST',
      'NOT_IMPLEMENTED',
      'NEW_CHATS_RESTRICTED',
      'PENDING',
      'ERROR',
      'READ',
      'NODE_EXTRA_CA_CERTS',
      'SERVER_ACK',
      'PEER_REFUSED',
      'KEY',
    ];
    const named = [...readme.matchAll(/`([A-Z][A-Z_]+)[`/=]/g)].map(([, name]) => name ?? '');
    expect(named.filter((name) => !(name in SETTINGS) && !classify(name) && !foreign.includes(name))).toEqual([]);
  });

  it('has a line for every operation, as the contract describes it', () => {
    const table = /<!-- operations -->\n(.*)\n<!-- \/operations -->/s.exec(readme)?.[1];
    const rows = operations
      .filter(({ method, path }) => !(method === 'post' && spec.paths[path]?.put))
      .map(({ method, path, operation }) => {
        const [status] = operation['x-status'] === 'refused' ? [501] : Object.keys(operation.responses);
        return `| \`${method.toUpperCase()} ${path}\` | ${status} | ${operation.summary} |`;
      });
    expect(table).toBe(['| operation | answers | what it does |', '|---|---|---|', ...rows].join('\n'));
  });
});
