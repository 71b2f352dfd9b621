// Sound files → one channel of samples, by what their first bytes say they are. MP3, WAV and Ogg/Opus; undefined for what it cannot read.
import { MPEGDecoder } from 'mpg123-decoder';
import { OggOpusDecoder } from 'ogg-opus-decoder';

export interface Sound {
  /** −1 to 1. */
  samples: Float32Array;
  /** Hz. */
  rate: number;
}

/** Longest sound, s. */
export const MAX_SECONDS = 3600;

const signatures: readonly [mimetype: string, matches: (head: string) => boolean][] = [
  ['audio/ogg; codecs=opus', (head) => head.startsWith('OggS')],
  ['audio/wav', (head) => head.startsWith('RIFF') && head.slice(8, 12) === 'WAVE'],
  ['audio/flac', (head) => head.startsWith('fLaC')],
  ['audio/amr', (head) => head.startsWith('#!AMR')],
  ['audio/mp4', (head) => head.slice(4, 8) === 'ftyp'],
  ['audio/webm', (head) => head.startsWith('\x1aE\xdf\xa3')],
  ['audio/aac', (head) => /^\xff[\xf0\xf1\xf8\xf9]/.test(head)],
  ['audio/mpeg', (head) => head.startsWith('ID3') || /^\xff[\xe2-\xff]/.test(head)],
];

/** MIME type of a sound file; undefined when it is none that phones know. */
export function typeOf(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  return signatures.find(([, matches]) => matches(head))?.[0];
}

export async function decode(bytes: Uint8Array): Promise<Sound | undefined> {
  switch (typeOf(bytes)) {
    case 'audio/mpeg':
      return drain(new MPEGDecoder(), (decoder) => decoder.decode(bytes));
    case 'audio/ogg; codecs=opus':
      return drain(new OggOpusDecoder(), (decoder) => decoder.decodeFile(bytes));
    case 'audio/wav':
      return readWav(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
    default:
      return undefined;
  }
}

interface Decoded {
  channelData: Float32Array[];
  sampleRate: number;
}

async function drain<Decoder extends { ready: Promise<void>; free(): void }>(
  decoder: Decoder,
  work: (decoder: Decoder) => Decoded | Promise<Decoded>,
): Promise<Sound | undefined> {
  try {
    await decoder.ready;
    const { channelData, sampleRate } = await work(decoder);
    const samples = mixed(channelData);
    return samples.length > 0 ? { samples, rate: sampleRate } : undefined;
  } finally {
    decoder.free();
  }
}

function mixed([first = new Float32Array(), ...others]: Float32Array[]): Float32Array {
  if (others.length === 0) return first;
  return first.map((level, i) => others.reduce((sum, channel) => sum + (channel[i] ?? 0), level) / (others.length + 1));
}

/** Whole numbers of 8, 16, 24 and 32 bits and 32-bit floats. */
function readWav(file: Buffer): Sound | undefined {
  let format: { kind: number; channels: number; rate: number; bits: number } | undefined;
  for (let at = 12; at + 8 <= file.length; ) {
    const name = file.toString('latin1', at, at + 4);
    const size = Math.min(file.readUInt32LE(at + 4), file.length - at - 8);
    const body = file.subarray(at + 8, at + 8 + size);
    if (name === 'fmt ' && size >= 16) {
      const kind = body.readUInt16LE(0) === 0xfffe && size >= 26 ? body.readUInt16LE(24) : body.readUInt16LE(0);
      format = { kind, channels: body.readUInt16LE(2), rate: body.readUInt32LE(4), bits: body.readUInt16LE(14) };
    }
    if (name === 'data') return format && fromWav(body, format);
    at += 8 + size + (size % 2);
  }
  return undefined;
}

function fromWav(
  data: Buffer,
  { kind, channels, rate, bits }: { kind: number; channels: number; rate: number; bits: number },
): Sound | undefined {
  const isFloat = kind === 3 && bits === 32;
  if (!(isFloat || (kind === 1 && [8, 16, 24, 32].includes(bits)))) return undefined;
  if (channels < 1 || rate < 1000 || rate > 384_000) return undefined;
  const width = bits / 8;
  const count = Math.floor(data.length / (width * channels));
  if (count === 0) return undefined;
  const level = (at: number) => {
    if (isFloat) return data.readFloatLE(at);
    return bits === 8 ? (data.readUInt8(at) - 128) / 128 : data.readIntLE(at, width) / 2 ** (bits - 1);
  };
  const samples = new Float32Array(count);
  for (let i = 0; i < count; i++) {
    let sum = 0;
    for (let channel = 0; channel < channels; channel++) sum += level((i * channels + channel) * width);
    samples[i] = sum / channels;
  }
  return { samples, rate };
}
