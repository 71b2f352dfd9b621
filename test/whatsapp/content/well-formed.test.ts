import { proto } from '@whiskeysockets/baileys';
import { expect, it } from 'vitest';
import type { Message } from '../../../src/events/events.ts';
import { updateMessage } from '../../../src/whatsapp/message/edit.ts';
import { sendLocation } from '../../../src/whatsapp/message/location.ts';
import { sendPoll } from '../../../src/whatsapp/message/poll.ts';
import { sendText } from '../../../src/whatsapp/message/text.ts';
import { type FakeSession, fakeSession } from '../../support/session-fakes.ts';

const number = '4915112345678';
const CUT_TEXT = 'café \ud83d';

it.each<[string, (session: FakeSession) => Promise<Message>]>([
  ['text', (session) => sendText(session, { number, textMessage: { text: CUT_TEXT } })],
  ['poll', (session) => sendPoll(session, { number, pollMessage: { name: 'When?', values: [CUT_TEXT, 'never'] } })],
  [
    'location',
    (session) => sendLocation(session, { number, locationMessage: { name: CUT_TEXT, latitude: 1, longitude: 2 } }),
  ],
  ['edit', (session) => updateMessage(session, { text: CUT_TEXT, key: { id: 'Q1' } })],
])('a text that is cut inside an emoji is sent as valid UTF-8 and stored as it is sent (%s)', async (_, send) => {
  const session = fakeSession();
  session.stored.set('Q1', {
    key: { remoteJid: `${number}@s.whatsapp.net`, fromMe: true, id: 'Q1' },
    message: { conversation: 'before' },
    messageType: 'conversation',
    messageTimestamp: Math.floor(Date.now() / 1000),
    source: 'web',
  });
  const { message } = await send(session);
  const [, , content] = session.calls.find(([name]) => name === 'relayMessage') ?? [];
  const bytes = Buffer.from(proto.Message.encode(content as proto.IMessage).finish());
  expect(bytes.includes('café \ufffd')).toBe(true);
  expect(JSON.stringify(message)).toContain('café \ufffd');
});
