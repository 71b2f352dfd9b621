import { describe, expect, it } from 'vitest';
import { proto } from '../../../src/whatsapp/baileys/proto.ts';
import { toViewOnce } from '../../../src/whatsapp/content/view-once.ts';
import { replaceAddresses, wireAddresses } from '../../../src/whatsapp/outbound/wire-content.ts';

const me = { jid: '4915100000001@s.whatsapp.net', lid: '111@lid' };
const chat = '4915112345678@s.whatsapp.net';
const lid = '222@lid';
const toLid = wireAddresses({ chat, jid: lid, form: 'lid' }, me);
const replace = (content: proto.IMessage) => replaceAddresses(content, toLid);

describe('replaceAddresses', () => {
  it.each<[string, proto.IMessage, proto.IMessage]>([
    [
      'the key of a reaction',
      { reactionMessage: { key: { remoteJid: chat, id: 'A', fromMe: true }, text: '👍' } },
      { reactionMessage: { key: { remoteJid: lid, id: 'A', fromMe: true }, text: '👍' } },
    ],
    [
      'the key and the content of an edit',
      {
        protocolMessage: {
          key: { remoteJid: chat, id: 'A' },
          editedMessage: { extendedTextMessage: { text: 'x', contextInfo: { participant: me.jid, stanzaId: 'Q' } } },
        },
      },
      {
        protocolMessage: {
          key: { remoteJid: lid, id: 'A' },
          editedMessage: { extendedTextMessage: { text: 'x', contextInfo: { participant: me.lid, stanzaId: 'Q' } } },
        },
      },
    ],
    [
      'the author of a quote, but not people of other chats',
      { extendedTextMessage: { contextInfo: { participant: chat, remoteJid: '4930@s.whatsapp.net' } } },
      { extendedTextMessage: { contextInfo: { participant: lid, remoteJid: '4930@s.whatsapp.net' } } },
    ],
    [
      'the album of a picture',
      { messageContextInfo: { messageAssociation: { parentMessageKey: { remoteJid: chat, id: 'A' } } } },
      { messageContextInfo: { messageAssociation: { parentMessageKey: { remoteJid: lid, id: 'A' } } } },
    ],
  ])('replaceAddresses() replaces %s', (_, content, expected) => {
    const copy = structuredClone(content);
    expect(replace(content)).toEqual(expected);
    expect(content).toEqual(copy);
  });

  it('replaceAddresses() does not change texts and bytes, and returns content without addresses unchanged', () => {
    const content = { conversation: chat, imageMessage: { caption: chat, jpegThumbnail: Buffer.from(chat) } };
    expect(replace(content)).toBe(content);
    const toNumber = wireAddresses({ chat, jid: chat, form: 'pn' }, me);
    expect(replaceAddresses({ reactionMessage: { key: { remoteJid: chat } } }, toNumber)).toEqual({
      reactionMessage: { key: { remoteJid: chat } },
    });
  });

  it('replaceAddresses() keeps the inherited fields of view-once content, which are not sent', () => {
    const content = toViewOnce({ imageMessage: { caption: 'x', contextInfo: { participant: chat } } });
    const replaced = replace(content);
    expect(replaced.imageMessage).toBeDefined();
    expect(proto.Message.toObject(proto.Message.decode(proto.Message.encode(replaced).finish()))).toEqual({
      viewOnceMessageV2: {
        message: { imageMessage: { caption: 'x', viewOnce: true, contextInfo: { participant: lid } } },
      },
    });
  });

  it('replaceAddresses() does not exhaust the stack with deep content', () => {
    let content: proto.IMessage = { conversation: 'x' };
    for (let n = 0; n < 10_000; n++) content = { ephemeralMessage: { message: content } };
    expect(replace(content)).toBe(content);
  });
});
