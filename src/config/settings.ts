// Every setting: its name, what it is for, its default and its limits. Reads nothing.
import { type TProperties, Type } from '@sinclair/typebox';

const text = (description: string, fallback = '') => Type.String({ description, default: fallback });
const flag = (description: string, fallback = false) => Type.Boolean({ description, default: fallback });
const whole = (description: string, fallback: number, minimum = 0, maximum = 2 ** 31 - 1) =>
  Type.Integer({ description, default: fallback, minimum, maximum });
const ms = (description: string, fallback: number) => whole(`${description}, in ms`, fallback, 1);
const choice = <const T extends string>(description: string, fallback: T, allowed: readonly T[]) =>
  Type.Unsafe<T>({ type: 'string', description, default: fallback, enum: allowed });

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** Every variable, in the order of .env.example. An empty value means: not set. */
export const SETTINGS = {
  HOST: text('Address to listen on (npm run sandbox: 127.0.0.1)', '0.0.0.0'),
  PORT: whole('Port to listen on, 0 for any free one', 8080, 0, 65535),
  SERVER_URL: text(
    'Public base URL, shown in records and webhooks; empty: taken from the request, in webhooks HOST and PORT',
  ),
  SERVER_TYPE: choice('Plain HTTP, or HTTPS with the certificate below', 'http', ['http', 'https']),
  SSL_CONF_PRIVKEY: text('File with the private key of the certificate, PEM'),
  SSL_CONF_FULLCHAIN: text('File with the certificate and its chain, PEM; read again when it changes'),
  CORS_ORIGIN: text('Origins whose pages may call the gateway, comma separated; *: any; none: no page may', '*'),
  CORS_METHODS: text('Methods they may use, comma separated', 'GET,POST,PUT,PATCH,DELETE'),
  CORS_CREDENTIALS: flag('Let browsers send credentials along; without effect while any origin may call'),
  CLIENT_NAME: text('Name of this gateway in GET / and in records; empty: CONFIG_SESSION_PHONE_CLIENT'),
  DATA_DIR: text('Folder of the database, the keys and everything else that must survive', './data'),
  DATABASE_URL: text('postgres://… ; empty: SQLite in DATA_DIR'),
  DATABASE_SHARED: flag('Create the tables of the gateway in a database that has those of another program'),
  DATABASE_WAIT: whole('Time a start waits for a PostgreSQL server that is not there yet, in ms', 60_000),
  DATABASE_POOL_SIZE: whole('Most connections to PostgreSQL at once, besides two for leases', 10, 1, 1000),
  CLUSTER: flag(
    'Share the PostgreSQL database with other nodes; false: this process has it to itself, and nothing checks that',
    true,
  ),
  NODE_NAME: text('Name of this node, the same after a restart; empty: host name and port'),
  NODE_URL: text('Address under which the other nodes reach this one; empty: its address and port'),
  NODE_CAPACITY: whole('Most instances that this node takes; 0: any number', 0),
  LEASE_TTL: whole('Time without a sign of life after which other nodes take its instances, in seconds', 15, 2, 3600),
  SQLITE_SYNCHRONOUS: choice('SQLite durability: NORMAL survives a crash, FULL also a power cut', 'NORMAL', [
    'NORMAL',
    'FULL',
  ]),
  ENCRYPTION_KEY: text('32 bytes in base64 that encrypt secrets at rest; empty: kept in DATA_DIR'),
  BACKUP_PASSPHRASE: text('Passphrase that npm run backup and npm run restore encrypt with; empty: none'),
  API_KEY: text('Global key, at least 16 characters; empty: generated into DATA_DIR/api-key'),
  EXPOSE_INSTANCE_KEYS: flag('Show instance keys in fetchInstances', true),
  WEAK_TOKENS: flag('Take keys of new instances that are shorter than 16 characters; those that exist work either way'),
  AUTH_FAILURE_LIMIT: whole('Requests without a valid key per minute and address before 429; 0: no limit', 200),
  RATE_LIMIT: whole('Requests per minute with one key before 429; 0: no limit', 0),
  AUDIT_RETENTION_DAYS: whole(
    'Days that GET /audit knows what was done with keys; 0: nothing is recorded',
    90,
    0,
    3650,
  ),
  AUDIT_RETENTION_COUNT: whole('Newest entries it keeps of sends, and as many of everything else', 100_000, 1),
  LOG_LEVEL: choice('Log level; of a list, like ERROR,WARN,INFO, the most talkative counts', 'info', levels),
  LOG_BAILEYS: choice('Log level of the platform library', 'error', levels),
  PROMETHEUS_METRICS: flag('Count and time what happens, for Prometheus at /metrics', true),
  METRICS_AUTH_REQUIRED: flag('/metrics needs the global key, or the user below', true),
  METRICS_USER: text('User who may read /metrics besides (Basic); empty: none'),
  METRICS_PASSWORD: text('The password of that user'),
  METRICS_ALLOWED_IPS: text('Addresses or CIDRs that may read metrics at all, comma separated; empty: any'),
  METRICS_PORT: whole('Port of metrics alone, where no key is asked for; 0: none', 0, 0, 65535),
  METRICS_HOST: text('Its address', '127.0.0.1'),
  METRICS_INSTANCES: whole(
    'Instances up to which each has a line of its own, with its name, in the metrics; 0: none',
    0,
  ),
  OVERLOAD_DELAY: whole('Mean delay of the event loop above which requests get 503, in ms; 0: never', 1000),
  OVERLOAD_MEMORY: whole(
    'Memory of the process above which requests get 503, in MiB; 0: nine tenths of what its container may have',
    0,
  ),
  MAX_CONNECTIONS: whole('Connections of callers at one time; 0: no limit', 10_000),
  REQUEST_TIMEOUT: ms('Time a caller may take to send a request', 60_000),
  BODY_LIMIT: whole('Largest body of a request that may hold a file as base64, in bytes', 24 * 1024 * 1024, 1024),
  JSON_LIMIT: whole('Largest body of all other requests, in bytes; BODY_LIMIT where that is less', 1024 * 1024, 1024),
  MEDIA_LIMIT: whole('Largest media file that a send takes, in bytes', 16 * 1024 * 1024, 1024),
  MEDIA_TIMEOUT: ms('Time a media address may take to answer', 30_000),
  FFMPEG_PATH: text(
    'Program that makes voice notes; empty: ffmpeg from the PATH if there is one; none: MP3, WAV and Ogg/Opus without it',
  ),
  DOWNLOAD_LIMIT: whole('Largest file of a message that is handed out, in bytes', 128 * 1024 * 1024, 1024),
  DOWNLOAD_TIMEOUT: ms('Time the platform may take to hand such a file over', 120_000),
  MEDIA_LINK_DAYS: whole('Days that links to files of messages are good for', 7, 1, 3650),
  MAX_DELAY: ms('Longest delay a send may ask for', 60_000),
  NUMBER_CHECK_LIMIT: whole(
    'Numbers per minute and instance that whatsappNumbers may ask the platform about, 0: no limit',
    200,
  ),
  RESPONSE_DIALECT: choice('Answers in the dialect of the request (auto) or always in v1 or v2', 'auto', [
    'auto',
    'v1',
    'v2',
  ]),
  SERVER_DISABLE_DOCS: flag('Do not serve the documentation at /docs'),
  SERVER_DISABLE_MANAGER: flag('Do not serve the page for operators at /manager'),
  TRUST_PROXY: text(
    'Reverse proxies whose X-Forwarded-* headers count: addresses or CIDRs, comma separated; empty: none, and all callers behind a proxy have its address',
  ),
  SEND_TIMEOUT: ms('Time a send may take after its delay', 30_000),
  QUERY_TIMEOUT: ms('Time the platform may take to answer a query', 20_000),
  DEDUPE_WINDOW: whole(
    'Time in which equal sends without Idempotency-Key count as one, in ms; 0: never',
    0,
    0,
    86_400_000,
  ),
  RESTRICTION_GUARD: flag('Refuse messages to strangers while the platform does not allow them', true),
  SHUTDOWN_TIMEOUT: ms('Time a stop may take', 45_000),
  QRCODE_LIMIT: whole('QR codes shown before linking is given up', 30, 1),
  QRCODE_COLOR: Type.String({
    description: 'Colour of the QR code, as in CSS but without # (which starts a comment in this file)',
    default: '198754',
    pattern: '^#?[0-9A-Fa-f]{6}$',
  }),
  DEL_INSTANCE: whole(
    'Minutes after which an instance that is not open, and not on its way back, is deleted with everything; 0 or false: never',
    0,
    0,
    525_600,
  ),
  CONNECT_CONCURRENCY: whole('Instances connecting at the same time after a start', 10, 1),
  CONFIG_SESSION_PHONE_CLIENT: text('Name shown in the list of linked devices', 'Messaging Gateway'),
  CONFIG_SESSION_PHONE_NAME: text('Browser shown in the list of linked devices', 'Chrome'),
  PROXY_HOST: text('Proxy to the platform for instances that have none of their own; empty: direct'),
  PROXY_PORT: whole('Its port', 80, 1, 65535),
  PROXY_PROTOCOL: choice('Its protocol', 'http', ['http', 'https', 'socks5', 'socks', 'socks5h']),
  PROXY_USERNAME: text('Its user; empty: none'),
  PROXY_PASSWORD: text('The password of its user'),
  PLATFORM_URL: text('WebSocket of another platform server (tests); empty: the real one'),
  PLATFORM_ROOT_KEY: text('Its root key, 32 bytes in base64'),
  PLATFORM_VERSION: Type.String({
    description: 'Client version to present, like 2.3000.1; empty: looked up',
    default: '',
    pattern: '^(\\d+\\.\\d+\\.\\d+)?$',
  }),
  PLATFORM_VERIFY: choice('A wrong platform signature is refused (strict) or only logged (warn)', 'strict', [
    'strict',
    'warn',
  ]),
  WEBHOOK_TIMEOUT: ms('Time a webhook receiver may take to answer', 15_000),
  WEBHOOK_RETRY_SCHEDULE: Type.String({
    description:
      'Pauses between attempts to reach a receiver that is down, after three quick retries, in s; the last one repeats',
    default: '5,15,30,60,120,300',
    pattern: '^\\d+(\\.\\d+)?(,\\d+(\\.\\d+)?)*$',
  }),
  WEBHOOK_RETRY_JITTER: Type.Number({
    description: 'How much these pauses vary: 0.2 is up to a fifth, either way',
    default: 0.2,
    minimum: 0,
    maximum: 1,
  }),
  WEBHOOK_MAX_ATTEMPTS: whole(
    'Attempts after which an undelivered event is given up, quick retries aside, 0: only its age counts',
    0,
  ),
  WEBHOOK_NO_RETRY_STATUS: Type.String({
    description:
      'Answers after which an event is given up at once, as 400,401,403, even if no other is taken; empty: none',
    default: '',
    pattern: '^([1-5]\\d\\d( *, *[1-5]\\d\\d)*)?$',
  }),
  WEBHOOK_EXPIRY_HOURS: whole('Hours after which an undelivered event is given up', 72, 1),
  WEBHOOK_BACKLOG: whole(
    'Posts that may wait for one webhook before presence, statuses and then the oldest go, 0: all',
    100_000,
  ),
  WEBHOOK_DISABLE_HOURS: whole('Hours without any delivery after which a failing webhook is disabled, 0: never', 120),
  EVENT_RETENTION_HOURS: whole('Hours that events can be read and replayed, and dead letters after their death', 72, 1),
  EVENT_LOG: choice('Keep all events of instances whose events are read (auto) or of all instances (always)', 'auto', [
    'auto',
    'always',
  ]),
  WEBHOOK_GLOBAL_ENABLED: flag('Post the events of all instances to one webhook, beside their own'),
  WEBHOOK_GLOBAL_URL: text('Its address'),
  WEBHOOK_GLOBAL_WEBHOOK_BY_EVENTS: flag('Append the event to its address: /messages-upsert'),
  WEBHOOK_GLOBAL_EVENTS: text('Events it gets, comma separated; empty: all'),
  WEBHOOK_GLOBAL_SECRET: text(
    'Secret that signs its posts, whsec_…; empty: made once and shown by GET /webhook/global',
  ),
  WEBHOOK_EVENTS_ERRORS: flag('Post every request that fails to the address below'),
  WEBHOOK_EVENTS_ERRORS_WEBHOOK: text('Its address'),
  DATABASE_SAVE_DATA_NEW_MESSAGE: flag(
    'Store messages; otherwise they are only told, cannot be found, quoted by id, or edited',
    true,
  ),
  DATABASE_SAVE_MESSAGE_UPDATE: flag('Store every status of messages; otherwise only where they stand', true),
  DATABASE_SAVE_DATA_CONTACTS: flag('Store contacts', true),
  DATABASE_SAVE_DATA_CHATS: flag('Store what is told of chats beyond their messages', true),
  DATABASE_SAVE_DATA_LABELS: flag('Store labels; otherwise none are listed or put on chats', true),
  DATABASE_SAVE_DATA_HISTORIC: flag('Store the past that a phone hands over at linking', true),
  DATABASE_SAVE_IS_ON_WHATSAPP: flag('Store which numbers are on the platform; otherwise only sessions remember', true),
  DATABASE_SAVE_IS_ON_WHATSAPP_DAYS: whole('Days that such an answer is good for', 7, 1, 365),
  WEBSOCKET_ENABLED: flag('Events over socket.io on the port of the gateway, one namespace per instance'),
  WEBSOCKET_GLOBAL_EVENTS: flag('Its root namespace has the events of all instances, for the global key'),
  MESSAGE_RETENTION_DAYS: whole('Days that messages are kept, 0: for ever', 0, 0, 36_500),
  MESSAGE_RETENTION_COUNT: whole('Messages kept per instance, the newest ones, 0: all', 0),
  WEBHOOK_INCLUDE_APIKEY: flag('Put the instance key into webhook bodies'),
  EGRESS_ALLOW: text('Networks that outbound requests may reach although they are private: CIDRs, comma separated'),
  EGRESS_STRICT: flag('Webhooks may not reach private networks either'),
  SANDBOX_PORT: whole('Port of the sandbox controls (npm run sandbox)', 8081, 0, 65535),
} satisfies TProperties;
