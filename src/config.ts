// The settings: environment → one frozen Config. The only reader of process.env. Refuses every malformed value, all at once.
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Static, type TProperties, Type } from '@sinclair/typebox';
import envSchema from 'env-schema';
import ipaddr from 'ipaddr.js';
import { prepareDataDir } from './lib/start.ts';

const text = (description: string, fallback = '') => Type.String({ description, default: fallback });
const flag = (description: string, fallback = false) => Type.Boolean({ description, default: fallback });
const whole = (description: string, fallback: number, minimum = 0, maximum = 2 ** 31 - 1) =>
  Type.Integer({ description, default: fallback, minimum, maximum });
const ms = (description: string, fallback: number) => whole(`${description}, in ms`, fallback, 1);
const choice = <const T extends string>(description: string, fallback: T, allowed: readonly T[]) =>
  Type.Unsafe<T>({ type: 'string', description, default: fallback, enum: allowed });

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** Every variable, in the order of .env.example. An empty value means: not set. */
export const variables = {
  HOST: text('Address to listen on (npm run sandbox: 127.0.0.1)', '0.0.0.0'),
  PORT: whole('Port to listen on, 0 for any free one (alias SERVER_PORT)', 8080, 0, 65535),
  SERVER_URL: text('Public base URL, shown in records and webhooks; empty: taken from the request'),
  DATA_DIR: text('Folder of the database, the keys and everything else that must survive', './data'),
  DATABASE_URL: text('postgres://… ; empty: SQLite in DATA_DIR'),
  SQLITE_SYNCHRONOUS: choice('SQLite durability: NORMAL survives a crash, FULL also a power cut', 'NORMAL', [
    'NORMAL',
    'FULL',
  ]),
  ENCRYPTION_KEY: text('32 bytes in base64 that encrypt secrets at rest; empty: kept in DATA_DIR'),
  API_KEY: text(
    'Global key, at least 16 characters (alias AUTHENTICATION_API_KEY); empty: generated into DATA_DIR/api-key',
  ),
  EXPOSE_INSTANCE_KEYS: flag(
    'Show instance keys in fetchInstances (alias AUTHENTICATION_EXPOSE_IN_FETCH_INSTANCES)',
    true,
  ),
  AUTH_FAILURE_LIMIT: whole('Requests without a valid key per minute and address before 429; 0: no limit', 200),
  LOG_LEVEL: choice('Log level', 'info', levels),
  LOG_BAILEYS: choice('Log level of the platform library', 'error', levels),
  OVERLOAD_DELAY: whole('Mean delay of the event loop above which requests get 503, in ms; 0: never', 1000),
  BODY_LIMIT: whole('Largest request body, in bytes', 24 * 1024 * 1024, 1024),
  MEDIA_LIMIT: whole('Largest media file that a send takes, in bytes', 16 * 1024 * 1024, 1024),
  MEDIA_TIMEOUT: ms('Time a media address may take to answer', 30_000),
  MAX_DELAY: ms('Longest delay a send may ask for', 60_000),
  RESPONSE_DIALECT: choice('Answers in the dialect of the request (auto) or always in v1 or v2', 'auto', [
    'auto',
    'v1',
    'v2',
  ]),
  SERVER_DISABLE_DOCS: flag('Do not serve the documentation at /docs'),
  TRUST_PROXY: text(
    'Reverse proxies whose X-Forwarded-* headers count: addresses or CIDRs, comma separated; empty: none',
  ),
  SEND_TIMEOUT: ms('Time a send may take after its delay', 30_000),
  QUERY_TIMEOUT: ms('Time the platform may take to answer a query', 20_000),
  SHUTDOWN_TIMEOUT: ms('Time a stop may take', 45_000),
  QRCODE_LIMIT: whole('QR codes shown before linking is given up', 30, 1),
  QRCODE_COLOR: Type.String({
    description: 'Colour of the QR code, as in CSS but without # (which starts a comment in this file)',
    default: '198754',
    pattern: '^#?[0-9A-Fa-f]{6}$',
  }),
  CONNECT_CONCURRENCY: whole('Instances connecting at the same time after a start', 10, 1),
  CONFIG_SESSION_PHONE_CLIENT: text('Name shown in the list of linked devices', 'Messaging Gateway'),
  CONFIG_SESSION_PHONE_NAME: text('Browser shown in the list of linked devices', 'Chrome'),
  PLATFORM_URL: text('WebSocket of another platform server (tests); empty: the real one'),
  PLATFORM_ROOT_KEY: text('Its root key, 32 bytes in base64'),
  PLATFORM_VERSION: Type.String({
    description: 'Client version to present, like 2.3000.1; empty: looked up (alias CONFIG_SESSION_PHONE_VERSION)',
    default: '',
    pattern: '^(\\d+\\.\\d+\\.\\d+)?$',
  }),
  PLATFORM_VERIFY: choice('A wrong platform signature is refused (strict) or only logged (warn)', 'strict', [
    'strict',
    'warn',
  ]),
  WEBHOOK_TIMEOUT: ms('Time a webhook receiver may take to answer (alias WEBHOOK_REQUEST_TIMEOUT_MS)', 15_000),
  WEBHOOK_RETRY_SCHEDULE: Type.String({
    description: 'Pauses between attempts to reach a receiver that is down, in s; the last one repeats',
    default: '5,15,30,60,120,300',
    pattern: '^\\d+(\\.\\d+)?(,\\d+(\\.\\d+)?)*$',
  }),
  WEBHOOK_EXPIRY_HOURS: whole('Hours after which an undelivered event is given up', 72, 1),
  MESSAGE_RETENTION_DAYS: whole('Days that messages are kept, 0: for ever', 0, 0, 36_500),
  MESSAGE_RETENTION_COUNT: whole('Messages kept per instance, the newest ones, 0: all', 0),
  WEBHOOK_INCLUDE_APIKEY: flag('Put the instance key into webhook bodies'),
  EGRESS_ALLOW: text('Networks that outbound requests may reach although they are private: CIDRs, comma separated'),
  EGRESS_STRICT: flag('Webhooks may not reach private networks either'),
  SANDBOX_PORT: whole('Port of the sandbox controls (npm run sandbox)', 8081, 0, 65535),
} satisfies TProperties;

/** Names other gateways use → ours. Ours wins when both are set. */
const aliases: Record<string, keyof typeof variables> = {
  SERVER_PORT: 'PORT',
  AUTHENTICATION_API_KEY: 'API_KEY',
  AUTHENTICATION_EXPOSE_IN_FETCH_INSTANCES: 'EXPOSE_INSTANCE_KEYS',
  CONFIG_SESSION_PHONE_VERSION: 'PLATFORM_VERSION',
  WEBHOOK_REQUEST_TIMEOUT_MS: 'WEBHOOK_TIMEOUT',
};

/** Keys that are published somewhere, in lower case. */
const knownKeys = new Set([
  '429683c4c977415caafcce10f7d57e11',
  'b6d711fcde4d4fd5936544120e713976',
  'change-me-please',
  'changemechangeme',
  'your-secret-api-key',
  'your_secret_api_key',
  '1234567890123456',
  '0123456789abcdef',
]);
const MIN_KEY_LENGTH = 16;

type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}${Capitalize<Camel<Tail>>}`
  : Lowercase<Name>;
type Environment = Static<ReturnType<typeof Type.Object<typeof variables>>>;
type Named = { [Name in keyof Environment as Camel<Name & string>]: Environment[Name] };
type Lists = 'trustProxy' | 'egressAllow';

/** The settings under their variable's name in camel case: `SEND_TIMEOUT` is `sendTimeout`. Unset texts are ''. */
export interface Config extends Readonly<Omit<Named, Lists | 'webhookRetrySchedule'>> {
  readonly trustProxy: readonly string[];
  readonly egressAllow: readonly string[];
  /** Pauses in ms. */
  readonly webhookRetrySchedule: readonly number[];
  /** Where `apiKey` came from; `generated` only on the first start without API_KEY. */
  readonly apiKeySource: 'environment' | 'file' | 'generated';
}

const camel = (name: string) => name.toLowerCase().replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
const list = (value: string) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

/** A configuration that cannot be used; `problems` has one sentence per variable. */
export class ConfigError extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(`invalid configuration:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** Set values under our names: aliases resolved, empty ones dropped, blanks around them removed. */
function readVariables(env: NodeJS.ProcessEnv): Record<string, string> {
  const found: Record<string, string> = {};
  const names = [...Object.entries(aliases), ...Object.keys(variables).map((name): [string, string] => [name, name])];
  for (const [name, ours] of names) {
    const value = env[name]?.trim();
    if (value) found[ours] = value;
  }
  return found;
}

/** One sentence for an Ajv error of the environment; the value itself is never repeated, it may be a secret. */
function problemOf(error: { instancePath: string; message?: string; params: Record<string, unknown> }): string {
  const allowed = error.params.allowedValues;
  const name = error.instancePath.slice(1);
  return Array.isArray(allowed) ? `${name} must be one of ${allowed.join(', ')}` : `${name} ${error.message}`;
}

function parseVariables(found: Record<string, string>): { values: Environment; problems: string[] } {
  const data: Record<string, unknown> = { ...found };
  try {
    return { values: envSchema<Environment>({ schema: Type.Object(variables), data, env: false }), problems: [] };
  } catch (error) {
    const errors =
      error instanceof Error && 'errors' in error && Array.isArray(error.errors) ? error.errors : undefined;
    if (!errors) throw error;
    const problems = errors.map(problemOf);
    const broken = new Set(errors.map((each: { instancePath: string }) => each.instancePath.slice(1)));
    const rest = Object.fromEntries(Object.entries(found).filter(([name]) => !broken.has(name)));
    return { values: envSchema<Environment>({ schema: Type.Object(variables), data: rest, env: false }), problems };
  }
}

const isKey32 = (value: string) => Buffer.from(value, 'base64').length === 32;
const isUrl = (value: string, ...schemes: string[]) => schemes.includes(URL.parse(value)?.protocol ?? '');
const isNetwork = (value: string) => ipaddr.isValid(value) || ipaddr.isValidCIDR(value);

/** What a schema cannot say. */
function findProblems(values: Environment): string[] {
  const checks: [boolean, string][] = [
    [
      values.API_KEY === '' || values.API_KEY.length >= MIN_KEY_LENGTH,
      `API_KEY must have at least ${MIN_KEY_LENGTH} characters`,
    ],
    [!knownKeys.has(values.API_KEY.toLowerCase()), 'API_KEY is a published key: choose another one'],
    [values.ENCRYPTION_KEY === '' || isKey32(values.ENCRYPTION_KEY), 'ENCRYPTION_KEY must be 32 bytes in base64'],
    [
      values.PLATFORM_ROOT_KEY === '' || isKey32(values.PLATFORM_ROOT_KEY),
      'PLATFORM_ROOT_KEY must be 32 bytes in base64',
    ],
    [
      (values.PLATFORM_URL === '') === (values.PLATFORM_ROOT_KEY === ''),
      'PLATFORM_URL and PLATFORM_ROOT_KEY must be set together',
    ],
    [
      values.PLATFORM_URL === '' || isUrl(values.PLATFORM_URL, 'ws:', 'wss:'),
      'PLATFORM_URL must be a ws:// or wss:// URL',
    ],
    [
      values.SERVER_URL === '' || isUrl(values.SERVER_URL, 'http:', 'https:'),
      'SERVER_URL must be an http:// or https:// URL',
    ],
    [
      values.DATABASE_URL === '' || isUrl(values.DATABASE_URL, 'postgres:', 'postgresql:'),
      'DATABASE_URL must be a postgres:// URL',
    ],
    [list(values.EGRESS_ALLOW).every((item) => ipaddr.isValidCIDR(item)), 'EGRESS_ALLOW must be CIDRs like 10.0.0.0/8'],
    [list(values.TRUST_PROXY).every(isNetwork), 'TRUST_PROXY must be addresses or CIDRs like 10.0.0.0/8'],
  ];
  return checks.filter(([fine]) => !fine).map(([, problem]) => problem);
}

/** The key kept in `DATA_DIR/api-key`, made on first use. Only the owner of the process may read it. */
function storedKey(dataDir: string): Pick<Config, 'apiKey' | 'apiKeySource'> {
  const file = join(dataDir, 'api-key');
  const fresh = randomBytes(32).toString('base64url');
  prepareDataDir(dataDir);
  try {
    // `wx`: of two processes that start at once, one writes and both use what was written.
    writeFileSync(file, `${fresh}\n`, { mode: 0o600, flag: 'wx' });
    return { apiKey: fresh, apiKeySource: 'generated' };
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    const apiKey = readFileSync(file, 'utf8').trim();
    if (apiKey.length < MIN_KEY_LENGTH)
      throw new ConfigError([`${file} holds no usable key: remove it or set API_KEY`]);
    return { apiKey, apiKeySource: 'file' };
  }
}

/**
 * Reads the settings; `defaults` replace the built-in defaults (the sandbox listens on loopback).
 * Creates `DATA_DIR/api-key` when no API_KEY is set. Throws ConfigError with every problem at once.
 */
export function loadConfig(env: NodeJS.ProcessEnv = process.env, defaults: Record<string, string> = {}): Config {
  const { values, problems } = parseVariables({ ...defaults, ...readVariables(env) });
  problems.push(...findProblems(values));
  if (problems.length > 0) throw new ConfigError(problems);
  const named = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [camel(name), value]),
  ) as unknown as Named;
  const key = named.apiKey ? { apiKey: named.apiKey, apiKeySource: 'environment' as const } : storedKey(named.dataDir);
  return Object.freeze({
    ...named,
    ...key,
    qrcodeColor: `#${named.qrcodeColor.replace('#', '')}`,
    serverUrl: named.serverUrl.replace(/\/+$/, ''),
    trustProxy: list(named.trustProxy),
    egressAllow: list(named.egressAllow),
    webhookRetrySchedule: named.webhookRetrySchedule.split(',').map((pause) => Number(pause) * 1000),
  });
}

/** What the start-up log line says: every setting, secrets only as whether they are set. */
export function summary({ databaseUrl, ...config }: Config): Record<string, unknown> {
  const secrets = {
    apiKey: true,
    encryptionKey: config.encryptionKey !== '',
    platformRootKey: config.platformRootKey !== '',
  };
  return { ...config, ...secrets, database: databaseUrl === '' ? 'sqlite' : 'postgres' };
}
