// The part of the route table that sends: each operation in the wrapped and in the flat form.
import { type Fixtures, pixel, type Row } from './matrix-row.ts';

interface Options extends Partial<Row> {
  flat?: object;
  options?: object;
}

/** The forms of one operation: what is inside `wrapper` is flat in the newer one unless `flat` says otherwise. */
function both(
  [name, wrapper]: readonly [name: string, wrapper: string],
  to: object,
  content: object,
  { flat = content, options = { delay: 0 }, ...more }: Options = {},
): Row[] {
  const row = { method: 'POST', path: `/message/${name}/:i`, status: 201, ...more } as const;
  return [
    { ...row, dialect: 'v1', body: { ...to, options, [wrapper]: content } },
    { ...row, dialect: 'v2', body: { ...to, ...options, ...flat } },
    // What clients that were carried over from one generation to the other send.
    { ...row, dialect: 'v2, with options', body: { ...to, options, ...flat }, once: true },
    {
      ...row,
      dialect: 'v1, beside another text',
      body: { ...to, text: 'flat', options, [wrapper]: content },
      once: true,
    },
  ];
}

/** Every kind of message. */
export function messages(fixtures: Fixtures): Row[] {
  const { ada, adaJid, received, sound, video } = fixtures;
  const text = { text: 'hi' };
  const place = { latitude: 52.5, longitude: 13.4, name: 'Here', address: 'Street 1' };
  const cards = [{ fullName: 'Ada', phoneNumber: ada }];
  const reaction = { key: { id: received, remoteJid: adaJid, fromMe: false }, reaction: '👍' };
  const list = {
    ...{ title: 'Menu', description: 'Today', buttonText: 'Open', footerText: 'Until two' },
    sections: [{ title: 'Warm', rows: [{ title: 'Soup', description: 'Leek', rowId: 'soup' }] }],
  };
  const buttons = { title: 'Your table', description: 'Keep it?', footerText: 'Until eight' };
  const older = { ...buttons, buttons: [{ buttonText: 'Yes', buttonId: 'yes' }] };
  const newer = { ...buttons, buttons: [{ type: 'reply', displayText: 'Yes', id: 'yes' }] };
  const status = { type: 'text', content: 'Open', backgroundColor: '#102030', font: 1, statusJidList: [ada] };
  // Conversion costs a process each time and is tested in test/e2e/send-audio.test.ts.
  const options = { delay: 0, encoding: false };
  const audio = { audio: sound };
  const sends = (name: string, wrapper: string, content: object, more: Options = {}) =>
    both([name, wrapper], { number: ada }, content, more);
  return [
    ...sends('sendText', 'textMessage', text),
    ...sends('sendMedia', 'mediaMessage', { mediatype: 'image', media: pixel, caption: 'A dot' }),
    ...sends('sendPlatformAudio', 'audioMessage', audio, { options, status: 200 }),
    ...sends('sendWhatsAppAudio', 'audioMessage', audio, { options }),
    ...sends('sendSticker', 'stickerMessage', { image: pixel }, { flat: { sticker: pixel } }),
    ...sends('sendLocation', 'locationMessage', place),
    ...sends('sendContact', 'contactMessage', cards, { flat: { contact: cards } }),
    ...both(['sendReaction', 'reactionMessage'], {}, reaction),
    ...sends('sendPoll', 'pollMessage', { name: 'When?', selectableCount: 1, values: ['Now', 'Later'] }),
    ...sends('sendList', 'listMessage', list),
    ...sends('sendButtons', 'buttonMessage', older, { flat: newer }),
    ...sends(
      'sendTemplate',
      'templateMessage',
      { name: 'hello', language: 'en' },
      { ours: [501, 'D-110'], closed: 501, absent: 501 },
    ),
    ...both(['sendStatus', 'statusMessage'], {}, status),
    { ...{ method: 'POST', path: '/message/sendPtv/:i', status: 201, dialect: 'v2' }, body: { number: ada, video } },
  ];
}
