// What the process itself uses: memory, also per instance, processor time, and how late its event loop is.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, type Registry } from 'prom-client';
import type { Metrics } from './metrics.ts';
import { readGauges } from './scrape-gauges.ts';

/** ms between looks at the event loop. */
const RESOLUTION = 20;
const NANOSECONDS = 1e9;
const MICROSECONDS = 1e6;
/** Open instances below which an estimate per instance would be noise. */
const ENOUGH = 5;

export interface Process {
  /** Instances with an open connection. */
  open(): number;
  /** Told as they are: version, database and so on. */
  info: Readonly<Record<string, string>>;
}

/** Adds them to what Prometheus reads. The returned function ends the watch over the event loop. */
export function registerProcess({ registry }: Pick<Metrics, 'registry'>, { open, info }: Process): () => void {
  const labels = Object.keys(info);
  readGauges(registry, { name: 'gateway_info', help: 'What this is', labels }, (line) => line(1, info));
  readGauges(registry, { name: 'gateway_start_time_seconds', help: 'When the process started, in Unix time' }, (line) =>
    line(Math.round(performance.timeOrigin) / 1000),
  );
  registerMemory(registry, open);
  registerProcessor(registry);
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION });
  delay.enable();
  readGauges(
    registry,
    {
      ...{ name: 'gateway_event_loop_delay_seconds', labels: ['quantile'] },
      help: 'How late the event loop was since it was last asked for',
    },
    (line) => {
      // Each sample has the pause between two looks in it.
      const late = (nanoseconds: number) => Math.max(0, nanoseconds / NANOSECONDS - RESOLUTION / 1000);
      const isEmpty = delay.count === 0;
      for (const quantile of [50, 90, 99])
        line(isEmpty ? 0 : late(delay.percentile(quantile)), { quantile: String(quantile / 100) });
      line(isEmpty ? 0 : late(delay.max), { quantile: '1' });
      delay.reset();
    },
  );
  return () => void delay.disable();
}

function registerMemory(registry: Registry, open: () => number): void {
  const atStart = process.memoryUsage.rss();
  readGauges(
    registry,
    { name: 'gateway_process_memory_bytes', help: 'Memory of the process', labels: ['kind'] },
    (line) => {
      const { rss, heapTotal, heapUsed, external, arrayBuffers } = process.memoryUsage();
      const kinds = { rss, heap_total: heapTotal, heap_used: heapUsed, external, array_buffers: arrayBuffers };
      for (const [kind, bytes] of Object.entries(kinds)) line(bytes, { kind });
    },
  );
  readGauges(
    registry,
    {
      name: 'gateway_instance_memory_bytes',
      help: `Memory per open instance, estimated: what came since the start, shared out; 0 below ${ENOUGH} of them`,
    },
    (line) => {
      const count = open();
      line(count < ENOUGH ? 0 : Math.max(0, process.memoryUsage.rss() - atStart) / count);
    },
  );
}

function registerProcessor(registry: Registry): void {
  let last = { user: 0, system: 0 };
  new Counter({
    ...{ name: 'gateway_process_cpu_seconds_total', registers: [registry], labelNames: ['mode'] },
    help: 'Processor time of the process',
    collect() {
      const now = process.cpuUsage();
      this.inc({ mode: 'user' }, (now.user - last.user) / MICROSECONDS);
      this.inc({ mode: 'system' }, (now.system - last.system) / MICROSECONDS);
      last = now;
    },
  });
}
