// Decodes MP3, WAV and Ogg/Opus to mono samples without ffmpeg. Yields the samples in chunks of limited size, so that a
// caller can stop early when a small file unpacks to hours of sound. Only the voice worker loads this file, because the
// decoders are large.
import { MPEGDecoder } from 'mpg123-decoder';
import { OggOpusDecoder } from 'ogg-opus-decoder';
import { OPUS, soundTypeOf } from './sound-type.ts';

/** Consecutive samples of a sound. */
export interface PcmChunk {
  /** Mono samples from −1 to 1. */
  samples: Float32Array;
  /** Sample rate, Hz. */
  rate: number;
}

/** Yields the chunks of a sound, or nothing for an unsupported type. Throws the errors of the decoders. */
export function decodeSound(bytes: Uint8Array): AsyncIterable<PcmChunk> | Iterable<PcmChunk> {
  switch (soundTypeOf(bytes)) {
    case 'audio/mpeg':
      return decodeMpeg(bytes);
    case OPUS:
      return decodeOpus(bytes);
    case 'audio/wav':
      return readWav(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
    default:
      return [];
  }
}

/**
 * Size of the slices in which an MP3 file is decoded. A frame of 24 bytes has 576 samples per channel, so a slice
 * yields at most 13 MB of samples: two channels, 4 bytes per sample.
 */
const MPEG_SLICE_BYTES = 64 * 1024;
/**
 * Size of the slices in which an Ogg file is decoded. An Ogg page of 540 bytes can contain 30 s of sound. A slice can
 * contain the end of one such page and most of the next page, so a slice yields at most 12 MB of samples per channel:
 * 60 s of 48 kHz, 4 bytes per sample.
 */
const OGG_SLICE_BYTES = 512;
/** Maximum number of channels of an Opus file. A file can declare 255 channels, and each of them would be decoded. */
const MAX_OPUS_CHANNELS = 8;

async function* decodeMpeg(bytes: Uint8Array): AsyncGenerator<PcmChunk> {
  const decoder = new MPEGDecoder();
  try {
    await decoder.ready;
    for (const slice of slicesOf(bytes, MPEG_SLICE_BYTES)) yield* mixDown(decoder.decode(slice));
  } finally {
    decoder.free();
  }
}

async function* decodeOpus(bytes: Uint8Array): AsyncGenerator<PcmChunk> {
  if (maxChannelsOf(bytes) > MAX_OPUS_CHANNELS) return;
  const decoder = new OggOpusDecoder({ forceStereo: true });
  try {
    await decoder.ready;
    for (const slice of slicesOf(bytes, OGG_SLICE_BYTES)) yield* mixDown(await decoder.decode(slice));
    yield* mixDown(await decoder.flush());
  } finally {
    decoder.free();
  }
}

/** Returns the highest number of channels of any stream. A file can contain several streams, one after the other. */
function maxChannelsOf(bytes: Uint8Array): number {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let maximum = 0;
  // In a header, which starts with the text `OpusHead`, byte 9 is the number of channels (RFC 7845 §5.1).
  for (let at = file.indexOf('OpusHead'); at !== -1; at = file.indexOf('OpusHead', at + 8))
    maximum = Math.max(maximum, file[at + 9] ?? 0);
  return maximum;
}

function* slicesOf(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Converts decoded channels to mono. Yields nothing when they are empty. */
function* mixDown({
  channelData,
  sampleRate,
}: {
  channelData: Float32Array[];
  sampleRate: number;
}): Generator<PcmChunk> {
  const [first = new Float32Array(), ...others] = channelData;
  if (first.length === 0) return;
  const meanOfChannels = (firstSample: number, index: number) => {
    let sum = firstSample;
    for (const channel of others) sum += channel[index] ?? 0;
    return sum / (others.length + 1);
  };
  yield { samples: others.length === 0 ? first : first.map(meanOfChannels), rate: sampleRate };
}

/** Range of the sample rates of WAV files that are decoded, Hz. */
const MIN_RATE = 1000;
const MAX_RATE = 384_000;
/** Values of WavFormat.encoding. */
const WAV_INTEGER = 1;
const WAV_FLOAT = 3;
/** Declared by files whose actual encoding is in the extension of the section `fmt `, at byte 24. */
const WAV_EXTENSIBLE = 0xfffe;

/** The content of the section `fmt ` of a WAV file. */
interface WavFormat {
  encoding: number;
  channels: number;
  /** Sample rate, Hz. */
  rate: number;
  /** Bits per sample. */
  bits: number;
}

/** Decodes WAV with integer samples of 8, 16, 24 or 32 bits or float samples of 32 bits, in chunks of one second. */
function* readWav(file: Buffer): Generator<PcmChunk> {
  let format: WavFormat | undefined;
  // A WAV file has a header of 12 bytes, and then sections (RIFF chunks): a name of 4 bytes, a size of 4 bytes, and the
  // content, padded to an even size.
  for (let at = 12; at + 8 <= file.length; ) {
    const name = file.toString('latin1', at, at + 4);
    const size = Math.min(file.readUInt32LE(at + 4), file.length - at - 8);
    const body = file.subarray(at + 8, at + 8 + size);
    if (name === 'fmt ' && size >= 16) {
      const declared = body.readUInt16LE(0);
      const encoding = declared === WAV_EXTENSIBLE && size >= 26 ? body.readUInt16LE(24) : declared;
      format = { encoding, channels: body.readUInt16LE(2), rate: body.readUInt32LE(4), bits: body.readUInt16LE(14) };
    }
    if (name === 'data') return yield* decodeWav(body, format);
    at += 8 + size + (size % 2);
  }
}

/** Decodes the content of the section `data`. Yields nothing for an unsupported format. */
function* decodeWav(data: Buffer, format: WavFormat | undefined): Generator<PcmChunk> {
  if (!format) return;
  const { encoding, channels, rate, bits } = format;
  const isFloat = encoding === WAV_FLOAT && bits === 32;
  const isInteger = encoding === WAV_INTEGER && [8, 16, 24, 32].includes(bits);
  if (!isFloat && !isInteger) return;
  if (channels < 1 || rate < MIN_RATE || rate > MAX_RATE) return;
  const width = bits / 8;
  /** Returns the sample at this byte, from −1 to 1. */
  const sampleAt = (at: number) => {
    if (isFloat) return data.readFloatLE(at);
    // Samples of 8 bits are unsigned, longer ones are signed.
    return bits === 8 ? (data.readUInt8(at) - 128) / 128 : data.readIntLE(at, width) / 2 ** (bits - 1);
  };
  const samplesPerChannel = Math.floor(data.length / (width * channels));
  for (let start = 0; start < samplesPerChannel; start += rate) {
    const samples = new Float32Array(Math.min(rate, samplesPerChannel - start));
    for (let i = 0; i < samples.length; i++) {
      let sum = 0;
      for (let channel = 0; channel < channels; channel++) sum += sampleAt(((start + i) * channels + channel) * width);
      samples[i] = sum / channels;
    }
    yield { samples, rate };
  }
}
