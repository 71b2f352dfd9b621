// Checks of the imports in src and packages, and of other rules for the code. dependencies.test.ts finds cycles.
import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codeOf, SCRIPTS, type Source, sourcesOf } from '../support/source-code.ts';
import { LAYERS, RULES } from './rules.ts';

const sources = sourcesOf('src', SCRIPTS);
/** True for the import of another file of src. */
const isOwnFile = ({ target, isRelative }: Source['imports'][number]) => isRelative && SCRIPTS.test(target);
const describeImport = (source: Source, what: string) => `${source.path} → ${what}`;

/** Packages that only some parts may import. */
const PACKAGES: [pattern: RegExp, parts: string[]][] = [
  [/^@whiskeysockets\/|^libsignal|^@noble\//, ['whatsapp/baileys']],
  [/^kysely|^pg$|^node:sqlite$/, ['storage']],
  [/^undici/, ['egress/undici.ts']],
  [/^ipaddr/, ['egress', 'config']],
  [/^fastify$|^@fastify\//, ['app', 'http']],
  [
    /^node:https?$|^node:net$|^ws$/,
    ['egress', 'whatsapp', 'sockets', 'observability', 'http/plugins/accept-queue.ts', 'storage/query-cancellation.ts'],
  ],
  [/^prom-client$/, ['observability']],
  [/^socket\.io|^engine\.io/, ['sockets']],
  [/^ajv$/, ['config', 'cluster']],
];

const isInside = (path: string, part: string) => path === part || path.startsWith(`${part}/`);

/** The most specific of the `names` that contains the path. */
const partOf = (path: string, names: readonly string[]): string | undefined =>
  names.filter((name) => isInside(path, name)).sort((a, b) => b.length - a.length)[0];

const layerOf = (path: string) => LAYERS.indexOf(dirname(path) === '.' ? path : dirname(path));

/** True if RULES allows `source` to import `target`, a path below src. */
function isAllowed(source: Source, target: string, typeOnly: boolean): boolean {
  const part = partOf(source.path, Object.keys(RULES));
  if (part === undefined) return false;
  const { imports, typeImports = [] } = RULES[part] ?? { imports: [] };
  return ['lib', 'errors.ts', 'compatibility-phrases.ts', part, ...imports, ...(typeOnly ? typeImports : [])].some(
    (allowed) => isInside(target, allowed),
  );
}

describe('imports in src', () => {
  const ownImports = sources.flatMap((source) =>
    source.imports.filter(isOwnFile).map((imported) => ({ source, ...imported })),
  );

  it('every file of src is in a folder of LAYERS', () => {
    expect(sources.map(({ path }) => path).filter((path) => layerOf(path) < 0)).toEqual([]);
  });

  it('a file of src imports no file from a folder that comes later in LAYERS', () => {
    const violations = ownImports.filter(({ source, target }) => layerOf(target) > layerOf(source.path));
    expect(violations.map(({ source, target }) => describeImport(source, target))).toEqual([]);
  });

  it('a file of src imports only from parts that RULES allows', () => {
    const violations = ownImports.filter(({ source, target, typeOnly }) => !isAllowed(source, target, typeOnly));
    expect(violations.map(({ source, target }) => describeImport(source, target))).toEqual([]);
  });

  it('files in src/lib import only Node modules and files of src/lib', () => {
    const violations = sources
      .filter(({ path }) => isInside(path, 'lib'))
      .flatMap((source) => source.imports.map(({ target }) => ({ source, target })))
      .filter(({ target }) => !target.startsWith('node:') && !isInside(target, 'lib'));
    expect(violations.map(({ source, target }) => describeImport(source, target))).toEqual([]);
  });

  it('the files of src import a package only in the parts that PACKAGES lists for it', () => {
    const violations = sources.flatMap((source) =>
      source.imports
        .filter(({ target }) => {
          const owners = PACKAGES.find(([pattern]) => pattern.test(target))?.[1];
          return owners && !owners.some((part) => isInside(source.path, part));
        })
        .map(({ target }) => describeImport(source, target)),
    );
    expect(violations).toEqual([]);
  });

  it('no package except packages/sandbox imports Baileys or libsignal', () => {
    const violations = readdirSync(new URL('../../packages/', import.meta.url))
      .filter((name) => name !== 'sandbox')
      .flatMap((name) => sourcesOf(`packages/${name}/src`))
      .filter(({ imports }) => imports.some(({ target }) => /^@whiskeysockets\/|^libsignal/.test(target)));
    expect(violations.map(({ path }) => path)).toEqual([]);
  });

  it('only image-operations.ts imports an image library, and only image-process.ts imports image-operations.ts', () => {
    const decoders = sources.filter(({ imports }) => imports.some(({ target }) => /^sharp$|^jimp/.test(target)));
    expect(decoders.map(({ path }) => path)).toEqual(['whatsapp/media/image-operations.ts']);
    const importers = sources.filter(({ imports }) =>
      imports.some(({ target, typeOnly }) => target === 'whatsapp/media/image-operations.ts' && !typeOnly),
    );
    expect(importers.map(({ path }) => path)).toEqual(['whatsapp/media/image-process.ts']);
  });

  it('every file that src imports exists, and src has no index, util or helper files', () => {
    const names = sources.map(({ path }) => path).filter((path) => /(^|\/)(index|utils?|helpers?)\.[jt]s$/.test(path));
    expect(names).toEqual([]);
    const paths = new Set(sources.map(({ path }) => path));
    const missing = sources.flatMap((source) =>
      source.imports
        .filter(isOwnFile)
        .filter(({ target }) => !paths.has(target))
        .map(({ target }) => describeImport(source, target)),
    );
    expect(missing).toEqual([]);
  });
});

/** The source of the gateway and of all packages, with paths from the root of the repository. */
const allSources: Source[] = ['src', ...readdirSync('packages').map((name) => `packages/${name}`)].flatMap((folder) =>
  sourcesOf(folder)
    .filter(({ path }) => !/(^|\/)(node_modules|dist|test)\//.test(path))
    .map((source) => ({ ...source, path: `${folder}/${source.path}` })),
);

describe('code of src and packages', () => {
  const filesWith = (pattern: RegExp, except: readonly string[] = []) =>
    allSources.filter(({ path, text }) => !except.includes(path) && pattern.test(codeOf(text))).map(({ path }) => path);
  const settingsFile = 'src/config/load.ts';
  const sandbox = 'packages/sandbox/src';

  it('only config/load.ts reads the environment, and entry points may pass it on as a whole', () => {
    const entries = [
      'src/server.ts',
      `${sandbox}/process/cli.ts`,
      `${sandbox}/process/bin.ts`,
      `${sandbox}/process/with-gateway.ts`,
      'packages/import/src/cli.ts',
    ];
    expect(filesWith(/\bprocess\.env\b/, [settingsFile, ...entries])).toEqual([]);
    expect(filesWith(/\bprocess\.env\s*(\.|\[)|}\s*=\s*process\.env/, [settingsFile])).toEqual([]);
  });

  it('only entry points call process.exit()', () => {
    expect(filesWith(/\bprocess\.exit\(/)).toEqual([
      'src/server.ts',
      `${sandbox}/process/platform.ts`,
      `${sandbox}/process/with-gateway.ts`,
    ]);
  });

  it('code with tests of time uses a Clock in place of Date.now(), setTimeout() and setInterval()', () => {
    const foldersWithClock = ['src/instances', 'src/cluster', 'src/events', 'src/webhooks', 'src/access', sandbox];
    const systemTime = /\bDate\.now\(|\bnew Date\(\)|\bset(?:Timeout|Interval)\(/;
    const found = filesWith(systemTime, [`${sandbox}/lib/clock.ts`]);
    expect(found.filter((path) => foldersWithClock.some((part) => isInside(path, part)))).toEqual([]);
  });

  it('the code has no `any` and no comments that silence the type checker or the linter', () => {
    expect(filesWith(/\bas any\b|: any\b|<any>/)).toEqual([]);
    const filesWithSuppression = allSources.filter(({ text }) =>
      /@ts-(ignore|nocheck|expect-error)|biome-ignore/.test(text),
    );
    expect(filesWithSuppression.map(({ path }) => path)).toEqual([]);
  });

  it('every source file starts with a comment', () => {
    expect(allSources.filter(({ text }) => !/^(#!.*\n)?\/\/ \S/.test(text)).map(({ path }) => path)).toEqual([]);
  });
});
