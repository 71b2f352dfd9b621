import { describe, expect, it } from 'vitest';
import { RESPONSE_CONVERSIONS } from '../../../src/http/dialects/response.ts';
import { at } from '../../support/api.ts';
import { schemaViolations } from '../../support/openapi-document.ts';

const context = { instanceId: 'an-id', instanceName: 'shop' };
const key = { remoteJid: '15551234567@s.whatsapp.net', fromMe: true, id: '3EB0AABBCCDDEEFF00112233' };

it('RESPONSE_CONVERSIONS.findMessages.v2 moves the contextInfo of each message to the top of its record', () => {
  const contextInfo = { stanzaId: 'A' };
  const records = [
    { key, messageType: 'extendedTextMessage', message: { extendedTextMessage: { text: 'hi', contextInfo } } },
    { key, messageType: 'audioMessage', message: { audioMessage: { contextInfo } } },
    { key, messageType: 'conversation', message: { conversation: 'hi' } },
    {
      key,
      messageType: 'ephemeralMessage',
      message: { ephemeralMessage: { message: { extendedTextMessage: { text: 'hi', contextInfo } } } },
    },
    { key, messageType: 'viewOnceMessage', message: { viewOnceMessage: { message: { imageMessage: {} } } } },
  ];
  const page = RESPONSE_CONVERSIONS.findMessages?.v2?.convert({ messages: { records } }, context);
  expect(page).toMatchObject({
    messages: {
      records: [
        { message: { conversation: 'hi' }, contextInfo, messageType: 'conversation' },
        { message: { audioMessage: { contextInfo } }, contextInfo },
        { message: { conversation: 'hi' }, messageType: 'conversation' },
        { message: { conversation: 'hi', ephemeralMessage: {} }, contextInfo, messageType: 'conversation' },
        { message: { viewOnceMessage: {} }, messageType: 'viewOnceMessage' },
      ],
    },
  });
  expect(at(page, 'messages.records.2')).not.toHaveProperty('contextInfo');
});

describe('sent messages in dialect v2', () => {
  const flat = (message: object) =>
    RESPONSE_CONVERSIONS.sendText?.v2?.convert(
      { key, message, messageTimestamp: '1767225600', status: 'PENDING' },
      context,
    );

  it('RESPONSE_CONVERSIONS.sendText.v2 returns a text as conversation, with a number as messageTimestamp', () => {
    const result = flat({ extendedTextMessage: { text: 'hi' } });
    expect(result).toEqual({
      key,
      message: { conversation: 'hi' },
      messageType: 'conversation',
      messageTimestamp: 1767225600,
      instanceId: 'an-id',
      source: 'web',
      status: 'PENDING',
    });
    expect(schemaViolations('SentMessageFlat', JSON.parse(JSON.stringify(result)))).toBeUndefined();
  });

  it('RESPONSE_CONVERSIONS.sendText.v2 returns the contextInfo of a quote at the top of the message', () => {
    const contextInfo = { stanzaId: 'A' };
    expect(flat({ extendedTextMessage: { text: 'hi', contextInfo } })).toMatchObject({
      message: { conversation: 'hi' },
      contextInfo,
    });
    const image = { imageMessage: { contextInfo } };
    expect(flat({ messageContextInfo: {}, ...image })).toMatchObject({ message: image, contextInfo });
  });

  it('RESPONSE_CONVERSIONS.sendText.v2 converts mediaKeyTimestamp to a number at any depth, and no other 64-bit integer', () => {
    const image = { mediaKeyTimestamp: '1767225600', fileLength: '5' };
    const numeric = { mediaKeyTimestamp: 1767225600, fileLength: '5' };
    for (const [message, expected] of [
      [{ imageMessage: image }, { imageMessage: numeric }],
      [
        { viewOnceMessage: { message: { videoMessage: image } } },
        { viewOnceMessage: { message: { videoMessage: numeric } } },
      ],
      [
        { interactiveMessage: { header: { imageMessage: image } } },
        { interactiveMessage: { header: { imageMessage: numeric } } },
      ],
    ]) {
      const result = flat(message ?? {});
      expect(result).toMatchObject({ message: expected });
      expect(schemaViolations('SentMessageFlat', JSON.parse(JSON.stringify(result)))).toBeUndefined();
    }
    expect(flat({ reactionMessage: { senderTimestampMs: '1' } })).toMatchObject({
      message: { reactionMessage: { senderTimestampMs: '1' } },
    });
  });

  it('RESPONSE_CONVERSIONS.sendText.v2 sets messageType to the name of the content field', () => {
    expect(flat({ messageContextInfo: {}, locationMessage: { name: 'x' } })).toMatchObject({
      messageType: 'locationMessage',
      message: { locationMessage: { name: 'x' } },
    });
  });
});
