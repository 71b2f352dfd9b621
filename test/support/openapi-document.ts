// The contract openapi.yaml as data for tests, with its operations, a resolver of references and a validator.
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';

export interface Schema {
  $ref?: string;
  description?: string;
  type?: string | string[];
  format?: string;
  const?: unknown;
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  allOf?: Schema[];
  examples?: unknown[];
  enum?: string[];
  'x-dialects'?: string[];
}
export interface Body {
  $ref?: string;
  content?: Record<
    string,
    { schema?: Schema; example?: unknown; examples?: Record<string, { $ref?: string; value?: unknown }> }
  >;
}
export interface Parameter {
  $ref?: string;
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  example?: unknown;
  schema: Schema;
}
export interface Operation {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: string[];
  security?: unknown[];
  parameters?: Parameter[];
  requestBody?: Body;
  responses: Record<string, Body>;
  'x-origin'?: string;
  'x-scope'?: string;
  'x-route'?: { name: string; variant: string };
  'x-status'?: string;
}
interface Spec {
  info: { title: string; version: string };
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  tags: { name: string }[];
  components: {
    schemas: Record<string, Schema>;
    responses: Record<string, Body>;
    parameters: Record<string, Parameter>;
    headers: Record<string, Omit<Parameter, 'in'>>;
    [kind: string]: unknown;
  };
}

export const yamlText = readFileSync(new URL('../../openapi/openapi.yaml', import.meta.url), 'utf8');
export const spec: Spec = parse(yamlText);

/** Every operation with its method and path. */
export const operations = Object.entries(spec.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
);

/** Returns the target of the `$ref` of a value, or the value when it has no `$ref`. */
export function resolve<T extends { $ref?: string }>(value: T): T {
  if (!value.$ref) return value;
  const target = value.$ref
    .slice(2)
    .split('/')
    .reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined)?.[key], spec);
  if (!target) throw new Error(`unresolved ${value.$ref}`);
  return target as T;
}

/** JSON schema of a body. For a body with several dialects, the schema of the interface specification. */
export function jsonSchema(body: Body | undefined): Schema | undefined {
  const schema = body && resolve(body).content?.['application/json']?.schema;
  return schema?.['x-dialects'] ? schema.anyOf?.[0] : schema;
}

/** The example of a JSON body, as a viewer of the contract displays it. A list has the example of its element. */
export function exampleOf(schema: Schema | undefined): unknown {
  const one = schema?.items ? resolve(schema.items) : schema && resolve(schema);
  return one?.examples?.[0] ?? (one?.anyOf ? exampleOf(one.anyOf[0]) : undefined);
}

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(spec, 'contract');

/** The violations of a schema without references by `value`, as text. Undefined for a valid value. */
export function violationsOf(schema: Schema, value: unknown): string | undefined {
  return ajv.validate(schema, value) ? undefined : ajv.errorsText(ajv.errors);
}

/** The violations of `#/components/schemas/<name>` by `value`, as text. Undefined for a valid value. */
export function schemaViolations(name: string, value: unknown): string | undefined {
  const validate = ajv.getSchema(`contract#/components/schemas/${name}`);
  if (!validate) throw new Error(`no schema ${name}`);
  return validate(value) ? undefined : ajv.errorsText(validate.errors);
}
