// The composition root: config → a gateway that can be started and stopped. Everything is wired here and nowhere else.
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { createAccessControl } from '../access/access-control.ts';
import { type Cluster, createCluster, pruneOnLeader, withLeaseCheck } from '../cluster/cluster.ts';
import type { Config } from '../config/load.ts';
import { fetchPage } from '../egress/page-fetcher.ts';
import { createEventRecorder, type EventRecorder } from '../events/recorder.ts';
import { withCacheEviction } from '../instances/cache-eviction.ts';
import { InstanceExpiry } from '../instances/expiry.ts';
import { InstanceManager } from '../instances/manager.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { currentTrace } from '../lib/request-trace.ts';
import { ServerUrl } from '../lib/server-url.ts';
import { createCollectors } from '../observability/collectors.ts';
import { createMetrics, type Metrics } from '../observability/metrics.ts';
import type { SettingsOf, SocketService } from '../sockets/socket-service.ts';
import { isRejectedRow } from '../storage/rejected-rows.ts';
import { RetentionTask } from '../storage/retention-task.ts';
import { createPublisher } from '../webhooks/publisher.ts';
import { createTestDelivery } from '../webhooks/test-delivery.ts';
import type { createVersion } from '../whatsapp/baileys/client-version.ts';
import { type PlatformEndpoint, serverAddressOf } from '../whatsapp/baileys/platform-endpoint.ts';
import { createOpenSession } from '../whatsapp/connection/open-session.ts';
import { createProxyCheck } from '../whatsapp/connection/proxy-check.ts';
import { createImageDecoder, type ImageDecoder } from '../whatsapp/media/image-decoder.ts';
import { createPreview } from '../whatsapp/media/link-preview.ts';
import type { MessageFiles } from '../whatsapp/media/message-files.ts';
import { buildApp } from './http.ts';
import { type GatewayParts, start, stop } from './lifecycle.ts';
import {
  createClientVersion,
  createErrorReporter,
  createGatewayEgress,
  createMediaService,
  createMessageFiles,
  createWebhooks,
  defaultProxyOf,
  isShared,
  openGatewayStorage,
  openSubscriptions,
  socketTuningOf,
} from './parts.ts';

export interface GatewayOptions {
  endpoint: PlatformEndpoint;
  log: Logger;
  /** Another process has this node's name: this one must end. */
  onReplaced?: () => void;
}

export interface Gateway {
  readonly app: FastifyInstance;
  readonly manager: InstanceManager;
  /** Loads the instances, listens, and lets the linked ones connect in the background. Resolves with the base URL. */
  start(): Promise<{ url: string }>;
  /** No new work; requests in flight finish; sockets close without logout; the outbox is settled; the store is closed. Idempotent. */
  stop(): Promise<void>;
}

/** How often a node takes an instance back that is its own, from a connection that another node or another program made. */
const RECLAIMS = 3;
/** ms that the last posts of an instance may take before it is deleted. */
const LAST_POSTS = 2_000;

/** Opens the store and wires the parts; nothing listens or connects before `start`. Throws when configuration or store refuse. */
export async function createGateway(
  config: Config,
  { endpoint, log, onReplaced = () => undefined }: GatewayOptions,
): Promise<Gateway> {
  const clock = systemClock;
  const metrics = config.prometheusMetrics ? createMetrics() : undefined;
  const opened = await openGatewayStorage({ config, endpoint, log, onTimed: metrics?.stored });
  const storage = pruneOnLeader(opened, () => cluster?.keeper.isEldest ?? true);
  const egress = createGatewayEgress(config, endpoint);
  const subscriptions = await openSubscriptions({ config, storage, egress, clock });
  const defaultProxy = defaultProxyOf(config);
  const proxyOf = (id: string) => manager.byId(id)?.row.proxy ?? defaultProxy;
  const files = createMessageFiles({ config, endpoint, egress, storage, clock, proxyOf });
  const keyOf = config.webhookIncludeApikey ? (id: string) => manager.byId(id)?.row.token : undefined;
  const told = { keyOf, nameOf: (id: string) => manager.byId(id)?.name, onPosted: metrics?.posted };
  const office = await createWebhooks({ config, log, clock, storage, egress, subscriptions, files, ...told });
  const serverUrl = new ServerUrl(config);
  const common = { config, endpoint, log, clock, storage, egress, serverUrl };
  const version = createClientVersion(common);
  const sockets = await socketsOf(config, clock, (id) => manager.byId(id)?.row.websocket);
  const access = await createAccessControl({ storage, clock, log, limits: config });
  const images = createImageDecoder({ log });
  const parts = { ...common, images, access, subscriptions, office, sockets, version, files, defaultProxy, metrics };
  const { manager, ingest } = createManager({ ...parts, cluster: () => cluster });
  const cluster = createCluster({ ...parts, manager, ingest, onReplaced });
  if (cluster) ingest.addListener({ onStored: (id) => cluster.stir(id) });
  const media = createMediaService(parts);
  const testProxy = createProxyCheck(serverAddressOf(endpoint), (proxy) => egress.tunnel(proxy));
  const app = await buildApp({
    ...{ ...parts, manager, media, testProxy, keys: access.keys, recorder: access.recorder },
    ...{ cluster: cluster?.app, peers: cluster?.peers },
    network: endpoint.network,
    testWebhook: createTestDelivery({
      ...{ egress, clock, keyOf, timeout: config.webhookTimeout, serverUrl },
      check: (url) => egress.check('webhook', url),
    }),
    store: storage,
    reportFailure: createErrorReporter(parts),
    counts: (id) => storage.instances.counts(id),
    ping: () => storage.ping(),
    platformVersion: () => shown(version),
  });

  const { messages, requests } = storage;
  const retention = new RetentionTask({ messages, requests, clock, log, limits: config });
  const expiry = new InstanceExpiry({ manager, clock, log, minutes: config.delInstance });
  const meters = metrics && createCollectors(metrics, { ...parts, manager });
  const running = { ...parts, ingest, manager, cluster, app, media, testProxy, retention, expiry, meters };
  let stopped: Promise<void> | undefined;
  return {
    app,
    manager,
    start: () => start(running),
    stop: () => (stopped ??= stop(running)),
  };
}

function shown({ current }: Pick<ReturnType<typeof createVersion>, 'current'>) {
  const { version, source } = current();
  return { version: version.join('.'), source };
}

async function socketsOf(config: Config, clock: Clock, settingsOf: SettingsOf): Promise<SocketService | undefined> {
  if (!config.websocketEnabled) return undefined;
  // Loaded for those who want it.
  const { SocketService } = await import('../sockets/socket-service.ts');
  return new SocketService({
    settingsOf,
    global: config.websocketGlobalEvents,
    maxConnections: config.maxConnections,
    clock,
  });
}

type Shared =
  | 'config'
  | 'log'
  | 'clock'
  | 'storage'
  | 'egress'
  | 'serverUrl'
  | 'access'
  | 'subscriptions'
  | 'office'
  | 'version';

interface ManagerParts extends Pick<GatewayParts, Shared | 'defaultProxy'> {
  endpoint: PlatformEndpoint;
  sockets: SocketService | undefined;
  files: MessageFiles;
  metrics: Metrics | undefined;
  /** Once it is there, if there is one. */
  cluster: () => Cluster | undefined;
  images: ImageDecoder;
}

function createManager(parts: ManagerParts): {
  manager: InstanceManager;
  ingest: EventRecorder;
} {
  const { config, endpoint, log, clock, storage, egress, access, subscriptions, office, sockets, version, files } =
    parts;
  const { metrics, images, serverUrl } = parts;
  const publish = createPublisher({
    subscriptions,
    findInstance: (id) => manager.byId(id)?.row,
    serverUrl,
    linkTo: (instance, message) => {
      // What is not stored cannot be handed out.
      const path = config.databaseSaveDataNewMessage ? files.linkTo(instance, message) : undefined;
      return path && serverUrl.current + path;
    },
    isWanted: (id, type) => office.isLogged(id) || sockets?.hasListeners(id, type) === true,
    clock,
  });
  const ingest = createEventRecorder({
    store: storage.messages,
    kinds: config,
    publish,
    isRejected: isRejectedRow,
    clock,
    log,
  });
  ingest.addListener(office);
  if (sockets) ingest.addListener({ onStored: (id, events) => sockets.emit(id, events) });
  if (metrics) {
    ingest.addListener({
      onReceived: (_id, events) => metrics.heard(events),
      onSkipped: () => metrics.contained('store'),
    });
  }
  const manager: InstanceManager = new InstanceManager({
    storage: {
      authKeys: storage.authKeys,
      instances: withCacheEviction(
        storage.instances,
        subscriptions,
        office,
        access.keys,
        ...(sockets ? [sockets] : []),
      ),
    },
    openSession: withLeaseCheck(
      parts.cluster,
      createOpenSession({
        endpoint,
        storage,
        preview: createPreview({ fetchPage: (url, limits) => fetchPage(egress, url, limits), clock, images }),
        log,
        tunnel: (proxy) => egress.tunnel(proxy),
        proxy: parts.defaultProxy,
        observer: {
          onSendStart(messageId) {
            const request = currentTrace();
            if (request !== undefined) office.traceMessage(messageId, request);
          },
          onSendEnd: (report) => metrics?.sent(report),
          onErrorContained: (confined) => metrics?.contained(confined),
        },
        options: socketTuningOf(config, version),
      }),
    ),
    ingest: ingest.record,
    onTransition: metrics?.moved,
    clock,
    log,
    options: {
      qrLimit: config.qrcodeLimit,
      qrColor: config.qrcodeColor,
      connectConcurrency: config.connectConcurrency,
      maxReclaims: isShared(config, storage) ? RECLAIMS : 0,
    },
    drain: (id) => office.drain(id, LAST_POSTS),
  });
  return { manager, ingest };
}
