import { describe, expect, it } from 'vitest';
import { codeOf, type Source, sourcesOf } from './sources.ts';

const isWritten = ({ path }: Source) => !path.startsWith('http/schemas/') && path !== 'types.ts';
const src = sourcesOf('src').filter(isWritten);
const PACKAGES = ['packages/sandbox', 'packages/import'];
const all = [
  ...src,
  ...PACKAGES.flatMap((name) => sourcesOf(`${name}/src`)),
  ...sourcesOf('openapi').filter(isWritten),
];

const lines = (text: string) => text.trimEnd().split('\n').length;

interface Block {
  /** Where it starts: line, and position of its brace. */
  line: number;
  from: number;
  to: number;
  lines: number;
  head: string;
  body: string;
}

/** Every `{…}` of the code with the text before it back to the last statement, and its number of lines. */
function blocksOf(text: string): Block[] {
  const code = codeOf(text);
  const open: number[] = [];
  const blocks: Block[] = [];
  for (let to = 0; to < code.length; to++) {
    if (code[to] === '{') open.push(to);
    if (code[to] !== '}') continue;
    const from = open.pop() ?? 0;
    const before = code.slice(0, from);
    const head = before.slice(Math.max(...[';', '}', '{'].map((end) => before.lastIndexOf(end))) + 1).trim();
    const size = lines(code.slice(from, to + 1));
    blocks.push({ line: lines(before), from, to, lines: size, head, body: code.slice(from + 1, to) });
  }
  return blocks;
}

/** A function body follows `=>` or a parameter list (with or without a return type), and no control keyword. */
function isFunction({ head }: Block): boolean {
  if (/^(if|else|for|while|switch|catch|do|try|class|interface|type|return \{)\b/.test(head)) return false;
  return /=>$|\)$|\)\s*:\s*[^()]*$|\bfunction\b/.test(head) && !/\bclass\b|\binterface\b/.test(head);
}

/** A function that is one switch over a closed set: its length is the size of the set. */
const isTable = ({ body }: Block) => /^\s*(const [^;]+;\s*)?switch\b/.test(body);

/**
 * Functions with their own lines. The functions inside another do not count for the outer one: a factory that returns its
 * methods as closures is read method by method, like a class.
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

describe('sizes', () => {
  it('keep every source file within 400 lines', () => {
    const long = all.filter(({ text }) => lines(text) > 400).map(({ path, text }) => `${path}: ${lines(text)}`);
    expect(long).toEqual([]);
  });

  it('keep every test file within 400 lines', () => {
    const tests = [...sourcesOf('test'), ...PACKAGES.flatMap((name) => sourcesOf(`${name}/test`))];
    const long = tests.filter(({ text }) => lines(text) > 400);
    expect(long.map(({ path, text }) => `${path}: ${lines(text)}`)).toEqual([]);
  });

  it('keep every function within 60 lines', () => {
    const long = all.flatMap(({ path, text }) =>
      functionsOf(text)
        .filter((block) => block.lines > 60 && !isTable(block))
        .map((block) => `${path}:${block.line}: ${block.lines}`),
    );
    expect(long).toEqual([]);
  });

  it('see a function of any form, and nothing else', () => {
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
