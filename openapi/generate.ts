// openapi.yaml → src/schemas/*.ts (TypeBox): one file per area, each with its component schemas and its routes.
// Owns the translation; refuses schema keywords it does not know, so nothing in the contract is dropped silently.
// `--check` writes nothing and fails when the files differ from the contract.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parse } from 'yaml';

interface Schema {
  [keyword: string]: unknown;
  $ref?: string;
  type?: string | string[];
  enum?: string[];
  const?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  anyOf?: Schema[];
  allOf?: Schema[];
  'x-area'?: string;
  'x-dialects'?: string[];
}
interface Content {
  $ref?: string;
  required?: boolean;
  content?: Record<string, { schema?: Schema }>;
}
interface Parameter {
  $ref?: string;
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  schema: Schema;
}
interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
  parameters?: Parameter[];
  requestBody?: Content;
  responses: Record<string, Content>;
}
interface Spec {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: { [kind: string]: Record<string, unknown> } & { schemas: Record<string, Schema> };
}

const constraints = 'minLength maxLength pattern format minimum maximum minItems maxItems maxProperties default'.split(
  ' ',
);
const known = new Set([
  ...constraints,
  ...'$ref type enum const properties required additionalProperties items anyOf allOf description examples'.split(' '),
]);
const scalars: Record<string, string> = {
  string: 'String',
  integer: 'Integer',
  number: 'Number',
  boolean: 'Boolean',
  null: 'Null',
};

const quote = (text: string) =>
  text.includes("'") && !text.includes('"') ? `"${text}"` : `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
const property = (name: string) => (/^[A-Za-z_$][\w$]*$|^[1-9]\d*$/.test(name) ? name : quote(name));
const literal = (value: unknown): string => {
  if (typeof value === 'string') return quote(value);
  if (Array.isArray(value)) return wrap('[', value.map(literal), ']');
  return JSON.stringify(value);
};

/** Items between brackets, on one line when they fit and one per line when they do not. */
function wrap(open: string, items: string[], close: string): string {
  if (items.length === 0) return open + close;
  const space = open.endsWith('{') ? ' ' : '';
  const flat = `${open}${space}${items.join(', ')}${space}${close}`;
  if (flat.length <= 90 && !flat.includes('\n')) return flat;
  return `${open}\n${items.map((item) => `  ${item.replaceAll('\n', '\n  ')},\n`).join('')}${close}`;
}

const call = (name: string, ...args: (string | undefined)[]) =>
  `${name}(${args.filter((arg) => arg !== undefined).join(', ')})`;

/** The keywords that limit a value, as an object literal; undefined when there are none. */
function options(schema: Schema, extra: string[] = []): string | undefined {
  const items = [...extra];
  for (const key of constraints) if (schema[key] !== undefined) items.push(`${key}: ${literal(schema[key])}`);
  return items.length > 0 ? wrap('{', items, '}') : undefined;
}

/** Component schema name of a `#/components/schemas/X` reference. */
const componentName = (ref: string): string => {
  const match = /^#\/components\/schemas\/(\w+)$/.exec(ref);
  if (!match?.[1]) throw new Error(`unsupported reference ${ref}`);
  return match[1];
};

/** TypeBox expression for one schema. Names of referenced components are added to `used`. */
function expression(schema: Schema, used: Set<string>): string {
  for (const key of Object.keys(schema)) {
    if (!key.startsWith('x-') && !known.has(key)) {
      throw new Error(`unsupported keyword "${key}" in ${JSON.stringify(schema).slice(0, 200)}`);
    }
  }
  const nested = (inner: Schema) => expression(inner, used);
  if (schema.$ref) {
    const name = componentName(schema.$ref);
    used.add(name);
    return name;
  }
  if (schema.anyOf) return `Type.Union(${wrap('[', schema.anyOf.map(nested), ']')})`;
  if (schema.allOf) return `Type.Intersect(${wrap('[', schema.allOf.map(nested), ']')})`;
  if (schema.const !== undefined) return call('Type.Literal', literal(schema.const));
  // Enumerations and nullable scalars stay one JSON Schema keyword: a union of literals would be an anyOf, which the
  // serialiser validates on every reply and whose errors do not list the allowed values.
  if (schema.enum) {
    const types = schema.enum.map(quote).join(' | ');
    return call(`Type.Unsafe<${types}>`, options(schema, ["type: 'string'", `enum: ${literal(schema.enum)}`]));
  }
  if (Array.isArray(schema.type)) {
    const [scalar, nothing] = schema.type;
    if (schema.type.length !== 2 || nothing !== 'null' || !scalar || !(scalar in scalars)) {
      throw new Error(`unsupported type ${JSON.stringify(schema.type)}: only [scalar, 'null']`);
    }
    const type = scalar === 'integer' ? 'number' : scalar;
    return call(`Type.Unsafe<${type} | null>`, options(schema, [`type: ${literal(schema.type)}`]));
  }
  if (schema.type === 'array') return call('Type.Array', nested(schema.items ?? {}), options(schema));
  if (schema.type === 'object') return object(schema, used);
  if (schema.type === undefined) return 'Type.Unknown()';
  const scalar = scalars[schema.type];
  if (!scalar) throw new Error(`unsupported type ${schema.type}`);
  return call(`Type.${scalar}`, options(schema));
}

function object(schema: Schema, used: Set<string>): string {
  const { properties, additionalProperties: open } = schema;
  if (!properties && open) {
    return call(
      'Type.Record',
      'Type.String()',
      open === true ? 'Type.Unknown()' : expression(open, used),
      options(schema),
    );
  }
  for (const name of schema.required ?? []) {
    if (!properties?.[name]) throw new Error(`required property "${name}" is not declared`);
  }
  const members = Object.entries(properties ?? {}).map(([name, inner]) => {
    const value = expression(inner, used);
    return `${property(name)}: ${schema.required?.includes(name) ? value : call('Type.Optional', value)}`;
  });
  return call(
    'Type.Object',
    wrap('{', members, '}'),
    options(schema, open === true ? ['additionalProperties: true'] : []),
  );
}

/** The schema of a JSON body: of several dialects the first, which is the interface's own. */
function bodySchema(content: Content | undefined): Schema | undefined {
  const schema = content?.content?.['application/json']?.schema;
  return schema?.['x-dialects'] ? schema.anyOf?.[0] : schema;
}

/** Follows `$ref` to components/parameters, requestBodies or responses. */
function resolve<T extends { $ref?: string }>(spec: Spec, value: T): T {
  if (!value.$ref) return value;
  const [, , kind, name] = value.$ref.split('/');
  const target = spec.components[kind ?? '']?.[name ?? ''];
  if (!target) throw new Error(`unresolved reference ${value.$ref}`);
  return target as T;
}

/** One `xRoute` constant: what Fastify needs as `schema`, plus method and url. */
function route(spec: Spec, path: string, method: string, operation: Operation, used: Set<string>): string {
  const parts = [
    `operationId: ${quote(operation.operationId)}`,
    `summary: ${quote(operation.summary)}`,
    `tags: ${literal(operation.tags)}`,
    `method: ${quote(method.toUpperCase())}`,
    `url: ${quote(path.replaceAll(/\{(\w+)\}/g, ':$1'))}`,
  ];
  const parameters = (operation.parameters ?? []).map((parameter) => resolve(spec, parameter));
  for (const [key, place] of [
    ['params', 'path'],
    ['querystring', 'query'],
    ['headers', 'header'],
  ]) {
    const members = parameters.filter((parameter) => parameter.in === place);
    if (members.length === 0) continue;
    const properties = Object.fromEntries(members.map(({ name, schema }) => [name, schema]));
    const required = members.filter((parameter) => parameter.required).map(({ name }) => name);
    parts.push(`${key}: ${expression({ type: 'object', properties, required }, used)}`);
  }
  const body = operation.requestBody && bodySchema(resolve(spec, operation.requestBody));
  if (body) parts.push(`body: ${expression(body, used)}`);
  const replies: string[] = [];
  for (const [status, reply] of Object.entries(operation.responses)) {
    const schema = bodySchema(resolve(spec, reply));
    if (schema) replies.push(`${status}: ${expression(schema, used)}`);
  }
  parts.push(`response: ${wrap('{', replies, '}')}`);
  return `/** ${method.toUpperCase()} ${path}: ${operation.summary}. */\nexport const ${operation.operationId}Route = ${wrap('{', parts, '}')} as const;\n`;
}

const header = `// Generated from openapi/openapi.yaml by \`npm run generate\`: do not edit.\nimport { type Static, Type } from '@sinclair/typebox';\n`;

/** One file: header, imports from common.ts, components (dependencies first), then routes or webhooks. */
function area(spec: Spec, name: string, tail: (used: Set<string>) => string[]): string {
  const { schemas } = spec.components;
  const used = new Set<string>();
  const done = new Map<string, string>();
  const emit = (component: string, trail: string[]): void => {
    const schema = schemas[component];
    if (!schema) throw new Error(`unknown schema ${component}`);
    if (done.has(component) || schema['x-area'] !== name) return;
    if (trail.includes(component)) throw new Error(`schemas refer to each other: ${[...trail, component].join(' → ')}`);
    const needs = new Set<string>();
    const text = expression(schema, needs);
    for (const need of needs) {
      emit(need, [...trail, component]);
      used.add(need);
    }
    const comment = String(schema.description ?? component)
      .replaceAll(/\s+/g, ' ')
      .trim();
    done.set(
      component,
      `/** ${comment} */\nexport const ${component} = ${text};\nexport type ${component} = Static<typeof ${component}>;\n`,
    );
  };
  for (const component of Object.keys(schemas)) emit(component, []);
  const rest = tail(used);
  const foreign = [...used].filter((component) => schemas[component]?.['x-area'] !== name).sort();
  for (const component of foreign) {
    if (schemas[component]?.['x-area'] !== 'common')
      throw new Error(`${name} may use only common schemas, not ${component}`);
  }
  const imports = foreign.length > 0 ? `${wrap('import {', foreign, '}')} from './common.ts';\n` : '';
  return [header + imports, ...done.values(), ...rest].join('\n');
}

/**
 * The generated files by name (`message.ts` → text) for the contract in `yaml`.
 * Throws Error naming the schema when the contract uses something the generator does not understand.
 */
export function generate(yaml: string): Map<string, string> {
  const spec = parse(yaml) as Spec;
  const operations = Object.entries(spec.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );
  const files = new Map([['common.ts', area(spec, 'common', () => [])]]);
  for (const tag of new Set(operations.map(({ operation }) => operation.tags[0] ?? 'untagged'))) {
    const routes = (used: Set<string>) =>
      operations
        .filter(({ operation }) => operation.tags[0] === tag)
        .map(({ path, method, operation }) => route(spec, path, method, operation, used));
    files.set(`${tag}.ts`, area(spec, tag, routes));
  }
  const webhooks = (used: Set<string>) => {
    const entries = Object.entries(spec.webhooks).map(([event, { post }]) => {
      return `${quote(event)}: ${expression(bodySchema(post.requestBody) ?? {}, used)}`;
    });
    return [
      `/** Schema of the whole posted body, by event name. */\nexport const eventSchemas = ${wrap('{', entries, '}')} as const;\n`,
    ];
  };
  files.set('events.ts', area(spec, 'events', webhooks));
  const unplaced = Object.entries(spec.components.schemas).filter(([, schema]) => !files.has(`${schema['x-area']}.ts`));
  if (unplaced.length > 0) throw new Error(`no such x-area: ${unplaced.map(([name]) => name).join(', ')}`);
  return files;
}

/** Head of the difference between what is there and what the contract says; undefined when equal. */
export function difference(file: string, actual: string, expected: string): string | undefined {
  if (actual === expected) return undefined;
  const [there, wanted] = [actual.split('\n'), expected.split('\n')];
  const at = wanted.findIndex((line, index) => line !== there[index]);
  const from = at === -1 ? wanted.length : at;
  const show = (sign: string, lines: string[]) => lines.slice(from, from + 5).map((line) => `${sign} ${line}`);
  return [`${file}:${from + 1}`, ...show('-', there), ...show('+', wanted)].join('\n');
}

function main(check: boolean): void {
  const folder = new URL('../src/schemas/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  const files = generate(readFileSync(new URL('openapi.yaml', import.meta.url), 'utf8'));
  const present = new Map(readdirSync(folder).map((name) => [name, readFileSync(new URL(name, folder), 'utf8')]));
  const names = [...new Set([...files.keys(), ...present.keys()])].sort();
  const differences = names
    .map((name) => difference(`src/schemas/${name}`, present.get(name) ?? '', files.get(name) ?? ''))
    .filter((text) => text !== undefined);
  if (!check) for (const [name, text] of files) writeFileSync(new URL(name, folder), text);
  if (check && differences.length > 0) {
    console.error(
      `${differences.join('\n\n')}\n\nsrc/schemas differs from openapi/openapi.yaml. Run: npm run generate`,
    );
    process.exitCode = 1;
  }
}

if (import.meta.main) main(process.argv.includes('--check'));
