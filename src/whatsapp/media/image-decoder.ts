// Decodes images in child processes that can be killed: previews, profile pictures, stickers, photos and video frames.
// Only known signatures are decoded, and instances share the processes fairly.
import { type ChildProcess, fork } from 'node:child_process';
import { tmpdir } from 'node:os';
import type { Logger } from 'pino';
import { GatewayError } from '../../errors.ts';
import { createFairLimiter } from '../../lib/fair-limiter.ts';
import type { ImageOperation, ImageResult } from './image-operations.ts';
import type { ImageAnswer, ImageJob, ImageLimits } from './image-process.ts';
import { imageTypeOf } from './image-type.ts';
import { runLimited } from './work-limit.ts';

export interface ImageDecoder {
  /**
   * Runs `operation` on `image` for the instance `owner`. The result is `unreadable` also when the image takes too much
   * time or memory, or crashes the decoder. Throws OVERLOADED when too many images of the instance are waiting, and
   * SHUTTING_DOWN after close().
   */
  run(owner: string, operation: ImageOperation, image: Uint8Array): Promise<ImageResult>;
  /** Kills running processes and starts no further ones. */
  close(): void;
}

export interface ImageDecoderOptions {
  log: Pick<Logger, 'warn'>;
  /** Timeout for one image, ms. The start of a process has the same timeout. */
  timeout?: number;
  limits?: ImageLimits;
  /** Milliseconds for which an idle process is kept. */
  idle?: number;
  /** Program of a process; tests replace it. */
  program?: URL;
}

/** Maximum processes. */
const PROCESSES = 2;
/** Processes per instance, so that one instance never uses all of them. */
const PER_OWNER = 1;
const WAITING_PER_OWNER = 200;
/** The largest allowed image needs a few seconds of CPU time and less than 0.6 GB. */
const LIMITS: ImageLimits = { cpu: 15_000, memory: 1024 ** 3 };
/** For processes that hang without CPU time, and for very busy machines. */
const TIMEOUT = 45_000;
/** A process uses about 65 MB and starts in 0.1 s. */
const IDLE = 30_000;
/** A process with more memory than this after a job is not reused, bytes. */
const KEPT_MEMORY = 256 * 1024 ** 2;
const PROGRAM = new URL('./image-process.ts', import.meta.url);

const shuttingDown = () => new GatewayError('SHUTTING_DOWN', 'Service Unavailable', { certain: true });
const UNREADABLE: ImageResult = { outcome: 'unreadable' };

const READY = 'ready';
const isReady = (message: unknown): message is typeof READY => message === READY;
const isAnswer = (message: unknown): message is ImageAnswer =>
  typeof message === 'object' && message !== null && 'result' in message && 'rss' in message;

/** Creates a decoder. The first image starts a process. */
export function createImageDecoder(options: ImageDecoderOptions): ImageDecoder {
  const { log, timeout = TIMEOUT, limits = LIMITS, idle = IDLE, program = PROGRAM } = options;
  const limiter = createFairLimiter({ slots: PROCESSES, perOwner: PER_OWNER, waitingPerOwner: WAITING_PER_OWNER });
  const all = new Set<ChildProcess>();
  let isClosed = false;
  const free: { child: ChildProcess; timer: NodeJS.Timeout }[] = [];

  const start = (): ChildProcess => {
    const child = fork(program, [JSON.stringify(limits)], {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      execArgv: [],
      // The gateway's environment contains keys. libvips would write large images to temporary files in plaintext, so
      // the threshold for that is raised.
      env: { TMPDIR: tmpdir(), VIPS_DISC_THRESHOLD: '4g' },
    });
    all.add(child);
    child.once('exit', () => {
      all.delete(child);
      const at = free.findIndex((waiting) => waiting.child === child);
      if (at >= 0) clearTimeout(free.splice(at, 1)[0]?.timer);
    });
    // An idle process must not keep the gateway running.
    child.unref();
    child.channel?.unref();
    return child;
  };
  /** Returns a ready process, or the reason why it could not start. */
  const take = async (): Promise<ChildProcess | Failure> => {
    const waiting = free.pop();
    clearTimeout(waiting?.timer);
    if (waiting) return waiting.child;
    const child = start();
    const answer = await answerOf(child, timeout, isReady);
    return answer === READY ? child : answer;
  };
  const giveBack = (child: ChildProcess, rss: number) => {
    if (rss > KEPT_MEMORY) return void child.kill('SIGKILL');
    free.push({ child, timer: setTimeout(() => child.kill('SIGKILL'), idle).unref() });
  };

  const work = async (job: ImageJob): Promise<ImageResult> => {
    if (isClosed) throw shuttingDown();
    const child = await take();
    if (isClosed) throw shuttingDown();
    const answer = 'reason' in child ? child : await answerOf(child, timeout, isAnswer, job);
    if (isClosed) throw shuttingDown();
    if (!('reason' in child) && !('reason' in answer)) {
      giveBack(child, answer.rss);
      return answer.result;
    }
    log.warn({ ...answer, operation: job.operation, type: job.type, bytes: job.image.length }, 'media.decoder.failed');
    return UNREADABLE;
  };

  return {
    async run(owner, operation, image) {
      const type = imageTypeOf(image);
      if (type === undefined) return UNREADABLE;
      return runLimited(limiter, owner, () => work({ operation, type, image }));
    },
    close() {
      isClosed = true;
      for (const child of all) child.kill('SIGKILL');
    },
  };
}

/** How a process ended without an answer. */
interface Failure {
  reason: 'timeout' | 'exit' | 'error';
  signal?: NodeJS.Signals | null;
  err?: Error;
}

/** Sends `job` and returns the first message that `isAwaited` accepts, or how the process ended. */
function answerOf<T>(
  child: ChildProcess,
  timeout: number,
  isAwaited: (message: unknown) => message is T,
  job?: ImageJob,
): Promise<T | Failure> {
  return new Promise((resolve) => {
    let reason: Failure['reason'] = 'exit';
    const timer = setTimeout(() => {
      reason = 'timeout';
      child.kill('SIGKILL');
    }, timeout);
    const settle = (outcome: T | Failure) => {
      clearTimeout(timer);
      child.off('message', onMessage).off('exit', onExit).off('error', onError);
      child.unref();
      child.channel?.unref();
      resolve(outcome);
    };
    const onMessage = (message: unknown) => {
      if (isAwaited(message)) settle(message);
    };
    const onExit = (_: number | null, signal: NodeJS.Signals | null) => settle({ reason, signal });
    const onError = (err: Error) => {
      child.kill('SIGKILL');
      settle({ reason: 'error', err });
    };
    child.on('message', onMessage).on('exit', onExit).on('error', onError);
    child.ref();
    child.channel?.ref();
    if (!job) return;
    child.send(job, (err) => {
      if (err) onError(err);
    });
  });
}
