import { readdirSync } from 'node:fs';
import type { BinaryNode } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { uploadMedia } from '../../../src/whatsapp/media/upload.ts';
import type { UploadContent } from '../../../src/whatsapp/media/upload-content.ts';
import { ownTemporaryFolder } from '../../support/folder.ts';
import { fakeSession } from '../../support/session-fakes.ts';

const media = { audio: Buffer.from('sound'), mimetype: 'audio/ogg', seconds: 1, waveform: new Uint8Array(64) };

/**
 * Creates a session whose platform answers the queries for media hosts with `answers` in turn. `queries` collects the
 * queries.
 */
function createSession(...answers: (BinaryNode | undefined)[]) {
  const queries: BinaryNode[] = [];
  const query = async (node: BinaryNode) => {
    queries.push(node);
    return answers[Math.min(queries.length, answers.length) - 1];
  };
  // The result is undefined when no answer arrives in time, although the type of Baileys excludes undefined.
  const session = fakeSession({ query: query as ReturnType<typeof fakeSession>['socket']['query'] });
  return { session, queries };
}

/** An answer with one media host, whose address has no listener. */
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

describe('uploadMedia', () => {
  it('uploadMedia() rejects with certain: true when no host accepts the file, and leaves no temporary file', async () => {
    const folder = ownTemporaryFolder();
    const { session } = createSession(hosts());
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
  ])('uploadMedia() writes %s to the disk only when it is large, and only encrypted', async (_, kind, fields) => {
    const folder = ownTemporaryFolder();
    const written: string[] = [];
    const session = fakeSession({
      // The hosts are queried after the files are written.
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

  it('uploadMedia() rejects when WhatsApp returns no host', async () => {
    const { session } = createSession({ tag: 'iq', attrs: { type: 'result' } });
    await expect(uploadMedia(session, media)).rejects.toMatchObject({ code: 'MEDIA_UPLOAD_FAILED', certain: true });
  });

  it('uploadMedia() throws PLATFORM_TIMEOUT without an answer and queries the hosts again next time', async () => {
    const { session, queries } = createSession(undefined, hosts());
    await expect(uploadMedia(session, media)).rejects.toMatchObject({ code: 'PLATFORM_TIMEOUT', certain: true });
    await expect(uploadMedia(session, media)).rejects.toMatchObject({ code: 'MEDIA_UPLOAD_FAILED' });
    expect(queries).toHaveLength(2);
  });

  it('uploadMedia() queries the hosts once per validity period', async () => {
    const longTtl = createSession(hosts());
    const zeroTtl = createSession(hosts('0'));
    for (const { session } of [longTtl, longTtl, zeroTtl, zeroTtl])
      await uploadMedia(session, media).catch(() => undefined);
    expect(longTtl.queries).toHaveLength(1);
    expect(zeroTtl.queries).toHaveLength(2);
  });

  it('uploadMedia() throws INSTANCE_NOT_OPEN for an ended session', async () => {
    const { session } = createSession(hosts());
    session.end();
    await expect(uploadMedia(session, media)).rejects.toMatchObject({ code: 'INSTANCE_NOT_OPEN', certain: true });
  });
});
