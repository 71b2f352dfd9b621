// Child process that decodes untrusted images for image-decoder.ts. It can be killed when an image hangs, crashes or
// exhausts memory. It takes one job at a time over IPC and ends when its parent disconnects.
import { writeFileSync } from 'node:fs';
import { type ImageOperation, type ImageResult, operate, restrictDecoders } from './image-operations.ts';

export interface ImageJob {
  operation: ImageOperation;
  /** Result of imageTypeOf(). */
  type: string;
  image: Uint8Array;
}

export interface ImageAnswer {
  result: ImageResult;
  /** Memory of the process after the job, bytes. */
  rss: number;
}

/** Limits of one job: the argument of the program, as JSON. */
export interface ImageLimits {
  /** Memory of the process, bytes. */
  memory: number;
  /** CPU time, ms. Unlike wall time it does not depend on the load of the machine. */
  cpu: number;
}

/** Maximum share of a container's memory for one job. */
const MEMORY_SHARE = 0.4;
/** Milliseconds between checks of the limits. */
const CHECK_INTERVAL = 50;

const LIMITS: ImageLimits = JSON.parse(process.argv[2] ?? '');
const { constrainedMemory, cpuUsage, memoryUsage } = process;
const MAX_MEMORY = Math.min(
  LIMITS.memory,
  constrainedMemory() > 0 ? constrainedMemory() * MEMORY_SHARE : LIMITS.memory,
);

/** A normal exit would wait for the decoding thread. */
const killSelf = () => process.kill(process.pid, 'SIGKILL');

try {
  // On Linux, the kernel kills this process first when memory runs out.
  writeFileSync('/proc/self/oom_score_adj', '1000');
} catch {
  // Other systems, or no permission.
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
