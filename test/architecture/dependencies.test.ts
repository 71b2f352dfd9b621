// Checks that no files and no folders of the repository depend on each other, directly or through others.
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SCRIPTS, sourcesOf } from '../support/source-code.ts';

const PACKAGES = readdirSync('packages').map((name) => `packages/${name}`);

/** All TypeScript and JavaScript files, with paths from the root of the repository, and the files that they import. */
const files = ['src', 'openapi', 'deploy', 'test', ...PACKAGES].flatMap((folder) =>
  sourcesOf(folder, SCRIPTS)
    .filter(({ path }) => !/(^|\/)(node_modules|dist)\//.test(path))
    .map(({ path, imports }) => ({
      path: join(folder, path),
      targets: imports.filter(({ isRelative }) => isRelative).map(({ target }) => join(folder, target)),
    })),
);
const paths = new Set(files.map(({ path }) => path));
const ownImports = files.flatMap(({ path, targets }) =>
  targets.filter((target) => paths.has(target)).map((target) => ({ path, target })),
);

/**
 * The cycles between units, such as `a → b → a`, with one import for each step. `unitOf` returns the unit of a file,
 * or undefined for a file that does not count.
 */
function findCycles(unitOf: (path: string) => string | undefined, imports = ownImports): string[][] {
  const importsByUnit = new Map<string, Map<string, string>>();
  for (const { path, target } of imports) {
    const [from, to] = [unitOf(path), unitOf(target)];
    if (from === undefined || to === undefined) continue;
    if (from === to && path !== target) continue;
    const targets = importsByUnit.get(from) ?? new Map<string, string>();
    importsByUnit.set(from, targets.set(to, `${path} → ${target}`));
  }
  const cycles: string[][] = [];
  const visited = new Set<string>();
  const visit = (unit: string, trail: string[]): void => {
    const start = trail.indexOf(unit);
    if (start >= 0) {
      const cycle = [...trail.slice(start), unit];
      const steps = cycle.slice(1).map((to, index) => importsByUnit.get(cycle[index] ?? '')?.get(to) ?? '');
      cycles.push([cycle.join(' → '), ...steps]);
    }
    if (visited.has(unit)) return;
    visited.add(unit);
    for (const to of importsByUnit.get(unit)?.keys() ?? []) visit(to, [...trail, unit]);
  };
  for (const unit of importsByUnit.keys()) visit(unit, []);
  return cycles;
}

/** The part of `folder` that contains the file: a folder in it, or `folder/*` for all files that are directly in it. */
function partOf(folder: string, path: string): string | undefined {
  if (!path.startsWith(`${folder}/`)) return undefined;
  const [name, ...rest] = path.slice(folder.length + 1).split('/');
  return `${folder}/${rest.length > 0 ? name : '*'}`;
}

/** `src`, `openapi`, a folder of a package such as `packages/import/src`, or a folder of tests such as `test/storage`. */
const topFolderOf = (path: string) => /^(?:packages\/[^/]+\/[^/]+|test\/[^/]+|[^/]+)/.exec(path)?.[0];

/** A folder or a file directly in src. Each of these files is a unit: all import errors.ts, none imports server.ts. */
const topOfSrc = (path: string) => /^src\/[^/]+/.exec(path)?.[0];

/** All folders that contain files, directly or in other folders. */
const folders = new Set<string>();
for (const { path } of files)
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) folders.add(folder);
/** The parts of these are units of other tests below. */
const OTHER_UNITS = ['src', 'packages'];

describe('dependencies between files and folders', () => {
  it('the dependencies include imports from TypeScript, from JavaScript and from comments with types', () => {
    const from = (path: string) => ownImports.filter((one) => one.path === path).map(({ target }) => target);
    expect(from('src/config/aliases.ts')).toContain('src/events/event-names.ts');
    expect(from('src/fill-compile-cache.js')).toEqual(['src/app/module-loading.js', 'src/server.ts']);
    expect(from('packages/manager/src/chart.js')).toContain('packages/manager/src/types.d.ts');
  });

  it('findCycles() names the units of a cycle and one import for each step', () => {
    const imports = [
      { path: 'a/1.ts', target: 'b/1.ts' },
      { path: 'b/2.ts', target: 'a/2.ts' },
      { path: 'b/2.ts', target: 'c/1.ts' },
    ];
    const cycle = ['a → b → a', 'a/1.ts → b/1.ts', 'b/2.ts → a/2.ts'];
    expect(findCycles(dirname, imports)).toEqual([cycle]);
    expect(findCycles((path) => path, imports)).toEqual([]);
  });

  it('the imports of the repository form no cycle of files', () => {
    expect(findCycles((path) => path)).toEqual([]);
  });

  it('the folders of src, and the files beside them, form no cycle of imports', () => {
    expect(findCycles(topOfSrc)).toEqual([]);
  });

  it('the top folders of the repository, of packages and of test form no cycle of imports', () => {
    expect(findCycles(topFolderOf)).toEqual([]);
  });

  it('the parts of every other folder form no cycle of imports', () => {
    const cycles = [...folders]
      .filter((folder) => !OTHER_UNITS.includes(folder))
      .flatMap((folder) => findCycles((path) => partOf(folder, path)));
    expect(cycles).toEqual([]);
  });

  it('the tests of packages import only test/support from the folder test', () => {
    const violations = ownImports.filter(
      ({ path, target }) => /^packages\//.test(path) && /^test\/(?!support\/)/.test(target),
    );
    expect(violations.map(({ path, target }) => `${path} → ${target}`)).toEqual([]);
  });
});
