// The rules for the imports of the import program, which determine the files of its package and the loaded modules.
import { describe, expect, it } from 'vitest';
import { sourcesOf } from '../../../test/support/source-code.ts';
import manifest from '../package.json' with { type: 'json' };

const sources = sourcesOf('packages/import/src');
const imports = sources.flatMap(({ path, imports }) => imports.map((imported) => ({ path, ...imported })));
const isOwn = (target: string) => target.endsWith('.ts') && !target.startsWith('..');
const isPackage = (target: string) => !target.endsWith('.ts') && !target.startsWith('node:');

describe('imports of the import program', () => {
  it('the import program imports only session-bundle and lib of the gateway', () => {
    const outside = imports.filter(({ target }) => target.startsWith('..'));
    expect(outside.length).toBeGreaterThan(5);
    const allowed = /^(\.\.\/)+src\/(session-bundle|lib)\//;
    expect(
      outside.filter(({ target }) => !allowed.test(target)).map(({ path, target }) => `${path} → ${target}`),
    ).toEqual([]);
  });

  it('the imports of the import program name existing files and form no cycle', () => {
    const targets = new Map(
      sources.map(({ path, imports }) => [path, imports.map(({ target }) => target).filter(isOwn)]),
    );
    const missing = imports.filter(({ target }) => isOwn(target) && !targets.has(target));
    expect(missing.map(({ path, target }) => `${path} → ${target}`)).toEqual([]);
    const cycles: string[] = [];
    const visited = new Set<string>();
    const visit = (path: string, trail: readonly string[]): void => {
      if (trail.includes(path)) cycles.push([...trail, path].join(' → '));
      if (visited.has(path) || trail.includes(path)) return;
      for (const target of targets.get(path) ?? []) visit(target, [...trail, path]);
      visited.add(path);
    };
    for (const path of targets.keys()) visit(path, []);
    expect(cycles).toEqual([]);
  });

  it('package.json of the import program lists exactly the packages that it imports', () => {
    const names = imports
      .map(({ target }) => target)
      .filter(isPackage)
      .map((target) => target.split('/', target.startsWith('@') ? 2 : 1).join('/'));
    expect([...new Set(names)].sort()).toEqual(Object.keys(manifest.dependencies).sort());
  });

  it('the import program loads a database driver only for the source or target that needs it', () => {
    const isOpen = (path: string) => /^(sources|targets)\/open\.ts$/.test(path);
    const loaded = new Set<string>();
    const load = (path: string): void => {
      if (loaded.has(path)) return;
      loaded.add(path);
      // The program loads the file of a source or target only when it is chosen.
      if (isOpen(path)) return;
      for (const { target } of sources.find((source) => source.path === path)?.imports ?? [])
        if (isOwn(target)) load(target);
    };
    load('cli.ts');
    expect(loaded.has('sources/open.ts')).toBe(true);
    const packages = imports.filter(({ path, target }) => loaded.has(path) && isPackage(target));
    expect(packages.map(({ path, target }) => `${path} → ${target}`)).toEqual([]);
  });
});
