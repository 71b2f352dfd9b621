import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decodeSound } from '../../src/whatsapp/media/pcm.ts';
import { textAt } from '../support/api.ts';
import { ownTemporaryFolder } from '../support/folder.ts';
import { startWorld, type World } from '../support/gateway.ts';
import { ada, bob, createOwnGroup, ownNumber as owner } from '../support/group.ts';
import { serve } from '../support/site.ts';
import { convert, ffmpegPath, tone } from '../support/sounds.ts';

const ownNumber = '15550009021';
const contact = '15550009022';

const withFfmpeg = { FFMPEG_PATH: ffmpegPath, EGRESS_ALLOW: '127.0.0.0/8' };
const path = '/message/sendPlatformAudio/sales';

async function startLinked(env: Record<string, string> = { FFMPEG_PATH: 'none' }): Promise<World> {
  const world = await startWorld({ env });
  await world.link('sales', ownNumber);
  return world;
}

async function waitForAudio(world: World, answer: unknown) {
  const phone = world.sandbox.phones.phone(contact);
  const message = await phone.waitFor(() => phone.messages().find(({ id }) => id === textAt(answer, 'key.id')));
  expect(message.media?.problem).toBeUndefined();
  return { message, file: phone.downloadMedia(message.id).bytes };
}

/** The length of the audio in a file, in seconds. */
async function lengthOf(file: Buffer): Promise<number> {
  let seconds = 0;
  for await (const { samples, rate } of decodeSound(file)) seconds += samples.length / rate;
  return seconds;
}

const fields =
  'url mimetype fileSha256 fileLength seconds ptt mediaKey fileEncSha256 directPath mediaKeyTimestamp'.split(' ');

describe('POST /message/sendPlatformAudio', () => {
  it('sendPlatformAudio converts a WAV file to a voice note with length and levels, which the phone decrypts', async () => {
    const world = await startLinked();
    const body = { number: contact, audioMessage: { audio: tone(3).toString('base64') } };
    const sent = await world.api('POST', '/message/sendPlatformAudio/sales', body);
    expect(sent).toMatchObject({ status: 200, body: { status: 'PENDING' } });
    const { file, message } = await waitForAudio(world, sent.body);
    expect(message.media).toMatchObject({ mediatype: 'ptt', mimetype: 'audio/ogg; codecs=opus', seconds: 3 });
    expect(message.media?.waveform).toHaveLength(64);
    expect(Math.min(...(message.media?.waveform ?? []).slice(0, 31))).toBeGreaterThan(90);
    expect(Math.max(...(message.media?.waveform ?? []).slice(33))).toBeLessThan(35);
    expect(await lengthOf(file)).toBeCloseTo(3, 1);
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

  it('sendWhatsAppAudio with encoding false sends the file unchanged, from a flat body', async () => {
    const world = await startLinked();
    const wav = tone(1);
    const flat = { number: contact, audio: `data:audio/wav;base64,${wav.toString('base64')}`, encoding: false };
    const sent = await world.api('POST', '/message/sendWhatsAppAudio/sales', flat);
    expect(sent).toMatchObject({ status: 201, body: { messageType: 'audioMessage' } });
    const { file, message } = await waitForAudio(world, sent.body);
    expect(file.equals(wav)).toBe(true);
    expect(message.media).toMatchObject({ mimetype: 'audio/wav', seconds: 1 });
  });

  it('sendPlatformAudio rejects files without audio, forbidden addresses and a value of the wrong type', async () => {
    const world = await startLinked();
    const cases: [unknown, string][] = [
      [Buffer.from('hello').toString('base64'), 'MEDIA_INVALID'],
      [Buffer.from('OggS and then nothing').toString('base64'), 'MEDIA_INVALID'],
      ['ftp://example.com/a.mp3', 'ADDRESS_FORBIDDEN'],
      [{ url: '/etc/passwd' }, 'INVALID_REQUEST'],
    ];
    for (const [audio, code] of cases) {
      const refused = await world.api('POST', '/message/sendPlatformAudio/sales', {
        number: contact,
        audioMessage: { audio },
      });
      expect(refused, String(audio)).toMatchObject({ status: 400, body: { code } });
    }
  });

  it('sendPlatformAudio converts a video behind a URL with ffmpeg, for a group, with a quote and mentions', async () => {
    const world = await startWorld({ env: withFfmpeg });
    await world.link('sales', owner);
    expect(await world.logged(({ msg }) => msg === 'ffmpeg.found')).toMatchObject({ path: ffmpegPath });
    const group = await createOwnGroup(world);
    const video = convert(tone(2), 'mp4', '-f', 'lavfi', '-i', 'color=size=16x16:duration=2', '-shortest');
    const url = await serve((_, response) => void response.end(video));
    const folder = ownTemporaryFolder();
    const sent = await world.api('POST', path, {
      number: group.id,
      audioMessage: { audio: url },
      options: { quoted: { key: { id: 'ABC' }, message: { conversation: 'say it' } }, mentions: { mentioned: [bob] } },
    });
    expect(sent).toMatchObject({ status: 200, body: { message: { audioMessage: { seconds: 2, ptt: true } } } });
    const phone = world.sandbox.phones.phone(ada);
    const message = await phone.waitFor(() => phone.messages().find(({ id }) => id === textAt(sent.body, 'key.id')));
    expect(message.media).toMatchObject({ mediatype: 'ptt', mimetype: 'audio/ogg; codecs=opus', seconds: 2 });
    expect(await lengthOf(phone.downloadMedia(message.id).bytes)).toBeCloseTo(2, 1);
    expect(message.message).toMatchObject({
      audioMessage: { contextInfo: { stanzaId: 'ABC', mentionedJid: [expect.stringMatching(/^\d+@/)] } },
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('sendPlatformAudio names the problem of a URL, sends nothing, and leaves no file behind', async () => {
    const world = await startLinked({ ...withFfmpeg, MEDIA_LIMIT: '4096', MEDIA_TIMEOUT: '300' });
    const site = (body: string | Buffer, status = 200) =>
      serve((_, response) => void response.writeHead(status).end(body));
    const folder = ownTemporaryFolder();
    const cases: [string, string, RegExp][] = [
      [await site('no', 404), 'MEDIA_UNREACHABLE', /answered 404/],
      [await serve((_, response) => void response.destroy()), 'MEDIA_UNREACHABLE', /could not be read/],
      [await serve(() => undefined), 'MEDIA_UNREACHABLE', /ETIMEDOUT/],
      [await site(Buffer.alloc(5000)), 'MEDIA_TOO_LARGE', /larger than 4096/],
      [await site(''), 'MEDIA_INVALID', /empty/],
      [await site('<html>hello</html>'), 'MEDIA_INVALID', /not a sound/],
      [await site('ID3 and then nothing'), 'MEDIA_INVALID', /not a sound that can be read/],
      ['http://169.254.169.254/a.mp3', 'ADDRESS_FORBIDDEN', /not allowed/],
      ['file:///etc/passwd', 'ADDRESS_FORBIDDEN', /not allowed/],
      ['upload:00000000-0000-0000-0000-000000000000', 'ADDRESS_FORBIDDEN', /not allowed/],
    ];
    for (const [audio, code, problem] of cases) {
      const refused = await world.api('POST', path, { number: contact, audioMessage: { audio } });
      expect(refused, audio).toMatchObject({ status: 400, body: { code, certain: true } });
      expect(textAt(refused.body, 'response.message.0'), audio).toMatch(problem);
    }
    expect(readdirSync(folder)).toEqual([]);
    expect(world.sandbox.phones.phone(contact).messages()).toEqual([]);
  });

  it('sendPlatformAudio answers certain true for a failed upload, an unknown number and a closed instance', async () => {
    const world = await startLinked(withFfmpeg);
    world.expectErrors(/^request.failed$/, /upload/);
    const folder = ownTemporaryFolder();
    const audioMessage = { audio: tone(1).toString('base64') };
    world.sandbox.faults.add({ kind: 'upload', code: 500, times: 2 });
    const failed = await world.api('POST', path, { number: contact, audioMessage });
    expect(failed).toMatchObject({ status: 502, body: { code: 'MEDIA_UPLOAD_FAILED', certain: true } });
    const unknownNumber = await world.api('POST', path, { number: '15550000000', audioMessage });
    expect(unknownNumber).toMatchObject({ status: 400, body: { code: 'NUMBER_NOT_ON_PLATFORM', certain: true } });
    await world.api('POST', '/instance/create', { instanceName: 'closed' });
    const closed = await world.api('POST', '/message/sendPlatformAudio/closed', { number: contact, audioMessage });
    expect(closed).toMatchObject({ status: 400, body: { code: 'INSTANCE_NOT_OPEN', certain: true } });
    expect(readdirSync(folder)).toEqual([]);
    expect((await world.api('POST', path, { number: contact, audioMessage })).status).toBe(200);
    expect(readdirSync(folder)).toEqual([]);
  });
});
