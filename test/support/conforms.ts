// Holds every answer and every post that a test sees to the contract, strictly: a field that no schema names is a violation, so that
// the schemas tell all of it.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect, onTestFinished } from 'vitest';
import { type Body, operations, resolve, type Schema, spec } from '../contract/document.ts';
import type { Receiver } from './receiver.ts';

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema({ components: { schemas: mapped(spec.components.schemas) } }, 'strict');

/** The schema with every object closed that does not say that it is open. */
function closed(schema: Schema): Schema {
  const own = opened(schema);
  const isOpen = 'additionalProperties' in own || own.$ref || !(own.properties || own.allOf || own.type === 'object');
  return isOpen ? own : Object.assign(own, { unevaluatedProperties: false });
}

/** The same for a part of an `allOf`, which cannot know what the other parts name: the whole is closed, with all that it refers to here. */
function opened(schema: Schema, isPart = false): Schema {
  if (schema.$ref) return isPart ? opened(resolve(schema), true) : { $ref: `strict${schema.$ref}` };
  const copy: Record<string, unknown> = { ...schema };
  const { properties, additionalProperties, items, anyOf, oneOf, allOf } = copy as Inner;
  if (properties) copy.properties = mapped(properties);
  if (isSchema(additionalProperties)) copy.additionalProperties = closed(additionalProperties);
  if (items) copy.items = closed(items);
  if (anyOf) copy.anyOf = anyOf.map(closed);
  if (oneOf) copy.oneOf = oneOf.map(closed);
  if (allOf) copy.allOf = allOf.map((part) => opened(part, true));
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

function mapped(schemas: Record<string, Schema>): Record<string, Schema> {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, closed(schema)]));
}

const validators = new Map<Schema, ValidateFunction>();

function violations(schema: Schema, value: unknown, where: string): string | undefined {
  let validate = validators.get(schema);
  if (!validate) {
    validate = ajv.compile(closed(schema));
    validators.set(schema, validate);
  }
  if (validate(value)) return undefined;
  const errors = validate.errors?.map(({ instancePath, message, params }) => {
    const named = params.unevaluatedProperty ?? params.additionalProperty;
    return `${instancePath || '/'} ${message}${named ? `: ${named}` : ''}`;
  });
  return `${where}: ${[...new Set(errors)].join('; ')} in ${JSON.stringify(value).slice(0, 2_000)}`;
}

const events = new Map<unknown, (typeof spec.webhooks)[string]>(Object.entries(spec.webhooks));

/** Fails the test at its end for every post that is not what the contract says. */
export function holdToContract({ posts }: Pick<Receiver, 'posts'>): void {
  onTestFinished(() => expect(posts.flatMap(({ body }) => wrongPost(body) ?? [])).toEqual([]));
}

/** What is wrong with a body that arrived at a webhook; undefined when it is what the contract says of its event. */
export function wrongPost(body: unknown): string | undefined {
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

/** What is wrong with an answer with a JSON body; undefined when it is what the contract says of the operation and status. */
export function wrongAnswer(method: string, url: string, status: number, body: unknown): string | undefined {
  if (body === undefined) return undefined;
  const path = url.replace(/\?.*/s, '').replaceAll(/\/{2,}/g, '/');
  const route = routes.find((each) => each.method === method && each.pattern.test(path));
  const where = `${method} ${path} → ${status}`;
  const response = route?.operation.responses[status];
  // Paths, verbs and failures that no operation has, and the contract itself, have no schema of their own.
  if (!response) return status >= 400 ? violations(errorSchema, body, where) : `${where} is not in the contract`;
  const schema = resolve(response).content?.['application/json']?.schema;
  if (!schema) return `${where} has no JSON body in the contract`;
  return violations(schema, body, where) ?? wrongCode(response, body, where);
}

const listed = new Set(Object.keys(Object(spec.components.examples)));

/** Of a 400 the contract lists the codes of each operation, as the names of the examples; codes with another status of their own it does not. */
function wrongCode(response: Body, body: unknown, where: string): string | undefined {
  const { examples } = resolve(response).content?.['application/json'] ?? {};
  const code: unknown = isSchema(body) ? Reflect.get(body, 'code') : undefined;
  if (!where.endsWith(' 400') || !examples || typeof code !== 'string' || !listed.has(code)) return undefined;
  if (code in examples) return undefined;
  return `${where} with the code ${code} is not in the contract`;
}

const errorSchema: Schema = { $ref: '#/components/schemas/ErrorBody' };
