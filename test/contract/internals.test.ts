// Checks that the files, functions, tables and diagrams in docs/internals agree with the source.
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
import { codeBlocks, PAGES } from '../support/docs.ts';
import { codeOf, sourcesOf } from '../support/source-code.ts';

/** The pages about the code of this repository. platform.md and upstream.md are about WhatsApp and Baileys. */
const OWN_PAGES = PAGES.filter((page) => /^docs\/internals\/(?!platform|upstream)/.test(page));

const textOf = (page: string) => readFileSync(page, 'utf8');
const codeSpansIn = (text: string) => [...text.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);

/** The cells of each row of a table below `heading`. `number` counts the tables from 1. */
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

describe('pages in docs/internals', () => {
  it.each(PAGES.filter((page) => page.startsWith('docs/internals/')))('%s names only files that exist', (page) => {
    const paths = codeSpansIn(textOf(page)).filter((code) => new RegExp(`^${FOLDERS}/[\\w./*{},-]+$`).test(code));
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
        const names = [...paragraph.matchAll(/(?<![\w-])(?:\w+\.)?([a-z]\w+)\(\)/g)].map(([, name = '']) => name);
        // A paragraph that names source files describes functions of these files.
        const paths = codeSpansIn(paragraph).filter((code) => /^(?:src|packages)\/.*\.[jt]s$/.test(code));
        const places = paths.length > 0 ? files.filter(({ path }) => paths.includes(path)) : files;
        const missing = names.filter((name) => !places.some(({ functions }) => functions.has(name)));
        return missing.map((name) => `${name}() is not in ${paths.join(', ') || 'the source'}`);
      });
    expect(unknown).toEqual([]);
  });

  it.each(OWN_PAGES)('%s declares the participants of its sequence diagrams', (page) => {
    const undeclaredNames = codeBlocks(page, 'mermaid').flatMap((diagram) => {
      const participants = [...diagram.matchAll(/^ *(?:participant|actor) (\w+)/gm)].map(([, name]) => name);
      const arrows = [...diagram.matchAll(/^ *(\w+) ?--?>?>[+-]?(\w+): /gm)].flatMap(([, from, to]) => [from, to]);
      return arrows.filter((name) => !participants.includes(name));
    });
    expect(undeclaredNames).toEqual([]);
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

  it('architecture.md draws exactly the imports that the rules allow', () => {
    const inParts = diagram.slice(diagram.indexOf('subgraph'), diagram.indexOf('\n  end'));
    const parts = new Set(
      inParts
        .replaceAll(/\|[^|]+\|/g, '')
        .match(/\w+/g)
        ?.filter((id) => id in RULES),
    );
    const targetsByPart = new Map(Object.keys(RULES).map((part): [string, Set<string>] => [part, new Set()]));
    for (const { from, to } of edges)
      for (const target of to === 'parts' ? parts : [to]) targetsByPart.get(from)?.add(target);
    const importsInDiagram = Object.fromEntries(
      [...targetsByPart].map(([part, targets]) => [part, [...targets].sort()]),
    );
    expect(importsInDiagram).toEqual(
      Object.fromEntries(Object.entries(RULES).map(([part, { imports }]) => [part, [...imports].sort()])),
    );
  });

  it('architecture.md lists, for each folder, the folders from which it imports only types', () => {
    const rows = tableBelow(page, '## Imports').map(([folder = '', types = '']) => [
      codeSpansIn(folder)[0],
      codeSpansIn(types),
    ]);
    const rules = Object.entries(RULES).flatMap(([part, { typeImports }]) =>
      typeImports ? [[part, typeImports]] : [],
    );
    expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(rules));
  });

  it('architecture.md lists the folders of src/whatsapp in the order of the layers', () => {
    const [list = ''] = /(?:^> .*\n)+/m.exec(textOf(page)) ?? [];
    const order = LAYERS.filter((layer) => /^whatsapp/.test(layer)).map((layer) => layer.replace(/^whatsapp\//, ''));
    expect(codeSpansIn(list).filter((name) => !name.endsWith('.ts'))).toEqual(order);
  });

  it('architecture.md describes every folder of src', () => {
    const describedFolders = tableBelow(page, '## Parts').map(([folder = '']) => codeSpansIn(folder)[0]);
    const folders = new Set(
      LAYERS.filter((layer) => !/\.[jt]s$/.test(layer)).map((layer) => `src/${layer.split('/')[0]}`),
    );
    expect(describedFolders.toSorted()).toEqual([...folders].sort());
  });

  it('architecture.md lists the calls that stop a gateway in their order', () => {
    const text = textOf('src/app/compose.ts');
    const [compose = '', core = ''] = text.split('\nasync function openCore(');
    const calls = [core, compose].flatMap((part) => [
      ...part.matchAll(/stack\.defer\(async \(\) => \{[^}]*\.(\w+)\(\);\s*\}\)|stack\.defer\(.*?\.(\w+)\(.*\)\);/g),
    ]);
    const stops = calls.map(([, inBlock, inline]) => inBlock ?? inline).reverse();
    const listedCalls = tableBelow(page, '## Stop').map(([, call = '']) => /\.(\w+)\(\)/.exec(call)?.[1]);
    expect(listedCalls).toEqual(stops);
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
  const transitions = states.flatMap((from) =>
    events.flatMap((event) => {
      const [to] = reduce(from, event);
      return to === from ? [] : [{ from: from.phase, event: event.type, to: to.phase }];
    }),
  );
  const toText = ({ from, event, to }: { from: string; event: string; to: string }) => `${from} -${event}-> ${to}`;
  const isCommand = (event: string) => COMMANDS.some((command) => command === event);

  it('linking.md draws the state transitions that socket events and timers cause', () => {
    const diagram = codeBlocks(page, 'mermaid').find((block) => block.startsWith('stateDiagram')) ?? '';
    const choices = [...diagram.matchAll(/state (\w+) <<choice>>/g)].map(([, name = '']) => name);
    const edges = [...diagram.matchAll(/^ {2}(\w+) --> (\w+)(?:: (.*))?$/gm)].map(
      ([, from = '', to = '', labels = '']) => ({ from, to, labels: labels.split(', ') }),
    );
    const drawnTransitions = edges
      .filter(({ from }) => !choices.includes(from))
      .flatMap(({ from, to, labels }) => {
        const targets = choices.includes(to) ? edges.filter((edge) => edge.from === to).map((edge) => edge.to) : [to];
        return targets.flatMap((target) => labels.map((event) => toText({ from, event, to: target })));
      });
    const expected = new Set(transitions.filter(({ event }) => !isCommand(event)).map(toText));
    expect(drawnTransitions.toSorted()).toEqual([...expected].sort());
  });

  it('linking.md lists the state transitions that commands cause', () => {
    const rows = tableBelow(page, '## State machine', 2).flatMap(([state = '', ...cells]) =>
      cells.flatMap((cell, column) =>
        codeSpansIn(cell).map((to) => toText({ from: codeSpansIn(state)[0] ?? '', event: COMMANDS[column] ?? '', to })),
      ),
    );
    const expected = new Set(transitions.filter(({ event }) => isCommand(event)).map(toText));
    expect(rows.toSorted()).toEqual([...expected].sort());
  });

  it('linking.md lists the state that follows each disconnect cause', () => {
    const rows = tableBelow(page, '## State machine').flatMap(([state = '', causeCell = '']) =>
      codeSpansIn(causeCell).map((cause) => [cause, codeSpansIn(state)[0]]),
    );
    expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(causes.map((cause) => [cause, infoOf(cause).next])));
  });
});

describe('docs/internals/cluster-protocol.md', () => {
  it('cluster-protocol.md lists exactly the routes that nodes call on each other', () => {
    const requests = tableBelow('docs/internals/cluster-protocol.md', '## Messages between nodes').flatMap(
      ([request = '']) => codeSpansIn(request),
    );
    const routes = [...textOf('src/http/routes/peer.ts').matchAll(/app\.(get|post)\('([^']+)'/g)];
    const expected = routes.map(([, method = '', path]) => `${method.toUpperCase()} ${path}`);
    expect(requests.toSorted()).toEqual(expected.sort());
  });
});

describe('docs/internals/storage.md', () => {
  const page = 'docs/internals/storage.md';
  const [diagram = ''] = codeBlocks(page, 'mermaid');

  /** The columns of all tables of both databases. `isKey` is true for a column of the primary key. */
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

  it('storage.md lists exactly the tables of SQLite and PostgreSQL', async () => {
    const listedTables = tableBelow(page, '## Tables').map(([table = '']) => codeSpansIn(table)[0]);
    expect(listedTables.toSorted()).toEqual([...(await columnsByTable()).keys()].sort());
  });

  it('storage.md draws only tables and columns that exist, and the primary key of each drawn table', async () => {
    const columns = await columnsByTable();
    const relatedTables = [...diagram.matchAll(/^ {2}(\w+) [|o}]{2}--[|o{]{2} (\w+) :/gm)].flatMap(([, a, b]) => [
      a,
      b,
    ]);
    expect(relatedTables.filter((table = '') => !columns.has(table))).toEqual([]);
    for (const [, table = '', body = ''] of diagram.matchAll(/^ {2}(\w+) \{\n([^}]*)\}/gm)) {
      const drawnColumns = [...body.matchAll(/\w+ (\w+)(?: ([PUF]K))?$/gm)];
      const existingColumns = columns.get(table) ?? [];
      expect(
        drawnColumns.map(([, name]) => name).filter((name) => !existingColumns.some((column) => column.name === name)),
      ).toEqual([]);
      const keys = drawnColumns.flatMap(([, name, kind]) => (kind === 'PK' ? [name] : []));
      expect(keys, table).toEqual(existingColumns.filter(({ isKey }) => isKey).map(({ name }) => name));
    }
  });
});

describe('src/README.md', () => {
  it('src/README.md links to every page in docs/internals about the code', () => {
    const readme = textOf('src/README.md');
    expect(OWN_PAGES.filter((page) => !readme.includes(`(../docs/internals/${basename(page)})`))).toEqual([]);
  });
});
