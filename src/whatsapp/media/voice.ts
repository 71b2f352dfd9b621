// Converts a sound file to a voice note: mono Ogg/Opus with duration and waveform. Uses ffmpeg if it is installed, else
// a worker thread, which supports fewer types. Decision D-073.
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import { GatewayError } from '../../errors.ts';
import { createFairLimiter } from '../../lib/fair-limiter.ts';
import type { Ffmpeg } from './ffmpeg.ts';
import { OPUS, soundTypeOf, VIDEO_CONTAINERS } from './sound-type.ts';
import { mediaError } from './source.ts';
import type { VoiceJob, VoiceResult } from './voice-worker.ts';
import { runLimited } from './work-limit.ts';

export interface Voice {
  bytes: Buffer;
  mimetype: string;
  /** Duration in whole seconds, at least 1. Undefined with `encode: false` when the sound is unreadable or too long. */
  seconds?: number;
  /**
   * 64 levels from 0 to 100. Undefined when `seconds` is undefined. Also undefined with `encode: false` when the worker
   * thread measures a type that it cannot decode: `seconds` then comes from the metadata of the file.
   */
  waveform?: Uint8Array;
}

export interface VoiceDeps {
  /** Resolves with ffmpeg, or with undefined when it is not installed. */
  ffmpeg: () => Promise<Ffmpeg | undefined>;
  log: Pick<Logger, 'warn'>;
  /** Maximum duration, s. The default is MAX_SECONDS. */
  maxSeconds?: number;
  /** Timeout for the worker thread, or for each run of ffmpeg (the first measures, the second encodes), ms. */
  timeout?: number;
  /** Aborts running conversions. */
  signal?: AbortSignal;
}

/**
 * Converts a file of the instance `owner`. With `encode: false`, the file is only measured and returned unchanged, even
 * when it is damaged. A video without sound causes an error in both cases. Throws MEDIA_INVALID (also after the
 * timeout), MEDIA_TOO_LONG, OVERLOADED and SHUTTING_DOWN, all with `certain: true` (nothing was sent).
 */
export type ToVoice = (owner: string, file: Buffer, options: { encode: boolean }) => Promise<Voice>;

/** Maximum duration, s. A slow machine can convert a sound of this duration within TIMEOUT_MS. */
const MAX_SECONDS = 3600;
/** Default of VoiceDeps.timeout. */
const TIMEOUT_MS = 180_000;
/** Limits of concurrent conversions, each of which uses one CPU core. One instance never uses all slots. */
const CONVERSION_LIMITS = { slots: 3, perOwner: 2, waitingPerOwner: 200 };
/** Types that the worker thread can decode. */
const TYPES_WITHOUT_FFMPEG = ['audio/mpeg', 'audio/wav', OPUS];

/** Creates the converter, which shares its queue between all instances. */
export function createVoiceConverter(deps: VoiceDeps): ToVoice {
  const { maxSeconds = MAX_SECONDS } = deps;
  const limiter = createFairLimiter(CONVERSION_LIMITS);
  return async (owner, file, { encode }) => {
    const type = soundTypeOf(file);
    if (!type) throw mediaError('MEDIA_INVALID', 'The media is not a sound file of a known kind');
    const { result, ffmpegState, isSilentVideo } = await runLimited(limiter, owner, () => {
      // The conversion can have waited in the queue until the shutdown.
      assertNotAborted(deps.signal);
      return convert(file, { ...deps, type, encode, maxSeconds });
    });
    // An aborted conversion has no result.
    assertNotAborted(deps.signal);
    if (result && result !== 'tooLong' && result.seconds <= maxSeconds) {
      const { bytes = file, waveform } = result;
      const seconds = Math.max(1, Math.round(result.seconds));
      return { bytes: Buffer.from(bytes), mimetype: encode ? OPUS : type, seconds, waveform };
    }
    if (!encode && !isSilentVideo) return { bytes: file, mimetype: type };
    if (result !== undefined) throw mediaError('MEDIA_TOO_LONG', `The sound is longer than ${maxSeconds} seconds`);
    if (ffmpegState !== 'ran' && !TYPES_WITHOUT_FFMPEG.includes(type)) {
      const reason = ffmpegState === 'missing' ? 'that is not installed' : 'that failed';
      const problem = `The sound is ${type}, which needs ffmpeg, and ${reason}: send MP3, WAV or Ogg/Opus`;
      throw mediaError('MEDIA_INVALID', problem);
    }
    throw mediaError('MEDIA_INVALID', 'The media is not a sound that can be read');
  };
}

function assertNotAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new GatewayError('SHUTTING_DOWN', 'Service Unavailable', { certain: true });
}

type Task = VoiceDeps & { type: string; encode: boolean; maxSeconds: number };
interface ConversionOutcome {
  result: VoiceResult;
  /** `ran` when `result` comes from ffmpeg. Otherwise `result` comes from the worker thread. */
  ffmpegState: 'ran' | 'missing' | 'failed';
  /** True when ffmpeg finds a picture in the file, but no sound. */
  isSilentVideo?: boolean;
}

async function convert(file: Buffer, task: Task): Promise<ConversionOutcome> {
  const { ffmpeg, log, type, encode, maxSeconds, timeout = TIMEOUT_MS, signal } = task;
  const program = await ffmpeg();
  if (program) {
    try {
      const result = await program.toVoice(file, { encode, maxSeconds, timeout, signal });
      const mayBeVideo = result === undefined && VIDEO_CONTAINERS.includes(type);
      const isSilentVideo = mayBeVideo && (await program.extractFrame(file, { timeout, signal })) !== undefined;
      return { result, ffmpegState: 'ran', isSilentVideo };
    } catch (err) {
      // ffmpeg was removed after it was found, or the temporary file that it reads cannot be written. The worker thread
      // needs neither.
      log.warn({ err }, 'ffmpeg.failed');
    }
  }
  assertNotAborted(signal);
  const result = await runWorker({ bytes: new Uint8Array(file), encode, maxSeconds }, { log, timeout, signal });
  return { result, ffmpegState: program ? 'failed' : 'missing' };
}

/**
 * Converts the sound in a worker thread. Resolves with undefined for an unreadable file, after the timeout or abort,
 * and when the thread fails. Logs the timeout and the failure.
 */
function runWorker(
  job: VoiceJob,
  { log, timeout, signal }: { log: VoiceDeps['log']; timeout: number; signal: AbortSignal | undefined },
): Promise<VoiceResult> {
  const bytes = job.bytes.length;
  const worker = new Worker(new URL('./voice-worker.ts', import.meta.url), {
    workerData: job,
    transferList: [job.bytes.buffer as ArrayBuffer],
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  return new Promise((resolve) => {
    const stop = () => {
      void worker.terminate();
    };
    const timer = setTimeout(() => {
      log.warn({ reason: 'timeout', bytes }, 'voice.worker.failed');
      stop();
    }, timeout);
    signal?.addEventListener('abort', stop);
    worker.once('message', resolve);
    worker.once('error', (err) => {
      log.warn({ reason: 'error', err, bytes }, 'voice.worker.failed');
      resolve(undefined);
    });
    worker.once('exit', () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
      resolve(undefined);
    });
  });
}
