// Encrypted edits and reactions in a batch with other messages.
import { randomBytes } from 'node:crypto';
import { proto, type WAMessage } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { encryptEdit } from '../../../packages/sandbox/src/phone/encrypted-add-ons.ts';
import type { TargetMessages } from '../../../src/whatsapp/content/target-messages.ts';
import { mapEvents, referencesIn } from '../../../src/whatsapp/inbound/map-events.ts';
import { me, settings } from '../fakes.ts';

const pn = '4915112345678@s.whatsapp.net';
const group = '120363025246125486@g.us';
const content: proto.IMessage = { conversation: 'At nine', messageContextInfo: { messageSecret: randomBytes(32) } };

const received = (id: string, message: proto.IMessage, parts: Partial<WAMessage> = {}): WAMessage => ({
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

function map(messages: WAMessage[], wishes: Partial<typeof settings> = {}) {
  const skipped: string[] = [];
  const targets: TargetMessages = new Map();
  const events = mapEvents(upsert(...messages), {
    ...{ me, lidPairs: new Map(), settings: { ...settings, ...wishes }, now: 1_700_000_999_000, targets },
    ...{ permissions: new Map(), archivedChats: new Map(), recordIfNew: () => true },
    onSkipped: (what, why) => skipped.push(`${what}: ${why}`),
  });
  return { events, skipped };
}

describe('an encrypted edit', () => {
  it('mapEvents decrypts edits of a message of the same batch', () => {
    const messages = [received('TEXT', content), received('E1', edit('At ten')), received('E2', edit('At eleven'))];
    expect(map(messages).events).toMatchObject([
      { type: 'messages.upsert', message: { key: { id: 'TEXT' } } },
      { type: 'messages.edited', key: { id: 'TEXT' }, text: 'At ten' },
      { type: 'messages.edited', key: { id: 'TEXT' }, text: 'At eleven' },
    ]);
  });

  it('mapEvents finds the secret of a message that the phone has sent again, which is beside its content', () => {
    const { messageContextInfo, ...text } = content;
    const parts = { messageSecret: messageContextInfo?.messageSecret ?? null };
    expect(map([received('TEXT', text, parts), received('E1', edit('At ten'))]).events).toMatchObject([
      { message: { message: { messageContextInfo: { messageSecret: expect.any(String) } } } },
      { type: 'messages.edited', text: 'At ten' },
    ]);
  });

  it('mapEvents decrypts an edit that came through a broadcast list', () => {
    const list = '1700000000@broadcast';
    const sent = (id: string) => ({ key: { remoteJid: list, fromMe: false, id, participant: pn } });
    const messages = [received('TEXT', content, sent('TEXT')), received('E1', edit('At ten', list), sent('E1'))];
    expect(map(messages)).toMatchObject({
      events: [{ type: 'messages.upsert' }, { type: 'messages.edited', key: { remoteJid: pn }, text: 'At ten' }],
      skipped: [],
    });
  });

  it('mapEvents decrypts no edit of a message of another person or another chat with the same id', () => {
    const other = { key: { remoteJid: '4930123456@s.whatsapp.net', fromMe: false, id: 'TEXT' } };
    const own = { key: { remoteJid: pn, fromMe: true, id: 'TEXT' } };
    for (const parts of [other, own]) {
      const { events } = map([received('TEXT', content, parts), received('E1', edit('At ten'))]);
      expect(events.map(({ type }) => type)).toEqual(['messages.upsert', 'messages.undecryptable']);
    }
  });

  const sealed = { encPayload: Buffer.alloc(20), encIv: Buffer.alloc(12) };
  const targetMessageKey = { remoteJid: group, fromMe: true, id: 'TEXT' };
  it.each<[string, proto.IMessage]>([
    ['an edit', edit('At ten', group)],
    ['a reaction', { encReactionMessage: { ...sealed, targetMessageKey } }],
    ['a comment', { encCommentMessage: { ...sealed, targetMessageKey } }],
    ['an answer to an event', { encEventResponseMessage: { ...sealed, eventCreationMessageKey: targetMessageKey } }],
  ])('mapEvents skips %s that names another chat', (_, message) => {
    expect(map([received('E1', message)])).toEqual({
      events: [],
      skipped: ['messages.upsert: about a message in another chat'],
    });
  });

  it('mapEvents follows the settings', () => {
    const key = { remoteJid: group, fromMe: false, id: 'E1', participant: pn };
    const message = received('E1', edit('At ten', group), { key });
    expect(map([message]).events).toMatchObject([{ type: 'messages.undecryptable' }]);
    expect(map([message], { groupsIgnore: true }).events).toEqual([]);
  });

  it('referencesIn returns the messages that votes and add-ons name, and nothing for other messages', () => {
    const vote = { pollUpdateMessage: { pollCreationMessageKey: { id: 'POLL' } } };
    const batch = upsert(
      received('TEXT', content),
      received('V', vote),
      received('E1', edit('At ten')),
      received('E2', { secretEncryptedMessage: {} }),
    );
    expect(referencesIn(batch, { me, lidPairs: new Map() })).toEqual([
      { key: { remoteJid: pn, fromMe: false, id: 'V' }, targetId: 'POLL' },
      { key: { remoteJid: pn, fromMe: false, id: 'E1' }, targetId: 'TEXT' },
    ]);
  });
});
