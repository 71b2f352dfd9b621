// Converts a sound file to a voice note: mono Ogg/Opus with duration and waveform. Uses ffmpeg if it is installed, or
// else a worker thread.
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import { GatewayError } from '../../errors.ts';
import { createFairLimiter } from '../../lib/fair-limiter.ts';
import type { Ffmpeg } from './ffmpeg.ts';
import { soundTypeOf } from './pcm.ts';
import { mediaError } from './source.ts';
import type { VoiceJob, VoiceResult } from './voice-worker.ts';
import { runLimited } from './work-limit.ts';

export interface Voice {
  bytes: Buffer;
  mimetype: string;
  /** Whole seconds, at least 1. Undefined with `encoding: false` for a type that cannot be decoded here. */
  seconds?: number;
  /** 64 levels from 0 to 100. Undefined under the same condition as `seconds`. */
  waveform?: Uint8Array;
}

export interface VoiceDeps {
  /** Resolves when the search for ffmpeg is finished. */
  ffmpeg: () => Promise<Ffmpeg | undefined>;
  log: Pick<Logger, 'warn'>;
  /** Maximum duration, s. Default: one hour. */
  maxSeconds?: number;
  /** Timeout of one conversion, ms. */
  timeout?: number;
  /** Aborts running conversions. */
  signal?: AbortSignal;
}

/**
 * Converts a file of the instance `owner`; `encoding: false` keeps the file unchanged. Throws MEDIA_INVALID,
 * MEDIA_TOO_LONG, OVERLOADED and SHUTTING_DOWN, all `certain`.
 */
export type ToVoice = (owner: string, file: Buffer, encoding: boolean) => Promise<Voice>;

const OPUS = 'audio/ogg; codecs=opus';
/** Duration that a slow machine converts within TIMEOUT. */
const MAX_SECONDS = 3600;
const TIMEOUT = 180_000;
/** Each conversion uses a whole CPU. One instance never uses all slots. */
const CONVERSION_LIMITS = { slots: 3, perOwner: 2, waitingPerOwner: 200 };
/** Types that can be decoded without ffmpeg. */
const TYPES_WITHOUT_FFMPEG = ['audio/mpeg', 'audio/wav', OPUS];

export function createVoiceConverter(deps: VoiceDeps): ToVoice {
  const { maxSeconds = MAX_SECONDS } = deps;
  const limiter = createFairLimiter(CONVERSION_LIMITS);
  return async (owner, file, encoding) => {
    const type = soundTypeOf(file);
    if (!type) throw mediaError('MEDIA_INVALID', 'The media is not a sound file of a known kind');
    const { read, by } = await runLimited(limiter, owner, () =>
      convert(file, { ...deps, encode: encoding, maxSeconds }),
    );
    if (deps.signal?.aborted) throw new GatewayError('SHUTTING_DOWN', 'Service Unavailable', { certain: true });
    if (read && read !== 'tooLong' && read.seconds <= maxSeconds) {
      const { bytes = file, waveform } = read;
      const seconds = Math.max(1, Math.round(read.seconds));
      return { bytes: Buffer.from(bytes), mimetype: encoding ? OPUS : type, seconds, waveform };
    }
    if (!encoding) return { bytes: file, mimetype: type };
    if (read !== undefined) throw mediaError('MEDIA_TOO_LONG', `The sound is longer than ${maxSeconds} seconds`);
    if (by === 'worker' && !TYPES_WITHOUT_FFMPEG.includes(type)) {
      const problem = `The sound is ${type}, which needs ffmpeg, and that is not installed: send MP3, WAV or Ogg/Opus`;
      throw mediaError('MEDIA_INVALID', problem);
    }
    throw mediaError('MEDIA_INVALID', 'The media is not a sound that can be read');
  };
}

type Task = VoiceDeps & { encode: boolean; maxSeconds: number };
interface Outcome {
  read: VoiceResult;
  by: 'ffmpeg' | 'worker';
}

async function convert(file: Buffer, task: Task): Promise<Outcome> {
  const { ffmpeg, log, encode: encoding, maxSeconds, timeout = TIMEOUT, signal } = task;
  const program = await ffmpeg();
  if (program) {
    try {
      return { read: await program.toVoice(file, { encode: encoding, maxSeconds, timeout, signal }), by: 'ffmpeg' };
    } catch (err) {
      // ffmpeg existed at the start. The worker needs no other program.
      log.warn({ err }, 'ffmpeg.failed');
    }
  }
  return {
    read: await runWorker({ bytes: new Uint8Array(file), encode: encoding, maxSeconds }, timeout, signal),
    by: 'worker',
  };
}

/** Resolves with undefined also after the timeout. */
function runWorker(job: VoiceJob, timeout: number, signal: AbortSignal | undefined): Promise<VoiceResult> {
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
