// Gauges that are read at a scrape: instances, pending webhook deliveries, receivers. Counts from the database are
// cached, so that scrapes take at most about 1 % of its time.
import { Gauge, type Registry } from 'prom-client';
import type { Metrics } from './metrics.ts';

/** ms for which a count of the outbox is cached at least. */
const MIN_CACHE_MS = 10_000;
/** A count is cached for this many times its duration, if that is longer. */
const CACHE_TIMES_DURATION = 100;

/** The phases of the state machine of instances. */
const PHASES = 'stopped connecting pairing open backoff closing logged_out blocked'.split(' ');

export interface OutboxCounts {
  waiting: number;
  dead: number;
  /** Epoch ms of the oldest pending delivery. */
  oldest: number | null;
}

export interface GaugeSources {
  instances(): readonly { name: string; phase: string }[];
  /** Counts the pending deliveries of all webhooks. May be slow. */
  countOutbox(): Promise<OutboxCounts>;
  /** Receivers by the state of their circuit breaker. */
  receivers(): { closed: number; open: number; halfOpen: number; disabled: number };
  /** Epoch ms. */
  now(): number;
  /** Highest number of instances for which each has a series with its name. */
  maxNamedInstances: number;
}

type SetValue<Names extends string> = (value: number, labels?: Partial<Record<Names, string>>) => void;

/**
 * Registers a gauge whose values `read` sets at each scrape. When `read` fails, the gauge has no value instead of an
 * old one.
 */
export function registerGauge<Names extends string = never>(
  registry: Registry,
  { name, help, labels = [] }: { name: string; help: string; labels?: readonly Names[] },
  read: (set: SetValue<Names>) => Promise<void> | void,
): void {
  new Gauge({
    name,
    help,
    labelNames: labels,
    registers: [registry],
    async collect() {
      const values: [Partial<Record<Names, string>>, number][] = [];
      const isRead = await Promise.resolve()
        .then(() => read((value, valueLabels = {}) => void values.push([valueLabels, value])))
        .then(
          () => true,
          () => false,
        );
      this.reset();
      if (isRead) for (const [valueLabels, value] of values) this.set(valueLabels, value);
      else if (labels.length === 0) this.remove();
    },
  });
}

/** Caches the result of `query`, and shares a running call. See MIN_CACHE_MS. */
export function withCache<T>(query: () => Promise<T>, now: () => number): () => Promise<T> {
  let cached: { result: Promise<T>; until: number } | undefined;
  return () => {
    if (cached && now() < cached.until) return cached.result;
    const startedAt = now();
    const entry = { result: query(), until: Number.POSITIVE_INFINITY };
    cached = entry;
    const settle = () => {
      entry.until = now() + Math.max(MIN_CACHE_MS, (now() - startedAt) * CACHE_TIMES_DURATION);
    };
    entry.result.then(settle, settle);
    return entry.result;
  };
}

/** Registers the gauges. */
export function registerGauges({ registry }: Pick<Metrics, 'registry'>, sources: GaugeSources): void {
  registerGauge(
    registry,
    { name: 'gateway_instances', help: 'Instances by lifecycle state', labels: ['state'] },
    (line) => {
      const all = sources.instances();
      for (const state of PHASES) line(all.filter(({ phase }) => phase === state).length, { state });
    },
  );
  registerGauge(
    registry,
    {
      name: 'gateway_instance_open',
      labels: ['name'],
      help: 'Whether this instance is open; only with at most METRICS_INSTANCES instances',
    },
    (line) => {
      const all = sources.instances();
      if (all.length <= sources.maxNamedInstances)
        for (const { name, phase } of all) line(phase === 'open' ? 1 : 0, { name });
    },
  );
  registerOutbox(registry, sources);
}

function registerOutbox(registry: Registry, sources: GaugeSources): void {
  const countOutbox = withCache(() => sources.countOutbox(), sources.now);
  registerGauge(
    registry,
    {
      name: 'gateway_outbox_posts',
      help: 'Webhook deliveries in the database: pending (waiting) or undeliverable (dead)',
      labels: ['state'],
    },
    async (line) => {
      const { waiting, dead } = await countOutbox();
      line(waiting, { state: 'waiting' });
      line(dead, { state: 'dead' });
    },
  );
  registerGauge(
    registry,
    { name: 'gateway_outbox_oldest_age_seconds', help: 'Age of the oldest pending webhook delivery; 0 without one' },
    async (line) => {
      const { oldest } = await countOutbox();
      line(oldest === null ? 0 : Math.max(0, sources.now() - oldest) / 1000);
    },
  );
  registerGauge(
    registry,
    { name: 'gateway_webhook_receivers', help: 'Webhooks by state of their circuit breaker', labels: ['breaker'] },
    (line) => {
      const { closed, open, halfOpen, disabled } = sources.receivers();
      line(closed, { breaker: 'closed' });
      line(open, { breaker: 'open' });
      line(halfOpen, { breaker: 'half_open' });
      line(disabled, { breaker: 'disabled' });
    },
  );
}
