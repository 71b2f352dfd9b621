// The composition root: config → a gateway that can be started and stopped. Everything is wired here and nowhere else.
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { buildApp } from './app.ts';
import type { Config } from './config.ts';
import { createEgress, type Egress } from './egress/client.ts';
import { fetchPage, fetchText } from './egress/pages.ts';
import { forgetting } from './instances/forgetting.ts';
import { createIngest } from './instances/ingest.ts';
import { InstanceManager } from './instances/manager.ts';
import { Retention } from './instances/retention.ts';
import { type Clock, systemClock } from './lib/clock.ts';
import { addressOf, authoritiesOf, type Endpoint, isMediaHost } from './platform/endpoint.ts';
import { createDownloads } from './platform/media/download.ts';
import { findFfmpeg } from './platform/media/ffmpeg.ts';
import { createInboundFiles, type InboundFiles } from './platform/media/inbound.ts';
import { createLinks } from './platform/media/link.ts';
import { createMedia, type Media } from './platform/media/media.ts';
import { createPreview } from './platform/preview.ts';
import { createProxyTest } from './platform/proxy.ts';
import { createOpenSession } from './platform/socket.ts';
import { createVersion } from './platform/version.ts';
import { type SettingsOf, Sockets } from './sockets/sockets.ts';
import type { ProxySettings, Storage } from './storage/storage.ts';
import { openWhenThere } from './storage/wait.ts';
import { createFill } from './webhooks/file.ts';
import { createOffice, type Office } from './webhooks/office.ts';
import { createPing } from './webhooks/ping.ts';
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

/** ms that requests in flight may take before their sockets are closed under them: no more than a third of what a stop may take. */
const REQUEST_GRACE = 5_000;
/** ms that the last answers may take to reach their callers. */
const LAST_ANSWERS = 1_000;
/** ms that the last posts of an instance may take before it is deleted. */
const LAST_POSTS = 2_000;

/** Opens the store and wires the parts; nothing listens or connects before `start`. Throws when configuration or store refuse. */
export async function createGateway(config: Config, { endpoint, log }: GatewayOptions): Promise<Gateway> {
  const clock = systemClock;
  const storage = await openWhenThere({
    ...{ log, wait: config.databaseWait },
    dataDir: config.dataDir,
    databaseUrl: config.databaseUrl || undefined,
    network: endpoint.network,
    encryptionKey: config.encryptionKey || undefined,
    synchronous: config.sqliteSynchronous === 'FULL' ? 'full' : 'normal',
  });
  const egress = egressOf(config, endpoint);
  const subscriptions = await subscriptionsOf({ config, storage, egress, clock });
  const proxyOf = (id: string) => manager.byId(id)?.row.proxy;
  const files = filesOf({ config, endpoint, egress, storage, clock, proxyOf });
  const keyOf = config.webhookIncludeApikey ? (id: string) => manager.byId(id)?.row.token : undefined;
  const office = await officeOf({ config, log, clock, storage, egress, subscriptions, files, keyOf });
  const version = createVersion({
    facts: storage.facts,
    network: endpoint.network,
    override: config.platformVersion || undefined,
    fetchText: (url, headers) => fetchText(egress, url, headers),
    clock,
    log,
  });
  const sockets = socketsOf(config, clock, (id) => manager.byId(id)?.row.websocket);
  const parts = { config, endpoint, log, clock, storage, egress, subscriptions, office, sockets, version, files };
  const { manager, ingest } = createManager(parts);
  const media = mediaOf(parts);
  const testProxy = createProxyTest(addressOf(endpoint), (proxy) => egress.tunnel(proxy));
  const app = await buildApp({
    ...{ config, log, manager, subscriptions, office, sockets, media, files, testProxy },
    network: endpoint.network,
    testWebhook: createPing({
      ...{ egress, clock, keyOf, timeout: config.webhookTimeout, serverUrl: serverUrlOf(config) },
      check: (url) => egress.check('webhook', url),
    }),
    store: storage,
    counts: (id) => storage.instances.counts(id),
    ping: () => storage.ping(),
    platformVersion: () => {
      const { version: parts, source } = version.current();
      return { version: parts.join('.'), source };
    },
  });

  const retention = new Retention({
    messages: storage.messages,
    requests: storage.requests,
    clock,
    log,
    limits: config,
  });
  const stop = async () => {
    const closed = app.close();
    const grace = new Promise<void>((resolve) =>
      clock.after(Math.min(REQUEST_GRACE, config.shutdownTimeout / 3), resolve),
    );
    await Promise.race([closed, grace]);
    media.close();
    await manager.stop();
    // Every answer is on its way by now; what else is connected never finished its request.
    const late = clock.after(LAST_ANSWERS, () => app.server.closeAllConnections());
    await closed;
    late.cancel();
    await ingest.settle();
    await retention.stop();
    version.stop();
    await office.stop();
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
      await office.start();
      retention.start();
      void version.refresh();
      void restored.then(() => log.info({ instances: manager.list().length }, 'gateway.restored'));
      return { url };
    },
    stop: () => (stopped ??= stop()),
  };
}

type OfficeParts = Pick<ManagerParts, 'config' | 'log' | 'clock' | 'storage' | 'egress' | 'subscriptions' | 'files'> & {
  keyOf: ((instanceId: string) => string | undefined) | undefined;
};

function officeOf({ config, files, ...parts }: OfficeParts): Promise<Office> {
  const hours = (count: number) => count * 3_600_000;
  return createOffice({
    ...parts,
    fill: createFill({ fetchFile: files.fetcher(config.mediaLimit), clock: parts.clock }),
    options: {
      timeout: config.webhookTimeout,
      schedule: config.webhookRetrySchedule,
      expiry: hours(config.webhookExpiryHours),
      disableAfter: hours(config.webhookDisableHours),
      retention: hours(config.eventRetentionHours),
      backlog: config.webhookBacklog,
      eventLog: config.eventLog,
    },
  });
}

const serverUrlOf = ({ serverUrl, port }: Config): string => serverUrl || `http://localhost:${port}`;

function subscriptionsOf(parts: Pick<ManagerParts, 'config' | 'storage' | 'egress' | 'clock'>): Promise<Subscriptions> {
  const { config, storage, egress, clock } = parts;
  const global = {
    url: config.webhookGlobalUrl,
    events: config.webhookGlobalEvents,
    byEvents: config.webhookGlobalWebhookByEvents,
    secret: config.webhookGlobalSecret || undefined,
  };
  const check = (url: string) => egress.check('webhook', url);
  return createSubscriptions(storage, { clock, check, global: config.webhookGlobalEnabled ? global : undefined });
}

function mediaOf({
  config,
  endpoint,
  egress,
  log,
}: Pick<ManagerParts, 'config' | 'endpoint' | 'egress' | 'log'>): Media {
  const { mediaLimit, mediaTimeout, ffmpegPath } = config;
  // Asked once, now, so that the log says at the start what can be converted; nobody waits for it but the first voice note.
  const ffmpeg = ffmpegPath === 'none' ? Promise.resolve(undefined) : findFfmpeg(ffmpegPath || 'ffmpeg', log);
  return createMedia({
    endpoint,
    log,
    ffmpeg: () => ffmpeg,
    get: (url, limits) => egress.request('public', { method: 'GET', url, ...limits }),
    maxBytes: mediaLimit,
    timeout: mediaTimeout,
  });
}

function egressOf({ egressAllow, egressStrict }: Config, endpoint: Endpoint): Egress {
  return createEgress({
    allow: [...egressAllow],
    strict: egressStrict,
    isPlatformLocal: endpoint.url !== undefined,
    platform: { isHost: (host) => isMediaHost(endpoint, host), ca: authoritiesOf(endpoint) },
  });
}

type FileParts = Pick<ManagerParts, 'config' | 'endpoint' | 'egress' | 'storage' | 'clock'> & {
  proxyOf: (instanceId: string) => ProxySettings | null | undefined;
};

function filesOf({ config, endpoint, egress, storage, clock, proxyOf }: FileParts): InboundFiles {
  const links = createLinks({ keys: storage.keysFor('media-links'), days: config.mediaLinkDays, clock });
  const open = createDownloads({
    receive: (request, take, id) => {
      const proxy = proxyOf(id);
      const tunnel = proxy ? egress.tunnel(proxy) : undefined;
      return egress.receive('platform', { method: 'GET', ...request, tunnel }, take);
    },
    endpoint,
    messages: storage.messages,
    maxBytes: config.downloadLimit,
    timeout: config.downloadTimeout,
    askTimeout: config.queryTimeout,
  });
  return createInboundFiles({ links, messages: storage.messages, open });
}

function socketsOf(config: Config, clock: Clock, settingsOf: SettingsOf): Sockets | undefined {
  if (!config.websocketEnabled) return undefined;
  return new Sockets({ settingsOf, global: config.websocketGlobalEvents, clock });
}

interface ManagerParts extends GatewayOptions {
  config: Config;
  clock: Clock;
  storage: Storage;
  egress: Egress;
  subscriptions: Subscriptions;
  office: Office;
  sockets: Sockets | undefined;
  version: ReturnType<typeof createVersion>;
  files: InboundFiles;
}

function createManager(parts: ManagerParts): { manager: InstanceManager; ingest: ReturnType<typeof createIngest> } {
  const { config, endpoint, log, clock, storage, egress, subscriptions, office, sockets, version, files } = parts;
  const serverUrl = serverUrlOf(config);
  const publish = createPublisher({
    subscriptions,
    describe: (id) => manager.byId(id)?.row,
    serverUrl,
    linkTo: (instance, message) => {
      const path = files.linkTo(instance, message);
      return path && serverUrl + path;
    },
    isWanted: (id, type) => office.isLogged(id) || sockets?.wants(id, type) === true,
    clock,
  });
  const ingest = createIngest({
    messages: storage.messages,
    publish: office.counting(publish),
    wake: office.wake,
    stored(id, events) {
      office.stored(id);
      sockets?.tell(id, events);
    },
    clock,
    log,
  });
  const manager: InstanceManager = new InstanceManager({
    storage: {
      authKeys: storage.authKeys,
      instances: forgetting(storage.instances, subscriptions, office, ...(sockets ? [sockets] : [])),
    },
    openSession: createOpenSession({
      endpoint,
      storage,
      preview: createPreview({ fetchPage: (url, limits) => fetchPage(egress, url, limits), clock }),
      log,
      tunnel: (proxy) => egress.tunnel(proxy),
      options: {
        queryTimeout: config.queryTimeout,
        sendTimeout: config.sendTimeout,
        maxDelay: config.maxDelay,
        restrictionGuard: config.restrictionGuard,
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
    drain: (id) => office.drain(id, LAST_POSTS),
  });
  return { manager, ingest };
}
