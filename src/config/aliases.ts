// Setting names of other WhatsApp gateways, so that their .env files work here (D-124). Each of their names is an alias
// of one of our settings, is ignored for a reason, or enables a feature that does not exist here.
import { EventName } from '../http/schemas/common.ts';
import type { SETTINGS } from './settings.ts';

type OurSetting = keyof typeof SETTINGS;
type Environment = Readonly<Record<string, string | undefined>>;

/** Our setting by their name, for values of the same form. Our name wins when both are set. */
const DIRECT_ALIASES: Record<string, OurSetting> = {
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

const FIRST_DELAY = 'WEBHOOK_RETRY_INITIAL_DELAY_SECONDS';
const LONGEST_DELAY = 'WEBHOOK_RETRY_MAX_DELAY_SECONDS';
const DOUBLING = 'WEBHOOK_RETRY_USE_EXPONENTIAL_BACKOFF';
const EVENT_SWITCH_PREFIX = 'WEBHOOK_EVENTS_';
/** The value for no events, because an empty value means all. */
export const NO_EVENTS = 'none';
const EVENT_NAMES: readonly string[] = EventName.enum;

/** By our setting: the settings of other gateways from which its value is computed. */
const COMPOSED: Partial<Record<OurSetting, string>> = {
  WEBHOOK_RETRY_SCHEDULE: [FIRST_DELAY, LONGEST_DELAY, DOUBLING].join(', '),
  WEBHOOK_GLOBAL_EVENTS: `${EVENT_SWITCH_PREFIX}<NAME>, one by one`,
};

const NO_BOTS = 'this gateway has no chatbots';
const NO_QUEUES = 'this gateway has no queues; use webhooks, GET /events or socket.io';
const NO_CACHE = 'there is no separate cache';
const ONE_STORE = 'there is one database; use MESSAGE_RETENTION_DAYS and DATABASE_SAVE_…';

/** By the name of a setting of other gateways: why it has no effect. A `*` at the end of a name matches anything. */
export const IGNORED: Record<string, string> = {
  SERVER_NAME: 'use CLIENT_NAME',
  AUTHENTICATION_TYPE: 'requests always need a key',
  LOG_COLOR: 'log lines have colors only in a terminal',
  DEL_TEMP_INSTANCES: 'there are no temporary instances',
  EVENT_EMITTER_MAX_LISTENERS: 'this gateway has no such limit',
  WEBSOCKET_ALLOWED_HOSTS: 'socket.io clients always need a key',
  LANGUAGE: NO_BOTS,
  DATABASE_PROVIDER: 'DATABASE_URL determines it',
  DATABASE_ENABLED: 'the database cannot be disabled',
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

/** Features that do not exist here. A startup warning names each one whose setting `name` has the value `enabledBy`. */
export const UNSUPPORTED: readonly { name: string; enabledBy: string; reason: string }[] = [
  ...['RABBITMQ', 'SQS', 'NATS', 'KAFKA', 'PUSHER'].map((queue) => featureSwitch(queue, NO_QUEUES)),
  ...['TYPEBOT', 'CHATWOOT', 'OPENAI', 'DIFY', 'N8N', 'EVOAI', 'FLOWISE'].map((bot) => featureSwitch(bot, NO_BOTS)),
  featureSwitch('S3', 'files are served by GET /media, not uploaded'),
  featureSwitch('PROVIDER', 'sessions are stored in the database'),
  { name: 'AUTHENTICATION_TYPE', enabledBy: 'jwt', reason: 'JWTs are not supported, only keys' },
  { name: 'DATABASE_SAVE_DATA_INSTANCE', enabledBy: 'false', reason: 'instances are always stored' },
];

function featureSwitch(feature: string, reason: string) {
  return { name: `${feature}_ENABLED`, enabledBy: 'true', reason };
}

/** Index in LEVEL_NAMES by the level name of this gateway or of others. */
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
 * Conversions of values in the form of other gateways, by our setting. They return a value in neither form unchanged,
 * so that the schema of the setting refuses it.
 */
const CONVERSIONS: Partial<Record<string, (value: string) => string>> = {
  // The most verbose level of the list, because a level includes all more severe ones.
  LOG_LEVEL(value) {
    const indexes = namesIn(value).map((name) => LEVEL_INDEXES[name.toLowerCase()] ?? Number.NaN);
    return LEVEL_NAMES[Math.min(...indexes)] ?? value;
  },
  DEL_INSTANCE: (value) => (value === 'false' ? '0' : value),
};

const namesIn = (list: string): string[] =>
  list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

const setting = (env: Environment, name: string) => env[name]?.trim() || undefined;

export interface ReadSettings {
  /** Values in our form, by our name. */
  values: Record<string, string>;
  /** The alias that was set instead, by our name. */
  setBy: Record<string, string>;
  /** Errors in settings that exist only in other gateways. */
  problems: string[];
}

/** Reads the settings `names` and their aliases from `env`. An empty value means: not set. */
export function readSettings(env: Environment, names: readonly string[]): ReadSettings {
  const read: ReadSettings = { values: {}, setBy: {}, problems: [] };
  const setValue = (ours: string, name: string, value: string | undefined) => {
    if (value === undefined) return;
    read.values[ours] = CONVERSIONS[ours]?.(value) ?? value;
    if (name === ours) delete read.setBy[ours];
    else read.setBy[ours] = name;
  };
  readSchedule(env, setValue);
  readGlobalEvents(env, setValue, read.problems);
  for (const [theirs, ours] of Object.entries(DIRECT_ALIASES)) {
    const isUnused = theirs === 'DATABASE_CONNECTION_URI' && setting(env, 'DATABASE_ENABLED') === 'false';
    if (!isUnused) setValue(ours, theirs, setting(env, theirs));
  }
  for (const name of names) setValue(name, name, setting(env, name));
  const provider = setting(env, 'DATABASE_PROVIDER');
  if (read.setBy.DATABASE_URL && provider && !/^postgres(ql)?$/.test(provider))
    read.problems.push('DATABASE_PROVIDER must be postgresql');
  return read;
}

type SetValue = (ours: string, name: string, value: string | undefined) => void;

/**
 * Other gateways have settings for the first and the longest delay. Each delay in between is twice the previous one.
 */
function readSchedule(env: Environment, setValue: SetValue): void {
  if (![FIRST_DELAY, LONGEST_DELAY, DOUBLING].some((name) => setting(env, name))) return;
  const [first, longest] = [setting(env, FIRST_DELAY) ?? '5', setting(env, LONGEST_DELAY) ?? '300'];
  const isNumber = (value: string) => /^\d+(\.\d+)?$/.test(value);
  if (!isNumber(first)) setValue('WEBHOOK_RETRY_SCHEDULE', FIRST_DELAY, first);
  else if (!isNumber(longest)) setValue('WEBHOOK_RETRY_SCHEDULE', LONGEST_DELAY, longest);
  else
    setValue(
      'WEBHOOK_RETRY_SCHEDULE',
      FIRST_DELAY,
      toDelays(Number(first), Number(longest), setting(env, DOUBLING) !== 'false'),
    );
}

/** The value of WEBHOOK_RETRY_SCHEDULE: delays in seconds, comma separated. */
function toDelays(first: number, longest: number, isDoubling: boolean): string {
  if (!isDoubling || first === 0) return String(first);
  const delays: number[] = [];
  for (let delay = first; delay < longest; delay *= 2) delays.push(delay);
  return [...delays, Math.max(first, longest)].join(',');
}

/** Other gateways have one switch per event. The global webhook is disabled when all switches are off. */
function readGlobalEvents(env: Environment, setValue: SetValue, problems: string[]): void {
  const switches = EVENT_NAMES.map((name) => ({
    name,
    value: setting(env, EVENT_SWITCH_PREFIX + name)?.toLowerCase(),
  })).filter(({ value }) => value !== undefined);
  for (const { name, value } of switches)
    if (value !== 'true' && value !== 'false') problems.push(`${EVENT_SWITCH_PREFIX}${name} must be boolean`);
  if (switches.length === 0) return;
  const enabled = switches.filter(({ value }) => value === 'true').map(({ name }) => name);
  setValue('WEBHOOK_GLOBAL_EVENTS', `${EVENT_SWITCH_PREFIX}…`, enabled.join(',') || NO_EVENTS);
}

/** The aliases of one of our settings, for .env.example. */
export function aliasesOf(ours: string): string[] {
  const same = Object.entries(DIRECT_ALIASES).flatMap(([theirs, name]) => (name === ours ? [theirs] : []));
  const parts = Object.entries(COMPOSED).flatMap(([name, theirs]) => (name === ours ? [theirs] : []));
  return [...same, ...parts];
}

const matches = (pattern: string, name: string) =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;

/** How this gateway treats a name that is not one of its settings; undefined for an unknown name. */
export function classify(name: string): 'alias' | 'ignored' | 'unsupported' | undefined {
  if (name in DIRECT_ALIASES || [FIRST_DELAY, LONGEST_DELAY, DOUBLING].includes(name)) return 'alias';
  if (EVENT_NAMES.some((event) => name === EVENT_SWITCH_PREFIX + event)) return 'alias';
  if (UNSUPPORTED.some((feature) => feature.name === name)) return 'unsupported';
  return SILENTLY_IGNORED.includes(name) || Object.keys(IGNORED).some((pattern) => matches(pattern, name))
    ? 'ignored'
    : undefined;
}

/** The reasons, by name, why settings in `env` have no effect. They do not contain values, which may be secrets. */
export function ineffectiveSettingsOf(env: Environment): {
  ignored: Record<string, string>;
  unsupported: Record<string, string>;
} {
  const requested = UNSUPPORTED.filter(({ name, enabledBy }) => setting(env, name)?.toLowerCase() === enabledBy);
  const ignored = Object.keys(env).flatMap((name) => {
    const value = setting(env, name);
    // A feature that is switched off is not worth a log line.
    if (value === undefined || value === 'false' || requested.some((feature) => feature.name === name)) return [];
    const reason = Object.entries(IGNORED).find(([pattern]) => matches(pattern, name))?.[1];
    return reason ? [[name, reason]] : [];
  });
  return {
    ignored: Object.fromEntries(ignored),
    unsupported: Object.fromEntries(requested.map(({ name, reason }) => [name, reason])),
  };
}
