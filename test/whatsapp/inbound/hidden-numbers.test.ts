// Events about people whose phone number is hidden. They contain LIDs and user names, and only numbers that WhatsApp
// sent.
import { proto, type WAMessage } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import type { Batch } from '../../../src/whatsapp/inbound/batch.ts';
import { ReportedNames } from '../../../src/whatsapp/inbound/contact.ts';
import { jidsMissingAlt, mapEvents } from '../../../src/whatsapp/inbound/map-events.ts';
import { copySenderUsername } from '../../../src/whatsapp/inbound/sender-username.ts';
import { me, settings } from '../../support/session-fakes.ts';

const lid = '222@lid';
const pn = '4915112345678@s.whatsapp.net';
const group = '120363025246125486@g.us';

function mapBatch(batch: Batch, recordIfNew = () => true) {
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

const receivedMessage = (key: WAMessage['key']): Batch => ({
  'messages.upsert': {
    type: 'notify',
    messages: [{ key, messageTimestamp: 1, message: proto.Message.create({ conversation: 'hi' }) }],
  },
});

describe('people with hidden phone numbers', () => {
  it('mapEvents() uses the LID and the user name of a person with a hidden number in messages', () => {
    const key = { remoteJid: lid, fromMe: false, id: 'A1', remoteJidUsername: 'ana.b' };
    expect(mapBatch(receivedMessage(key))).toMatchObject([
      { type: 'contacts.update', contacts: [{ jid: lid, username: 'ana.b' }] },
      {
        type: 'messages.upsert',
        message: { key: { remoteJid: lid, fromMe: false, id: 'A1', remoteJidUsername: 'ana.b' } },
      },
    ]);
    const inGroup = { remoteJid: group, fromMe: false, id: 'A2', participant: lid, participantUsername: 'ana.b' };
    expect(mapBatch(receivedMessage(inGroup))).toEqual([
      { type: 'contacts.update', contacts: [{ jid: lid, username: 'ana.b' }] },
      expect.objectContaining({ message: expect.objectContaining({ key: inGroup }) }),
    ]);
  });

  it('mapEvents() omits an invalid user name from a message', () => {
    for (const name of ['', 'a b', 'x'.repeat(65), '<b>', 'a\n']) {
      const [event, otherEvent] = mapBatch(receivedMessage({ remoteJid: lid, id: 'A1', remoteJidUsername: name }));
      expect(event).toMatchObject({ message: { key: { remoteJid: lid } } });
      expect(JSON.stringify(event)).not.toContain('Username');
      expect(otherEvent).toBeUndefined();
    }
  });

  it('mapEvents() merges the push name and the user name of a person into one contact', () => {
    const batch = {
      ...receivedMessage({ remoteJid: lid, id: 'A1', remoteJidUsername: 'ana' }),
      'contacts.update': [{ id: lid, notify: 'Ana' }],
    };
    expect(mapBatch(batch)[0]).toEqual({
      type: 'contacts.update',
      contacts: [{ jid: lid, pushName: 'Ana', username: 'ana' }],
    });
  });

  it('mapEvents() sets no push name when the name of a contact in the history is the user name', () => {
    const contacts = [
      { id: lid, name: 'ana', username: 'ana' },
      { id: '3@lid', name: 'Bo', username: 'bo' },
    ];
    expect(mapBatch({ 'contacts.upsert': contacts })).toEqual([
      {
        type: 'contacts.upsert',
        contacts: [
          { jid: lid, username: 'ana' },
          { jid: '3@lid', pushName: 'Bo', username: 'bo' },
        ],
      },
    ]);
  });

  it('mapEvents() includes the user name of a group participant', () => {
    const participants = [{ id: lid, username: 'ana', admin: null }];
    expect(mapBatch({ 'group-participants.update': { id: group, author: lid, participants, action: 'add' } })).toEqual([
      {
        type: 'group-participants.update',
        id: group,
        action: 'add',
        author: lid,
        participants: [{ jid: lid, lid, username: 'ana' }],
      },
    ]);
  });

  it('jidsMissingAlt() lists a LID when the second address in the event is the same LID', () => {
    const batch: Batch = {
      'contacts.upsert': [{ id: '1@lid', lid: '1@lid' }],
      'chats.upsert': [{ id: '2@lid', lidJid: '2@lid' }],
    };
    expect([...jidsMissingAlt(batch)]).toEqual(['1@lid', '2@lid']);
  });
});

describe('copySenderUsername', () => {
  it('copySenderUsername() copies the user name of the sender to the attribute that Baileys reads', () => {
    const direct = { from: lid, username: 'ana', peer_recipient_username: 'me' };
    copySenderUsername(direct);
    expect(direct).toEqual({ from: lid, username: 'ana', recipient_username: 'ana' });
    const inGroup: Record<string, string> = { from: group, participant: lid, username: 'ana' };
    copySenderUsername(inGroup);
    expect(inGroup.participant_username).toBe('ana');
  });

  it('copySenderUsername() does not change the attributes of a message that the account sent', () => {
    const own = { from: me.jid, recipient: lid, username: 'me', peer_recipient_username: 'ana' };
    copySenderUsername(own);
    expect(own).toEqual({ from: me.jid, recipient: lid, username: 'me', peer_recipient_username: 'ana' });
  });
});

describe('ReportedNames', () => {
  it('ReportedNames.recordIfNew() returns true again when the user name or the number becomes known', () => {
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
