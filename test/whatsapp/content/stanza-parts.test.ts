import { describe, expect, it } from 'vitest';
import { proto } from '../../../src/whatsapp/baileys/proto.ts';
import { toJson } from '../../../src/whatsapp/content/message.ts';
import { stanzaPartsOf } from '../../../src/whatsapp/content/stanza-parts.ts';
import { toViewOnce } from '../../../src/whatsapp/content/view-once.ts';

const { MESSAGE_EDIT, REVOKE, EPHEMERAL_SETTING } = proto.Message.ProtocolMessage.Type;
const key = { remoteJid: '15550000002@s.whatsapp.net', fromMe: true, id: 'A' };
const viewOnce = [{ tag: 'meta', attrs: { view_once: 'true' } }];
const createFlow = (name: string) => ({ interactiveMessage: { nativeFlowMessage: { buttons: [{ name }] } } });

const MESSAGES: [name: string, content: proto.IMessage, edit: string | undefined, nodes: object[]][] = [
  ['a text', { conversation: 'hi' }, undefined, []],
  ['a picture', { imageMessage: { caption: 'hi' } }, undefined, []],
  ['a pin', { pinInChatMessage: { key, type: 1 } }, '2', []],
  ['an unpin', { pinInChatMessage: { key, type: 2 } }, '2', []],
  ['an edit', { protocolMessage: { key, type: MESSAGE_EDIT, editedMessage: { conversation: 'a' } } }, '1', []],
  ['a deletion', { protocolMessage: { key, type: REVOKE } }, '7', []],
  ['a deletion by an admin', { protocolMessage: { key: { ...key, fromMe: false }, type: REVOKE } }, '8', []],
  ['a timer', { protocolMessage: { type: EPHEMERAL_SETTING, ephemeralExpiration: 60 } }, undefined, []],
  ['a view-once picture', toViewOnce({ imageMessage: { caption: 'hi' } }), undefined, viewOnce],
  ['a view-once sound', toViewOnce({ audioMessage: { ptt: true } }), undefined, viewOnce],
  ['a poll', { pollCreationMessageV3: { name: 'a' } }, undefined, [{ tag: 'meta', attrs: { polltype: 'creation' } }]],
  ['buttons', createFlow('quick_reply'), undefined, [expect.objectContaining({ tag: 'biz' })]],
  ['a payment', createFlow('payment_info'), undefined, [{ tag: 'biz', attrs: { native_flow_name: 'payment_info' } }]],
];

describe('stanzaPartsOf', () => {
  it.each(
    MESSAGES,
  )('stanzaPartsOf() returns the attributes and elements of %s, also for content from the store', (_, content, edit, nodes) => {
    const expected = { attributes: edit === undefined ? {} : { edit }, nodes };
    expect(stanzaPartsOf(content)).toEqual(expected);
    expect(stanzaPartsOf(proto.Message.fromObject(toJson(content)))).toEqual(expected);
  });
});
