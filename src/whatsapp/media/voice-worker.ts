// Worker thread that converts one sound file to a voice note, so that the event loop is not blocked.
import { parentPort, workerData } from 'node:worker_threads';
import createOpusEncoder from '@audio/encode-opus';
import { decodeSound, type PcmChunk } from './pcm.ts';
import { Waveform } from './waveform.ts';

export interface VoiceJob {
  bytes: Uint8Array;
  /** True to convert the sound to Ogg/Opus, false to measure it only. */
  encode: boolean;
  /** Maximum duration, s. */
  maxSeconds: number;
}

/**
 * `tooLong` when the sound exceeds `maxSeconds`, undefined for an unreadable file. `bytes`, the Ogg/Opus file, is set
 * with `encode`, and `waveform` for types that decodeSound() supports.
 */
export type VoiceResult = { bytes?: Uint8Array; seconds: number; waveform?: Uint8Array } | 'tooLong' | undefined;

/** Bit rate of voice notes. */
const KBITS_PER_SECOND = 32;

/**
 * Delay of the encoder. The encoder shifts the sound by this time without counting it in the duration, so that players
 * would cut the end of the sound. To prevent that, silence of the same length is appended.
 */
const ENCODER_DELAY_SECONDS = 0.08;

/** Regroups the samples into chunks of one second, the size that the encoder resamples best. */
async function* toOneSecondChunks(chunks: AsyncIterable<PcmChunk> | Iterable<PcmChunk>): AsyncGenerator<PcmChunk> {
  let pending: PcmChunk | undefined;
  /** Number of samples in `pending`. */
  let filled = 0;
  for await (const { samples, rate } of chunks) {
    pending ??= { samples: new Float32Array(rate), rate };
    if (rate !== pending.rate) throw new Error('the sound changes its rate');
    for (let at = 0; at < samples.length; ) {
      const part = samples.subarray(at, at + rate - filled);
      pending.samples.set(part, filled);
      filled += part.length;
      at += part.length;
      if (filled < rate) continue;
      yield pending;
      pending = { samples: new Float32Array(rate), rate };
      filled = 0;
    }
  }
  if (pending && filled > 0) yield { samples: pending.samples.subarray(0, filled), rate: pending.rate };
}

/** Decodes and measures the sound. Stops above the maximum duration. Returns undefined if there are no samples. */
async function measure({ bytes, maxSeconds }: VoiceJob): Promise<Waveform | 'tooLong' | undefined> {
  let waveform: Waveform | undefined;
  for await (const { samples, rate } of decodeSound(bytes)) {
    waveform ??= new Waveform(rate);
    waveform.add(samples);
    if (waveform.seconds > maxSeconds) return 'tooLong';
  }
  return waveform;
}

/** Encodes the sound as Ogg/Opus. Returns no bytes for a sound without samples. */
async function encode({ bytes }: VoiceJob): Promise<Buffer> {
  let encoder: Awaited<ReturnType<typeof createOpusEncoder>> | undefined;
  let silence = new Float32Array();
  const pages: Uint8Array[] = [];
  for await (const { samples, rate } of toOneSecondChunks(decodeSound(bytes))) {
    encoder ??= await createOpusEncoder({
      sampleRate: rate,
      channels: 1,
      bitrate: KBITS_PER_SECOND,
      application: 'voip',
    });
    pages.push(encoder.encode([samples]));
    silence = new Float32Array(Math.ceil(rate * ENCODER_DELAY_SECONDS));
  }
  if (encoder) pages.push(encoder.encode([silence]), encoder.flush());
  encoder?.free();
  return Buffer.concat(pages);
}

/** Reads the duration that the file's metadata states, for types that decodeSound() does not support. */
async function readStatedDuration({ bytes }: VoiceJob): Promise<VoiceResult> {
  const { parseBuffer } = await import('music-metadata');
  const { format } = await parseBuffer(bytes, undefined, { duration: true, skipCovers: true });
  return format.duration ? { seconds: format.duration } : undefined;
}

async function runJob(job: VoiceJob): Promise<VoiceResult> {
  const waveform = await measure(job);
  if (waveform === 'tooLong') return waveform;
  if (waveform === undefined) return job.encode ? undefined : readStatedDuration(job);
  const measured = { seconds: waveform.seconds, waveform: waveform.levels() };
  return job.encode ? { ...measured, bytes: await encode(job) } : measured;
}

const job: VoiceJob = workerData;
parentPort?.postMessage(await runJob(job).catch(() => undefined));
