import { type BaileysEventMap, proto, type WAMessage } from '@whiskeysockets/baileys';
import { makeEventBuffer } from '@whiskeysockets/baileys/lib/Utils/event-buffer.js';
import { describe, expect, it } from 'vitest';
import { patchEditsAndDeletions } from '../../../../src/whatsapp/baileys/patches/edits-and-deletions.ts';
import { editOrDeletionIn } from '../../../../src/whatsapp/content/edit.ts';
import { silent } from '../../fakes.ts';

const { REVOKE, MESSAGE_EDIT, EPHEMERAL_SETTING } = proto.Message.ProtocolMessage.Type;
const group = '120363025246125486@g.us';
const pn = '4915112345678@s.whatsapp.net';
const bob = '333@lid';
const mallory = '444@lid';

function setup() {
  const ev = makeEventBuffer(silent);
  patchEditsAndDeletions({ ev }, (message) => editOrDeletionIn(message) !== undefined);
  const seen: Partial<BaileysEventMap>[] = [];
  ev.process((batch) => void seen.push(batch));
  const upsert = (...messages: WAMessage[]) => ev.emit('messages.upsert', { messages, type: 'notify' });
  const passed = () => seen.flatMap((batch) => batch['messages.upsert']?.messages ?? []);
  return { ev, upsert, passed };
}

const said = (participant: string, id: string, message: proto.IMessage): WAMessage => ({
  key: { remoteJid: group, fromMe: false, id, participant },
  message,
});
const revoke = (target: string) => ({ protocolMessage: { type: REVOKE, key: { id: target, fromMe: true } } });

describe('edits and deletions', () => {
  it.each([
    ['a deletion', revoke('M')],
    ['an edit', { protocolMessage: { type: MESSAGE_EDIT, key: { id: 'M' }, editedMessage: { conversation: 'new' } } }],
    [
      'an edit in a wrapper',
      { editedMessage: { message: { protocolMessage: { type: MESSAGE_EDIT, key: { id: 'M' } } } } },
    ],
  ])('patchEditsAndDeletions() emits %s as a message and empties the one that Baileys processes', (_, content) => {
    const { upsert, passed } = setup();
    const message = said(mallory, 'R', content);
    upsert(message);
    expect(passed()).toEqual([said(mallory, 'R', content)]);
    expect(message.message).toBeNull();
  });

  it('patchEditsAndDeletions() emits other messages unchanged', () => {
    const { upsert, passed } = setup();
    const message = said(bob, 'M', { conversation: 'hi' });
    upsert(message);
    expect(passed()[0]).toBe(message);
  });
});

describe('a message in the buffer', () => {
  it('a buffered message is not replaced by one of another author with the same id', () => {
    const { ev, upsert, passed } = setup();
    ev.buffer();
    upsert(said(bob, 'M', { conversation: 'true' }));
    upsert(said(mallory, 'M', { conversation: 'forged' }));
    upsert(said(bob, 'N', { conversation: 'next' }));
    ev.flush();
    expect(passed().map(({ message }) => message?.conversation)).toEqual(['true', 'forged', 'next']);
  });

  it('a buffered message is replaced by its own decrypted content', () => {
    const { ev, upsert, passed } = setup();
    ev.buffer();
    upsert({ key: { remoteJid: group, fromMe: false, id: 'M', participant: bob } });
    upsert(said(bob, 'M', { conversation: 'read' }));
    ev.flush();
    expect(passed().map(({ message }) => message?.conversation)).toEqual(['read']);
  });
});

describe('the timer of a group', () => {
  const protocolMessage = { type: EPHEMERAL_SETTING, ephemeralExpiration: 86_400 };
  // As rc14 makes them of the platform's notifications.
  const fromNotification = (): WAMessage => {
    const { key, message } = said(bob, 'T', { protocolMessage });
    return Object.assign(proto.WebMessageInfo.fromObject({ message }), { key });
  };
  const inDirect = (): WAMessage => ({ key: { remoteJid: pn, fromMe: false, id: 'T' }, message: { protocolMessage } });

  it('the timer of a group that a member sends is ignored', () => {
    const { upsert, passed } = setup();
    const message = said(mallory, 'T', { protocolMessage });
    upsert(message);
    expect([message.message, passed()[0]?.message]).toEqual([null, null]);
  });

  it.each<[string, WAMessage]>([
    ['the platform', fromNotification()],
    ['the other side of a direct chat', inDirect()],
  ])('a timer is kept when it comes from %s', (_, message) => {
    const { upsert } = setup();
    upsert(message);
    expect(message.message?.protocolMessage?.type).toBe(EPHEMERAL_SETTING);
  });
});
