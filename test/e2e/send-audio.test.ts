import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { decode } from '../../src/platform/media/pcm.ts';
import { textAt } from '../support/api.ts';
import { startWorld, type World } from '../support/gateway.ts';

const mine = '15550009021';
const theirs = '15550009022';

/** Stereo, 16 bits: `seconds` of a tone, loud in the first half. */
function tone(seconds: number, rate = 22_050): Buffer {
  const count = seconds * rate;
  const file = Buffer.alloc(44 + count * 4);
  file.write('RIFF', 0);
  file.writeUInt32LE(file.length - 8, 4);
  file.write('WAVEfmt ', 8);
  for (const [at, value] of [
    [20, 1],
    [22, 2],
    [32, 4],
    [34, 16],
  ] as const)
    file.writeUInt16LE(value, at);
  for (const [at, value] of [
    [16, 16],
    [24, rate],
    [28, rate * 4],
    [40, count * 4],
  ] as const)
    file.writeUInt32LE(value, at);
  file.write('data', 36);
  for (let i = 0; i < count * 2; i++)
    file.writeInt16LE(Math.round(Math.sin(Math.floor(i / 2) / 8) * (i < count ? 20_000 : 5_000)), 44 + i * 2);
  return file;
}

async function linked(): Promise<World> {
  const world = await startWorld();
  await world.link('sales', mine);
  return world;
}

async function arrived(world: World, answer: unknown) {
  const phone = world.sandbox.handsets.phone(theirs);
  const message = await phone.until(() => phone.messages().find(({ id }) => id === textAt(answer, 'key.id')));
  expect(message.media?.problem).toBeUndefined();
  return { message, file: phone.media(message.id).bytes };
}

const fields =
  'url mimetype fileSha256 fileLength seconds ptt mediaKey fileEncSha256 directPath mediaKeyTimestamp'.split(' ');

describe('POST /message/sendPlatformAudio', () => {
  it('makes a voice note of a WAV: Ogg/Opus, with its length and levels, which the phone decrypts', async () => {
    const world = await linked();
    const body = { number: theirs, audioMessage: { audio: tone(3).toString('base64') } };
    const sent = await world.api('POST', '/message/sendPlatformAudio/sales', body);
    expect(sent).toMatchObject({ status: 200, body: { status: 'PENDING' } });
    const { file, message } = await arrived(world, sent.body);
    expect(message.media).toMatchObject({ mediatype: 'ptt', mimetype: 'audio/ogg; codecs=opus', seconds: 3 });
    expect(message.media?.waveform).toHaveLength(64);
    expect(Math.min(...(message.media?.waveform ?? []).slice(0, 31))).toBeGreaterThan(90);
    expect(Math.max(...(message.media?.waveform ?? []).slice(33))).toBeLessThan(35);
    const sound = await decode(file);
    expect((sound?.samples.length ?? 0) / (sound?.rate ?? 1)).toBeCloseTo(3, 1);
    const answer = (sent.body as { message: { audioMessage: Record<string, unknown> } }).message.audioMessage;
    expect(Object.keys(answer).sort()).toEqual([...fields].sort());
    expect(answer).toMatchObject({
      seconds: 3,
      ptt: true,
      fileLength: String(file.length),
      fileSha256: createHash('sha256').update(file).digest('base64'),
      mediaKeyTimestamp: expect.stringMatching(/^\d+$/),
    });
  });

  it('sends the file as it is with encoding false, under the usual name and in the flat dialect', async () => {
    const world = await linked();
    const wav = tone(1);
    const flat = { number: theirs, audio: `data:audio/wav;base64,${wav.toString('base64')}`, encoding: false };
    const sent = await world.api('POST', '/message/sendWhatsAppAudio/sales', flat);
    expect(sent).toMatchObject({ status: 201, body: { messageType: 'audioMessage' } });
    const { file, message } = await arrived(world, sent.body);
    expect(file.equals(wav)).toBe(true);
    expect(message.media).toMatchObject({ mimetype: 'audio/wav', seconds: 1 });
  });

  it('refuses what is no sound, what it cannot convert, and a wrong type', async () => {
    const world = await linked();
    const cases: [unknown, string][] = [
      [Buffer.from('hello').toString('base64'), 'MEDIA_INVALID'],
      [Buffer.from('OggS and then nothing').toString('base64'), 'MEDIA_INVALID'],
      ['ftp://example.com/a.mp3', 'ADDRESS_FORBIDDEN'],
      [{ url: '/etc/passwd' }, 'INVALID_REQUEST'],
    ];
    for (const [audio, code] of cases) {
      const refused = await world.api('POST', '/message/sendPlatformAudio/sales', {
        number: theirs,
        audioMessage: { audio },
      });
      expect(refused, String(audio)).toMatchObject({ status: 400, body: { code } });
    }
  });
});
