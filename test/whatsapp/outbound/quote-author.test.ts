// The author in a quote in a group: the phone number or the LID, depending on the addressing mode of the group.
import { WAMessageAddressingMode } from '@whiskeysockets/baileys';
import { expect, it } from 'vitest';
import { GroupCache } from '../../../src/whatsapp/group/cache.ts';
import { toContextInfo } from '../../../src/whatsapp/outbound/context-info.ts';
import { fakeSession, me, silent } from '../../support/session-fakes.ts';

const group = '120363025246125486@g.us';
const member = '4915100000001@s.whatsapp.net';
const memberKey = { fromMe: false, participant: member };

it.each([
  ['lid', 'a member', { ...memberKey, participantAlt: '222@lid' }, '222@lid'],
  ['lid', 'a member without known LID', memberKey, member],
  ['lid', 'this account', { fromMe: true }, me.lid],
  ['pn', 'a member', { ...memberKey, participantAlt: '222@lid' }, member],
  ['pn', 'this account', { fromMe: true }, me.jid],
] as const)('a quote in a group addressed by %s names %s by the address form of the group, if it is known', async (mode, _author, key, expected) => {
  const addressingMode = mode === 'lid' ? WAMessageAddressingMode.LID : WAMessageAddressingMode.PN;
  const participants = [{ id: '111@lid' }, { id: '222@lid' }];
  const groups = new GroupCache({
    fetch: async (id) => ({ id, owner: undefined, subject: 'G', addressingMode, participants }),
    isMe: () => false,
    log: silent,
  });
  const session = fakeSession({}, { groups });
  session.stored.set('Q1', {
    ...{ key: { remoteJid: group, id: 'Q1', ...key }, message: { conversation: 'the question' } },
    ...{ messageType: 'conversation', messageTimestamp: 1, source: 'android' },
  });
  expect(await toContextInfo(session, group, { quoted: { key: { id: 'Q1' } } })).toMatchObject({
    stanzaId: 'Q1',
    participant: expected,
  });
});
