import { proto, type WAMessage } from '@whiskeysockets/baileys';
import { LabelAssociationType } from '@whiskeysockets/baileys/lib/Types/LabelAssociation.js';
import { describe, expect, it } from 'vitest';
import type { Batch } from '../../../src/whatsapp/inbound/batch.ts';
import { mapEvents } from '../../../src/whatsapp/inbound/map-events.ts';
import { me, settings } from '../fakes.ts';

const { StubType } = proto.WebMessageInfo;
const pn = '4915112345678@s.whatsapp.net';
const group = '120363025246125486@g.us';

function map(batch: Batch, wishes: Partial<typeof settings> = {}) {
  const skipped: string[] = [];
  const events = mapEvents(batch, {
    ...{
      me,
      lidPairs: new Map(),
      targets: new Map(),
      permissions: new Map(),
      settings: { ...settings, ...wishes },
      now: 1,
    },
    archivedChats: new Map(),
    recordIfNew: () => true,
    onSkipped: (what, why) => skipped.push(`${what}: ${why}`),
  });
  return { events, skipped };
}

const received = (parts: Partial<WAMessage>): WAMessage => ({
  key: { remoteJid: pn, id: 'A1' },
  messageTimestamp: 1_700_000_000,
  message: proto.Message.create({ conversation: 'hi' }),
  ...parts,
});
const upsert = (message: WAMessage): Batch => ({ 'messages.upsert': { messages: [message], type: 'notify' } });

describe('what the settings and the platform leave out', () => {
  const story = 'status@broadcast';
  const channel = '1@newsletter';
  const revoke = {
    protocolMessage: { type: proto.Message.ProtocolMessage.Type.REVOKE, key: { fromMe: true, id: 'A1' } },
  };
  const inChat = (jid: string): Batch[] => [
    upsert(received({ key: { remoteJid: jid, participant: pn, id: 'A1' } })),
    upsert(received({ key: { remoteJid: jid, participant: pn, id: 'A1' }, messageStubType: StubType.CIPHERTEXT })),
    upsert(received({ key: { remoteJid: jid, participant: pn, id: 'A2' }, message: revoke })),
    { 'messages.delete': { keys: [{ remoteJid: jid, id: 'A1' }] } },
    {
      'messaging-history.set': { chats: [], contacts: [], messages: [received({ key: { remoteJid: jid, id: 'A1' } })] },
    },
    { 'messaging-history.set': { chats: [{ id: jid }], contacts: [], messages: [] } },
    { 'chats.upsert': [{ id: jid }] },
    { 'chats.update': [{ id: jid, archived: true }] },
    { 'chats.delete': [jid] },
    {
      'labels.association': {
        type: 'add',
        association: { type: LabelAssociationType.Chat, chatId: jid, labelId: '7' },
      },
    },
    { 'presence.update': { id: jid, presences: { [pn]: { lastKnownPresence: 'composing' } } } },
  ];
  const mapped = (jid: string, wishes: Partial<typeof settings> = {}) =>
    inChat(jid).map((batch) => map(batch, wishes).events.length);
  const all = inChat(group).map(() => 1);
  const none = inChat(group).map(() => 0);

  it.each<[string, string, Partial<typeof settings>, number[]]>([
    ['of groups everything', group, {}, all],
    ['of groups nothing, with groupsIgnore', group, { groupsIgnore: true }, none],
    ['of a person everything, with groupsIgnore', pn, { groupsIgnore: true }, all],
    ['of stories nothing', story, {}, none],
    ['of stories everything, with readStatus', story, { readStatus: true }, all],
    ['of channels nothing', channel, { readStatus: true }, none],
  ])('mapEvents skips %s and logs it', (_, jid, wishes, wanted) => expect(mapped(jid, wishes)).toEqual(wanted));

  // The fuzzer's: the types of the library promise these addresses, and a stanza without them has none.
  const unaddressed = (given: object): Batch => given;

  it.each<[string, Batch]>([
    ['a call without caller', unaddressed({ call: [{ id: 'C1', chatId: pn, status: 'offer', date: new Date(0) }] })],
    ['a call without chat', unaddressed({ call: [{ id: 'C1', from: pn, status: 'offer', date: new Date(0) }] })],
    ['presence without chat', unaddressed({ 'presence.update': { presences: {} } })],
    ['a join request of no address', unaddressed({ 'group.join-request': { id: group, action: 'created' } })],
    [
      'a change of participants without address',
      unaddressed({ 'group-participants.update': { id: group, action: 'add', participants: [{}] } }),
    ],
  ])('mapEvents skips what is %s', (_, batch) => expect(map(batch).events).toEqual([]));

  it('mapEvents skips a participant without an address and keeps the others', () => {
    const participants = [{}, { id: pn }];
    const changed = unaddressed({ 'group-participants.update': { id: group, action: 'add', participants } });
    expect(map(changed).events).toMatchObject([{ participants: [{ jid: pn }] }]);
    const made = unaddressed({ 'groups.upsert': [{ id: group, subject: 's', participants }] });
    expect(map(made).events).toMatchObject([{ group: { participants: [{ id: pn }] } }]);
  });

  it('mapEvents logs the reason without content', () => {
    expect(map({ 'messages.delete': { jid: pn, all: true } })).toEqual({
      events: [],
      skipped: ['messages.delete: all of a chat'],
    });
    const vote = received({ key: { remoteJid: channel, id: '1' } });
    const past = { chats: [], contacts: [], messages: [vote, received({ message: undefined })] };
    expect(map({ 'messaging-history.set': past }).skipped).toEqual([
      'messaging-history.set: not wanted by the settings',
      'messaging-history.set: empty',
    ]);
  });
});
