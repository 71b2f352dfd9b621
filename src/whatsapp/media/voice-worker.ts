// Worker thread that converts one sound file to a voice note, so that the event loop is not blocked.
import { parentPort, workerData } from 'node:worker_threads';
import encoderOf from '@audio/encode-opus';
import { decodeSound, type PcmChunk } from './pcm.ts';
import { Waveform } from './waveform.ts';

export interface VoiceJob {
  bytes: Uint8Array;
  /** True to encode Ogg/Opus. */
  encode: boolean;
  /** Maximum duration, s. */
  maxSeconds: number;
}

/**
 * `tooLong` when the limit is exceeded, undefined for an unreadable file. `waveform` only for types that this file can
 * decode.
 */
export type VoiceResult = { bytes?: Uint8Array; seconds: number; waveform?: Uint8Array } | 'tooLong' | undefined;

/** Bit rate, kbit/s. */
const KBITS_PER_SECOND = 32;

/** Delay of the encoder, s. It is added at the start without being counted, and players cut as much at the end. */
const ENCODER_DELAY = 0.08;

/** Regroups pieces to one second each, which the encoder resamples best. */
async function* bySecond(pieces: AsyncIterable<PcmChunk> | Iterable<PcmChunk>): AsyncGenerator<PcmChunk> {
  let pending: PcmChunk | undefined;
  let filled = 0;
  for await (const { samples, rate } of pieces) {
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

/** Measures the whole sound, or up to the limit. This is cheap compared with encoding. */
async function measure({ bytes, maxSeconds }: VoiceJob): Promise<Waveform | 'tooLong' | undefined> {
  let levels: Waveform | undefined;
  for await (const { samples, rate } of decodeSound(bytes)) {
    levels ??= new Waveform(rate);
    levels.add(samples);
    if (levels.seconds > maxSeconds) return 'tooLong';
  }
  return levels;
}

async function encode({ bytes }: VoiceJob): Promise<Buffer> {
  let encoder: Awaited<ReturnType<typeof encoderOf>> | undefined;
  let end = new Float32Array();
  const pages: Uint8Array[] = [];
  for await (const { samples, rate } of bySecond(decodeSound(bytes))) {
    encoder ??= await encoderOf({ sampleRate: rate, channels: 1, bitrate: KBITS_PER_SECOND, application: 'voip' });
    pages.push(encoder.encode([samples]));
    end = new Float32Array(Math.ceil(rate * ENCODER_DELAY));
  }
  if (encoder) pages.push(encoder.encode([end]), encoder.flush());
  encoder?.free();
  return Buffer.concat(pages);
}

/** Reads the stated duration of types that cannot be decoded here. Throws as the parser. */
async function readStatedDuration({ bytes }: VoiceJob): Promise<VoiceResult> {
  const { parseBuffer } = await import('music-metadata');
  const { format } = await parseBuffer(bytes, undefined, { duration: true, skipCovers: true });
  return format.duration ? { seconds: format.duration } : undefined;
}

async function runJob(job: VoiceJob): Promise<VoiceResult> {
  const levels = await measure(job);
  if (levels === 'tooLong') return levels;
  if (levels === undefined) return job.encode ? undefined : readStatedDuration(job);
  const measured = { seconds: levels.seconds, waveform: levels.levels() };
  return job.encode ? { ...measured, bytes: await encode(job) } : measured;
}

const job: VoiceJob = workerData;
parentPort?.postMessage(await runJob(job).catch(() => undefined));
