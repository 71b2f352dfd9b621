import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createFfmpegLookup, type Ffmpeg } from '../../../src/whatsapp/media/ffmpeg.ts';
import { createMp4Converter } from '../../../src/whatsapp/media/mp4.ts';
import { soundTypeOf } from '../../../src/whatsapp/media/sound-type.ts';
import { createVoiceConverter, type VoiceDeps } from '../../../src/whatsapp/media/voice.ts';
import { emptyFolder, ownTemporaryFolder } from '../../support/folder.ts';
import { readableLog, silent } from '../../support/session-fakes.ts';
import { convert, emptyOpus, ffmpegPath, tone } from '../../support/sounds.ts';

const OPUS = 'audio/ogg; codecs=opus';
let ffmpeg: Ffmpeg | undefined;

beforeAll(async () => {
  ffmpeg = await createFfmpegLookup(ffmpegPath, silent)();
});

function createConverter(tool: string, deps: Partial<VoiceDeps> = {}) {
  const toVoice = createVoiceConverter({
    ffmpeg: async () => (tool === 'ffmpeg' ? ffmpeg : undefined),
    log: silent,
    ...deps,
  });
  return (file: Buffer, encode: boolean) => toVoice('a', file, { encode });
}

/** The number of channels in the header of an Opus file. */
const channelsOf = (file: Buffer) => file[37];

describe.each(['ffmpeg', 'no ffmpeg'])('voice notes with %s', (tool) => {
  it.each([
    ['wav', []],
    ['mp3', []],
    ['ogg', ['-c:a', 'libopus']],
  ])('Media.toVoice() converts %s to mono Ogg/Opus with duration and levels', async (extension, options) => {
    const voice = await createConverter(tool)(convert(tone(2), extension, ...options), true);
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

  it('Media.toVoice() with `encode: false` keeps the file and returns its duration if possible', async () => {
    const mp3 = convert(tone(1), 'mp3');
    const voice = await createConverter(tool)(mp3, false);
    expect(voice).toMatchObject({ mimetype: 'audio/mpeg', seconds: 1 });
    expect(voice.bytes.equals(mp3)).toBe(true);
    const broken = Buffer.from('ID3 and then nothing');
    expect(await createConverter(tool)(broken, false)).toEqual({ bytes: broken, mimetype: 'audio/mpeg' });
  });

  it('Media.toVoice() rejects a sound that is too long to encode, and keeps it with `encode: false`', async () => {
    const file = emptyOpus(200);
    expect(file.length).toBeLessThan(6_000);
    await expect(createConverter(tool, { maxSeconds: 60 })(file, true)).rejects.toMatchObject({
      code: 'MEDIA_TOO_LONG',
      status: 400,
      certain: true,
      responseMessage: ['The sound is longer than 60 seconds'],
    });
    expect(await createConverter(tool, { maxSeconds: 60 })(file, false)).toEqual({ bytes: file, mimetype: OPUS });
  });

  it.each([
    ['a text', 'hello'],
    ['an empty file', ''],
    ['half an Ogg file', 'OggS and then nothing'],
    ['half an MP3 file', 'ID3 and then nothing'],
    ['a playlist', '#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n'],
    ['a script', 'ffconcat version 1.0\nfile /etc/passwd\n'],
  ])('Media.toVoice() rejects %s', async (_, text) => {
    await expect(createConverter(tool)(Buffer.from(text), true)).rejects.toMatchObject({
      code: 'MEDIA_INVALID',
      certain: true,
    });
  });

  it('Media.toVoice() stops at its timeout and at the shutdown of the process', async () => {
    const file = convert(tone(60, 8000), 'mp3');
    const folder = ownTemporaryFolder();
    const { log, lines } = readableLog();
    // ffmpeg logs with the logger of the lookup that found it.
    const found = tool === 'ffmpeg' ? await createFfmpegLookup(ffmpegPath, log)() : undefined;
    lines.length = 0;
    const deps = { ffmpeg: async () => found, log };
    await expect(createConverter(tool, { ...deps, timeout: 1 })(file, true)).rejects.toMatchObject({
      code: 'MEDIA_INVALID',
    });
    const shutdown = new AbortController();
    const conversion = createConverter(tool, { ...deps, signal: shutdown.signal })(file, true);
    shutdown.abort();
    await expect(conversion).rejects.toMatchObject({ code: 'SHUTTING_DOWN', certain: true });
    expect(readdirSync(folder)).toEqual([]);
    const msg = tool === 'ffmpeg' ? 'ffmpeg.failed' : 'voice.worker.failed';
    expect(lines).toEqual([expect.objectContaining({ msg, reason: 'timeout', bytes: file.length })]);
  });
});

describe('shutdown', () => {
  it('Media.toVoice() starts no queued conversion after the shutdown', async () => {
    const shutdown = new AbortController();
    const found = Promise.withResolvers<undefined>();
    let lookupCount = 0;
    const ffmpeg = () => {
      lookupCount += 1;
      return found.promise;
    };
    const toVoice = createVoiceConverter({ ffmpeg, log: silent, signal: shutdown.signal });
    const conversions = Array.from({ length: 3 }, () => toVoice('a', tone(1), { encode: true }));
    shutdown.abort();
    found.resolve(undefined);
    for (const result of await Promise.allSettled(conversions)) {
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'SHUTTING_DOWN', certain: true } });
    }
    expect(lookupCount, 'two conversions of one instance run at the same time').toBe(2);
  });
});

describe('voice notes of other file types', () => {
  const otherTypes: [string, string[]][] = [
    ['m4a', []],
    ['webm', ['-c:a', 'libopus']],
    ['ogg', ['-c:a', 'libvorbis']],
    ['flac', []],
    ['amr', ['-ar', '8000', '-ac', '1']],
    ['aac', []],
  ];

  it.each(
    otherTypes,
  )('Media.toVoice() needs ffmpeg for %s %j and reports this when ffmpeg is missing', async (extension, options) => {
    const file = convert(tone(1), extension, ...options);
    expect(await createConverter('ffmpeg')(file, true)).toMatchObject({ mimetype: OPUS, seconds: 1 });
    await expect(createConverter('none')(file, true)).rejects.toMatchObject({
      code: 'MEDIA_INVALID',
      responseMessage: [expect.stringContaining('needs ffmpeg')],
    });
  });

  it('Media.toVoice() converts the sound of a video', async () => {
    const video = convert(tone(1), 'mp4', '-f', 'lavfi', '-i', 'color=size=16x16:duration=1', '-shortest');
    expect(await createConverter('ffmpeg')(video, true)).toMatchObject({ mimetype: OPUS, seconds: 1 });
  });

  it('Media.toVoice() rejects a video without sound', async () => {
    const silentVideo = convert(tone(1), 'mp4', '-f', 'lavfi', '-i', 'color=size=16x16:duration=1', '-map', '1:v');
    await expect(createConverter('ffmpeg')(silentVideo, true)).rejects.toMatchObject({ code: 'MEDIA_INVALID' });
  });
});

describe('sounds that are sent unchanged', () => {
  it.each([
    'm4a',
    'flac',
    'aac',
  ])('Media.toVoice() reads the stated duration of %s without ffmpeg', async (extension) => {
    const file = convert(tone(2), extension);
    expect(await createConverter('none')(file, false)).toMatchObject({ bytes: file, seconds: 2 });
  });

  it('Media.toVoice() returns no duration when the file states none', async () => {
    const file = Buffer.concat([Buffer.from('fLaC'), Buffer.alloc(100_000, 0xff)]);
    for (const tool of ['none', 'ffmpeg']) expect((await createConverter(tool)(file, false)).seconds).toBeUndefined();
  });
});

describe('hostile sounds', () => {
  it('hanging conversions of one instance do not delay the conversions of another instance', async () => {
    const conversions: ((value: undefined) => void)[] = [];
    const hangingFfmpeg: Ffmpeg = {
      toVoice: (file) =>
        file.length > 1_000_000 ? new Promise((resolve) => conversions.push(resolve)) : finishedVoice,
      extractFrame: async () => undefined,
      toMp4: async () => undefined,
    };
    const finishedVoice = Promise.resolve({ seconds: 1, waveform: new Uint8Array(64) });
    const toVoice = createVoiceConverter({ ffmpeg: async () => hangingFfmpeg, log: silent });
    const longSound = tone(60);
    const flood = Array.from({ length: 202 }, () => toVoice('a', longSound, { encode: false }));
    await expect(toVoice('a', longSound, { encode: false })).rejects.toMatchObject({
      code: 'OVERLOADED',
      certain: true,
    });
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
      await expect(createConverter('ffmpeg')(file, true)).rejects.toMatchObject({ code: 'MEDIA_INVALID' });
    }
  });
});

describe('the ffmpeg program', () => {
  it.each([
    ['/nothing/is/here', 'ffmpeg.lookup.failed'],
    [process.execPath, 'ffmpeg.check.failed'],
    ['/', 'ffmpeg.check.failed'],
    [ffmpegPath, 'ffmpeg.found'],
  ])('createFfmpegLookup() probes the program at %s and logs: %s', async (path, message) => {
    const { log, lines } = readableLog();
    const found = await createFfmpegLookup(path, log)();
    expect(lines.map(({ msg }) => msg)).toEqual([message]);
    expect(found !== undefined).toBe(message === 'ffmpeg.found');
  });

  it('createFfmpegLookup() finds the program by its name and passes it no environment except PATH', async () => {
    const folder = emptyFolder();
    writeFileSync(`${folder}/ffmpeg`, `#!/bin/sh\nenv > ${folder}/env\nexec ${ffmpegPath} "$@"\n`, { mode: 0o755 });
    vi.stubEnv('API_KEY', 'a-key-that-is-ours-alone');
    onTestFinished(() => void vi.unstubAllEnvs());
    const searchPath = `${folder}:${process.env.PATH}`;
    const ffmpegByName = await createFfmpegLookup('ffmpeg', silent, searchPath)();
    expect(await ffmpegByName?.toVoice(tone(1), { encode: false, maxSeconds: 60, timeout: 10_000 })).toBeDefined();
    const environment = readFileSync(`${folder}/env`, 'utf8').trim().split('\n');
    // The shell of this test adds these variables.
    const passedVariables = environment.filter((line) => !/^(PWD|SHLVL|OLDPWD|_)=/.test(line));
    expect(passedVariables).toEqual([`PATH=${searchPath}`]);
  });

  const missing = async () => {
    throw Object.assign(new Error('spawn ffmpeg ENOENT'), { code: 'ENOENT' });
  };
  const missingFfmpeg: Ffmpeg = { toVoice: missing, extractFrame: missing, toMp4: missing };

  it('Media.toVoice() falls back to the worker when ffmpeg no longer exists', async () => {
    const { log, lines } = readableLog();
    const voice = await createVoiceConverter({ ffmpeg: async () => missingFfmpeg, log })('a', tone(1), {
      encode: true,
    });
    expect(voice).toMatchObject({ mimetype: OPUS, seconds: 1 });
    expect(lines.map(({ msg }) => msg)).toEqual(['ffmpeg.failed']);
  });

  it('Media.toVoice() reports that ffmpeg failed, not that it is missing, for a type that needs ffmpeg', async () => {
    const toVoice = createVoiceConverter({ ffmpeg: async () => missingFfmpeg, log: silent });
    await expect(toVoice('a', convert(tone(1), 'flac'), { encode: true })).rejects.toMatchObject({
      code: 'MEDIA_INVALID',
      certain: true,
      responseMessage: ['The sound is audio/flac, which needs ffmpeg, and that failed: send MP3, WAV or Ogg/Opus'],
    });
  });

  it('Ffmpeg logs a crash of its process', async () => {
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

  it('ffmpeg opens only the input file, even when the input refers to another file', async () => {
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

describe('conversions to MP4', () => {
  it('the MP4 converter rejects a sound whose result exceeds 64 MiB', async () => {
    const program = join(emptyFolder(), 'ffmpeg');
    writeFileSync(program, '#!/bin/sh\ncase "$*" in *-encoders) echo libopus;; *) exec cat /dev/zero;; esac\n', {
      mode: 0o755,
    });
    const endlessFfmpeg = await createFfmpegLookup(program, silent, process.env.PATH)();
    const toMp4 = createMp4Converter({ ffmpeg: async () => endlessFfmpeg });
    await expect(toMp4('a', async () => tone(1))).rejects.toMatchObject({
      code: 'MEDIA_INVALID',
      responseMessage: ['The sound is larger than 64 MiB as MP4'],
    });
  });

  it('the MP4 converter reads the third sound of an instance only after one of two open files is closed', async () => {
    const copying: Ffmpeg = {
      toVoice: async () => undefined,
      extractFrame: async () => undefined,
      toMp4: async (file) => file,
    };
    const toMp4 = createMp4Converter({ ffmpeg: async () => copying });
    const readNames: string[] = [];
    const convert = (owner: string, name: string) =>
      toMp4(owner, async () => {
        readNames.push(name);
        return Buffer.alloc(100_000, name);
      });
    const [first, second] = await Promise.all([convert('a', '1'), convert('a', '2')]);
    const third = convert('a', '3');
    await convert('b', '4');
    expect(readNames).toEqual(['1', '2', '4']);
    expect(await buffer(first.read())).toEqual(Buffer.alloc(100_000, '1'));
    await second.close();
    await third;
    expect(readNames).toEqual(['1', '2', '4', '3']);
  });

  it('the MP4 converter throws OVERLOADED when open files hold the slots for too long', async () => {
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

  it('the MP4 converter frees its slot when the sound cannot be read', async () => {
    const toMp4 = createMp4Converter({ ffmpeg: createFfmpegLookup(ffmpegPath, silent) });
    const fail = () => toMp4('a', () => Promise.reject(new Error('gone')));
    for (let turn = 0; turn < 3; turn++) await expect(fail()).rejects.toThrow('gone');
  });
});
