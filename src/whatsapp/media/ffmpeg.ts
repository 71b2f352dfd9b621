// The ffmpeg program, where there is one: sounds of every kind → Ogg/Opus and levels, videos → a picture. It reads one file and writes to pipes, opens
// nothing else, knows nothing of our environment, and is killed when it takes too long or says too much.
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
  /** Mono Ogg/Opus at 48 kHz; undefined when it was not asked for. */
  bytes?: Buffer;
  seconds: number;
  waveform: Uint8Array;
}

export interface Ffmpeg {
  /**
   * Undefined for what ffmpeg does not take for a sound, or not in time. Reads at most one second more than `maxSeconds`. Rejects when
   * the program cannot be started or the temporary file not be written.
   */
  convert(
    file: Buffer,
    options: { encoding: boolean; maxSeconds: number; timeout: number; signal?: AbortSignal },
  ): Promise<Conversion | undefined>;
  /** The first picture of a video, as PNG; undefined for what ffmpeg takes for no video, or not in time. Rejects as convert(). */
  frame(file: Buffer, options: { timeout: number; signal?: AbortSignal }): Promise<Buffer | undefined>;
  /** The sound of a file as AAC in MP4; undefined for what ffmpeg takes for no sound, or not in time. Rejects as convert(). */
  mp4(file: Buffer, options: { timeout: number; signal?: AbortSignal | undefined }): Promise<Buffer | undefined>;
}

/** Hz of the samples that the levels are made of. */
const LEVEL_RATE = 8000;
const MAX_OUTPUT = 64 * 1024 * 1024;
/** Of one picture of a video: more than 8K. */
const MAX_PIXELS = 40_000_000;
const PROBE_TIMEOUT = 10_000;

/** What may be read: no playlists and scripts, which name other files. */
const FORMATS = 'mp3,aac,ogg,wav,w64,flac,amr,mov,mp4,m4a,3gp,matroska,webm';

const QUIET_ARGS = ['-nostdin', '-hide_banner', '-loglevel', 'error'];

interface Program {
  path: string;
  /** All of its environment: ours holds keys, and it reads files of strangers. */
  env: { PATH: string };
}

/**
 * Asks the program at `path` once what it can do; undefined, with a line in the log, when it is not there or cannot encode Opus. A name
 * without a folder is looked for in `searchPath`.
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
  /** As the program opens it. */
  path: string;
  /** What the program inherits as its file descriptor 3. */
  fd: number;
}

/** Only Linux opens an inherited file without a name from its beginning. Elsewhere the file has a name, in the folder of lib/scratch.ts. */
const isNameless = process.platform === 'linux';

/**
 * A file and not standard input: in many of these formats the beginning is understood from the end. It loses its name before anything is
 * written, so that nothing of it is left however this process ends.
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
  // Stops by itself should this process be gone, which would kill it: after this much processor time, s.
  ...['-timelimit', '240'],
  ...['-protocol_whitelist', 'file,pipe', '-format_whitelist', FORMATS],
  // A small file can claim pictures that need gigabytes.
  ...['-max_pixels', String(MAX_PIXELS), '-max_streams', '100'],
  ...['-i', `file:${path}`],
];

/** In pieces, because a pipe cannot go back and write the index to the front. */
function mp4(program: Program, input: Input, limits: Limits): Promise<Buffer | undefined> {
  const sound = '-map 0:a:0 -map_metadata -1 -c:a aac -b:a 64k -movflags frag_keyframe+empty_moov -f mp4 pipe:1';
  return run(program, input, sound.split(' '), limits, (child) => collect(child.stdout, child));
}

async function frame(program: Program, input: Input, limits: Limits): Promise<Buffer | undefined> {
  // Small at once: only a preview is made of it.
  const picture =
    '-map 0:v:0 -frames:v 1 -vf scale=320:320:force_original_aspect_ratio=decrease -c:v png -f image2pipe pipe:1';
  const bytes = await run(program, input, picture.split(' '), limits, (child) => collect(child.stdout, child));
  return bytes?.length ? bytes : undefined;
}

/** Measures first, which is cheap: what is too long is not encoded. */
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

/** What `read` made of the program's output; undefined unless the program ended well and in time. */
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

/** The exit code, null when it was killed. Rejects when it never started. */
async function exitCodeOf(child: ChildProcess): Promise<number | null> {
  const [code]: (number | null)[] = await once(child, 'close').catch((error: unknown) => {
    if (child.pid === undefined) throw error;
    return [null];
  });
  return code ?? null;
}

/** All that is written, in memory; kills a child that writes more than it may. */
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

/** Samples of 16 bits, which chunks may cut in two. */
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
