// docs/internals: the files, functions and diagrams that the pages for developers show are those of the source.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type DisconnectCause, infoOf } from '../../src/instances/disconnect-causes.ts';
import { type Goal, type LifecycleEvent, reduce, type State } from '../../src/instances/state-machine.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { Work } from '../../src/storage/database.ts';
import { migrate } from '../../src/storage/migrate.ts';
import { cluster } from '../../src/storage/migrations/0009-cluster.ts';
import { openSqlite } from '../../src/storage/sqlite.ts';
import { LAYERS, RULES } from '../architecture/rules.ts';
import { codeOf, sourcesOf } from '../architecture/sources.ts';
import { codeBlocks, PAGES } from '../support/docs.ts';

/** The pages about the own code. platform.md and upstream.md are about WhatsApp and Baileys. */
const OWN_PAGES = PAGES.filter((page) => /^docs\/internals\/(?!platform|upstream)/.test(page));

const textOf = (page: string) => readFileSync(page, 'utf8');
const inCode = (text: string) => [...text.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);

/** The rows of a table below `heading`, by default the first one, each with its cells. */
function tableBelow(page: string, heading: string, number = 1): string[][] {
  const section = textOf(page).split(`\n${heading}\n`)[1] ?? '';
  const table = section.match(/(?:^\|.*\n)+/gm)?.[number - 1] ?? '';
  const rows = table.trim().split('\n').slice(2);
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const FOLDERS = '(?:src|test|packages|openapi|deploy|docs)';

describe('the pages in docs/internals', () => {
  it.each(PAGES.filter((page) => page.startsWith('docs/internals/')))('%s names only files that exist', (page) => {
    const paths = inCode(textOf(page)).filter((code) => new RegExp(`^${FOLDERS}/[\\w./*{},-]+$`).test(code));
    expect(paths.filter((path) => !existsSync(path) && globSync(path).length === 0)).toEqual([]);
  });

  const sources = sourcesOf('src');
  const packages = globSync('packages/*/src/**/*.{ts,js}').map((path) => ({ path, text: readFileSync(path, 'utf8') }));
  const files = [...sources.map(({ path, text }) => ({ path: `src/${path}`, text })), ...packages].map((file) => ({
    path: file.path,
    functions: functionsIn(codeOf(file.text)),
  }));

  it.each(OWN_PAGES)('%s names only functions that its source files declare', (page) => {
    const unknown = textOf(page)
      .split(/\n\n|\n(?=[|\-*\d])/)
      .flatMap((paragraph) => {
        const named = [...paragraph.matchAll(/(?<![\w-])(?:\w+\.)?([a-z]\w+)\(\)/g)].map(([, name = '']) => name);
        // A paragraph that names files of the source speaks about the functions of these files.
        const paths = inCode(paragraph).filter((code) => /^(?:src|packages)\/.*\.[jt]s$/.test(code));
        const places = paths.length > 0 ? files.filter(({ path }) => paths.includes(path)) : files;
        const missing = named.filter((name) => !places.some(({ functions }) => functions.has(name)));
        return missing.map((name) => `${name}() is not in ${paths.join(', ') || 'the source'}`);
      });
    expect(unknown).toEqual([]);
  });

  it.each(OWN_PAGES)('%s declares the participants of its sequence diagrams', (page) => {
    const undeclared = codeBlocks(page, 'mermaid').flatMap((diagram) => {
      const declared = [...diagram.matchAll(/^ *(?:participant|actor) (\w+)/gm)].map(([, name]) => name);
      const arrows = [...diagram.matchAll(/^ *(\w+) ?--?>?>[+-]?(\w+): /gm)].flatMap(([, from, to]) => [from, to]);
      return arrows.filter((name) => !declared.includes(name));
    });
    expect(undeclared).toEqual([]);
  });
});

/** The names of functions, methods and members of interfaces in the code of one file. */
function functionsIn(code: string): Set<string> {
  const declarations = [
    /\bfunction\s*\*?\s*(\w+)/g,
    /\b(?:const|let)\s+(\w+)\s*[=:]/g,
    // Methods, and members of an object or an interface. A call ends with `;` or is an argument.
    /^ {2,}(?:async |static |get |readonly |\*|#)*(\w+)\??\s*(?:<[^<>]*>)?\((?:[^()]|\([^()]*\))*\)[^\n;]*[{;,]$/gm,
    /^ {2,}(?:readonly |#)*(\w+)\??: /gm,
    /^ {2,}(?:readonly |#)*(\w+) = /gm,
  ];
  return new Set(declarations.flatMap((pattern) => [...code.matchAll(pattern)].map(([, name = '']) => name)));
}

describe('docs/internals/architecture.md', () => {
  const page = 'docs/internals/architecture.md';
  const [diagram = ''] = codeBlocks(page, 'mermaid');
  const names = new Map([...diagram.matchAll(/(\w+)\["([^"]+)"\]/g)].map(([, id = '', name = '']) => [id, name]));
  const nameOf = (id: string) => names.get(id) ?? id;
  const edges = [...diagram.matchAll(/^ *(\w+)(?:\["[^"]+"\])? -->(?:\|([^|]+)\|)? (\w+)/gm)].map(
    ([, from = '', file, to = '']) => ({ from: nameOf(from), to: file ? `${nameOf(to)}/${file}` : nameOf(to) }),
  );

  it('draws the imports that the rules allow', () => {
    const inParts = diagram.slice(diagram.indexOf('subgraph'), diagram.indexOf('\n  end'));
    const parts = new Set(
      inParts
        .replaceAll(/\|[^|]+\|/g, '')
        .match(/\w+/g)
        ?.filter((id) => id in RULES),
    );
    const drawn = new Map(Object.keys(RULES).map((part): [string, Set<string>] => [part, new Set()]));
    for (const { from, to } of edges) for (const target of to === 'parts' ? parts : [to]) drawn.get(from)?.add(target);
    const found = Object.fromEntries([...drawn].map(([part, targets]) => [part, [...targets].sort()]));
    expect(found).toEqual(Object.fromEntries(Object.entries(RULES).map(([part, { may }]) => [part, [...may].sort()])));
  });

  it('lists the folders of which only types are imported', () => {
    const rows = tableBelow(page, '## Imports').map(([folder = '', types = '']) => [inCode(folder)[0], inCode(types)]);
    const rules = Object.entries(RULES).flatMap(([part, { types }]) => (types ? [[part, types]] : []));
    expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(rules));
  });

  it('has the order of the folders in src/whatsapp', () => {
    const [list = ''] = /(?:^> .*\n)+/m.exec(textOf(page)) ?? [];
    const order = LAYERS.filter((layer) => /^whatsapp/.test(layer)).map((layer) => layer.replace(/^whatsapp\//, ''));
    expect(inCode(list).filter((name) => !name.endsWith('.ts'))).toEqual(order);
  });

  it('describes every folder of src', () => {
    const described = tableBelow(page, '## Parts').map(([folder = '']) => inCode(folder)[0]);
    const folders = new Set(
      LAYERS.filter((layer) => !layer.endsWith('.ts')).map((layer) => `src/${layer.split('/')[0]}`),
    );
    expect(described.toSorted()).toEqual([...folders].sort());
  });

  it('has the calls that stop a gateway, in their order', () => {
    const text = textOf('src/app/compose.ts');
    const [compose = '', core = ''] = text.split('\nasync function openCore(');
    const calls = [core, compose].flatMap((part) => [
      ...part.matchAll(/stack\.defer\(async \(\) => \{[^}]*\.(\w+)\(\);\s*\}\)|stack\.defer\(.*?\.(\w+)\(.*\)\);/g),
    ]);
    const stops = calls.map(([, inBlock, inline]) => inBlock ?? inline).reverse();
    const listed = tableBelow(page, '## Stop').map(([, call = '']) => /\.(\w+)\(\)/.exec(call)?.[1]);
    expect(listed).toEqual(stops);
  });
});

describe('docs/internals/linking.md', () => {
  const page = 'docs/internals/linking.md';
  const COMMANDS = ['START', 'RESTART', 'STOP', 'LOGOUT', 'DELETE'] as const;
  const table = textOf('src/instances/disconnect-causes.ts')
    .split('} as const satisfies')[0]
    ?.matchAll(/^ {2}(\w+): \{/gm);
  const causes = [...(table ?? [])].map(([, name]) => name as DisconnectCause);

  const events: LifecycleEvent[] = [
    ...COMMANDS.map((type) => ({ type })),
    ...(['QR', 'QR_LIMIT', 'OPEN', 'RETRY_DUE', 'CONNECT_TIMEOUT'] as const).map((type) => ({ type })),
    ...causes.map((cause) => ({ type: 'CLOSED', cause, paired: true, code: 0 }) as const),
    { type: 'CLOSE_TIMEOUT', paired: true },
  ];
  const goals: Goal[] = ['backoff', 'connecting', 'stopped', 'logged_out', 'deleted'];
  const phases = ['stopped', 'connecting', 'pairing', 'open', 'backoff', 'logged_out', 'deleted'] as const;
  const states: State[] = [
    ...phases.map((phase) => ({ phase })),
    ...goals.map((goal) => ({ phase: 'closing', goal }) as const),
    { phase: 'blocked', cause: 'banned' },
  ];
  const steps = states.flatMap((from) =>
    events.flatMap((event) => {
      const [to] = reduce(from, event);
      return to === from ? [] : [{ from: from.phase, event: event.type, to: to.phase }];
    }),
  );
  const toText = ({ from, event, to }: { from: string; event: string; to: string }) => `${from} -${event}-> ${to}`;
  const isCommand = (event: string) => COMMANDS.some((command) => command === event);

  it('draws what reports of the socket and timers lead to', () => {
    const diagram = codeBlocks(page, 'mermaid').find((block) => block.startsWith('stateDiagram')) ?? '';
    const choices = [...diagram.matchAll(/state (\w+) <<choice>>/g)].map(([, name = '']) => name);
    const edges = [...diagram.matchAll(/^ {2}(\w+) --> (\w+)(?:: (.*))?$/gm)].map(
      ([, from = '', to = '', labels = '']) => ({ from, to, labels: labels.split(', ') }),
    );
    const drawn = edges
      .filter(({ from }) => !choices.includes(from))
      .flatMap(({ from, to, labels }) => {
        const targets = choices.includes(to) ? edges.filter((edge) => edge.from === to).map((edge) => edge.to) : [to];
        return targets.flatMap((target) => labels.map((event) => toText({ from, event, to: target })));
      });
    const expected = new Set(steps.filter(({ event }) => !isCommand(event)).map(toText));
    expect(drawn.toSorted()).toEqual([...expected].sort());
  });

  it('lists what commands lead to', () => {
    const rows = tableBelow(page, '## State machine', 2).flatMap(([state = '', ...cells]) =>
      cells.flatMap((cell, column) =>
        inCode(cell).map((to) => toText({ from: inCode(state)[0] ?? '', event: COMMANDS[column] ?? '', to })),
      ),
    );
    const expected = new Set(steps.filter(({ event }) => isCommand(event)).map(toText));
    expect(rows.toSorted()).toEqual([...expected].sort());
  });

  it('lists the state that follows each disconnect cause', () => {
    const rows = tableBelow(page, '## State machine').flatMap(([state = '', named = '']) =>
      inCode(named).map((cause) => [cause, inCode(state)[0]]),
    );
    expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(causes.map((cause) => [cause, infoOf(cause).next])));
  });
});

describe('docs/internals/cluster-protocol.md', () => {
  it('lists the requests that only nodes send', () => {
    const requests = tableBelow('docs/internals/cluster-protocol.md', '## Messages between nodes').flatMap(
      ([request = '']) => inCode(request),
    );
    const routes = [...textOf('src/http/routes/peer.ts').matchAll(/app\.(get|post)\('([^']+)'/g)];
    const expected = routes.map(([, method = '', path]) => `${method.toUpperCase()} ${path}`);
    expect(requests.toSorted()).toEqual(expected.sort());
  });
});

describe('docs/internals/storage.md', () => {
  const page = 'docs/internals/storage.md';
  const [diagram = ''] = codeBlocks(page, 'mermaid');

  /** The columns of each table, also of those that only PostgreSQL has. `isKey`: part of the primary key. */
  async function columnsByTable(): Promise<Map<string, { name: string; isKey: boolean }[]>> {
    const database = openSqlite({ dataDir: ':memory:', synchronous: 'normal' });
    await migrate(database, systemClock);
    const rows = (await database.transaction(function* (): Work<unknown[]> {
      return yield `SELECT t.name AS "table", c.name, c.pk > 0 AS key FROM sqlite_schema t, pragma_table_info(t.name) c
        WHERE t.type = 'table' AND t.name NOT GLOB 'sqlite_*'`;
    })) as { table: string; name: string; key: number }[];
    await database.close();
    const found = Map.groupBy(rows, ({ table }) => table);
    const columns = new Map([...found].map(([table, list]) => [table, list.map((one) => toColumn(one.name, one.key))]));
    const statements = cluster.up('postgres').join('\n');
    for (const [, table = '', body = ''] of statements.matchAll(/CREATE TABLE (\w+) \(([\s\S]*?)\)$/gm)) {
      const names = [...body.matchAll(/(\w+) (?:TEXT|BIGINT)( PRIMARY KEY)?/g)];
      const list = names.map(([, name = '', key]) => toColumn(name, key ? 1 : 0));
      columns.set(table, list);
    }
    return columns;
  }
  const toColumn = (name: string, key: number) => ({ name, isKey: key > 0 });

  it('lists all tables', async () => {
    const listed = tableBelow(page, '## Tables').map(([table = '']) => inCode(table)[0]);
    expect(listed.toSorted()).toEqual([...(await columnsByTable()).keys()].sort());
  });

  it('draws tables, columns and primary keys that exist', async () => {
    const columns = await columnsByTable();
    const related = [...diagram.matchAll(/^ {2}(\w+) [|o}]{2}--[|o{]{2} (\w+) :/gm)].flatMap(([, a, b]) => [a, b]);
    expect(related.filter((table = '') => !columns.has(table))).toEqual([]);
    for (const [, table = '', body = ''] of diagram.matchAll(/^ {2}(\w+) \{\n([^}]*)\}/gm)) {
      const drawn = [...body.matchAll(/\w+ (\w+)(?: ([PUF]K))?$/gm)];
      const existing = columns.get(table) ?? [];
      expect(drawn.map(([, name]) => name).filter((name) => !existing.some((column) => column.name === name))).toEqual(
        [],
      );
      const keys = drawn.flatMap(([, name, kind]) => (kind === 'PK' ? [name] : []));
      expect(keys, table).toEqual(existing.filter(({ isKey }) => isKey).map(({ name }) => name));
    }
  });
});

describe('the index of the documentation', () => {
  it('links the pages for developers in src/README.md', () => {
    const readme = textOf('src/README.md');
    expect(OWN_PAGES.filter((page) => !readme.includes(`(../docs/internals/${basename(page)})`))).toEqual([]);
  });
});
