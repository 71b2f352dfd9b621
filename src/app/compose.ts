// The composition root: creates the parts of a gateway and connects them. parts.ts translates settings to the options
// of the parts, http.ts creates the HTTP server, and lifecycle.ts starts the gateway.
//
// The cluster loads and ends instances, so it is created after the instance manager. The manager, the stores and the
// stop need the cluster, too, and read it from `clusterRef`. No order of creation avoids this reference. With the
// manager as an argument of the cluster's join(), the cluster itself would have to wait for the manager.
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { type AccessControl, createAccessControl } from '../access/access-control.ts';
import { type Cluster, createCluster, isClusterEnabled } from '../cluster/cluster.ts';
import { withLeaderPruning } from '../cluster/leader-pruning.ts';
import { withLeaseCheck } from '../cluster/lease-check.ts';
import type { Config } from '../config/load.ts';
import type { Egress } from '../egress/http-client.ts';
import { fetchPage } from '../egress/page-fetcher.ts';
import { createEventRecorder, type EventRecorder } from '../events/recorder.ts';
import { withCacheEviction } from '../instances/cache-eviction.ts';
import { InstanceExpiry } from '../instances/expiry.ts';
import { InstanceManager } from '../instances/manager.ts';
import { InstanceRegistry } from '../instances/registry.ts';
import { type Clock, monotonicNow, systemClock } from '../lib/clock.ts';
import { LateBound } from '../lib/late-bound.ts';
import { currentRequestId } from '../lib/request-id.ts';
import { ServerUrl } from '../lib/server-url.ts';
import { createCollectors } from '../observability/collectors.ts';
import { createMetrics, type Metrics } from '../observability/metrics.ts';
import type { SettingsOf, SocketService } from '../sockets/socket-service.ts';
import type { ProxySettings } from '../storage/instance-row.ts';
import { isRejectedRow } from '../storage/rejected-rows.ts';
import { RetentionTask } from '../storage/retention-task.ts';
import type { Storage } from '../storage/storage.ts';
import { createPublisher } from '../webhooks/publisher.ts';
import type { Subscriptions } from '../webhooks/subscriptions.ts';
import { createTestDelivery } from '../webhooks/test-delivery.ts';
import type { WebhookService } from '../webhooks/webhook-service.ts';
import type { VersionSource } from '../whatsapp/baileys/client-version.ts';
import { type PlatformEndpoint, serverAddressOf } from '../whatsapp/baileys/platform-endpoint.ts';
import { createOpenSession } from '../whatsapp/connection/open-session.ts';
import { createProxyCheck } from '../whatsapp/connection/proxy-check.ts';
import { createImageDecoder, type ImageDecoder } from '../whatsapp/media/image-decoder.ts';
import { createPreviewFetcher } from '../whatsapp/media/link-preview.ts';
import type { Media } from '../whatsapp/media/media.ts';
import type { MessageFiles } from '../whatsapp/media/message-files.ts';
import { SessionTransfer } from '../whatsapp/session-transfer/session-transfer.ts';
import { createHttpApp } from './http.ts';
import { HttpShutdown, startGateway } from './lifecycle.ts';
import { createMemoryRelease } from './memory-release.ts';
import {
  createClientVersionSource,
  createErrorReporter,
  createGatewayEgress,
  createMediaService,
  createMessageFiles,
  createWebhooks,
  defaultProxyOf,
  openGatewayStorage,
  openSubscriptions,
  sessionOptionsOf,
} from './parts.ts';

export interface GatewayOptions {
  /** The server that the instances connect to: WhatsApp, or a sandbox. */
  endpoint: PlatformEndpoint;
  log: Logger;
  /** Default: the clock of the system. */
  clock?: Clock;
  /** Called when another process has taken the name of this cluster node. This process must end then. */
  onReplaced?: () => void;
  /** Whether the gateway gives unused memory of the process back to the operating system. Default: false. */
  releasesMemory?: boolean;
}

export interface Gateway {
  readonly app: FastifyInstance;
  readonly manager: InstanceManager;
  /** Loads the instances, listens, and connects the linked instances in the background. Resolves with the base URL. */
  start(): Promise<{ url: string }>;
  /**
   * Refuses new requests, waits for requests in flight, closes the sessions without a logout, delivers pending webhooks
   * and closes the store. Idempotent.
   */
  stop(): Promise<void>;
}

/**
 * Maximum number of times that a cluster node reconnects an instance whose connection was replaced by another
 * connection of the same account (D-146).
 */
const MAX_TAKEOVERS = 3;
/** Maximum wait for the pending webhooks of an instance before the instance is deleted. */
const WEBHOOK_DRAIN_TIMEOUT_MS = 2_000;

/**
 * Opens the store and creates the parts. Nothing listens or connects to WhatsApp before `start`. Rejects when the
 * configuration or the store is unusable, after it has closed everything that it opened.
 */
export async function createGateway(config: Config, options: GatewayOptions): Promise<Gateway> {
  const stack = new AsyncDisposableStack();
  try {
    return await compose(config, options, stack);
  } catch (error) {
    await stack.disposeAsync().catch((err: unknown) => options.log.error({ err }, 'gateway.cleanup.failed'));
    throw error;
  }
}

/**
 * Creates the parts. `stack` stops them in the reverse order of the `defer` calls. A part therefore stops before the
 * parts that it needs during its own stop.
 */
async function compose(
  config: Config,
  { endpoint, log, clock = systemClock, onReplaced = () => undefined, releasesMemory = false }: GatewayOptions,
  stack: AsyncDisposableStack,
): Promise<Gateway> {
  const core = await openCore(config, { endpoint, log, clock }, stack);
  const { storage, egress, registry, clusterRef, metrics } = core;

  // The metrics list the instances of the registry, because the instance manager does not exist yet.
  const collectors = metrics && createCollectors(metrics, { ...core, manager: registry });
  stack.defer(async () => collectors?.stop());
  const versionSource = createClientVersionSource(core);
  stack.defer(() => versionSource.stop());
  const { messages, requests } = storage;
  const retention = new RetentionTask({ messages, requests, clock, log, limits: config });
  stack.defer(() => retention.stop());
  const sockets = await createSockets(config, clock, (id) => registry.byId(id)?.row.websocket);
  const recorder = createRecorder({ ...core, sockets });
  stack.defer(() => recorder.flush());
  const httpShutdown = new HttpShutdown(clock, config.shutdownTimeout);
  stack.defer(() => httpShutdown.closeConnections());
  const images = createImageDecoder({ log });
  const manager = createManager({ ...core, versionSource, sockets, recorder, images });
  stack.defer(() => manager.stop());
  const cluster = clusterRef.bind(createCluster({ ...core, manager, recorder, onReplaced }));
  // A stored event counts as activity. The cluster gives away the instances with the oldest activity first.
  if (cluster) recorder.addListener({ onStored: (id) => cluster.touch(id) });
  const expiry = new InstanceExpiry({ manager, clock, now: monotonicNow, log, maxUnusedMinutes: config.delInstance });
  stack.defer(() => expiry.stop());
  const media = createMediaService({ ...core, images });
  stack.defer(() => media.close());

  const testProxy = createProxyCheck(serverAddressOf(endpoint), (proxy) => egress.tunnel(proxy));
  const served = { ...core, manager, cluster, media, testProxy, sockets, versionSource };
  const app = await createApp(served);
  httpShutdown.attach(app);
  stack.defer(() => httpShutdown.stopAccepting());
  // Other nodes take over the instances while this node still works. The steps after it share the second half of
  // SHUTDOWN_TIMEOUT.
  stack.defer(async () => cluster?.drain(config.shutdownTimeout / 2));
  const memoryRelease = releasesMemory ? createMemoryRelease(clock, () => storage.releaseMemory()) : undefined;
  stack.defer(async () => memoryRelease?.stop());

  const startable = { ...served, app, retention, expiry, collectors, memoryRelease };
  let stopped: Promise<void> | undefined;
  return {
    app,
    manager,
    start: () => startGateway(startable),
    stop: () => (stopped ??= stack.disposeAsync()),
  };
}

/** The parts that the HTTP server needs. */
interface ServedParts extends CoreParts {
  manager: InstanceManager;
  cluster: Cluster | undefined;
  media: Media;
  testProxy: (proxy: ProxySettings) => Promise<void>;
  sockets: SocketService | undefined;
  versionSource: Pick<VersionSource, 'current'>;
}

/** Creates the HTTP server, which does not listen yet. */
function createApp(parts: ServedParts): Promise<FastifyInstance> {
  const { config, endpoint, clock, storage, egress, serverUrl, access, keyOf, cluster, versionSource } = parts;
  return createHttpApp({
    ...parts,
    keys: access.keys,
    auditRecorder: access.auditRecorder,
    cluster: cluster?.view,
    peers: cluster?.peers,
    network: endpoint.network,
    testWebhook: createTestDelivery({
      egress,
      clock,
      keyOf,
      serverUrl,
      timeout: config.webhookTimeout,
      check: (url) => egress.check('webhook', url),
    }),
    store: storage,
    sessionTransfer: new SessionTransfer(),
    reportFailure: createErrorReporter(parts),
    counts: (id) => storage.instances.counts(id),
    checkStorage: () => storage.checkWritable(),
    platformVersion: () => platformVersionOf(versionSource),
  });
}

/** The parts that the other parts need. */
interface CoreParts {
  config: Config;
  endpoint: PlatformEndpoint;
  log: Logger;
  clock: Clock;
  metrics: Metrics | undefined;
  /** The instances of this process. The instance manager adds them. */
  registry: InstanceRegistry;
  /**
   * The cluster, which is created after the instance manager. Its value is undefined when this process is not a cluster
   * node.
   */
  clusterRef: LateBound<Cluster | undefined>;
  storage: Storage;
  egress: Egress;
  serverUrl: ServerUrl;
  access: AccessControl;
  subscriptions: Subscriptions;
  files: MessageFiles;
  webhookService: WebhookService;
  /** Proxy of instances without a proxy of their own. */
  defaultProxy: ProxySettings | undefined;
  /** Returns the instance key for webhook bodies. Undefined unless WEBHOOK_INCLUDE_APIKEY is set. */
  keyOf: ((instanceId: string) => string | undefined) | undefined;
}

/** Opens the store and creates the parts that need only the store and the settings. */
async function openCore(
  config: Config,
  { endpoint, log, clock }: Pick<GatewayOptions, 'endpoint' | 'log'> & { clock: Clock },
  stack: AsyncDisposableStack,
): Promise<CoreParts> {
  const metrics = config.prometheusMetrics ? createMetrics() : undefined;
  const registry = new InstanceRegistry();
  const clusterRef = new LateBound<Cluster | undefined>('the cluster');
  const opened = await openGatewayStorage({ config, endpoint, log, onQueryEnd: metrics?.recordDatabaseCall });
  stack.defer(() => opened.close());
  // Only the leader of a cluster removes old rows. Without a cluster, this process is the leader.
  const storage = withLeaderPruning(opened, () => clusterRef.current?.keeper.isLeader ?? true);
  const egress = createGatewayEgress(config, endpoint);
  stack.defer(() => egress.close());
  // The leases make this node the owner of its instances. They are released after all parts that write data of the
  // instances have stopped.
  stack.defer(async () => {
    if (clusterRef.isBound) await clusterRef.current?.leave();
  });
  const access = await createAccessControl({ storage, clock, isRejected: isRejectedRow, log, limits: config });
  stack.defer(() => access.stop());
  const subscriptions = await openSubscriptions({ config, storage, egress, clock });
  const defaultProxy = defaultProxyOf(config);
  const proxyOf = (id: string) => registry.byId(id)?.row.proxy ?? defaultProxy;
  const files = createMessageFiles({ config, endpoint, egress, storage, clock, proxyOf });
  const keyOf = config.webhookIncludeApikey ? (id: string) => registry.byId(id)?.row.token : undefined;
  const webhookService = await createWebhooks({
    config,
    log,
    clock,
    storage,
    egress,
    subscriptions,
    files,
    keyOf,
    nameOf: (id) => registry.byId(id)?.name,
    onAttempted: metrics?.recordDelivery,
  });
  stack.defer(() => webhookService.stop());
  return {
    config,
    endpoint,
    log,
    clock,
    metrics,
    registry,
    clusterRef,
    storage,
    egress,
    serverUrl: new ServerUrl(config),
    access,
    subscriptions,
    files,
    webhookService,
    defaultProxy,
    keyOf,
  };
}

function platformVersionOf({ current }: Pick<VersionSource, 'current'>) {
  const { version, source } = current();
  return { version: version.join('.'), source };
}

async function createSockets(config: Config, clock: Clock, settingsOf: SettingsOf): Promise<SocketService | undefined> {
  if (!config.websocketEnabled) return undefined;
  // Loads socket.io only when it is enabled.
  const { SocketService } = await import('../sockets/socket-service.ts');
  return new SocketService({
    settingsOf,
    global: config.websocketGlobalEvents,
    maxConnections: config.maxConnections,
    clock,
  });
}

function createRecorder(parts: CoreParts & { sockets: SocketService | undefined }): EventRecorder {
  const { config, log, clock, storage, subscriptions, webhookService, registry, files, serverUrl, sockets, metrics } =
    parts;
  const publish = createPublisher({
    subscriptions,
    findInstance: (id) => registry.byId(id)?.row,
    serverUrl,
    mediaUrlOf: (instance, message) => {
      // Only files of stored messages can be downloaded.
      const path = config.databaseSaveDataNewMessage ? files.linkTo(instance, message) : undefined;
      return path && serverUrl.current + path;
    },
    // An event without a webhook is needed when the event log has readers, or when a socket client gets the event.
    isWanted: (id, type) => webhookService.isLogged(id) || sockets?.hasListeners(id, type) === true,
    clock,
  });
  const recorder = createEventRecorder({
    store: storage.messages,
    saveSettings: config,
    publish,
    isRejected: isRejectedRow,
    clock,
    log,
  });
  recorder.addListener(webhookService);
  if (sockets) recorder.addListener({ onStored: (id, events) => sockets.emit(id, events) });
  if (metrics) {
    recorder.addListener({
      onReceived: (_id, events) => metrics.recordEvents(events),
      onSkipped: () => metrics.recordContainedError('store'),
    });
  }
  return recorder;
}

interface ManagerParts extends CoreParts {
  versionSource: VersionSource;
  sockets: SocketService | undefined;
  recorder: EventRecorder;
  images: ImageDecoder;
}

function createManager(parts: ManagerParts): InstanceManager {
  const { config, endpoint, log, clock, storage, egress, access, subscriptions, webhookService, registry, clusterRef } =
    parts;
  const { metrics, images, sockets, versionSource, recorder, defaultProxy } = parts;
  // The parts that keep data of instances in memory. They forget a deleted instance.
  const caches = [subscriptions, webhookService, access.keys, ...(sockets ? [sockets] : [])];
  const openSession = createOpenSession({
    endpoint,
    storage,
    preview: createPreviewFetcher({ fetchPage: (url, limits) => fetchPage(egress, url, limits), clock, images }),
    clock,
    log,
    tunnel: (proxy) => egress.tunnel(proxy),
    proxy: defaultProxy,
    observer: {
      onSendStart(messageId) {
        // Log lines of webhook deliveries about the message then contain the id of the request that sent it.
        const requestId = currentRequestId();
        if (requestId !== undefined) webhookService.traceMessage(messageId, requestId);
      },
      onSendEnd: (report) => metrics?.recordSend(report),
      onAddressed: (form) => metrics?.recordDirectMessage(form),
      onAddressRetry: (outcome) => metrics?.recordAddressRetry(outcome),
      onErrorContained: (scope) => metrics?.recordContainedError(scope),
    },
    options: sessionOptionsOf(config, versionSource),
  });
  const isOwner = async (id: string) => (await clusterRef.current?.keeper.verifyLease(id)) ?? true;
  return new InstanceManager({
    registry,
    storage: { authKeys: storage.authKeys, instances: withCacheEviction(storage.instances, ...caches) },
    openSession: withLeaseCheck(isOwner, openSession),
    ingest: recorder.record,
    onTransition: metrics?.recordTransition,
    clock,
    log,
    options: {
      qrLimit: config.qrcodeLimit,
      qrColor: config.qrcodeColor,
      connectConcurrency: config.connectConcurrency,
      maxTakeovers: isClusterEnabled(config, storage) ? MAX_TAKEOVERS : 0,
    },
    drain: (id) => webhookService.drain(id, WEBHOOK_DRAIN_TIMEOUT_MS),
  });
}
