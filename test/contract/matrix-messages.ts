// The rows of the route table that send messages. Each operation has a wrapped and a flat form of the body.
import { type Fixtures, pixel, type Row } from './matrix-row.ts';

interface Options extends Partial<Row> {
  flat?: object;
  options?: object;
}

/**
 * The rows of one operation. The older form has `content` inside `wrapper`. The newer form has the fields of `flat`,
 * by default those of `content`, in the body itself.
 */
function formsOf(
  [name, wrapper]: readonly [name: string, wrapper: string],
  to: object,
  content: object,
  { flat = content, options = { delay: 0 }, ...overrides }: Options = {},
): Row[] {
  const row = { method: 'POST', path: `/message/${name}/:i`, status: 201, ...overrides } as const;
  return [
    { ...row, dialect: 'v1', body: { ...to, options, [wrapper]: content } },
    { ...row, dialect: 'v2', body: { ...to, ...options, ...flat } },
    // Clients that were adapted to the other generation send mixed forms.
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
  const olderButtons = { ...buttons, buttons: [{ buttonText: 'Yes', buttonId: 'yes' }] };
  const newerButtons = { ...buttons, buttons: [{ type: 'reply', displayText: 'Yes', id: 'yes' }] };
  const status = { type: 'text', content: 'Open', backgroundColor: '#102030', font: 1, statusJidList: [ada] };
  // Each conversion starts a process. test/e2e/send-audio.test.ts covers conversion.
  const options = { delay: 0, encoding: false };
  const audio = { audio: sound };
  const formsToAda = (name: string, wrapper: string, content: object, overrides: Options = {}) =>
    formsOf([name, wrapper], { number: ada }, content, overrides);
  return [
    ...formsToAda('sendText', 'textMessage', text),
    ...formsToAda('sendMedia', 'mediaMessage', { mediatype: 'image', media: pixel, caption: 'A dot' }),
    ...formsToAda('sendPlatformAudio', 'audioMessage', audio, { options, status: 200 }),
    ...formsToAda('sendWhatsAppAudio', 'audioMessage', audio, { options }),
    ...formsToAda('sendSticker', 'stickerMessage', { image: pixel }, { flat: { sticker: pixel } }),
    ...formsToAda('sendLocation', 'locationMessage', place),
    ...formsToAda('sendContact', 'contactMessage', cards, { flat: { contact: cards } }),
    ...formsOf(['sendReaction', 'reactionMessage'], {}, reaction),
    ...formsToAda('sendPoll', 'pollMessage', { name: 'When?', selectableCount: 1, values: ['Now', 'Later'] }),
    ...formsToAda('sendList', 'listMessage', list),
    ...formsToAda('sendButtons', 'buttonMessage', olderButtons, { flat: newerButtons }),
    ...formsToAda(
      'sendTemplate',
      'templateMessage',
      { name: 'hello', language: 'en' },
      { deviation: [501, 'D-110'], closed: 501, absent: 501 },
    ),
    ...formsOf(['sendStatus', 'statusMessage'], {}, status),
    { ...{ method: 'POST', path: '/message/sendPtv/:i', status: 201, dialect: 'v2' }, body: { number: ada, video } },
  ];
}
