// A worker thread: one sound file → what a voice note needs. Reads and encodes where it holds up nobody; ends with its answer.
import { parentPort, workerData } from 'node:worker_threads';
import encoderOf from '@audio/encode-opus';
import { decodeSound, type Sound } from './pcm.ts';
import { Waveform } from './waveform.ts';

export interface Job {
  bytes: Uint8Array;
  /** Whether to make Ogg/Opus of it. */
  encoding: boolean;
  /** Where to stop, s. */
  maxSeconds: number;
}

/** `tooLong` as soon as the limit is passed; undefined for what cannot be read. Levels only of what can be decoded here. */
export type Result = { bytes?: Uint8Array; seconds: number; waveform?: Uint8Array } | 'tooLong' | undefined;

/** kbit/s. */
const BITRATE = 32;

/** The encoder adds its delay to the front and does not count it; players cut off as much at the end. s */
const DELAY = 0.08;

/** Pieces as they come → pieces of one second, which is what the encoder resamples best. */
async function* bySecond(pieces: AsyncIterable<Sound> | Iterable<Sound>): AsyncGenerator<Sound> {
  let rest: Sound | undefined;
  let filled = 0;
  for await (const { samples, rate } of pieces) {
    rest ??= { samples: new Float32Array(rate), rate };
    if (rate !== rest.rate) throw new Error('the sound changes its rate');
    for (let at = 0; at < samples.length; ) {
      const part = samples.subarray(at, at + rate - filled);
      rest.samples.set(part, filled);
      filled += part.length;
      at += part.length;
      if (filled < rate) continue;
      yield rest;
      rest = { samples: new Float32Array(rate), rate };
      filled = 0;
    }
  }
  if (rest && filled > 0) yield { samples: rest.samples.subarray(0, filled), rate: rest.rate };
}

/** Reads to the end, or to where it is too long: cheap, compared with encoding. */
async function measure({ bytes, maxSeconds }: Job): Promise<Waveform | 'tooLong' | undefined> {
  let levels: Waveform | undefined;
  for await (const { samples, rate } of decodeSound(bytes)) {
    levels ??= new Waveform(rate);
    levels.add(samples);
    if (levels.seconds > maxSeconds) return 'tooLong';
  }
  return levels;
}

async function encode({ bytes }: Job): Promise<Buffer> {
  let encoder: Awaited<ReturnType<typeof encoderOf>> | undefined;
  let end = new Float32Array();
  const pages: Uint8Array[] = [];
  for await (const { samples, rate } of bySecond(decodeSound(bytes))) {
    encoder ??= await encoderOf({ sampleRate: rate, channels: 1, bitrate: BITRATE, application: 'voip' });
    pages.push(encoder.encode([samples]));
    end = new Float32Array(Math.ceil(rate * DELAY));
  }
  if (encoder) pages.push(encoder.encode([end]), encoder.flush());
  encoder?.free();
  return Buffer.concat(pages);
}

/** The length that the file states, of kinds that are not decoded here. Throws what the parser throws. */
async function statedLength({ bytes }: Job): Promise<Result> {
  const { parseBuffer } = await import('music-metadata');
  const { format } = await parseBuffer(bytes, undefined, { duration: true, skipCovers: true });
  return format.duration ? { seconds: format.duration } : undefined;
}

async function work(job: Job): Promise<Result> {
  const levels = await measure(job);
  if (levels === 'tooLong') return levels;
  if (levels === undefined) return job.encoding ? undefined : statedLength(job);
  const measured = { seconds: levels.seconds, waveform: levels.waveform() };
  return job.encoding ? { ...measured, bytes: await encode(job) } : measured;
}

const job: Job = workerData;
parentPort?.postMessage(await work(job).catch(() => undefined));
