// Converts sounds to MP4 (AAC), for clients that cannot play Ogg/Opus.
import { GatewayError } from '../../errors.ts';
import { toPieces } from '../../lib/chunks.ts';
import { createFairLimiter } from '../../lib/fair-limiter.ts';
import type { OpenFile } from './encrypted-spool.ts';
import type { Ffmpeg } from './ffmpeg.ts';
import { openInSlot } from './open-in-slot.ts';
import type { VoiceDeps } from './voice.ts';

/**
 * Converts a sound file of the instance with the id `owner`. Waits for a slot, and then reads the file with
 * `readSound`. The MP4 is in memory and occupies the slot until it is closed. Throws MEDIA_INVALID when ffmpeg is
 * not installed, when ffmpeg cannot convert the file in time, or when the MP4 is too large. Also throws OVERLOADED,
 * SHUTTING_DOWN, and the errors of Ffmpeg.toMp4() and `readSound`.
 */
export type ToMp4 = (owner: string, readSound: () => Promise<Buffer>) => Promise<OpenFile>;

/** Timeout for one conversion. */
const TIMEOUT_MS = 180_000;
/**
 * The slots limit the concurrent conversions, each of which uses one CPU core, and the MP4 files in memory. One
 * instance never uses all slots.
 */
const CONVERSION_LIMITS = { slots: 3, perOwner: 2, waitingPerOwner: 200 };
/**
 * Maximum wait for a slot. It is longer than the longest conversion (TIMEOUT_MS). The wait has a limit because a client
 * that downloads its MP4 slowly occupies a slot for the whole download.
 */
const SLOT_TIMEOUT_MS = 240_000;
/** Size of the chunks in which an MP4 is read. */
const CHUNK_BYTES = 64 * 1024;

/** Creates the converter. `signal` aborts running conversions. `slotTimeout` is the maximum wait for a slot, ms. */
export function createMp4Converter({
  ffmpeg,
  signal,
  slotTimeout = SLOT_TIMEOUT_MS,
}: Pick<VoiceDeps, 'ffmpeg' | 'signal'> & { slotTimeout?: number }): ToMp4 {
  const limiter = createFairLimiter(CONVERSION_LIMITS);
  const convert = async (program: Ffmpeg, file: Buffer): Promise<Buffer> => {
    const converted = await program.toMp4(file, { timeout: TIMEOUT_MS, signal });
    if (signal?.aborted) throw new GatewayError('SHUTTING_DOWN', 'Service Unavailable');
    if (converted === 'tooLarge') throw new GatewayError('MEDIA_INVALID', ['The sound is larger than 64 MiB as MP4']);
    if (!converted?.length)
      throw new GatewayError('MEDIA_INVALID', ['The file is not a sound that ffmpeg can convert']);
    return converted;
  };
  return async (owner, readSound) => {
    const program = await ffmpeg();
    if (!program) throw new GatewayError('MEDIA_INVALID', ['convertToMp4 needs ffmpeg, and that is not installed']);
    const open = async () => {
      const bytes = await convert(program, await readSound());
      return { size: bytes.length, read: () => chunksOf(bytes), close: async () => undefined };
    };
    const slotWait = { timeout: slotTimeout, timeoutText: 'Too many sounds are being converted: retry later' };
    return openInSlot(limiter, owner, open, slotWait);
  };
}

async function* chunksOf(bytes: Buffer): AsyncGenerator<Buffer> {
  yield* toPieces(bytes, CHUNK_BYTES);
}
