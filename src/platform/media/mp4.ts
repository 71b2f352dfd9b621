// Sounds → MP4 (AAC), for whoever cannot play what the platform sends.
import { GatewayError } from '../../errors.ts';
import { createLimiter } from '../../lib/limiter.ts';
import type { VoiceDeps } from './voice.ts';

/** Throws MEDIA_INVALID without ffmpeg and for what is no sound, SHUTTING_DOWN. */
export type ToMp4 = (file: Buffer) => Promise<Buffer>;

const TIMEOUT = 180_000;
/** Each keeps a processor busy. */
const AT_ONCE = 2;

export function createMp4({ ffmpeg, signal }: Pick<VoiceDeps, 'ffmpeg' | 'signal'>): ToMp4 {
  const limiter = createLimiter(AT_ONCE);
  return async (file) => {
    const program = await ffmpeg();
    if (!program) throw new GatewayError('MEDIA_INVALID', ['convertToMp4 needs ffmpeg, and that is not installed']);
    const converted = await limiter.run(() => program.mp4(file, { timeout: TIMEOUT, signal }));
    if (signal?.aborted) throw new GatewayError('SHUTTING_DOWN', 'Service Unavailable');
    if (!converted?.length)
      throw new GatewayError('MEDIA_INVALID', ['The file is not a sound that ffmpeg can convert']);
    return converted;
  };
}
