// Declares every setting: its environment variable, what it does, its default and its limits. load.ts reads the values.
import { type TProperties, Type } from '@sinclair/typebox';

const text = (description: string, fallback = '') => Type.String({ description, default: fallback });
const flag = (description: string, fallback = false) => Type.Boolean({ description, default: fallback });
const integer = (description: string, fallback: number, minimum = 0, maximum = 2 ** 31 - 1) =>
  Type.Integer({ description, default: fallback, minimum, maximum });
const choice = <const T extends string>(description: string, fallback: T, allowed: readonly T[]) =>
  Type.Unsafe<T>({ type: 'string', description, default: fallback, enum: allowed });

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/**
 * Every setting in the order of .env.example, which is generated from the descriptions. A description says what the
 * setting does, its unit, and when to change it. An empty value means: not set.
 */
export const SETTINGS = {
  HOST: text('Address to listen on. npm run sandbox listens on 127.0.0.1 by default', '0.0.0.0'),
  PORT: integer('Port to listen on. 0 picks a free port', 8080, 0, 65535),
  SERVER_URL: text(
    'Public base URL in records and webhooks. Set it behind a reverse proxy. Empty: records use the host of the request, webhooks HOST and PORT',
  ),
  SERVER_TYPE: choice('Protocol of the server. https needs the two files below', 'http', ['http', 'https']),
  SSL_CONF_PRIVKEY: text('File with the private key of the TLS certificate, PEM'),
  SSL_CONF_FULLCHAIN: text('File with the TLS certificate and its chain, PEM. Reloaded when it changes'),
  CORS_ORIGIN: text(
    'Origins whose web pages may call the gateway, comma separated. *: any origin. none: no web page',
    '*',
  ),
  CORS_METHODS: text('HTTP methods that these pages may use, comma separated', 'GET,POST,PUT,PATCH,DELETE'),
  CORS_CREDENTIALS: flag('Allow browsers to send credentials. Ignored while CORS_ORIGIN is *'),
  CLIENT_NAME: text('Name of this gateway in GET / and in instance records. Empty: CONFIG_SESSION_PHONE_CLIENT'),
  DATA_DIR: text('Directory for the SQLite database and the keys. Keep it on a persistent volume', './data'),
  DATABASE_URL: text('PostgreSQL connection URL (postgres://…). Empty: SQLite in DATA_DIR'),
  DATABASE_SHARED: flag('Allow a PostgreSQL database that contains tables of another program'),
  DATABASE_WAIT: integer('Time that the start waits for PostgreSQL to become reachable, in ms', 60_000),
  DATABASE_POOL_SIZE: integer(
    'Size of the PostgreSQL connection pool. Two more connections are used for leases',
    10,
    1,
    1000,
  ),
  CLUSTER: flag(
    'Share the PostgreSQL database with other nodes. false: this process is the only one, which is not checked',
    true,
  ),
  NODE_NAME: text('Name of this cluster node. It must stay the same after a restart. Empty: host name and port'),
  NODE_URL: text('Base URL under which other nodes reach this node. Empty: its IP address and port'),
  NODE_CAPACITY: integer('Maximum number of instances on this node. 0: no limit', 0),
  LEASE_TTL: integer(
    'Time without a heartbeat after which other nodes take the instances of this node, in seconds. Higher values tolerate longer pauses, lower values fail over sooner',
    15,
    2,
    3600,
  ),
  SQLITE_SYNCHRONOUS: choice(
    'SQLite durability. NORMAL survives a crash of the process. FULL also survives a power failure and is slower',
    'NORMAL',
    ['NORMAL', 'FULL'],
  ),
  ENCRYPTION_KEY: text(
    'Key that encrypts secrets in the database: 32 bytes in base64. Empty: generated into DATA_DIR. Cluster nodes need the same key',
  ),
  BACKUP_PASSPHRASE: text('Passphrase for npm run backup and npm run restore. Empty: backups are not encrypted'),
  API_KEY: text('Global API key, at least 16 characters. Empty: generated into DATA_DIR/api-key'),
  EXPOSE_INSTANCE_KEYS: flag('Include the instance keys in fetchInstances', true),
  WEAK_TOKENS: flag('Allow keys of new instances with fewer than 16 characters. Existing keys work in any case'),
  AUTH_FAILURE_LIMIT: integer(
    'Requests without a valid key per minute and IP address before the gateway answers 429. 0: no limit',
    200,
  ),
  RATE_LIMIT: integer('Requests per minute and key before the gateway answers 429. 0: no limit', 0),
  AUDIT_RETENTION_DAYS: integer('Days that entries of GET /audit are kept. 0: nothing is recorded', 90, 0, 3650),
  AUDIT_RETENTION_COUNT: integer(
    'Maximum number of audit entries: this many for sends, and this many for all other operations',
    100_000,
    1,
  ),
  LOG_LEVEL: choice('Log level. Given a list such as ERROR,WARN,INFO, the most verbose level wins', 'info', LOG_LEVELS),
  LOG_BAILEYS: choice('Log level of the library Baileys', 'error', LOG_LEVELS),
  PROMETHEUS_METRICS: flag('Collect metrics and serve them for Prometheus at /metrics', true),
  METRICS_AUTH_REQUIRED: flag('Require the global key, or the user below, for /metrics', true),
  METRICS_USER: text('User name for /metrics (HTTP Basic), besides the global key. Empty: none'),
  METRICS_PASSWORD: text('Password of METRICS_USER'),
  METRICS_ALLOWED_IPS: text('IP addresses or CIDRs that may read metrics, comma separated. Empty: any'),
  METRICS_PORT: integer('Separate port for metrics without authentication. 0: none', 0, 0, 65535),
  METRICS_HOST: text('Address that METRICS_PORT listens on', '127.0.0.1'),
  METRICS_INSTANCES: integer(
    'Maximum number of instances for which gateway_instance_open has one series per instance name. 0: never',
    0,
  ),
  OVERLOAD_DELAY: integer('Mean event-loop delay above which requests get 503, in ms. 0: never', 1000),
  OVERLOAD_MEMORY: integer(
    'Memory of the process above which requests get 503, in MiB. 0: 90 % of the memory limit of the container',
    0,
  ),
  MAX_CONNECTIONS: integer('Maximum number of simultaneous client connections. 0: no limit', 10_000),
  REQUEST_TIMEOUT: integer('Time that a client may take to send a request, in ms', 60_000, 1),
  BODY_LIMIT: integer(
    'Maximum size of a request body that may contain a base64 file, in bytes',
    24 * 1024 * 1024,
    1024,
  ),
  JSON_LIMIT: integer(
    'Maximum size of all other request bodies, in bytes. BODY_LIMIT applies when it is lower',
    1024 * 1024,
    1024,
  ),
  MEDIA_LIMIT: integer('Maximum size of a media file in a send, in bytes', 16 * 1024 * 1024, 1024),
  MEDIA_TIMEOUT: integer('Time that the server of a media URL may take to respond, in ms', 30_000, 1),
  FFMPEG_PATH: text(
    'Path of ffmpeg, which converts audio to voice notes. Empty: ffmpeg from PATH, if there is one. none: no ffmpeg, only MP3, WAV and Ogg/Opus',
  ),
  DOWNLOAD_LIMIT: integer('Maximum size of a message file that can be downloaded, in bytes', 128 * 1024 * 1024, 1024),
  DOWNLOAD_TIMEOUT: integer('Time that WhatsApp may take to deliver such a file, in ms', 120_000, 1),
  MEDIA_LINK_DAYS: integer('Days for which links to message files are valid', 7, 1, 3650),
  MAX_DELAY: integer('Maximum delay that a send may request, in ms', 60_000, 1),
  NUMBER_CHECK_LIMIT: integer(
    'Numbers per minute and instance that whatsappNumbers may look up at WhatsApp. Higher values risk a ban. 0: no limit',
    200,
  ),
  RESPONSE_DIALECT: choice('Form of responses. v1: nested. v2: flat. auto: the form of the request', 'auto', [
    'auto',
    'v1',
    'v2',
  ]),
  SERVER_DISABLE_DOCS: flag('Do not serve the API documentation at /docs'),
  SERVER_DISABLE_MANAGER: flag('Do not serve the manager page at /manager'),
  TRUST_PROXY: text(
    'Reverse proxies whose X-Forwarded-* headers are trusted: IP addresses or CIDRs, comma separated. Set it behind a proxy. Empty: none, so all clients behind a proxy share its address',
  ),
  SEND_TIMEOUT: integer('Time that a send may take after its delay, in ms', 30_000, 1),
  QUERY_TIMEOUT: integer('Time that WhatsApp may take to answer a query, in ms', 20_000, 1),
  DEDUPE_WINDOW: integer(
    'Time in which an identical send without Idempotency-Key is treated as a repetition, in ms. 0: never',
    0,
    0,
    86_400_000,
  ),
  RESTRICTION_GUARD: flag('Refuse messages to new chats while WhatsApp restricts the account', true),
  SHUTDOWN_TIMEOUT: integer(
    'Time that a shutdown may take, in ms. Keep it below the grace period of the container platform',
    45_000,
    1,
  ),
  QRCODE_LIMIT: integer('QR codes shown before a pairing ends', 30, 1),
  QRCODE_COLOR: Type.String({
    description: 'Color of the QR code: six hex digits without #, which starts a comment in this file',
    default: '198754',
    pattern: '^#?[0-9A-Fa-f]{6}$',
  }),
  PASSKEY_LINKING: flag(
    'Link instances to accounts that require a passkey. Never run against WhatsApp, only against the sandbox: see docs/guides/passkey-linking.md',
  ),
  DEL_INSTANCE: integer(
    'Minutes after which an unused instance is deleted with all its data: one that is neither open nor reconnecting. 0 or false: never',
    0,
    0,
    525_600,
  ),
  CONNECT_CONCURRENCY: integer('Number of instances that connect at the same time after a start', 10, 1),
  CONFIG_SESSION_PHONE_CLIENT: text('Name in the list of linked devices on the phone', 'Messaging Gateway'),
  CONFIG_SESSION_PHONE_NAME: text('Browser name in the list of linked devices on the phone', 'Chrome'),
  PROXY_HOST: text('Proxy for the connections to WhatsApp of instances without a proxy of their own. Empty: none'),
  PROXY_PORT: integer('Port of this proxy', 80, 1, 65535),
  PROXY_PROTOCOL: choice('Protocol of this proxy', 'http', ['http', 'https', 'socks5', 'socks', 'socks5h']),
  PROXY_USERNAME: text('User name for this proxy. Empty: none'),
  PROXY_PASSWORD: text('Password for this proxy'),
  PLATFORM_URL: text('WebSocket URL of a test server instead of WhatsApp. Empty: WhatsApp'),
  PLATFORM_ROOT_KEY: text('Root key of this test server: 32 bytes in base64'),
  PLATFORM_VERSION: Type.String({
    description: 'WhatsApp Web version to present, such as 2.3000.1. Empty: looked up at the start',
    default: '',
    pattern: '^(\\d+\\.\\d+\\.\\d+)?$',
  }),
  PLATFORM_ADDRESSING: choice(
    'Address of messages to one person. lid: the opaque id, if known. pn: the phone number, which WhatsApp can refuse with 463. A refused message is sent once more to the other address',
    'lid',
    ['lid', 'pn'],
  ),
  PLATFORM_VERIFY: choice(
    'Handling of a wrong signature from WhatsApp. strict: refuse the connection. warn: only log it',
    'strict',
    ['strict', 'warn'],
  ),
  WEBHOOK_TIMEOUT: integer('Time that a webhook receiver may take to respond, in ms', 15_000, 1),
  WEBHOOK_RETRY_SCHEDULE: Type.String({
    description: 'Delays between retries after three quick retries, in seconds, comma separated. The last one repeats',
    default: '5,15,30,60,120,300',
    pattern: '^\\d+(\\.\\d+)?(,\\d+(\\.\\d+)?)*$',
  }),
  WEBHOOK_RETRY_JITTER: Type.Number({
    description: 'Random variation of these delays. 0.2 means up to 20 % shorter or longer',
    default: 0.2,
    minimum: 0,
    maximum: 1,
  }),
  WEBHOOK_MAX_ATTEMPTS: integer(
    'Attempts after which an event is no longer delivered, quick retries not counted. 0: only WEBHOOK_EXPIRY_HOURS applies',
    0,
  ),
  WEBHOOK_NO_RETRY_STATUS: Type.String({
    description:
      'HTTP status codes of a receiver after which an event is not retried, such as 400,401,403. Empty: none',
    default: '',
    pattern: '^([1-5]\\d\\d( *, *[1-5]\\d\\d)*)?$',
  }),
  WEBHOOK_EXPIRY_HOURS: integer('Hours after which an undelivered event is no longer retried', 72, 1),
  WEBHOOK_BACKLOG: integer(
    'Maximum number of pending events per webhook. Above it, presence and status events are dropped first, then the oldest events. 0: no limit',
    100_000,
  ),
  WEBHOOK_DISABLE_HOURS: integer(
    'Hours without a successful delivery after which a failing webhook is disabled. 0: never',
    120,
  ),
  EVENT_RETENTION_HOURS: integer(
    'Hours for which events can be read and replayed, and for which undeliverable events are kept',
    72,
    1,
  ),
  EVENT_LOG: choice(
    'Instances whose events are kept for reading and replay. auto: those whose events are read. always: all',
    'auto',
    ['auto', 'always'],
  ),
  WEBHOOK_GLOBAL_ENABLED: flag('Send the events of all instances to one more webhook, besides their own'),
  WEBHOOK_GLOBAL_URL: text('URL of the global webhook'),
  WEBHOOK_GLOBAL_WEBHOOK_BY_EVENTS: flag('Append the event name to the URL of the global webhook: /messages-upsert'),
  WEBHOOK_GLOBAL_EVENTS: text('Events for the global webhook, comma separated. Empty: all'),
  WEBHOOK_GLOBAL_SECRET: text(
    'Signing secret of the global webhook, whsec_…. Empty: generated once and shown by GET /webhook/global',
  ),
  WEBHOOK_EVENTS_ERRORS: flag('Report every failed request to the URL below'),
  WEBHOOK_EVENTS_ERRORS_WEBHOOK: text('URL for these reports'),
  DATABASE_SAVE_DATA_NEW_MESSAGE: flag(
    'Store messages. false: events are sent, but messages cannot be searched, quoted by id or edited',
    true,
  ),
  DATABASE_SAVE_MESSAGE_UPDATE: flag('Store every status of a message. false: only the latest one', true),
  DATABASE_SAVE_DATA_CONTACTS: flag('Store contacts', true),
  DATABASE_SAVE_DATA_CHATS: flag('Store properties of chats beyond their messages', true),
  DATABASE_SAVE_DATA_LABELS: flag('Store labels. false: labels cannot be listed or assigned', true),
  DATABASE_SAVE_DATA_HISTORIC: flag('Store the message history that the phone sends when it links', true),
  DATABASE_SAVE_IS_ON_WHATSAPP: flag(
    'Store which numbers are on WhatsApp. false: only open sessions remember it',
    true,
  ),
  DATABASE_SAVE_IS_ON_WHATSAPP_DAYS: integer('Days after which a number is looked up again', 7, 1, 365),
  WEBSOCKET_ENABLED: flag('Serve events over socket.io on PORT, with one namespace per instance'),
  WEBSOCKET_GLOBAL_EVENTS: flag('Serve the events of all instances in the root namespace, for the global key'),
  MESSAGE_RETENTION_DAYS: integer('Days that messages are kept. 0: forever', 0, 0, 36_500),
  MESSAGE_RETENTION_COUNT: integer('Number of newest messages that are kept per instance. 0: all', 0),
  WEBHOOK_INCLUDE_APIKEY: flag('Include the instance key in webhook bodies'),
  EGRESS_ALLOW: text('Private networks that outgoing requests may reach: CIDRs, comma separated'),
  EGRESS_STRICT: flag('Forbid webhooks to private networks too. Set it when untrusted clients configure webhooks'),
  SANDBOX_PORT: integer('Port of the sandbox controls (npm run sandbox)', 8081, 0, 65535),
} satisfies TProperties;
