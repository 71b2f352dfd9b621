// Every status that the common part of the HTTP side can answer is in the contract of each operation that it can answer for.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fakeInstance, type Http, KEY, openHttp } from '../routes/fixture.ts';
import { type Operation, operations } from './document.ts';

const built = operations.filter(({ operation }) => operation['x-status'] === undefined);

interface Call {
  headers?: Record<string, string | undefined>;
  query?: string;
  body?: string;
}

/** What a caller may do to any operation, and what it needs of it. */
const calls: [what: string, call: Call, isFor?: (method: string, operation: Operation) => boolean][] = [
  ['no key', { headers: { apikey: undefined } }],
  ['a key of another instance', { headers: { apikey: 'other-key' } }],
  ['nothing else', {}],
  ['an empty body', { body: '{}' }, (method) => method !== 'get'],
  ['a malformed body', { body: '{' }, (method) => method !== 'get'],
  ['a list as a body', { body: '[]' }, (method) => method !== 'get'],
  ['a body of another type', { body: 'x', headers: { 'content-type': 'text/plain' } }, (method) => method !== 'get'],
  ['a body that is too large', { body: `"${'x'.repeat(5_000)}"` }, (method) => method !== 'get'],
  [
    'a form without a boundary',
    { body: 'x', headers: { 'content-type': 'multipart/form-data' } },
    (method) => method !== 'get',
  ],
  ['a hostile query', { query: '?x=%00' }],
  ['an idempotency key that is too long', { headers: { 'idempotency-key': 'x'.repeat(300) } }],
];

let http: Http & { close(): Promise<void> };
let starting: typeof http;
let limited: typeof http;
beforeAll(async () => {
  const env = { JSON_LIMIT: '4096', BODY_LIMIT: '4096', AUTH_FAILURE_LIMIT: '0', METRICS_AUTH_REQUIRED: 'true' };
  http = await openHttp(env);
  starting = await openHttp(env);
  Object.assign(starting.manager, { ready: false });
  limited = await openHttp({ ...env, RATE_LIMIT: '1', AUTH_FAILURE_LIMIT: '1' });
});
afterAll(() => Promise.all([http.close(), starting.close(), limited.close()]));

async function statusOf(app: Http, method: string, path: string, { headers, query = '', body }: Call) {
  app.instances.set('shop', fakeInstance('shop'));
  app.instances.set('other', fakeInstance('other'));
  const url = path.replace('{instance}', 'shop').replaceAll(/\{\w+\}/g, 'x') + query;
  const given = { apikey: KEY, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers };
  const sent = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const verb = method.toUpperCase() as 'GET' | 'POST' | 'PUT' | 'DELETE';
  const { statusCode } = await app.app.inject({
    method: verb,
    url,
    headers: sent,
    ...(body === undefined ? {} : { payload: body }),
  });
  return statusCode;
}

/** Of a JSON body that cannot be read, and of the rest, what is not in the contract. */
describe('the statuses of every operation', () => {
  it.each(built)('$method $path are all in its contract', async ({ method, path, operation }) => {
    const missing: string[] = [];
    const note = (status: number, what: string) => {
      if (!operation.responses[status]) missing.push(`${status} for ${what}`);
    };
    for (const [what, call, isFor] of calls) {
      if (isFor && !isFor(method, operation)) continue;
      note(await statusOf(http, method, path, call), what);
    }
    const nobody = await statusOf(http, method, path.replace('{instance}', 'nobody'), {});
    note(nobody, 'an instance that does not exist');
    const unknownKey = { headers: { apikey: 'a-key-that-is-not-known-yet' } };
    note(await statusOf(starting, method, path, unknownKey), 'a gateway that starts');
    for (const headers of [{}, {}, { apikey: 'wrong' }, { apikey: 'wrong' }])
      note(await statusOf(limited, method, path, { headers }), 'too many requests');
    expect([...new Set(missing)]).toEqual([]);
  });
});
