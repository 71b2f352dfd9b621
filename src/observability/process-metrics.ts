// Metrics of the process: build information, memory (also per instance), CPU time and event-loop delay.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Metrics } from './metrics.ts';
import { Counter, type Registry } from './prom-client.ts';
import { registerGauge } from './scrape-gauges.ts';

/** Time between two samples of the event-loop delay. */
const RESOLUTION_MS = 20;
const NANOSECONDS_PER_SECOND = 1e9;
const MICROSECONDS_PER_SECOND = 1e6;
/** With fewer open instances, an estimate per instance would be too inaccurate. */
const MIN_INSTANCES_FOR_ESTIMATE = 5;

export interface ProcessSources {
  /** Number of instances with an open connection. */
  countOpen(): number;
  /** Labels of gateway_info: version, database and so on. */
  info: Readonly<Record<string, string>>;
}

/** Registers the metrics. The returned function stops the measurement of the event-loop delay. */
export function registerProcessMetrics(
  { registry }: Pick<Metrics, 'registry'>,
  { countOpen, info }: ProcessSources,
): () => void {
  const labels = Object.keys(info);
  registerGauge(registry, { name: 'gateway_info', help: 'Build information', labels }, (set) => set(1, info));
  registerGauge(registry, { name: 'gateway_start_time_seconds', help: 'Start time of the process, Unix time' }, (set) =>
    set(Math.round(performance.timeOrigin) / 1000),
  );
  registerMemoryMetrics(registry, countOpen);
  registerCpuMetrics(registry);
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  registerGauge(
    registry,
    {
      name: 'gateway_event_loop_delay_seconds',
      labels: ['quantile'],
      help: 'Event-loop delay since the last scrape',
    },
    (set) => {
      // Each sample includes the sampling interval.
      const toDelay = (nanoseconds: number) => Math.max(0, nanoseconds / NANOSECONDS_PER_SECOND - RESOLUTION_MS / 1000);
      const isEmpty = delay.count === 0;
      for (const quantile of [50, 90, 99])
        set(isEmpty ? 0 : toDelay(delay.percentile(quantile)), { quantile: String(quantile / 100) });
      set(isEmpty ? 0 : toDelay(delay.max), { quantile: '1' });
      delay.reset();
    },
  );
  return () => void delay.disable();
}

function registerMemoryMetrics(registry: Registry, countOpen: () => number): void {
  const rssAtStart = process.memoryUsage.rss();
  registerGauge(
    registry,
    { name: 'gateway_process_memory_bytes', help: 'Memory of the process', labels: ['kind'] },
    (set) => {
      const { rss, heapTotal, heapUsed, external, arrayBuffers } = process.memoryUsage();
      const kinds = { rss, heap_total: heapTotal, heap_used: heapUsed, external, array_buffers: arrayBuffers };
      for (const [kind, bytes] of Object.entries(kinds)) set(bytes, { kind });
    },
  );
  registerGauge(
    registry,
    {
      name: 'gateway_instance_memory_bytes',
      help: `Estimated memory per open instance: growth since the start divided by their number; 0 for fewer than ${MIN_INSTANCES_FOR_ESTIMATE}`,
    },
    (set) => {
      const count = countOpen();
      set(count < MIN_INSTANCES_FOR_ESTIMATE ? 0 : Math.max(0, process.memoryUsage.rss() - rssAtStart) / count);
    },
  );
}

function registerCpuMetrics(registry: Registry): void {
  /** CPU time at the last scrape, microseconds. */
  let last = { user: 0, system: 0 };
  new Counter({
    name: 'gateway_process_cpu_seconds_total',
    registers: [registry],
    labelNames: ['mode'],
    help: 'CPU time of the process',
    collect() {
      const now = process.cpuUsage();
      this.inc({ mode: 'user' }, (now.user - last.user) / MICROSECONDS_PER_SECOND);
      this.inc({ mode: 'system' }, (now.system - last.system) / MICROSECONDS_PER_SECOND);
      last = now;
    },
  });
}
