import { type BaileysEventMap, proto, type WAMessage } from '@whiskeysockets/baileys';
import { makeEventBuffer } from '@whiskeysockets/baileys/lib/Utils/event-buffer.js';
import { describe, expect, it } from 'vitest';
import { patchEditsAndDeletions } from '../../../../src/whatsapp/baileys/patches/edits-and-deletions.ts';
import { editOrDeletionIn } from '../../../../src/whatsapp/content/edit.ts';
import { silent } from '../../../support/session-fakes.ts';

const { REVOKE, MESSAGE_EDIT, EPHEMERAL_SETTING } = proto.Message.ProtocolMessage.Type;
const GROUP = '120363025246125486@g.us';
const CONTACT = '4915112345678@s.whatsapp.net';
const bob = '333@lid';
const mallory = '444@lid';

function setUp() {
  const ev = makeEventBuffer(silent);
  patchEditsAndDeletions({ ev }, (message) => editOrDeletionIn(message) !== undefined);
  const batches: Partial<BaileysEventMap>[] = [];
  ev.process((batch) => void batches.push(batch));
  const upsert = (...messages: WAMessage[]) => ev.emit('messages.upsert', { messages, type: 'notify' });
  const emittedMessages = () => batches.flatMap((batch) => batch['messages.upsert']?.messages ?? []);
  return { ev, upsert, emittedMessages };
}

const createMessage = (participant: string, id: string, message: proto.IMessage): WAMessage => ({
  key: { remoteJid: GROUP, fromMe: false, id, participant },
  message,
});
const createDeletion = (target: string) => ({ protocolMessage: { type: REVOKE, key: { id: target, fromMe: true } } });

describe('edits and deletions', () => {
  it.each([
    ['a deletion', createDeletion('M')],
    ['an edit', { protocolMessage: { type: MESSAGE_EDIT, key: { id: 'M' }, editedMessage: { conversation: 'new' } } }],
    [
      'an edit in a wrapper',
      { editedMessage: { message: { protocolMessage: { type: MESSAGE_EDIT, key: { id: 'M' } } } } },
    ],
  ])('patchEditsAndDeletions() emits %s as a message, and empties the message that Baileys processes', (_, content) => {
    const { upsert, emittedMessages } = setUp();
    const message = createMessage(mallory, 'R', content);
    upsert(message);
    expect(emittedMessages()).toEqual([createMessage(mallory, 'R', content)]);
    expect(message.message).toBeNull();
  });

  it('patchEditsAndDeletions() emits other messages unchanged', () => {
    const { upsert, emittedMessages } = setUp();
    const message = createMessage(bob, 'M', { conversation: 'hi' });
    upsert(message);
    expect(emittedMessages()[0]).toBe(message);
  });
});

describe('buffered messages', () => {
  it('a buffered message is not replaced by a message of another author with the same id', () => {
    const { ev, upsert, emittedMessages } = setUp();
    ev.buffer();
    upsert(createMessage(bob, 'M', { conversation: 'true' }));
    upsert(createMessage(mallory, 'M', { conversation: 'forged' }));
    upsert(createMessage(bob, 'N', { conversation: 'next' }));
    ev.flush();
    expect(emittedMessages().map(({ message }) => message?.conversation)).toEqual(['true', 'forged', 'next']);
  });

  it('a buffered message is replaced by its own decrypted content', () => {
    const { ev, upsert, emittedMessages } = setUp();
    ev.buffer();
    upsert({ key: { remoteJid: GROUP, fromMe: false, id: 'M', participant: bob } });
    upsert(createMessage(bob, 'M', { conversation: 'read' }));
    ev.flush();
    expect(emittedMessages().map(({ message }) => message?.conversation)).toEqual(['read']);
  });
});

describe('disappearing-message timer', () => {
  const protocolMessage = { type: EPHEMERAL_SETTING, ephemeralExpiration: 86_400 };
  // Baileys rc14 creates a message in this form from a notification of WhatsApp.
  const createNotified = (): WAMessage => {
    const { key, message } = createMessage(bob, 'T', { protocolMessage });
    return Object.assign(proto.WebMessageInfo.fromObject({ message }), { key });
  };
  const createDirect = (): WAMessage => ({
    key: { remoteJid: CONTACT, fromMe: false, id: 'T' },
    message: { protocolMessage },
  });

  it('a disappearing-message timer that a group member sends is dropped', () => {
    const { upsert, emittedMessages } = setUp();
    const message = createMessage(mallory, 'T', { protocolMessage });
    upsert(message);
    expect([message.message, emittedMessages()[0]?.message]).toEqual([null, null]);
  });

  it.each<[string, WAMessage]>([
    ['the platform', createNotified()],
    ['the other side of a direct chat', createDirect()],
  ])('a disappearing-message timer is kept when it comes from %s', (_, message) => {
    const { upsert } = setUp();
    upsert(message);
    expect(message.message?.protocolMessage?.type).toBe(EPHEMERAL_SETTING);
  });
});
