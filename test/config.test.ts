import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ConfigError, loadConfig, summary } from '../src/config.ts';

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
  it('has a default for everything but the key', () => {
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

  it('takes values as numbers, booleans and lists, and treats empty as unset', () => {
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

  it('cannot be changed afterwards', () => {
    expect(Object.isFrozen(loadConfig({ API_KEY }))).toBe(true);
  });

  it('knows the names of other gateways, and prefers its own', () => {
    const env = {
      AUTHENTICATION_API_KEY: API_KEY,
      SERVER_PORT: '9000',
      AUTHENTICATION_EXPOSE_IN_FETCH_INSTANCES: 'false',
    };
    expect(loadConfig(env)).toMatchObject({ apiKey: API_KEY, port: 9000, exposeInstanceKeys: false });
    expect(loadConfig({ ...env, PORT: '9001' }).port).toBe(9001);
  });

  it('lets a caller replace defaults, not what is set', () => {
    const defaults = { HOST: '127.0.0.1', LOG_LEVEL: 'warn' };
    expect(loadConfig({ API_KEY, LOG_LEVEL: 'debug' }, defaults)).toMatchObject({
      host: '127.0.0.1',
      logLevel: 'debug',
    });
  });

  it('names every malformed variable at once, without repeating its value', () => {
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

  it('refuses a published key and a short one', () => {
    expect(problemsOf({ API_KEY: '429683C4C977415CAAFCCE10F7D57E11' })).toEqual([expect.stringContaining('published')]);
    expect(problemsOf({ API_KEY: 'secret' })).toEqual([expect.stringContaining('at least 16 characters')]);
  });

  it('makes a key when there is none, keeps it for its owner only and finds it again', () => {
    const dataDir = join(folder(), 'data');
    const made = loadConfig({ DATA_DIR: dataDir });
    expect(made.apiKeySource).toBe('generated');
    expect(made.apiKey).toMatch(/^[\w-]{43}$/);
    expect(statSync(join(dataDir, 'api-key')).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(dataDir, 'api-key'), 'utf8')).toBe(`${made.apiKey}\n`);
    expect(loadConfig({ DATA_DIR: dataDir })).toMatchObject({ apiKey: made.apiKey, apiKeySource: 'file' });
  });

  it('refuses a key file that holds nothing usable', () => {
    const dataDir = folder();
    writeFileSync(join(dataDir, 'api-key'), '\n');
    expect(() => loadConfig({ DATA_DIR: dataDir })).toThrow(/api-key holds no usable key/);
  });
});

describe('summary', () => {
  it('shows secrets only as whether they are set', () => {
    const secret = Buffer.alloc(32, 7).toString('base64');
    const text = JSON.stringify(
      summary(loadConfig({ API_KEY, ENCRYPTION_KEY: secret, DATABASE_URL: 'postgres://u:p@h/d' })),
    );
    expect(text).not.toContain(API_KEY);
    expect(text).not.toContain(secret);
    expect(text).not.toContain('u:p');
    expect(JSON.parse(text)).toMatchObject({ apiKey: true, encryptionKey: true, platformRootKey: false, port: 8080 });
  });
});

describe('the global webhook', () => {
  const on = { WEBHOOK_GLOBAL_ENABLED: 'true', WEBHOOK_GLOBAL_URL: 'https://u:p@hooks.example/in?key=k' };
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const read = (env: Record<string, string>) => loadConfig({ API_KEY, ...on, ...env });

  it('is off until it is switched on, and wants all events then', () => {
    expect(loadConfig({ API_KEY, WEBHOOK_GLOBAL_URL: on.WEBHOOK_GLOBAL_URL }).webhookGlobalEnabled).toBe(false);
    expect(read({})).toMatchObject({ webhookGlobalEnabled: true, webhookGlobalEvents: [] });
  });

  it('wants the events that are listed, or switched on one by one; none of them is off', () => {
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
    expect(read({ WEBHOOK_EVENTS_ERRORS: 'true' })).toMatchObject({
      webhookGlobalEnabled: true,
      webhookGlobalEvents: [],
    });
  });

  it('is refused without an address, with an unknown event, and with a secret that is none', () => {
    expect(problemsOf({ WEBHOOK_GLOBAL_ENABLED: 'true' })).toEqual([expect.stringContaining('WEBHOOK_GLOBAL_URL')]);
    expect(problemsOf({ ...on, WEBHOOK_GLOBAL_URL: 'hooks.example' })).toHaveLength(1);
    expect(problemsOf({ ...on, WEBHOOK_GLOBAL_EVENTS: 'CALL,CALLS' })).toEqual([expect.stringContaining('CALLS')]);
    expect(problemsOf({ ...on, WEBHOOK_GLOBAL_SECRET: secret })).toEqual([]);
    for (const wrong of ['secret', secret.slice(6), `${secret}!`, 'whsec_AAAA']) {
      expect(problemsOf({ ...on, WEBHOOK_GLOBAL_SECRET: wrong })).toEqual([expect.stringContaining('openssl rand')]);
    }
  });

  it('shows neither its secret nor what its address may hold in the log', () => {
    const said = JSON.stringify(summary(read({ WEBHOOK_GLOBAL_SECRET: secret })));
    expect(said).toContain('"https://hooks.example"');
    for (const hidden of [secret, 'u:p', 'key=k']) expect(said).not.toContain(hidden);
  });
});
