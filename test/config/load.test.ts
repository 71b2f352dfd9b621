import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ConfigError, loadConfig, loadDataSettings, startupNoticesOf, summarize } from '../../src/config/load.ts';

const API_KEY = 'a-long-enough-key-1';

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'config-test-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    loadConfig({ API_KEY, ...env });
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('loadConfig', () => {
  it('loadConfig() has a default for every setting except API_KEY', () => {
    expect(loadConfig({ API_KEY })).toMatchObject({
      host: '0.0.0.0',
      port: 8080,
      dataDir: './data',
      databaseUrl: '',
      sendTimeout: 30_000,
      webhookRetrySchedule: [5000, 15_000, 30_000, 60_000, 120_000, 300_000],
      egressAllow: [],
      exposeInstanceKeys: true,
      apiKeySource: 'environment',
    });
  });

  it('loadConfig() converts numbers, booleans and lists, and treats an empty value as unset', () => {
    const config = loadConfig({
      API_KEY,
      PORT: '0',
      WEBHOOK_INCLUDE_APIKEY: 'true',
      EGRESS_ALLOW: '10.0.0.0/8, fd00::/8',
      SERVER_URL: 'https://gate.example/',
      LOG_LEVEL: '',
    });
    expect(config).toMatchObject({
      port: 0,
      webhookIncludeApikey: true,
      egressAllow: ['10.0.0.0/8', 'fd00::/8'],
      serverUrl: 'https://gate.example',
      logLevel: 'info',
    });
  });

  it('loadConfig() returns a frozen object', () => {
    expect(Object.isFrozen(loadConfig({ API_KEY }))).toBe(true);
  });

  it('loadConfig() accepts the setting names of other gateways, and prefers its own names', () => {
    const env = {
      AUTHENTICATION_API_KEY: API_KEY,
      SERVER_PORT: '9000',
      AUTHENTICATION_EXPOSE_IN_FETCH_INSTANCES: 'false',
    };
    expect(loadConfig(env)).toMatchObject({ apiKey: API_KEY, port: 9000, exposeInstanceKeys: false });
    expect(loadConfig({ ...env, PORT: '9001' }).port).toBe(9001);
  });

  it('loadConfig() reports an invalid value under the name that was set', () => {
    expect(
      problemsOf({ SERVER_PORT: 'eighty', WEBHOOK_RETRY_MAX_DELAY_SECONDS: 'x', WEBHOOK_EVENTS_CALL: 'maybe' }),
    ).toEqual([
      'SERVER_PORT must be integer',
      expect.stringMatching(/^WEBHOOK_RETRY_MAX_DELAY_SECONDS must match/),
      'WEBHOOK_EVENTS_CALL must be boolean',
    ]);
    const database = { DATABASE_CONNECTION_URI: 'mysql://u:p@h/d', DATABASE_PROVIDER: 'mysql' };
    expect(problemsOf(database)).toEqual([
      'DATABASE_CONNECTION_URI must be a postgres:// URL',
      'DATABASE_PROVIDER must be postgresql',
    ]);
    expect(problemsOf({ SERVER_TYPE: 'https' })).toEqual([expect.stringContaining('SSL_CONF_PRIVKEY')]);
    expect(problemsOf({ WEBHOOK_EVENTS_ERRORS: 'true' })).toEqual([
      expect.stringContaining('WEBHOOK_EVENTS_ERRORS_WEBHOOK'),
    ]);
    for (const origin of ['app.example', 'https://app.example/page', 'https://app.example,all']) {
      expect(problemsOf({ CORS_ORIGIN: origin })).toEqual([expect.stringContaining('https://app.example')]);
    }
    expect(problemsOf({ CORS_METHODS: 'GET,FETCH' })).toHaveLength(1);
  });

  it('loadConfig() accepts values that other gateways write differently', () => {
    const read = (env: Record<string, string>) => loadConfig({ API_KEY, ...env });
    const all = 'ERROR,WARN,DEBUG,INFO,LOG,VERBOSE,DARK,WEBHOOKS,WEBSOCKET';
    for (const [value, level] of [
      [all, 'debug'],
      ['ERROR,WARN', 'warn'],
      ['ERROR', 'error'],
      ['WEBHOOKS', 'info'],
      ['trace', 'trace'],
    ] as const) {
      expect(read({ LOG_LEVEL: value }).logLevel, value).toBe(level);
    }
    expect(problemsOf({ LOG_LEVEL: 'ERROR,LOUD' })).toHaveLength(1);
    expect(read({ DEL_INSTANCE: 'false' }).delInstance).toBe(0);
    expect(read({ DEL_INSTANCE: '5' }).delInstance).toBe(5);
    expect(
      read({ DATABASE_PROVIDER: 'postgresql', DATABASE_CONNECTION_URI: 'postgresql://h/d?schema=public' }),
    ).toMatchObject({
      databaseUrl: 'postgresql://h/d?schema=public',
    });
    // With DATABASE_ENABLED=false, an older version can have a URL here that it does not use.
    expect(read({ DATABASE_ENABLED: 'false', DATABASE_CONNECTION_URI: 'mongodb://h' }).databaseUrl).toBe('');
    expect(read({ CORS_ORIGIN: 'none' }).corsOrigin).toEqual([]);
    expect(read({}).clientName).toBe('Messaging Gateway');
    expect(read({ DATABASE_CONNECTION_CLIENT_NAME: 'acme' }).clientName).toBe('acme');
  });

  it('loadConfig() converts the webhook retry settings of other gateways', () => {
    const read = (env: Record<string, string>) => loadConfig({ API_KEY, ...env });
    const seconds = ({ webhookRetrySchedule }: ReturnType<typeof read>) => webhookRetrySchedule.map((ms) => ms / 1000);
    expect(seconds(read({ WEBHOOK_RETRY_INITIAL_DELAY_SECONDS: '2', WEBHOOK_RETRY_MAX_DELAY_SECONDS: '10' }))).toEqual([
      2, 4, 8, 10,
    ]);
    expect(seconds(read({ WEBHOOK_RETRY_USE_EXPONENTIAL_BACKOFF: 'true' }))).toEqual([5, 10, 20, 40, 80, 160, 300]);
    expect(seconds(read({ WEBHOOK_RETRY_USE_EXPONENTIAL_BACKOFF: 'false' }))).toEqual([5]);
    expect(seconds(read({ WEBHOOK_RETRY_INITIAL_DELAY_SECONDS: '2', WEBHOOK_RETRY_SCHEDULE: '7' }))).toEqual([7]);
    const otherVariables = {
      WEBHOOK_RETRY_MAX_ATTEMPTS: '10',
      WEBHOOK_RETRY_JITTER_FACTOR: '0.5',
      WEBHOOK_RETRY_NON_RETRYABLE_STATUS_CODES: '400, 401,422',
      WEBHOOK_REQUEST_TIMEOUT_MS: '30000',
    };
    expect(read(otherVariables)).toMatchObject({
      webhookMaxAttempts: 10,
      webhookRetryJitter: 0.5,
      webhookNoRetryStatus: [400, 401, 422],
      webhookTimeout: 30_000,
    });
  });

  it('loadConfig() rejects webhook retry delays that are not 1 to 86400 seconds', () => {
    const range = 'must be delays of 1 to 86400 seconds';
    for (const schedule of ['0', '5,0.5', '3600000', '86400.1,5'])
      expect(problemsOf({ WEBHOOK_RETRY_SCHEDULE: schedule }), schedule).toEqual([`WEBHOOK_RETRY_SCHEDULE ${range}`]);
    expect(loadConfig({ API_KEY, WEBHOOK_RETRY_SCHEDULE: '1,86400' }).webhookRetrySchedule).toEqual([
      1_000, 86_400_000,
    ]);
    for (const [name, value] of [
      ['WEBHOOK_RETRY_INITIAL_DELAY_SECONDS', '0'],
      ['WEBHOOK_RETRY_INITIAL_DELAY_SECONDS', '5000000'],
      ['WEBHOOK_RETRY_MAX_DELAY_SECONDS', '3600000'],
    ] as const)
      expect(problemsOf({ [name]: value }), value).toEqual([`${name} ${range}`]);
  });

  it('loadConfig() rejects a SEND_TIMEOUT of more than one day', () => {
    expect(problemsOf({ SEND_TIMEOUT: String(2 ** 31 - 1) })).toEqual(['SEND_TIMEOUT must be <= 86400000']);
  });

  it('loadConfig() uses the defaults of its caller only for settings that are not set', () => {
    const defaults = { HOST: '127.0.0.1', LOG_LEVEL: 'warn' };
    expect(loadConfig({ API_KEY, LOG_LEVEL: 'debug' }, defaults)).toMatchObject({
      host: '127.0.0.1',
      logLevel: 'debug',
    });
  });

  it('loadConfig() reports all invalid settings at once, without their values', () => {
    const problems = problemsOf({
      PORT: 'eighty',
      LOG_LEVEL: 'loud',
      WEBHOOK_RETRY_SCHEDULE: '5;10',
      EXPOSE_INSTANCE_KEYS: 'yes',
      ENCRYPTION_KEY: 'c2hvcnQ=',
      EGRESS_ALLOW: 'everything',
      DATABASE_URL: 'mysql://x',
      SERVER_URL: 'gate.example',
      PLATFORM_URL: 'http://127.0.0.1',
      TRUST_PROXY: 'all',
    });
    for (const name of [
      'PORT',
      'LOG_LEVEL',
      'WEBHOOK_RETRY_SCHEDULE',
      'EXPOSE_INSTANCE_KEYS',
      'ENCRYPTION_KEY',
      'EGRESS_ALLOW',
    ]) {
      expect(problems.filter((problem) => problem.startsWith(name))).toHaveLength(1);
    }
    expect(problems.join()).toMatch(/DATABASE_URL.*SERVER_URL|SERVER_URL.*DATABASE_URL/);
    expect(problems.join()).not.toMatch(/eighty|loud|c2hvcnQ=/);
  });

  it('loadConfig() checks each key in ENCRYPTION_KEY', () => {
    const [first, second] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64'));
    expect(problemsOf({ ENCRYPTION_KEY: `${first}, ${second}` })).toEqual([]);
    const problem = 'ENCRYPTION_KEY must be 32 bytes in base64, or several such keys with commas between them';
    expect(problemsOf({ ENCRYPTION_KEY: `${first},c2hvcnQ=` })).toEqual([problem]);
    expect(problemsOf({ ENCRYPTION_KEY: `${first},` })).toEqual([problem]);
  });

  it('loadConfig() rejects misspelled setting names with a suggestion, and accepts unrelated names', () => {
    const env = { WEBHOOK_TIMEUOT: '5', database_url: 'postgres://u:secret@h/d', PORT: 'eighty', METRICS_PROT: '9464' };
    expect(problemsOf(env)).toEqual([
      'PORT must be integer',
      'WEBHOOK_TIMEUOT is not a setting: write WEBHOOK_TIMEOUT',
      'database_url is not a setting: write DATABASE_URL',
      'METRICS_PROT is not a setting: write METRICS_PORT',
    ]);
    const otherVariables = {
      PATH: '/bin',
      HTTP_PROXY: 'http://p',
      PORTS: '1',
      WEBHOOK_PORT_80_TCP: 'x',
      DATABASE_URL_OLD: 'x',
    };
    expect(problemsOf({ ...otherVariables, WEBHOOK_TIMEUOT: '' })).toEqual([]);
  });

  it('loadConfig() rejects a misspelled short setting name only while the setting itself is missing', () => {
    expect(problemsOf({ PORTT: '80' })).toEqual(['PORTT is not a setting: write PORT']);
    expect(problemsOf({ HOSST: '::' })).toEqual(['HOSST is not a setting: write HOST']);
    expect(problemsOf({ API_KEY: '', API_KEE: 'x' })).toEqual(['API_KEE is not a setting: write API_KEY']);
    expect(problemsOf({ PORT: '80', PORTT: '81' })).toEqual([]);
    expect(problemsOf({ SERVER_PORT: '80', PORTT: '81' })).toEqual([]);
  });

  it('loadConfig() accepts the variables of shells, containers, build tools and other programs', () => {
    const names =
      'HOME PATH PWD OLDPWD SHELL SHLVL TERM LANG LC_ALL TZ USER LOGNAME HOSTNAME HOSTTYPE HOSTS PORTS PORT_ PORT_80 PORT1 POST PART SORT EXPORT ' +
      'DHOST GHOST HOST_IP API_KEYS API_KEY2 API_KEY_ID API_KEY_ APP_KEY APIKEY AI_KEY API_URL CLUSTERS CLUSTER1 CLUSTER_ID KUBERNETES_PORT ' +
      'KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT npm_config_cache npm_package_name NODE_OPTIONS NODE_PATH INIT_CWD DEBIAN_FRONTEND ' +
      'DOCKER_HOST SSH_AUTH_SOCK XDG_DATA_DIRS EDITOR MAIL CI POD_NAME POD_IP PGHOST PGPORT REDIS_URL RENDER RAILWAY_ENVIRONMENT DYNO';
    const env = Object.fromEntries(names.split(' ').map((name) => [name, 'x']));
    expect(problemsOf({ API_KEY: '', DATA_DIR: folder(), ...env })).toEqual([]);
  });

  it('loadConfig() rejects short forms of networks, which programs read in different ways', () => {
    for (const network of ['172.16/12', '10/8', '010.0.0.0/8']) {
      const names = ['EGRESS_ALLOW', 'METRICS_ALLOWED_IPS', 'TRUST_PROXY'];
      const problems = problemsOf(Object.fromEntries(names.map((name) => [name, network])));
      expect(problems.map((problem) => problem.split(' ')[0]).sort(), network).toEqual(names);
    }
  });

  it('loadConfig() rejects METRICS_USER without METRICS_PASSWORD, invalid addresses and METRICS_PORT without metrics', () => {
    expect(problemsOf({ METRICS_USER: 'a:b', METRICS_ALLOWED_IPS: '10.0.0.0/8, here' })).toEqual([
      'METRICS_USER and METRICS_PASSWORD must be set together',
      'METRICS_USER must not have a colon',
      'METRICS_ALLOWED_IPS must be addresses or CIDRs like 10.0.0.0/8',
    ]);
    expect(problemsOf({ PROMETHEUS_METRICS: 'false', METRICS_PORT: '9464' })).toEqual([
      'METRICS_PORT needs PROMETHEUS_METRICS to be true',
    ]);
  });

  it('loadConfig() rejects a short METRICS_PASSWORD unless WEAK_TOKENS is true', () => {
    const metrics = { METRICS_USER: 'prometheus', METRICS_PASSWORD: 'fifteen-letters' };
    expect(problemsOf(metrics)).toEqual([
      'METRICS_PASSWORD must have at least 16 characters, unless WEAK_TOKENS is true',
    ]);
    expect(problemsOf({ ...metrics, WEAK_TOKENS: 'true' })).toEqual([]);
    expect(problemsOf({ ...metrics, METRICS_PASSWORD: 'sixteen-letters.' })).toEqual([]);
  });

  it('loadConfig() rejects a published API_KEY and a short one', () => {
    expect(problemsOf({ API_KEY: '429683C4C977415CAAFCCE10F7D57E11' })).toEqual([expect.stringContaining('published')]);
    expect(problemsOf({ API_KEY: 'secret' })).toEqual([expect.stringContaining('at least 16 characters')]);
  });

  it('loadConfig() rejects an API key that no client can send, from the environment and from the key file', () => {
    const dataDir = folder();
    for (const key of ['clé-très-secrète-0123', 'a-long-enough\tkey-1', 'a-long-enough-key-🔑']) {
      expect(problemsOf({ API_KEY: key }), key).toEqual(['API_KEY must consist of printable ASCII characters']);
      expect(problemsOf({ API_KEY: '', AUTHENTICATION_API_KEY: key }), key).toEqual([
        'AUTHENTICATION_API_KEY must consist of printable ASCII characters',
      ]);
      writeFileSync(join(dataDir, 'api-key'), `${key}\n`);
      expect(() => loadConfig({ DATA_DIR: dataDir }), key).toThrow(/api-key holds no usable key/);
    }
    expect(loadConfig({ API_KEY: 'several words with ~!"#%' }).apiKey).toBe('several words with ~!"#%');
  });

  it('loadConfig() generates an API key, stores it for its owner only and reads it again', () => {
    const dataDir = join(folder(), 'data');
    const generated = loadConfig({ DATA_DIR: dataDir });
    expect(generated.apiKeySource).toBe('generated');
    expect(generated.apiKey).toMatch(/^[\w-]{43}$/);
    expect(statSync(join(dataDir, 'api-key')).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(dataDir, 'api-key'), 'utf8')).toBe(`${generated.apiKey}\n`);
    expect(loadConfig({ DATA_DIR: dataDir })).toMatchObject({ apiKey: generated.apiKey, apiKeySource: 'file' });
  });

  it('loadConfig() rejects a key file without a usable API key', () => {
    const dataDir = folder();
    writeFileSync(join(dataDir, 'api-key'), '\n');
    expect(() => loadConfig({ DATA_DIR: dataDir })).toThrow(/api-key holds no usable key/);
  });
});

describe('startupNoticesOf()', () => {
  it('startupNoticesOf() names unsupported and ignored settings without their values', () => {
    const env = {
      ...{
        API_KEY,
        RABBITMQ_ENABLED: 'true',
        SQS_ENABLED: 'false',
        AUTHENTICATION_TYPE: 'jwt',
        DATABASE_ENABLED: 'false',
        CORS_CREDENTIALS: 'true',
      },
      ...{ CACHE_REDIS_URI: 'redis://secret', LANGUAGE: '', LOG_COLOR: 'true', NODE_ENV: 'production', HOME: '/root' },
    };
    const { ignored, unsupported } = startupNoticesOf(env);
    expect(Object.keys(unsupported).sort()).toEqual(['AUTHENTICATION_TYPE', 'DATABASE_ENABLED', 'RABBITMQ_ENABLED']);
    expect(unsupported.RABBITMQ_ENABLED).toContain('no queues');
    expect(Object.keys(ignored).sort()).toEqual(['CACHE_REDIS_URI', 'CORS_CREDENTIALS', 'LOG_COLOR']);
    expect(JSON.stringify(ignored)).not.toContain('secret');
    expect(startupNoticesOf({ API_KEY })).toEqual({ ignored: {}, unsupported: {} });
  });
});

describe('summarize()', () => {
  it('summarize() shows only whether a secret is set', () => {
    const secret = Buffer.alloc(32, 7).toString('base64');
    const text = JSON.stringify(
      summarize(loadConfig({ API_KEY, ENCRYPTION_KEY: secret, DATABASE_URL: 'postgres://u:p@h/d' })),
    );
    expect(text).not.toContain(API_KEY);
    expect(text).not.toContain(secret);
    expect(text).not.toContain('u:p');
    expect(JSON.parse(text)).toMatchObject({ apiKey: true, encryptionKey: true, platformRootKey: false, port: 8080 });
  });
});

describe('the global webhook', () => {
  const ON = { WEBHOOK_GLOBAL_ENABLED: 'true', WEBHOOK_GLOBAL_URL: 'https://u:p@hooks.example/in?key=k' };
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const read = (env: Record<string, string>) => loadConfig({ API_KEY, ...ON, ...env });

  it('the global webhook is off unless WEBHOOK_GLOBAL_ENABLED is true, and then receives all events', () => {
    expect(loadConfig({ API_KEY, WEBHOOK_GLOBAL_URL: ON.WEBHOOK_GLOBAL_URL }).webhookGlobalEnabled).toBe(false);
    expect(read({})).toMatchObject({ webhookGlobalEnabled: true, webhookGlobalEvents: [] });
  });

  it('the global webhook receives the listed or individually enabled events, and is off when all are disabled', () => {
    const events = {
      WEBHOOK_EVENTS_CALL: 'true',
      WEBHOOK_EVENTS_MESSAGES_UPSERT: 'TRUE',
      WEBHOOK_EVENTS_CHATS_SET: 'false',
    };
    expect([...read({ WEBHOOK_GLOBAL_EVENTS: 'CALL, LABELS_EDIT' }).webhookGlobalEvents]).toEqual([
      'CALL',
      'LABELS_EDIT',
    ]);
    expect([...read(events).webhookGlobalEvents].sort()).toEqual(['CALL', 'MESSAGES_UPSERT']);
    expect(read({ ...events, WEBHOOK_GLOBAL_EVENTS: 'CALL' }).webhookGlobalEvents).toEqual(['CALL']);
    expect(read({ WEBHOOK_EVENTS_CALL: 'false' }).webhookGlobalEnabled).toBe(false);
    const errors = { WEBHOOK_EVENTS_ERRORS: 'true', WEBHOOK_EVENTS_ERRORS_WEBHOOK: 'https://hooks.example/errors' };
    expect(read(errors)).toMatchObject({
      webhookGlobalEnabled: true,
      webhookGlobalEvents: [],
    });
  });

  it('loadConfig() rejects a global webhook without a URL, with an unknown event or with an invalid secret', () => {
    expect(problemsOf({ WEBHOOK_GLOBAL_ENABLED: 'true' })).toEqual([expect.stringContaining('WEBHOOK_GLOBAL_URL')]);
    expect(problemsOf({ ...ON, WEBHOOK_GLOBAL_URL: 'hooks.example' })).toHaveLength(1);
    expect(problemsOf({ ...ON, WEBHOOK_GLOBAL_EVENTS: 'CALL,CALLS' })).toEqual([expect.stringContaining('CALLS')]);
    expect(problemsOf({ ...ON, WEBHOOK_GLOBAL_SECRET: secret })).toEqual([]);
    for (const value of ['secret', secret.slice(6), `${secret}!`, 'whsec_AAAA']) {
      expect(problemsOf({ ...ON, WEBHOOK_GLOBAL_SECRET: value })).toEqual([expect.stringContaining('openssl rand')]);
    }
  });

  it('summarize() shows neither the secret nor the credentials in the URL of the global webhook', () => {
    const summary = JSON.stringify(summarize(read({ WEBHOOK_GLOBAL_SECRET: secret })));
    expect(summary).toContain('"https://hooks.example"');
    for (const hidden of [secret, 'u:p', 'key=k']) expect(summary).not.toContain(hidden);
  });
});

describe('the settings of a backup', () => {
  it('loadDataSettings() reports invalid settings under the name that was set, and checks no other settings', () => {
    const env = { DATABASE_CONNECTION_URI: 'mysql://db', ENCRYPTION_KEY: 'short', PORT: 'x' };
    expect(() => loadDataSettings(env)).toThrow(
      expect.objectContaining({
        problems: [
          'ENCRYPTION_KEY must be 32 bytes in base64, or several such keys with commas between them',
          'DATABASE_CONNECTION_URI must be a postgres:// URL',
        ],
      }),
    );
  });
});
