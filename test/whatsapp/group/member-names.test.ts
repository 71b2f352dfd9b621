import type { BinaryNode } from '@whiskeysockets/baileys';
import { expect, it } from 'vitest';
import type { Contact } from '../../../src/events/events.ts';
import { openStorage } from '../../../src/storage/open.ts';
import { findParticipants } from '../../../src/whatsapp/group/read.ts';
import { fakeSession } from '../../support/session-fakes.ts';

const group = '120363025246125486@g.us';
const lid = '222@lid';
const currentJid = '4915119999999@s.whatsapp.net';
/** The JIDs before the changes of the phone number. The LID of a person stays the same. */
const oldJids = ['4915110000001', '4915110000002', '4915110000003'].map((number) => `${number}@s.whatsapp.net`);
const contacts: Contact[] = [...oldJids.map((jid) => ({ jid, lid })), { jid: currentJid, lid, pushName: 'Ada' }];

it('findParticipants() returns the name of a member who changed the phone number several times', async () => {
  const storage = await openStorage({ dataDir: ':memory:', network: 'sandbox' });
  await storage.messages.record('one', { messages: [], statuses: [], contacts, events: [] });
  const member: BinaryNode = { tag: 'participant', attrs: { jid: lid, phone_number: currentJid } };
  const record: BinaryNode = { tag: 'group', attrs: { id: group, addressing_mode: 'lid' }, content: [member] };
  const session = fakeSession({ query: async () => ({ tag: 'iq', attrs: {}, content: [record] }) }, { storage });
  expect(await findParticipants(session, group)).toMatchObject([{ id: currentJid, lid, name: 'Ada' }]);
  await storage.close();
});
