import { describe, expect, it } from 'vitest';
import { answers } from '../../src/dialects/response.ts';
import { violations } from '../contract/document.ts';

const context = { instanceId: 'an-id', instanceName: 'shop' };
const key = { remoteJid: '15551234567@s.whatsapp.net', fromMe: true, id: '3EB0AABBCCDDEEFF00112233' };

describe('a sent message in the flat form', () => {
  const flat = (message: object) =>
    answers.sendText?.v2?.convert({ key, message, messageTimestamp: '1767225600', status: 'PENDING' }, context);

  it('is a conversation with a number as timestamp', () => {
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
    expect(violations('SentMessageFlat', JSON.parse(JSON.stringify(result)))).toBeUndefined();
  });

  it('has the context of a quote at the top', () => {
    const contextInfo = { stanzaId: 'A' };
    expect(flat({ extendedTextMessage: { text: 'hi', contextInfo } })).toMatchObject({
      message: { conversation: 'hi' },
      contextInfo,
    });
  });

  it('names any other kind after its content', () => {
    expect(flat({ messageContextInfo: {}, locationMessage: { name: 'x' } })).toMatchObject({
      messageType: 'locationMessage',
      message: { locationMessage: { name: 'x' } },
    });
  });
});
