// The composition root: config → a gateway that can be started and stopped. Everything is wired here and nowhere else.
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { buildApp } from './app.ts';
import type { Config } from './config.ts';
import { createEgress, type Egress } from './egress/client.ts';
import { createIngest } from './instances/ingest.ts';
import { InstanceManager } from './instances/manager.ts';
import { Retention } from './instances/retention.ts';
import { type Clock, systemClock } from './lib/clock.ts';
import type { Endpoint } from './platform/endpoint.ts';
import { createMedia, type Media } from './platform/media/media.ts';
import { createPreview, type Fetched } from './platform/preview.ts';
import { createOpenSession } from './platform/socket.ts';
import { createVersion } from './platform/version.ts';
import { openStorage } from './storage/open.ts';
import type { Storage } from './storage/storage.ts';
import { Dispatcher } from './webhooks/dispatcher.ts';
import { createPublisher } from './webhooks/publisher.ts';
import { createSubscriptions, type Subscriptions } from './webhooks/subscriptions.ts';

export interface GatewayOptions {
  endpoint: Endpoint;
  log: Logger;
}

export interface Gateway {
  readonly app: FastifyInstance;
  readonly manager: InstanceManager;
  /** Loads the instances, listens, and lets the linked ones connect in the background. Resolves with the base URL. */
  start(): Promise<{ url: string }>;
  /** No new work; requests in flight finish; sockets close without logout; the outbox is settled; the store is closed. Idempotent. */
  stop(): Promise<void>;
}

/** ms that requests in flight may take before their sockets are closed under them. */
const REQUEST_GRACE = 5_000;
/** ms that the last answers may take to reach their callers. */
const LAST_ANSWERS = 1_000;
/** ms that the last posts of an instance may take before it is deleted. */
const LAST_POSTS = 2_000;
const VERSION_PAGE_LIMIT = 4 * 1024 * 1024;
const VERSION_TIMEOUT = 15_000;

/** Opens the store and wires the parts; nothing listens or connects before `start`. Throws when configuration or store refuse. */
export async function createGateway(config: Config, { endpoint, log }: GatewayOptions): Promise<Gateway> {
  const clock = systemClock;
  const storage = await openStorage({
    dataDir: config.dataDir,
    databaseUrl: config.databaseUrl || undefined,
    network: endpoint.network,
    encryptionKey: config.encryptionKey || undefined,
    synchronous: config.sqliteSynchronous === 'FULL' ? 'full' : 'normal',
  });
  const egress = createEgress({ allow: [...config.egressAllow], strict: config.egressStrict });
  const subscriptions = await createSubscriptions(storage, { clock, check: (url) => egress.check('webhook', url) });
  const dispatcher = new Dispatcher({
    storage,
    subscriptions,
    egress,
    clock,
    log,
    options: {
      timeout: config.webhookTimeout,
      schedule: config.webhookRetrySchedule,
      expiry: config.webhookExpiryHours * 3_600_000,
    },
  });
  const version = createVersion({
    facts: storage.facts,
    network: endpoint.network,
    override: config.platformVersion || undefined,
    fetchText: (url, headers) => fetchText(egress, url, headers),
    clock,
    log,
  });
  const parts = { config, endpoint, log, clock, storage, egress, subscriptions, dispatcher, version };
  const { manager, ingest } = createManager(parts);
  const app = await buildApp({
    config,
    log,
    network: endpoint.network,
    manager,
    subscriptions,
    media: mediaOf(config, endpoint, egress),
    store: storage,
    counts: (id) => storage.instances.counts(id),
    ping: () => storage.ping(),
    platformVersion: () => {
      const { version: parts, source } = version.current();
      return { version: parts.join('.'), source };
    },
  });

  const retention = new Retention({ messages: storage.messages, clock, log, limits: config });
  const stop = async () => {
    const closed = app.close();
    const grace = new Promise<void>((resolve) => clock.after(REQUEST_GRACE, resolve));
    await Promise.race([closed, grace]);
    await manager.stop();
    // Every answer is on its way by now; what else is connected never finished its request.
    const late = clock.after(LAST_ANSWERS, () => app.server.closeAllConnections());
    await closed;
    late.cancel();
    await ingest.settle();
    await retention.stop();
    version.stop();
    await dispatcher.stop();
    await egress.close();
    await storage.close();
  };
  let stopped: Promise<void> | undefined;
  return {
    app,
    manager,
    async start() {
      await version.load();
      const { restored } = await manager.boot();
      const url = await app.listen({ host: config.host, port: config.port });
      await dispatcher.start();
      retention.start();
      void version.refresh();
      void restored.then(() => log.info({ instances: manager.list().length }, 'gateway.restored'));
      return { url };
    },
    stop: () => (stopped ??= stop()),
  };
}

function mediaOf({ mediaLimit, mediaTimeout }: Config, endpoint: Endpoint, egress: Egress): Media {
  return createMedia({
    endpoint,
    get: (url, limits) => egress.request('public', { method: 'GET', url, ...limits }),
    maxBytes: mediaLimit,
    timeout: mediaTimeout,
  });
}

interface ManagerParts extends GatewayOptions {
  config: Config;
  clock: Clock;
  storage: Storage;
  egress: Egress;
  subscriptions: Subscriptions;
  dispatcher: Dispatcher;
  version: ReturnType<typeof createVersion>;
}

function createManager(parts: ManagerParts): { manager: InstanceManager; ingest: ReturnType<typeof createIngest> } {
  const { config, endpoint, log, clock, storage, egress, subscriptions, dispatcher, version } = parts;
  const publish = createPublisher({
    subscriptions,
    describe: (id) => manager.byId(id)?.row,
    serverUrl: config.serverUrl || `http://localhost:${config.port}`,
    includeApikey: config.webhookIncludeApikey,
    clock,
  });
  const ingest = createIngest({ messages: storage.messages, publish, wake: (id) => dispatcher.wake(id), clock, log });
  const manager: InstanceManager = new InstanceManager({
    storage: { authKeys: storage.authKeys, instances: forgetting(storage.instances, subscriptions) },
    openSession: createOpenSession({
      endpoint,
      storage,
      preview: createPreview({ fetchPage: (url, limits) => fetchPage(egress, url, limits), clock }),
      log,
      options: {
        queryTimeout: config.queryTimeout,
        sendTimeout: config.sendTimeout,
        maxDelay: config.maxDelay,
        verify: config.platformVerify,
        browser: [config.configSessionPhoneClient, config.configSessionPhoneName, '1.0.0'],
        version: () => version.current().version,
        logBaileys: config.logBaileys,
      },
    }),
    ingest,
    clock,
    log,
    options: {
      qrLimit: config.qrcodeLimit,
      qrColor: config.qrcodeColor,
      connectConcurrency: config.connectConcurrency,
    },
    drain: async (id) => void (await dispatcher.drained(id, LAST_POSTS)),
  });
  return { manager, ingest };
}

/** The instance store, whose deletions also end the instance's webhooks in memory. */
function forgetting(instances: Storage['instances'], subscriptions: Subscriptions): Storage['instances'] {
  return {
    create: (row) => instances.create(row),
    get: (id) => instances.get(id),
    list: () => instances.list(),
    update: (id, patch) => instances.update(id, patch),
    counts: (id) => instances.counts(id),
    async delete(id) {
      await instances.delete(id);
      subscriptions.forget(id);
    },
  };
}

async function fetchText(egress: Egress, url: string, headers: Record<string, string>): Promise<string> {
  const { status, body, oversize } = await egress.request('public', {
    method: 'GET',
    url,
    headers,
    timeout: VERSION_TIMEOUT,
    maxBytes: VERSION_PAGE_LIMIT,
  });
  if (status !== 200 || oversize) throw new Error(`${url} answered ${status}`);
  return body.toString();
}

/** A page or picture for a link preview, as a browser would ask for it. */
async function fetchPage(egress: Egress, url: string, limits: { timeout: number; maxBytes: number }): Promise<Fetched> {
  const { status, headers, body, oversize } = await egress.request('public', {
    method: 'GET',
    url,
    headers: {
      accept: 'text/html,image/*;q=0.9,*/*;q=0.5',
      'user-agent': 'Mozilla/5.0 (compatible; messaging-gateway)',
    },
    ...limits,
  });
  const type = headers['content-type'];
  return { status, type: String(type ?? ''), body, oversize };
}
