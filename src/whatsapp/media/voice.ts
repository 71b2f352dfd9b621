// A sound file → a voice note: mono Ogg/Opus with its length and levels. By ffmpeg where there is one, otherwise in a worker thread.
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import { GatewayError } from '../../errors.ts';
import { createFairLimiter } from '../../lib/fair-limiter.ts';
import type { Ffmpeg } from './ffmpeg.ts';
import { soundTypeOf } from './pcm.ts';
import { mediaError } from './source.ts';
import type { Job, Result } from './voice-worker.ts';
import { runLimited } from './work-limit.ts';

export interface Voice {
  bytes: Buffer;
  mimetype: string;
  /** Whole, at least 1. Undefined with `encoding: false` when the file is of a kind that is not read here. */
  seconds?: number;
  /** 64 levels, 0 to 100; undefined as `seconds`. */
  waveform?: Uint8Array;
}

export interface VoiceDeps {
  /** Resolves once it is known whether there is one. */
  ffmpeg: () => Promise<Ffmpeg | undefined>;
  log: Pick<Logger, 'warn'>;
  /** Longest sound, s; an hour unless given. */
  maxSeconds?: number;
  /** For one conversion, ms. */
  timeout?: number;
  /** Ends what runs. */
  signal?: AbortSignal;
}

/**
 * Converts a file of the instance `owner`; `encoding: false` keeps the file as it is. Throws MEDIA_INVALID, MEDIA_TOO_LONG, OVERLOADED and
 * SHUTTING_DOWN, `certain`.
 */
export type ToVoice = (owner: string, file: Buffer, encoding: boolean) => Promise<Voice>;

const OPUS = 'audio/ogg; codecs=opus';
/** What a slow machine converts in time. */
const MAX_SECONDS = 3600;
const TIMEOUT = 180_000;
/** Each keeps a processor busy. Those of one instance never take all slots. */
const CONVERSIONS = { slots: 3, perOwner: 2, waitingPerOwner: 200 };
/** Without ffmpeg. */
const READABLE = ['audio/mpeg', 'audio/wav', OPUS];

export function createVoice(deps: VoiceDeps): ToVoice {
  const { maxSeconds = MAX_SECONDS } = deps;
  const limiter = createFairLimiter(CONVERSIONS);
  return async (owner, file, encoding) => {
    const type = soundTypeOf(file);
    if (!type) throw mediaError('MEDIA_INVALID', 'The media is not a sound file of a known kind');
    const { read, by } = await runLimited(limiter, owner, () => convert(file, { ...deps, encoding, maxSeconds }));
    if (deps.signal?.aborted) throw new GatewayError('SHUTTING_DOWN', 'Service Unavailable', { certain: true });
    if (read && read !== 'tooLong' && read.seconds <= maxSeconds) {
      const { bytes = file, waveform } = read;
      const seconds = Math.max(1, Math.round(read.seconds));
      return { bytes: Buffer.from(bytes), mimetype: encoding ? OPUS : type, seconds, waveform };
    }
    if (!encoding) return { bytes: file, mimetype: type };
    if (read !== undefined) throw mediaError('MEDIA_TOO_LONG', `The sound is longer than ${maxSeconds} seconds`);
    if (by === 'worker' && !READABLE.includes(type)) {
      const problem = `The sound is ${type}, which needs ffmpeg, and that is not installed: send MP3, WAV or Ogg/Opus`;
      throw mediaError('MEDIA_INVALID', problem);
    }
    throw mediaError('MEDIA_INVALID', 'The media is not a sound that can be read');
  };
}

type Task = VoiceDeps & { encoding: boolean; maxSeconds: number };
interface Outcome {
  read: Result;
  by: 'ffmpeg' | 'worker';
}

async function convert(file: Buffer, task: Task): Promise<Outcome> {
  const { ffmpeg, log, encoding, maxSeconds, timeout = TIMEOUT, signal } = task;
  const program = await ffmpeg();
  if (program) {
    try {
      return { read: await program.convert(file, { encoding, maxSeconds, timeout, signal }), by: 'ffmpeg' };
    } catch (err) {
      // It was there when we looked; what follows needs nothing but ourselves.
      log.warn({ err }, 'ffmpeg.failed');
    }
  }
  return {
    read: await runWorker({ bytes: new Uint8Array(file), encoding, maxSeconds }, timeout, signal),
    by: 'worker',
  };
}

/** Undefined also when the worker took too long. */
function runWorker(job: Job, timeout: number, signal: AbortSignal | undefined): Promise<Result> {
  const worker = new Worker(new URL('./voice-worker.ts', import.meta.url), {
    workerData: job,
    transferList: [job.bytes.buffer as ArrayBuffer],
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  return new Promise((resolve) => {
    const stop = () => void worker.terminate();
    const timer = setTimeout(stop, timeout);
    signal?.addEventListener('abort', stop);
    worker.once('message', resolve);
    worker.once('error', () => resolve(undefined));
    worker.once('exit', () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
      resolve(undefined);
    });
  });
}
