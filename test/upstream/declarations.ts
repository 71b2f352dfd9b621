// Reads the public API of a package from its TypeScript declarations (.d.ts), without running or compiling it. It
// understands what tsc and wasm-bindgen emit: statements that end with a semicolon or a block.
import { posix } from 'node:path';
import type { Surface } from './surface.ts';

/** Texts by path within the package, such as `lib/index.d.ts`. */
export type Files = ReadonlyMap<string, string>;

/** Maximum nesting of namespaces. */
const MAX_DEPTH = 20;
const BLOCK =
  /^(?:export )?(?:default )?(?:declare )?(?:abstract )?(interface|class|(?:const )?enum|namespace|module) ([\w$.]+)/;
const BINDING = /^(?:export )?(?:default )?(?:declare )?(?:abstract )?(function|const|let|var|type) ([\w$]+)/;
const MEMBER = /^(?:(?:public|static|readonly|abstract|get|set|override) )*([\w$]+|\[[^\]]*\]|"[^"]*"|'[^']*')/;
const PRIVATE = /^(?:private|protected) |^#/;

/** Removes comments and collapses white space, except in string literals. */
const clean = (text: string): string =>
  text.replaceAll(
    /("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)|\/\/[^\n]*|\/\*[\s\S]*?\*\//g,
    (_all, text?: string) => text ?? ' ',
  );

const normalize = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/**
 * Splits a text at a separator outside of brackets and string literals. With `endsWithBlock`, a part also ends at the
 * closing bracket of a block declaration, and before a new statement.
 */
function split(text: string, separator: ';' | ',', endsWithBlock = false): string[] {
  const parts: string[] = [];
  let [depth, start] = [0, 0];
  const end = (index: number, next = index) => {
    parts.push(text.slice(start, index).trim());
    start = next;
  };
  for (const { 0: token, index } of text.matchAll(
    /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|[{}()[\];,]|\n(?=\s*(?:export|declare|import)\s)/g,
  )) {
    if (token === '{' || token === '(' || token === '[') depth++;
    else if (token === '}' || token === ')' || token === ']') {
      depth--;
      if (depth === 0 && token === '}' && endsWithBlock && BLOCK.test(normalize(text.slice(start, index))))
        end(index + 1);
    } else if (depth === 0 && token === separator) end(index, index + 1);
    else if (depth === 0 && token.startsWith('\n') && endsWithBlock) end(index);
  }
  end(text.length);
  return parts.filter((part) => part !== '');
}

/** Returns the text between the first opening brace and the last closing brace. */
const bodyOf = (text: string): string => text.slice(text.indexOf('{') + 1, text.lastIndexOf('}'));

/** Adds a declaration. Joins overloads of one name. */
function add(surface: Map<string, string>, name: string, text: string): void {
  const existing = surface.get(name);
  surface.set(name, existing === undefined || existing === text ? text : `${existing}; ${text}`);
}

function addMembers(surface: Map<string, string>, parent: string, body: string, separator: ';' | ','): void {
  for (const part of split(body, separator)) {
    const text = normalize(part);
    const name = PRIVATE.test(text) ? undefined : MEMBER.exec(text)?.[1];
    if (name) add(surface, `${parent}.${name}`, text);
  }
}

/** Adds the names that a statement declares, and returns them. */
function addStatement(surface: Map<string, string>, statement: string, prefix: string, depth: number): string[] {
  const text = normalize(statement);
  const [, kind, blockName] = BLOCK.exec(text) ?? [];
  if (kind && blockName) {
    const name = `${prefix}${blockName}`;
    const header = normalize(text.slice(0, text.indexOf('{'))).replace(/^(?:export |default |declare )+/, '');
    add(surface, name, header);
    if (kind === 'namespace' || kind === 'module') addBlock(surface, bodyOf(statement), `${name}.`, depth + 1);
    // protobufjs declares each message twice: as the interface IMessage and as a class that implements it.
    else if (!header.includes(` implements I${blockName}`))
      addMembers(surface, name, bodyOf(statement), kind.endsWith('enum') ? ',' : ';');
    return [blockName];
  }
  const [, , name] = BINDING.exec(text) ?? [];
  if (!name) return [];
  const declaration = text.replace(/^(?:export |default |declare )+/, '');
  const bindings = bindingsOf(declaration);
  for (const [bindingName, binding] of bindings) add(surface, `${prefix}${bindingName}`, binding);
  if (bindings.length === 0) add(surface, `${prefix}${name}`, declaration);
  return bindings.length > 0 ? bindings.map(([bindingName]) => bindingName) : [name];
}

/** Returns the names and declarations of `const A = 1, B = 2`. Empty unless it declares constants or variables. */
function bindingsOf(declaration: string): [name: string, declaration: string][] {
  const [, keyword, list] = /^(const|let|var) (.*)$/s.exec(declaration) ?? [];
  const bindings: [string, string][] = [];
  for (const part of split(list ?? '', ',')) {
    const [name] = /^[\w$]+(?= ?[=:])/.exec(part) ?? [];
    const last = bindings.at(-1);
    if (name) bindings.push([name, `${keyword} ${part}`]);
    // A comma between type arguments.
    else if (last) last[1] += `, ${part}`;
  }
  return bindings;
}

function addBlock(surface: Map<string, string>, body: string, prefix: string, depth: number): void {
  if (depth > MAX_DEPTH) throw new Error(`namespaces are nested more than ${MAX_DEPTH} deep`);
  for (const statement of split(body, ';', true)) addStatement(surface, statement, prefix, depth);
}

/** Returns the pairs of local and exported names in `export { a, type b as c }`. */
const listedNames = (list: string): [local: string, exported: string][] =>
  split(list, ',').map((item) => {
    const [local = '', exported = local] = item.replace(/^type /, '').split(/\s+as\s+/);
    return [local, exported];
  });

/**
 * Returns all names that the module `entry` exports, types included, and follows its re-exports through `files`. Lists
 * members of interfaces, classes, enums and namespaces, too. Does not follow modules for which `isExcluded` is true.
 * Throws Error when `files` lacks a module.
 */
export function readExports(files: Files, entry: string, isExcluded: (path: string) => boolean = () => false): Surface {
  const exported = new Map<string, string>();
  const visited = new Set<string>();
  const queue = [entry];
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    if (visited.has(path)) continue;
    visited.add(path);
    const text = files.get(path);
    if (text === undefined) throw new Error(`the package has no ${path}`);
    const module = readModule(text);
    for (const [name, declaration] of module.exported) add(exported, name, declaration);
    for (const target of module.reexported.map((specifier) => resolve(files, path, specifier))) {
      if (!isExcluded(target)) queue.push(target);
    }
  }
  return exported;
}

/** Returns the names that a module exports itself, and the specifiers of its `export *`. */
function readModule(source: string): { exported: Surface; reexported: string[] } {
  const local = new Map<string, string>();
  const localNames = new Map<string, string>();
  const reexported: string[] = [];
  const otherModules = new Map<string, string>();
  for (const statement of split(clean(source), ';', true)) {
    const text = normalize(statement);
    const [, reexport] = /^export \* from ["']([^"']+)["']/.exec(text) ?? [];
    const [, list, origin] = /^export (?:type )?\{([^}]*)\}(?: from ["']([^"']+)["'])?$/.exec(text) ?? [];
    const [, defaultName] = /^export default ([\w$]+)$/.exec(text) ?? [];
    if (reexport) reexported.push(reexport);
    else if (list !== undefined && origin)
      for (const [, name] of listedNames(list)) otherModules.set(name, `from ${origin}`);
    else if (list !== undefined)
      for (const [name, exportedName] of listedNames(list)) localNames.set(exportedName, name);
    else if (defaultName) localNames.set('default', defaultName);
    else {
      const declaredNames = addStatement(local, statement, '', 0);
      if (!text.startsWith('export ')) continue;
      for (const name of declaredNames) localNames.set(text.startsWith('export default ') ? 'default' : name, name);
    }
  }
  const exported = new Map(otherModules);
  for (const [exportedName, name] of localNames) {
    // A name without a declaration here is imported.
    exported.set(exportedName, local.get(name) ?? name);
    for (const [member, text] of local)
      if (member.startsWith(`${name}.`)) exported.set(exportedName + member.slice(name.length), text);
  }
  return { exported, reexported };
}

function resolve(files: Files, from: string, specifier: string): string {
  const path = posix.join(posix.dirname(from), specifier).replace(/\.js$/, '');
  const found = [`${path}.d.ts`, `${path}/index.d.ts`].find((candidate) => files.has(candidate));
  if (!found) throw new Error(`${from} refers to ${specifier}, which the package does not contain`);
  return found;
}

/**
 * Returns the members of the object that the function `name` returns, which is declared in `source` as
 * `const name: (…) => { … }`. Throws Error when there is no such declaration.
 */
export function readReturnedMembers(source: string, name: string): Surface {
  const pattern = new RegExp(`^(?:export )?declare const ${name}: `);
  const statement = split(clean(source), ';', true).find((text) => pattern.test(normalize(text)));
  const [, body] = /\) => \{([\s\S]*)\}$/.exec(statement?.replace(/^[^(]*\([^()]*/, '') ?? '') ?? [];
  if (body === undefined) throw new Error(`there is no declaration of a function ${name} that returns an object type`);
  const members = new Map<string, string>();
  addMembers(members, '', body, ';');
  return new Map([...members].map(([member, text]) => [member.slice(1), text]));
}
