import { describe, expect, it } from 'vitest';
import { descriptorOf } from '../../src/events/event-descriptors.ts';
import type { DomainEvent, Message } from '../../src/events/events.ts';

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

/** The data as the receiver gets it, without undefined members. */
const postedData = (event: DomainEvent) => JSON.parse(JSON.stringify(descriptorOf(event).toData(event, owner)));

describe('messages.upsert', () => {
  it('messages.upsert is one object with the keys of both API versions', () => {
    expect(postedData({ type: 'messages.upsert', message })).toEqual({
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

  it('messages.upsert has the URL of its file, and none without a file', () => {
    const image = { imageMessage: { caption: 'cat' } };
    const linkTo = (target: Message) =>
      target.message.imageMessage ? `http://x/media/shop/${target.key.id}` : undefined;
    const withLink = (content: Message['message']) => {
      const event: DomainEvent = { type: 'messages.upsert', message: { ...message, message: content } };
      return descriptorOf(event).toData(event, { ...owner, mediaUrlOf: linkTo });
    };
    expect(withLink(image)).toMatchObject({ message: { ...image, mediaUrl: 'http://x/media/shop/A1' } });
    expect(withLink({ conversation: 'hi' })).toMatchObject({ message: { conversation: 'hi' } });
    expect(JSON.stringify(withLink({ conversation: 'hi' }))).not.toContain('mediaUrl');
  });

  it('messages.upsert has extended text as conversation, with the context, and keeps the original', () => {
    const extended = { text: 'hi', contextInfo: { stanzaId: 'A0' } };
    const data = postedData({
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

  const contextInfo = { stanzaId: 'A0', quotedMessage: { conversation: 'before' } };
  const text = { extendedTextMessage: { text: 'hi', contextInfo } };
  const documentContent = { documentMessage: { caption: 'hi', contextInfo } };
  it.each([
    [{ ephemeralMessage: { message: text } }, { conversation: 'hi', ...text }, 'conversation'],
    [{ ephemeralMessage: { message: { conversation: 'hi' } } }, { conversation: 'hi' }, 'conversation'],
    [{ documentWithCaptionMessage: { message: documentContent } }, documentContent, 'documentMessage'],
    [
      { ephemeralMessage: { message: { documentWithCaptionMessage: { message: documentContent } } } },
      documentContent,
      'documentMessage',
    ],
  ])('messages.upsert has the content of a wrapper also at the top level: %j', (wrapped, content, messageType) => {
    const data = postedData({
      type: 'messages.upsert',
      message: { ...message, messageType: Object.keys(wrapped)[0] ?? '', message: wrapped },
    });
    expect(data).toMatchObject({ message: { ...wrapped, ...content }, messageType });
    expect(data.contextInfo).toEqual(JSON.stringify(wrapped).includes('stanzaId') ? contextInfo : undefined);
  });

  it('messages.upsert keeps the content of other message types unchanged', () => {
    const content = { imageMessage: { caption: 'x', contextInfo: { isForwarded: true } } };
    const data = postedData({
      type: 'messages.upsert',
      message: { ...message, messageType: 'imageMessage', message: content },
    });
    expect(data).toMatchObject({ message: content, messageType: 'imageMessage', contextInfo: { isForwarded: true } });
  });
});

describe('messages.update', () => {
  it('messages.update names message, chat and status with the keys of both API versions', () => {
    const event: DomainEvent = { type: 'messages.update', key, status: 'READ', at: 5 };
    expect(postedData(event)).toEqual({
      keyId: 'A1',
      id: 'A1',
      messageId: 'A1',
      remoteJid: key.remoteJid,
      fromMe: false,
      key,
      status: 'READ',
      datetime: 5,
      instanceId: 'uuid',
      owner: 'shop',
    });
  });

  it('messages.update has the reason of a failed message', () => {
    const event: DomainEvent = {
      type: 'messages.update',
      key,
      status: 'ERROR',
      at: 5,
      code: '463',
      reason: 'restricted',
    };
    expect(postedData(event)).toMatchObject({ status: 'ERROR', code: '463', reason: 'restricted' });
  });
});

describe('qrcode.updated', () => {
  it('qrcode.updated has the code, or a message that the limit is reached', () => {
    const qr: DomainEvent = { type: 'qrcode.updated', code: '2@x', pairingCode: null, base64: 'data:', count: 3 };
    expect(postedData(qr)).toEqual({
      qrcode: { instance: 'shop', pairingCode: null, code: '2@x', base64: 'data:', count: 3 },
    });
    expect(postedData({ type: 'qrcode.updated', limitReached: true })).toEqual({
      message: expect.stringContaining('limit'),
      statusCode: 500,
    });
  });
});

describe('connection.update', () => {
  it('connection.update has the state, the cause and the time of the next attempt', () => {
    const event: DomainEvent = {
      type: 'connection.update',
      state: 'close',
      statusReason: 428,
      cause: 'transient',
      retryAt: 0,
    };
    expect(postedData(event)).toEqual({
      instance: 'shop',
      state: 'close',
      statusReason: 428,
      cause: 'transient',
      retryAt: '1970-01-01T00:00:00.000Z',
    });
  });
});

describe('contacts.upsert', () => {
  it('contacts.upsert is a list with the JID of each contact, and its LID if known', () => {
    const contacts = [{ jid: '15550002@s.whatsapp.net', lid: '77@lid', pushName: 'Ana' }, { jid: '78@lid' }];
    expect(postedData({ type: 'contacts.upsert', contacts })).toEqual([
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

describe('chat events', () => {
  it('chat events have the keys of both API versions, and no key for an unknown value', () => {
    const [chat, group] = [
      { jid: '15550002@s.whatsapp.net', lid: '77@lid', name: 'Ana', unread: 2, lastMessageAt: 7, mutedUntil: null },
      { jid: '1@g.us' },
    ];
    expect(postedData({ type: 'chats.upsert', chats: [chat, group] })).toEqual([
      {
        ...{ remoteJid: chat.jid, id: chat.jid, lid: '77@lid', name: 'Ana', unreadMessages: 2, lastMsgTimestamp: 7 },
        ...{ muteEndTime: null, instanceId: 'uuid', owner: 'shop' },
      },
      { remoteJid: '1@g.us', id: '1@g.us', instanceId: 'uuid', owner: 'shop' },
    ]);
    const unchanged = { archived: false, pinned: false, muteEndTime: null, ephemeralExpiration: 0 };
    expect(postedData({ type: 'chats.set', chats: [group], historySentAt: 7 })).toEqual([
      { remoteJid: '1@g.us', id: '1@g.us', ...unchanged, instanceId: 'uuid', owner: 'shop' },
    ]);
    expect(postedData({ type: 'chats.delete', jids: ['1@g.us'] })).toEqual(['1@g.us']);
  });
});

describe('label events', () => {
  it('label events name the instance as Evolution API does', () => {
    const label = { id: '7', name: 'Customers', color: 3, deleted: false };
    expect(postedData({ type: 'labels.edit', ...label })).toEqual({ ...label, instance: 'shop', instanceId: 'uuid' });
    expect(postedData({ type: 'labels.association', action: 'add', labelId: '7', jid: '1@g.us' })).toEqual({
      ...{ type: 'add', chatId: '1@g.us', labelId: '7', instance: 'shop', instanceId: 'uuid' },
    });
  });
});

describe.each(['logout.instance', 'remove.instance'] as const)('%s', (type) => {
  it('logout.instance and remove.instance have no data', () => {
    expect(descriptorOf({ type }).toData({ type }, owner)).toBeNull();
  });
});
