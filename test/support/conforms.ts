// Checks every answer and every post of a test against the contract. The check is strict: a field that no schema names
// is a violation, so the schemas have to describe all fields.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect, onTestFinished } from 'vitest';
import { type Body, operations, resolve, type Schema, spec } from './openapi-document.ts';
import type { Receiver } from './receiver.ts';

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema({ components: { schemas: closeAll(spec.components.schemas) } }, 'strict');

/** The schema, in which every object without `additionalProperties` is closed. */
function withClosedObjects(schema: Schema): Schema {
  const own = withClosedParts(schema);
  const isOpen = 'additionalProperties' in own || own.$ref || !(own.properties || own.allOf || own.type === 'object');
  return isOpen ? own : Object.assign(own, { unevaluatedProperties: false });
}

/**
 * The schema with closed objects inside it. The object itself stays open: a part of an `allOf` does not know the fields
 * of the other parts, so only the whole can be closed. `isPart` replaces a reference by its target.
 */
function withClosedParts(schema: Schema, isPart = false): Schema {
  if (schema.$ref) return isPart ? withClosedParts(resolve(schema), true) : { $ref: `strict${schema.$ref}` };
  const copy: Record<string, unknown> = { ...schema };
  const { properties, additionalProperties, items, anyOf, oneOf, allOf } = copy as Inner;
  if (properties) copy.properties = closeAll(properties);
  if (isSchema(additionalProperties)) copy.additionalProperties = withClosedObjects(additionalProperties);
  if (items) copy.items = withClosedObjects(items);
  if (anyOf) copy.anyOf = anyOf.map(withClosedObjects);
  if (oneOf) copy.oneOf = oneOf.map(withClosedObjects);
  if (allOf) copy.allOf = allOf.map((part) => withClosedParts(part, true));
  delete copy.examples;
  return copy as Schema;
}

interface Inner extends Schema {
  additionalProperties?: Schema | boolean;
  oneOf?: Schema[];
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null;
}

function closeAll(schemas: Record<string, Schema>): Record<string, Schema> {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, withClosedObjects(schema)]));
}

const validators = new Map<Schema, ValidateFunction>();

function violations(schema: Schema, value: unknown, where: string): string | undefined {
  let validate = validators.get(schema);
  if (!validate) {
    validate = ajv.compile(withClosedObjects(schema));
    validators.set(schema, validate);
  }
  if (validate(value)) return undefined;
  const errors = validate.errors?.map(({ instancePath, message, params }) => {
    const property = params.unevaluatedProperty ?? params.additionalProperty;
    return `${instancePath || '/'} ${message}${property ? `: ${property}` : ''}`;
  });
  return `${where}: ${[...new Set(errors)].join('; ')} in ${JSON.stringify(value).slice(0, 2_000)}`;
}

const events = new Map<unknown, (typeof spec.webhooks)[string]>(Object.entries(spec.webhooks));

/** Fails the test at its end if a post violates the contract. */
export function expectPostsConform({ posts }: Pick<Receiver, 'posts'>): void {
  onTestFinished(() => expect(posts.flatMap(({ body }) => postViolations(body) ?? [])).toEqual([]));
}

/** The violations of the contract in the body of a webhook post, as text. Undefined for a valid body. */
export function postViolations(body: unknown): string | undefined {
  const event = isSchema(body) ? Reflect.get(body, 'event') : undefined;
  const operation = events.get(event);
  const schema = operation?.post.requestBody?.content?.['application/json']?.schema;
  return schema ? violations(schema, body, String(event)) : `an event that the contract does not have: ${event}`;
}

const routes = operations.map(({ method, path, operation }) => ({
  method: method.toUpperCase(),
  // `{instance}` is one segment.
  pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}/?$`, 'i'),
  operation,
}));

/** The violations of the contract in an answer with a JSON body, as text. Undefined for a valid answer. */
export function answerViolations(method: string, url: string, status: number, body: unknown): string | undefined {
  if (body === undefined) return undefined;
  const path = url.replace(/\?.*/s, '').replaceAll(/\/{2,}/g, '/');
  const route = routes.find((candidate) => candidate.method === method && candidate.pattern.test(path));
  const where = `${method} ${path} → ${status}`;
  const response = route?.operation.responses[status];
  // An error for an unknown path or method, or with a status that the operation does not document, has no schema there.
  if (!response) return status >= 400 ? violations(errorSchema, body, where) : `${where} is not in the contract`;
  const schema = resolve(response).content?.['application/json']?.schema;
  if (!schema) return `${where} has no JSON body in the contract`;
  return violations(schema, body, where) ?? wrongCode(response, body, where);
}

const exampleCodes = new Set(Object.keys(Object(spec.components.examples)));

/**
 * Checks the code of a 400. The names of the examples in the contract are the codes that the operation can have. A code
 * without an example in the contract is not checked.
 */
function wrongCode(response: Body, body: unknown, where: string): string | undefined {
  const { examples } = resolve(response).content?.['application/json'] ?? {};
  const code: unknown = isSchema(body) ? Reflect.get(body, 'code') : undefined;
  if (!where.endsWith(' 400') || !examples || typeof code !== 'string' || !exampleCodes.has(code)) return undefined;
  if (code in examples) return undefined;
  return `${where} with the code ${code} is not in the contract`;
}

const errorSchema: Schema = { $ref: '#/components/schemas/ErrorBody' };
