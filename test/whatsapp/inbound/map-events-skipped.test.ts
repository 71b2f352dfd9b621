import { proto, type WAMessage } from '@whiskeysockets/baileys';
import { LabelAssociationType } from '@whiskeysockets/baileys/lib/Types/LabelAssociation.js';
import { describe, expect, it } from 'vitest';
import type { Batch } from '../../../src/whatsapp/inbound/batch.ts';
import { mapEvents } from '../../../src/whatsapp/inbound/map-events.ts';
import { me, settings } from '../../support/session-fakes.ts';

const { StubType } = proto.WebMessageInfo;
const pn = '4915112345678@s.whatsapp.net';
const group = '120363025246125486@g.us';

function mapBatch(batch: Batch, overrides: Partial<typeof settings> = {}) {
  const skipped: string[] = [];
  const events = mapEvents(batch, {
    ...{
      me,
      lidPairs: new Map(),
      targets: new Map(),
      permissions: new Map(),
      settings: { ...settings, ...overrides },
      now: 1,
    },
    archivedChats: new Map(),
    recordIfNew: () => true,
    onSkipped: (eventName, reason) => skipped.push(`${eventName}: ${reason}`),
  });
  return { events, skipped };
}

const receivedMessage = (parts: Partial<WAMessage>): WAMessage => ({
  key: { remoteJid: pn, id: 'A1' },
  messageTimestamp: 1_700_000_000,
  message: proto.Message.create({ conversation: 'hi' }),
  ...parts,
});
const upsert = (message: WAMessage): Batch => ({ 'messages.upsert': { messages: [message], type: 'notify' } });

describe('skipped events', () => {
  const story = 'status@broadcast';
  const channel = '1@newsletter';
  const revoke = {
    protocolMessage: { type: proto.Message.ProtocolMessage.Type.REVOKE, key: { fromMe: true, id: 'A1' } },
  };
  const batchesOfChat = (jid: string): Batch[] => [
    upsert(receivedMessage({ key: { remoteJid: jid, participant: pn, id: 'A1' } })),
    upsert(
      receivedMessage({ key: { remoteJid: jid, participant: pn, id: 'A1' }, messageStubType: StubType.CIPHERTEXT }),
    ),
    upsert(receivedMessage({ key: { remoteJid: jid, participant: pn, id: 'A2' }, message: revoke })),
    { 'messages.delete': { keys: [{ remoteJid: jid, id: 'A1' }] } },
    {
      'messaging-history.set': {
        chats: [],
        contacts: [],
        messages: [receivedMessage({ key: { remoteJid: jid, id: 'A1' } })],
      },
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
  const countEvents = (jid: string, overrides: Partial<typeof settings> = {}) =>
    batchesOfChat(jid).map((batch) => mapBatch(batch, overrides).events.length);
  const everyBatchMapped = batchesOfChat(group).map(() => 1);
  const noBatchMapped = batchesOfChat(group).map(() => 0);

  it.each<[string, string, Partial<typeof settings>, number[]]>([
    ['all batches of groups', group, {}, everyBatchMapped],
    ['no batch of groups with groupsIgnore', group, { groupsIgnore: true }, noBatchMapped],
    ['all batches of a person with groupsIgnore', pn, { groupsIgnore: true }, everyBatchMapped],
    ['no batch of stories', story, {}, noBatchMapped],
    ['all batches of stories with readStatus', story, { readStatus: true }, everyBatchMapped],
    ['no batch of channels with readStatus', channel, { readStatus: true }, noBatchMapped],
  ])('mapEvents() maps %s', (_, jid, overrides, expected) => expect(countEvents(jid, overrides)).toEqual(expected));

  // The fuzz test found these batches. The types of Baileys require the addresses, but a stanza can omit them.
  const withoutAddress = (value: object): Batch => value;

  it.each<[string, Batch]>([
    ['a call without caller', withoutAddress({ call: [{ id: 'C1', chatId: pn, status: 'offer', date: new Date(0) }] })],
    ['a call without chat', withoutAddress({ call: [{ id: 'C1', from: pn, status: 'offer', date: new Date(0) }] })],
    ['a presence without a chat', withoutAddress({ 'presence.update': { presences: {} } })],
    ['a join request without an address', withoutAddress({ 'group.join-request': { id: group, action: 'created' } })],
    [
      'a change of participants without addresses',
      withoutAddress({ 'group-participants.update': { id: group, action: 'add', participants: [{}] } }),
    ],
  ])('mapEvents() skips %s', (_, batch) => expect(mapBatch(batch).events).toEqual([]));

  it('mapEvents() skips a participant without an address and keeps the others', () => {
    const participants = [{}, { id: pn }];
    const changed = withoutAddress({ 'group-participants.update': { id: group, action: 'add', participants } });
    expect(mapBatch(changed).events).toMatchObject([{ participants: [{ jid: pn }] }]);
    const created = withoutAddress({ 'groups.upsert': [{ id: group, subject: 's', participants }] });
    expect(mapBatch(created).events).toMatchObject([{ group: { participants: [{ id: pn }] } }]);
  });

  it('mapEvents() reports the reason of a skip without message content', () => {
    expect(mapBatch({ 'messages.delete': { jid: pn, all: true } })).toEqual({
      events: [],
      skipped: ['messages.delete: all of a chat'],
    });
    const vote = receivedMessage({ key: { remoteJid: channel, id: '1' } });
    const history = { chats: [], contacts: [], messages: [vote, receivedMessage({ message: undefined })] };
    expect(mapBatch({ 'messaging-history.set': history }).skipped).toEqual([
      'messaging-history.set: not wanted by the settings',
      'messaging-history.set: empty',
    ]);
  });
});
