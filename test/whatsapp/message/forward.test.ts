import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/events/events.ts';
import { forwardMessage, toForwardedContent } from '../../../src/whatsapp/message/forward.ts';
import { QueryRefusal } from '../../../src/whatsapp/query.ts';
import { fakeSession } from '../../support/session-fakes.ts';

const file = { caption: 'c', mediaKey: 'AAAA' };
const context = { stanzaId: 'A', mentionedJid: ['15550009002@s.whatsapp.net'], expiration: 86_400 };

describe('toForwardedContent', () => {
  it.each([
    [{ conversation: 'hi', messageContextInfo: { messageSecret: 'AAAA' } }, 'extendedTextMessage', { text: 'hi' }, 1],
    [{ extendedTextMessage: { text: 'hi', contextInfo: context } }, 'extendedTextMessage', { text: 'hi' }, 1],
    [
      { imageMessage: { ...file, contextInfo: { ...context, isForwarded: true, forwardingScore: 4 } } },
      'imageMessage',
      { caption: 'c' },
      5,
    ],
    [{ documentWithCaptionMessage: { message: { documentMessage: file } } }, 'documentMessage', { caption: 'c' }, 1],
    [{ ephemeralMessage: { message: { conversation: 'hi' } } }, 'extendedTextMessage', { text: 'hi' }, 1],
  ] as [
    JsonObject,
    string,
    object,
    number,
  ][])('toForwardedContent() keeps the content %j without the context of its chat', (message, kind, body, forwardingScore) => {
    const forwarded = toForwardedContent({ message });
    expect(forwarded).toMatchObject({ kind, body, forwardingScore });
    expect(forwarded.body).not.toHaveProperty('contextInfo');
  });

  it.each<JsonObject>([
    {},
    { reactionMessage: { text: '👍' } },
    { pollCreationMessage: { name: 'When?' } },
    { viewOnceMessageV2: { message: { imageMessage: {} } } },
    { ephemeralMessage: { message: { viewOnceMessage: { message: { imageMessage: {} } } } } },
    { imageMessage: { ...file, viewOnce: true } },
    { imageMessage: { url: 'https://mmg.example/a', caption: 'of a channel' } },
    { albumMessage: { expectedImageCount: 2 } },
  ])('toForwardedContent() rejects %j', (message) => {
    expect(() => toForwardedContent({ message })).toThrow('INVALID_REQUEST');
  });
});

describe('forwardMessage', () => {
  const number = '4915112345678';
  /** Creates a session with a stored message of the chat `remoteJid`. WhatsApp refuses its queries. */
  const createSession = (remoteJid: string) => {
    const session = fakeSession({ query: () => Promise.reject(new QueryRefusal(403, 'forbidden', undefined)) });
    const key = { remoteJid, fromMe: false, id: 'M1' };
    session.stored.set('M1', {
      ...{ key, message: { conversation: 'news' }, messageType: 'conversation' },
      ...{ messageTimestamp: 1, source: 'android' },
    });
    return session;
  };

  it.each([
    ['a status', 'status@broadcast'],
    ['a channel post', '120363025246125486@newsletter'],
    ['a person who has left WhatsApp', '4915112340000@s.whatsapp.net'],
    ['a group that this account has left', '120363025246125486@g.us'],
  ])('forwardMessage() forwards the text of %s', async (_, remoteJid) => {
    for (const key of [{ id: 'M1' }, { id: 'M1', remoteJid }]) {
      const sent = await forwardMessage(createSession(remoteJid), { number, message: { key } });
      expect(sent).toMatchObject({
        key: { remoteJid: `${number}@s.whatsapp.net` },
        message: { extendedTextMessage: { text: 'news', contextInfo: { isForwarded: true } } },
      });
    }
  });

  it('forwardMessage() finds neither a message of another chat nor a deleted message', async () => {
    const session = createSession('4915112345679@s.whatsapp.net');
    const forward = (key: { id: string; remoteJid?: string }) => forwardMessage(session, { number, message: { key } });
    await expect(forward({ id: 'M1', remoteJid: number })).rejects.toMatchObject({ code: 'MESSAGE_NOT_FOUND' });
    const stored = session.stored.get('M1');
    if (stored) session.stored.set('M1', { ...stored, status: 'DELETED' });
    await expect(forward({ id: 'M1' })).rejects.toMatchObject({ code: 'MESSAGE_NOT_FOUND' });
  });
});
