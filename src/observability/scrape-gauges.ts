// What is looked up when somebody asks: instances, what waits to be posted, receivers. A scrape never costs the database more than a
// fraction of its time.
import { Gauge, type Registry } from 'prom-client';
import type { Metrics } from './metrics.ts';

/** ms for which a count of the outbox is good, at least. */
const FRESH = 10_000;
/** A count that took long is good for so many times as long. */
const REST = 100;

/** Every state of the machine of instances. */
const PHASES = 'stopped connecting pairing open backoff closing logged_out blocked'.split(' ');

export interface Census {
  waiting: number;
  dead: number;
  /** Epoch ms of the oldest that waits. */
  oldest: number | null;
}

export interface Looked {
  instances(): readonly { name: string; phase: string }[];
  /** Counts what waits for all webhooks; may be dear. */
  census(): Promise<Census>;
  /** Receivers by the state of their breaker. */
  receivers(): { closed: number; open: number; halfOpen: number; disabled: number };
  /** Epoch ms. */
  now(): number;
  /** Instances up to which each is shown by its name. */
  named: number;
}

type Lines<Names extends string> = (value: number, labels?: Partial<Record<Names, string>>) => void;

/** A gauge whose lines `look` tells anew each time. When it fails there is none: an old number would be a lie. */
export function readGauges<Names extends string = never>(
  registry: Registry,
  { name, help, labels = [] }: { name: string; help: string; labels?: readonly Names[] },
  look: (line: Lines<Names>) => Promise<void> | void,
): void {
  new Gauge({
    ...{ name, help, labelNames: labels, registers: [registry] },
    async collect() {
      const lines: [Partial<Record<Names, string>>, number][] = [];
      const isKnown = await Promise.resolve()
        .then(() => look((value, labelled = {}) => void lines.push([labelled, value])))
        .then(
          () => true,
          () => false,
        );
      this.reset();
      if (isKnown) for (const [labelled, value] of lines) this.set(labelled, value);
      else if (labels.length === 0) this.remove();
    },
  });
}

/** The same answer for as long as it is fresh, and one question at a time. */
export function cached<T>(ask: () => Promise<T>, now: () => number): () => Promise<T> {
  let known: { answer: Promise<T>; until: number } | undefined;
  return () => {
    if (known && now() < known.until) return known.answer;
    const started = now();
    const asked = { answer: ask(), until: Number.POSITIVE_INFINITY };
    known = asked;
    const settle = () => {
      asked.until = now() + Math.max(FRESH, (now() - started) * REST);
    };
    asked.answer.then(settle, settle);
    return asked.answer;
  };
}

/** Adds them to what Prometheus reads. */
export function registerGauges({ registry }: Pick<Metrics, 'registry'>, looked: Looked): void {
  readGauges(
    registry,
    { name: 'gateway_instances', help: 'Instances by state of their lifecycle', labels: ['state'] },
    (line) => {
      const all = looked.instances();
      for (const state of PHASES) line(all.filter(({ phase }) => phase === state).length, { state });
    },
  );
  readGauges(
    registry,
    {
      ...{ name: 'gateway_instance_open', labels: ['name'] },
      help: 'Whether this instance is open; only with METRICS_INSTANCES, and up to so many instances',
    },
    (line) => {
      const all = looked.instances();
      if (all.length <= looked.named) for (const { name, phase } of all) line(phase === 'open' ? 1 : 0, { name });
    },
  );
  registerOutbox(registry, looked);
}

function registerOutbox(registry: Registry, looked: Looked): void {
  const census = cached(() => looked.census(), looked.now);
  readGauges(
    registry,
    { name: 'gateway_outbox_posts', help: 'Posts in the database, waiting or given up', labels: ['state'] },
    async (line) => {
      const { waiting, dead } = await census();
      line(waiting, { state: 'waiting' });
      line(dead, { state: 'dead' });
    },
  );
  readGauges(
    registry,
    { name: 'gateway_outbox_oldest_age_seconds', help: 'Age of the oldest post that waits; 0 when none does' },
    async (line) => {
      const { oldest } = await census();
      line(oldest === null ? 0 : Math.max(0, looked.now() - oldest) / 1000);
    },
  );
  readGauges(
    registry,
    { name: 'gateway_webhook_receivers', help: 'Webhooks by state of their breaker', labels: ['breaker'] },
    (line) => {
      const { closed, open, halfOpen, disabled } = looked.receivers();
      line(closed, { breaker: 'closed' });
      line(open, { breaker: 'open' });
      line(halfOpen, { breaker: 'half_open' });
      line(disabled, { breaker: 'disabled' });
    },
  );
}
