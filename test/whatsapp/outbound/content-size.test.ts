import { describe, expect, it } from 'vitest';
import { sendContact } from '../../../src/whatsapp/message/contact.ts';
import { sendList } from '../../../src/whatsapp/message/list.ts';
import { sendText } from '../../../src/whatsapp/message/text.ts';
import { fakeSession, unlimitedLookups } from '../../support/session-fakes.ts';

const number = '4915112345678';
const group = '120363025246125486@g.us';
const relayCallsOf = (session: ReturnType<typeof fakeSession>) =>
  session.calls.filter(([name]) => name === 'relayMessage');

describe('large messages', () => {
  it('sendText() sends the longest text with mentions, a preview and the quote of a large message', async () => {
    const text = '😀'.repeat(65_536);
    const preview = { matchedText: 'a'.repeat(2_048), title: '€'.repeat(300), description: '€'.repeat(1_000) };
    const session = fakeSession(
      {},
      { fetchPreview: async () => ({ ...preview, jpegThumbnail: Buffer.alloc(50_000) }) },
    );
    session.stored.set('Q1', {
      ...{ key: { remoteJid: group, fromMe: true, id: 'Q1' }, message: { conversation: text } },
      ...{ messageType: 'conversation', messageTimestamp: 1, source: 'android' },
    });
    const mentioned = Array.from({ length: 1_024 }, (_, index) => String(100_000_000_000_000 + index));
    const options = { quoted: { key: { id: 'Q1' } }, mentions: { mentioned } };
    await sendText(session, { number: group, textMessage: { text }, options });
    expect(relayCallsOf(session)).toHaveLength(1);
  });

  it('sendContact() sends a hundred long contacts, and sendList() sends a list of a thousand rows', async () => {
    const session = fakeSession();
    const contact = { fullName: 'n'.repeat(255), phoneNumber: number, organization: 'o'.repeat(255) };
    const contactMessage = Array.from({ length: 100 }, () => ({ ...contact, url: 'u'.repeat(2_048) }));
    await sendContact(session, { number, contactMessage }, unlimitedLookups);
    const rows = Array.from({ length: 100 }, (_, index) => ({
      title: 't'.repeat(24),
      description: 'd'.repeat(72),
      rowId: `${index}${'r'.repeat(200)}`,
    }));
    const sections = Array.from({ length: 10 }, () => ({ title: 's', rows }));
    await sendList(session, { number, listMessage: { title: 'T', buttonText: 'B', sections } });
    expect(relayCallsOf(session)).toHaveLength(2);
  });

  it('sendText() rejects a message with a quote of 3 MB, with certain: true', async () => {
    const session = fakeSession();
    const message = { imageMessage: { jpegThumbnail: Buffer.alloc(3_000_000).toString('base64') } };
    const options = { quoted: { key: { id: 'Q1' }, message } };
    await expect(sendText(session, { number, textMessage: { text: 'hi' }, options })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      certain: true,
      responseMessage: [[expect.stringMatching(/^The message has 300\d{4} bytes: at most 524288 can be sent/)]],
    });
    expect(relayCallsOf(session)).toEqual([]);
  });
});
