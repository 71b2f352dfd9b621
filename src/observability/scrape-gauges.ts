// Gauges whose values are read at a scrape: instances, pending webhook deliveries and webhook receivers. Counts from
// the database are cached, so that scrapes take at most about 1 % of the database's time.

import { monotonicNow } from '../lib/clock.ts';
import type { Metrics } from './metrics.ts';
import { Gauge, type Registry } from './prom-client.ts';

/** Minimum time for which a count is cached. */
const MIN_CACHE_MS = 10_000;
/** A slow count is cached for longer: this many times the duration of the counting. */
const CACHE_DURATION_FACTOR = 100;

/** The phases of an instance (state-machine.ts) except `deleted`: a deleted instance is not counted. */
const PHASES = ['stopped', 'connecting', 'pairing', 'open', 'backoff', 'closing', 'logged_out', 'blocked'];

/** Numbers of webhook deliveries in the database. */
export interface OutboxCounts {
  /** Pending deliveries. */
  waiting: number;
  /** Undeliverable deliveries. */
  dead: number;
  /** Time of the oldest pending delivery, epoch ms; null when no delivery is pending. */
  oldestWaitingAt: number | null;
}

export interface GaugeSources {
  instances(): readonly { name: string; phase: string }[];
  /** Counts the deliveries of all webhooks. Can be slow. */
  countOutbox(): Promise<OutboxCounts>;
  /** Numbers of webhook receivers by the state of their circuit breaker. Each webhook has one receiver. */
  receivers(): { closed: number; open: number; halfOpen: number; disabled: number };
  /** Epoch ms. */
  now(): number;
  /** Each instance has a series with its name, unless there are more instances than this number. */
  maxNamedInstances: number;
}

type SetValue<Names extends string> = (value: number, labels?: Partial<Record<Names, string>>) => void;

/**
 * Registers a gauge. At each scrape, `read` must set all its values. When `read` fails, the gauge has no value instead
 * of an old one.
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
      try {
        await read((value, valueLabels = {}) => void values.push([valueLabels, value]));
      } catch {
        this.reset();
        // The library resets a gauge without labels to 0 instead of removing its value.
        if (labels.length === 0) this.remove();
        return;
      }
      this.reset();
      for (const [valueLabels, value] of values) this.set(valueLabels, value);
    },
  });
}

/**
 * Wraps `query`: caches its result or error for MIN_CACHE_MS or, after a slow query, for longer. Concurrent callers
 * share one query. `now` returns a monotonic time in ms: changes of the system time do not affect it.
 */
export function withCache<T>(query: () => Promise<T>, now: () => number): () => Promise<T> {
  let cached: { result: Promise<T>; until: number } | undefined;
  return () => {
    if (cached && now() < cached.until) return cached.result;
    const startedAt = now();
    const entry = { result: query(), until: Number.POSITIVE_INFINITY };
    cached = entry;
    const settle = () => {
      entry.until = now() + Math.max(MIN_CACHE_MS, (now() - startedAt) * CACHE_DURATION_FACTOR);
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
    (set) => {
      const all = sources.instances();
      for (const state of PHASES) set(all.filter(({ phase }) => phase === state).length, { state });
    },
  );
  registerGauge(
    registry,
    {
      name: 'gateway_instance_open',
      labels: ['name'],
      help: 'Open state of this instance (1 or 0); only with at most METRICS_INSTANCES instances',
    },
    (set) => {
      const all = sources.instances();
      if (all.length <= sources.maxNamedInstances)
        for (const { name, phase } of all) set(phase === 'open' ? 1 : 0, { name });
    },
  );
  registerWebhookGauges(registry, sources);
}

function registerWebhookGauges(registry: Registry, sources: GaugeSources): void {
  const countOutbox = withCache(() => sources.countOutbox(), monotonicNow);
  registerGauge(
    registry,
    {
      name: 'gateway_outbox_posts',
      help: 'Webhook deliveries in the database: pending (waiting) or undeliverable (dead)',
      labels: ['state'],
    },
    async (set) => {
      const { waiting, dead } = await countOutbox();
      set(waiting, { state: 'waiting' });
      set(dead, { state: 'dead' });
    },
  );
  registerGauge(
    registry,
    { name: 'gateway_outbox_oldest_age_seconds', help: 'Age of the oldest pending webhook delivery; 0 without one' },
    async (set) => {
      const { oldestWaitingAt } = await countOutbox();
      set(oldestWaitingAt === null ? 0 : Math.max(0, sources.now() - oldestWaitingAt) / 1000);
    },
  );
  registerGauge(
    registry,
    { name: 'gateway_webhook_receivers', help: 'Webhooks by state of their circuit breaker', labels: ['breaker'] },
    (set) => {
      const { closed, open, halfOpen, disabled } = sources.receivers();
      set(closed, { breaker: 'closed' });
      set(open, { breaker: 'open' });
      set(halfOpen, { breaker: 'half_open' });
      set(disabled, { breaker: 'disabled' });
    },
  );
}
