// A sound file → a voice note: mono Ogg/Opus with its length and levels, made in a worker thread.
import { Worker } from 'node:worker_threads';
import { createLimiter } from '../../lib/limiter.ts';
import { typeOf } from './pcm.ts';
import { refuse } from './source.ts';

export interface Voice {
  bytes: Buffer;
  mimetype: string;
  /** Undefined with `encoding: false` when the file is of a kind that is not read here. */
  seconds?: number;
  /** 64 levels, 0 to 100; undefined as `seconds`. */
  waveform?: Uint8Array;
}

const OPUS = 'audio/ogg; codecs=opus';
const TIMEOUT = 60_000;
const limiter = createLimiter(2);

/** `encoding: false` keeps the file as it is. Throws MEDIA_INVALID, `certain`. */
export async function toVoice(file: Buffer, encoding: boolean): Promise<Voice> {
  const type = typeOf(file);
  if (!type) throw refuse('MEDIA_INVALID', 'The media is not a sound file of a known kind');
  const read = await limiter.run(() => work(file, encoding));
  if (read) {
    const { bytes, seconds, waveform } = read;
    return { bytes: Buffer.from(bytes), mimetype: encoding ? OPUS : type, seconds, waveform };
  }
  if (encoding)
    throw refuse('MEDIA_INVALID', 'The sound cannot be converted: send MP3, WAV or Ogg/Opus of at most an hour');
  return { bytes: file, mimetype: type };
}

interface Read {
  bytes: Uint8Array;
  seconds: number;
  waveform: Uint8Array;
}

/** Undefined when the worker could not read the file, or did not in time. */
function work(bytes: Buffer, encoding: boolean): Promise<Read | undefined> {
  const worker = new Worker(new URL('./voice-worker.ts', import.meta.url), {
    workerData: { bytes: new Uint8Array(bytes), encoding },
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  });
  return new Promise((resolve) => {
    const timer = setTimeout(() => void worker.terminate(), TIMEOUT);
    worker.once('message', resolve);
    worker.once('error', () => resolve(undefined));
    worker.once('exit', () => {
      clearTimeout(timer);
      resolve(undefined);
    });
  });
}
