// Encrypted edits and reactions in a batch with other messages.
import { randomBytes } from 'node:crypto';
import { proto, type WAMessage } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { encryptEdit } from '../../../packages/sandbox/src/phone/encrypted-add-ons.ts';
import type { TargetMessages } from '../../../src/whatsapp/content/target-messages.ts';
import { mapEvents, referencesIn } from '../../../src/whatsapp/inbound/map-events.ts';
import { me, settings } from '../../support/session-fakes.ts';

const pn = '4915112345678@s.whatsapp.net';
const group = '120363025246125486@g.us';
const content: proto.IMessage = { conversation: 'At nine', messageContextInfo: { messageSecret: randomBytes(32) } };

const receivedMessage = (id: string, message: proto.IMessage, parts: Partial<WAMessage> = {}): WAMessage => ({
  key: { remoteJid: pn, fromMe: false, id, participant: '' },
  messageTimestamp: 1_700_000_000,
  message: proto.Message.create(message),
  ...parts,
});
const edit = (text: string, remoteJid = me.jid) => {
  const key = { remoteJid, fromMe: true, id: 'TEXT' };
  const plain = { protocolMessage: { key, type: 14, editedMessage: { conversation: text }, timestampMs: 1 } };
  return encryptEdit({ key, content }, { author: pn, sender: pn }, plain);
};
const upsert = (...messages: WAMessage[]) => ({ 'messages.upsert': { messages, type: 'notify' as const } });

function mapMessages(messages: WAMessage[], overrides: Partial<typeof settings> = {}) {
  const skipped: string[] = [];
  const targets: TargetMessages = new Map();
  const events = mapEvents(upsert(...messages), {
    ...{ me, lidPairs: new Map(), settings: { ...settings, ...overrides }, now: 1_700_000_999_000, targets },
    ...{ permissions: new Map(), archivedChats: new Map(), recordIfNew: () => true },
    onSkipped: (eventName, reason) => skipped.push(`${eventName}: ${reason}`),
  });
  return { events, skipped };
}

describe('encrypted add-ons', () => {
  it('mapEvents() decrypts edits of a message in the same batch', () => {
    const messages = [
      receivedMessage('TEXT', content),
      receivedMessage('E1', edit('At ten')),
      receivedMessage('E2', edit('At eleven')),
    ];
    expect(mapMessages(messages).events).toMatchObject([
      { type: 'messages.upsert', message: { key: { id: 'TEXT' } } },
      { type: 'messages.edited', key: { id: 'TEXT' }, text: 'At ten' },
      { type: 'messages.edited', key: { id: 'TEXT' }, text: 'At eleven' },
    ]);
  });

  it('mapEvents() decrypts an edit of a resent message, which has its secret beside the content', () => {
    const { messageContextInfo, ...text } = content;
    const parts = { messageSecret: messageContextInfo?.messageSecret ?? null };
    expect(
      mapMessages([receivedMessage('TEXT', text, parts), receivedMessage('E1', edit('At ten'))]).events,
    ).toMatchObject([
      { message: { message: { messageContextInfo: { messageSecret: expect.any(String) } } } },
      { type: 'messages.edited', text: 'At ten' },
    ]);
  });

  it('mapEvents() decrypts an edit that was sent through a broadcast list', () => {
    const broadcastList = '1700000000@broadcast';
    const listMessage = (id: string) => ({ key: { remoteJid: broadcastList, fromMe: false, id, participant: pn } });
    const messages = [
      receivedMessage('TEXT', content, listMessage('TEXT')),
      receivedMessage('E1', edit('At ten', broadcastList), listMessage('E1')),
    ];
    expect(mapMessages(messages)).toMatchObject({
      events: [{ type: 'messages.upsert' }, { type: 'messages.edited', key: { remoteJid: pn }, text: 'At ten' }],
      skipped: [],
    });
  });

  it('mapEvents() reports an edit as undecryptable when only another chat or author has a message with this id', () => {
    const other = { key: { remoteJid: '4930123456@s.whatsapp.net', fromMe: false, id: 'TEXT' } };
    const own = { key: { remoteJid: pn, fromMe: true, id: 'TEXT' } };
    for (const parts of [other, own]) {
      const { events } = mapMessages([receivedMessage('TEXT', content, parts), receivedMessage('E1', edit('At ten'))]);
      expect(events.map(({ type }) => type)).toEqual(['messages.upsert', 'messages.undecryptable']);
    }
  });

  const encrypted = { encPayload: Buffer.alloc(20), encIv: Buffer.alloc(12) };
  const targetMessageKey = { remoteJid: group, fromMe: true, id: 'TEXT' };
  it.each<[string, proto.IMessage]>([
    ['an edit', edit('At ten', group)],
    ['a reaction', { encReactionMessage: { ...encrypted, targetMessageKey } }],
    ['a comment', { encCommentMessage: { ...encrypted, targetMessageKey } }],
    ['an answer to an event', { encEventResponseMessage: { ...encrypted, eventCreationMessageKey: targetMessageKey } }],
  ])('mapEvents() skips %s that refers to a message in another chat', (_, message) => {
    expect(mapMessages([receivedMessage('E1', message)])).toEqual({
      events: [],
      skipped: ['messages.upsert: about a message in another chat'],
    });
  });

  it('mapEvents() ignores an undecryptable edit in a group when groupsIgnore is on', () => {
    const key = { remoteJid: group, fromMe: false, id: 'E1', participant: pn };
    const message = receivedMessage('E1', edit('At ten', group), { key });
    expect(mapMessages([message]).events).toMatchObject([{ type: 'messages.undecryptable' }]);
    expect(mapMessages([message], { groupsIgnore: true }).events).toEqual([]);
  });

  it('referencesIn() returns the target messages of votes and add-ons, and nothing for other messages', () => {
    const vote = { pollUpdateMessage: { pollCreationMessageKey: { id: 'POLL' } } };
    const batch = upsert(
      receivedMessage('TEXT', content),
      receivedMessage('V', vote),
      receivedMessage('E1', edit('At ten')),
      receivedMessage('E2', { secretEncryptedMessage: {} }),
    );
    expect(referencesIn(batch, { me, lidPairs: new Map() })).toEqual([
      { key: { remoteJid: pn, fromMe: false, id: 'V' }, targetId: 'POLL' },
      { key: { remoteJid: pn, fromMe: false, id: 'E1' }, targetId: 'TEXT' },
    ]);
  });
});
