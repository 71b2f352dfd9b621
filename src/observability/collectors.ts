// Connects the metrics with what they tell of: the parts of one gateway, its process, and the port of their own.
import type { Logger } from 'pino';
import type { Config } from '../config/load.ts';
import type { Clock } from '../lib/clock.ts';
import { describePortError, TemporarilyUnavailableError } from '../lib/startup-errors.ts';
import type { Storage } from '../storage/storage.ts';
import type { Subscriptions } from '../webhooks/subscriptions.ts';
import type { WebhookService } from '../webhooks/webhook-service.ts';
import type { Metrics } from './metrics.ts';
import { allowedIps } from './metrics-access.ts';
import { openMetricsListener } from './metrics-listener.ts';
import { registerProcess } from './process-metrics.ts';
import { registerGauges } from './scrape-gauges.ts';

export interface MeteredParts {
  config: Config;
  endpoint: { network: string };
  log: Pick<Logger, 'info'>;
  clock: Clock;
  storage: Pick<Storage, 'outbox' | 'dialect'>;
  office: Pick<WebhookService, 'breakers'>;
  subscriptions: Pick<Subscriptions, 'own' | 'global'>;
  manager: { list(): readonly { id: string; name: string; status(): { phase: string } }[] };
}

/** Adds what is looked up at a scrape. `start` opens METRICS_PORT, if there is one, and rejects when it cannot be had. */
export function createCollectors(
  metrics: Metrics,
  parts: MeteredParts,
): { start(): Promise<void>; stop(): Promise<void> } {
  const { config, log, clock, storage, office, manager } = parts;
  const instances = () => manager.list().map((each) => ({ name: each.name, phase: each.status().phase }));
  registerGauges(metrics, {
    instances,
    census: () => storage.outbox.census(),
    receivers: () => receiversOf(parts, office.breakers()),
    now: () => clock.now(),
    named: config.metricsInstances,
  });
  const unwatch = registerProcess(metrics, {
    open: () => instances().filter(({ phase }) => phase === 'open').length,
    info: { node: process.version, database: storage.dialect, network: parts.endpoint.network },
  });
  let listener: Awaited<ReturnType<typeof openMetricsListener>> | undefined;
  return {
    async start() {
      const { metricsPort: port, metricsHost: host, metricsAllowedIps } = config;
      if (port === 0) return;
      const isAllowed = allowedIps(metricsAllowedIps);
      listener = await openMetricsListener(metrics, { host, port, isAllowed }).catch((cause: unknown) => {
        const sentence = describePortError(cause, 'METRICS_PORT');
        throw sentence ? new TemporarilyUnavailableError(sentence, { cause }) : cause;
      });
      log.info({ url: listener.url }, 'metrics.ready');
    },
    async stop() {
      unwatch();
      await listener?.close();
    },
  };
}

/** Webhooks by what holds them; those of the breakers are not counted as closed. */
function receiversOf(
  { manager, subscriptions }: Pick<MeteredParts, 'manager' | 'subscriptions'>,
  { open, halfOpen }: { open: number; halfOpen: number },
): { closed: number; open: number; halfOpen: number; disabled: number } {
  const global = subscriptions.global();
  const all = [...manager.list().flatMap(({ id }) => subscriptions.own(id)), ...(global ? [global] : [])];
  const enabled = all.filter((webhook) => webhook.enabled).length;
  return { closed: Math.max(0, enabled - open - halfOpen), open, halfOpen, disabled: all.length - enabled };
}
