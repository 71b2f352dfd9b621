// A worker thread: one sound file → what a voice note needs. Reads and encodes where it holds up nobody; ends with its answer.
import { parentPort, workerData } from 'node:worker_threads';
import encoderOf from '@audio/encode-opus';
import { decode, MAX_SECONDS, type Sound } from './pcm.ts';

const LEVELS = 64;
const BITRATE = 32;

/** Mean level of each 64th, the loudest at 100, as phones draw it. */
function waveformOf(samples: Float32Array): Uint8Array {
  const levels = Array.from({ length: LEVELS }, (_, i) => {
    const part = samples.subarray(
      Math.floor((i * samples.length) / LEVELS),
      Math.max(Math.floor(((i + 1) * samples.length) / LEVELS), Math.floor((i * samples.length) / LEVELS) + 1),
    );
    return part.reduce((sum, level) => sum + Math.abs(level), 0) / (part.length || 1);
  });
  const loudest = Math.max(...levels);
  return Uint8Array.from(levels, (level) => (loudest > 0 ? Math.round((100 * level) / loudest) : 0));
}

async function encode({ samples, rate }: Sound): Promise<Uint8Array> {
  const encoder = await encoderOf({ sampleRate: rate, channels: 1, bitrate: BITRATE, application: 'voip' });
  const pages: Uint8Array[] = [];
  // In pieces: the encoder copies what is left of each.
  for (let at = 0; at < samples.length; at += rate) pages.push(encoder.encode([samples.subarray(at, at + rate)]));
  // The encoder does not count its delay, which players cut off at the end.
  pages.push(encoder.encode([new Float32Array(Math.ceil(rate * 0.08))]));
  pages.push(encoder.flush());
  encoder.free();
  return Buffer.concat(pages);
}

const { bytes, encoding }: { bytes: Uint8Array; encoding: boolean } = workerData;
const sound = await decode(bytes).catch(() => undefined);
if (!sound || sound.samples.length / sound.rate > MAX_SECONDS) parentPort?.postMessage(undefined);
else {
  parentPort?.postMessage({
    bytes: encoding ? await encode(sound) : bytes,
    seconds: Math.max(1, Math.round(sound.samples.length / sound.rate)),
    waveform: waveformOf(sound.samples),
  });
}
