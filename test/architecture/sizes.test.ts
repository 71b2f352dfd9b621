// Checks of the number of lines of files and functions.
import { describe, expect, it } from 'vitest';
import { codeOf, type Source, sourcesOf } from '../support/source-code.ts';

const isHandwritten = ({ path }: Source) => !path.startsWith('http/schemas/') && path !== 'types.ts';
const src = sourcesOf('src').filter(isHandwritten);
const PACKAGES = ['packages/sandbox', 'packages/import'];
const sources = [
  ...src,
  ...PACKAGES.flatMap((name) => sourcesOf(`${name}/src`)),
  ...sourcesOf('openapi').filter(isHandwritten),
];

const countLines = (text: string) => text.trimEnd().split('\n').length;

interface Block {
  /** Line of the opening brace. `from` and `to` are the positions of both braces. */
  line: number;
  from: number;
  to: number;
  lines: number;
  head: string;
  body: string;
}

/** Every `{…}` of the code. `head` is the text between the previous statement and the block. */
function blocksOf(text: string): Block[] {
  const code = codeOf(text);
  const openPositions: number[] = [];
  const blocks: Block[] = [];
  for (let to = 0; to < code.length; to++) {
    if (code[to] === '{') openPositions.push(to);
    if (code[to] !== '}') continue;
    const from = openPositions.pop() ?? 0;
    const before = code.slice(0, from);
    const head = before.slice(Math.max(...[';', '}', '{'].map((end) => before.lastIndexOf(end))) + 1).trim();
    const size = countLines(code.slice(from, to + 1));
    blocks.push({ line: countLines(before), from, to, lines: size, head, body: code.slice(from + 1, to) });
  }
  return blocks;
}

/** True for the body of a function: it follows `=>` or a parameter list, and not a control keyword. */
function isFunction({ head }: Block): boolean {
  if (/^(if|else|for|while|switch|catch|do|try|class|interface|type|return \{)\b/.test(head)) return false;
  return /=>$|\)$|\)\s*:\s*[^()]*$|\bfunction\b/.test(head) && !/\bclass\b|\binterface\b/.test(head);
}

/** True for a function that is one switch over a closed set. Its length is the size of the set. */
const isTable = ({ body }: Block) => /^\s*(const [^;]+;\s*)?switch\b/.test(body);

/**
 * Functions with the number of their own lines. The lines of inner functions do not count for the outer function: a
 * factory that returns closures is like a class, which has no limit of lines.
 */
function functionsOf(text: string): Block[] {
  const functions = blocksOf(text).filter(isFunction);
  const isWithin = (inner: Block, outer: Block) => inner.from > outer.from && inner.to < outer.to;
  return functions.map((outer) => {
    const nested = functions.filter((inner) => isWithin(inner, outer));
    const direct = nested.filter((inner) => !nested.some((other) => isWithin(inner, other)));
    return { ...outer, lines: direct.reduce((sum, inner) => sum - (inner.lines - 1), outer.lines) };
  });
}

describe('sizes of files and functions', () => {
  it('every source file has at most 400 lines', () => {
    const tooLong = sources
      .filter(({ text }) => countLines(text) > 400)
      .map(({ path, text }) => `${path}: ${countLines(text)}`);
    expect(tooLong).toEqual([]);
  });

  it('every test file has at most 400 lines', () => {
    const tests = [...sourcesOf('test'), ...PACKAGES.flatMap((name) => sourcesOf(`${name}/test`))];
    const tooLong = tests.filter(({ text }) => countLines(text) > 400);
    expect(tooLong.map(({ path, text }) => `${path}: ${countLines(text)}`)).toEqual([]);
  });

  it('every function has at most 60 lines, unless it is a single switch', () => {
    const tooLong = sources.flatMap(({ path, text }) =>
      functionsOf(text)
        .filter((block) => block.lines > 60 && !isTable(block))
        .map((block) => `${path}:${block.line}: ${block.lines}`),
    );
    expect(tooLong).toEqual([]);
  });

  it('functionsOf() finds functions of any form, and no other blocks', () => {
    const filler = 'work();\n'.repeat(60);
    const heads = ['function f(a: string): Promise<void>', 'const f = async (a) =>', 'class C {\n  method(a: number)'];
    for (const head of heads) {
      const found = functionsOf(`${head} {\n${filler}}\n}`).map((block) => block.lines);
      expect(found, head).toEqual([62]);
    }
    for (const head of ['class C', 'const table =', 'if (a)', 'for (const a of b)', 'interface I']) {
      expect(functionsOf(`${head} {\n${filler}}`), head).toEqual([]);
    }
    const factory = `function outer() {\n  return {\n    inner() {\n${filler}},\n  };\n}`;
    expect(functionsOf(factory).map((block) => block.lines)).toEqual([62, 5]);
  });
});
