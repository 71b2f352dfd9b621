// Registers the metrics that read their values from parts of the gateway at each scrape, and listens on METRICS_PORT.
import type { Logger } from 'pino';
import type { Config } from '../config/load.ts';
import type { Clock } from '../lib/clock.ts';
import { describePortError, TemporarilyUnavailableError } from '../lib/startup-errors.ts';
import type { Storage } from '../storage/storage.ts';
import type { Subscriptions } from '../webhooks/subscriptions.ts';
import type { WebhookService } from '../webhooks/webhook-service.ts';
import type { Metrics } from './metrics.ts';
import { createIpFilter } from './metrics-access.ts';
import { registerProcessMetrics } from './process-metrics.ts';
import { registerGauges } from './scrape-gauges.ts';

export interface CollectedParts {
  config: Config;
  endpoint: { network: string };
  log: Pick<Logger, 'info'>;
  clock: Clock;
  storage: Pick<Storage, 'outbox' | 'dialect'>;
  webhookService: Pick<WebhookService, 'breakers'>;
  subscriptions: Pick<Subscriptions, 'listOwn' | 'global'>;
  manager: { list(): readonly { id: string; name: string; status(): { phase: string } }[] };
}

/**
 * Registers gauges and process metrics. `start` listens on METRICS_PORT, if it is set, and rejects when the port is
 * unavailable. `stop` stops the listener and the measurements.
 */
export function createCollectors(
  metrics: Metrics,
  parts: CollectedParts,
): { start(): Promise<void>; stop(): Promise<void> } {
  const { config, log, clock, storage, webhookService, manager } = parts;
  const instances = () => manager.list().map((each) => ({ name: each.name, phase: each.status().phase }));
  registerGauges(metrics, {
    instances,
    countOutbox: () => storage.outbox.depthOfAll(),
    receivers: () => countReceivers(parts, webhookService.breakers()),
    now: () => clock.now(),
    maxNamedInstances: config.metricsInstances,
  });
  const stopProcessMetrics = registerProcessMetrics(metrics, {
    countOpen: () => instances().filter(({ phase }) => phase === 'open').length,
    info: { node: process.version, database: storage.dialect, network: parts.endpoint.network },
  });
  let listener: { url: string; close(): Promise<void> } | undefined;
  return {
    async start() {
      const { metricsPort: port, metricsHost: host, metricsAllowedIps } = config;
      if (port === 0) return;
      // metrics-listener.ts is loaded only when it is needed, because it imports node:http, which loads Node's
      // WebSocket client: 3 MB of heap (D-184).
      const { openMetricsListener } = await import('./metrics-listener.ts');
      const isAllowed = createIpFilter(metricsAllowedIps);
      listener = await openMetricsListener(metrics, { host, port, isAllowed }).catch((cause: unknown) => {
        const sentence = describePortError(cause, 'METRICS_PORT');
        throw sentence ? new TemporarilyUnavailableError(sentence, { cause }) : cause;
      });
      log.info({ url: listener.url }, 'metrics.listener.started');
    },
    async stop() {
      stopProcessMetrics();
      await listener?.close();
    },
  };
}

/** Counts the receivers (webhooks): the enabled ones by the state of their circuit breaker, and the disabled ones. */
function countReceivers(
  { manager, subscriptions }: Pick<CollectedParts, 'manager' | 'subscriptions'>,
  { open, halfOpen }: { open: number; halfOpen: number },
): { closed: number; open: number; halfOpen: number; disabled: number } {
  const global = subscriptions.global();
  const all = [...manager.list().flatMap(({ id }) => subscriptions.listOwn(id)), ...(global ? [global] : [])];
  const enabled = all.filter((webhook) => webhook.enabled).length;
  return { closed: Math.max(0, enabled - open - halfOpen), open, halfOpen, disabled: all.length - enabled };
}
