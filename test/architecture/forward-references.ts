// Finds functions that use a variable or a class which an enclosing function declares below them. Such a function fails
// with a ReferenceError when it is called too early.
import type { Node } from 'acorn';
import { field, isNode, parseSource } from '../support/syntax-tree.ts';

export interface ForwardReference {
  /** The name in the code, and `f > name` when the code names a function `f` that uses `name`. */
  name: string;
  /** Line of the use. */
  line: number;
  /** Line of the declaration. */
  declaredAt: number;
  /** Whether the declaration is at the top level of the module. */
  isTopLevel: boolean;
}

interface Binding {
  name: string;
  /** Position of the name in its declaration. The name cannot be used before, unless `isHoisted` is true. */
  position: number;
  /** Position of the end of the declared function, or of the name of anything else. */
  end: number;
  /** True for parameters and declared functions, which can be used in their whole scope. */
  isHoisted: boolean;
  isTopLevel: boolean;
  /** The names that a declared function uses. Who names the function uses them, too. */
  uses: Binding[];
}

class Scope {
  readonly #bindings = new Map<string, Binding>();
  readonly #parent: Scope | undefined;

  constructor(parent?: Scope) {
    this.#parent = parent;
  }

  /** Adds the names of `pattern`: an identifier, or the left side of a destructuring assignment. */
  declare(pattern: Node, { isHoisted, end = pattern.end }: { isHoisted: boolean; end?: number }): void {
    const isTopLevel = this.#parent === undefined;
    for (const { name, position } of namesIn(pattern))
      this.#bindings.set(name, { name, position, end, isHoisted, isTopLevel, uses: [] });
  }

  find(name: string): Binding | undefined {
    return this.#bindings.get(name) ?? this.#parent?.find(name);
  }
}

interface Use {
  position: number;
  binding: Binding;
}

const nodesIn = (node: Node, ...fields: string[]): Node[] =>
  fields.flatMap((name) => [field(node, name)].flat()).filter(isNode);

const nameOf = (node: unknown): string => String(field(node, 'name'));

function namesIn(pattern: Node): { name: string; position: number }[] {
  if (pattern.type === 'Identifier') return [{ name: nameOf(pattern), position: pattern.start }];
  // `value` is the name of a property; `left` is the name before a default value.
  return nodesIn(pattern, 'properties', 'elements', 'argument', 'value', 'left').flatMap(namesIn);
}

/** Adds the names that these statements declare, but not the names of blocks and functions in them. */
function declareAll(statements: readonly Node[], scope: Scope): void {
  for (const statement of statements) {
    const declaration = nodesIn(statement, 'declaration')[0] ?? statement;
    if (declaration.type === 'VariableDeclaration') {
      for (const { id } of nodesIn(declaration, 'declarations').map((each) => ({ id: field(each, 'id') })))
        if (isNode(id)) scope.declare(id, { isHoisted: false });
    }
    if (!/^(?:Function|Class)Declaration$/.test(declaration.type)) continue;
    const isHoisted = declaration.type === 'FunctionDeclaration';
    for (const id of nodesIn(declaration, 'id')) scope.declare(id, { isHoisted, end: declaration.end });
  }
}

/** The scope of the names that `node` declares for its parts; `outer` when it declares none. */
function scopeIn(node: Node, outer: Scope): Scope {
  const isExpression = /^(?:Function|Class)Expression$/.test(node.type);
  if (!isExpression && !/Function|Block|Switch|^For|^Catch|^Program/.test(node.type)) return outer;
  const scope = new Scope(node.type === 'Program' ? undefined : outer);
  for (const pattern of nodesIn(node, 'params', 'param', ...(isExpression ? ['id'] : [])))
    scope.declare(pattern, { isHoisted: true });
  // `init` and `left` are the variables of a loop.
  const cases = nodesIn(node, 'cases').flatMap((each) => nodesIn(each, 'consequent'));
  declareAll([...nodesIn(node, 'body', 'init', 'left'), ...cases], scope);
  return scope;
}

/** The parts of a node that can use names. The others are the names of members, labels and exports. */
function partsOf(node: Node): Node[] {
  if (/^(?:Import.*Declaration|Export(?:All|Specifier)|Break|Continue|MetaProperty)/.test(node.type)) return [];
  const isComputed = field(node, 'computed') === true;
  const ignored = node.type === 'LabeledStatement' ? 'label' : node.type === 'MemberExpression' ? 'property' : 'key';
  return Object.keys(node).flatMap((name) => (name === ignored && !isComputed ? [] : nodesIn(node, name)));
}

/** The uses of names in `node`. `functions` are the declared functions around it. */
function* usesIn(node: Node, outer: Scope, functions: readonly Binding[] = []): Generator<Use> {
  const binding = node.type === 'Identifier' ? outer.find(nameOf(node)) : undefined;
  if (binding) {
    for (const each of functions) each.uses.push(binding);
    yield { position: node.start, binding };
  }
  const declared = node.type === 'FunctionDeclaration' ? outer.find(nameOf(field(node, 'id'))) : undefined;
  const scope = scopeIn(node, outer);
  for (const part of partsOf(node)) yield* usesIn(part, scope, declared ? [...functions, declared] : functions);
}

/** `binding` and, when it is a function in a function, the names that it uses, except those that it declares. */
function closureOf(binding: Binding, found = new Set<Binding>()): Set<Binding> {
  if (found.has(binding)) return found;
  found.add(binding);
  if (binding.isTopLevel) return found;
  for (const each of binding.uses)
    if (each.position < binding.position || each.position > binding.end) closureOf(each, found);
  return found;
}

/** The uses of names above their declarations. */
export function forwardReferencesIn(path: string, text: string): ForwardReference[] {
  const { program, lineAt } = parseSource(path, text);
  return [...usesIn(program, new Scope())].flatMap(({ position, binding }) =>
    [...closureOf(binding)]
      // The name in the declaration of a function is not a use.
      .filter((each) => !each.isHoisted && each.position > position && position !== binding.position)
      .map((each) => ({
        name: each === binding ? each.name : `${binding.name} > ${each.name}`,
        line: lineAt(position),
        declaredAt: lineAt(each.position),
        isTopLevel: each.isTopLevel,
      })),
  );
}
