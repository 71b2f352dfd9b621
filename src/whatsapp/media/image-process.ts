// Main program of the child processes in which image-decoder.ts decodes untrusted images. It receives one job at a time
// over IPC, kills its own process when a job exceeds a limit, and ends when the parent process disconnects.
import { writeFileSync } from 'node:fs';
import { type ImageOperation, type ImageResult, restrictDecoders, runOperation } from './image-operations.ts';

export interface ImageJob {
  operation: ImageOperation;
  /** sharp's name of the image format (imageTypeOf()). */
  type: string;
  image: Uint8Array;
}

export interface ImageAnswer {
  result: ImageResult;
  /** Memory of the process after the job, bytes. */
  rss: number;
}

/** Limits of one job. The program receives them as its only argument, in JSON. */
export interface ImageLimits {
  /** Memory of the process, bytes. */
  memory: number;
  /** CPU time, ms. Unlike elapsed time, it does not depend on the load of the machine. */
  cpu: number;
}

/** Maximum share of the container's memory that the process uses. */
const MEMORY_SHARE = 0.4;
/** Time between two checks of the limits, ms. */
const CHECK_INTERVAL = 50;

const LIMITS: ImageLimits = JSON.parse(process.argv[2] ?? '');
const { constrainedMemory, cpuUsage, memoryUsage } = process;
const MAX_MEMORY = Math.min(
  LIMITS.memory,
  constrainedMemory() > 0 ? constrainedMemory() * MEMORY_SHARE : LIMITS.memory,
);

/** Ends the process at once. A normal exit would wait for the decoding thread. */
const killSelf = () => process.kill(process.pid, 'SIGKILL');

try {
  // Makes the Linux kernel kill this process before others when memory runs out.
  writeFileSync('/proc/self/oom_score_adj', '1000');
} catch {
  // The file does not exist on other systems, or it cannot be written.
}
restrictDecoders();
process.once('disconnect', killSelf);
process.on('message', ({ operation, type, image }: ImageJob) => {
  const cpuBefore = cpuUsage();
  const limitCheck = setInterval(() => {
    // In microseconds.
    const { user, system } = cpuUsage(cpuBefore);
    if (memoryUsage.rss() > MAX_MEMORY || (user + system) / 1000 > LIMITS.cpu) killSelf();
  }, CHECK_INTERVAL);
  runOperation(operation, type, image)
    .catch((): ImageResult => ({ outcome: 'unreadable' }))
    .then((result) => {
      clearInterval(limitCheck);
      process.send?.({ result, rss: memoryUsage.rss() } satisfies ImageAnswer);
    }, killSelf);
});
process.send?.('ready');
