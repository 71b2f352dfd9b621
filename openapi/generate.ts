// Generates from openapi.yaml: src/http/schemas/*.ts, one file per area with its component schemas, their types and its
// routes; openapi/types.ts; and, together with code of src/, the pages in docs/reference, .env.example and a script of
// the manager page. With `--check`, the program writes nothing and fails if files differ. Decision D-039.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parse } from 'yaml';
import { toCallerTypes } from './typescript/caller-types.ts';
import {
  quote,
  toExpression,
  toList,
  toLiteral,
  toPropertyName,
  toSource,
  toType,
} from './typescript/schema-source.ts';
import type { Body, Operation, Parameter, Schema, Spec } from './typescript/spec.ts';

/** One operation of the contract with its path and method. */
interface Endpoint {
  path: string;
  method: string;
  operation: Operation;
}

/** The value, or the component that its `$ref` refers to. */
function resolve<T extends { $ref?: string }>(spec: Spec, value: T): T {
  if (!value.$ref) return value;
  const [, , kind = '', name = ''] = value.$ref.split('/');
  const target = spec.components[kind]?.[name];
  if (!target) throw new Error(`unresolved reference ${value.$ref}`);
  return target as T;
}

/** The schema of a JSON body. If the body has several dialects, the schema of the first one, which is v1. */
function bodySchema(spec: Spec, body: Body): Schema | undefined {
  const schema = resolve(spec, body).content?.['application/json']?.schema;
  return schema?.['x-dialects'] ? schema.anyOf?.[0] : schema;
}

/** Members of a route constant with parameters, where the contract has these, and how the names of components end. */
const PARAMETERS = [
  ['params', 'path', 'Params'],
  ['querystring', 'query', 'Query'],
  ['headers', 'header', 'Headers'],
] as const;

/**
 * The schema of parameters as one object. If the contract names them all, it is a component, which is added to `spec`:
 * routes with equal parameters then share one schema and its validator.
 */
function parametersSchema(spec: Spec, parameters: readonly Parameter[], suffix: string): Schema {
  const resolved = parameters.map((parameter) => resolve(spec, parameter));
  const properties = Object.fromEntries(resolved.map(({ name, schema }) => [name, schema]));
  const required = resolved.filter((parameter) => parameter.required).map(({ name }) => name);
  const schema: Schema = { type: 'object', properties, required };
  if (parameters.some(({ $ref }) => !$ref)) return schema;
  const name = parameters.map(({ $ref = '' }) => $ref.split('/')[3]).join('And') + suffix;
  const description = resolved.map((parameter) => parameter.description).join(' ');
  spec.components.schemas[name] ??= { ...schema, description, 'x-area': 'common' };
  return { $ref: `#/components/schemas/${name}` };
}

/** The members of a route constant that Fastify needs besides `operationId`, `summary`, `method` and `url`. */
function toRouteMembers(spec: Spec, operation: Operation, used: Set<string>): string[] {
  const { tags, requestBody, responses } = operation;
  const scope = operation['x-scope'];
  const members = [`tags: ${toLiteral(tags)}`, ...(scope ? [`scope: ${toLiteral(scope)}`] : [])];
  for (const [key, location, suffix] of PARAMETERS) {
    const parameters = (operation.parameters ?? []).filter((parameter) => resolve(spec, parameter).in === location);
    if (parameters.length === 0) continue;
    members.push(`${key}: ${toExpression(parametersSchema(spec, parameters, suffix), used)}`);
  }
  const body = requestBody && bodySchema(spec, requestBody);
  if (body) members.push(`body: ${toExpression(body, used)}`);
  const replies = Object.entries(responses).flatMap(([status, reply]) => {
    const schema = bodySchema(spec, reply);
    return schema ? [`${status}: ${toExpression(schema, used)}`] : [];
  });
  return [...members, `response: ${toList('{', replies, '}')}`];
}

const toUrl = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1');

/**
 * The route constants of one area. Operations with the same `x-route` name share a constant. A POST operation shares
 * the constant of the PUT operation of its path if it has the same id with "Post" appended. Throws when operations that
 * share a constant differ in their schemas.
 */
function toRoutes(spec: Spec, operations: readonly Endpoint[], used: Set<string>): string[] {
  const groups = Map.groupBy(operations, ({ path, method, operation }) => {
    const { operationId, 'x-route': route } = operation;
    const sharesPutRoute = method === 'post' && operationId.endsWith('Post') && spec.paths[path]?.put;
    return route?.name ?? (sharesPutRoute ? operationId.replace(/Post$/, '') : operationId);
  });
  return Array.from(groups, ([name, group]) => {
    const [first, ...others] = group;
    if (!first) return '';
    const members = toRouteMembers(spec, first.operation, used);
    for (const { operation } of others) {
      if (toRouteMembers(spec, operation, used).join() !== members.join()) {
        throw new Error(
          `${operation.operationId} shares the route of ${first.operation.operationId} and differs from it`,
        );
      }
    }
    return toRouteConstant(name, group, first, members);
  });
}

/** The text of one route constant. */
function toRouteConstant(name: string, group: readonly Endpoint[], first: Endpoint, members: string[]): string {
  const { path, method, operation } = first;
  const methods = group.map((one) => one.method.toUpperCase());
  const { operationId, summary } = operation;
  if (operation['x-route']) {
    const variants = group.map((one) => {
      const value = { operationId: one.operation.operationId, summary: one.operation.summary, url: toUrl(one.path) };
      const parts = Object.entries(value).map(([key, text]) => `${key}: ${toLiteral(text)}`);
      return `${toPropertyName(one.operation['x-route']?.variant ?? '')}: ${toList('{', parts, '}')}`;
    });
    const parts = [`method: ${toLiteral(method.toUpperCase())}`, ...members, `variants: ${toList('{', variants, '}')}`];
    const title = `/** ${method.toUpperCase()} ${group.map((one) => one.path).join(', ')}. */`;
    return `${title}\nexport const ${name}Route = ${toList('{', parts, '}')} as const;\n`;
  }
  const postOperationId = group[1]?.operation.operationId;
  const verbs = postOperationId ? `${toLiteral(methods)} as ('PUT' | 'POST')[]` : toLiteral(method.toUpperCase());
  const parts = [
    `operationId: ${toLiteral(operationId)}`,
    ...(postOperationId ? [`postOperationId: ${toLiteral(postOperationId)}`] : []),
    `summary: ${toLiteral(summary)}`,
    `method: ${verbs}`,
    `url: ${toLiteral(toUrl(path))}`,
    ...members,
  ];
  const title = `/** ${methods.join(' and ')} ${path}: ${summary}. */`;
  return `${title}\nexport const ${name}Route = ${toList('{', parts, '}')} as const;\n`;
}

/**
 * The text of one file: header, imports from common.ts, components (dependencies first), then the texts that `toTail`
 * returns. `toTail` adds the names of the components in its texts to `used`.
 */
function toFile(spec: Spec, area: string, toTail: (used: Set<string>) => string[]): string {
  const { schemas } = spec.components;
  const areaOf = (component: string) => schemas[component]?.['x-area'];
  const used = new Set<string>();
  const textByComponent = new Map<string, string>();
  /** Adds the text of a component after those of its dependencies. `users` are the components that lead to it. */
  const addComponent = (component: string, users: string[]): void => {
    const schema = schemas[component];
    if (!schema) throw new Error(`unknown schema ${component}`);
    if (textByComponent.has(component) || areaOf(component) !== area) return;
    if (users.includes(component)) throw new Error(`schemas refer to each other: ${[...users, component].join(' → ')}`);
    const dependencies = new Set<string>();
    const source = toSource(schema, dependencies);
    for (const dependency of dependencies) {
      addComponent(dependency, [...users, component]);
      used.add(dependency);
    }
    const comment = `/** ${String(schema.description).replaceAll(/\s+/g, ' ').trim()} */`;
    const type = `export type ${component} = ${toType(schema)};`;
    const schemaType = schema.enum ? 'EnumSchema' : schema.properties ? 'ObjectSchema' : 'Schema';
    const constant = `export const ${component}: ${schemaType}<${component}> = ${source};`;
    textByComponent.set(component, `${comment}\n${type}\n${constant}\n`);
  };
  for (const component of Object.keys(schemas)) addComponent(component, []);
  const tail = toTail(used);
  const imported = [...used].filter((component) => areaOf(component) !== area).sort();
  const misplaced = imported.find((component) => areaOf(component) !== 'common');
  if (misplaced) throw new Error(`${area} may use only its own and common schemas, not ${misplaced}`);
  const imports = imported.length > 0 ? `${toList('import {', imported, '}')} from './common.ts';\n` : '';
  const body = [...textByComponent.values(), ...tail].join('\n');
  const header = '// Generated from openapi/openapi.yaml by `npm run generate`: do not edit.\n';
  return `${header}${toSchemaImport(body)}${imports}\n${body}`;
}

/** The import of the names of src/lib/json-schema.ts that a text contains. */
function toSchemaImport(text: string): string {
  const types = ['EnumSchema', 'ObjectSchema', 'Schema'].filter((name) => text.includes(`: ${name}<`));
  const names = text.includes('schema<') ? [...types.map((name) => `type ${name}`), 'schema'] : types;
  if (names.length === 0) return '';
  return `import ${names === types ? 'type ' : ''}{ ${names.join(', ')} } from '../../lib/json-schema.ts';\n`;
}

/**
 * The texts of the generated files by name (such as `message.ts`) for the contract in `yaml`.
 * Throws an Error that names the place when the contract contains something that the generator does not support.
 */
export function generate(yaml: string): Map<string, string> {
  const spec: Spec = parse(yaml);
  const operations = Object.entries(spec.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation, area: operation.tags[0] })),
  );
  const files = new Map<string, string>();
  for (const area of new Set(operations.map((operation) => operation.area))) {
    const own = operations.filter((operation) => operation.area === area);
    files.set(
      `${area}.ts`,
      toFile(spec, area, (used) => toRoutes(spec, own, used)),
    );
  }
  const events = (used: Set<string>) => {
    const entries = Object.entries(spec.webhooks).map(
      ([event, { post }]) => `${quote(event)}: ${toExpression(bodySchema(spec, post.requestBody ?? {}) ?? {}, used)}`,
    );
    const title = '/** Schema of the whole posted body, by event name. */';
    return [`${title}\nexport const eventSchemas = ${toList('{', entries, '}')} as const;\n`];
  };
  files.set('events.ts', toFile(spec, 'events', events));
  // Last, because routes add components.
  files.set(
    'common.ts',
    toFile(spec, 'common', () => []),
  );
  for (const [name, schema] of Object.entries(spec.components.schemas)) {
    if (!files.has(`${schema['x-area']}.ts`)) throw new Error(`${name}: no such x-area "${schema['x-area']}"`);
  }
  return files;
}

/** A few lines of both texts from their first difference on; undefined when the texts are equal. */
export function firstDifference(name: string, actual: string, expected: string): string | undefined {
  if (actual === expected) return undefined;
  const [actualLines, expectedLines] = [actual.split('\n'), expected.split('\n')];
  const from = expectedLines.findIndex((line, index) => line !== actualLines[index]);
  const at = from === -1 ? expectedLines.length : from;
  const show = (sign: string, lines: string[]) => lines.slice(at, at + 5).map((line) => `${sign} ${line}`);
  return [`${name}:${at + 1}`, ...show('-', actualLines), ...show('+', expectedLines)].join('\n');
}

const ROOT = new URL('../', import.meta.url);
const SCHEMAS = 'src/http/schemas/';
const readText = (name: string) => (existsSync(new URL(name, ROOT)) ? readFileSync(new URL(name, ROOT), 'utf8') : '');

/** Whether the program writes the generated files, or compares the existing files with them. */
type Mode = 'write' | 'check';

/** Writes the files in the mode `write`. Returns the differences of the existing files from `files`. */
function writeOrCompare(files: ReadonlyMap<string, string>, mode: Mode): string[] {
  if (mode === 'write') for (const [name, text] of files) writeFileSync(new URL(name, ROOT), text);
  return [...files].flatMap(([name, text]) => firstDifference(name, readText(name), text) ?? []);
}

/**
 * Writes the files, or compares the existing files in the mode `check`. Sets the exit code if any file differs. The
 * reference pages follow only when the schemas are up to date, because the code that they are generated from imports
 * the schemas.
 */
async function main(mode: Mode): Promise<void> {
  const yaml = readText('openapi/openapi.yaml');
  const spec: Spec = parse(yaml);
  const schemas = new Map([...generate(yaml)].map(([name, text]) => [SCHEMAS + name, text]));
  mkdirSync(new URL(SCHEMAS, ROOT), { recursive: true });
  const differences = writeOrCompare(schemas.set('openapi/types.ts', toCallerTypes(spec)), mode);
  const extra = readdirSync(new URL(SCHEMAS, ROOT)).filter((name) => !schemas.has(SCHEMAS + name));
  differences.push(...extra.map((name) => `${SCHEMAS}${name} is not generated: delete it.`));
  if (differences.length === 0) {
    const { referencePages } = await import('./reference/pages.ts');
    differences.push(...writeOrCompare(referencePages(spec), mode));
  }
  if (differences.length === 0) return;
  console.error([...differences, 'Generated files are out of date. Run `npm run generate`.'].join('\n\n'));
  process.exitCode = 1;
}

if (import.meta.main) await main(process.argv.includes('--check') ? 'check' : 'write');
