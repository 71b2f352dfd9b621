import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { argumentsOf, field, filesBelow, nodesOf, parseSource, textOf } from '../support/syntax-tree.ts';

/** First words of a title whose subject is missing, because its `describe` or its file would have to supply it. */
const PREDICATES = new Set(
  [
    'is are was were has have does do can cannot may must needs need gets get not also and or',
    'in by with without of for from on at to when while after before if as',
    'accepts adds allows asks becomes begins calls closes comes contains continues creates decrypts deletes drops',
    'ends fails finds finishes fits gives goes handles holds ignores keeps knows leaves lets loads loses makes moves',
    'names never opens posts puts reaches receives refuses rejects removes repeats replaces reports resolves returns',
    'says sees sends serves skips starts stays stops stores takes tells throws uses waits works',
  ].flatMap((words) => words.split(' ')),
);

/** The titles of all `it` and `test` calls of a file, as `path:line: title`. */
function titlesOf(path: string, text: string): { place: string; title: string }[] {
  const { program, lineAt } = parseSource(path, text);
  return [...nodesOf(program)].flatMap((node) => {
    const [first] = argumentsOf(node);
    const title = first && isTest(node) ? textOf(first) : undefined;
    return title === undefined ? [] : [{ place: `${path}:${lineAt(node.start)}`, title }];
  });
}

/** Whether the node calls `it`, `test` or one of their forms, such as `it.each(rows)`, with a test function. */
function isTest(node: unknown): boolean {
  let callee = field(node, 'callee');
  while (field(callee, 'name') === undefined) {
    const next = field(callee, 'callee') ?? field(callee, 'object') ?? field(callee, 'tag');
    if (next === undefined) return false;
    callee = next;
  }
  const args = field(node, 'arguments');
  return ['it', 'test'].includes(String(field(callee, 'name'))) && Array.isArray(args) && args.length > 1;
}

const withoutSubject = (path: string, text: string): string[] =>
  titlesOf(path, text)
    .filter(({ title }) => PREDICATES.has(title.split(' ')[0] ?? ''))
    .map(({ place, title }) => `${place}: ${title}`);

describe('titles of tests', () => {
  const files = ['test', 'packages'].flatMap(filesBelow).filter((path) => !path.includes('node_modules'));

  it('every test title starts with its subject, so that a failing line in a log is understandable alone', () => {
    const tests = files.filter((path) => /\.test\.ts$|\/conformance\//.test(path));
    expect(tests.flatMap((path) => withoutSubject(path, readFileSync(path, 'utf8')))).toEqual([]);
  });

  it('withoutSubject() finds titles that start with a verb or a preposition, in every form of it()', () => {
    const text = [
      "it('keeps the order', () => {});",
      "it.each([1])('with %i', () => {});",
      "it.each`a`('is $a', () => {});",
      "it('a queue keeps the order', () => {});",
      "submit('keeps it', 1);",
    ].join('\n');
    expect(withoutSubject('a.test.ts', text)).toEqual([
      'a.test.ts:1: keeps the order',
      'a.test.ts:2: with %i',
      'a.test.ts:3: is $a',
    ]);
  });
});
