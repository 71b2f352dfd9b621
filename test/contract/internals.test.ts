// docs/internals: the files, functions and diagrams that the pages for developers show are those of the source.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LAYERS, RULES } from '../architecture/rules.ts';
import { codeOf, sourcesOf } from '../architecture/sources.ts';
import { codeBlocks, PAGES } from '../support/docs.ts';

/** The pages about the own code. platform.md and upstream.md are about WhatsApp and Baileys. */
const OWN_PAGES = PAGES.filter((page) => /^docs\/internals\/(?!platform|upstream)/.test(page));

const textOf = (page: string) => readFileSync(page, 'utf8');
const inCode = (text: string) => [...text.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);

/** The rows of the first table below `heading`, each with its cells. */
function tableBelow(page: string, heading: string): string[][] {
  const section = textOf(page).split(`\n${heading}\n`)[1] ?? '';
  const [table = ''] = /(?:^\|.*\n)+/m.exec(section) ?? [];
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

describe('the index of the documentation', () => {
  it('links the pages for developers in src/README.md', () => {
    const readme = textOf('src/README.md');
    expect(OWN_PAGES.filter((page) => !readme.includes(`(../docs/internals/${basename(page)})`))).toEqual([]);
  });
});
