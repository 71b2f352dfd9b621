// Checks that the webhook posts of all events match the contract.
import { describe, expect, it } from 'vitest';
import { toPostedBody, toStoredBody } from '../../src/events/envelope.ts';
import { descriptorOf } from '../../src/events/event-descriptors.ts';
import { SUBSCRIPTION_NAMES, toSubscriptionName } from '../../src/events/event-names.ts';
import type { Chat, DomainEvent, GroupRecord, Message } from '../../src/events/events.ts';
import { postViolations } from '../support/conforms.ts';
import { spec } from '../support/openapi-document.ts';

const key = { remoteJid: '5511987654321@s.whatsapp.net', fromMe: false, id: '3A01', remoteJidAlt: '1500@lid' };
const message: Message = {
  key: { ...key, remoteJid: '120363025246125486@g.us', participant: '5511987654321@s.whatsapp.net' },
  pushName: 'Ana',
  message: { extendedTextMessage: { text: 'hello', contextInfo: { stanzaId: '3A00' } } },
  messageType: 'extendedTextMessage',
  messageTimestamp: 1767225600,
  status: 'PENDING',
  source: 'android',
};
const contacts = [{ jid: key.remoteJid, lid: '1500@lid', pushName: 'Ana' }, { jid: '1501@lid' }];
const chats: Chat[] = [
  {
    jid: key.remoteJid,
    lid: '1500@lid',
    name: 'Ana',
    unread: 2,
    lastMessageAt: 1767225600,
    archived: false,
    pinned: true,
    mutedUntil: 1767225600000,
    ephemeral: 86400,
  },
  { jid: '120363025246125486@g.us', mutedUntil: null },
];

const group: GroupRecord = {
  ...{ id: '120363025246125486@g.us', subject: 'S', subjectOwner: key.remoteJid, subjectTime: 1, pictureUrl: null },
  ...{ size: 1, creation: 1, owner: key.remoteJid, desc: 'd', descId: 'D', restrict: false, announce: true },
  ...{ isCommunity: false, isCommunityAnnounce: false, linkedParent: '1@g.us', ephemeralDuration: 86400 },
  ...{ addressingMode: 'lid', participants: [{ id: key.remoteJid, admin: 'superadmin', lid: '1500@lid' }] },
};

/** A complete event of every type, and further forms of types whose optional fields differ. */
const samples: DomainEvent[] = [
  { type: 'qrcode.updated', code: '2@a,b', pairingCode: 'ABCD1234', base64: 'data:image/png;base64,AA==', count: 2 },
  { type: 'qrcode.updated', limitReached: true },
  { type: 'connection.update', state: 'open', statusReason: 200, wuid: key.remoteJid, profileName: 'Shop' },
  {
    type: 'connection.update',
    state: 'close',
    statusReason: 428,
    cause: 'transient',
    message: 'The connection was lost',
    userAction: 'none',
    retryAt: 1767225600000,
  },
  { type: 'messages.upsert', message },
  { type: 'messages.update', key, status: 'READ', at: 1767225600000 },
  { type: 'messages.update', key, status: 'ERROR', at: 1767225600000, code: '463', reason: 'restricted' },
  {
    type: 'messages.update',
    key,
    at: 1767225600000,
    pollUpdates: [{ name: 'today', voters: [key.remoteJid] }],
    vote: { id: '3A02', voter: key.remoteJid, voterAlt: '1500@lid', options: ['today'], at: 1767225600000 },
  },
  { type: 'messages.set', messages: [message] },
  { type: 'send.message', message: { ...message, message: { conversation: 'hello' }, messageType: 'conversation' } },
  {
    type: 'send.message.update',
    message: { ...message, messageType: 'protocolMessage', message: { protocolMessage: { type: 'MESSAGE_EDIT' } } },
    edited: { key, message: { extendedTextMessage: { text: 'bye' } }, text: 'bye', at: 1767225600000 },
  },
  { type: 'messages.edited', key, message: { conversation: 'bye' }, text: 'bye', at: 1767225600000 },
  { type: 'messages.delete', key: message.key, at: 1767225600000 },
  { type: 'messages.delete', key: message.key, at: 1767225600000, scope: 'me' },
  ...(['chats.set', 'chats.upsert', 'chats.update'] as const).map((type) => ({ type, chats })),
  { type: 'chats.delete', jids: [key.remoteJid] },
  { type: 'labels.edit', id: '7', name: 'Customers', color: 3, deleted: false, predefinedId: '1' },
  { type: 'labels.association', action: 'add', labelId: '7', jid: key.remoteJid, lid: '1500@lid', messageId: '3A01' },
  { type: 'labels.association', action: 'remove', labelId: '7', jid: key.remoteJid },
  {
    type: 'presence.update',
    id: key.remoteJid,
    lid: '1500@lid',
    presences: { [key.remoteJid]: { lastKnownPresence: 'composing', lid: '1500@lid' } },
  },
  { type: 'contacts.upsert', contacts },
  { type: 'contacts.update', contacts },
  { type: 'messages.undecryptable', key, pushName: 'Ana', messageTimestamp: 1767225600, reason: 'no session' },
  { type: 'groups.upsert', group: { ...group, author: key.remoteJid, authorAlt: '1500@lid' } },
  { type: 'groups.upsert', group: { ...group, participants: undefined } },
  {
    type: 'groups.update',
    group: {
      ...{
        id: group.id,
        subject: 'S',
        desc: '',
        announce: true,
        restrict: false,
        inviteCode: 'c',
        memberAddMode: true,
      },
      ...{ joinApprovalMode: true, ephemeralDuration: 0, picture: 'removed', author: key.remoteJid },
    },
  },
  {
    ...{ type: 'group-participants.update', id: group.id, action: 'add', author: key.remoteJid, authorAlt: '1500@lid' },
    participants: [
      { jid: key.remoteJid, lid: '1500@lid', admin: 'admin' },
      { jid: '1501@lid', lid: '1501@lid' },
    ],
  },
  {
    ...{ type: 'group.join-request', id: group.id, action: 'created', method: 'invite_link', author: key.remoteJid },
    participant: { jid: key.remoteJid, lid: '1500@lid' },
  },
  {
    ...{
      type: 'call',
      id: 'C',
      chatId: key.remoteJid,
      from: key.remoteJid,
      fromAlt: '1500@lid',
      at: 0,
      status: 'offer',
    },
    ...{ offline: false, isVideo: true, isGroup: true, groupJid: group.id, latencyMs: 20.5 },
  },
  {
    ...{ type: 'instance.restricted', kind: 'new_chats_capped', restricted: true, reason: 'CAPPED', until: 0 },
    quota: { total: 10, used: 10 },
  },
  { type: 'instance.restricted', kind: 'new_chats_locked', restricted: false, reason: 'DEFAULT' },
  { type: 'history.progress', syncType: 'RECENT', progress: 42, messages: 1300, done: false },
  { type: 'history.progress', syncType: 'FULL', messages: 0, done: false },
  { type: 'application.startup', startedAt: 0 },
  { type: 'instance.create' },
  { type: 'status.instance', code: 401, cause: 'logged_out', message: 'The link is gone', at: 0 },
  { type: 'instance.delete' },
  { type: 'logout.instance' },
  { type: 'remove.instance' },
];

/** The post as an integrator receives it. */
function posted(event: DomainEvent) {
  const envelope = {
    event: event.type,
    instance: 'shop',
    data: descriptorOf(event).toData(event, { id: 'an-id', name: 'shop' }),
    date_time: new Date(0).toISOString(),
    sender: '5511912345678@s.whatsapp.net',
    server_url: 'http://127.0.0.1:8080',
  };
  return JSON.parse(toPostedBody(toStoredBody(envelope), 'http://127.0.0.1:9000/events'));
}

/** Subscription names without an event of their own, with the reason. */
const NAMES_WITHOUT_EVENT: Record<string, string> = {
  CONTACTS_SET: 'contacts of the past come as contacts.upsert, as they do from the peers',
  TYPEBOT_START: 'there is no chatbot in here',
  TYPEBOT_CHANGE_STATUS: 'there is no chatbot in here',
  CHAMA_AI_ACTION: 'there is no chatbot in here',
  NEW_JWT_TOKEN: 'keys do not expire',
  GROUP_UPDATE: 'a second name for groups.update, which is delivered to its subscribers',
};

// Only a request sends webhook.test. test/webhooks/test-delivery.test.ts compares it with the contract.
const eventTypes = Object.keys(spec.webhooks).filter((event) => event !== 'webhook.test');

describe('webhook posts', () => {
  it('the samples cover every webhook event of the contract', () => {
    const types = new Set<string>(samples.map(({ type }) => type));
    expect([...types].sort()).toEqual(eventTypes.sort());
  });

  it.each(samples)('a post of $type matches the contract and has no field that the contract does not name', (event) => {
    expect(postViolations(posted(event))).toBeUndefined();
  });

  it('the contract lists the subscription names that have no event', () => {
    const description = spec.components.schemas.EventName?.description;
    for (const name of Object.keys(NAMES_WITHOUT_EVENT)) expect(description).toContain(name);
  });

  it('every subscription name has an event in the contract, except the listed names without an event', () => {
    const namesWithEvent = eventTypes.map(toSubscriptionName);
    expect([...namesWithEvent, ...Object.keys(NAMES_WITHOUT_EVENT)].sort()).toEqual(SUBSCRIPTION_NAMES);
  });
});
