// Runs ffmpeg if it is installed: converts sounds to Ogg/Opus, measures their levels, and extracts the first frame of
// videos. ffmpeg reads one file, writes to a pipe, gets no environment, and is killed at a time or output limit.
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { open, rm, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import { Waveform } from './waveform.ts';

export interface Conversion {
  /** Mono Ogg/Opus at 48 kHz. Undefined unless `encoding` was set. */
  bytes?: Buffer;
  seconds: number;
  waveform: Uint8Array;
}

export interface Ffmpeg {
  /**
   * Undefined when ffmpeg cannot read the file as sound, or not in time. Reads at most `maxSeconds` + 1 seconds.
   * Rejects when ffmpeg cannot be started or the temporary file cannot be written.
   */
  convert(
    file: Buffer,
    options: { encoding: boolean; maxSeconds: number; timeout: number; signal?: AbortSignal },
  ): Promise<Conversion | undefined>;
  /**
   * Returns the first frame of a video as PNG. Undefined when ffmpeg cannot read the file as video, or not in time.
   * Rejects as convert().
   */
  frame(file: Buffer, options: { timeout: number; signal?: AbortSignal }): Promise<Buffer | undefined>;
  /**
   * Returns the sound of a file as AAC in MP4. Undefined when ffmpeg cannot read it, or not in time. Rejects as
   * convert().
   */
  mp4(file: Buffer, options: { timeout: number; signal?: AbortSignal | undefined }): Promise<Buffer | undefined>;
}

/** Sample rate for the levels, Hz. */
const LEVEL_RATE = 8000;
const MAX_OUTPUT = 64 * 1024 * 1024;
/** Maximum pixels of a video frame: more than 8K. */
const MAX_PIXELS = 40_000_000;
const PROBE_TIMEOUT = 10_000;

/** Allowed formats. Playlists and scripts are excluded, because they reference other files. */
const FORMATS = 'mp3,aac,ogg,wav,w64,flac,amr,mov,mp4,m4a,3gp,matroska,webm';

const QUIET_ARGS = ['-nostdin', '-hide_banner', '-loglevel', 'error'];

interface Program {
  path: string;
  /** The whole environment of the process. The gateway's own contains keys, and ffmpeg reads untrusted files. */
  env: { PATH: string };
}

/**
 * Runs the program at `path` once to read its encoders. Returns undefined, with a log line, when it does not exist or
 * cannot encode Opus. A name without a directory is searched in `searchPath`.
 */
export async function findFfmpeg(
  path: string,
  log: Pick<Logger, 'info' | 'warn'>,
  searchPath = '',
): Promise<Ffmpeg | undefined> {
  const program = { path, env: { PATH: searchPath } };
  try {
    const child = start(program, [...QUIET_ARGS, '-encoders'], { timeout: PROBE_TIMEOUT });
    const [text] = await Promise.all([collect(child.stdout, child), exitCodeOf(child)]);
    if (!text.includes('libopus')) {
      log.warn({ path }, 'ffmpeg.unusable');
      return undefined;
    }
  } catch (err) {
    if (codeOf(err) === 'ENOENT') log.info({ path }, 'ffmpeg.missing');
    else log.warn({ err, path }, 'ffmpeg.unusable');
    return undefined;
  }
  log.info({ path }, 'ffmpeg.found');
  return {
    convert: (file, options) => withFile(file, (input) => convert(program, input, options)),
    frame: (file, options) => withFile(file, (input) => frame(program, input, options)),
    mp4: (file, options) => withFile(file, (input) => mp4(program, input, options)),
  };
}

interface Input {
  /** Path for ffmpeg's arguments. */
  path: string;
  /** Passed to ffmpeg as file descriptor 3. */
  fd: number;
}

/**
 * Only Linux opens an inherited unnamed file from its start. Other systems use a named file in the directory of
 * lib/temporary-files.ts.
 */
const isNameless = process.platform === 'linux';

/**
 * Writes the bytes to a file, because ffmpeg must seek in many formats and cannot seek in standard input. The file
 * loses its name before it is written, so that nothing of it remains when this process is killed.
 */
async function withFile<T>(bytes: Buffer, work: (input: Input) => Promise<T>): Promise<T> {
  const path = join(tmpdir(), `gateway-media-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  try {
    if (isNameless) await unlink(path);
    await file.writeFile(bytes);
    return await work({ path: isNameless ? '/dev/fd/3' : path, fd: file.fd });
  } finally {
    await file.close();
    if (!isNameless) await rm(path, { force: true });
  }
}

type Options = Parameters<Ffmpeg['convert']>[1];
type Limits = Pick<Options, 'timeout' | 'signal'>;

const inputArgs = ({ path }: Input) => [
  // Processor seconds after which ffmpeg stops, also when this process, which would kill it, is gone.
  ...['-timelimit', '240'],
  ...['-protocol_whitelist', 'file,pipe', '-format_whitelist', FORMATS],
  // A small file can state frames that need gigabytes.
  ...['-max_pixels', String(MAX_PIXELS), '-max_streams', '100'],
  ...['-i', `file:${path}`],
];

/** Writes fragmented MP4, because a pipe cannot seek back to write the index. */
function mp4(program: Program, input: Input, limits: Limits): Promise<Buffer | undefined> {
  const sound = '-map 0:a:0 -map_metadata -1 -c:a aac -b:a 64k -movflags frag_keyframe+empty_moov -f mp4 pipe:1';
  return run(program, input, sound.split(' '), limits, (child) => collect(child.stdout, child));
}

async function frame(program: Program, input: Input, limits: Limits): Promise<Buffer | undefined> {
  // A small frame is enough for a preview.
  const picture =
    '-map 0:v:0 -frames:v 1 -vf scale=320:320:force_original_aspect_ratio=decrease -c:v png -f image2pipe pipe:1';
  const bytes = await run(program, input, picture.split(' '), limits, (child) => collect(child.stdout, child));
  return bytes?.length ? bytes : undefined;
}

/** Measures the sound first, which is cheap, so that a too long one is not encoded. */
async function convert(program: Program, input: Input, options: Options): Promise<Conversion | undefined> {
  const { encoding, maxSeconds } = options;
  const sound = `-map 0:a:0 -map_metadata -1 -t ${maxSeconds + 1} -ac 1`.split(' ');
  const samples = [...sound, ...`-ar ${LEVEL_RATE} -f s16le pipe:1`.split(' ')];
  const levels = await run(program, input, samples, options, (child) => measure(child.stdout));
  if (!levels || levels.seconds === 0) return undefined;
  const measured = { seconds: levels.seconds, waveform: levels.waveform() };
  if (!encoding || levels.seconds > maxSeconds) return measured;
  const opus = '-ar 48000 -c:a libopus -b:a 32k -vbr constrained -application voip -f ogg pipe:1'.split(' ');
  const bytes = await run(program, input, [...sound, ...opus], options, (child) => collect(child.stdout, child));
  return bytes && { ...measured, bytes };
}

/** Returns the result of `read` on ffmpeg's output. Undefined unless ffmpeg exits with 0 in time. */
async function run<T>(
  program: Program,
  input: Input,
  output: string[],
  { timeout, signal }: Limits,
  read: (child: ChildProcess) => Promise<T>,
): Promise<T | undefined> {
  const child = start(program, [...QUIET_ARGS, ...inputArgs(input), ...output], { timeout, signal }, input.fd);
  const [result, code] = await Promise.all([read(child), exitCodeOf(child)]);
  return code === 0 ? result : undefined;
}

function start({ path, env }: Program, args: string[], limits: Limits, fd?: number): ChildProcess {
  const stdio: StdioOptions = ['ignore', 'pipe', 'ignore', ...(fd === undefined ? [] : [fd])];
  return spawn(path, args, { stdio, env, killSignal: 'SIGKILL', ...limits });
}

/** Returns the exit code, null when the process was killed. Rejects when it could not be started. */
async function exitCodeOf(child: ChildProcess): Promise<number | null> {
  const [code]: (number | null)[] = await once(child, 'close').catch((error: unknown) => {
    if (child.pid === undefined) throw error;
    return [null];
  });
  return code ?? null;
}

/** Collects the output. Kills a process that writes more than MAX_OUTPUT. */
async function collect(stream: Readable | null, child: ChildProcess): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream ?? []) {
    const bytes: Buffer = chunk;
    size += bytes.length;
    if (size > MAX_OUTPUT) child.kill('SIGKILL');
    else chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

/** Reads 16-bit samples, which chunks may split. */
async function measure(stream: Readable | null): Promise<Waveform> {
  const levels = new Waveform(LEVEL_RATE);
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of stream ?? []) {
    const bytes: Buffer = chunk;
    rest = Buffer.concat([rest, bytes]);
    const samples = new Int16Array(rest.length >> 1);
    for (let i = 0; i < samples.length; i++) samples[i] = rest.readInt16LE(i * 2);
    levels.add(samples);
    rest = rest.subarray(samples.length * 2);
  }
  return levels;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error ? Reflect.get(error, 'code') : undefined;
}
