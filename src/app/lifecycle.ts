// In which order the parts of a gateway start, and in which they stop: who still works is stopped before what it needs.
import type { Logger } from 'pino';
import type { AccessControl } from '../access/access-control.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Config } from '../config/load.ts';
import type { Egress } from '../egress/http-client.ts';
import type { EventRecorder } from '../events/recorder.ts';
import type { InstanceManager } from '../instances/manager.ts';
import type { Clock } from '../lib/clock.ts';
import type { ServerUrl } from '../lib/server-url.ts';
import type { ProxySettings } from '../storage/instance-row.ts';
import type { Storage } from '../storage/storage.ts';
import type { Subscriptions } from '../webhooks/subscriptions.ts';
import type { WebhookService } from '../webhooks/webhook-service.ts';
import type { createVersion } from '../whatsapp/baileys/client-version.ts';
import type { Media } from '../whatsapp/media/media.ts';
import type { buildApp } from './http.ts';

interface Rounds {
  start(): void;
  stop(): Promise<void>;
}

export interface GatewayParts {
  config: Config;
  log: Logger;
  clock: Clock;
  storage: Storage;
  egress: Egress;
  serverUrl: ServerUrl;
  access: AccessControl;
  subscriptions: Subscriptions;
  office: WebhookService;
  version: ReturnType<typeof createVersion>;
  /** For instances without one of their own. */
  defaultProxy: ProxySettings | undefined;
  testProxy: (proxy: ProxySettings) => Promise<void>;
  app: Awaited<ReturnType<typeof buildApp>>;
  manager: InstanceManager;
  ingest: EventRecorder;
  cluster: Cluster | undefined;
  media: Media;
  retention: Rounds;
  expiry: Rounds;
  meters: { start(): Promise<void>; stop(): Promise<void> } | undefined;
}

/** ms that requests in flight may take before their sockets are closed under them: no more than a third of what a stop may take. */
const REQUEST_GRACE = 5_000;
/** ms that the last answers may take to reach their callers. */
const LAST_ANSWERS = 1_000;

/** Loads the instances, listens, and lets the linked ones connect in the background. Resolves with the base URL. */
export async function start(running: GatewayParts): Promise<{ url: string }> {
  const { config, version, meters, office, retention, access, expiry, defaultProxy, testProxy, log, manager } = running;
  await version.load();
  const { url, restored } = await boot(running);
  const weak = config.weakTokens ? undefined : manager.weakTokens();
  if (weak) log.warn({ ...weak, setting: 'WEAK_TOKENS' }, 'instance.token.found_weak');
  await meters?.start();
  await office.start();
  retention.start();
  access.start();
  expiry.start();
  if (defaultProxy) void testProxy(defaultProxy).catch((err: unknown) => log.warn({ err }, 'proxy.unusable'));
  void version.refresh();
  void restored.then(() => log.info({ instances: manager.list().length }, 'gateway.restored'));
  return { url };
}

/** The first instances: all, or those of a node that others can reach already. */
async function boot({ config, serverUrl, app, manager, cluster, subscriptions, office }: GatewayParts): Promise<{
  url: string;
  restored: Promise<void>;
}> {
  const listen = async () => {
    const url = await app.listen({ host: config.host, port: config.port });
    serverUrl.listening(portOf(app));
    return url;
  };
  if (!cluster) return { ...(await manager.boot()), url: await listen() };
  const url = await listen();
  const ids = await cluster.join(portOf(app));
  await subscriptions.load(ids);
  const { restored } = await manager.boot(ids);
  await office.acquire(ids);
  cluster.start();
  return { restored, url };
}

/** The port that is listened on. A URL does not say it when it is the usual one of its scheme. */
function portOf({ server }: GatewayParts['app']): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server does not listen on a port');
  return address.port;
}

/** No new work; requests in flight finish; sockets close without logout; the outbox is settled; the store is closed. */
export async function stop({ config, clock, cluster, app, manager, ingest, ...parts }: GatewayParts): Promise<void> {
  const { media, expiry, retention, version, meters, office, access, egress, storage } = parts;
  await cluster?.drain(config.shutdownTimeout / 2);
  const closed = app.close();
  const grace = new Promise<void>((resolve) =>
    clock.after(Math.min(REQUEST_GRACE, config.shutdownTimeout / 3), resolve),
  );
  await Promise.race([closed, grace]);
  media.close();
  await expiry.stop();
  await manager.stop();
  // Every answer is on its way by now; what else is connected never finished its request.
  const late = clock.after(LAST_ANSWERS, () => app.server.closeAllConnections());
  await closed;
  late.cancel();
  await ingest.flush();
  await retention.stop();
  version.stop();
  await meters?.stop();
  await office.stop();
  await access.stop();
  await cluster?.leave();
  await egress.close();
  await storage.close();
}
