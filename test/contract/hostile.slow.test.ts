// Sends hostile values in every string that an operation accepts. The answer must be a client error in the error
// envelope, without a 500 and without a hang. The instance behind the app is open and its socket accepts every call, so
// that only the gateway can reject a request.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Session } from '../../src/whatsapp/session.ts';
import { fakeInstance, type Http, openHttp } from '../support/http-fixture.ts';
import { operations, type Parameter, resolve, type Schema, schemaViolations } from '../support/openapi-document.ts';
import { fakeSession } from '../support/session-fakes.ts';

type Json = string | number | boolean | null | Json[] | { [name: string]: Json };
type Verb = Parameters<Http['call']>[0];

const toMethod = (method: string) => method.toUpperCase() as Verb;
const isObject = (value: unknown): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const LONG_TEXT = 'x'.repeat(100_000);
let deepObject: Json = 'x';
for (let level = 0; level < 2_000; level++) deepObject = { deep: deepObject };

interface Limits extends Schema {
  minLength?: number;
  maxLength?: number;
}

/** Values that every operation must reject in place of a string. They are raw JSON, which is sent unchanged. */
const ALWAYS_INVALID: Record<string, string> = {
  'a NUL': '"5511\\u0000987654321"',
  'a lone high surrogate': '"55119876\\ud800"',
  'a lone low surrogate': '"\\udc0055119876"',
  'an object': '{"a":{}}',
  'a list of lists': '[["a"],["b"]]',
  'a bottomless object': JSON.stringify(deepObject),
  'a bottomless list': `${'['.repeat(2_000)}${']'.repeat(2_000)}`,
};

/** The name and the raw JSON of each value that an operation must reject for a string of this schema. */
function invalidValuesFor({
  minLength = 0,
  maxLength = Number.POSITIVE_INFINITY,
  enum: values,
}: Limits): [string, string][] {
  return [
    ...Object.entries(ALWAYS_INVALID),
    ...(minLength > 0 || values ? [['nothing', '""'] as [string, string]] : []),
    ...(maxLength < LONG_TEXT.length || values ? [['100 kB', JSON.stringify(LONG_TEXT)] as [string, string]] : []),
  ];
}

/** The path and the schema of every string in the example of a body. Properties without an example get empty values. */
function stringPlaces(
  schema: Schema,
  example: Json,
  path: (string | number)[] = [],
): { path: (string | number)[]; schema: Limits }[] {
  const { type, properties, items, anyOf, allOf } = resolve(schema);
  if (anyOf)
    return anyOf.flatMap((branch) => (fits(branch, example) ? stringPlaces(branch, example, path) : [])).slice(0, 50);
  if (allOf) return allOf.flatMap((part) => stringPlaces(part, example, path));
  if (Array.isArray(example))
    return example.slice(0, 1).flatMap((one, index) => stringPlaces(items ?? {}, one, [...path, index]));
  if (isObject(example)) {
    const members = Object.entries(properties ?? {}).map(([name, inner]) => [name, inner] as const);
    return members.flatMap(([name, inner]) => stringPlaces(inner, example[name] ?? emptyValue(inner), [...path, name]));
  }
  return type === 'string' ? [{ path, schema: resolve(schema) }] : [];
}

const fits = (schema: Schema, value: Json) => {
  const { type } = resolve(schema);
  return type === undefined || (type === 'object') === isObject(value);
};

/** A value for a property that the example does not have. */
function emptyValue(schema: Schema): Json {
  const { type, items, anyOf } = resolve(schema);
  if (anyOf?.[0]) return emptyValue(anyOf[0]);
  if (type === 'object') return {};
  if (type === 'array') return [emptyValue(items ?? {})];
  return type === 'string' ? '' : 0;
}

/** The example as JSON text, with `raw` as the value at `path`. */
function withRaw(example: Json, path: (string | number)[], raw: string): string {
  const placeholder = '@@here@@';
  const copy = structuredClone(example);
  let place: unknown = copy;
  for (const [index, name] of path.entries()) {
    if (typeof place !== 'object' || place === null) throw new Error(`no ${path.join('.')}`);
    const isLast = index === path.length - 1;
    const inner: unknown = Reflect.get(place, name);
    if (isLast || typeof inner !== 'object' || inner === null)
      Reflect.set(place, name, isLast ? placeholder : typeof path[index + 1] === 'number' ? [] : {});
    place = Reflect.get(place, name);
  }
  return JSON.stringify(copy).replace(`"${placeholder}"`, () => raw);
}

/** One app for all tests. Its instance `shop` is open before each test, and its socket answers with `undefined`. */
let http: Awaited<ReturnType<typeof openHttp>>;
beforeAll(async () => {
  http = await openHttp({ AUTH_FAILURE_LIMIT: '0' });
});
beforeEach(() => {
  const session = fakeSession();
  const answering = {
    get: (target: Session['socket'], name: string) => Reflect.get(target, name) ?? (async () => undefined),
  };
  const open: Session = { ...session, socket: new Proxy(session.socket, answering) };
  http.instances.set('shop', Object.assign(fakeInstance('shop'), { session: () => open }));
});
afterAll(() => http.close());

const call: Http['call'] = (...request) => http.call(...request);

function expectRefusal(answer: { status: number; body?: unknown }, what: string) {
  expect(answer.status, `${what}: ${JSON.stringify(answer.body)?.slice(0, 300)}`).toBeGreaterThanOrEqual(400);
  expect(answer.status, `${what}: ${JSON.stringify(answer.body)?.slice(0, 300)}`).toBeLessThan(500);
  expect(schemaViolations('ErrorBody', answer.body), what).toBeUndefined();
}

/** For a value that may be valid. Any answer is correct, except INTERNAL and an error that violates the contract. */
function expectValidAnswer(answer: { status: number; body?: unknown }, what: string) {
  if (answer.status < 300) return;
  expect(schemaViolations('ErrorBody', answer.body), what).toBeUndefined();
  expect(answer.body, what).not.toMatchObject({ code: 'INTERNAL' });
}

/** The schemas of all dialects of a body, each with its first example. */
function bodies(operation: (typeof operations)[number]['operation']): { schema: Schema; example: Json }[] {
  const whole = operation.requestBody && resolve(operation.requestBody).content?.['application/json']?.schema;
  const dialects = whole?.['x-dialects'] ? (whole.anyOf ?? []) : whole ? [whole] : [];
  return dialects.map((schema) => ({ schema, example: (resolve(schema).examples?.[0] ?? {}) as Json }));
}

const acceptsEmptyBody = (operation: (typeof operations)[number]['operation']) =>
  bodies(operation).some(({ schema }) => !resolve(schema).required?.length);

const withBody = operations.filter(({ operation }) => bodies(operation).length > 0);
const urlOf = (path: string, query = '') => `${path.replace('{instance}', 'shop')}${query}`;
const queryOf = ({ parameters = [] }: (typeof operations)[number]['operation']) =>
  parameters.map((parameter) => resolve(parameter)).filter((parameter) => parameter.in === 'query');
const validQuery = (parameters: Parameter[]) => {
  const assignments = parameters.map(
    ({ name, schema }) => `${name}=${schema.enum?.[0] ?? (name.startsWith('get') ? 'true' : '123-456@g.us')}`,
  );
  return assignments.length > 0 ? `?${assignments.join('&')}` : '';
};

describe('hostile bodies', () => {
  it.each(withBody)('$method $path rejects hostile values in every string of its body', async ({
    method,
    path,
    operation,
  }) => {
    const url = urlOf(path, validQuery(queryOf(operation)));
    for (const { schema, example } of bodies(operation)) {
      for (const place of stringPlaces(schema, example)) {
        for (const [what, raw] of invalidValuesFor(place.schema)) {
          const body = withRaw(example, place.path, raw);
          expectRefusal(await call(toMethod(method), url, body), `${place.path.join('.')} is ${what}`);
        }
      }
    }
  });

  it.each(
    withBody,
  )('$method $path rejects incomplete JSON and bodies that are not objects, unless it is a search', async ({
    method,
    path,
    operation,
  }) => {
    const url = urlOf(path, validQuery(queryOf(operation)));
    for (const body of ['[]', '"x"', '7', 'null', 'true', '{', '{"a":', '\ud800', '[[[[', '{"number":1e999}']) {
      const answer = await call(toMethod(method), url, body);
      // Operations that need no field treat a body without fields as `{}`. A search then lists everything.
      if (answer.status >= 300 && acceptsEmptyBody(operation)) expectValidAnswer(answer, body);
      else if (answer.status >= 300) expectRefusal(answer, body);
      else expect(path, body).toMatch(/find/);
    }
  });

  it.each(withBody)('$method $path does not pollute prototypes through fields such as __proto__', async ({
    method,
    path,
    operation,
  }) => {
    const url = urlOf(path, validQuery(queryOf(operation)));
    const poison =
      '"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"toString":1,"hasOwnProperty":"x"';
    for (const body of [
      `{${poison}}`,
      `{"where":{${poison}},"options":{${poison}},"key":{${poison}},"settings":{${poison}}}`,
    ]) {
      const answer = await call(toMethod(method), url, body);
      expectValidAnswer(answer, body);
    }
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });
});

describe('hostile addresses', () => {
  const withQuery = operations.filter(({ operation }) => queryOf(operation).length > 0);
  const values = [
    '',
    '%00',
    'a%00b',
    '%ED%A0%80',
    '..%2f..%2fetc%2fpasswd',
    '%ff',
    'x'.repeat(100_000),
    '%F0%9F%99%82',
    '__proto__',
  ];

  it.each(
    withQuery,
  )('$method $path answers hostile query values without an internal error and rejects NUL bytes', async ({
    method,
    path,
    operation,
  }) => {
    for (const { name } of queryOf(operation)) {
      for (const value of [...values, `1&${name}=2`, `1&${name}[a]=2`]) {
        const answer = await call(
          toMethod(method),
          urlOf(path, `?${name}=${value}`),
          method === 'get' ? undefined : {},
        );
        expectValidAnswer(answer, `${name}=${value.slice(0, 40)}`);
        if (value.includes('%00')) expectRefusal(answer, `${name}=${value}`);
      }
    }
  });

  it.each(
    operations.filter(({ path }) => path.includes('{instance}')),
  )('$method $path answers a hostile instance name with a client error', async ({ method, path }) => {
    const names = [
      ...values.filter((value) => value !== ''),
      '..',
      '%2e%2e',
      '%',
      '%zz',
      'shop%2f',
      'shop%00',
      'constructor',
    ];
    for (const name of names) {
      const address = path.replace('{instance}', name);
      // After a single segment, the name `..` leads to the root, which is another operation.
      if (new URL(`http://gateway${address}`).pathname === '/') continue;
      const answer = await call(toMethod(method), address, method === 'get' ? undefined : {});
      expectRefusal(answer, name.slice(0, 40));
    }
  });
});
