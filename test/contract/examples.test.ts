// Checks of the examples in openapi.yaml.
import { describe, expect, it } from 'vitest';
import { ERROR_CODES, type ErrorCode, GatewayError } from '../../src/errors.ts';
import {
  type Body,
  exampleOf,
  jsonSchema,
  operations,
  resolve,
  schemaViolations,
  spec,
} from '../support/openapi-document.ts';

function errorsOf(body: Body): unknown[] {
  const { example, examples = {} } = resolve(body).content?.['application/json'] ?? {};
  return [...(example ? [example] : []), ...Object.values(examples).map((one) => resolve(one).value)];
}

/** Error responses of all operations except /readyz, whose body has a form of its own. */
const errorResponses = operations.flatMap(({ method, path, operation }) =>
  Object.entries(operation.responses)
    .filter(([status]) => Number(status) >= 400 && path !== '/readyz')
    .map(([status, body]) => ({ name: `${method} ${path} ${status}`, status: Number(status), body })),
);

describe('examples of the contract', () => {
  it.each(operations)('$method $path has examples for its body and its answers, and documents an error', ({
    operation,
  }) => {
    if (jsonSchema(operation.requestBody)) expect(exampleOf(jsonSchema(operation.requestBody))).toBeDefined();
    for (const [status, body] of Object.entries(operation.responses)) {
      if (Number(status) < 300 && jsonSchema(body)) expect(exampleOf(jsonSchema(body)), status).toBeDefined();
    }
    expect(Object.keys(operation.responses).some((status) => Number(status) >= 400)).toBe(true);
  });

  it('the contract has an example for each required parameter and for no optional one', () => {
    const parameters = operations.flatMap(({ operation }) => (operation.parameters ?? []).map((one) => resolve(one)));
    // The interface specification makes inviteCode optional, but a request without it gets a 400.
    for (const { name, required, example } of parameters.filter((one) => one.name !== 'inviteCode'))
      expect(example !== undefined, name).toBe(required ?? false);
  });

  it('the error examples cover every code of the catalog, with its status and title', () => {
    for (const { name, status, body } of errorResponses) {
      expect(errorsOf(body).length, name).toBeGreaterThan(0);
      for (const value of errorsOf(body)) expect(value, name).toMatchObject({ status });
    }
    const errorExamples = Object.values(spec.components.responses).flatMap(errorsOf);
    for (const value of errorExamples) {
      expect(schemaViolations('ErrorBody', value)).toBeUndefined();
      const { code, status, error } = value as { code: ErrorCode; status: number; error: string };
      const thrown = new GatewayError(code, 'any');
      expect({ code, status, error }).toEqual({ code, status: thrown.status, error: thrown.title });
    }
    expect(new Set(errorExamples.map((value) => (value as { code: ErrorCode }).code))).toEqual(new Set(ERROR_CODES));
  });

  it.each(Object.entries(spec.webhooks))('the example of the webhook %s is a complete, valid post', (event, {
    post,
  }) => {
    const schema = jsonSchema(post.requestBody);
    const name = schema?.$ref?.split('/').at(-1) ?? '';
    expect(schemaViolations(name, exampleOf(schema))).toBeUndefined();
    expect(exampleOf(schema)).toMatchObject({ event, instance: expect.any(String) });
  });
});
