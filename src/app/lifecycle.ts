// Starts the parts of a gateway in order, and shuts down its HTTP server. The stack of compose.ts stops the parts in the
// reverse order, with two exceptions:
// - Webhook deliveries start after the instances are loaded, because a delivery that waits in the store needs the name,
//   the key and the proxy of its instance. They stop after the instances, because sessions store their last events when
//   they end.
// - The HTTP server of a cluster node starts before the instances are loaded, because other nodes send requests as soon
//   as the node joins. It stops before the instances, because requests need them.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { AccessControl } from '../access/access-control.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Config } from '../config/load.ts';
import type { InstanceManager } from '../instances/manager.ts';
import type { Clock } from '../lib/clock.ts';
import type { ServerUrl } from '../lib/server-url.ts';
import type { ProxySettings } from '../storage/instance-row.ts';
import type { Subscriptions } from '../webhooks/subscriptions.ts';
import type { WebhookService } from '../webhooks/webhook-service.ts';
import type { VersionSource } from '../whatsapp/baileys/client-version.ts';

type Socket = FastifyRequest['socket'];

/** The parts that `startGateway` starts, and those that it needs. */
export interface StartableParts {
  config: Config;
  log: Logger;
  serverUrl: ServerUrl;
  /** The access keys and the audit log, which have periodic tasks. */
  access: Pick<AccessControl, 'start'>;
  /** The stored webhooks. */
  subscriptions: Pick<Subscriptions, 'load'>;
  webhookService: Pick<WebhookService, 'start' | 'loadReaders' | 'acquire'>;
  /** The version of WhatsApp Web with which instances connect. */
  versionSource: Pick<VersionSource, 'load' | 'refresh' | 'onChange'>;
  /** Proxy of instances without a proxy of their own. */
  defaultProxy: ProxySettings | undefined;
  /** Rejects when the proxy does not work. */
  testProxy: (proxy: ProxySettings) => Promise<void>;
  app: Pick<FastifyInstance, 'listen' | 'server'>;
  manager: Pick<InstanceManager, 'boot' | 'retryOutdated' | 'findWeakTokens' | 'list'>;
  cluster: Pick<Cluster, 'join' | 'start'> | undefined;
  /** Periodically deletes old messages and requests. */
  retention: { start(): void };
  /** Periodically deletes instances that stay unused. */
  expiry: { start(): void };
  /** The metrics, if they are enabled. start() listens on METRICS_PORT. */
  collectors: { start(): Promise<void> } | undefined;
  /** Gives unused memory back to the operating system, if the process is to do that. */
  memoryRelease: { start(): void } | undefined;
}

/** Loads the instances, listens, and connects the linked instances in the background. Resolves with the base URL. */
export async function startGateway(parts: StartableParts): Promise<{ url: string }> {
  const {
    config,
    access,
    collectors,
    versionSource,
    retention,
    webhookService,
    memoryRelease,
    defaultProxy,
    testProxy,
    log,
    manager,
  } = parts;
  access.start();
  await collectors?.start();
  await versionSource.load();
  retention.start();
  const { url, restored } = await loadInstances(parts);
  // With WEAK_TOKENS=true, the operator accepts weak instance keys, so there is no warning.
  const weakTokens = config.weakTokens ? undefined : manager.findWeakTokens();
  if (weakTokens) log.warn({ ...weakTokens, setting: 'WEAK_TOKENS' }, 'instance.weak_token.found');
  await webhookService.start();
  if (defaultProxy) void testProxy(defaultProxy).catch((err: unknown) => log.warn({ err }, 'proxy.test.failed'));
  // When the version changes, the instances that WhatsApp refused because of the old version connect again.
  versionSource.onChange(() => void manager.retryOutdated());
  void versionSource.refresh();
  void restored.then(() => log.info({ instances: manager.list().length }, 'gateway.restored'));
  memoryRelease?.start();
  return { url };
}

/**
 * Listens and loads the instances. Without a cluster, loads all instances before it opens the port. A cluster node
 * opens the port first, because other nodes send requests to it as soon as it joins. It loads only the instances whose
 * leases it holds. Then unused instances can expire. `restored` resolves when each linked instance has had its first
 * connection attempt.
 */
async function loadInstances(parts: StartableParts): Promise<{ url: string; restored: Promise<void> }> {
  const { config, serverUrl, app, manager, cluster, subscriptions, webhookService, expiry } = parts;
  const listen = async () => {
    const url = await app.listen({ host: config.host, port: config.port });
    serverUrl.setPort(portOf(app));
    return url;
  };
  if (!cluster) {
    const { restored } = await manager.boot();
    expiry.start();
    return { restored, url: await listen() };
  }
  const url = await listen();
  const ids = await cluster.join(portOf(app));
  await subscriptions.load(ids);
  // Must precede boot(): events without a webhook are stored only if the event log of the instance has readers.
  await webhookService.loadReaders();
  const { restored } = await manager.boot(ids);
  expiry.start();
  await webhookService.acquire(ids);
  cluster.start();
  return { restored, url };
}

/** The port that the server listens on. Not taken from its URL, which omits the default port of the scheme. */
function portOf({ server }: StartableParts['app']): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server does not listen on a port');
  return address.port;
}

/** Maximum wait for requests in flight before the instances stop, unless a third of SHUTDOWN_TIMEOUT is shorter. */
const REQUEST_GRACE_MS = 5_000;
/** Maximum time for the last responses to reach their clients. */
const LAST_RESPONSES_TIMEOUT_MS = 1_000;

/**
 * Shuts the HTTP server down in two steps. Between them the caller stops the instances, which settles the requests that
 * wait for an instance. Both steps do nothing before `attach`.
 */
export class HttpShutdown {
  readonly #clock: Clock;
  readonly #graceMs: number;
  #app: Pick<FastifyInstance, 'close' | 'server'> | undefined;
  /**
   * All open connections. `server.closeAllConnections()` does not know upgraded connections and those whose TLS
   * handshake is not complete.
   */
  readonly #sockets = new Set<Socket>();
  #closed: Promise<unknown> = Promise.resolve();

  /** `shutdownTimeoutMs` is SHUTDOWN_TIMEOUT. */
  constructor(clock: Clock, shutdownTimeoutMs: number) {
    this.#clock = clock;
    this.#graceMs = Math.min(REQUEST_GRACE_MS, shutdownTimeoutMs / 3);
  }

  /** Call it before the server listens. */
  attach(app: Pick<FastifyInstance, 'close' | 'server'>): void {
    this.#app = app;
    app.server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  /** Refuses new requests. Resolves when the requests in flight have ended, or after the grace period. */
  async stopAccepting(): Promise<void> {
    if (!this.#app) return;
    const closed = this.#app.close();
    this.#closed = closed;
    await Promise.race([closed, new Promise<void>((resolve) => this.#clock.after(this.#graceMs, resolve))]);
  }

  /**
   * Resolves when all connections are closed. Destroys those that are still open after 1 s, because their clients have
   * not sent a complete request or do not read the response.
   */
  async closeConnections(): Promise<void> {
    const timer = this.#clock.after(LAST_RESPONSES_TIMEOUT_MS, () => {
      for (const socket of this.#sockets) socket.destroy();
    });
    await this.#closed;
    timer.cancel();
  }
}
