import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createFfmpegLookup, type Ffmpeg } from '../../../src/whatsapp/media/ffmpeg.ts';
import { createMp4Converter } from '../../../src/whatsapp/media/mp4.ts';
import { soundTypeOf } from '../../../src/whatsapp/media/sound-type.ts';
import { createVoiceConverter, type VoiceDeps } from '../../../src/whatsapp/media/voice.ts';
import { emptyFolder, ownTemporaryFolder } from '../../support/folder.ts';
import { convert, ffmpegPath, hollow, tone } from '../../support/sounds.ts';
import { readableLog, silent } from '../fakes.ts';

const OPUS = 'audio/ogg; codecs=opus';
let ffmpeg: Ffmpeg | undefined;

beforeAll(async () => {
  ffmpeg = await createFfmpegLookup(ffmpegPath, silent)();
});

function voiceOf(by: string, deps: Partial<VoiceDeps> = {}) {
  const toVoice = createVoiceConverter({
    ffmpeg: async () => (by === 'ffmpeg' ? ffmpeg : undefined),
    log: silent,
    ...deps,
  });
  return (file: Buffer, encode: boolean) => toVoice('a', file, { encode });
}

/** As the head of an Opus file says. */
const channelsOf = (file: Buffer) => file[37];

describe.each(['ffmpeg', 'no ffmpeg'])('a voice note by %s', (by) => {
  it.each([
    ['wav', []],
    ['mp3', []],
    ['ogg', ['-c:a', 'libopus']],
  ])('Media.toVoice() converts %s to mono Ogg/Opus with duration and levels', async (extension, options) => {
    const voice = await voiceOf(by)(convert(tone(2), extension, ...options), true);
    expect(voice).toMatchObject({ mimetype: OPUS, seconds: 2 });
    expect(soundTypeOf(voice.bytes)).toBe(OPUS);
    expect(channelsOf(voice.bytes)).toBe(1);
    expect(voice.bytes.length, 'about 32 kbit/s').toBeLessThan(16_000);
    const levels = [...(voice.waveform ?? [])];
    expect(levels).toHaveLength(64);
    expect(Math.min(...levels.slice(1, 31))).toBeGreaterThan(85);
    expect(Math.max(...levels.slice(33))).toBeLessThan(40);
    expect(Math.max(...levels)).toBe(100);
  });

  it('Media.toVoice() keeps the file with `encode: false` and measures it if possible', async () => {
    const mp3 = convert(tone(1), 'mp3');
    const voice = await voiceOf(by)(mp3, false);
    expect(voice).toMatchObject({ mimetype: 'audio/mpeg', seconds: 1 });
    expect(voice.bytes.equals(mp3)).toBe(true);
    const broken = Buffer.from('ID3 and then nothing');
    expect(await voiceOf(by)(broken, false)).toEqual({ bytes: broken, mimetype: 'audio/mpeg' });
  });

  it('Media.toVoice() refuses a sound above the limit before it is encoded', async () => {
    const file = hollow(200);
    expect(file.length).toBeLessThan(6_000);
    await expect(voiceOf(by, { maxSeconds: 60 })(file, true)).rejects.toMatchObject({
      code: 'MEDIA_TOO_LONG',
      status: 400,
      certain: true,
      responseMessage: ['The sound is longer than 60 seconds'],
    });
    expect(await voiceOf(by, { maxSeconds: 60 })(file, false)).toEqual({ bytes: file, mimetype: OPUS });
  });

  it.each([
    ['text', 'hello'],
    ['nothing', ''],
    ['half an Ogg', 'OggS and then nothing'],
    ['half an MP3', 'ID3 and then nothing'],
    ['a playlist', '#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n'],
    ['a script', 'ffconcat version 1.0\nfile /etc/passwd\n'],
  ])('Media.toVoice() refuses %s', async (_, text) => {
    await expect(voiceOf(by)(Buffer.from(text), true)).rejects.toMatchObject({ code: 'MEDIA_INVALID', certain: true });
  });

  it('Media.toVoice() ends at its timeout and at the end of the process', async () => {
    const file = convert(tone(60, 8000), 'mp3');
    const folder = ownTemporaryFolder();
    const { log, lines } = readableLog();
    // ffmpeg logs with the logger with which it was found.
    const found = by === 'ffmpeg' ? await createFfmpegLookup(ffmpegPath, log)() : undefined;
    lines.length = 0;
    const deps = { ffmpeg: async () => found, log };
    await expect(voiceOf(by, { ...deps, timeout: 1 })(file, true)).rejects.toMatchObject({ code: 'MEDIA_INVALID' });
    const closing = new AbortController();
    const stopped = voiceOf(by, { ...deps, signal: closing.signal })(file, true);
    closing.abort();
    await expect(stopped).rejects.toMatchObject({ code: 'SHUTTING_DOWN', certain: true });
    expect(readdirSync(folder)).toEqual([]);
    const msg = by === 'ffmpeg' ? 'ffmpeg.failed' : 'voice.worker.failed';
    expect(lines).toEqual([expect.objectContaining({ msg, reason: 'timeout', bytes: file.length })]);
  });
});

describe('the end of the process', () => {
  it('starts no conversion that waits in the queue', async () => {
    const closing = new AbortController();
    const found = Promise.withResolvers<undefined>();
    let started = 0;
    const ffmpeg = () => {
      started += 1;
      return found.promise;
    };
    const toVoice = createVoiceConverter({ ffmpeg, log: silent, signal: closing.signal });
    const conversions = Array.from({ length: 3 }, () => toVoice('a', tone(1), { encode: true }));
    closing.abort();
    found.resolve(undefined);
    for (const result of await Promise.allSettled(conversions)) {
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'SHUTTING_DOWN', certain: true } });
    }
    expect(started, 'two conversions of one instance run at the same time').toBe(2);
  });
});

describe('a voice note of other kinds', () => {
  const others: [string, string[]][] = [
    ['m4a', []],
    ['webm', ['-c:a', 'libopus']],
    ['ogg', ['-c:a', 'libvorbis']],
    ['flac', []],
    ['amr', ['-ar', '8000', '-ac', '1']],
    ['aac', []],
  ];

  it.each(others)('Media.toVoice() needs ffmpeg for %s %j and says so without it', async (extension, options) => {
    const file = convert(tone(1), extension, ...options);
    expect(await voiceOf('ffmpeg')(file, true)).toMatchObject({ mimetype: OPUS, seconds: 1 });
    await expect(voiceOf('none')(file, true)).rejects.toMatchObject({
      code: 'MEDIA_INVALID',
      responseMessage: [expect.stringContaining('needs ffmpeg')],
    });
  });

  it('Media.toVoice() converts the sound of a video', async () => {
    const video = convert(tone(1), 'mp4', '-f', 'lavfi', '-i', 'color=size=16x16:duration=1', '-shortest');
    expect(await voiceOf('ffmpeg')(video, true)).toMatchObject({ mimetype: OPUS, seconds: 1 });
  });

  it('Media.toVoice() refuses a video without sound', async () => {
    const mute = convert(tone(1), 'mp4', '-f', 'lavfi', '-i', 'color=size=16x16:duration=1', '-map', '1:v');
    await expect(voiceOf('ffmpeg')(mute, true)).rejects.toMatchObject({ code: 'MEDIA_INVALID' });
  });
});

describe('a sound that is sent as it is', () => {
  it.each([
    'm4a',
    'flac',
    'aac',
  ])('Media.toVoice() reads the stated duration of %s without ffmpeg', async (extension) => {
    const file = convert(tone(2), extension);
    expect(await voiceOf('none')(file, false)).toMatchObject({ bytes: file, seconds: 2 });
  });

  it('Media.toVoice() returns no duration when the file states none', async () => {
    const file = Buffer.concat([Buffer.from('fLaC'), Buffer.alloc(100_000, 0xff)]);
    for (const by of ['none', 'ffmpeg']) expect((await voiceOf(by)(file, false)).seconds).toBeUndefined();
  });
});

describe('hostile sounds', () => {
  it('Media.toVoice() delays only the own instance with hostile sounds', async () => {
    const conversions: ((value: undefined) => void)[] = [];
    const endless: Ffmpeg = {
      toVoice: (file) => (file.length > 1_000_000 ? new Promise((resolve) => conversions.push(resolve)) : fine),
      extractFrame: async () => undefined,
      toMp4: async () => undefined,
    };
    const fine = Promise.resolve({ seconds: 1, waveform: new Uint8Array(64) });
    const toVoice = createVoiceConverter({ ffmpeg: async () => endless, log: silent });
    const long = tone(60);
    const flood = Array.from({ length: 202 }, () => toVoice('a', long, { encode: false }));
    await expect(toVoice('a', long, { encode: false })).rejects.toMatchObject({ code: 'OVERLOADED', certain: true });
    expect(await toVoice('b', tone(1), { encode: false })).toMatchObject({ seconds: 1 });
    expect(conversions).toHaveLength(2);
    const all = Promise.all(flood);
    const isDone = { value: false };
    void all.then(() => (isDone.value = true));
    while (!isDone.value) {
      for (const end of conversions.splice(0)) end(undefined);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await all).toHaveLength(202);
  });

  it('ffmpeg reads no playlists and scripts that reference other files or URLs', async () => {
    const folder = emptyFolder();
    const secret = `${folder}/secret.wav`;
    writeFileSync(secret, tone(3));
    const texts = [
      `#EXTM3U\n#EXT-X-TARGETDURATION:3\n#EXTINF:3,\nfile://${secret}\n#EXT-X-ENDLIST\n`,
      `ffconcat version 1.0\nfile ${secret}\n`,
      `<?xml version="1.0"?><MPD><BaseURL>file://${secret}</BaseURL></MPD>`,
    ];
    for (const text of texts) {
      const file = Buffer.from(text);
      const options = { encode: true, maxSeconds: 10, timeout: 20_000 };
      expect(await ffmpeg?.toVoice(file, options), text).toBeUndefined();
      expect(await ffmpeg?.extractFrame(file, options), text).toBeUndefined();
      await expect(voiceOf('ffmpeg')(file, true)).rejects.toMatchObject({ code: 'MEDIA_INVALID' });
    }
  });
});

describe('the ffmpeg program', () => {
  it.each([
    ['/nothing/is/here', 'ffmpeg.lookup.failed'],
    [process.execPath, 'ffmpeg.check.failed'],
    ['/', 'ffmpeg.check.failed'],
    [ffmpegPath, 'ffmpeg.found'],
  ])('createFfmpegLookup probes the program at %s and logs: %s', async (path, message) => {
    const { log, lines } = readableLog();
    const found = await createFfmpegLookup(path, log)();
    expect(lines.map(({ msg }) => msg)).toEqual([message]);
    expect(found !== undefined).toBe(message === 'ffmpeg.found');
  });

  it('createFfmpegLookup finds the program by its name and gives it no environment except PATH', async () => {
    const folder = emptyFolder();
    writeFileSync(`${folder}/ffmpeg`, `#!/bin/sh\nenv > ${folder}/env\nexec ${ffmpegPath} "$@"\n`, { mode: 0o755 });
    vi.stubEnv('API_KEY', 'a-key-that-is-ours-alone');
    onTestFinished(() => void vi.unstubAllEnvs());
    const searchPath = `${folder}:${process.env.PATH}`;
    const named = await createFfmpegLookup('ffmpeg', silent, searchPath)();
    expect(await named?.toVoice(tone(1), { encode: false, maxSeconds: 60, timeout: 10_000 })).toBeDefined();
    const known = readFileSync(`${folder}/env`, 'utf8').trim().split('\n');
    // What the shell of this test adds.
    const own = known.filter((line) => !/^(PWD|SHLVL|OLDPWD|_)=/.test(line));
    expect(own).toEqual([`PATH=${searchPath}`]);
  });

  const missing = async () => {
    throw Object.assign(new Error('spawn ffmpeg ENOENT'), { code: 'ENOENT' });
  };
  const gone: Ffmpeg = { toVoice: missing, extractFrame: missing, toMp4: missing };

  it('Media.toVoice() falls back to the worker when ffmpeg has disappeared', async () => {
    const { log, lines } = readableLog();
    const voice = await createVoiceConverter({ ffmpeg: async () => gone, log })('a', tone(1), { encode: true });
    expect(voice).toMatchObject({ mimetype: OPUS, seconds: 1 });
    expect(lines.map(({ msg }) => msg)).toEqual(['ffmpeg.failed']);
  });

  it('Media.toVoice() says that ffmpeg failed, not that it is missing, for a type that needs it', async () => {
    const toVoice = createVoiceConverter({ ffmpeg: async () => gone, log: silent });
    await expect(toVoice('a', convert(tone(1), 'flac'), { encode: true })).rejects.toMatchObject({
      code: 'MEDIA_INVALID',
      certain: true,
      responseMessage: ['The sound is audio/flac, which needs ffmpeg, and that failed: send MP3, WAV or Ogg/Opus'],
    });
  });

  it('a crash of ffmpeg is logged', async () => {
    const program = join(emptyFolder(), 'ffmpeg');
    writeFileSync(program, '#!/bin/sh\ncase "$*" in *-encoders) echo libopus;; *) kill -s SEGV $$;; esac\n', {
      mode: 0o755,
    });
    const { log, lines } = readableLog();
    const crashing = await createFfmpegLookup(program, log)();
    expect(await crashing?.toMp4(tone(1), { timeout: 60_000 })).toBeUndefined();
    expect(lines.slice(1)).toEqual([
      expect.objectContaining({ msg: 'ffmpeg.failed', reason: 'exit', signal: 'SIGSEGV', bytes: tone(1).length }),
    ]);
  });

  it('ffmpeg opens only the file itself, also when the file lies about its type', async () => {
    const secret = convert(tone(1), 'aac');
    const folder = ownTemporaryFolder();
    writeFileSync(`${folder}/secret.aac`, secret);
    const options = { encode: true, maxSeconds: 60, timeout: 10_000 };
    for (const text of [
      `#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile://${folder}/secret.aac\n#EXT-X-ENDLIST\n`,
      `ffconcat version 1.0\nfile ${folder}/secret.aac\n`,
      `<?xml version="1.0"?><MPD><Period><AdaptationSet><Representation><BaseURL>${folder}/secret.aac</BaseURL></Representation></AdaptationSet></Period></MPD>`,
    ])
      expect(await ffmpeg?.toVoice(Buffer.from(text), options), text).toBeUndefined();
    expect(await ffmpeg?.toVoice(secret, options)).toBeDefined();
    expect(readdirSync(folder)).toEqual(['secret.aac']);
  });
});

describe('a conversion to MP4', () => {
  it('says that the result is too large when it exceeds 64 MiB', async () => {
    const program = join(emptyFolder(), 'ffmpeg');
    writeFileSync(program, '#!/bin/sh\ncase "$*" in *-encoders) echo libopus;; *) exec cat /dev/zero;; esac\n', {
      mode: 0o755,
    });
    const verbose = await createFfmpegLookup(program, silent, process.env.PATH)();
    const toMp4 = createMp4Converter({ ffmpeg: async () => verbose });
    await expect(toMp4('a', async () => tone(1))).rejects.toMatchObject({
      code: 'MEDIA_INVALID',
      responseMessage: ['The sound is larger than 64 MiB as MP4'],
    });
  });

  it('keeps two MP4 files of an instance in memory, and reads no other sound of it until one is closed', async () => {
    const copying: Ffmpeg = {
      toVoice: async () => undefined,
      extractFrame: async () => undefined,
      toMp4: async (file) => file,
    };
    const toMp4 = createMp4Converter({ ffmpeg: async () => copying });
    const read: string[] = [];
    const convert = (owner: string, name: string) =>
      toMp4(owner, async () => {
        read.push(name);
        return Buffer.alloc(100_000, name);
      });
    const [first, second] = await Promise.all([convert('a', '1'), convert('a', '2')]);
    const third = convert('a', '3');
    await convert('b', '4');
    expect(read).toEqual(['1', '2', '4']);
    expect(await buffer(first.read())).toEqual(Buffer.alloc(100_000, '1'));
    await second.close();
    await third;
    expect(read).toEqual(['1', '2', '4', '3']);
  });

  it('is refused when the files that other readers keep open hold the slots for too long', async () => {
    const copying: Ffmpeg = {
      toVoice: async () => undefined,
      extractFrame: async () => undefined,
      toMp4: async (file) => file,
    };
    const toMp4 = createMp4Converter({ ffmpeg: async () => copying, slotTimeout: 1 });
    const convert = (owner: string) => toMp4(owner, async () => Buffer.alloc(1));
    const [first] = await Promise.all([convert('a'), convert('a'), convert('b')]);
    await expect(convert('c')).rejects.toMatchObject({ code: 'OVERLOADED' });
    await first.close();
    expect((await convert('c')).size).toBe(1);
  });

  it('frees its slot when the sound cannot be read', async () => {
    const toMp4 = createMp4Converter({ ffmpeg: createFfmpegLookup(ffmpegPath, silent) });
    const fail = () => toMp4('a', () => Promise.reject(new Error('gone')));
    for (let turn = 0; turn < 3; turn++) await expect(fail()).rejects.toThrow('gone');
  });
});
