import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { aliasesOf, classify, IGNORED, UNSUPPORTED } from '../../src/config/aliases.ts';
import { SETTINGS } from '../../src/config/settings.ts';

const text = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8');

/** The file as it must be: description, other names and value of each, in the order of settings.ts; then the ignored names. */
const expected = Object.entries(SETTINGS)
  .map(([name, schema]) => {
    const others = aliasesOf(name);
    const also = others.length > 0 ? `# also: ${others.join(', ')}\n` : '';
    return `# ${schema.description}\n${also}${name}=${schema.default}\n`;
  })
  .join('');
const lines = (list: [string, string][]) => list.map(([name, reason]) => `#   ${name}: ${reason}\n`).join('');
const tail = [
  '\n# Settings of other gateways that have no effect here:\n',
  lines(Object.entries(IGNORED)),
  '# Features of other gateways that do not exist here. Each start logs a warning when one is enabled:\n',
  lines(UNSUPPORTED.map(({ name, enabledBy, reason }) => [`${name}=${enabledBy}`, reason])),
].join('');

describe('.env.example', () => {
  it('lists every setting of settings.ts with its description and default (vitest -u rewrites it)', async () => {
    const head =
      '# All settings with their defaults. Copy this file to .env and change what you need. An empty value means: not set.\n\n';
    await expect(head + expected + tail).toMatchFileSnapshot('../../.env.example');
  });

  it('reads back as the defaults', () => {
    const defaults = Object.entries(SETTINGS).map(([name, schema]) => [name, String(schema.default)]);
    expect(parseEnv(text)).toEqual(Object.fromEntries(defaults));
  });
});

/** What files of other gateways set and a gateway with webhooks should support. */
const HONOURED = `
  SERVER_TYPE SERVER_PORT SERVER_URL SERVER_DISABLE_DOCS SERVER_DISABLE_MANAGER SSL_CONF_PRIVKEY SSL_CONF_FULLCHAIN
  CORS_ORIGIN CORS_METHODS CORS_CREDENTIALS AUTHENTICATION_API_KEY AUTHENTICATION_EXPOSE_IN_FETCH_INSTANCES
  LOG_LEVEL LOG_BAILEYS DEL_INSTANCE QRCODE_LIMIT QRCODE_COLOR
  PROMETHEUS_METRICS METRICS_AUTH_REQUIRED METRICS_USER METRICS_PASSWORD METRICS_ALLOWED_IPS
  CONFIG_SESSION_PHONE_CLIENT CONFIG_SESSION_PHONE_NAME CONFIG_SESSION_PHONE_VERSION
  PROXY_HOST PROXY_PORT PROXY_PROTOCOL PROXY_USERNAME PROXY_PASSWORD
  WEBHOOK_GLOBAL_ENABLED WEBHOOK_GLOBAL_URL WEBHOOK_GLOBAL_WEBHOOK_BY_EVENTS
  WEBHOOK_EVENTS_ERRORS WEBHOOK_EVENTS_ERRORS_WEBHOOK WEBHOOK_REQUEST_TIMEOUT_MS
  WEBHOOK_RETRY_MAX_ATTEMPTS WEBHOOK_RETRY_INITIAL_DELAY_SECONDS WEBHOOK_RETRY_USE_EXPONENTIAL_BACKOFF
  WEBHOOK_RETRY_MAX_DELAY_SECONDS WEBHOOK_RETRY_JITTER_FACTOR WEBHOOK_RETRY_NON_RETRYABLE_STATUS_CODES
  DATABASE_CONNECTION_URI DATABASE_CONNECTION_CLIENT_NAME
  DATABASE_SAVE_DATA_NEW_MESSAGE DATABASE_SAVE_DATA_CONTACTS DATABASE_SAVE_DATA_CHATS DATABASE_SAVE_DATA_LABELS
  DATABASE_SAVE_DATA_HISTORIC DATABASE_SAVE_MESSAGE_UPDATE DATABASE_SAVE_IS_ON_WHATSAPP
  DATABASE_SAVE_IS_ON_WHATSAPP_DAYS
  ${`APPLICATION_STARTUP INSTANCE_CREATE INSTANCE_DELETE REMOVE_INSTANCE LOGOUT_INSTANCE QRCODE_UPDATED MESSAGES_SET
    MESSAGES_UPSERT MESSAGES_EDITED MESSAGES_UPDATE MESSAGES_DELETE SEND_MESSAGE SEND_MESSAGE_UPDATE CONTACTS_SET
    CONTACTS_UPDATE CONTACTS_UPSERT PRESENCE_UPDATE CHATS_SET CHATS_UPDATE CHATS_UPSERT CHATS_DELETE CONNECTION_UPDATE
    LABELS_EDIT LABELS_ASSOCIATION GROUPS_UPSERT GROUPS_UPDATE GROUP_PARTICIPANTS_UPDATE CALL TYPEBOT_START
    TYPEBOT_CHANGE_STATUS NEW_JWT_TOKEN CHAMA_AI_ACTION`.replaceAll(/(?=\b[A-Z])/g, 'WEBHOOK_EVENTS_')}
`;
/** What it should accept. */
const ACCEPTED = `
  SERVER_NAME AUTHENTICATION_TYPE LOG_COLOR DEL_TEMP_INSTANCES EVENT_EMITTER_MAX_LISTENERS LANGUAGE
  DATABASE_PROVIDER DATABASE_DELETE_MESSAGE DATABASE_SAVE_DATA_INSTANCE DATABASE_ENABLED
  DATABASE_CONNECTION_DB_PREFIX_NAME STORE_MESSAGES STORE_MESSAGE_UP STORE_CONTACTS STORE_CHATS STORE_LABELS
  CLEAN_STORE_CLEANING_INTERVAL CLEAN_STORE_MESSAGES CLEAN_STORE_MESSAGE_UP CLEAN_STORE_CONTACTS CLEAN_STORE_CHATS
  CACHE_REDIS_ENABLED CACHE_REDIS_URI CACHE_REDIS_PREFIX_KEY CACHE_REDIS_TTL CACHE_REDIS_SAVE_INSTANCES
  CACHE_LOCAL_ENABLED CACHE_LOCAL_TTL SENTRY_DSN API_AUDIO_CONVERTER API_AUDIO_CONVERTER_KEY DOCKER_ENV NODE_ENV
`;
const names = (list: string) => list.trim().split(/\s+/);

describe('the names of other gateways', () => {
  it('that matter are supported: as a setting of ours, or as another name of one', () => {
    expect(names(HONOURED).filter((name) => !(name in SETTINGS) && classify(name) !== 'alias')).toEqual([]);
  });

  it('that do not are known, with a reason for those who set them', () => {
    expect(names(ACCEPTED).filter((name) => !(name in SETTINGS) && classify(name) === undefined)).toEqual([]);
    expect(classify('NEVER_HEARD_OF')).toBeUndefined();
  });
});
