import { readdirSync } from 'node:fs';
import type { BinaryNode } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { uploadMedia } from '../../../src/whatsapp/media/upload.ts';
import type { UploadContent } from '../../../src/whatsapp/media/upload-content.ts';
import { ownTemporaryFolder } from '../../support/folder.ts';
import { fakeSession } from '../fakes.ts';

const media = { audio: Buffer.from('sound'), mimetype: 'audio/ogg', seconds: 1, waveform: new Uint8Array(64) };

/** A session whose platform answers the question for media hosts with `answers` in turn; what was asked is counted. */
function sessionOf(...answers: (BinaryNode | undefined)[]) {
  const asked: BinaryNode[] = [];
  const query = async (node: BinaryNode) => {
    asked.push(node);
    return answers[Math.min(asked.length, answers.length) - 1];
  };
  // What Baileys types as an answer is undefined when none came in time.
  const session = fakeSession({ query: query as ReturnType<typeof fakeSession>['socket']['query'] });
  return { session, asked };
}

/** An address without a listener. */
const hosts = (ttl = '300'): BinaryNode => ({
  tag: 'iq',
  attrs: { type: 'result' },
  content: [
    {
      tag: 'media_conn',
      attrs: { auth: 'token', ttl },
      content: [{ tag: 'host', attrs: { hostname: '127.0.0.1:1', maxContentLengthBytes: '1000' } }],
    },
  ],
});

describe('an upload', () => {
  it('upload fails when no host accepts the file, with nothing sent and nothing left', async () => {
    const folder = ownTemporaryFolder();
    const { session } = sessionOf(hosts());
    await expect(uploadMedia(session, media)).rejects.toMatchObject({
      code: 'MEDIA_UPLOAD_FAILED',
      status: 502,
      certain: true,
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ['a sound whose length is not known', 'audio', { mimetype: 'audio/amr' }],
    ['a voice note without levels', 'audio', { mimetype: 'audio/ogg', ptt: true }],
    ['a picture', 'image', { jpegThumbnail: '' }],
    ['a video', 'video', { jpegThumbnail: '' }],
    ['a document', 'document', { mimetype: 'text/plain' }],
    ['a sticker', 'sticker', {}],
  ])('upload of %s writes nothing to the disk when it is small, and only encrypted data when it is large', async (_, kind, fields) => {
    const folder = ownTemporaryFolder();
    const written: string[] = [];
    const session = fakeSession({
      // Hosts are asked for when the files are written.
      query: async () => {
        written.push(...readdirSync(folder));
        return hosts();
      },
    });
    const upload = (size: number) =>
      uploadMedia(session, { [kind]: Buffer.alloc(size, 1), ...fields } as UploadContent);
    await expect(upload(1000)).rejects.toMatchObject({ code: 'MEDIA_UPLOAD_FAILED' });
    expect(written).toEqual([]);
    session.state.mediaConnection = undefined;
    await expect(upload(2 ** 21)).rejects.toMatchObject({ code: 'MEDIA_UPLOAD_FAILED' });
    expect(written).toEqual([expect.stringMatching(/-enc$/)]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('upload fails when WhatsApp returns no host', async () => {
    const { session } = sessionOf({ tag: 'iq', attrs: { type: 'result' } });
    await expect(uploadMedia(session, media)).rejects.toMatchObject({ code: 'MEDIA_UPLOAD_FAILED', certain: true });
  });

  it('upload reports a missing answer and queries again next time', async () => {
    const { session, asked } = sessionOf(undefined, hosts());
    await expect(uploadMedia(session, media)).rejects.toMatchObject({ code: 'PLATFORM_TIMEOUT', certain: true });
    await expect(uploadMedia(session, media)).rejects.toMatchObject({ code: 'MEDIA_UPLOAD_FAILED' });
    expect(asked).toHaveLength(2);
  });

  it('upload queries the hosts once per validity period', async () => {
    const lasting = sessionOf(hosts());
    const short = sessionOf(hosts('0'));
    for (const { session } of [lasting, lasting, short, short])
      await uploadMedia(session, media).catch(() => undefined);
    expect(lasting.asked).toHaveLength(1);
    expect(short.asked).toHaveLength(2);
  });

  it('upload throws INSTANCE_NOT_OPEN for an ended session', async () => {
    const { session } = sessionOf(hosts());
    session.end();
    await expect(uploadMedia(session, media)).rejects.toMatchObject({ code: 'INSTANCE_NOT_OPEN', certain: true });
  });
});
