import { expect, it } from 'vitest';
import type { Media } from '../../../src/whatsapp/media/media.ts';
import { sendAlbum } from '../../../src/whatsapp/message/album.ts';
import { fakeSession } from '../../support/session-fakes.ts';

const videoMedia: Partial<Media> = {
  withFile: async (_owner, _source, work) => work(Buffer.alloc(1)),
  readVideo: async () => ({ mimetype: 'video/mp4', seconds: 1, width: 64, height: 48 }),
  upload: async () => ({ videoMessage: { url: 'https://media.example/1' } }),
};
// sendAlbum() uses no other methods of Media for videos.
const media = videoMedia as Media;

const CAPPED = { type: 'instance.restricted', kind: 'new_chats_capped', restricted: true, reason: 'CAPPED' } as const;

const album = (session: ReturnType<typeof fakeSession>, number = '5511900000002') =>
  sendAlbum(session, media, {
    number,
    options: { quoted: { key: { id: 'Q' }, message: { conversation: 'show me' } } },
    albumMessage: {
      items: [
        { mediatype: 'video', media: 'AA==' },
        { mediatype: 'video', media: 'AA==' },
      ],
    },
  });

it('sendAlbum() quotes only in the album message, and the parts of the album refer to the album message', async () => {
  const [parent, ...parts] = await album(fakeSession());
  expect(parent.message).toMatchObject({ albumMessage: { expectedVideoCount: 2, contextInfo: { stanzaId: 'Q' } } });
  expect(parts).toHaveLength(2);
  for (const { message, key } of parts) {
    expect(message).toMatchObject({
      messageContextInfo: {
        messageSecret: expect.any(String),
        messageAssociation: { associationType: 'MEDIA_ALBUM', parentMessageKey: { id: parent.key.id, fromMe: true } },
      },
    });
    expect(message.videoMessage).not.toHaveProperty('contextInfo');
    expect(key.id).not.toBe(parent.key.id);
  }
});

it('the parts of an album in a group refer to the album without the phone number of the account', async () => {
  const [parent, ...parts] = await album(fakeSession(), '120363000000000001@g.us');
  const { remoteJid, fromMe, id } = parent.key;
  const references = parts.map(({ message }) => message.messageContextInfo);
  const reference = { parentMessageKey: { remoteJid, fromMe, id }, associationType: 'MEDIA_ALBUM' };
  expect(references).toEqual(parts.map(() => expect.objectContaining({ messageAssociation: reference })));
});

it('the parts of an album are sent although the album message used up the quota of new chats', async () => {
  let isUsed = false;
  const session = fakeSession(
    {
      relayMessage: async (_jid, _content, { messageId = '' }) => {
        isUsed = true;
        return messageId;
      },
    },
    {
      restrictions: {
        refresh: async () => undefined,
        newChatRestriction: () => (isUsed ? CAPPED : undefined),
        current: () => undefined,
      },
    },
  );
  expect(await album(session)).toHaveLength(3);
});

it('sendAlbum() rejects with certain: false and the id of the album message when a part fails', async () => {
  let writes = 0;
  const session = fakeSession({
    relayMessage: async (_jid, _content, { messageId = '' }) => {
      writes += 1;
      if (writes === 2) throw Object.assign(new Error('Connection Closed'), { output: { statusCode: 428 } });
      return messageId;
    },
  });
  await expect(album(session)).rejects.toMatchObject({
    code: 'INSTANCE_NOT_OPEN',
    certain: false,
    messageId: expect.stringMatching(/^3EB0/),
  });
  const [sent] = session.ingested;
  expect(session.ingested).toHaveLength(1);
  expect(sent).toMatchObject({ type: 'send.message', message: { messageType: 'albumMessage' } });
});
