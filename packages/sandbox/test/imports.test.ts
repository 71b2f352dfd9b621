// The import rules of the package: one order of folders, no cycles, only its own dependencies, and nothing of the
// gateway outside with-gateway.ts.
import { builtinModules } from 'node:module';
import { describe, expect, it } from 'vitest';
import { type Source, sourcesOf } from '../../../test/architecture/sources.ts';
import manifest from '../package.json' with { type: 'json' };
import buildConfig from '../tsconfig.build.json' with { type: 'json' };

const sources = sourcesOf('packages/sandbox/src');
const isOwn = (target: string) => target.endsWith('.ts') && !target.startsWith('..');

/**
 * The folders of `src`, lowest first. A file imports only from its own folder and from lower ones. The files in `src`
 * itself connect the parts.
 */
const LAYERS = ['lib', 'crypto', 'world', 'wire', 'media', 'phone', 'stanzas', 'pairing', 'src', 'control', 'process'];
const layerOf = (path: string) => LAYERS.indexOf(path.includes('/') ? (path.split('/')[0] ?? '') : 'src');

/** Every cycle, as a path that begins and ends with the same file. Type imports count. */
function cyclesIn(all: readonly Pick<Source, 'path' | 'imports'>[]): string[] {
  const imports = new Map(all.map((source) => [source.path, source.imports.map(({ target }) => target).filter(isOwn)]));
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(' → '));
    if (done.has(path) || trail.includes(path)) return;
    for (const target of imports.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const { path } of all) visit(path, []);
  return cycles;
}

describe('the imports of the sandbox', () => {
  it('form no cycle of files', () => {
    expect(sources.length).toBeGreaterThan(60);
    expect(cyclesIn(sources)).toEqual([]);
    const toward = (target: string) => [{ target, typeOnly: true }];
    const pair = [
      { path: 'a.ts', imports: toward('b.ts') },
      { path: 'b.ts', imports: toward('a.ts') },
    ];
    expect(cyclesIn(pair), 'finds one').toEqual(['a.ts → b.ts → a.ts']);
  });

  it('follow the order of the folders', () => {
    expect(sources.filter(({ path }) => layerOf(path) < 0).map(({ path }) => path)).toEqual([]);
    const upward = sources.flatMap(({ path, imports }) =>
      imports
        .filter(({ target }) => isOwn(target) && layerOf(target) > layerOf(path))
        .map(({ target }) => `${path} → ${target}`),
    );
    expect(upward).toEqual([]);
  });

  it('name files that exist', () => {
    const paths = new Set(sources.map(({ path }) => path));
    const targets = sources.flatMap(({ imports }) => imports.map(({ target }) => target).filter(isOwn));
    expect(targets.filter((target) => !paths.has(target))).toEqual([]);
  });

  it('lead to the gateway from one file only, which is not in the published package', () => {
    const outside = sources.filter(({ imports }) => imports.some(({ target }) => target.startsWith('..')));
    expect(outside.map(({ path }) => path)).toEqual(['process/with-gateway.ts']);
    const excluded = buildConfig.exclude.map((path) => path.replace('src/', ''));
    expect(excluded).toContain('process/with-gateway.ts');
    const published = sources.filter(({ path }) => !excluded.includes(path));
    const used = published.flatMap(({ imports }) => imports.map(({ target }) => target));
    expect(used.filter((target) => excluded.includes(target))).toEqual([]);
  });

  it('name only packages that package.json lists, and package.json lists no other', () => {
    const packages = sources
      .flatMap(({ imports }) => imports.map(({ target }) => target))
      .filter((target) => !isOwn(target) && !target.startsWith('..'))
      .filter((target) => !target.startsWith('node:') && !builtinModules.includes(target))
      .map((target) => target.split('/', target.startsWith('@') ? 2 : 1).join('/'));
    expect([...new Set(packages)].sort()).toEqual(Object.keys(manifest.dependencies).sort());
  });
});
