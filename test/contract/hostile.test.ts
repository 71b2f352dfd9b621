// Every string an operation takes, filled with what breaks programs. The answer is always a refusal in the envelope: no
// 500, no hang, nothing done. The instance behind the app is open and agrees to everything, so that only refusals refuse.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Session } from '../../src/whatsapp/session.ts';
import { fakeInstance, type Http, openHttp } from '../http/routes/fixture.ts';
import { fakeSession } from '../whatsapp/fakes.ts';
import { operations, type Parameter, resolve, type Schema, violations } from './document.ts';

type Json = string | number | boolean | null | Json[] | { [name: string]: Json };
type Verb = Parameters<Http['call']>[0];

const built = operations.filter(({ operation }) => operation['x-status'] !== 'planned');
const verb = (method: string) => method.toUpperCase() as Verb;
const isObject = (value: unknown): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const long = 'x'.repeat(100_000);
let deep: Json = 'x';
for (let level = 0; level < 2_000; level++) deep = { deep };

interface Limits extends Schema {
  minLength?: number;
  maxLength?: number;
}

/** What must be refused in place of a string, as raw JSON so that it arrives as it is written here. */
const never: Record<string, string> = {
  'a NUL': '"5511\\u0000987654321"',
  'a lone high surrogate': '"55119876\\ud800"',
  'a lone low surrogate': '"\\udc0055119876"',
  'an object': '{"a":{}}',
  'a list of lists': '[["a"],["b"]]',
  'a bottomless object': JSON.stringify(deep),
  'a bottomless list': `${'['.repeat(2_000)}${']'.repeat(2_000)}`,
};

/** All that must be refused in a place of this schema. */
function refused({ minLength = 0, maxLength = Number.POSITIVE_INFINITY, enum: values }: Limits): [string, string][] {
  return [
    ...Object.entries(never),
    ...(minLength > 0 || values ? [['nothing', '""'] as [string, string]] : []),
    ...(maxLength < long.length || values ? [['100 kB', JSON.stringify(long)] as [string, string]] : []),
  ];
}

/** Every place for a string in the examples of a body, with its schema. */
function places(
  schema: Schema,
  example: Json,
  path: (string | number)[] = [],
): { path: (string | number)[]; schema: Limits }[] {
  const { type, properties, items, anyOf, allOf } = resolve(schema);
  if (anyOf)
    return anyOf.flatMap((branch) => (fits(branch, example) ? places(branch, example, path) : [])).slice(0, 50);
  if (allOf) return allOf.flatMap((part) => places(part, example, path));
  if (Array.isArray(example))
    return example.slice(0, 1).flatMap((one, index) => places(items ?? {}, one, [...path, index]));
  if (isObject(example)) {
    const missing = Object.entries(properties ?? {}).map(([name, inner]) => [name, inner] as const);
    return missing.flatMap(([name, inner]) => places(inner, example[name] ?? blank(inner), [...path, name]));
  }
  return type === 'string' ? [{ path, schema: resolve(schema) }] : [];
}

const fits = (schema: Schema, value: Json) => {
  const { type } = resolve(schema);
  return type === undefined || (type === 'object') === isObject(value);
};

/** A value to start from where the example has none. */
function blank(schema: Schema): Json {
  const { type, items, anyOf } = resolve(schema);
  if (anyOf?.[0]) return blank(anyOf[0]);
  if (type === 'object') return {};
  if (type === 'array') return [blank(items ?? {})];
  return type === 'string' ? '' : 0;
}

/** The example as JSON text with `raw` put at `path`. */
function withRaw(example: Json, path: (string | number)[], raw: string): string {
  const mark = '@@here@@';
  const copy = structuredClone(example);
  let place: unknown = copy;
  for (const [index, name] of path.entries()) {
    if (typeof place !== 'object' || place === null) throw new Error(`no ${path.join('.')}`);
    const isLast = index === path.length - 1;
    const inner: unknown = Reflect.get(place, name);
    if (isLast || typeof inner !== 'object' || inner === null)
      Reflect.set(place, name, isLast ? mark : typeof path[index + 1] === 'number' ? [] : {});
    place = Reflect.get(place, name);
  }
  return JSON.stringify(copy).replace(`"${mark}"`, () => raw);
}

/** One app for all of it, whose instance `shop` is open before each test: its socket answers everything with nothing. */
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
  expect(violations('ErrorBody', answer.body), what).toBeUndefined();
}

/** What may be a legal value: every answer to it is correct. */
function expectNoSurprise(answer: { status: number; body?: unknown }, what: string) {
  if (answer.status < 300) return;
  expect(violations('ErrorBody', answer.body), what).toBeUndefined();
  expect(answer.body, what).not.toMatchObject({ code: 'INTERNAL' });
}

/** Schemas of every dialect of a body, each with its examples. */
function bodies(operation: (typeof built)[number]['operation']): { schema: Schema; example: Json }[] {
  const whole = operation.requestBody && resolve(operation.requestBody).content?.['application/json']?.schema;
  const dialects = whole?.['x-dialects'] ? (whole.anyOf ?? []) : whole ? [whole] : [];
  return dialects.map((schema) => ({ schema, example: (resolve(schema).examples?.[0] ?? {}) as Json }));
}

const needsNothing = (operation: (typeof built)[number]['operation']) =>
  bodies(operation).some(({ schema }) => !resolve(schema).required?.length);

const withBody = built.filter(({ operation }) => bodies(operation).length > 0);
const urlOf = (path: string, query = '') => `${path.replace('{instance}', 'shop')}${query}`;
const queryOf = ({ parameters = [] }: (typeof built)[number]['operation']) =>
  parameters.map((parameter) => resolve(parameter)).filter((parameter) => parameter.in === 'query');
const good = (parameters: Parameter[]) => {
  const given = parameters.map(
    ({ name, schema }) => `${name}=${schema.enum?.[0] ?? (name.startsWith('get') ? 'true' : '123-456@g.us')}`,
  );
  return given.length > 0 ? `?${given.join('&')}` : '';
};

describe('hostile bodies', () => {
  it.each(withBody)('$method $path refuses them in every string', async ({ method, path, operation }) => {
    const url = urlOf(path, good(queryOf(operation)));
    for (const { schema, example } of bodies(operation)) {
      for (const place of places(schema, example)) {
        for (const [what, raw] of refused(place.schema)) {
          const body = withRaw(example, place.path, raw);
          expectRefusal(await call(verb(method), url, body), `${place.path.join('.')} is ${what}`);
        }
      }
    }
  });

  it.each(withBody)('$method $path refuses bodies that are no objects, and half ones', async ({
    method,
    path,
    operation,
  }) => {
    const url = urlOf(path, good(queryOf(operation)));
    for (const body of ['[]', '"x"', '7', 'null', 'true', '{', '{"a":', '\ud800', '[[[[', '{"number":1e999}']) {
      const answer = await call(verb(method), url, body);
      // A body without fields is `{}` to operations that need none, and to a search, which then lists everything.
      if (answer.status >= 300 && needsNothing(operation)) expectNoSurprise(answer, body);
      else if (answer.status >= 300) expectRefusal(answer, body);
      else expect(path, body).toMatch(/find/);
    }
  });

  it.each(withBody)('$method $path is not impressed by prototypes', async ({ method, path, operation }) => {
    const url = urlOf(path, good(queryOf(operation)));
    const poison =
      '"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"toString":1,"hasOwnProperty":"x"';
    for (const body of [
      `{${poison}}`,
      `{"where":{${poison}},"options":{${poison}},"key":{${poison}},"settings":{${poison}}}`,
    ]) {
      const answer = await call(verb(method), url, body);
      expectNoSurprise(answer, body);
    }
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });
});

describe('hostile addresses', () => {
  const asked = built.filter(({ operation }) => queryOf(operation).length > 0);
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

  it.each(asked)('$method $path takes no nonsense in its query', async ({ method, path, operation }) => {
    for (const { name } of queryOf(operation)) {
      for (const value of [...values, `1&${name}=2`, `1&${name}[a]=2`]) {
        const answer = await call(verb(method), urlOf(path, `?${name}=${value}`), method === 'get' ? undefined : {});
        expectNoSurprise(answer, `${name}=${value.slice(0, 40)}`);
        if (value.includes('%00')) expectRefusal(answer, `${name}=${value}`);
      }
    }
  });

  it.each(
    built.filter(({ path }) => path.includes('{instance}')),
  )('$method $path finds no instance of a hostile name', async ({ method, path }) => {
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
      // Behind a single segment, two dots are the root: another operation.
      if (new URL(`http://gateway${address}`).pathname === '/') continue;
      const answer = await call(verb(method), address, method === 'get' ? undefined : {});
      expectRefusal(answer, name.slice(0, 40));
    }
  });
});
