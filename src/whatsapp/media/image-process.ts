// A process that decodes images of strangers, started by image-decoder.ts: what hangs, crashes or takes all memory here can be killed
// without harm to anything else. Takes one job at a time over its IPC channel and ends with the process that started it.
import { writeFileSync } from 'node:fs';
import { type ImageOperation, type ImageResult, operate, restrictDecoders } from './image-operations.ts';

export interface ImageJob {
  operation: ImageOperation;
  /** As imageTypeOf() names it. */
  type: string;
  image: Uint8Array;
}

export interface ImageAnswer {
  result: ImageResult;
  /** Memory that the process has after the job, bytes. */
  rss: number;
}

/** What one job may take; the argument of the program, as JSON. */
export interface ImageLimits {
  /** Memory of the process, bytes. */
  memory: number;
  /** Processor time, ms: unlike the time on the clock, it does not depend on what else the machine does. */
  cpu: number;
}

/** Share of a container's memory that a job may take at most. */
const MEMORY_SHARE = 0.4;
/** How often it is looked at, ms. */
const CHECK_INTERVAL = 50;

const LIMITS: ImageLimits = JSON.parse(process.argv[2] ?? '');
const { constrainedMemory, cpuUsage, memoryUsage } = process;
const MAX_MEMORY = Math.min(
  LIMITS.memory,
  constrainedMemory() > 0 ? constrainedMemory() * MEMORY_SHARE : LIMITS.memory,
);

/** At once: an orderly exit would wait for the thread that decodes. */
const killSelf = () => process.kill(process.pid, 'SIGKILL');

try {
  // Where memory runs out, this process goes first (Linux).
  writeFileSync('/proc/self/oom_score_adj', '1000');
} catch {
  // Another system, or one that does not allow it.
}
restrictDecoders();
process.once('disconnect', killSelf);
process.on('message', ({ operation, type, image }: ImageJob) => {
  const before = cpuUsage();
  const watch = setInterval(() => {
    const { user, system } = cpuUsage(before);
    if (memoryUsage.rss() > MAX_MEMORY || (user + system) / 1000 > LIMITS.cpu) killSelf();
  }, CHECK_INTERVAL);
  operate(operation, type, image)
    .catch((): ImageResult => ({ outcome: 'unreadable' }))
    .then((result) => {
      clearInterval(watch);
      process.send?.({ result, rss: memoryUsage.rss() } satisfies ImageAnswer);
    }, killSelf);
});
process.send?.('ready');
