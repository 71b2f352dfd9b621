// Main program of the child processes in which image-decoder.ts decodes untrusted images. It receives one job at a time
// over IPC, kills its own process when a job exceeds a limit, and ends when the parent process disconnects.
import { killFirstWhenOutOfMemory, memoryLimitOf } from './child-memory.ts';
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

/** Time between two checks of the limits. */
const CHECK_INTERVAL_MS = 50;

const LIMITS: ImageLimits = JSON.parse(process.argv[2] ?? '');
const { cpuUsage, memoryUsage } = process;
/** LIMITS.memory, or less in a small container, bytes. */
const MAX_MEMORY = memoryLimitOf(LIMITS.memory);

/** Ends the process at once. A normal exit would wait for the decoding thread. */
const killSelf = () => process.kill(process.pid, 'SIGKILL');

// When memory runs out, the kernel kills this process before the gateway.
killFirstWhenOutOfMemory('self');
restrictDecoders();
process.once('disconnect', killSelf);
process.on('message', ({ operation, type, image }: ImageJob) => {
  const cpuBefore = cpuUsage();
  const limitCheck = setInterval(() => {
    // cpuUsage() returns microseconds.
    const { user, system } = cpuUsage(cpuBefore);
    const cpuMs = (user + system) / 1000;
    if (memoryUsage.rss() > MAX_MEMORY || cpuMs > LIMITS.cpu) killSelf();
  }, CHECK_INTERVAL_MS);
  runOperation(operation, type, image)
    .catch((): ImageResult => ({ outcome: 'unreadable' }))
    .then((result) => {
      clearInterval(limitCheck);
      process.send?.({ result, rss: memoryUsage.rss() } satisfies ImageAnswer);
    }, killSelf);
});
process.send?.('ready');
