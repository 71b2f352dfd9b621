import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/events/events.ts';
import { toForwardedContent } from '../../../src/whatsapp/message/forward.ts';

const context = { stanzaId: 'A', mentionedJid: ['15550009002@s.whatsapp.net'], expiration: 86_400 };

describe('a message sent on', () => {
  it.each([
    [{ conversation: 'hi', messageContextInfo: { messageSecret: 'AAAA' } }, 'extendedTextMessage', { text: 'hi' }, 1],
    [{ extendedTextMessage: { text: 'hi', contextInfo: context } }, 'extendedTextMessage', { text: 'hi' }, 1],
    [
      { imageMessage: { caption: 'c', contextInfo: { ...context, isForwarded: true, forwardingScore: 4 } } },
      'imageMessage',
      { caption: 'c' },
      5,
    ],
    [
      { documentWithCaptionMessage: { message: { documentMessage: { caption: 'c' } } } },
      'documentMessage',
      { caption: 'c' },
      1,
    ],
    [{ ephemeralMessage: { message: { conversation: 'hi' } } }, 'extendedTextMessage', { text: 'hi' }, 1],
  ] as [
    JsonObject,
    string,
    object,
    number,
  ][])('toForwardedContent keeps the content %j without its chat', (message, kind, body, forwardingScore) => {
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
    { imageMessage: { viewOnce: true } },
    { albumMessage: { expectedImageCount: 2 } },
  ])('toForwardedContent refuses %j', (message) => {
    expect(() => toForwardedContent({ message })).toThrow('INVALID_REQUEST');
  });
});
