// HTTP requests made from the contract: bodies that its schemas allow, then changed; paths, queries, keys and headers likewise.
import { gzipSync } from 'node:zlib';
import { jsonSchema, type Operation, operations, type Parameter, resolve, type Schema } from '../contract/document.ts';
import type { Random } from './random.ts';
import { jid, messageId, type Names, text, url, whole } from './values.ts';

export interface HttpCase {
  method: string;
  /** Path and query. */
  path: string;
  headers: Record<string, string>;
  /** Base64; absent: no body. */
  body?: string;
}

export interface Access {
  global: string;
  /** Of instances, by name. */
  instances: Readonly<Record<string, string>>;
  /** Linked instances that requests may use, those that they may only read, and names that they may make, log out and delete. */
  linked: readonly string[];
  readable: readonly string[];
  spare: readonly string[];
}

/** It changes what the gateway writes into its log, and with it what a run costs. */
const LEFT_OUT = new Set(['post /log/level']);

/** They end or redirect an instance on purpose: only spare ones. */
const ENDS = /^\/(instance\/(logout|delete|restart|create|connect|import|export)|proxy\/set|settings\/set)/;

/** They change nothing, and read what hostile messages left behind. */
const READS =
  /^\/(chat\/(find|fetch|getBase64)|group\/(find|fetch|participants)|message\/status|media|label\/find|channel\/(find|fetch)|webhook\/deliveries|events)/;

const chosen = operations.filter(({ method, path }) => !LEFT_OUT.has(`${method} ${path}`));

export function httpCase(random: Random, names: Names, access: Access): HttpCase {
  const { method, path, operation } = random.pick(chosen);
  const parameters = (operation.parameters ?? []).map(resolve);
  const instance = instanceFor(random, path, access, names);
  const headers = { ...credentials(random, instance, access, names), ...extras(random, names) };
  const target = pathOf(random, names, path, parameters, instance) + queryOf(random, names, parameters);
  const verb = random.chance(0.02)
    ? random.pick(['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'POST'])
    : method.toUpperCase();
  const given = bodyOf(random, names, operation);
  if (!given || verb === 'GET' || verb === 'HEAD') return { method: verb, path: target, headers };
  return {
    method: verb,
    path: target,
    headers: { ...headers, ...given.headers },
    body: given.bytes.toString('base64'),
  };
}

function instanceFor(random: Random, path: string, { linked, readable, spare }: Access, names: Names): string {
  if (random.chance(0.05)) return text(random, names).slice(0, 500);
  if (READS.test(path) && random.chance(0.5)) return random.pick(readable);
  return random.pick(ENDS.test(path) ? spare : random.chance(0.85) ? linked : spare);
}

function pathOf(random: Random, names: Names, path: string, parameters: Parameter[], instance: string): string {
  const filled = path.replace(/\{(\w+)\}/g, (_whole, name: string) => {
    if (name === 'instance') return segment(instance);
    const parameter = parameters.find((each) => each.in === 'path' && each.name === name);
    const given = random.chance(0.5) ? messageId(random) : String(scalar(random, names, parameter?.schema ?? {}));
    return segment(given) || 'x';
  });
  return random.chance(0.01) ? filled + random.pick(['/', '//', '/..', '%2f', ';x=1', '%00', '/.']) : filled;
}

/** At times not encoded as it should be; always something that a client can put into a request line. */
const segment = (given: string) => encodeURIComponent(given.toWellFormed());

function queryOf(random: Random, names: Names, parameters: Parameter[]): string {
  const query: string[] = [];
  for (const { name, in: place, schema, required } of parameters) {
    if (place !== 'query' || (!required && random.chance(0.5))) continue;
    const given = random.chance(0.5) ? String(valid(random, names, schema, 0)) : text(random, names);
    query.push(`${random.chance(0.03) ? `${name}[]` : name}=${segment(given.slice(0, 2_000))}`);
    if (random.chance(0.03)) query.push(`${name}=${segment(given.slice(0, 50))}`);
  }
  if (random.chance(0.03)) query.push(`${segment(text(random, names).slice(0, 100))}=1`);
  return query.length > 0 ? `?${query.join('&')}` : '';
}

function credentials(
  random: Random,
  instance: string,
  { global, instances }: Access,
  names: Names,
): Record<string, string> {
  const own = instances[instance] ?? global;
  switch (random.int(20)) {
    case 0:
      return {};
    case 1:
      return { apikey: visible(text(random, names)) };
    case 2:
      return {
        authorization: random.pick([
          `Bearer ${own}`,
          `Basic ${Buffer.from(`a:${own}`).toString('base64')}`,
          'Bearer',
          visible(text(random, names)),
        ]),
      };
    case 3:
      return { apikey: Object.values(instances)[random.int(Object.keys(instances).length)] ?? global };
    case 4:
    case 5:
    case 6:
    case 7:
      return { apikey: own };
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

function extras(random: Random, names: Names): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: random.few(3) }, () => [random.pick(HEADERS), visible(text(random, names)).slice(0, 4_000)]),
  );
}

/** What a client may write into a header. */
const visible = (given: string) => given.replace(/[^\t\x20-\x7e\xa0-\xff]/g, '').trim();

interface Given {
  headers: Record<string, string>;
  bytes: Buffer;
}

function bodyOf(random: Random, names: Names, operation: Operation): Given | undefined {
  const schema = jsonSchema(operation.requestBody);
  if (!schema && random.chance(0.7)) return undefined;
  const examples = schema ? examplesOf(operation) : [];
  const base = schema
    ? examples.length > 0 && random.chance(0.4)
      ? structuredClone(random.pick(examples))
      : valid(random, names, schema, 0)
    : {};
  const changed = mutate(random, names, base);
  const json = textOf(random, changed);
  const kind = random.int(40);
  if (kind === 0)
    return { headers: { 'content-type': 'application/x-www-form-urlencoded' }, bytes: Buffer.from(formOf(changed)) };
  if (kind === 1) return multipart(random, names, changed);
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
  if (kind === 4) return { headers: { 'content-type': 'application/json' }, bytes: malformed(random, json) };
  return { headers: { 'content-type': 'application/json' }, bytes: json };
}

function examplesOf({ requestBody }: Operation): unknown[] {
  const content = requestBody && resolve(requestBody).content?.['application/json'];
  const named = Object.values(content?.examples ?? {}).map(({ value }) => value);
  return content?.example === undefined ? named : [content.example, ...named];
}

function textOf(random: Random, given: unknown): Buffer {
  const json = JSON.stringify(given) ?? '';
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

function malformed(random: Random, json: Buffer): Buffer {
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

const formOf = (given: unknown) =>
  Object.entries(Object(given))
    .map(
      ([name, item]) => `${segment(name)}=${segment(typeof item === 'string' ? item : (JSON.stringify(item) ?? ''))}`,
    )
    .join('&');

function multipart(random: Random, names: Names, given: unknown): Given {
  const boundary = random.chance(0.9) ? 'fuzz' : 'other';
  const parts = Object.entries(Object(given)).map(([name, item]) => {
    const file = random.chance(0.3)
      ? `; filename="${visible(text(random, names)).replaceAll('"', '').slice(0, 200)}"\r\ncontent-type: image/png`
      : '';
    return `--fuzz\r\ncontent-disposition: form-data; name="${visible(name).replaceAll('"', '')}"${file}\r\n\r\n${typeof item === 'string' ? item : JSON.stringify(item)}\r\n`;
  });
  const end = random.chance(0.9) ? '--fuzz--\r\n' : '';
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    bytes: Buffer.from(parts.join('') + end),
  };
}

/** A value that the schema allows, more or less: patterns are left to examples. */
function valid(random: Random, names: Names, given: Schema, depth: number): unknown {
  const schema: Schema & { oneOf?: Schema[]; const?: unknown; additionalProperties?: unknown } = resolve(given);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return random.pick(schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices?.length && depth < 8) return valid(random, names, random.pick(choices), depth + 1);
  if (schema.allOf && depth < 8)
    return Object.assign({}, ...schema.allOf.map((part) => valid(random, names, part, depth + 1)));
  const type = Array.isArray(schema.type) ? random.pick(schema.type) : schema.type;
  if (type === 'array')
    return depth > 6
      ? []
      : Array.from({ length: random.few(4) }, () => valid(random, names, schema.items ?? {}, depth + 1));
  if (schema.properties && depth < 8) {
    const needed = new Set(schema.required);
    const present = Object.entries(schema.properties).filter(([name]) => needed.has(name) || random.chance(0.4));
    return Object.fromEntries(present.map(([name, inner]) => [name, named(random, names, name, inner, depth)]));
  }
  return type === 'object' ? {} : scalar(random, names, schema);
}

/** Fields whose name says what they hold get something that exists. */
function named(random: Random, names: Names, name: string, schema: Schema, depth: number): unknown {
  const inner = resolve(schema);
  if (inner.type !== 'string' || inner.enum || random.chance(0.15)) return valid(random, names, schema, depth + 1);
  if (/jid|number|participant|phone/i.test(name))
    return random.chance(0.5) ? random.pick(names.phones) : jid(random, names);
  if (/^id$|messageId/.test(name)) return messageId(random);
  if (/url|media|audio|sticker|image|video|picture|link/i.test(name))
    return random.chance(0.6) ? url(random, names) : SMALL_PNG;
  return scalar(random, names, inner);
}

const SMALL_PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

function scalar(random: Random, names: Names, { type, examples }: Schema): unknown {
  if (examples?.length && random.chance(0.4)) return random.pick(examples);
  switch (Array.isArray(type) ? random.pick(type) : type) {
    case 'integer':
    case 'number':
      return random.chance(0.5) ? random.int(100) : whole(random);
    case 'boolean':
      return random.chance(0.5);
    case 'null':
      return null;
    default:
      return random.chance(0.5) ? `text ${random.int(100)}` : text(random, names);
  }
}

const OTHERS = [
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

/** The value with none, one or a few parts changed. */
function mutate(random: Random, names: Names, given: unknown): unknown {
  let changed = given;
  for (let changes = random.few(4); changes > 0; changes--) changed = changeOne(random, names, changed);
  return changed;
}

function changeOne(random: Random, names: Names, given: unknown): unknown {
  if (typeof given !== 'object' || given === null || random.chance(0.15)) return other(random, names);
  if (Array.isArray(given)) {
    if (given.length === 0 || random.chance(0.3))
      return random.chance(0.05)
        ? Array.from({ length: 5_000 }, () => given[0] ?? 1)
        : [...given, other(random, names)];
    const at = random.int(given.length);
    return given.map((item: unknown, index) => (index === at ? changeOne(random, names, item) : item));
  }
  const entries: [string, unknown][] = Object.entries(given);
  if (entries.length === 0 || random.chance(0.1))
    return { ...given, [random.chance(0.5) ? text(random, names).slice(0, 200) : 'extra']: other(random, names) };
  const [name, item] = random.pick(entries);
  if (random.chance(0.25)) return Object.fromEntries(entries.filter(([each]) => each !== name));
  return { ...given, [name]: changeOne(random, names, item) };
}

function other(random: Random, names: Names): unknown {
  if (random.chance(0.01)) return deep(random.int(3_000));
  if (random.chance(0.003)) return Object.fromEntries(Array.from({ length: 20_000 }, (_empty, n) => [`k${n}`, n]));
  return random.chance(0.5) ? random.pick(OTHERS) : text(random, names);
}

function deep(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = level % 2 ? [value] : { a: value };
  return value;
}
