import type { proto } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import type { Message } from '../../../src/events/events.ts';
import { runWithRequestId } from '../../../src/lib/request-id.ts';
import type { Media } from '../../../src/whatsapp/media/media.ts';
import { sendAlbum } from '../../../src/whatsapp/message/album.ts';
import { sendAudio } from '../../../src/whatsapp/message/audio.ts';
import { sendButtons } from '../../../src/whatsapp/message/buttons.ts';
import { sendContact } from '../../../src/whatsapp/message/contact.ts';
import { updateMessage } from '../../../src/whatsapp/message/edit.ts';
import { forwardMessage } from '../../../src/whatsapp/message/forward.ts';
import { sendList } from '../../../src/whatsapp/message/list.ts';
import { sendLocation } from '../../../src/whatsapp/message/location.ts';
import { sendMedia } from '../../../src/whatsapp/message/media.ts';
import { pinMessage } from '../../../src/whatsapp/message/pin.ts';
import { sendPoll } from '../../../src/whatsapp/message/poll.ts';
import { sendPtv } from '../../../src/whatsapp/message/ptv.ts';
import { sendReaction } from '../../../src/whatsapp/message/reaction.ts';
import { sendStatus } from '../../../src/whatsapp/message/status.ts';
import { sendSticker } from '../../../src/whatsapp/message/sticker.ts';
import { sendText } from '../../../src/whatsapp/message/text.ts';
import type { Session, SessionObserver } from '../../../src/whatsapp/session.ts';
import { fakeSession, readableLog, unlimitedLookups } from '../../support/session-fakes.ts';

const number = '4915112345678';
const jid = `${number}@s.whatsapp.net`;
const media = 'AA==';
const viewOnce = { viewOnce: true };
const anna = { fullName: 'Anna', phoneNumber: '+49 151 12345678', wuid: number };
const storedKey = { remoteJid: jid, id: 'M1' };

type Send = (session: Session) => Promise<Message>;
type SendFile = (session: Session, media: Media) => Promise<Message>;

/**
 * Creates a session with a stored own message. `endedSends` collects the reports to the observer, `lines` the log
 * lines.
 */
function createSession(socket: Parameters<typeof fakeSession>[0] = {}) {
  const endedSends: Omit<Parameters<SessionObserver['onSendEnd']>[0], 'ms'>[] = [];
  const { log, lines } = readableLog();
  const observer: SessionObserver = {
    onSendStart: () => undefined,
    onSendEnd: ({ kind, outcome }) => void endedSends.push({ kind, outcome }),
  };
  const session = fakeSession(socket, { observer, log });
  session.stored.set('M1', {
    ...{ key: { ...storedKey, fromMe: true }, message: { conversation: 'hi' }, messageType: 'conversation' },
    ...{ messageTimestamp: Math.floor(Date.now() / 1000), source: 'web' },
  });
  return { session, endedSends, lines };
}

/** Creates such a session whose platform refuses each message. */
const createRefusedSession = () =>
  createSession({
    relayMessage: async () => {
      throw Object.assign(new Error('not-acceptable'), { output: { statusCode: 406 } });
    },
  });

/** Creates a Media that returns `uploaded` as each uploaded file. Throws `uploaded` when it is an error. */
const mediaWith = (uploaded: proto.IMessage | GatewayError): Media => {
  const withFile = async () => {
    if (uploaded instanceof GatewayError) throw uploaded;
    return uploaded;
  };
  // The sends use no other method of Media.
  return { withFile } as unknown as Media;
};

const kinds: [string, Send][] = [
  ['a text', (session) => sendText(session, { number, textMessage: { text: 'hi' } })],
  ['a location', (session) => sendLocation(session, { number, locationMessage: { latitude: 1, longitude: 2 } })],
  ['a contact', (session) => sendContact(session, { number, contactMessage: [anna] }, unlimitedLookups)],
  ['contacts', (session) => sendContact(session, { number, contactMessage: [anna, anna] }, unlimitedLookups)],
  ['a poll', (session) => sendPoll(session, { number, pollMessage: { name: '?', values: ['a', 'b'] } })],
  [
    'a poll with several answers',
    (session) => sendPoll(session, { number, pollMessage: { name: '?', values: ['a', 'b'], selectableCount: 2 } }),
  ],
  [
    'a list',
    (session) =>
      sendList(session, {
        number,
        listMessage: { title: 'T', buttonText: 'B', sections: [{ title: 'S', rows: [{ title: 'R', rowId: '1' }] }] },
      }),
  ],
  ['a reaction', (session) => sendReaction(session, { reactionMessage: { key: storedKey, reaction: '👍' } })],
  ['a pin', (session) => pinMessage(session, { key: storedKey })],
  ['a forwarded message', (session) => forwardMessage(session, { number, message: { key: storedKey } })],
  ['an edit', (session) => updateMessage(session, { number, key: storedKey, text: 'ho' })],
];

const image = { imageMessage: { url: 'x' } };
const audio = { audioMessage: { url: 'x' } };
const fileOf = (mediatype: 'image' | 'document', options = {}): SendFile => {
  const mediaMessage = { mediatype, media, fileName: 'a.txt' };
  return (session, files) => sendMedia(session, files, { number, mediaMessage, options });
};
const statusOf = (type: 'text' | 'image'): SendFile => {
  const statusMessage = { type, content: media, statusJidList: [number] };
  return (session, files) => sendStatus(session, files, { statusMessage }, unlimitedLookups);
};
const files: [string, proto.IMessage, SendFile][] = [
  ['a picture', image, fileOf('image')],
  ['a view-once picture', image, fileOf('image', viewOnce)],
  ['a document', { documentMessage: { url: 'x' } }, fileOf('document')],
  ['a voice note', audio, (session, files) => sendAudio(session, files, { number, audioMessage: { audio: media } })],
  [
    'a view-once voice note',
    audio,
    (session, files) => sendAudio(session, files, { number, audioMessage: { audio: media }, options: viewOnce }),
  ],
  [
    'a sticker',
    { stickerMessage: { url: 'x' } },
    (session, files) => sendSticker(session, files, { number, stickerMessage: { image: media } }),
  ],
  [
    'a video note',
    { ptvMessage: { url: 'x' } },
    (session, files) => sendPtv(session, files, { number, ptvMessage: { video: media } }),
  ],
  [
    'buttons',
    image,
    (session, files) =>
      sendButtons(session, files, {
        number,
        buttonMessage: { title: 'T', thumbnailUrl: 'https://a.example/b', buttons: [{ displayText: 'Y', id: 'y' }] },
      }),
  ],
  ['a status', image, statusOf('image')],
];

/** Expects that a sent message and a refused message are reported with the type of the message. Returns the type. */
async function expectOneKind(send: Send): Promise<string> {
  const successful = createSession();
  const { messageType: kind } = await send(successful.session);
  expect(successful.endedSends).toEqual([{ kind, outcome: 'sent' }]);
  const failed = createRefusedSession();
  await expect(send(failed.session)).rejects.toMatchObject({ code: 'SEND_REFUSED' });
  expect(failed.endedSends).toEqual([{ kind, outcome: 'SEND_REFUSED' }]);
  return kind;
}

describe('reports of sends', () => {
  it.each(kinds)('a session reports the kind of %s to its observer for success and failure', async (_, send) => {
    await expectOneKind(send);
  });

  it.each(
    files,
  )('a session reports and logs the kind of %s also when its file cannot be prepared', async (_, uploaded, send) => {
    const kind = await expectOneKind((session) => send(session, mediaWith(uploaded)));
    const { session, endedSends, lines } = createSession();
    const mediaError = new GatewayError('MEDIA_INVALID', ['no such file'], { certain: true });
    await expect(runWithRequestId('req-1', () => send(session, mediaWith(mediaError)))).rejects.toBe(mediaError);
    expect(endedSends).toEqual([{ kind, outcome: 'MEDIA_INVALID' }]);
    expect(lines).toMatchObject([{ msg: 'message.failed', requestId: 'req-1', kind, code: 'MEDIA_INVALID' }]);
  });

  it('a session reports the kinds of an album message and of its parts to its observer', async () => {
    const { session, endedSends } = createSession();
    const albumMessage = { items: [{ mediatype: 'image', media } as const, { mediatype: 'image', media } as const] };
    const sent = await sendAlbum(session, mediaWith(image), { number, albumMessage });
    expect(endedSends.map(({ kind }) => kind)).toEqual(sent.map(({ messageType }) => messageType));
  });

  it('a session reports and logs the kind of a text when the number is not on WhatsApp', async () => {
    const { session, endedSends, lines } = createSession();
    const send = sendText(session, { number: '4915110000', textMessage: { text: 'hi' } });
    await expect(send).rejects.toMatchObject({ code: 'NUMBER_NOT_ON_PLATFORM' });
    expect(endedSends).toEqual([{ kind: 'extendedTextMessage', outcome: 'NUMBER_NOT_ON_PLATFORM' }]);
    expect(lines).toMatchObject([{ msg: 'message.failed', kind: 'extendedTextMessage' }]);
  });

  it('a session reports a text status as a text to its observer', async () => {
    const kind = await expectOneKind((session) => statusOf('text')(session, mediaWith(image)));
    expect(kind).toBe('extendedTextMessage');
  });
});
