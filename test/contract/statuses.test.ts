// Checks that the contract of each operation documents every status that the common checks of requests can answer.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fakeInstance, type Http, KEY, openHttp } from '../support/http-fixture.ts';
import { type Operation, operations, resolve, type Schema } from '../support/openapi-document.ts';

const implemented = operations.filter(({ operation }) => operation['x-status'] === undefined);

interface Call {
  headers?: Record<string, string | undefined>;
  query?: string;
  body?: string;
}

/** Calls that a caller can make to any operation. `isFor` selects the operations. */
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
  const allHeaders = { apikey: KEY, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers };
  const definedHeaders = Object.fromEntries(Object.entries(allHeaders).filter(([, value]) => value !== undefined));
  const httpMethod = method.toUpperCase() as 'GET' | 'POST' | 'PUT' | 'DELETE';
  const { statusCode } = await app.app.inject({
    method: httpMethod,
    url,
    headers: definedHeaders,
    ...(body === undefined ? {} : { payload: body }),
  });
  return statusCode;
}

describe('statuses of operations', () => {
  it.each(implemented)('$method $path documents every status with which the common checks answer', async ({
    method,
    path,
    operation,
  }) => {
    const missing: string[] = [];
    const recordStatus = (status: number, what: string) => {
      if (!operation.responses[status]) missing.push(`${status} for ${what}`);
    };
    for (const [what, call, isFor] of calls) {
      if (isFor && !isFor(method, operation)) continue;
      recordStatus(await statusOf(http, method, path, call), what);
    }
    const unknownInstanceStatus = await statusOf(http, method, path.replace('{instance}', 'nobody'), {});
    recordStatus(unknownInstanceStatus, 'an instance that does not exist');
    const unknownKey = { headers: { apikey: 'a-key-that-is-not-known-yet' } };
    recordStatus(await statusOf(starting, method, path, unknownKey), 'a gateway that starts');
    for (const headers of [{}, {}, { apikey: 'wrong' }, { apikey: 'wrong' }])
      recordStatus(await statusOf(limited, method, path, { headers }), 'too many requests');
    expect([...new Set(missing)]).toEqual([]);
  });
});

const bodyOf = ({ requestBody }: Operation) =>
  JSON.stringify(requestBody?.content ?? {}, (_, value: Schema) => deref(value));
const deref = (value: Schema) => (value?.$ref ? resolve(value) : value);
const areaOf = ({ tags = [] }: Operation) => tags[0] ?? '';
/** True for an operation whose body has a string that can hold a file in base64. */
const takesFile = (operation: Operation) => /"maxLength":\d{8}/.test(bodyOf(operation));
const isAbout =
  (...areas: string[]) =>
  (operation: Operation) =>
    areas.includes(areaOf(operation));
const isOneOf = (names: string) => (operation: Operation) => names.split(' ').includes(operation.operationId);
const either =
  (...tests: ((operation: Operation, method: string) => boolean)[]) =>
  (operation: Operation, method: string) =>
    tests.some((test) => test(operation, method));

/** By code of a 400: whether an operation can answer with the code. */
const canHaveCode: Record<string, (operation: Operation, method: string) => boolean> = {
  INVALID_REQUEST: () => true,
  MALFORMED_JSON: (_, method) => method !== 'get',
  INSTANCE_NOT_OPEN: isAbout('message', 'chat', 'group', 'channel', 'label', 'media', 'instance'),
  INSTANCE_NOT_CONNECTED: isOneOf('logoutInstance exportInstance'),
  SESSION_BUNDLE_INVALID: isOneOf('importInstance exportInstance'),
  SESSION_BUNDLE_PASSPHRASE: isOneOf('importInstance'),
  NUMBER_NOT_ON_PLATFORM: either(isAbout('message', 'chat', 'group', 'label'), isOneOf('setPresence')),
  USERNAME_NOT_FOUND: either(isAbout('message', 'chat', 'group', 'label'), isOneOf('setPresence')),
  NUMBER_HIDDEN: isOneOf('sendContact'),
  SEND_REFUSED: isAbout('message', 'chat', 'group'),
  MESSAGE_NOT_EDITABLE: isOneOf('updateMessage updateMessagePost deleteMessageForEveryone'),
  PLATFORM_REFUSED: either(isAbout('chat', 'label', 'media'), isOneOf('setPresence connectInstance')),
  GROUP_REFUSED: isAbout('group', 'message', 'chat'),
  CHANNEL_REFUSED: either(
    isAbout('channel', 'message'),
    isOneOf('updateMessage updateMessagePost deleteMessageForEveryone'),
  ),
  PASSKEY_WRONG_ORIGIN: isOneOf('answerPasskey'),
  PASSKEY_REFUSED: isOneOf('answerPasskey confirmPasskey'),
  PROXY_UNUSABLE: isOneOf('setProxy createInstance'),
  ADDRESS_FORBIDDEN: either(takesFile, isAbout('proxy', 'webhook'), isOneOf('createInstance importInstance')),
  MEDIA_UNREACHABLE: takesFile,
  MEDIA_TOO_LARGE: takesFile,
  MEDIA_TOO_LONG: either(takesFile),
  MEDIA_INVALID: either(takesFile, isOneOf('getBase64FromMediaMessage')),
  TOO_MANY_WEBHOOKS: isOneOf('addWebhook'),
};

describe('codes of a 400', () => {
  const codesOf = ({ responses }: Operation) => {
    const response = responses['400'];
    return Object.keys((response && resolve(response).content?.['application/json']?.examples) ?? {});
  };

  it.each(
    operations.filter(({ operation }) => operation.responses['400']),
  )('the 400 of $method $path documents INVALID_REQUEST and only codes that the operation can have', ({
    method,
    operation,
  }) => {
    const codes = codesOf(operation);
    expect(codes).toContain('INVALID_REQUEST');
    expect(codes.filter((code) => !canHaveCode[code]?.(operation, method))).toEqual([]);
  });

  it('the 400 of sendText documents no codes about files, proxies, webhooks, edits or logouts', () => {
    const sendText = operations.find(({ operation }) => operation.operationId === 'sendText')?.operation;
    expect(sendText && codesOf(sendText).sort()).toEqual(
      `CHANNEL_REFUSED GROUP_REFUSED INSTANCE_NOT_OPEN INVALID_REQUEST MALFORMED_JSON NUMBER_NOT_ON_PLATFORM SEND_REFUSED USERNAME_NOT_FOUND`.split(
        ' ',
      ),
    );
  });
});
