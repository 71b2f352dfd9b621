// The HTTP interface alone: the real app over fake instances, stores and services, which record their calls.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance, InjectOptions } from 'fastify';
import pino from 'pino';
import { onTestFinished } from 'vitest';
import { KeyService } from '../../src/access/keys.ts';
import { createHttpApp } from '../../src/app/http.ts';
import { loadConfig } from '../../src/config/load.ts';
import { GatewayError } from '../../src/errors.ts';
import type { AppDeps, AppInstance } from '../../src/http/deps.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { logOptions } from '../../src/observability/logger.ts';
import { createMetrics } from '../../src/observability/metrics.ts';
import type { InstanceRow } from '../../src/storage/instance-row.ts';
import type { WebhookRow } from '../../src/storage/webhook-stores.ts';
import { createSubscriptions } from '../../src/webhooks/subscriptions.ts';
import { createMedia } from '../../src/whatsapp/media/media.ts';
import { createMessageFilesService } from '../../src/whatsapp/media/message-files.ts';
import { createSignedLinks } from '../../src/whatsapp/media/signed-link.ts';
import { SessionTransfer } from '../../src/whatsapp/session-transfer/session-transfer.ts';
import { answerViolations } from './conforms.ts';
import { noImages } from './images.ts';

export const KEY = 'service-key-0123456789';
export const QR = { pairingCode: null, code: '2@qr', base64: 'data:image/png;base64,AA==', count: 1 };

const settings = {
  rejectCall: false,
  msgCall: '',
  groupsIgnore: false,
  alwaysOnline: false,
  readMessages: false,
  readStatus: false,
  syncFullHistory: false,
};

export interface FakeInstance extends AppInstance {
  row: InstanceRow;
  state: 'open' | 'connecting' | 'close';
  calls: unknown[];
}

function noPasskeyLink(): never {
  throw new GatewayError('PASSKEY_WRONG_STAGE', ['The platform is not asking this instance for a passkey.'], {
    certain: true,
  });
}

/** An instance whose state the test sets. Its key is `<name>-key`. */
export function fakeInstance(name: string, patch: Partial<InstanceRow> = {}): FakeInstance {
  const row: InstanceRow = {
    ...{ id: `id-of-${name}`, name, token: `${name}-key`, integration: 'WHATSAPP-BAILEYS', number: null, settings },
    ...{ desired: 'running', ownerJid: null, ownerLid: null, profileName: null, profilePictureUrl: null },
    ...{ profileStatus: null, disconnectionCode: null, disconnectionCause: null, disconnectionAt: null },
    ...{ createdAt: 0, updatedAt: 0, ...patch },
  };
  const openStatus = {
    phase: 'open',
    cause: null,
    message: null,
    userAction: null,
    retryAt: null,
    code: null,
    qr: null,
    restriction: null,
  };
  const instance: FakeInstance = {
    id: row.id,
    name,
    row,
    state: 'open',
    calls: [],
    status: () => ({ ...openStatus, state: instance.state }),
    session: () => {
      throw new GatewayError('INSTANCE_NOT_OPEN', ['Error: Connection Closed'], { certain: true });
    },
    connect: async (options = {}) => {
      instance.calls.push(['connect', options.number]);
      return QR;
    },
    restart: async () => void instance.calls.push(['restart']),
    disconnect: async () => void instance.calls.push(['disconnect']),
    isStopped: true,
    changeProxy: async (proxy) => void Object.assign(row, { proxy }),
    changeWebsocket: async (change) => {
      const websocket = { ...change, createdAt: 1_700_000_000_000, updatedAt: 1_700_000_000_000 };
      Object.assign(row, { websocket });
      return websocket;
    },
    changeSettings: async (change) => {
      Object.assign(row, { settings: { ...row.settings, ...change } });
      return row.settings;
    },
    passkeyStatus: noPasskeyLink,
    answerPasskey: async () => noPasskeyLink(),
    confirmPasskey: async () => noPasskeyLink(),
    logout: async () => {
      if (instance.state === 'close') {
        throw new GatewayError('INSTANCE_NOT_CONNECTED', [`The "${name}" instance is not connected`]);
      }
      return { isConfirmed: true };
    },
  };
  return instance;
}

export interface Http {
  app: FastifyInstance;
  instances: Map<string, FakeInstance>;
  /** Webhooks by instance id. */
  webhooks: Map<string, WebhookRow>;
  log: Record<string, unknown>[];
  manager: AppDeps['manager'];
  keys: KeyService;
  /** Entries of the audit log. */
  recorded: object[];
  subscriptions: AppDeps['subscriptions'];
  /**
   * Sends a request with the global key. A header with the value undefined is not sent. Throws if the response does not
   * match the contract.
   */
  call(
    method: InjectOptions['method'],
    url: string,
    body?: unknown,
    headers?: Record<string, string | undefined>,
  ): Promise<{ status: number; headers: Record<string, unknown>; body: unknown; text: string }>;
}

function fakeManager(instances: Map<string, FakeInstance>, webhooks: Map<string, WebhookRow>): AppDeps['manager'] {
  return {
    ready: true,
    async create({ name, token, number, settings: customSettings, toWebhook }) {
      if (instances.has(name))
        throw new GatewayError('INSTANCE_NAME_IN_USE', [`This name "${name}" is already in use.`]);
      const instance = fakeInstance(name, {
        token: token ?? 'MADE',
        number: number ?? null,
        settings: { ...settings, ...customSettings },
      });
      const webhook = toWebhook?.(instance.id);
      if (webhook) webhooks.set(instance.id, webhook);
      instances.set(name, Object.assign(instance, { state: 'close' }));
      return instance;
    },
    announce: async () => {},
    get: (name) => instances.get(name),
    byId: (id) => [...instances.values()].find((instance) => instance.id === id),
    byKey: (key) => [...instances.values()].find(({ row }) => row.token === key),
    list: () => [...instances.values()],
    async delete({ name }) {
      instances.delete(name);
    },
  };
}

/** The real subscriptions over a fake store, which keeps only the rows of webhook/set: in `webhooks`, by instance. */
function subscriptionsOver(webhooks: Map<string, WebhookRow>): Promise<AppDeps['subscriptions']> {
  const store = {
    list: async () => [],
    put: async (row: WebhookRow) => {
      if (row.role === undefined) webhooks.set(row.instanceId, row);
    },
    delete: async () => 2,
  };
  return createSubscriptions({ webhooks: store }, { clock: systemClock, global: globalWebhook });
}

const globalWebhook = { url: 'http://global.example/', events: ['CALL'], byEvents: false };

/** A webhook service without events and deliveries. */
export const emptyWebhookService: AppDeps['webhookService'] = {
  readEvents: async () => ({ events: [], next: 'here' }),
  openStream: async () => (async function* () {})(),
  closeStreams: () => {},
  reportDeliveries: async () => ({ endpoints: [], deliveries: [], replays: [], next: null }),
  replay: async () => ({ queued: 0 }),
};

/** A store that keeps no keys. KeyService has its keys in memory and needs no store. */
const emptyKeys = {
  list: async () => [],
  insert: async () => {},
  replace: async () => true,
  delete: async () => {},
  recordUses: async () => {},
  prune: async () => 0,
};

/** A store that holds nothing. */
export const emptyStore = {
  instances: { list: async (): Promise<InstanceRow[]> => [], identities: async (): Promise<InstanceRow[]> => [] },
  chats: {
    list: async () => [],
    countUnread: async () => 0,
    listNewest: async () => null,
    firstMessageAt: async () => null,
    disappearingTimer: async () => 0,
    findArchived: async () => new Map(),
  },
  contacts: {
    find: async () => [],
    findStoredLids: async () => [],
    recipient: async () => null,
    saveRecipient: async () => {},
  },
  deriveKeys: () => [Buffer.alloc(32)],
  requests: {
    claim: async () => null,
    storeResponse: async () => {},
    delete: async () => {},
    prune: async () => 0,
  },
  messages: {
    get: async () => null,
    setFileLocation: async () => undefined,
    statuses: async () => [],
    originsByMessageId: async () => new Map(),
    record: async () => ({ queued: new Map(), events: [] }),
    find: async () => [],
    count: async () => 0,
    findStatuses: async () => [],
    findPending: async () => [],
    prune: async () => 0,
    pruneStatuses: async () => 0,
  },
  authKeys: {
    get: async () => new Map<string, Uint8Array>(),
    readAll: async () => new Map<string, Uint8Array>(),
    ids: async () => [],
    page: async () => [],
    set: async () => {},
    creds: async (): Promise<Uint8Array | null> => new Uint8Array([1]),
    setCreds: async () => {},
    wipe: async () => {},
  },
};

/**
 * Starts an app with the instances `shop` and `other`, which is closed when the test ends. `deps` replaces parts of the
 * app, and `env` adds settings.
 */
export async function startHttp(env: Record<string, string> = {}, deps: Partial<AppDeps> = {}): Promise<Http> {
  const http = await openHttp(env, deps);
  onTestFinished(http.close);
  return http;
}

/** The same without the automatic close. For an app that several tests share and do not change. */
export async function openHttp(
  env: Record<string, string> = {},
  deps: Partial<AppDeps> = {},
): Promise<Http & { close(): Promise<void> }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'http-test-'));
  const log: Http['log'] = [];
  const instances = new Map([fakeInstance('shop'), fakeInstance('other')].map((instance) => [instance.name, instance]));
  const webhooks = new Map<string, WebhookRow>();
  const manager = fakeManager(instances, webhooks);
  const subscriptions = await subscriptionsOver(webhooks);
  const keys = new KeyService({ store: emptyKeys, clock: systemClock });
  const recorded: object[] = [];
  const app = await createHttpApp({
    config: loadConfig({
      API_KEY: KEY,
      DATA_DIR: dataDir,
      SERVER_DISABLE_DOCS: 'true',
      SERVER_DISABLE_MANAGER: 'true',
      OVERLOAD_DELAY: '0',
      OVERLOAD_SEND_TIME: '0',
      ...env,
    }),
    log: pino(logOptions('debug'), { write: (line) => void log.push(JSON.parse(line)) }),
    metrics: createMetrics(),
    network: 'whatsapp',
    ...{ manager, subscriptions, keys },
    auditRecorder: { record: (entry) => void recorded.push(entry), read: async () => [] },
    webhookService: emptyWebhookService,
    testWebhook: async () => ({ id: 'test_1', delivered: true, status: 200, ms: 3, body: 'thanks', error: null }),
    store: emptyStore,
    counts: async () => ({ messages: 1, contacts: 2, chats: 3 }),
    checkStorage: async () => {},
    platformVersion: () => ({ version: '2.3000.1', source: 'platform' }),
    testProxy: async () => {},
    sessionTransfer: new SessionTransfer(),
    files: createMessageFilesService({
      links: createSignedLinks({ keys: [Buffer.alloc(32)], days: 7, clock: systemClock }),
      messages: emptyStore.messages,
      open: async () => {
        throw new Error('no file');
      },
    }),
    media: createMedia({
      endpoint: { network: 'sandbox' },
      ffmpeg: async () => undefined,
      log: pino({ level: 'silent' }),
      images: noImages,
      get: async () => ({ status: 404, body: Buffer.alloc(0), isOversize: false }),
      maxBytes: 1024,
      timeout: 1_000,
    }),
    ...deps,
  });
  return {
    ...{ app, instances, webhooks, log, manager, subscriptions, keys, recorded },
    async close() {
      await app.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
    async call(method, url, body, headers = {}) {
      const headersWithKey = {
        apikey: KEY,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      };
      const sentHeaders = Object.fromEntries(Object.entries(headersWithKey).filter(([, value]) => value !== undefined));
      const payload = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
      const reply = await app.inject({ method, url, headers: sentHeaders, payload });
      const isJson = String(reply.headers['content-type']).startsWith('application/json');
      const answer = isJson && reply.body !== '' ? JSON.parse(reply.body) : undefined;
      const mismatch = answerViolations(String(method), url, reply.statusCode, answer);
      if (mismatch) throw new Error(mismatch);
      return { status: reply.statusCode, headers: reply.headers, text: reply.body, body: answer };
    },
  };
}
