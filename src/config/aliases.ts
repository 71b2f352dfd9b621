// Setting names of other WhatsApp gateways, so that their .env files work here (D-124). Each of these names is an alias
// of a setting of this gateway, is ignored for a reason, or enables a feature that this gateway does not have.
import { SUBSCRIPTION_NAMES } from '../events/event-names.ts';
import { splitList } from '../lib/split-list.ts';
import { isRetryDelay } from './settings/webhooks.ts';
import type { SETTINGS } from './settings.ts';

type SettingName = keyof typeof SETTINGS;
type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/**
 * The settings by alias. A setting gets the value of its alias unchanged. When the setting and its alias are both set,
 * the value of the setting counts.
 */
const DIRECT_ALIASES: Record<string, SettingName> = {
  SERVER_PORT: 'PORT',
  AUTHENTICATION_API_KEY: 'API_KEY',
  AUTHENTICATION_EXPOSE_IN_FETCH_INSTANCES: 'EXPOSE_INSTANCE_KEYS',
  CONFIG_SESSION_PHONE_VERSION: 'PLATFORM_VERSION',
  DATABASE_CONNECTION_URI: 'DATABASE_URL',
  DATABASE_CONNECTION_CLIENT_NAME: 'CLIENT_NAME',
  WEBHOOK_REQUEST_TIMEOUT_MS: 'WEBHOOK_TIMEOUT',
  WEBHOOK_RETRY_MAX_ATTEMPTS: 'WEBHOOK_MAX_ATTEMPTS',
  WEBHOOK_RETRY_JITTER_FACTOR: 'WEBHOOK_RETRY_JITTER',
  WEBHOOK_RETRY_NON_RETRYABLE_STATUS_CODES: 'WEBHOOK_NO_RETRY_STATUS',
};

/** The settings of other gateways that define their retry schedule. */
const FIRST_DELAY = 'WEBHOOK_RETRY_INITIAL_DELAY_SECONDS';
const LONGEST_DELAY = 'WEBHOOK_RETRY_MAX_DELAY_SECONDS';
const USE_DOUBLING = 'WEBHOOK_RETRY_USE_EXPONENTIAL_BACKOFF';
const SCHEDULE_SETTINGS = [FIRST_DELAY, LONGEST_DELAY, USE_DOUBLING];
/** The delays, in seconds, that other gateways use when these settings are absent. */
const DEFAULT_FIRST_DELAY = '5';
const DEFAULT_LONGEST_DELAY = '300';
/** Prefix of the settings of other gateways that switch one event of the global webhook on or off. */
const EVENT_SWITCH_PREFIX = 'WEBHOOK_EVENTS_';
/** The value of WEBHOOK_GLOBAL_EVENTS for no events. An empty value means all events. */
export const NO_EVENTS = 'none';

/** By setting: the aliases from which its value is computed, as a text for the documentation. */
const COMPUTED_ALIASES: Partial<Record<SettingName, string>> = {
  WEBHOOK_RETRY_SCHEDULE: SCHEDULE_SETTINGS.join(', '),
  WEBHOOK_GLOBAL_EVENTS: `${EVENT_SWITCH_PREFIX}<NAME>, one per event`,
};

const NO_BOTS = 'this gateway has no chatbots';
const NO_QUEUES = 'this gateway has no queues; use webhooks, GET /events or socket.io';
const NO_CACHE = 'there is no separate cache';
const ONE_STORE = 'there is one database; use MESSAGE_RETENTION_DAYS and DATABASE_SAVE_…';

/** By the name of a setting of other gateways: why it has no effect. A `*` at the end of a name matches any text. */
export const IGNORED: Record<string, string> = {
  SERVER_NAME: 'use CLIENT_NAME',
  // The value `jwt` is in UNSUPPORTED.
  AUTHENTICATION_TYPE: 'requests always need a key',
  LOG_COLOR: 'log lines have colors only in a terminal',
  DEL_TEMP_INSTANCES: 'there are no temporary instances',
  EVENT_EMITTER_MAX_LISTENERS: 'this gateway has no such limit',
  WEBSOCKET_ALLOWED_HOSTS: 'socket.io clients always need a key',
  LANGUAGE: NO_BOTS,
  DATABASE_PROVIDER: 'DATABASE_URL determines it',
  DATABASE_DELETE_MESSAGE: 'deleted messages always lose their content and keep their key',
  DATABASE_CONNECTION_DB_PREFIX_NAME: 'one database belongs to one gateway',
  'STORE_*': ONE_STORE,
  'CLEAN_STORE_*': ONE_STORE,
  'CACHE_*': NO_CACHE,
  TELEMETRY_ENABLED: 'this gateway sends no telemetry',
  TELEMETRY_URL: 'this gateway sends no telemetry',
  SENTRY_DSN: 'errors are only logged',
  'API_AUDIO_CONVERTER*': 'audio is converted locally, see FFMPEG_PATH',
  'WA_BUSINESS_*': 'this gateway has no business API',
  'FACEBOOK_*': 'this gateway has no business API',
};

/** Variables that container images and tools set. They are ignored, and the startup log does not mention them. */
const SILENTLY_IGNORED = ['NODE_ENV', 'DOCKER_ENV'];

/** Features that this gateway does not have. The start logs a warning if `name` has the value `enabledBy`. */
export const UNSUPPORTED: readonly { name: string; enabledBy: string; reason: string }[] = [
  ...['RABBITMQ', 'SQS', 'NATS', 'KAFKA', 'PUSHER'].map((queue) => toFeatureSwitch(queue, NO_QUEUES)),
  ...['TYPEBOT', 'CHATWOOT', 'OPENAI', 'DIFY', 'N8N', 'EVOAI', 'FLOWISE'].map((bot) => toFeatureSwitch(bot, NO_BOTS)),
  toFeatureSwitch('S3', 'files are served by GET /media, not uploaded'),
  toFeatureSwitch('PROVIDER', 'sessions are stored in the database'),
  { name: 'AUTHENTICATION_TYPE', enabledBy: 'jwt', reason: 'JWTs are not supported, only keys' },
  { name: 'DATABASE_ENABLED', enabledBy: 'false', reason: 'the database cannot be disabled' },
  { name: 'DATABASE_SAVE_DATA_INSTANCE', enabledBy: 'false', reason: 'instances are always stored' },
];

function toFeatureSwitch(feature: string, reason: string) {
  return { name: `${feature}_ENABLED`, enabledBy: 'true', reason };
}

/** By the name of a log level of this gateway or of others: its index in LEVEL_NAMES. */
const LEVEL_INDEXES: Record<string, number> = {
  trace: 0,
  debug: 1,
  verbose: 1,
  dark: 1,
  info: 2,
  log: 2,
  webhooks: 2,
  websocket: 2,
  warn: 3,
  error: 4,
  fatal: 5,
  silent: 6,
};
const LEVEL_NAMES = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/**
 * Conversions of values from the form of other gateways, by setting. A value in an unknown form stays unchanged, so
 * that the schema of the setting refuses it.
 */
const CONVERSIONS: Partial<Record<string, (value: string) => string>> = {
  // The most verbose level of the list, because a level includes all more severe ones.
  LOG_LEVEL(value) {
    const names = splitList(value);
    const indexes = names.map((name) => LEVEL_INDEXES[name.toLowerCase()]).filter((index) => index !== undefined);
    if (indexes.length === 0 || indexes.length < names.length) return value;
    return LEVEL_NAMES[Math.min(...indexes)] ?? value;
  },
  // Other gateways write `false` for never. The setting is a number of minutes, where 0 means never.
  DEL_INSTANCE: (value) => (value === 'false' ? '0' : value),
};

/** The value of a variable; undefined for an empty one, which counts as not set. */
const envValue = (env: EnvironmentVariables, name: string) => env[name]?.trim() || undefined;

export interface ReadSettings {
  /** Values in the form of this gateway, by setting. */
  values: Record<string, string>;
  /** The alias from which the value was read, by setting. A setting that was set by its own name has no entry. */
  setBy: Record<string, string>;
  /** Errors in settings that exist only in other gateways. */
  problems: string[];
}

/**
 * Reads the settings `names` and their aliases from `env`. An empty value means: not set. The settings are read after
 * the aliases, so that they replace the values of aliases.
 */
export function readSettings(env: EnvironmentVariables, names: readonly string[]): ReadSettings {
  const read: ReadSettings = { values: {}, setBy: {}, problems: [] };
  const setValue: SetValue = (setting, name, value) => {
    if (value === undefined) return;
    read.values[setting] = CONVERSIONS[setting]?.(value) ?? value;
    if (name === setting) delete read.setBy[setting];
    else read.setBy[setting] = name;
  };
  readSchedule(env, setValue);
  readGlobalEvents(env, setValue, read.problems);
  for (const [alias, setting] of Object.entries(DIRECT_ALIASES)) {
    // Other gateways ignore DATABASE_CONNECTION_URI when DATABASE_ENABLED is false.
    const isUnused = alias === 'DATABASE_CONNECTION_URI' && envValue(env, 'DATABASE_ENABLED') === 'false';
    if (!isUnused) setValue(setting, alias, envValue(env, alias));
  }
  for (const name of names) setValue(name, name, envValue(env, name));
  // In other gateways, DATABASE_PROVIDER says which database the alias of DATABASE_URL points to. DATABASE_PROVIDER
  // has no effect when DATABASE_URL itself is set.
  const provider = envValue(env, 'DATABASE_PROVIDER');
  if (read.setBy.DATABASE_URL && provider && !/^postgres(ql)?$/.test(provider))
    read.problems.push('DATABASE_PROVIDER must be postgresql');
  return read;
}

/** Sets the value of `setting`. `name` is the variable from which it was read: the setting itself or an alias. */
type SetValue = (setting: string, name: string, value: string | undefined) => void;

/**
 * Other gateways have settings for the first and the longest delay. Each delay in between is twice the previous one,
 * unless USE_DOUBLING is false: the schedule then has only the first delay, which is repeated.
 */
function readSchedule(env: EnvironmentVariables, setValue: SetValue): void {
  if (!SCHEDULE_SETTINGS.some((name) => envValue(env, name))) return;
  const first = envValue(env, FIRST_DELAY) ?? DEFAULT_FIRST_DELAY;
  const longest = envValue(env, LONGEST_DELAY) ?? DEFAULT_LONGEST_DELAY;
  const isNumber = (value: string) => /^\d+(\.\d+)?$/.test(value);
  // A value that is not a number is set unchanged, so that the schema of the setting refuses it.
  if (!isNumber(first)) {
    setValue('WEBHOOK_RETRY_SCHEDULE', FIRST_DELAY, first);
    return;
  }
  if (!isNumber(longest)) {
    setValue('WEBHOOK_RETRY_SCHEDULE', LONGEST_DELAY, longest);
    return;
  }
  const isConstant = envValue(env, USE_DOUBLING) === 'false' || Number(first) === 0;
  const delays = isConstant ? [Number(first)] : toDoublingDelays(Number(first), Number(longest));
  // A message about a delay out of range has the name of the setting that caused it: the longest delay, when the first
  // one is in range.
  setValue('WEBHOOK_RETRY_SCHEDULE', isRetryDelay(first) ? LONGEST_DELAY : FIRST_DELAY, delays.join(','));
}

/**
 * Delays in seconds, each twice the previous one, up to `longest`. `first` must be greater than 0. When `first` is at
 * least `longest`, the only delay is `first`.
 */
function toDoublingDelays(first: number, longest: number): number[] {
  const delays: number[] = [];
  for (let delay = first; delay < longest; delay *= 2) delays.push(delay);
  return [...delays, Math.max(first, longest)];
}

/**
 * Other gateways have one switch per event. As soon as one switch is set, the events without a switch are off. When no
 * event is on, the value is NO_EVENTS.
 */
function readGlobalEvents(env: EnvironmentVariables, setValue: SetValue, problems: string[]): void {
  const switches = SUBSCRIPTION_NAMES.map((name) => ({
    name,
    value: envValue(env, EVENT_SWITCH_PREFIX + name)?.toLowerCase(),
  })).filter(({ value }) => value !== undefined);
  for (const { name, value } of switches)
    if (value !== 'true' && value !== 'false') problems.push(`${EVENT_SWITCH_PREFIX}${name} must be boolean`);
  if (switches.length === 0) return;
  const enabled = switches.filter(({ value }) => value === 'true').map(({ name }) => name);
  setValue('WEBHOOK_GLOBAL_EVENTS', `${EVENT_SWITCH_PREFIX}…`, enabled.join(',') || NO_EVENTS);
}

/** The aliases of a setting, for .env.example and the reference of settings. */
export function aliasesOf(setting: string): string[] {
  const direct = Object.entries(DIRECT_ALIASES).flatMap(([alias, name]) => (name === setting ? [alias] : []));
  const computed = Object.entries(COMPUTED_ALIASES).flatMap(([name, aliases]) => (name === setting ? [aliases] : []));
  return [...direct, ...computed];
}

const matches = (pattern: string, name: string) =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;

/** How this gateway treats a name that is not one of its settings; undefined for an unknown name. */
export function classify(name: string): 'alias' | 'ignored' | 'unsupported' | undefined {
  if (Object.hasOwn(DIRECT_ALIASES, name) || SCHEDULE_SETTINGS.includes(name)) return 'alias';
  if (SUBSCRIPTION_NAMES.some((event) => name === EVENT_SWITCH_PREFIX + event)) return 'alias';
  if (UNSUPPORTED.some((feature) => feature.name === name)) return 'unsupported';
  return SILENTLY_IGNORED.includes(name) || Object.keys(IGNORED).some((pattern) => matches(pattern, name))
    ? 'ignored'
    : undefined;
}

/** Why settings in `env` have no effect, by name. The reasons do not contain values, which may be secrets. */
export function ineffectiveSettingsOf(env: EnvironmentVariables): {
  ignored: Record<string, string>;
  unsupported: Record<string, string>;
} {
  const enabledFeatures = UNSUPPORTED.filter(({ name, enabledBy }) => envValue(env, name)?.toLowerCase() === enabledBy);
  const ignored = Object.keys(env).flatMap((name) => {
    const value = envValue(env, name);
    // A disabled feature needs no log line. An enabled feature is in `unsupported`.
    const isDisabled = value?.toLowerCase() === 'false';
    if (value === undefined || isDisabled || enabledFeatures.some((feature) => feature.name === name)) return [];
    const reason = Object.entries(IGNORED).find(([pattern]) => matches(pattern, name))?.[1];
    return reason ? [[name, reason]] : [];
  });
  return {
    ignored: Object.fromEntries(ignored),
    unsupported: Object.fromEntries(enabledFeatures.map(({ name, reason }) => [name, reason])),
  };
}
