import { readdirSync, readFileSync } from 'node:fs';
import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { toCallerTypes } from '../../openapi/caller-types.ts';
import { firstDifference, generate } from '../../openapi/generate.ts';
import { jsonSchema, operations, resolve, yamlText } from './document.ts';

const folder = new URL('../../src/http/schemas/', import.meta.url);

/** The smallest contract with one schema, for what the generator refuses. */
const contract = (schema: string) => `
paths: {}
webhooks: {}
components: { schemas: { Thing: { x-area: common, description: A thing., ${schema} } } }`;

/** The generated route of an operation, with the path of this operation. */
async function routeOf({ path, operation }: (typeof operations)[number]) {
  const module = await import(`../../src/http/schemas/${operation.tags?.[0]}.ts`);
  const route = operation['x-route']?.name ?? operation.operationId;
  const found = module[`${route}Route`] ?? module[`${route.replace(/Post$/, '')}Route`];
  const variant = found.variants?.[operation['x-route']?.variant ?? ''] ?? found;
  const ids = [variant.operationId, found.postOperationId];
  expect(ids).toContain(operation.operationId);
  expect(variant.url).toBe(path.replaceAll(/\{(\w+)\}/g, ':$1'));
  return found;
}

describe('src/http/schemas', () => {
  it('is what openapi.yaml generates', () => {
    const present = new Map(readdirSync(folder).map((name) => [name, readFileSync(new URL(name, folder), 'utf8')]));
    const wanted = generate(yamlText);
    expect([...present.keys()].sort()).toEqual([...wanted.keys()].sort());
    for (const [name, text] of wanted) expect(firstDifference(name, present.get(name) ?? '', text)).toBeUndefined();
  });

  it('comes with types for callers, generated from the same', () => {
    const there = readFileSync(new URL('../../openapi/types.ts', import.meta.url), 'utf8');
    expect(firstDifference('openapi/types.ts', there, toCallerTypes(parse(yamlText)))).toBeUndefined();
  });

  it('serialises the example of every success answer without losing a field', async () => {
    for (const endpoint of operations) {
      const { operation } = endpoint;
      const [status, reply] = Object.entries(operation.responses)[0] ?? [];
      const schema = jsonSchema(reply);
      if (!schema) continue;
      const list = schema.items && resolve(schema.items);
      const example = list ? list.examples : resolve(schema.anyOf?.[0] ?? schema).examples?.[0];
      const route = await routeOf(endpoint);
      const app = Fastify();
      app.get('/', { schema: { response: route.response } }, (_request, answer) =>
        answer.code(Number(status)).send(example),
      );
      const answered = await app.inject({ method: 'GET', url: '/' });
      expect(answered.json(), operation.operationId).toEqual(example);
      await app.close();
    }
  });

  it('accepts the examples of every request body', async () => {
    for (const endpoint of operations) {
      const { operation } = endpoint;
      const schema = jsonSchema(operation.requestBody);
      if (!schema) continue;
      const { body } = await routeOf(endpoint);
      const app = Fastify();
      app.post('/', { schema: { body } }, () => 'accepted');
      for (const payload of resolve(schema).examples ?? []) {
        const answered = await app.inject({ method: 'POST', url: '/', payload: payload as object });
        expect(answered.body, operation.operationId).toBe('accepted');
      }
      await app.close();
    }
  });
});

describe('generate', () => {
  it('refuses a keyword that it would drop', () => {
    expect(() => generate(contract('type: string, minProperties: 1'))).toThrow('unsupported keyword "minProperties"');
  });

  it('refuses a type that it does not know', () => {
    expect(() => generate(contract("type: [object, 'null']"))).toThrow('unsupported type object');
  });

  it('refuses a required property that is not declared', () => {
    expect(() => generate(contract('type: object, required: [name]'))).toThrow('"name" is not declared');
  });

  it('refuses a reference to a schema that does not exist', () => {
    const ref = "type: array, items: { $ref: '#/components/schemas/Other' }";
    expect(() => generate(contract(ref))).toThrow('unknown schema Other');
  });

  it('refuses schemas that contain themselves', () => {
    const ref = "type: array, items: { $ref: '#/components/schemas/Thing' }";
    expect(() => generate(contract(ref))).toThrow('Thing → Thing');
  });

  it('makes one route of PUT and POST, and refuses a pair that differs', () => {
    const operation = (id: string, scope: string) =>
      `{ operationId: ${id}, summary: A., tags: [area], x-scope: ${scope}, responses: {} }`;
    const contractOf = (scope: string) => `
paths: { /a: { put: ${operation('change', 'send')}, post: ${operation('changePost', scope)} } }
webhooks: {}
components: { schemas: {} }`;
    const text = generate(contractOf('send')).get('area.ts');
    expect(text?.match(/export const \w+/g)).toEqual(['export const changeRoute']);
    expect(text).toContain("method: ['PUT', 'POST']");
    expect(() => generate(contractOf('read'))).toThrow('changePost shares the route of change and differs from it');
  });

  it('writes enumerations and nullable values without anyOf, which the serialiser would try out', () => {
    const nullable = "type: object, properties: { a: { type: [string, 'null'] }, b: { type: string, enum: [x, y] } }";
    const text = generate(contract(nullable)).get('common.ts');
    expect(text).toContain("export type Thing = { a?: string | null; b?: 'x' | 'y' };");
    expect(text).toContain("properties: { a: { type: ['string', 'null'] }, b: { type: 'string', enum: ['x', 'y'] } }");
  });

  it('writes lists of a union with parentheses, and properties in the order of the contract', () => {
    const mixed = `type: object, required: [b, a], properties: {
      a: { type: array, items: { type: string, enum: [x, y] } }, b: { type: object, additionalProperties: true } }`;
    const text = generate(contract(mixed)).get('common.ts');
    expect(text).toContain("export type Thing = { a: ('x' | 'y')[]; b: Record<string, unknown> };");
    expect(text).toContain("required: ['a', 'b']");
  });
});

describe('difference', () => {
  it('shows where a file first departs from the contract', () => {
    expect(firstDifference('a.ts', 'one\ntwo', 'one\nthree')).toBe('a.ts:2\n- two\n+ three');
    expect(firstDifference('a.ts', 'one', 'one')).toBeUndefined();
  });
});
