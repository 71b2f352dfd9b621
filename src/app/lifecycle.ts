// Starts a gateway, and ends its HTTP server. The stack of compose.ts stops the parts: the last one created is the
// first one stopped.
import type { FastifyInstance } from 'fastify';
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
import type { createVersionSource } from '../whatsapp/baileys/client-version.ts';

/** What `startGateway` starts. */
export interface StartableParts {
  config: Config;
  log: Logger;
  serverUrl: ServerUrl;
  access: Pick<AccessControl, 'start'>;
  subscriptions: Pick<Subscriptions, 'load'>;
  webhookService: Pick<WebhookService, 'start' | 'acquire'>;
  version: Pick<ReturnType<typeof createVersionSource>, 'load' | 'refresh'>;
  /** Proxy of instances without a proxy of their own. */
  defaultProxy: ProxySettings | undefined;
  testProxy: (proxy: ProxySettings) => Promise<void>;
  app: Pick<FastifyInstance, 'listen' | 'server'>;
  manager: Pick<InstanceManager, 'boot' | 'weakTokens' | 'list'>;
  cluster: Pick<Cluster, 'join' | 'start'> | undefined;
  retention: { start(): void };
  expiry: { start(): void };
  collectors: { start(): Promise<void> } | undefined;
}

/** Loads the instances, listens, and connects the linked instances in the background. Resolves with the base URL. */
export async function startGateway(parts: StartableParts): Promise<{ url: string }> {
  const {
    config,
    version,
    collectors,
    webhookService,
    retention,
    access,
    expiry,
    defaultProxy,
    testProxy,
    log,
    manager,
  } = parts;
  await version.load();
  const { url, restored } = await loadInstances(parts);
  const weak = config.weakTokens ? undefined : manager.weakTokens();
  if (weak) log.warn({ ...weak, setting: 'WEAK_TOKENS' }, 'instance.token.found_weak');
  await collectors?.start();
  await webhookService.start();
  retention.start();
  access.start();
  expiry.start();
  if (defaultProxy) void testProxy(defaultProxy).catch((err: unknown) => log.warn({ err }, 'proxy.test.failed'));
  void version.refresh();
  void restored.then(() => log.info({ instances: manager.list().length }, 'gateway.restored'));
  return { url };
}

/**
 * Listens and loads the instances. Without a cluster, all instances are loaded before the port is open. A cluster node
 * listens first, because other nodes reach it from the moment it joins; it loads the instances of its leases.
 */
async function loadInstances(parts: StartableParts): Promise<{ url: string; restored: Promise<void> }> {
  const { config, serverUrl, app, manager, cluster, subscriptions, webhookService } = parts;
  const listen = async () => {
    const url = await app.listen({ host: config.host, port: config.port });
    serverUrl.setPort(portOf(app));
    return url;
  };
  if (!cluster) {
    const { restored } = await manager.boot();
    return { restored, url: await listen() };
  }
  const url = await listen();
  const ids = await cluster.join(portOf(app));
  await subscriptions.load(ids);
  const { restored } = await manager.boot(ids);
  await webhookService.acquire(ids);
  cluster.start();
  return { restored, url };
}

/** The port that the server listens on. Its URL does not contain the default port of the scheme. */
function portOf({ server }: StartableParts['app']): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server does not listen on a port');
  return address.port;
}

/** ms that requests in flight may take before the instances stop; at most a third of SHUTDOWN_TIMEOUT. */
const REQUEST_GRACE_MS = 5_000;
/** ms that the last responses may take to reach their callers. */
const LAST_RESPONSES_MS = 1_000;

/**
 * Ends the HTTP server in two steps. Between them the instances stop, which settles the requests that wait for an
 * instance. Both steps do nothing without an app.
 */
export class HttpShutdown {
  readonly #clock: Clock;
  readonly #grace: number;
  #app: Pick<FastifyInstance, 'close' | 'server'> | undefined;
  #closed: Promise<unknown> = Promise.resolve();

  /** `timeout` is SHUTDOWN_TIMEOUT, ms. */
  constructor(clock: Clock, timeout: number) {
    this.#clock = clock;
    this.#grace = Math.min(REQUEST_GRACE_MS, timeout / 3);
  }

  attach(app: Pick<FastifyInstance, 'close' | 'server'>): void {
    this.#app = app;
  }

  /** Accepts no new requests. Resolves when those in flight have ended, or after the grace period. */
  async stopAccepting(): Promise<void> {
    if (!this.#app) return;
    const closed = this.#app.close();
    this.#closed = closed;
    await Promise.race([closed, new Promise<void>((resolve) => this.#clock.after(this.#grace, resolve))]);
  }

  /**
   * Resolves when all connections are closed. Connections that are left after 1 s are cut: they have no complete
   * request.
   */
  async closeConnections(): Promise<void> {
    const timer = this.#clock.after(LAST_RESPONSES_MS, () => this.#app?.server.closeAllConnections());
    await this.#closed;
    timer.cancel();
  }
}
