// The import rules of the package. Folders have an order. Files have no import cycles and import only the dependencies
// of the package. Only with-gateway.ts imports the gateway.
import { builtinModules } from 'node:module';
import { describe, expect, it } from 'vitest';
import { type Source, sourcesOf } from '../../../test/support/source-code.ts';
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

/** Returns every cycle as a path that begins and ends with the same file. Type imports count. */
function cyclesIn(files: readonly Pick<Source, 'path' | 'imports'>[]): string[] {
  const imports = new Map(
    files.map((source) => [source.path, source.imports.map(({ target }) => target).filter(isOwn)]),
  );
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(' → '));
    if (done.has(path) || trail.includes(path)) return;
    for (const target of imports.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const { path } of files) visit(path, []);
  return cycles;
}

describe('imports of the sandbox', () => {
  it('the source files of the sandbox import each other without a cycle', () => {
    expect(sources.length).toBeGreaterThan(60);
    expect(cyclesIn(sources)).toEqual([]);
    const importOf = (target: string) => [{ target, isRelative: true, typeOnly: true }];
    const pair = [
      { path: 'a.ts', imports: importOf('b.ts') },
      { path: 'b.ts', imports: importOf('a.ts') },
    ];
    expect(cyclesIn(pair), 'two files that import each other').toEqual(['a.ts → b.ts → a.ts']);
  });

  it('the source files of the sandbox import only from their own folder and from lower folders', () => {
    expect(sources.filter(({ path }) => layerOf(path) < 0).map(({ path }) => path)).toEqual([]);
    const upward = sources.flatMap(({ path, imports }) =>
      imports
        .filter(({ target }) => isOwn(target) && layerOf(target) > layerOf(path))
        .map(({ target }) => `${path} → ${target}`),
    );
    expect(upward).toEqual([]);
  });

  it('the source files of the sandbox import only files that exist', () => {
    const paths = new Set(sources.map(({ path }) => path));
    const targets = sources.flatMap(({ imports }) => imports.map(({ target }) => target).filter(isOwn));
    expect(targets.filter((target) => !paths.has(target))).toEqual([]);
  });

  it('the sandbox imports the gateway from one file only, which is not in the published package', () => {
    const outside = sources.filter(({ imports }) => imports.some(({ target }) => target.startsWith('..')));
    expect(outside.map(({ path }) => path)).toEqual(['process/with-gateway.ts']);
    const excluded = buildConfig.exclude.map((path) => path.replace('src/', ''));
    expect(excluded).toContain('process/with-gateway.ts');
    const published = sources.filter(({ path }) => !excluded.includes(path));
    const used = published.flatMap(({ imports }) => imports.map(({ target }) => target));
    expect(used.filter((target) => excluded.includes(target))).toEqual([]);
  });

  it('the package.json of the sandbox lists the imported packages and no others', () => {
    const packages = sources
      .flatMap(({ imports }) => imports.map(({ target }) => target))
      .filter((target) => !isOwn(target) && !target.startsWith('..'))
      .filter((target) => !target.startsWith('node:') && !builtinModules.includes(target))
      .map((target) => target.split('/', target.startsWith('@') ? 2 : 1).join('/'));
    expect([...new Set(packages)].sort()).toEqual(Object.keys(manifest.dependencies).sort());
  });
});
