// HTTP requests from the contract, with random changes: bodies that the schemas allow, paths, queries, keys and
// headers.
import { gzipSync } from 'node:zlib';
import {
  jsonSchema,
  type Operation,
  operations,
  type Parameter,
  resolve,
  type Schema,
} from '../support/openapi-document.ts';
import type { Random } from '../support/random.ts';
import { jid, messageId, type Names, text, url, wholeNumber } from './values.ts';

export interface HttpCase {
  method: string;
  /** Path and query. */
  path: string;
  headers: Record<string, string>;
  /** Base64. Absent for a request without a body. */
  body?: string;
}

export interface Access {
  global: string;
  /** Keys of the instances, by name. */
  instances: Readonly<Record<string, string>>;
  /**
   * Linked instances for all requests (`linked`), instances for reading requests only (`readable`), and names for
   * requests that create, log out or delete instances (`spare`).
   */
  linked: readonly string[];
  readable: readonly string[];
  spare: readonly string[];
}

/** This operation changes the log level, which affects the duration of a run. */
const EXCLUDED = new Set(['post /log/level']);

/** Operations that end or redirect an instance by design. They only use spare instances. */
const DISRUPTIVE = /^\/(instance\/(logout|delete|restart|create|connect|import|export)|proxy\/set|settings\/set)/;

/** Operations that only read. They also read the data of hostile messages. */
const READING =
  /^\/(chat\/(find|fetch|getBase64)|group\/(find|fetch|participants)|message\/status|media|label\/find|channel\/(find|fetch)|webhook\/deliveries|events)/;

const includedOperations = operations.filter(({ method, path }) => !EXCLUDED.has(`${method} ${path}`));

export function createHttpCase(random: Random, names: Names, access: Access): HttpCase {
  const { method, path, operation } = random.pick(includedOperations);
  const parameters = (operation.parameters ?? []).map(resolve);
  const instance = instanceFor(random, path, access, names);
  const headers = { ...createCredentials(random, instance, access, names), ...createExtraHeaders(random, names) };
  const target = pathOf(random, names, path, parameters, instance) + queryOf(random, names, parameters);
  const requestMethod = random.chance(0.02)
    ? random.pick(['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'POST'])
    : method.toUpperCase();
  const body = bodyOf(random, names, operation);
  if (!body || requestMethod === 'GET' || requestMethod === 'HEAD')
    return { method: requestMethod, path: target, headers };
  return {
    method: requestMethod,
    path: target,
    headers: { ...headers, ...body.headers },
    body: body.bytes.toString('base64'),
  };
}

function instanceFor(random: Random, path: string, { linked, readable, spare }: Access, names: Names): string {
  if (random.chance(0.05)) return text(random, names).slice(0, 500);
  if (READING.test(path) && random.chance(0.5)) return random.pick(readable);
  return random.pick(DISRUPTIVE.test(path) ? spare : random.chance(0.85) ? linked : spare);
}

function pathOf(random: Random, names: Names, path: string, parameters: Parameter[], instance: string): string {
  const filledPath = path.replace(/\{(\w+)\}/g, (_whole, name: string) => {
    if (name === 'instance') return encodeSegment(instance);
    const parameter = parameters.find((candidate) => candidate.in === 'path' && candidate.name === name);
    const value = random.chance(0.5) ? messageId(random) : String(createScalar(random, names, parameter?.schema ?? {}));
    return encodeSegment(value) || 'x';
  });
  return random.chance(0.01) ? filledPath + random.pick(['/', '//', '/..', '%2f', ';x=1', '%00', '/.']) : filledPath;
}

/** Encodes a text for a request line. */
const encodeSegment = (segmentText: string) => encodeURIComponent(segmentText.toWellFormed());

function queryOf(random: Random, names: Names, parameters: Parameter[]): string {
  const query: string[] = [];
  for (const { name, in: location, schema, required } of parameters) {
    if (location !== 'query' || (!required && random.chance(0.5))) continue;
    const value = random.chance(0.5) ? String(createValid(random, names, schema, 0)) : text(random, names);
    query.push(`${random.chance(0.03) ? `${name}[]` : name}=${encodeSegment(value.slice(0, 2_000))}`);
    if (random.chance(0.03)) query.push(`${name}=${encodeSegment(value.slice(0, 50))}`);
  }
  if (random.chance(0.03)) query.push(`${encodeSegment(text(random, names).slice(0, 100))}=1`);
  return query.length > 0 ? `?${query.join('&')}` : '';
}

function createCredentials(
  random: Random,
  instance: string,
  { global, instances }: Access,
  names: Names,
): Record<string, string> {
  const instanceKey = instances[instance] ?? global;
  switch (random.int(20)) {
    case 0:
      return {};
    case 1:
      return { apikey: toHeaderValue(text(random, names)) };
    case 2:
      return {
        authorization: random.pick([
          `Bearer ${instanceKey}`,
          `Basic ${Buffer.from(`a:${instanceKey}`).toString('base64')}`,
          'Bearer',
          toHeaderValue(text(random, names)),
        ]),
      };
    case 3:
      return { apikey: Object.values(instances)[random.int(Object.keys(instances).length)] ?? global };
    case 4:
    case 5:
    case 6:
    case 7:
      return { apikey: instanceKey };
    default:
      return { apikey: global };
  }
}

const HEADERS = [
  'idempotency-key',
  'x-request-id',
  'accept',
  'origin',
  'x-forwarded-for',
  'traceparent',
  'if-none-match',
  'range',
  'accept-encoding',
  'cookie',
  'x-http-method-override',
  'referer',
  'user-agent',
  'last-event-id',
];

function createExtraHeaders(random: Random, names: Names): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: random.few(3) }, () => [
      random.pick(HEADERS),
      toHeaderValue(text(random, names)).slice(0, 4_000),
    ]),
  );
}

/** Removes the characters that a client cannot write into a header. */
const toHeaderValue = (headerText: string) => headerText.replace(/[^\t\x20-\x7e\xa0-\xff]/g, '').trim();

interface RequestBody {
  headers: Record<string, string>;
  bytes: Buffer;
}

function bodyOf(random: Random, names: Names, operation: Operation): RequestBody | undefined {
  const schema = jsonSchema(operation.requestBody);
  if (!schema && random.chance(0.7)) return undefined;
  const examples = schema ? examplesOf(operation) : [];
  const base = schema
    ? examples.length > 0 && random.chance(0.4)
      ? structuredClone(random.pick(examples))
      : createValid(random, names, schema, 0)
    : {};
  const changed = mutate(random, names, base);
  const json = toJsonBytes(random, changed);
  const kind = random.int(40);
  if (kind === 0)
    return { headers: { 'content-type': 'application/x-www-form-urlencoded' }, bytes: Buffer.from(toForm(changed)) };
  if (kind === 1) return createMultipart(random, names, changed);
  if (kind === 2)
    return {
      headers: {
        'content-type': random.pick([
          'text/plain',
          'application/xml',
          'json',
          '',
          'application/json; charset=utf-16',
          'application/octet-stream',
          'application/json;;;',
          'APPLICATION/JSON',
        ]),
      },
      bytes: json,
    };
  if (kind === 3)
    return {
      headers: { 'content-type': 'application/json', 'content-encoding': random.pick(['gzip', 'br', 'identity', 'x']) },
      bytes: random.chance(0.5) ? gzipSync(json) : json,
    };
  if (kind === 4) return { headers: { 'content-type': 'application/json' }, bytes: createMalformed(random, json) };
  return { headers: { 'content-type': 'application/json' }, bytes: json };
}

function examplesOf({ requestBody }: Operation): unknown[] {
  const content = requestBody && resolve(requestBody).content?.['application/json'];
  const namedExamples = Object.values(content?.examples ?? {}).map(({ value }) => value);
  return content?.example === undefined ? namedExamples : [content.example, ...namedExamples];
}

function toJsonBytes(random: Random, value: unknown): Buffer {
  const json = JSON.stringify(value) ?? '';
  if (random.chance(0.01))
    return Buffer.from(
      json.replace(/:\s*-?\d+/, random.pick([':1e400', ':-0', ':00', ':1E-400', ':123456789012345678901234567890'])),
    );
  if (random.chance(0.01))
    return Buffer.from(
      json.replace(/\}$/, `${json.length > 2 ? ',' : ''}"__proto__":{"x":1},"constructor":{"prototype":1}}`),
    );
  return Buffer.from(json);
}

function createMalformed(random: Random, json: Buffer): Buffer {
  switch (random.int(5)) {
    case 0:
      return json.subarray(0, random.int(json.length + 1));
    case 1:
      return Buffer.from('['.repeat(1 + random.int(50_000)));
    case 2:
      return Buffer.from('{"a":'.repeat(1 + random.int(20_000)));
    case 3:
      return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), json]);
    default:
      return random.bytes(random.int(100));
  }
}

const toForm = (value: unknown) =>
  Object.entries(Object(value))
    .map(
      ([name, item]) =>
        `${encodeSegment(name)}=${encodeSegment(typeof item === 'string' ? item : (JSON.stringify(item) ?? ''))}`,
    )
    .join('&');

function createMultipart(random: Random, names: Names, value: unknown): RequestBody {
  const boundary = random.chance(0.9) ? 'fuzz' : 'other';
  const parts = Object.entries(Object(value)).map(([name, item]) => {
    const file = random.chance(0.3)
      ? `; filename="${toHeaderValue(text(random, names)).replaceAll('"', '').slice(0, 200)}"\r\ncontent-type: image/png`
      : '';
    return `--fuzz\r\ncontent-disposition: form-data; name="${toHeaderValue(name).replaceAll('"', '')}"${file}\r\n\r\n${typeof item === 'string' ? item : JSON.stringify(item)}\r\n`;
  });
  const end = random.chance(0.9) ? '--fuzz--\r\n' : '';
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    bytes: Buffer.from(parts.join('') + end),
  };
}

/** Creates a value for the schema. It can violate patterns, which only examples fulfill. */
function createValid(random: Random, names: Names, unresolved: Schema, depth: number): unknown {
  const schema: Schema & { oneOf?: Schema[]; const?: unknown; additionalProperties?: unknown } = resolve(unresolved);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return random.pick(schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices?.length && depth < 8) return createValid(random, names, random.pick(choices), depth + 1);
  if (schema.allOf && depth < 8)
    return Object.assign({}, ...schema.allOf.map((part) => createValid(random, names, part, depth + 1)));
  const type = Array.isArray(schema.type) ? random.pick(schema.type) : schema.type;
  if (type === 'array')
    return depth > 6
      ? []
      : Array.from({ length: random.few(4) }, () => createValid(random, names, schema.items ?? {}, depth + 1));
  if (schema.properties && depth < 8) {
    const required = new Set(schema.required);
    const present = Object.entries(schema.properties).filter(([name]) => required.has(name) || random.chance(0.4));
    return Object.fromEntries(present.map(([name, inner]) => [name, createNamed(random, names, name, inner, depth)]));
  }
  return type === 'object' ? {} : createScalar(random, names, schema);
}

/** Creates a value for a field. Fields with descriptive names get existing numbers, message ids or URLs. */
function createNamed(random: Random, names: Names, name: string, schema: Schema, depth: number): unknown {
  const inner = resolve(schema);
  if (inner.type !== 'string' || inner.enum || random.chance(0.15))
    return createValid(random, names, schema, depth + 1);
  if (/jid|number|participant|phone/i.test(name))
    return random.chance(0.5) ? random.pick(names.phones) : jid(random, names);
  if (/^id$|messageId/.test(name)) return messageId(random);
  if (/url|media|audio|sticker|image|video|picture|link/i.test(name))
    return random.chance(0.6) ? url(random, names) : SMALL_PNG;
  return createScalar(random, names, inner);
}

const SMALL_PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

function createScalar(random: Random, names: Names, { type, examples }: Schema): unknown {
  if (examples?.length && random.chance(0.4)) return random.pick(examples);
  switch (Array.isArray(type) ? random.pick(type) : type) {
    case 'integer':
    case 'number':
      return random.chance(0.5) ? random.int(100) : wholeNumber(random);
    case 'boolean':
      return random.chance(0.5);
    case 'null':
      return null;
    default:
      return random.chance(0.5) ? `text ${random.int(100)}` : text(random, names);
  }
}

const REPLACEMENTS = [
  null,
  true,
  0,
  -1,
  1.5,
  1e21,
  '',
  'x',
  [],
  {},
  [[]],
  [null],
  { a: 1 },
  '0',
  'false',
  { length: 5 },
  { toString: 1 },
  Object.fromEntries([['then', 1]]),
];

/** Returns the value with zero to four changed parts. */
function mutate(random: Random, names: Names, original: unknown): unknown {
  let changed = original;
  for (let changes = random.few(4); changes > 0; changes--) changed = changePart(random, names, changed);
  return changed;
}

function changePart(random: Random, names: Names, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || random.chance(0.15)) return createReplacement(random, names);
  if (Array.isArray(value)) {
    if (value.length === 0 || random.chance(0.3))
      return random.chance(0.05)
        ? Array.from({ length: 5_000 }, () => value[0] ?? 1)
        : [...value, createReplacement(random, names)];
    const position = random.int(value.length);
    return value.map((item: unknown, index) => (index === position ? changePart(random, names, item) : item));
  }
  const entries: [string, unknown][] = Object.entries(value);
  if (entries.length === 0 || random.chance(0.1))
    return {
      ...value,
      [random.chance(0.5) ? text(random, names).slice(0, 200) : 'extra']: createReplacement(random, names),
    };
  const [name, item] = random.pick(entries);
  if (random.chance(0.25)) return Object.fromEntries(entries.filter(([key]) => key !== name));
  return { ...value, [name]: changePart(random, names, item) };
}

function createReplacement(random: Random, names: Names): unknown {
  if (random.chance(0.01)) return createDeep(random.int(3_000));
  if (random.chance(0.003)) return Object.fromEntries(Array.from({ length: 20_000 }, (_empty, n) => [`k${n}`, n]));
  return random.chance(0.5) ? random.pick(REPLACEMENTS) : text(random, names);
}

function createDeep(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = level % 2 ? [value] : { a: value };
  return value;
}
