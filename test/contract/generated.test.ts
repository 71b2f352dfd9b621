// Checks of the files that are generated from openapi.yaml, and of their generator.
import { readdirSync, readFileSync } from 'node:fs';
import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { firstDifference, generate } from '../../openapi/generate.ts';
import { toCallerTypes } from '../../openapi/typescript/caller-types.ts';
import { jsonSchema, operations, resolve, yamlText } from '../support/openapi-document.ts';

const folder = new URL('../../src/http/schemas/', import.meta.url);

/** The smallest contract with one schema. */
const contractWith = (schema: string) => `
paths: {}
webhooks: {}
components: { schemas: { Thing: { x-area: common, description: A thing., ${schema} } } }`;

/** The generated route of an operation. Checks that the route has the id and the path of the operation. */
async function routeOf({ path, operation }: (typeof operations)[number]) {
  const module = await import(`../../src/http/schemas/${operation.tags?.[0]}.ts`);
  const route = operation['x-route']?.name ?? operation.operationId;
  const routeModule = module[`${route}Route`] ?? module[`${route.replace(/Post$/, '')}Route`];
  const variant = routeModule.variants?.[operation['x-route']?.variant ?? ''] ?? routeModule;
  const ids = [variant.operationId, routeModule.postOperationId];
  expect(ids).toContain(operation.operationId);
  expect(variant.url).toBe(path.replaceAll(/\{(\w+)\}/g, ':$1'));
  return routeModule;
}

describe('src/http/schemas', () => {
  it('src/http/schemas has exactly the files and texts that openapi.yaml generates', () => {
    const committed = new Map(readdirSync(folder).map((name) => [name, readFileSync(new URL(name, folder), 'utf8')]));
    const generated = generate(yamlText);
    expect([...committed.keys()].sort()).toEqual([...generated.keys()].sort());
    for (const [name, text] of generated)
      expect(firstDifference(name, committed.get(name) ?? '', text)).toBeUndefined();
  });

  it('openapi/types.ts has exactly the types that openapi.yaml generates for callers', () => {
    const committedTypes = readFileSync(new URL('../../openapi/types.ts', import.meta.url), 'utf8');
    expect(firstDifference('openapi/types.ts', committedTypes, toCallerTypes(parse(yamlText)))).toBeUndefined();
  });

  it('the generated response schemas serialize the example of every success response without losing a field', async () => {
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
      const response = await app.inject({ method: 'GET', url: '/' });
      expect(response.json(), operation.operationId).toEqual(example);
      await app.close();
    }
  });

  it('the generated body schemas accept the examples of every request body', async () => {
    for (const endpoint of operations) {
      const { operation } = endpoint;
      const schema = jsonSchema(operation.requestBody);
      if (!schema) continue;
      const { body } = await routeOf(endpoint);
      const app = Fastify();
      app.post('/', { schema: { body } }, () => 'accepted');
      for (const payload of resolve(schema).examples ?? []) {
        const response = await app.inject({ method: 'POST', url: '/', payload: payload as object });
        expect(response.body, operation.operationId).toBe('accepted');
      }
      await app.close();
    }
  });
});

describe('generate', () => {
  it('generate() rejects a keyword that it does not support', () => {
    expect(() => generate(contractWith('type: string, minProperties: 1'))).toThrow(
      'unsupported keyword "minProperties"',
    );
  });

  it('generate() rejects a type that it does not support', () => {
    expect(() => generate(contractWith("type: [object, 'null']"))).toThrow('unsupported type object');
  });

  it('generate() rejects a required property that is not declared', () => {
    expect(() => generate(contractWith('type: object, required: [name]'))).toThrow('"name" is not declared');
  });

  it('generate() rejects a reference to a schema that does not exist', () => {
    const ref = "type: array, items: { $ref: '#/components/schemas/Other' }";
    expect(() => generate(contractWith(ref))).toThrow('unknown schema Other');
  });

  it('generate() rejects a schema that contains itself', () => {
    const ref = "type: array, items: { $ref: '#/components/schemas/Thing' }";
    expect(() => generate(contractWith(ref))).toThrow('Thing → Thing');
  });

  it('generate() makes one route of the PUT and the POST of a path, and rejects a pair that differs', () => {
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

  it('generate() writes enumerations and nullable values without anyOf, whose branches the serializer would try', () => {
    const nullable = "type: object, properties: { a: { type: [string, 'null'] }, b: { type: string, enum: [x, y] } }";
    const text = generate(contractWith(nullable)).get('common.ts');
    expect(text).toContain("export type Thing = { a?: string | null; b?: 'x' | 'y' };");
    expect(text).toContain("properties: { a: { type: ['string', 'null'] }, b: { type: 'string', enum: ['x', 'y'] } }");
  });

  it('generate() writes lists of a union with parentheses, and properties in the order of the contract', () => {
    const mixed = `type: object, required: [b, a], properties: {
      a: { type: array, items: { type: string, enum: [x, y] } }, b: { type: object, additionalProperties: true } }`;
    const text = generate(contractWith(mixed)).get('common.ts');
    expect(text).toContain("export type Thing = { a: ('x' | 'y')[]; b: Record<string, unknown> };");
    expect(text).toContain("required: ['a', 'b']");
  });
});

describe('firstDifference', () => {
  it('firstDifference() returns the first lines that differ, and undefined for equal texts', () => {
    expect(firstDifference('a.ts', 'one\ntwo', 'one\nthree')).toBe('a.ts:2\n- two\n+ three');
    expect(firstDifference('a.ts', 'one', 'one')).toBeUndefined();
  });
});
