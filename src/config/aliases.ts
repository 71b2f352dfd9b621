// The names that other gateways give to settings, and what becomes of each: another name of one of ours, known and without effect, or a
// feature that is not here. The only place that knows them.
import { EventName } from '../http/schemas/common.ts';
import type { SETTINGS } from './settings.ts';

type Ours = keyof typeof SETTINGS;
type Environment = Readonly<Record<string, string | undefined>>;

/** Other names of ours, written the same way. Ours wins when both are set. */
const aliases: Record<string, Ours> = {
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
const EVENT_SWITCH = 'WEBHOOK_EVENTS_';
/** Stands for none, where empty means all. */
export const NO_EVENTS = 'none';
const eventNames: readonly string[] = EventName.enum;

/** One of ours made of several of theirs. */
const composed: Partial<Record<Ours, string>> = {
  WEBHOOK_RETRY_SCHEDULE: [FIRST_DELAY, LONGEST_DELAY, DOUBLING].join(', '),
  WEBHOOK_GLOBAL_EVENTS: `${EVENT_SWITCH}<NAME>, one by one`,
};

const noBots = 'there are no chatbots';
const noQueues = 'events are posted and streamed, there are no queues';
const noCache = 'there is one store, and no cache beside it';
const oldStore = 'everything is in one database, see MESSAGE_RETENTION_DAYS and DATABASE_SAVE_…';

/** Understood and without effect: why. `*` at the end stands for anything. */
const ignored: Record<string, string> = {
  SERVER_NAME: 'CLIENT_NAME is what is shown',
  AUTHENTICATION_TYPE: 'requests carry a key',
  LOG_COLOR: 'colours are for terminals alone',
  DEL_TEMP_INSTANCES: 'there are no temporary instances',
  EVENT_EMITTER_MAX_LISTENERS: 'nothing depends on it',
  WEBSOCKET_ALLOWED_HOSTS: 'sockets need a key, wherever they come from',
  LANGUAGE: noBots,
  DATABASE_PROVIDER: 'the address says it',
  DATABASE_ENABLED: 'there is always a store',
  DATABASE_DELETE_MESSAGE: 'deleted messages lose their content and keep their key',
  DATABASE_CONNECTION_DB_PREFIX_NAME: 'a database belongs to one gateway',
  'STORE_*': oldStore,
  'CLEAN_STORE_*': oldStore,
  'CACHE_*': noCache,
  TELEMETRY_ENABLED: 'nothing is sent to anybody',
  TELEMETRY_URL: 'nothing is sent to anybody',
  SENTRY_DSN: 'crashes are reported to the log alone',
  'API_AUDIO_CONVERTER*': 'sounds are converted here, see FFMPEG_PATH',
  'WA_BUSINESS_*': 'there is no business API',
  'FACEBOOK_*': 'there is no business API',
};

/** Set by images and tools, for everybody: not worth a word. */
const silent = ['NODE_ENV', 'DOCKER_ENV'];

/** Features that are not here. Whoever asks for one hears so at every start. */
const missing: { name: string; asksWith: string; reason: string }[] = [
  ...['RABBITMQ', 'SQS', 'NATS', 'KAFKA', 'PUSHER'].map((queue) => enabled(queue, noQueues)),
  ...['TYPEBOT', 'CHATWOOT', 'OPENAI', 'DIFY', 'N8N', 'EVOAI', 'FLOWISE'].map((bot) => enabled(bot, noBots)),
  enabled('S3', 'files are handed out by GET /media, nothing is uploaded'),
  enabled('PROVIDER', 'sessions are in the database'),
  { name: 'AUTHENTICATION_TYPE', asksWith: 'jwt', reason: 'tokens are not understood, only keys' },
  { name: 'DATABASE_SAVE_DATA_INSTANCE', asksWith: 'false', reason: 'instances are always stored' },
];

function enabled(feature: string, reason: string) {
  return { name: `${feature}_ENABLED`, asksWith: 'true', reason };
}

/** What talks at which of our levels. */
const levels: Record<string, number> = {
  ...{ trace: 0, debug: 1, verbose: 1, dark: 1, info: 2, log: 2, webhooks: 2, websocket: 2 },
  ...{ warn: 3, error: 4, fatal: 5, silent: 6 },
};
const levelNames = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** Values that others write differently, in our form; what is in no form stays as it is and is refused by its schema. */
const conversions: Partial<Record<string, (value: string) => string>> = {
  // The most talkative of the listed ones: here a level includes the graver ones.
  LOG_LEVEL(value) {
    const ranks = namesIn(value).map((name) => levels[name.toLowerCase()] ?? Number.NaN);
    return levelNames[Math.min(...ranks)] ?? value;
  },
  DEL_INSTANCE: (value) => (value === 'false' ? '0' : value),
};

const namesIn = (list: string): string[] =>
  list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

const setting = (env: Environment, name: string) => env[name]?.trim() || undefined;

export interface Read {
  /** Under our names, in our form. */
  values: Record<string, string>;
  /** Our name → the one that was set, where that is another one. */
  givenAs: Record<string, string>;
  /** What is wrong with what only others have. */
  problems: string[];
}

/** The settings among `env` that `names` and their other names stand for. Empty values count as not set. */
export function readSettings(env: Environment, names: readonly string[]): Read {
  const read: Read = { values: {}, givenAs: {}, problems: [] };
  const take = (ours: string, given: string, value: string | undefined) => {
    if (value === undefined) return;
    read.values[ours] = conversions[ours]?.(value) ?? value;
    if (given === ours) delete read.givenAs[ours];
    else read.givenAs[ours] = given;
  };
  readSchedule(env, take);
  readGlobalEvents(env, take, read.problems);
  for (const [given, ours] of Object.entries(aliases)) {
    const isUnused = given === 'DATABASE_CONNECTION_URI' && setting(env, 'DATABASE_ENABLED') === 'false';
    if (!isUnused) take(ours, given, setting(env, given));
  }
  for (const name of names) take(name, name, setting(env, name));
  const provider = setting(env, 'DATABASE_PROVIDER');
  if (read.givenAs.DATABASE_URL && provider && !/^postgres(ql)?$/.test(provider))
    read.problems.push('DATABASE_PROVIDER must be postgresql');
  return read;
}

type Take = (ours: string, given: string, value: string | undefined) => void;

/** Others give the first pause and the longest one, between which each is twice the one before. */
function readSchedule(env: Environment, take: Take): void {
  if (![FIRST_DELAY, LONGEST_DELAY, DOUBLING].some((name) => setting(env, name))) return;
  const [first, longest] = [setting(env, FIRST_DELAY) ?? '5', setting(env, LONGEST_DELAY) ?? '300'];
  const isNumber = (value: string) => /^\d+(\.\d+)?$/.test(value);
  if (!isNumber(first)) take('WEBHOOK_RETRY_SCHEDULE', FIRST_DELAY, first);
  else if (!isNumber(longest)) take('WEBHOOK_RETRY_SCHEDULE', LONGEST_DELAY, longest);
  else
    take(
      'WEBHOOK_RETRY_SCHEDULE',
      FIRST_DELAY,
      pausesOf(Number(first), Number(longest), setting(env, DOUBLING) !== 'false'),
    );
}

/** In seconds, comma separated. */
function pausesOf(first: number, longest: number, isDoubling: boolean): string {
  if (!isDoubling || first === 0) return String(first);
  const pauses: number[] = [];
  for (let pause = first; pause < longest; pause *= 2) pauses.push(pause);
  return [...pauses, Math.max(first, longest)].join(',');
}

/** One switch for each event. All of them off is a webhook that is off. */
function readGlobalEvents(env: Environment, take: Take, problems: string[]): void {
  const switches = eventNames
    .map((name) => ({ name, value: setting(env, EVENT_SWITCH + name)?.toLowerCase() }))
    .filter(({ value }) => value !== undefined);
  for (const { name, value } of switches)
    if (value !== 'true' && value !== 'false') problems.push(`${EVENT_SWITCH}${name} must be boolean`);
  if (switches.length === 0) return;
  const on = switches.filter(({ value }) => value === 'true').map(({ name }) => name);
  take('WEBHOOK_GLOBAL_EVENTS', `${EVENT_SWITCH}…`, on.join(',') || NO_EVENTS);
}

/** Other names of a setting of ours, as .env.example shows them. */
export function ALIASES(ours: string): string[] {
  const same = Object.entries(aliases).flatMap(([given, name]) => (name === ours ? [given] : []));
  const parts = Object.entries(composed).flatMap(([name, given]) => (name === ours ? [given] : []));
  return [...same, ...parts];
}

/** Known names without effect and why, as .env.example shows them. */
export const IGNORED: Readonly<Record<string, string>> = ignored;
/** Features that are not here, by the name that would switch them on. */
export const UNSUPPORTED: readonly { name: string; asksWith: string; reason: string }[] = missing;

const matches = (pattern: string, name: string) =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;

/** What becomes of a name that is none of ours; undefined for one that nobody knows. */
export function classify(name: string): 'understood' | 'ignored' | 'missing' | undefined {
  if (name in aliases || [FIRST_DELAY, LONGEST_DELAY, DOUBLING].includes(name)) return 'understood';
  if (eventNames.some((event) => name === EVENT_SWITCH + event)) return 'understood';
  if (missing.some((feature) => feature.name === name)) return 'missing';
  return silent.includes(name) || Object.keys(ignored).some((pattern) => matches(pattern, name))
    ? 'ignored'
    : undefined;
}

/** What an operator should know of the names in `env` that have no effect: name → reason. Values are not repeated. */
export function startupNotices(env: Environment): { ignored: Record<string, string>; missing: Record<string, string> } {
  const asked = missing.filter(({ name, asksWith }) => setting(env, name)?.toLowerCase() === asksWith);
  const without = Object.keys(env).flatMap((name) => {
    const value = setting(env, name);
    // Nobody misses what was switched off.
    if (value === undefined || value === 'false' || asked.some((feature) => feature.name === name)) return [];
    const reason = Object.entries(ignored).find(([pattern]) => matches(pattern, name))?.[1];
    return reason ? [[name, reason]] : [];
  });
  return {
    ignored: Object.fromEntries(without),
    missing: Object.fromEntries(asked.map(({ name, reason }) => [name, reason])),
  };
}
