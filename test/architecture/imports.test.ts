import { describe, expect, it } from 'vitest';
import { codeOf, type Source, sourcesOf } from './sources.ts';

const sources = sourcesOf('src');
const show = (source: Source, what: string) => `${source.path} → ${what}`;

/** What a part may import of ours; `types` are the seams it may name but not run. A part may always import itself. */
const rules: Record<string, { may: string[]; types?: string[] }> = {
  'server.ts': { may: ['gateway.ts', 'config.ts', 'ending.ts', 'exit.ts', 'log.ts', 'platform/endpoint.ts'] },
  'gateway.ts': {
    may: 'app.ts cluster.ts running.ts parts.ts config.ts log.ts access egress instances metrics platform sockets storage webhooks'.split(
      ' ',
    ),
  },
  'running.ts': {
    may: [],
    types: 'app.ts cluster.ts config.ts access egress instances platform storage webhooks'.split(' '),
  },
  'cluster.ts': {
    may: 'parts.ts egress/peers.ts instances metrics/cluster.ts'.split(' '),
    types: 'config.ts metrics platform/session.ts routes/deps.ts storage webhooks'.split(' '),
  },
  'parts.ts': { may: 'egress platform storage webhooks'.split(' '), types: ['config.ts'] },
  'app.ts': { may: ['routes', 'plugins', 'dialects', 'schemas', 'log.ts'], types: ['config.ts'] },
  'config.ts': { may: ['variables.ts', 'foreign.ts', 'schemas/common.ts'] },
  'foreign.ts': { may: ['schemas/common.ts'], types: ['variables.ts'] },
  'variables.ts': { may: [] },
  'log.ts': { may: [], types: ['config.ts'] },
  'errors.ts': { may: [] },
  'ending.ts': { may: [] },
  'exit.ts': { may: [] },
  'events.ts': { may: [] },
  'group-types.ts': { may: [] },
  lib: { may: [] },
  schemas: { may: [] },
  dialects: { may: ['schemas'] },
  routes: {
    may: [
      'instances',
      'platform',
      'plugins',
      'schemas',
      'metrics/access.ts',
      'dialects/request.ts',
      'dialects/response.ts',
    ],
    types: [
      'access/keys.ts',
      'access/recorder.ts',
      'config.ts',
      'egress/peers.ts',
      'metrics/metrics.ts',
      'sockets/sockets.ts',
      'storage/storage.ts',
      'webhooks/subscriptions.ts',
      'webhooks/office.ts',
      'webhooks/report.ts',
      'webhooks/ping.ts',
    ],
  },
  plugins: {
    may: ['instances', 'platform', 'schemas', 'dialects', 'egress/peers.ts'],
    types: ['access/keys.ts', 'config.ts', 'routes/deps.ts', 'storage/storage.ts'],
  },
  instances: { may: [], types: ['platform/session.ts', 'storage/storage.ts', 'schemas/instance.ts'] },
  platform: { may: [], types: ['storage/storage.ts'] },
  webhooks: { may: ['egress', 'schemas/events.ts', 'platform/jid.ts'], types: ['storage/storage.ts'] },
  metrics: {
    may: [],
    types: ['config.ts', 'storage/storage.ts', 'webhooks/office.ts', 'webhooks/subscriptions.ts'],
  },
  sockets: { may: ['webhooks/catalogue.ts'], types: ['storage/storage.ts'] },
  access: { may: [], types: ['storage/storage.ts'] },
  egress: { may: [] },
  storage: { may: [] },
  sandbox: { may: [], types: ['platform/endpoint.ts'] },
  backup: { may: ['config.ts', 'storage'] },
  'sandbox/cli.ts': { may: ['sandbox', 'gateway.ts', 'config.ts', 'ending.ts', 'exit.ts', 'log.ts'] },
};

/** Anyone may import these: the vocabulary, and code without domain words. */
const everywhere = ['events.ts', 'group-types.ts', 'errors.ts', 'lib'];

/** Packages that only some parts may import. */
const packages: [pattern: RegExp, parts: string[]][] = [
  [/^@whiskeysockets\/|^libsignal|^@noble\//, ['platform', 'sandbox']],
  [/^kysely|^pg$|^node:sqlite$/, ['storage']],
  [/^undici$|^ipaddr/, ['egress', 'config.ts']],
  [/^fastify$|^@fastify\//, ['app.ts', 'gateway.ts', 'routes', 'plugins', 'dialects', 'sandbox']],
  [/^node:https?$|^node:net$|^ws$/, ['egress', 'platform', 'sandbox', 'sockets', 'metrics']],
  [/^prom-client$/, ['metrics']],
  [/^socket\.io|^engine\.io/, ['sockets']],
  [/^env-schema$/, ['config.ts']],
  [/^@sinclair\/typebox/, ['schemas', 'config.ts', 'variables.ts', 'dialects', 'app.ts', 'routes', 'plugins']],
];

const inside = (path: string, part: string) => path === part || path.startsWith(`${part}/`);

/** The rule for a file: its own, else its folder's. */
function partOf(path: string): string {
  return path in rules ? path : (path.split('/')[0] ?? path);
}

/** Whether the rules let `source` import `target` (a path below src). */
function isAllowed(source: Source, target: string, typeOnly: boolean): boolean {
  const part = partOf(source.path);
  const rule = rules[part];
  const targets = [...everywhere, part, ...(rule?.may ?? []), ...(typeOnly ? (rule?.types ?? []) : [])];
  return targets.some((allowed) => inside(target, allowed));
}

describe('imports in src', () => {
  it('has a rule for every part', () => {
    expect(sources.map(({ path }) => partOf(path)).filter((part) => !(part in rules))).toEqual([]);
  });

  it('follow the direction of the design', () => {
    const broken = sources.flatMap((source) =>
      source.imports
        .filter(({ target }) => target.endsWith('.ts'))
        .filter(({ target, typeOnly }) => !isAllowed(source, target, typeOnly))
        .map(({ target }) => show(source, target)),
    );
    expect(broken).toEqual([]);
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
          const owners = packages.find(([pattern]) => pattern.test(target))?.[1];
          return owners && !owners.includes(partOf(source.path)) && !owners.some((part) => inside(source.path, part));
        })
        .map(({ target }) => show(source, target)),
    );
    expect(strays).toEqual([]);
  });

  it('leave images to one file, which runs in a process of its own', () => {
    const decoding = sources.filter(({ imports }) => imports.some(({ target }) => /^sharp$|^jimp/.test(target)));
    expect(decoding.map(({ path }) => path)).toEqual(['platform/media/image-operations.ts']);
    const using = sources.filter(({ imports }) =>
      imports.some(({ target, typeOnly }) => target === 'platform/media/image-operations.ts' && !typeOnly),
    );
    expect(using.map(({ path }) => path)).toEqual(['platform/media/image-process.ts']);
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

describe('code in src', () => {
  const using = (pattern: RegExp, except: (path: string) => boolean) =>
    sources.filter(({ path, text }) => !except(path) && pattern.test(codeOf(text))).map(({ path }) => path);

  it('reads the environment in config.ts only; the entries may hand it over as a whole', () => {
    const entries = ['server.ts', 'sandbox/cli.ts'];
    expect(using(/\bprocess\.env\b/, (path) => path === 'config.ts' || entries.includes(path))).toEqual([]);
    expect(using(/\bprocess\.env\s*(\.|\[)|}\s*=\s*process\.env/, (path) => path === 'config.ts')).toEqual([]);
  });

  it('ends the process in the two entries only', () => {
    expect(using(/\bprocess\.exit\(/, (path) => path === 'server.ts' || path === 'sandbox/cli.ts')).toEqual([]);
  });

  it('takes time from lib/clock.ts where time is tested', () => {
    const timed = ['instances', 'webhooks', 'access', 'sandbox'];
    const wall = /\bDate\.now\(|\bnew Date\(\)|\bset(?:Timeout|Interval)\(/;
    expect(using(wall, (path) => !timed.some((part) => inside(path, part)))).toEqual([]);
  });

  it('knows no `any` and silences neither the type checker nor the linter', () => {
    expect(using(/\bas any\b|: any\b|<any>/, () => false)).toEqual([]);
    const silenced = sources.filter(({ text }) => /@ts-(ignore|nocheck|expect-error)|biome-ignore/.test(text));
    expect(silenced.map(({ path }) => path)).toEqual([]);
  });

  it('starts every file with what it owns', () => {
    expect(sources.filter(({ text }) => !/^(#!.*\n)?\/\/ \S/.test(text)).map(({ path }) => path)).toEqual([]);
  });
});
