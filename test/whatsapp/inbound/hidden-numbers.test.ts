// People whose phone number is hidden: their events have LIDs and user names, and no number that WhatsApp did not send.
import { proto, type WAMessage } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import type { Batch } from '../../../src/whatsapp/inbound/batch.ts';
import { ReportedNames } from '../../../src/whatsapp/inbound/contact.ts';
import { jidsMissingAlt, mapEvents } from '../../../src/whatsapp/inbound/map-events.ts';
import { copySenderUsername } from '../../../src/whatsapp/inbound/sender-username.ts';
import { me, settings } from '../fakes.ts';

const lid = '222@lid';
const pn = '4915112345678@s.whatsapp.net';
const group = '120363025246125486@g.us';

function map(batch: Batch, recordIfNew = () => true) {
  return mapEvents(batch, {
    me,
    lidPairs: new Map(),
    settings,
    now: 0,
    targets: new Map(),
    permissions: new Map(),
    archivedChats: new Map(),
    recordIfNew,
    onSkipped: () => undefined,
  });
}

const received = (key: WAMessage['key']): Batch => ({
  'messages.upsert': {
    type: 'notify',
    messages: [{ key, messageTimestamp: 1, message: proto.Message.create({ conversation: 'hi' }) }],
  },
});

describe('a person whose number is hidden', () => {
  it('is the LID in messages, with the user name beside it', () => {
    const key = { remoteJid: lid, fromMe: false, id: 'A1', remoteJidUsername: 'ana.b' };
    expect(map(received(key))).toMatchObject([
      { type: 'contacts.update', contacts: [{ jid: lid, username: 'ana.b' }] },
      {
        type: 'messages.upsert',
        message: { key: { remoteJid: lid, fromMe: false, id: 'A1', remoteJidUsername: 'ana.b' } },
      },
    ]);
    const inGroup = { remoteJid: group, fromMe: false, id: 'A2', participant: lid, participantUsername: 'ana.b' };
    expect(map(received(inGroup))).toEqual([
      { type: 'contacts.update', contacts: [{ jid: lid, username: 'ana.b' }] },
      expect.objectContaining({ message: expect.objectContaining({ key: inGroup }) }),
    ]);
  });

  it('is not named in messages when the user name is not one', () => {
    for (const name of ['', 'a b', 'x'.repeat(65), '<b>', 'a\n']) {
      const [event, more] = map(received({ remoteJid: lid, id: 'A1', remoteJidUsername: name }));
      expect(event).toMatchObject({ message: { key: { remoteJid: lid } } });
      expect(JSON.stringify(event)).not.toContain('Username');
      expect(more).toBeUndefined();
    }
  });

  it('is one contact, with push name and user name', () => {
    const batch = {
      ...received({ remoteJid: lid, id: 'A1', remoteJidUsername: 'ana' }),
      'contacts.update': [{ id: lid, notify: 'Ana' }],
    };
    expect(map(batch)[0]).toEqual({
      type: 'contacts.update',
      contacts: [{ jid: lid, pushName: 'Ana', username: 'ana' }],
    });
  });

  it('has no push name when the history has the user name only', () => {
    const contacts = [
      { id: lid, name: 'ana', username: 'ana' },
      { id: '3@lid', name: 'Bo', username: 'bo' },
    ];
    expect(map({ 'contacts.upsert': contacts })).toEqual([
      {
        type: 'contacts.upsert',
        contacts: [
          { jid: lid, username: 'ana' },
          { jid: '3@lid', pushName: 'Bo', username: 'bo' },
        ],
      },
    ]);
  });

  it('has a user name in groups', () => {
    const participants = [{ id: lid, username: 'ana', admin: null }];
    expect(map({ 'group-participants.update': { id: group, author: lid, participants, action: 'add' } })).toEqual([
      {
        type: 'group-participants.update',
        id: group,
        action: 'add',
        author: lid,
        participants: [{ jid: lid, lid, username: 'ana' }],
      },
    ]);
  });

  it('is looked up when the other address of an event is the same address', () => {
    const batch: Batch = {
      'contacts.upsert': [{ id: '1@lid', lid: '1@lid' }],
      'chats.upsert': [{ id: '2@lid', lidJid: '2@lid' }],
    };
    expect([...jidsMissingAlt(batch)]).toEqual(['1@lid', '2@lid']);
  });
});

describe('copySenderUsername()', () => {
  it('moves the user name of the sender to where Baileys reads the one of the chat or of the author', () => {
    const direct = { from: lid, username: 'ana', peer_recipient_username: 'me' };
    copySenderUsername(direct);
    expect(direct).toEqual({ from: lid, username: 'ana', recipient_username: 'ana' });
    const inGroup: Record<string, string> = { from: group, participant: lid, username: 'ana' };
    copySenderUsername(inGroup);
    expect(inGroup.participant_username).toBe('ana');
  });

  it('leaves messages of the own account alone, in which the other person is the recipient', () => {
    const own = { from: me.jid, recipient: lid, username: 'me', peer_recipient_username: 'ana' };
    copySenderUsername(own);
    expect(own).toEqual({ from: me.jid, recipient: lid, username: 'me', peer_recipient_username: 'ana' });
  });
});

describe('ReportedNames', () => {
  it('reports a person again when the user name or the number becomes known', () => {
    const names = new ReportedNames();
    const contacts = [
      { jid: lid, pushName: 'Ana' },
      { jid: lid, username: 'ana' },
      { jid: lid, pushName: 'Ana', username: 'ana' },
      { jid: pn, lid, pushName: 'Ana' },
      { jid: pn, pushName: 'Ana' },
    ];
    expect(contacts.map((contact) => names.recordIfNew(contact))).toEqual([true, true, false, true, false]);
  });
});
