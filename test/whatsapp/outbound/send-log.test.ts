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
import { fakeSession, readableLog, unlimitedLookups } from '../fakes.ts';

const number = '4915112345678';
const jid = `${number}@s.whatsapp.net`;
const media = 'AA==';
const viewOnce = { viewOnce: true };
const anna = { fullName: 'Anna', phoneNumber: '+49 151 12345678', wuid: number };
const known = { remoteJid: jid, id: 'M1' };

type Send = (session: Session) => Promise<Message>;
type SendFile = (session: Session, media: Media) => Promise<Message>;

/** A session with a message of ours, what its observer gets, and what it logs. */
function observed(socket: Parameters<typeof fakeSession>[0] = {}) {
  const ended: Omit<Parameters<SessionObserver['onSendEnd']>[0], 'ms'>[] = [];
  const { log, lines } = readableLog();
  const observer: SessionObserver = {
    onSendStart: () => undefined,
    onSendEnd: ({ kind, outcome }) => void ended.push({ kind, outcome }),
  };
  const session = fakeSession(socket, { observer, log });
  session.stored.set('M1', {
    ...{ key: { ...known, fromMe: true }, message: { conversation: 'hi' }, messageType: 'conversation' },
    ...{ messageTimestamp: Math.floor(Date.now() / 1000), source: 'web' },
  });
  return { session, ended, lines };
}

/** A platform that refuses the message. */
const refusing = () =>
  observed({
    relayMessage: async () => {
      throw Object.assign(new Error('not-acceptable'), { output: { statusCode: 406 } });
    },
  });

/** Whose files are uploaded as this, or cannot be. */
const filesAs = (uploaded: proto.IMessage | GatewayError): Media => {
  const withFile = async () => {
    if (uploaded instanceof GatewayError) throw uploaded;
    return uploaded;
  };
  // Nothing else of it is asked for.
  return { withFile } as unknown as Media;
};

const kinds: [string, Send][] = [
  ['a text', (session) => sendText(session, { number, textMessage: { text: 'hi' } })],
  ['a place', (session) => sendLocation(session, { number, locationMessage: { latitude: 1, longitude: 2 } })],
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
  ['a reaction', (session) => sendReaction(session, { reactionMessage: { key: known, reaction: '👍' } })],
  ['a pin', (session) => pinMessage(session, { key: known })],
  ['a copy', (session) => forwardMessage(session, { number, message: { key: known } })],
  ['an edit', (session) => updateMessage(session, { number, key: known, text: 'ho' })],
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
  ['a picture to look at once', image, fileOf('image', viewOnce)],
  ['a document', { documentMessage: { url: 'x' } }, fileOf('document')],
  ['a voice note', audio, (session, files) => sendAudio(session, files, { number, audioMessage: { audio: media } })],
  [
    'a voice note to listen to once',
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

/** What is logged of a send that works has the kind of its message; of one that the platform refuses, the same. */
async function expectOneKind(send: Send): Promise<string> {
  const fine = observed();
  const { messageType: kind } = await send(fine.session);
  expect(fine.ended).toEqual([{ kind, outcome: 'sent' }]);
  const refused = refusing();
  await expect(send(refused.session)).rejects.toMatchObject({ code: 'SEND_REFUSED' });
  expect(refused.ended).toEqual([{ kind, outcome: 'SEND_REFUSED' }]);
  return kind;
}

describe('what is logged of a send', () => {
  it.each(kinds)('the send log reports the kind of %s for success and failure', async (_, send) => {
    await expectOneKind(send);
  });

  it.each(
    files,
  )('the send log reports the kind of %s also when its file cannot be prepared', async (_, uploaded, send) => {
    const kind = await expectOneKind((session) => send(session, filesAs(uploaded)));
    const { session, ended, lines } = observed();
    const lost = new GatewayError('MEDIA_INVALID', ['no such file'], { certain: true });
    await expect(runWithRequestId('req-1', () => send(session, filesAs(lost)))).rejects.toBe(lost);
    expect(ended).toEqual([{ kind, outcome: 'MEDIA_INVALID' }]);
    expect(lines).toMatchObject([{ msg: 'message.failed', requestId: 'req-1', kind, code: 'MEDIA_INVALID' }]);
  });

  it('the send log reports the kinds of an album and of its parts', async () => {
    const { session, ended } = observed();
    const albumMessage = { items: [{ mediatype: 'image', media } as const, { mediatype: 'image', media } as const] };
    const sent = await sendAlbum(session, filesAs(image), { number, albumMessage });
    expect(ended.map(({ kind }) => kind)).toEqual(sent.map(({ messageType }) => messageType));
  });

  it('the send log reports the kind when the number does not exist', async () => {
    const { session, ended, lines } = observed();
    const send = sendText(session, { number: '4915110000', textMessage: { text: 'hi' } });
    await expect(send).rejects.toMatchObject({ code: 'NUMBER_NOT_ON_PLATFORM' });
    expect(ended).toEqual([{ kind: 'extendedTextMessage', outcome: 'NUMBER_NOT_ON_PLATFORM' }]);
    expect(lines).toMatchObject([{ msg: 'message.failed', kind: 'extendedTextMessage' }]);
  });

  it('the send log reports a text status as a text', async () => {
    const kind = await expectOneKind((session) => statusOf('text')(session, filesAs(image)));
    expect(kind).toBe('extendedTextMessage');
  });
});
