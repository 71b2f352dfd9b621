// Loads the settings from the environment into one frozen Config. Reports all invalid settings at once.
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import ipaddr from 'ipaddr.js';
import { SUBSCRIPTION_NAMES } from '../events/event-names.ts';
import type { JsonSchema } from '../lib/json-schema.ts';
import { splitList } from '../lib/split-list.ts';
import { prepareDataDir } from '../lib/startup-errors.ts';
import { trimEnd } from '../lib/trim.ts';
import { isLikelyTypo, isTypo } from '../lib/typo.ts';
import { classify, ineffectiveSettingsOf, NO_EVENTS, readSettings } from './aliases.ts';
import { toSchema } from './settings/declare.ts';
import { isRetryDelay, RETRY_DELAY_RANGE } from './settings/webhooks.ts';
import { SETTINGS } from './settings.ts';

const SCHEMA: JsonSchema = {
  type: 'object',
  properties: Object.fromEntries(Object.entries(SETTINGS).map(([name, setting]) => [name, toSchema(setting)])),
  required: Object.keys(SETTINGS),
  additionalProperties: false,
};

/**
 * Takes an object that contains the settings as texts. Converts each text to the type of its setting and adds defaults,
 * both in place. Returns whether all values are then valid. Ajv does not check SCHEMA itself, because that check takes
 * 5 % of the startup time (D-184) and the TypeScript compiler checks the declarations. Ajv does not optimize the
 * generated validation code, because the code runs only once.
 */
const convertAndValidate = new Ajv({
  allErrors: true,
  removeAdditional: true,
  useDefaults: true,
  coerceTypes: true,
  meta: false,
  validateSchema: false,
  code: { optimize: false },
}).compile<Environment>(SCHEMA);

/** API keys from published examples, in lower case. They are refused. */
const PUBLISHED_KEYS = new Set([
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
/**
 * Clients send the key in a header. They encode characters that are not printable ASCII in different ways, or refuse to
 * send them.
 */
const isPrintableAscii = (key: string) => /^[\x20-\x7e]+$/.test(key);
/** Names that differ by one letter from a setting name of at least this length count as typos. */
const MIN_TYPO_LENGTH = 8;

/** The value of CORS_ORIGIN that allows no web page. */
const NO_ORIGIN = 'none';
const HTTP_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}${Capitalize<CamelCase<Tail>>}`
  : Lowercase<Name>;
type Environment = { [Name in keyof typeof SETTINGS]: (typeof SETTINGS)[Name]['default'] };
type CamelCaseSettings = { [Name in keyof Environment as CamelCase<Name & string>]: Environment[Name] };
type ListSettings =
  | 'trustProxy'
  | 'metricsAllowedIps'
  | 'egressAllow'
  | 'webhookGlobalEvents'
  | 'corsOrigin'
  | 'corsMethods';
type NumberListSettings = 'webhookRetrySchedule' | 'webhookNoRetryStatus';

/** The settings with names in camel case: SEND_TIMEOUT is `sendTimeout`. A text setting without a value is ''. */
export interface Config extends Readonly<Omit<CamelCaseSettings, ListSettings | NumberListSettings>> {
  readonly trustProxy: readonly string[];
  readonly metricsAllowedIps: readonly string[];
  readonly egressAllow: readonly string[];
  readonly webhookGlobalEvents: readonly string[];
  /** Origins, or `*`. Empty: web pages are not allowed to call the gateway. */
  readonly corsOrigin: readonly string[];
  readonly corsMethods: readonly string[];
  readonly webhookNoRetryStatus: readonly number[];
  /** Delays in ms. */
  readonly webhookRetrySchedule: readonly number[];
  /** The source of `apiKey`. `generated` means that this start created the file with the key. */
  readonly apiKeySource: 'environment' | 'file' | 'generated';
  /** PATH of the process. The gateway looks for ffmpeg in these folders. */
  readonly searchPath: string;
}

const toCamelCase = (name: string) =>
  name.toLowerCase().replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());

/** The configuration is invalid. `problems` has one sentence per problem. */
export class ConfigError extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(`invalid configuration:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** One sentence for a schema error. It does not contain the value, which may be a secret. */
function toProblem(error: { instancePath: string; message?: string; params: Record<string, unknown> }): string {
  const allowed = error.params.allowedValues;
  const name = error.instancePath.slice(1);
  return Array.isArray(allowed) ? `${name} must be one of ${allowed.join(', ')}` : `${name} ${error.message}`;
}

/** Parses and checks values by the schema. Invalid values are replaced by their defaults and reported in `problems`. */
function parseVariables(texts: Record<string, string>): { values: Environment; problems: string[] } {
  const data: unknown = { ...texts };
  if (convertAndValidate(data)) return { values: data, problems: [] };
  const errors = convertAndValidate.errors ?? [];
  const invalid = new Set(errors.map((each) => each.instancePath.slice(1)));
  const rest: unknown = Object.fromEntries(Object.entries(texts).filter(([name]) => !invalid.has(name)));
  if (convertAndValidate(rest)) return { values: rest, problems: errors.map(toProblem) };
  throw new Error('a default of a setting is invalid');
}

const is32BytesInBase64 = (value: string) => Buffer.from(value, 'base64').length === 32;
const isUrl = (value: string, ...schemes: string[]) => schemes.includes(URL.parse(value)?.protocol ?? '');
/** Whether `value` is an origin: an HTTP URL without a path. */
const isOrigin = (value: string) => isUrl(value, 'http:', 'https:') && URL.parse(value)?.href === `${value}/`;
const isSigningSecret = (value: string) => {
  const bytes = Buffer.from(value.replace(/^whsec_/, ''), 'base64');
  return bytes.length >= 24 && bytes.length <= 64 && value === `whsec_${bytes.toString('base64')}`;
};
/** Whether `value` is a complete address. ipaddr.js also accepts 172.16/12, and reads it as 172.0.0.16/12. */
const isAddress = (value: string) => ipaddr.IPv4.isValidFourPartDecimal(value) || ipaddr.IPv6.isValid(value);
const isCidr = (value: string) => isAddress(value.split('/', 1)[0] ?? '') && ipaddr.isValidCIDR(value);
const isNetwork = (value: string) => isAddress(value) || isCidr(value);

/** Checks of server settings that a schema cannot express, as pairs: whether the check passes, the problem if not. */
function checkServerSettings(values: Environment): [boolean, string][] {
  return [
    [
      !values.WEBHOOK_EVENTS_ERRORS || isUrl(values.WEBHOOK_EVENTS_ERRORS_WEBHOOK, 'http:', 'https:'),
      'WEBHOOK_EVENTS_ERRORS_WEBHOOK must be an http:// or https:// URL when WEBHOOK_EVENTS_ERRORS is true',
    ],
    [
      values.SERVER_TYPE === 'http' || (values.SSL_CONF_PRIVKEY !== '' && values.SSL_CONF_FULLCHAIN !== ''),
      'SERVER_TYPE needs SSL_CONF_PRIVKEY and SSL_CONF_FULLCHAIN when it is https',
    ],
    [
      splitList(values.CORS_ORIGIN).every((origin) => ['*', NO_ORIGIN].includes(origin) || isOrigin(origin)),
      'CORS_ORIGIN must be *, none, or origins like https://app.example',
    ],
    [
      splitList(values.CORS_METHODS).every((method) => HTTP_METHODS.includes(method.toUpperCase())),
      `CORS_METHODS must be some of ${HTTP_METHODS.join(', ')}`,
    ],
    [
      (values.METRICS_USER === '') === (values.METRICS_PASSWORD === ''),
      'METRICS_USER and METRICS_PASSWORD must be set together',
    ],
    [!values.METRICS_USER.includes(':'), 'METRICS_USER must not have a colon'],
    [
      values.METRICS_PASSWORD === '' || values.METRICS_PASSWORD.length >= MIN_KEY_LENGTH || values.WEAK_TOKENS,
      `METRICS_PASSWORD must have at least ${MIN_KEY_LENGTH} characters, unless WEAK_TOKENS is true`,
    ],
    [
      splitList(values.METRICS_ALLOWED_IPS).every(isNetwork),
      'METRICS_ALLOWED_IPS must be addresses or CIDRs like 10.0.0.0/8',
    ],
    [values.PROMETHEUS_METRICS || values.METRICS_PORT === 0, 'METRICS_PORT needs PROMETHEUS_METRICS to be true'],
  ];
}

/** One sentence for each broken rule that a schema cannot express. The sentence begins with the name of the setting. */
function findProblems(values: Environment): string[] {
  const checks: [boolean, string][] = [
    [
      values.API_KEY === '' || values.API_KEY.length >= MIN_KEY_LENGTH,
      `API_KEY must have at least ${MIN_KEY_LENGTH} characters`,
    ],
    [values.API_KEY === '' || isPrintableAscii(values.API_KEY), 'API_KEY must consist of printable ASCII characters'],
    [!PUBLISHED_KEYS.has(values.API_KEY.toLowerCase()), 'API_KEY is a published key: choose another one'],
    [
      values.ENCRYPTION_KEY === '' || values.ENCRYPTION_KEY.split(',').every(is32BytesInBase64),
      'ENCRYPTION_KEY must be 32 bytes in base64, or several such keys with commas between them',
    ],
    [
      values.PLATFORM_ROOT_KEY === '' || is32BytesInBase64(values.PLATFORM_ROOT_KEY),
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
    [
      values.NODE_URL === '' || isUrl(values.NODE_URL, 'http:', 'https:'),
      'NODE_URL must be an http:// or https:// URL',
    ],
    [
      !values.WEBHOOK_GLOBAL_ENABLED || isUrl(values.WEBHOOK_GLOBAL_URL, 'http:', 'https:'),
      'WEBHOOK_GLOBAL_URL must be an http:// or https:// URL when WEBHOOK_GLOBAL_ENABLED is true',
    ],
    [
      values.WEBHOOK_GLOBAL_SECRET === '' || isSigningSecret(values.WEBHOOK_GLOBAL_SECRET),
      'WEBHOOK_GLOBAL_SECRET must be whsec_ and 24 to 64 bytes in base64; make one with: echo whsec_$(openssl rand -base64 32)',
    ],
    ...splitList(values.WEBHOOK_GLOBAL_EVENTS).map((name): [boolean, string] => [
      name === NO_EVENTS || SUBSCRIPTION_NAMES.includes(name),
      `WEBHOOK_GLOBAL_EVENTS names ${name}, which is not an event`,
    ]),
    [
      values.WEBHOOK_RETRY_SCHEDULE.split(',').every(isRetryDelay),
      `WEBHOOK_RETRY_SCHEDULE must be delays of ${RETRY_DELAY_RANGE}`,
    ],
    ...checkServerSettings(values),
    [splitList(values.EGRESS_ALLOW).every(isCidr), 'EGRESS_ALLOW must be CIDRs like 10.0.0.0/8'],
    [splitList(values.TRUST_PROXY).every(isNetwork), 'TRUST_PROXY must be addresses or CIDRs like 10.0.0.0/8'],
  ];
  return checks.filter(([isValid]) => !isValid).map(([, problem]) => problem);
}

/**
 * One sentence for each name in `env` that is probably a misspelled setting (D-139). Other unknown names belong to
 * other programs. A name that resembles a short setting name counts only if the difference is a typing error
 * (isLikelyTypo), and only if the setting itself is not set (`values` contains the settings that are set).
 */
function findTypos(env: NodeJS.ProcessEnv, values: Readonly<Record<string, string>>): string[] {
  const isMisspelled = (name: string, setting: string) => {
    if (setting.length < MIN_TYPO_LENGTH) return values[setting] === undefined && isLikelyTypo(name, setting);
    return isTypo(name, setting) || name.toUpperCase() === setting;
  };
  return Object.keys(env).flatMap((name) => {
    // classify() recognizes the setting names of other gateways.
    if (name in SETTINGS || classify(name) || !env[name]?.trim()) return [];
    const meant = Object.keys(SETTINGS).find((setting) => isMisspelled(name, setting));
    return meant ? [`${name} is not a setting: write ${meant}`] : [];
  });
}

/** Reads the API key from `DATA_DIR/api-key`. Creates the file, readable only by its owner, if it does not exist. */
function loadStoredKey(dataDir: string): Pick<Config, 'apiKey' | 'apiKeySource'> {
  const file = join(dataDir, 'api-key');
  const newKey = randomBytes(32).toString('base64url');
  prepareDataDir(dataDir);
  try {
    // `wx`: when two processes start at the same time, one creates the file and both use its key.
    writeFileSync(file, `${newKey}\n`, { mode: 0o600, flag: 'wx' });
    return { apiKey: newKey, apiKeySource: 'generated' };
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    const apiKey = readFileSync(file, 'utf8').trim();
    if (apiKey.length < MIN_KEY_LENGTH || !isPrintableAscii(apiKey))
      throw new ConfigError([`${file} holds no usable key: remove it or set API_KEY`]);
    return { apiKey, apiKeySource: 'file' };
  }
}

/**
 * Replaces the name of the setting at the beginning of each problem by the name that the operator used. `setBy` maps
 * the name of a setting to the alias (a name from another gateway) that set it. A setting without an alias keeps its
 * name.
 */
const renameToAliases = (problems: readonly string[], setBy: Readonly<Record<string, string>>): string[] =>
  problems.map((problem) => problem.replace(/^[A-Z_]+/, (name) => setBy[name] ?? name));

/**
 * Reads only the settings that backup and restore need. Creates no API key. Throws ConfigError when DATA_DIR,
 * DATABASE_URL or ENCRYPTION_KEY is invalid.
 */
export function loadDataSettings(
  env: NodeJS.ProcessEnv = process.env,
): Pick<Config, 'dataDir' | 'databaseUrl' | 'encryptionKey' | 'backupPassphrase'> {
  const read = readSettings(env, Object.keys(SETTINGS));
  const { values, problems } = parseVariables(read.values);
  const names = ['DATA_DIR', 'DATABASE_URL', 'ENCRYPTION_KEY'];
  // Each problem begins with the name of its setting.
  const relevant = [...problems, ...findProblems(values)].filter((problem) =>
    names.includes(problem.split(' ')[0] ?? ''),
  );
  if (relevant.length > 0) throw new ConfigError(renameToAliases(relevant, read.setBy));
  const { DATA_DIR: dataDir, DATABASE_URL: databaseUrl, ENCRYPTION_KEY: encryptionKey } = values;
  return { dataDir, databaseUrl, encryptionKey, backupPassphrase: values.BACKUP_PASSPHRASE };
}

/**
 * Reads all settings from `env`. `defaults` override the built-in defaults. Without API_KEY, reads or creates
 * `DATA_DIR/api-key`. Throws ConfigError with all problems.
 */
export function loadConfig(env: NodeJS.ProcessEnv = process.env, defaults: Record<string, string> = {}): Config {
  const read = readSettings(env, Object.keys(SETTINGS));
  const { values, problems } = parseVariables({ ...defaults, ...read.values });
  problems.push(...findProblems(values));
  read.problems.push(...findTypos(env, read.values));
  if (problems.length + read.problems.length > 0)
    throw new ConfigError([...renameToAliases(problems, read.setBy), ...read.problems]);
  // toCamelCase() converts names as the type CamelCase does.
  const config = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [toCamelCase(name), value]),
  ) as CamelCaseSettings;
  const key = config.apiKey
    ? { apiKey: config.apiKey, apiKeySource: 'environment' as const }
    : loadStoredKey(config.dataDir);
  return Object.freeze({
    ...config,
    ...key,
    searchPath: env.PATH ?? '',
    qrcodeColor: `#${config.qrcodeColor.replace('#', '')}`,
    serverUrl: trimEnd(config.serverUrl, '/'),
    clientName: config.clientName || config.configSessionPhoneClient,
    corsOrigin: splitList(config.corsOrigin).filter((origin) => origin !== NO_ORIGIN),
    corsMethods: splitList(config.corsMethods).map((method) => method.toUpperCase()),
    webhookNoRetryStatus: splitList(config.webhookNoRetryStatus).map(Number),
    trustProxy: splitList(config.trustProxy),
    metricsAllowedIps: splitList(config.metricsAllowedIps),
    egressAllow: splitList(config.egressAllow),
    webhookGlobalEnabled: config.webhookGlobalEnabled && config.webhookGlobalEvents !== NO_EVENTS,
    webhookGlobalEvents: splitList(config.webhookGlobalEvents),
    webhookRetrySchedule: config.webhookRetrySchedule.split(',').map((delay) => Number(delay) * 1000),
  });
}

/** The settings for the startup log. For a secret, the log shows only whether it is set. */
export function summarize({ databaseUrl, ...config }: Config): Record<string, unknown> {
  const secrets = {
    apiKey: true,
    encryptionKey: config.encryptionKey !== '',
    backupPassphrase: config.backupPassphrase !== '',
    platformRootKey: config.platformRootKey !== '',
    webhookGlobalSecret: config.webhookGlobalSecret !== '',
    proxyUsername: config.proxyUsername !== '',
    proxyPassword: config.proxyPassword !== '',
    metricsPassword: config.metricsPassword !== '',
    // Path and query may contain credentials.
    webhookGlobalUrl: URL.parse(config.webhookGlobalUrl)?.origin ?? '',
    webhookEventsErrorsWebhook: URL.parse(config.webhookEventsErrorsWebhook)?.origin ?? '',
  };
  return { ...config, ...secrets, database: databaseUrl === '' ? 'sqlite' : 'postgres' };
}

/** Returns the settings in `env` that have no effect, each with the reason, for the startup log. */
export function startupNoticesOf(env: NodeJS.ProcessEnv = process.env): ReturnType<typeof ineffectiveSettingsOf> {
  const notices = ineffectiveSettingsOf(env);
  const areCredentialsIgnored =
    env.CORS_CREDENTIALS === 'true' && splitList(env.CORS_ORIGIN?.trim() || '*').includes('*');
  const reason = 'CORS_ORIGIN allows any origin';
  return areCredentialsIgnored ? { ...notices, ignored: { ...notices.ignored, CORS_CREDENTIALS: reason } } : notices;
}
