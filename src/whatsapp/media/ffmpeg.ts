// Runs ffmpeg, if it is installed: measures the levels of sounds, converts sounds to Ogg/Opus or MP4, and extracts the
// first frame of videos. ffmpeg reads one file, writes to a pipe, gets PATH as its only environment variable, and is
// killed when it exceeds the limit of time, memory (on Linux) or output. Kills and crashes are logged. Decisions D-134
// and D-154.
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, unlink } from 'node:fs/promises';
import { endianness } from 'node:os';
import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import { openTemporaryFile } from '../../lib/temporary-files.ts';
import { killFirstWhenOutOfMemory, memoryLimitOf, residentMemoryOf } from './child-memory.ts';
import { Waveform } from './waveform.ts';

export interface VoiceConversion {
  /** Mono Ogg/Opus at 48 kHz. Undefined without `encode` and when the sound is longer than `maxSeconds`. */
  bytes?: Buffer;
  /** Duration, s. Greater than `maxSeconds` when the sound is too long. */
  seconds: number;
  /** 64 levels from 0 to 100. */
  waveform: Uint8Array;
}

export interface Ffmpeg {
  /**
   * Measures a sound and, with `encode`, converts it. Reads at most `maxSeconds` + 1 seconds. Returns undefined when
   * ffmpeg cannot read the file as sound in time. `timeout` (ms) limits the measuring and the conversion separately.
   * Rejects when ffmpeg cannot be started or the temporary file cannot be written.
   */
  toVoice(
    file: Buffer,
    options: { encode: boolean; maxSeconds: number; timeout: number; signal?: AbortSignal },
  ): Promise<VoiceConversion | undefined>;
  /**
   * Returns the first frame of a video as PNG. Returns undefined when ffmpeg cannot read the file as video in time.
   * Rejects like toVoice().
   */
  extractFrame(file: Buffer, options: { timeout: number; signal?: AbortSignal }): Promise<Buffer | undefined>;
  /**
   * Returns the sound of a file as AAC in MP4, or `tooLarge` when the MP4 is larger than 64 MiB. Returns undefined when
   * ffmpeg cannot read the file as sound in time. Rejects like toVoice().
   */
  toMp4(
    file: Buffer,
    options: { timeout: number; signal?: AbortSignal | undefined },
  ): Promise<Buffer | 'tooLarge' | undefined>;
}

/** Sample rate for measuring the levels. */
const LEVEL_RATE_HZ = 8000;
/** Size of a 16-bit sample. */
const SAMPLE_BYTES = 2;
/** 16-bit samples in the byte order of this machine. */
const SAMPLE_FORMAT = endianness() === 'LE' ? 's16le' : 's16be';
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
/** Maximum number of pixels when a frame is extracted. 8K video has 33 million. */
const MAX_FRAME_PIXELS = 40_000_000;
/** Maximum number of pixels when a sound is read. ffmpeg ignores larger videos and cover art, and reads the sound. */
const MAX_COVER_PIXELS = 4_000_000;
/** Maximum number of tracks. ffmpeg opens decoders for all of them. Videos of phones have up to about ten. */
const MAX_STREAMS = 16;
/** Maximum resident memory of one process. */
const MAX_MEMORY_BYTES = 1024 ** 3;
/** Time between two checks of the memory. */
const MEMORY_CHECK_INTERVAL_MS = 50;
/** Timeout for the check that ffmpeg can encode Opus. */
const PROBE_TIMEOUT_MS = 10_000;

/** Allowed input formats. Playlists and scripts are excluded, because they reference other files. */
const FORMATS = 'mp3,aac,ogg,wav,w64,flac,amr,mov,mp4,m4a,3gp,matroska,webm';

const QUIET_ARGS = ['-nostdin', '-hide_banner', '-loglevel', 'error'];

interface Program {
  log: Pick<Logger, 'warn'>;
  path: string;
  /** Environment of the process. The gateway's environment contains keys and is not passed on to ffmpeg. */
  env: { PATH: string };
  /** Maximum resident memory of the process, bytes. */
  maxMemory: number;
}

/**
 * Returns a function that finds ffmpeg and checks that it can encode Opus. The function resolves with undefined and
 * logs the reason when ffmpeg does not exist, cannot encode Opus, or cannot be run now. The next call checks again only
 * when ffmpeg could not be run. When `path` is a name without a directory, it is searched in `searchPath`, the value of
 * PATH. Each process of ffmpeg can use `maxMemory` bytes.
 */
export function createFfmpegLookup(
  path: string,
  log: Pick<Logger, 'info' | 'warn'>,
  searchPath = '',
  maxMemory = memoryLimitOf(MAX_MEMORY_BYTES),
): () => Promise<Ffmpeg | undefined> {
  const program = { log, path, env: { PATH: searchPath }, maxMemory };
  let lookup: Promise<Ffmpeg | undefined> | undefined;
  const find = async () => {
    try {
      const isUsable = await canEncodeOpus(program);
      if (isUsable) log.info({ path }, 'ffmpeg.found');
      else log.warn({ path }, 'ffmpeg.check.failed');
      return isUsable ? createFfmpeg(program) : undefined;
    } catch (err) {
      if (errorCodeOf(err) !== 'ENOENT') throw err;
      log.info({ path }, 'ffmpeg.lookup.failed');
      return undefined;
    }
  };
  const onFailedCheck = (err: unknown) => {
    log.warn({ err, path }, 'ffmpeg.check.failed');
    lookup = undefined;
    return undefined;
  };
  return () => (lookup ??= find().catch(onFailedCheck));
}

/** Rejects when ffmpeg cannot be started, is killed, or exits with an error. */
async function canEncodeOpus(program: Program): Promise<boolean> {
  const child = start(program, [...QUIET_ARGS, '-encoders'], { timeout: PROBE_TIMEOUT_MS });
  const [text, code] = await Promise.all([collect(child.stdout, child), exitCodeOf(child)]);
  if (code !== 0) throw new Error(`ffmpeg ended with ${code ?? child.signalCode}`);
  return text.includes('libopus');
}

const createFfmpeg = (program: Program): Ffmpeg => ({
  toVoice: (file, options) => withInputFile(file, (input) => measureAndConvert(program, input, options)),
  extractFrame: (file, options) => withInputFile(file, (input) => extractFrame(program, input, options)),
  toMp4: (file, options) => withInputFile(file, (input) => toMp4(program, input, options)),
});

interface Input {
  /** Path of the file in ffmpeg's arguments. */
  path: string;
  /** Descriptor of the open file. ffmpeg inherits it as file descriptor 3. */
  fd: number;
  /** Size of the file, bytes. */
  size: number;
}

/**
 * True on Linux, where opening /dev/fd/3 reads an unnamed file from its start. On other systems the file keeps its
 * name, and lib/temporary-files.ts deletes it if this process is killed.
 */
const USES_UNNAMED_FILE = process.platform === 'linux';

/**
 * Writes the bytes to a temporary file for the duration of `work`, because ffmpeg must seek in many formats and cannot
 * seek in standard input. On Linux, the name of the file is removed first, so that the system deletes the file even
 * when this process is killed.
 */
async function withInputFile<T>(bytes: Buffer, work: (input: Input) => Promise<T>): Promise<T> {
  const { file, path } = await openTemporaryFile('gateway-media');
  try {
    if (USES_UNNAMED_FILE) await unlink(path);
    await file.writeFile(bytes);
    return await work({ path: USES_UNNAMED_FILE ? '/dev/fd/3' : path, fd: file.fd, size: bytes.length });
  } finally {
    await file.close();
    if (!USES_UNNAMED_FILE) await rm(path, { force: true });
  }
}

type VoiceOptions = Parameters<Ffmpeg['toVoice']>[1];
type Limits = Pick<VoiceOptions, 'timeout' | 'signal'>;

const inputArgs = ({ path }: Input, maxPixels: number) => [
  // Maximum CPU time, s. This limit also stops ffmpeg when the gateway has died and cannot kill it.
  ...['-timelimit', '240'],
  ...['-protocol_whitelist', 'file,pipe', '-format_whitelist', FORMATS],
  // The decoded frames of a small file can need gigabytes. Each thread of a decoder needs further frames.
  ...['-max_pixels', String(maxPixels), '-max_streams', String(MAX_STREAMS), '-threads', '1'],
  ...['-i', `file:${path}`],
];

/** Writes fragmented MP4, because ffmpeg cannot seek back in a pipe to write the index. */
async function toMp4(program: Program, input: Input, limits: Limits): Promise<Buffer | 'tooLarge' | undefined> {
  const mp4Options = '-map 0:a:0 -map_metadata -1 -c:a aac -b:a 64k -movflags frag_keyframe+empty_moov -f mp4 pipe:1';
  const args = [...inputArgs(input, MAX_COVER_PIXELS), ...mp4Options.split(' ')];
  let isTooLarge = false;
  const onTooLarge = () => {
    isTooLarge = true;
  };
  const read = (child: ChildProcess) => collect(child.stdout, child, onTooLarge);
  const bytes = await run(program, input, args, limits, read);
  return isTooLarge ? 'tooLarge' : bytes;
}

async function extractFrame(program: Program, input: Input, limits: Limits): Promise<Buffer | undefined> {
  // A small frame is enough for a preview.
  const frameOptions =
    '-map 0:v:0 -frames:v 1 -vf scale=320:320:force_original_aspect_ratio=decrease -c:v png -f image2pipe pipe:1';
  const args = [...inputArgs(input, MAX_FRAME_PIXELS), ...frameOptions.split(' ')];
  const bytes = await run(program, input, args, limits, (child) => collect(child.stdout, child));
  return bytes?.length ? bytes : undefined;
}

/** Measures the sound before encoding it. Measuring is cheap, and a sound that is too long is not encoded. */
async function measureAndConvert(
  program: Program,
  input: Input,
  options: VoiceOptions,
): Promise<VoiceConversion | undefined> {
  const { encode, maxSeconds } = options;
  const monoArgs = `-map 0:a:0 -map_metadata -1 -t ${maxSeconds + 1} -ac 1`.split(' ');
  const soundArgs = [...inputArgs(input, MAX_COVER_PIXELS), ...monoArgs];
  const levelArgs = [...soundArgs, ...`-ar ${LEVEL_RATE_HZ} -f ${SAMPLE_FORMAT} pipe:1`.split(' ')];
  const waveform = await run(program, input, levelArgs, options, (child) => measureLevels(child.stdout));
  if (!waveform || waveform.seconds === 0) return undefined;
  const measured = { seconds: waveform.seconds, waveform: waveform.levels() };
  if (!encode || waveform.seconds > maxSeconds) return measured;
  const opusArgs = '-ar 48000 -c:a libopus -b:a 32k -vbr constrained -application voip -f ogg pipe:1'.split(' ');
  const encodeArgs = [...soundArgs, ...opusArgs];
  const bytes = await run(program, input, encodeArgs, options, (child) => collect(child.stdout, child));
  return bytes && { ...measured, bytes };
}

/**
 * Runs ffmpeg and returns what `read` reads from its output. Returns undefined unless ffmpeg exits with 0 in time. Logs
 * a warning when ffmpeg is killed or crashes, unless the caller aborts.
 */
async function run<T>(
  program: Program,
  input: Input,
  args: string[],
  { timeout, signal }: Limits,
  read: (child: ChildProcess) => Promise<T>,
): Promise<T | undefined> {
  const child = start(program, [...QUIET_ARGS, ...args], { signal }, input.fd);
  // `exit`: this function did not kill ffmpeg.
  let reason = 'exit';
  const kill = (cause: 'timeout' | 'memory') => {
    reason = cause;
    child.kill('SIGKILL');
  };
  const timer = setTimeout(kill, timeout, 'timeout');
  const memoryCheck = setInterval(() => {
    if (child.pid !== undefined && residentMemoryOf(child.pid) > program.maxMemory) kill('memory');
  }, MEMORY_CHECK_INTERVAL_MS);
  const [result, code] = await Promise.all([read(child), exitCodeOf(child)]).finally(() => {
    clearTimeout(timer);
    clearInterval(memoryCheck);
  });
  if (code === null && !signal?.aborted)
    program.log.warn({ reason, signal: child.signalCode, bytes: input.size }, 'ffmpeg.failed');
  return code === 0 ? result : undefined;
}

function start({ path, env }: Program, args: string[], limits: Partial<Limits>, fd?: number): ChildProcess {
  const stdio: StdioOptions = ['ignore', 'pipe', 'ignore', ...(fd === undefined ? [] : [fd])];
  const child = spawn(path, args, { stdio, env, killSignal: 'SIGKILL', ...limits });
  if (child.pid !== undefined) killFirstWhenOutOfMemory(child.pid);
  return child;
}

/** Returns the exit code, or null when the process was killed. Rejects when the process could not be started. */
async function exitCodeOf(child: ChildProcess): Promise<number | null> {
  const [code]: (number | null)[] = await once(child, 'close').catch((error: unknown) => {
    // With a pid, the process has started: the error is the abort that killed it.
    if (child.pid === undefined) throw error;
    return [null];
  });
  return code ?? null;
}

/** Collects the output. Kills a process that writes more than MAX_OUTPUT_BYTES, and calls `onTooLarge`. */
async function collect(stream: Readable | null, child: ChildProcess, onTooLarge?: () => void): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream ?? []) {
    const bytes: Buffer = chunk;
    size += bytes.length;
    if (size <= MAX_OUTPUT_BYTES) chunks.push(bytes);
    else {
      onTooLarge?.();
      child.kill('SIGKILL');
    }
  }
  return Buffer.concat(chunks);
}

/** Measures a stream of 16-bit samples in the byte order of this machine. A sample can be split between two chunks. */
async function measureLevels(stream: Readable | null): Promise<Waveform> {
  const waveform = new Waveform(LEVEL_RATE_HZ);
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of stream ?? []) {
    const bytes: Buffer = chunk;
    rest = Buffer.concat([rest, bytes]);
    const samples = new Int16Array(Math.floor(rest.length / SAMPLE_BYTES));
    // Copied, because the chunk can start at an odd address.
    const size = rest.copy(new Uint8Array(samples.buffer));
    waveform.add(samples);
    rest = rest.subarray(size);
  }
  return waveform;
}

function errorCodeOf(error: unknown): unknown {
  return error instanceof Error ? Reflect.get(error, 'code') : undefined;
}
