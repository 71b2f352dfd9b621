// Checks that no function uses a variable or a class that an enclosing function declares below it. The top level of a
// module is exempt: its functions run when the module has run, so constants may be below them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesBelow, root } from '../support/syntax-tree.ts';
import { forwardReferencesIn } from './forward-references.ts';

const FOLDERS = ['src', ...['import', 'manager', 'sandbox', 'whatsapp-crypto'].map((name) => `packages/${name}/src`)];

const namesIn = (text: string): string[] =>
  forwardReferencesIn('a.ts', text)
    .filter(({ isTopLevel }) => !isTopLevel)
    .map(({ name }) => name);

describe('forward references', () => {
  it('no function uses a name that an enclosing function declares below it', () => {
    const files = FOLDERS.flatMap(filesBelow);
    expect(files.length).toBeGreaterThan(500);
    const references = files.flatMap((path) =>
      forwardReferencesIn(path, readFileSync(join(root, path), 'utf8'))
        .filter(({ isTopLevel }) => !isTopLevel)
        .map(({ line, name, declaredAt }) => `${path}:${line}: ${name}, declared in line ${declaredAt}`),
    );
    expect(references).toEqual([]);
  });
});

describe('search for forward references', () => {
  it.each([
    ['a constant', 'function f() { const a = () => b; const b = 1; }', 'b'],
    ['a variable of a pattern', 'function f() { on(() => [b, c]); const { x: [b], ...c } = g(); }', 'b c'],
    ['a class', 'function f() { const a = () => new B(); class B {} }', 'B'],
    ['a getter', 'const f = () => { const a = { get b() { return b; } }; const b = 1; return a; };', 'b'],
    ['a variable of a block', 'function f() { if (x) { const a = () => b; let b = 1; } }', 'b'],
    ['a variable of a case', 'function f() { switch (x) { case 1: { g(() => b); } default: let b = 1; } }', 'b'],
    ['a method', 'class A { m(): void { this.on(() => b); const b = 1; } }', 'b'],
    ['a default value', 'function f() { const a = (x = b) => x; const b = 1; }', 'b'],
    ['a shorthand property', 'function f() { const a = () => ({ b }); const b = 1; }', 'b'],
    ['a function', 'function f() { on(() => end()); const t = 1; function end() { stop(t); } }', 'end > t'],
    [
      'a function that uses a function',
      'function f() { on(a); const t = 1; function a() { c(); } function c() { stop(t); } }',
      'a > t',
    ],
  ])('forwardReferencesIn() reports the use of %s above its declaration', (_, text, names) => {
    expect(namesIn(text)).toEqual(names.split(' > ').length > 1 ? [names] : names.split(' '));
  });

  it.each([
    ['a name above the function', 'function f() { const b = 1; return () => b; }'],
    ['a declared function below', 'function f() { on(() => end()); function end() { g(); } }'],
    ['a function that uses a name above the use', 'function f() { const t = 1; on(end); function end() { stop(t); } }'],
    ['a function with own variables', 'function f() { on(end); function end() { const t = 1; stop(t); } }'],
    [
      'a function that calls itself',
      'function f() { function a() { if (x) return a(); const t = 1; return () => t; } }',
    ],
    ['a parameter of the same name', 'function f() { const a = (b) => b; const b = 1; }'],
    ['a member of the same name', 'function f() { const a = () => x.b + { b: 1 }.y; const b = 1; }'],
    ['a name of another block', 'function f() { { const a = () => b; } { const b = 1; } }'],
    ['the name itself', 'function f() { const t = set(() => clear(t)); }'],
    ['a type of the same name', 'function f() { const a = (x: B) => x; class B {} }'],
  ])('forwardReferencesIn() does not report %s', (_, text) => {
    expect(namesIn(text)).toEqual([]);
  });

  it('forwardReferencesIn() marks names of the top level of a module, and reports the lines', () => {
    expect(forwardReferencesIn('a.ts', 'const f = () => LIMIT;\n\nexport const LIMIT = 1;')).toEqual([
      { name: 'LIMIT', line: 1, declaredAt: 3, isTopLevel: true },
    ]);
  });
});
