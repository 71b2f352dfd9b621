// Syntax trees of source files, for tests that read the code.
import { readdirSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { type Node, parse } from 'acorn';

export const root = new URL('../../', import.meta.url).pathname;

/** Paths of TypeScript and JavaScript files below `folder`, relative to the repository. */
export function filesBelow(folder: string): string[] {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return names.filter((name) => /\.[cm]?[jt]s$/.test(name)).map((name) => join(folder, name));
}

/** The syntax tree of a file. Spaces replace types, so that lines do not change. */
export function parseSource(path: string, text: string): { program: Node; lineAt: (position: number) => number } {
  const code = path.endsWith('.ts') ? stripTypeScriptTypes(text) : text;
  const program = parse(code, { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true });
  return { program, lineAt: (position) => code.slice(0, position).split('\n').length };
}

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

/** `node` and all nodes below it. */
export function* nodesOf(node: Node): Generator<Node> {
  yield node;
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) yield* nodesOf(child);
}

export const field = (node: unknown, name: string): unknown => (isNode(node) ? Reflect.get(node, name) : undefined);

/** The name of the called function: `RegExp` of `new RegExp(…)`, `match` of `text.match(…)`. */
export function calledBy(node: Node): string | undefined {
  if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return undefined;
  const callee = field(node, 'callee');
  const name = field(callee, 'name') ?? field(field(callee, 'property'), 'name');
  return typeof name === 'string' ? name : undefined;
}

/** The arguments of a call. */
export function argumentsOf(node: Node): Node[] {
  const args = field(node, 'arguments');
  return Array.isArray(args) ? args.filter(isNode) : [];
}

/** The text of a string literal or a template, where `…` replaces each expression. Undefined for other expressions. */
export function textOf(node: Node): string | undefined {
  const value = field(node, 'value');
  if (node.type === 'Literal') return typeof value === 'string' ? value : undefined;
  const quasis = field(node, 'quasis');
  if (node.type !== 'TemplateLiteral' || !Array.isArray(quasis)) return undefined;
  return quasis.map((quasi) => String(Reflect.get(Object(field(quasi, 'value')), 'cooked'))).join('…');
}

/** The strings that can be the value of an expression: all elements of an array, both results of a condition. */
export function textsOf(node: Node): string[] {
  const text = textOf(node);
  if (text !== undefined) return [text];
  const parts = ['elements', 'consequent', 'alternate', 'left', 'right'].flatMap((name) => field(node, name));
  if (!/^(?:Array|Conditional|Logical)Expression$/.test(node.type)) return [];
  return parts.filter(isNode).flatMap(textsOf);
}
