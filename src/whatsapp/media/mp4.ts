// Converts sounds to MP4 (AAC), for clients that cannot play Ogg/Opus.
import { GatewayError } from '../../errors.ts';
import { createFairLimiter } from '../../lib/fair-limiter.ts';
import type { VoiceDeps } from './voice.ts';
import { runLimited } from './work-limit.ts';

/**
 * Converts a sound file of the instance `owner`. Throws MEDIA_INVALID when ffmpeg is not installed or cannot convert
 * the file in time, or when the MP4 is too large, OVERLOADED, SHUTTING_DOWN, and the errors of Ffmpeg.toMp4().
 */
export type ToMp4 = (owner: string, file: Buffer) => Promise<Buffer>;

/** Timeout for one conversion, ms. */
const TIMEOUT = 180_000;
/** Limits of concurrent conversions, each of which uses one CPU core. One instance never uses all slots. */
const CONVERSION_LIMITS = { slots: 3, perOwner: 2, waitingPerOwner: 200 };

/** Creates the converter. `signal` aborts running conversions. */
export function createMp4Converter({ ffmpeg, signal }: Pick<VoiceDeps, 'ffmpeg' | 'signal'>): ToMp4 {
  const limiter = createFairLimiter(CONVERSION_LIMITS);
  return async (owner, file) => {
    const program = await ffmpeg();
    if (!program) throw new GatewayError('MEDIA_INVALID', ['convertToMp4 needs ffmpeg, and that is not installed']);
    const converted = await runLimited(limiter, owner, () => program.toMp4(file, { timeout: TIMEOUT, signal }));
    if (signal?.aborted) throw new GatewayError('SHUTTING_DOWN', 'Service Unavailable');
    if (converted === 'tooLarge') throw new GatewayError('MEDIA_INVALID', ['The sound is larger than 64 MiB as MP4']);
    if (!converted?.length)
      throw new GatewayError('MEDIA_INVALID', ['The file is not a sound that ffmpeg can convert']);
    return converted;
  };
}
