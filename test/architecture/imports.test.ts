import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LAYERS, RULES } from './rules.ts';
import { codeOf, type Source, sourcesOf } from './sources.ts';

const sources = sourcesOf('src');
const show = (source: Source, what: string) => `${source.path} → ${what}`;

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

const inside = (path: string, part: string) => path === part || path.startsWith(`${part}/`);

/** The most specific name of `names` that the path lies in. */
const within = (path: string, names: readonly string[]): string | undefined =>
  names.filter((name) => inside(path, name)).sort((a, b) => b.length - a.length)[0];

const layerOf = (path: string) => LAYERS.indexOf(dirname(path) === '.' ? path : dirname(path));

/** Whether the rules let `source` import `target` (a path below src). */
function isAllowed(source: Source, target: string, typeOnly: boolean): boolean {
  const part = within(source.path, Object.keys(RULES));
  if (part === undefined) return false;
  const { may, types = [] } = RULES[part] ?? { may: [] };
  return ['lib', 'errors.ts', 'compatibility-phrases.ts', part, ...may, ...(typeOnly ? types : [])].some((allowed) =>
    inside(target, allowed),
  );
}

describe('imports in src', () => {
  const own = sources.flatMap((source) =>
    source.imports.filter(({ target }) => target.endsWith('.ts')).map((imported) => ({ source, ...imported })),
  );

  it('belong to a folder with a place in the order', () => {
    expect(sources.map(({ path }) => path).filter((path) => layerOf(path) < 0)).toEqual([]);
  });

  it('follow the order of the folders', () => {
    const against = own.filter(({ source, target }) => layerOf(target) > layerOf(source.path));
    expect(against.map(({ source, target }) => show(source, target))).toEqual([]);
  });

  it('are made from parts that may', () => {
    const broken = own.filter(({ source, target, typeOnly }) => !isAllowed(source, target, typeOnly));
    expect(broken.map(({ source, target }) => show(source, target))).toEqual([]);
  });

  it('form no cycle of files', () => {
    const targets = new Map(
      sources.map(({ path, imports }) => [
        path,
        imports.map(({ target }) => target).filter((one) => one.endsWith('.ts')),
      ]),
    );
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (path: string, trail: string[]): void => {
      if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(' → '));
      if (done.has(path) || trail.includes(path)) return;
      for (const target of targets.get(path) ?? []) visit(target, [...trail, path]);
      done.add(path);
    };
    for (const { path } of sources) visit(path, []);
    expect(cycles).toEqual([]);
  });

  it('keep lib free of packages, errors and events', () => {
    const outside = sources
      .filter(({ path }) => inside(path, 'lib'))
      .flatMap((source) => source.imports.map(({ target }) => ({ source, target })))
      .filter(({ target }) => !target.startsWith('node:') && !inside(target, 'lib'));
    expect(outside.map(({ source, target }) => show(source, target))).toEqual([]);
  });

  it('keep each package in the part that owns it', () => {
    const strays = sources.flatMap((source) =>
      source.imports
        .filter(({ target }) => {
          const owners = PACKAGES.find(([pattern]) => pattern.test(target))?.[1];
          return owners && !owners.some((part) => inside(source.path, part));
        })
        .map(({ target }) => show(source, target)),
    );
    expect(strays).toEqual([]);
  });

  it('of Baileys and libsignal are in src/whatsapp/baileys and packages/sandbox only', () => {
    const strays = readdirSync(new URL('../../packages/', import.meta.url))
      .filter((name) => name !== 'sandbox')
      .flatMap((name) => sourcesOf(`packages/${name}/src`))
      .filter(({ imports }) => imports.some(({ target }) => /^@whiskeysockets\/|^libsignal/.test(target)));
    expect(strays.map(({ path }) => path)).toEqual([]);
  });

  it('leave images to one file, which runs in a process of its own', () => {
    const decoding = sources.filter(({ imports }) => imports.some(({ target }) => /^sharp$|^jimp/.test(target)));
    expect(decoding.map(({ path }) => path)).toEqual(['whatsapp/media/image-operations.ts']);
    const using = sources.filter(({ imports }) =>
      imports.some(({ target, typeOnly }) => target === 'whatsapp/media/image-operations.ts' && !typeOnly),
    );
    expect(using.map(({ path }) => path)).toEqual(['whatsapp/media/image-process.ts']);
  });

  it('end in .ts and never go through a barrel', () => {
    const names = sources.map(({ path }) => path).filter((path) => /(^|\/)(index|utils?|helpers?)\.ts$/.test(path));
    expect(names).toEqual([]);
    const paths = new Set(sources.map(({ path }) => path));
    const missing = sources.flatMap((source) =>
      source.imports
        .filter(({ target }) => /^[^@]*\//.test(target) && !target.startsWith('node:') && target.endsWith('.ts'))
        .filter(({ target }) => !paths.has(target))
        .map(({ target }) => show(source, target)),
    );
    expect(missing).toEqual([]);
  });
});

/** The source of the gateway and of all packages, with paths from the root of the repository. */
const everything: Source[] = ['src', ...readdirSync('packages').map((name) => `packages/${name}`)].flatMap((folder) =>
  sourcesOf(folder)
    .filter(({ path }) => !/(^|\/)(node_modules|dist|test)\//.test(path))
    .map((source) => ({ ...source, path: `${folder}/${source.path}` })),
);

describe('code', () => {
  const using = (pattern: RegExp, except: readonly string[] = []) =>
    everything.filter(({ path, text }) => !except.includes(path) && pattern.test(codeOf(text))).map(({ path }) => path);
  const settings = 'src/config/load.ts';
  const sandbox = 'packages/sandbox/src';

  it('reads the environment in config/load.ts only; entries may pass it on as a whole', () => {
    const entries = [
      'src/server.ts',
      `${sandbox}/process/cli.ts`,
      `${sandbox}/process/bin.ts`,
      `${sandbox}/process/with-gateway.ts`,
      'packages/import/src/cli.ts',
    ];
    expect(using(/\bprocess\.env\b/, [settings, ...entries])).toEqual([]);
    expect(using(/\bprocess\.env\s*(\.|\[)|}\s*=\s*process\.env/, [settings])).toEqual([]);
  });

  it('ends the process in the entries only', () => {
    expect(using(/\bprocess\.exit\(/)).toEqual([
      'src/server.ts',
      `${sandbox}/process/platform.ts`,
      `${sandbox}/process/with-gateway.ts`,
    ]);
  });

  it('takes time from lib/clock.ts where time is tested', () => {
    const timed = ['src/instances', 'src/cluster', 'src/events', 'src/webhooks', 'src/access', sandbox];
    const wall = /\bDate\.now\(|\bnew Date\(\)|\bset(?:Timeout|Interval)\(/;
    const found = using(wall, [`${sandbox}/lib/clock.ts`]);
    expect(found.filter((path) => timed.some((part) => inside(path, part)))).toEqual([]);
  });

  it('knows no `any` and silences neither the type checker nor the linter', () => {
    expect(using(/\bas any\b|: any\b|<any>/)).toEqual([]);
    const silenced = everything.filter(({ text }) => /@ts-(ignore|nocheck|expect-error)|biome-ignore/.test(text));
    expect(silenced.map(({ path }) => path)).toEqual([]);
  });

  it('starts every file with what it does', () => {
    expect(everything.filter(({ text }) => !/^(#!.*\n)?\/\/ \S/.test(text)).map(({ path }) => path)).toEqual([]);
  });
});
