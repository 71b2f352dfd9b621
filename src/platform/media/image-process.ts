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

/** Memory of the process, bytes: an image within the limits of pixels stays far below. */
const MAX_MEMORY = 1024 ** 3;
/** Share of a container's memory that it may take at most. */
const MEMORY_SHARE = 0.4;
/** How often the memory is looked at during a job, ms. */
const LOOK = 50;

const { constrainedMemory, memoryUsage } = process;
const allowed = constrainedMemory() > 0 ? constrainedMemory() * MEMORY_SHARE : MAX_MEMORY;
const limit = Math.min(MAX_MEMORY, allowed);

/** At once: an orderly exit would wait for the thread that decodes. */
const end = () => process.kill(process.pid, 'SIGKILL');

try {
  // Where memory runs out, this process goes first (Linux).
  writeFileSync('/proc/self/oom_score_adj', '1000');
} catch {
  // Another system, or one that does not allow it.
}
restrictDecoders();
process.once('disconnect', end);
process.on('message', ({ operation, type, image }: ImageJob) => {
  const watch = setInterval(() => {
    if (memoryUsage.rss() > limit) end();
  }, LOOK);
  operate(operation, type, image)
    .catch((): ImageResult => ({ outcome: 'unreadable' }))
    .then((result) => {
      clearInterval(watch);
      process.send?.({ result, rss: memoryUsage.rss() } satisfies ImageAnswer);
    }, end);
});
