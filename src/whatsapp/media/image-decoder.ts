// Decodes and converts untrusted images (photos, stickers, profile pictures, link previews, video frames) in child
// processes, which are killed when an image exceeds a limit. Instances share the processes fairly. Decision D-154.
import { type ChildProcess, fork } from 'node:child_process';
import { tmpdir } from 'node:os';
import type { Logger } from 'pino';
import { GatewayError } from '../../errors.ts';
import { createFairLimiter } from '../../lib/fair-limiter.ts';
import type { ImageOperation, ImageResult } from './image-operations.ts';
import type { ImageAnswer, ImageJob, ImageLimits } from './image-process.ts';
import { imageTypeOf } from './image-type.ts';
import { mediaOverloadedError, runLimited } from './work-limit.ts';

export interface ImageDecoder {
  /**
   * Runs `operation` on `image` for the instance `owner`. The outcome `unreadable` includes images of unknown formats,
   * and images that crash the process or exceed its time or memory limit. Throws OVERLOADED when too many images of the
   * instance are waiting or no process can be started, and SHUTTING_DOWN after close().
   */
  run(owner: string, operation: ImageOperation, image: Uint8Array): Promise<ImageResult>;
  /** Kills all processes and starts no new ones. */
  close(): void;
}

export interface ImageDecoderOptions {
  log: Pick<Logger, 'warn'>;
  /** Timeout for one image, ms. It also limits the start of a process. */
  timeout?: number;
  limits?: ImageLimits;
  /** Time after which an idle process is killed, ms. */
  idleTimeout?: number;
  /** Program that the processes run. Tests replace it. */
  program?: URL;
}

const MAX_PROCESSES = 3;
/**
 * Maximum number of processes that one instance uses, so that an instance never occupies all processes. With the
 * maximum 1, the pictures of an instance took up to a tenth longer.
 */
const MAX_PROCESSES_PER_OWNER = 2;
/** Maximum number of waiting images of one instance. */
const MAX_WAITING_PER_OWNER = 200;
/** 15 s and 1 GiB. The largest allowed image needs a few seconds of CPU time and less than 0.6 GB of memory. */
const DEFAULT_LIMITS: ImageLimits = { cpu: 15_000, memory: 1024 ** 3 };
/** Applies to processes that hang without using CPU time, and on very busy machines. */
const DEFAULT_TIMEOUT_MS = 45_000;
/** An idle process uses about 65 MB, and a new one starts in 0.1 s. */
const DEFAULT_IDLE_TIMEOUT_MS = 30_000;
/** Maximum memory of a process that is reused. A process with more memory after a job is killed. */
const MAX_IDLE_MEMORY_BYTES = 256 * 1024 ** 2;
const DEFAULT_PROGRAM = new URL('./image-process.ts', import.meta.url);

const shuttingDownError = () => new GatewayError('SHUTTING_DOWN', 'Service Unavailable', { certain: true });
const UNREADABLE: ImageResult = { outcome: 'unreadable' };

const READY_MESSAGE = 'ready';
const isReady = (message: unknown): message is typeof READY_MESSAGE => message === READY_MESSAGE;
const isAnswer = (message: unknown): message is ImageAnswer =>
  typeof message === 'object' && message !== null && 'result' in message && 'rss' in message;

/** Creates a decoder. The first image starts a process. */
export function createImageDecoder(options: ImageDecoderOptions): ImageDecoder {
  const {
    log,
    timeout = DEFAULT_TIMEOUT_MS,
    limits = DEFAULT_LIMITS,
    idleTimeout = DEFAULT_IDLE_TIMEOUT_MS,
    program = DEFAULT_PROGRAM,
  } = options;
  const limiter = createFairLimiter({
    slots: MAX_PROCESSES,
    perOwner: MAX_PROCESSES_PER_OWNER,
    waitingPerOwner: MAX_WAITING_PER_OWNER,
  });
  const allProcesses = new Set<ChildProcess>();
  const idleProcesses: { child: ChildProcess; timer: NodeJS.Timeout }[] = [];
  let isClosed = false;

  const removeIdle = (child: ChildProcess) => {
    const index = idleProcesses.findIndex((idle) => idle.child === child);
    if (index >= 0) clearTimeout(idleProcesses.splice(index, 1)[0]?.timer);
  };
  const endIdle = (child: ChildProcess) => {
    // Removed before its exit is reported: otherwise the next image could get the killed process, and would fail.
    removeIdle(child);
    child.kill('SIGKILL');
  };
  const start = (): ChildProcess => {
    const child = fork(program, [JSON.stringify(limits)], {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      execArgv: [],
      // The environment of the gateway is not passed on, because it contains keys. The threshold keeps libvips (the
      // library behind sharp) from writing large decoded images to temporary files.
      env: { TMPDIR: tmpdir(), VIPS_DISC_THRESHOLD: '4g' },
    });
    // A process that cannot be started has no pid and emits no exit.
    if (child.pid !== undefined) allProcesses.add(child);
    child.once('exit', () => {
      allProcesses.delete(child);
      removeIdle(child);
    });
    // An idle process must not keep the gateway running.
    child.unref();
    child.channel?.unref();
    return child;
  };
  /** Returns an idle or new process, or the reason why a new process could not start. */
  const acquire = async (): Promise<ChildProcess | Failure> => {
    const idle = idleProcesses.pop();
    clearTimeout(idle?.timer);
    if (idle) return idle.child;
    let child: ChildProcess;
    try {
      child = start();
    } catch (err) {
      // fork() emits some errors of the operating system, such as EAGAIN, and throws others, such as ENOMEM.
      return { reason: 'error', err };
    }
    const answer = await answerOf(child, timeout, isReady);
    return answer === READY_MESSAGE ? child : answer;
  };
  const release = (child: ChildProcess, rss: number) => {
    if (rss > MAX_IDLE_MEMORY_BYTES) child.kill('SIGKILL');
    else idleProcesses.push({ child, timer: setTimeout(() => endIdle(child), idleTimeout).unref() });
  };

  const logFailure = (failure: Failure, { operation, type, image }: ImageJob): void =>
    log.warn({ ...failure, operation, type, bytes: image.length }, 'media.decoder.failed');
  const runJob = async (job: ImageJob): Promise<ImageResult> => {
    if (isClosed) throw shuttingDownError();
    const acquired = await acquire();
    if (isClosed) throw shuttingDownError();
    if (isFailure(acquired)) {
      logFailure(acquired, job);
      throw mediaOverloadedError('No process could be started to read the image', acquired.err);
    }
    const answer = await answerOf(acquired, timeout, isAnswer, job);
    if (isClosed) throw shuttingDownError();
    if (isFailure(answer)) {
      logFailure(answer, job);
      return UNREADABLE;
    }
    release(acquired, answer.rss);
    return answer.result;
  };

  return {
    async run(owner, operation, image) {
      const type = imageTypeOf(image);
      if (type === undefined) return UNREADABLE;
      return runLimited(limiter, owner, () => runJob({ operation, type, image }));
    },
    close() {
      isClosed = true;
      for (const child of allProcesses) child.kill('SIGKILL');
    },
  };
}

/** The reason why a process gave no answer. */
interface Failure {
  reason: 'timeout' | 'exit' | 'error';
  signal?: NodeJS.Signals | null;
  err?: unknown;
}

const isFailure = (outcome: object): outcome is Failure => 'reason' in outcome;

/**
 * Sends `job`, if there is one, and returns the first message of the process that `isExpected` accepts. Kills the
 * process after `timeout` ms. Returns a Failure when the process ends without such a message.
 */
function answerOf<T>(
  child: ChildProcess,
  timeout: number,
  isExpected: (message: unknown) => message is T,
  job?: ImageJob,
): Promise<T | Failure> {
  return new Promise((resolve) => {
    let reason: Failure['reason'] = 'exit';
    const timer = setTimeout(() => {
      reason = 'timeout';
      child.kill('SIGKILL');
    }, timeout);
    child.on('message', onMessage).on('exit', onExit).on('error', onError);
    child.ref();
    child.channel?.ref();
    if (job)
      child.send(job, (err) => {
        if (err) onError(err);
      });

    function settle(outcome: T | Failure): void {
      clearTimeout(timer);
      child.off('message', onMessage).off('exit', onExit).off('error', onError);
      child.unref();
      child.channel?.unref();
      resolve(outcome);
    }
    function onMessage(message: unknown): void {
      if (isExpected(message)) settle(message);
    }
    function onExit(_: number | null, signal: NodeJS.Signals | null): void {
      settle({ reason, signal });
    }
    function onError(err: Error): void {
      child.kill('SIGKILL');
      settle({ reason: 'error', err });
    }
  });
}
