import { describe, expect, it } from 'vitest';
import type { DomainEvent, Message } from '../../src/events.ts';
import { toData } from '../../src/webhooks/payload.ts';

const owner = { id: 'uuid', name: 'shop' };
const key = { remoteJid: '15550002@s.whatsapp.net', fromMe: false, id: 'A1', remoteJidAlt: '77@lid' };
const message: Message = {
  key,
  pushName: 'Ana',
  message: { conversation: 'hi' },
  messageType: 'conversation',
  messageTimestamp: 1_700_000_000,
  source: 'android',
};

/** As it arrives: undefined members are gone. */
const posted = (event: DomainEvent) => JSON.parse(JSON.stringify(toData(event, owner)));

describe('messages.upsert', () => {
  it('is one object with the keys of both versions', () => {
    expect(posted({ type: 'messages.upsert', message })).toEqual({
      key,
      pushName: 'Ana',
      message: { conversation: 'hi' },
      messageType: 'conversation',
      messageTimestamp: 1_700_000_000,
      instanceId: 'uuid',
      owner: 'shop',
      source: 'android',
    });
  });

  it('gives extended text as conversation, with the context beside it, and keeps the original', () => {
    const extended = { text: 'hi', contextInfo: { stanzaId: 'A0' } };
    const data = posted({
      type: 'messages.upsert',
      message: {
        ...message,
        messageType: 'extendedTextMessage',
        message: { extendedTextMessage: extended },
        status: 'DELIVERY_ACK',
      },
    });
    expect(data).toMatchObject({
      message: { conversation: 'hi', extendedTextMessage: extended },
      messageType: 'conversation',
      contextInfo: { stanzaId: 'A0' },
      status: 'DELIVERY_ACK',
    });
  });

  it('leaves other kinds as they are', () => {
    const content = { imageMessage: { caption: 'x', contextInfo: { isForwarded: true } } };
    const data = posted({
      type: 'messages.upsert',
      message: { ...message, messageType: 'imageMessage', message: content },
    });
    expect(data).toMatchObject({ message: content, messageType: 'imageMessage', contextInfo: { isForwarded: true } });
  });
});

describe('messages.update', () => {
  it('names message, chat and status the way either version does', () => {
    const event: DomainEvent = { type: 'messages.update', key, status: 'READ', at: 5 };
    expect(posted(event)).toEqual({
      keyId: 'A1',
      id: 'A1',
      remoteJid: key.remoteJid,
      fromMe: false,
      key,
      status: 'READ',
      datetime: 5,
      instanceId: 'uuid',
      owner: 'shop',
    });
  });

  it('says why a message failed', () => {
    const event: DomainEvent = {
      type: 'messages.update',
      key,
      status: 'ERROR',
      at: 5,
      code: '463',
      reason: 'restricted',
    };
    expect(posted(event)).toMatchObject({ status: 'ERROR', code: '463', reason: 'restricted' });
  });
});

describe('qrcode.updated', () => {
  it('carries the code, or says that there will be no more', () => {
    const qr: DomainEvent = { type: 'qrcode.updated', code: '2@x', pairingCode: null, base64: 'data:', count: 3 };
    expect(posted(qr)).toEqual({
      qrcode: { instance: 'shop', pairingCode: null, code: '2@x', base64: 'data:', count: 3 },
    });
    expect(posted({ type: 'qrcode.updated', limitReached: true })).toEqual({
      message: expect.stringContaining('limit'),
      statusCode: 500,
    });
  });
});

describe('connection.update', () => {
  it('tells state, cause and next attempt', () => {
    const event: DomainEvent = {
      type: 'connection.update',
      state: 'close',
      statusReason: 428,
      cause: 'transient',
      retryAt: 0,
    };
    expect(posted(event)).toEqual({
      instance: 'shop',
      state: 'close',
      statusReason: 428,
      cause: 'transient',
      retryAt: '1970-01-01T00:00:00.000Z',
    });
  });
});

describe('contacts.upsert', () => {
  it('is a list with phone number and LID where known', () => {
    const contacts = [{ jid: '15550002@s.whatsapp.net', lid: '77@lid', pushName: 'Ana' }, { jid: '78@lid' }];
    expect(posted({ type: 'contacts.upsert', contacts })).toEqual([
      expect.objectContaining({
        remoteJid: '15550002@s.whatsapp.net',
        id: '15550002@s.whatsapp.net',
        lid: '77@lid',
        pushName: 'Ana',
        owner: 'shop',
      }),
      expect.objectContaining({ remoteJid: '78@lid', instanceId: 'uuid' }),
    ]);
  });
});

describe.each(['logout.instance', 'remove.instance'] as const)('%s', (type) => {
  it('has no data', () => {
    expect(toData({ type }, owner)).toBeNull();
  });
});
