import { proto, type WAMessage } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import type { DomainEvent } from '../../../src/events/events.ts';
import type { Batch } from '../../../src/whatsapp/inbound/batch.ts';
import { ReportedNames } from '../../../src/whatsapp/inbound/contact.ts';
import { jidsMissingAlt, mapEvents } from '../../../src/whatsapp/inbound/map-events.ts';
import { me, settings } from '../../support/session-fakes.ts';

const { StubType, Status } = proto.WebMessageInfo;
const pn = '4915112345678@s.whatsapp.net';
const lid = '222@lid';
const group = '120363025246125486@g.us';
const now = 1_700_000_999_000;
const lidPairs = new Map([
  [pn, lid],
  [lid, pn],
]);

function mapBatch(batch: Batch, options: { lidPairs?: Map<string, string>; settings?: Partial<typeof settings> } = {}) {
  const skipped: string[] = [];
  const events = mapEvents(batch, {
    me,
    lidPairs: options.lidPairs ?? new Map(),
    settings: { ...settings, ...options.settings },
    now,
    targets: new Map(),
    permissions: new Map(),
    archivedChats: new Map(),
    recordIfNew: () => true,
    onSkipped: (eventName, reason) => skipped.push(`${eventName}: ${reason}`),
  });
  return { events, skipped };
}

const receivedMessage = (parts: Partial<WAMessage> = {}): WAMessage => ({
  key: { remoteJid: pn, fromMe: false, id: `AC${'0'.repeat(30)}`, participant: '' },
  messageTimestamp: 1_700_000_000,
  pushName: 'Ana',
  message: proto.Message.create({ conversation: 'hi' }),
  ...parts,
});
const upsert = (message: WAMessage, type: 'notify' | 'append' = 'notify'): Batch => ({
  'messages.upsert': { messages: [message], type },
});
const keyOf = (events: DomainEvent[]) => {
  const [event] = events;
  return event?.type === 'messages.upsert' ? event.message.key : undefined;
};

describe('messages', () => {
  it.each(['notify', 'append'] as const)('mapEvents() maps messages of type %s', (type) => {
    expect(mapBatch(upsert(receivedMessage(), type)).events).toEqual([
      {
        type: 'messages.upsert',
        message: {
          key: { remoteJid: pn, fromMe: false, id: `AC${'0'.repeat(30)}` },
          pushName: 'Ana',
          message: { conversation: 'hi' },
          messageType: 'conversation',
          messageTimestamp: 1_700_000_000,
          source: 'android',
        },
      },
    ]);
  });

  it('mapEvents() maps content to JSON, with strings for long numbers and bytes, and names for enums', () => {
    const message = proto.Message.decode(
      proto.Message.encode({
        imageMessage: { fileLength: 5_000_000_000, mediaKey: Buffer.from('key'), url: 'https://x' },
        messageContextInfo: { messageSecret: Buffer.from('s') },
      }).finish(),
    );
    const [event] = mapBatch(upsert(receivedMessage({ message, status: Status.SERVER_ACK }))).events;
    expect(event).toMatchObject({
      message: {
        message: {
          imageMessage: { fileLength: '5000000000', mediaKey: 'a2V5' },
          messageContextInfo: { messageSecret: 'cw==' },
        },
        messageType: 'imageMessage',
        status: 'SERVER_ACK',
      },
    });
  });

  it('mapEvents() removes sender keys from the content', () => {
    const message = proto.Message.create({
      senderKeyDistributionMessage: { groupId: group, axolotlSenderKeyDistributionMessage: Buffer.from('secret') },
      conversation: 'hi all',
    });
    const key = { remoteJid: group, participant: pn, fromMe: false, id: 'A1' };
    expect(mapBatch(upsert(receivedMessage({ key, message }))).events).toMatchObject([
      { message: { message: { conversation: 'hi all' } } },
    ]);
  });

  it('mapEvents() maps a message that could not be decrypted to messages.undecryptable', () => {
    const stub = receivedMessage({
      message: undefined,
      messageStubType: StubType.CIPHERTEXT,
      messageStubParameters: ['No session'],
    });
    expect(mapBatch(upsert(stub)).events).toEqual([
      {
        type: 'messages.undecryptable',
        key: { remoteJid: pn, fromMe: false, id: `AC${'0'.repeat(30)}` },
        pushName: 'Ana',
        messageTimestamp: 1_700_000_000,
        reason: 'No session',
      },
    ]);
  });

  const revoke = { protocolMessage: { type: proto.Message.ProtocolMessage.Type.REVOKE } };
  const timer = { protocolMessage: { type: proto.Message.ProtocolMessage.Type.EPHEMERAL_SETTING } };
  it.each<[string, Partial<WAMessage>, string]>([
    ['deletions without a message key', { message: revoke }, 'an edit or deletion that names no message'],
    ['protocol messages', { message: timer }, 'protocol message'],
    ['protocol messages in a wrapper', { message: { ephemeralMessage: { message: timer } } }, 'protocol message'],
    ['poll votes without a poll', { message: { pollUpdateMessage: {} } }, 'poll vote'],
    ['sender keys without content', { message: { senderKeyDistributionMessage: {} } }, 'no content'],
    ['empty messages', { message: undefined }, 'empty'],
    ['group notices', { message: undefined, messageStubType: StubType.GROUP_CREATE }, 'notice'],
    ['messages between own devices', { category: 'peer' }, 'from own device to itself'],
    ['messages without an id', { key: { remoteJid: pn } }, 'no key'],
    ['newsletters', { key: { remoteJid: '1@newsletter', id: 'x' } }, 'not wanted by the settings'],
    ['stories', { key: { remoteJid: 'status@broadcast', participant: pn, id: 'x' } }, 'not wanted by the settings'],
  ])('mapEvents() skips these messages and reports the reason: %s', (_, parts, reason) => {
    expect(mapBatch(upsert(receivedMessage(parts)))).toEqual({ events: [], skipped: [`messages.upsert: ${reason}`] });
  });

  it('mapEvents() skips group messages with groupsIgnore and maps status messages with readStatus', () => {
    const inGroup = receivedMessage({ key: { remoteJid: group, participant: pn, id: 'A1' } });
    expect(mapBatch(upsert(inGroup), { settings: { groupsIgnore: true } }).events).toEqual([]);
    const story = receivedMessage({ key: { remoteJid: 'status@broadcast', participant: pn, id: 'A1' } });
    expect(mapBatch(upsert(story), { settings: { readStatus: true } }).events).toHaveLength(1);
  });
});

describe('keys', () => {
  it.each<[string, WAMessage['key'], object]>([
    ['a number with its LID', { remoteJid: pn, remoteJidAlt: lid }, { remoteJid: pn, remoteJidAlt: lid }],
    ['a LID with its number', { remoteJid: lid, remoteJidAlt: pn }, { remoteJid: pn, remoteJidAlt: lid }],
    [
      'a device of a LID',
      { remoteJid: '222:3@lid', remoteJidAlt: '4915112345678:3@s.whatsapp.net' },
      { remoteJid: pn, remoteJidAlt: lid },
    ],
    [
      'a group member by LID',
      { remoteJid: group, participant: lid, participantAlt: pn },
      { remoteJid: group, participant: pn, participantAlt: lid },
    ],
    [
      'an own message whose other address is that of the account',
      { remoteJid: pn, fromMe: true, remoteJidAlt: me.lid ?? '' },
      { remoteJid: pn },
    ],
  ])('mapEvents() puts the phone number before the LID in a message key: %s', (_, key, expected) => {
    expect(keyOf(mapBatch(upsert(receivedMessage({ key: { fromMe: false, id: 'A1', ...key } }))).events)).toEqual({
      fromMe: key.fromMe ?? false,
      id: 'A1',
      ...expected,
    });
  });

  it('mapEvents() completes a message key from the stored LID pairs', () => {
    const key = { remoteJid: lid, fromMe: true, id: 'A1', remoteJidAlt: me.jid };
    expect(keyOf(mapBatch(upsert(receivedMessage({ key })), { lidPairs }).events)).toEqual({
      remoteJid: pn,
      remoteJidAlt: lid,
      fromMe: true,
      id: 'A1',
    });
  });

  it('mapEvents() keeps the LID in a message key when the number is unknown', () => {
    expect(keyOf(mapBatch(upsert(receivedMessage({ key: { remoteJid: lid, id: 'A1' } }))).events)).toMatchObject({
      remoteJid: lid,
    });
  });

  it('mapEvents() puts both addresses of the account into the key of a message to itself', () => {
    const key = { remoteJid: me.lid, fromMe: true, id: 'A1' };
    expect(keyOf(mapBatch(upsert(receivedMessage({ key }))).events)).toMatchObject({
      remoteJid: me.jid,
      remoteJidAlt: me.lid,
    });
  });
});

describe('statuses', () => {
  const key = { remoteJid: pn, fromMe: true, id: 'A1' };
  it.each([
    [Status.SERVER_ACK, 'SERVER_ACK'],
    [Status.DELIVERY_ACK, 'DELIVERY_ACK'],
    [Status.READ, 'READ'],
    [Status.PLAYED, 'PLAYED'],
  ])('mapEvents() maps status %i to %s', (status, name) => {
    const { events } = mapBatch({ 'messages.update': [{ key, update: { status, messageTimestamp: 1_700_000_005 } }] });
    expect(events).toEqual([{ type: 'messages.update', key, status: name, at: 1_700_000_005_000 }]);
  });

  it('mapEvents() uses the current time for a status without a time', () => {
    expect(mapBatch({ 'messages.update': [{ key, update: { status: Status.READ } }] }).events).toMatchObject([
      { at: now },
    ]);
  });

  it.each<[string, NonNullable<Batch['messages.update']>[number]]>([
    ['a read of a received message', { key: { ...key, fromMe: false }, update: { status: Status.READ } }],
    ['a refusal, which its ack reports', { key, update: { status: Status.ERROR } }],
    ['an edit', { key, update: { message: { conversation: 'new' } } }],
    ['a deletion', { key, update: { message: null, messageStubType: StubType.REVOKE } }],
  ])('mapEvents() maps no status from %s', (_, update) => {
    const { events } = mapBatch({ 'messages.update': [update] });
    expect(events.filter(({ type }) => type === 'messages.update')).toEqual([]);
  });

  it.each([
    [{ receiptTimestamp: 1_700_000_001 }, 'DELIVERY_ACK', 1_700_000_001_000],
    [{ readTimestamp: 1_700_000_002 }, 'READ', 1_700_000_002_000],
  ])('mapEvents() maps a group receipt with the member who sent it: %j', (times, status, at) => {
    const inGroup = { remoteJid: group, fromMe: true, id: 'A1', participant: '222:2@lid' };
    const { events } = mapBatch(
      { 'message-receipt.update': [{ key: inGroup, receipt: { userJid: lid, ...times } }] },
      { lidPairs },
    );
    expect(events).toEqual([
      {
        type: 'messages.update',
        key: { remoteJid: group, fromMe: true, id: 'A1', participant: pn, participantAlt: lid },
        status,
        at,
      },
    ]);
  });
});

describe('people', () => {
  it.each([
    [
      { id: pn, notify: 'Ana' },
      { jid: pn, pushName: 'Ana' },
    ],
    [
      { id: lid, phoneNumber: pn, name: 'Ana Lima' },
      { jid: pn, lid, pushName: 'Ana Lima' },
    ],
    [
      { id: pn, lid, verifiedName: 'Shop' },
      { jid: pn, lid, pushName: 'Shop' },
    ],
    [{ id: lid }, { jid: lid }],
  ])('mapEvents() maps the contact %j', (contact, expected) => {
    expect(mapBatch({ 'contacts.upsert': [contact] }).events).toEqual([
      { type: 'contacts.upsert', contacts: [expected] },
    ]);
    expect(mapBatch({ 'contacts.update': [contact] }).events).toEqual([
      { type: 'contacts.update', contacts: [expected] },
    ]);
  });

  it.each([group, 'status@broadcast', '1@newsletter'])('mapEvents() skips a contact with the address %s', (id) =>
    expect(mapBatch({ 'contacts.upsert': [{ id, name: 'G' }] }).events).toEqual([]));

  it('ReportedNames.recordIfNew() returns true only for a new contact or a changed name', () => {
    const reportedNames = new ReportedNames();
    const contacts = [
      { jid: pn },
      { jid: pn },
      { jid: pn, pushName: 'Ana' },
      { jid: pn, pushName: 'Ana' },
      { jid: lid },
    ];
    expect(contacts.map((contact) => reportedNames.recordIfNew(contact))).toEqual([true, false, true, false, true]);
  });

  it('mapEvents() maps presence updates with phone numbers', () => {
    const presences = {
      [lid]: { lastKnownPresence: 'composing' as const },
      [pn]: { lastKnownPresence: 'unavailable' as const, lastSeen: 17 },
    };
    expect(mapBatch({ 'presence.update': { id: group, presences } }, { lidPairs }).events).toEqual([
      {
        type: 'presence.update',
        id: group,
        presences: { [pn]: { lastKnownPresence: 'unavailable', lastSeen: 17, lid } },
      },
    ]);
    expect(
      mapBatch(
        { 'presence.update': { id: lid, presences: { [lid]: { lastKnownPresence: 'composing' } } } },
        { lidPairs },
      ).events,
    ).toEqual([{ type: 'presence.update', id: pn, lid, presences: { [pn]: { lastKnownPresence: 'composing', lid } } }]);
  });
});

describe('history', () => {
  it('mapEvents() maps a history to contacts, chats and messages', () => {
    const history = {
      contacts: [
        { id: lid, phoneNumber: pn, notify: 'Ana' },
        { id: group, name: 'Family' },
      ],
      chats: [{ id: pn, lidJid: lid }],
      messages: [receivedMessage()],
    };
    expect(mapBatch({ 'messaging-history.set': history }).events).toMatchObject([
      { type: 'contacts.upsert', contacts: [{ jid: pn, lid, pushName: 'Ana' }] },
      { type: 'chats.set', chats: [{ jid: pn, lid }] },
      { type: 'messages.set', messages: [{ key: { remoteJid: pn }, messageType: 'conversation' }] },
    ]);
  });
});

describe('changes on other devices', () => {
  it('mapEvents() maps a deletion on another device to messages.delete with the scope "me"', () => {
    const keys = [{ remoteJid: lid, fromMe: false, id: 'A1' }];
    expect(mapBatch({ 'messages.delete': { keys } }, { lidPairs }).events).toEqual([
      {
        type: 'messages.delete',
        key: { remoteJid: pn, remoteJidAlt: lid, fromMe: false, id: 'A1' },
        at: now,
        scope: 'me',
      },
    ]);
  });

  it('mapEvents() maps changes of chats on other devices with phone numbers', () => {
    const change = { id: lid, archived: true };
    expect(
      mapBatch({ 'chats.update': [change], 'chats.delete': [lid], 'chats.upsert': [change] }, { lidPairs }).events,
    ).toEqual([
      { type: 'chats.upsert', chats: [{ jid: pn, lid, archived: true }] },
      { type: 'chats.update', chats: [{ jid: pn, lid, archived: true }] },
      { type: 'chats.delete', jids: [pn], lids: new Map([[pn, lid]]) },
    ]);
    expect(mapBatch({ 'chats.update': [{ id: pn, unreadCount: 1 }] }).events).toEqual([]);
  });
});

describe('batches', () => {
  it('mapEvents() puts messages before statuses and reports unknown events as skipped', () => {
    const { events, skipped } = mapBatch({
      'messages.update': [{ key: { remoteJid: pn, fromMe: true, id: 'A1' }, update: { status: Status.READ } }],
      'messages.upsert': { messages: [receivedMessage()], type: 'notify' },
      'blocklist.set': { blocklist: [] },
      'creds.update': {},
    });
    expect(events.map(({ type }) => type)).toEqual(['messages.upsert', 'messages.update']);
    expect(skipped).toEqual(['blocklist.set: not mapped']);
  });

  it('jidsMissingAlt() lists exactly the addresses without a second address', () => {
    const batch: Batch = {
      'messages.upsert': {
        type: 'notify',
        messages: [
          receivedMessage({ key: { remoteJid: pn, remoteJidAlt: lid, id: '1' } }),
          receivedMessage({ key: { remoteJid: '3@lid', id: '2' } }),
          receivedMessage({ key: { remoteJid: group, participant: '4@lid', id: '3' } }),
          receivedMessage({ key: { remoteJid: '5@lid', remoteJidAlt: me.jid, fromMe: true, id: '4' } }),
        ],
      },
      'presence.update': { id: '6@lid', presences: {} },
      'chats.update': [{ id: '7@lid' }],
      'chats.delete': ['8@lid'],
      'messages.delete': { keys: [{ remoteJid: '14@lid', id: '6' }] },
      'messaging-history.set': {
        contacts: [{ id: '9@lid' }, { id: '10@lid', phoneNumber: pn }],
        chats: [{ id: '11@lid' }, { id: '12@lid', pnJid: pn }],
        messages: [receivedMessage({ key: { remoteJid: '13@lid', id: '5' } })],
      },
    };
    const expected = [3, 4, 5, 13, 9, 6, 7, 11, 8, 14].map((user) => `${user}@lid`);
    expect([...jidsMissingAlt(batch)].sort()).toEqual(expected.sort());
  });
});
