// Operations that read the LID map when their session ends.
import type { BinaryNode } from '@whiskeysockets/baileys';
import { expect, it } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import { queryLids } from '../../../src/whatsapp/address/lid-query.ts';
import { archiveChat } from '../../../src/whatsapp/chat/archive.ts';
import { fetchHistory } from '../../../src/whatsapp/chat/fetch-history.ts';
import { createGroup } from '../../../src/whatsapp/group/create.ts';
import { listJoinRequests } from '../../../src/whatsapp/group/join-requests.ts';
import { updateParticipants } from '../../../src/whatsapp/group/participants.ts';
import { findGroup } from '../../../src/whatsapp/group/read.ts';
import type { Media } from '../../../src/whatsapp/media/media.ts';
import { updateMessage } from '../../../src/whatsapp/message/edit.ts';
import { markMessagesAsRead } from '../../../src/whatsapp/message/mark-read.ts';
import { sendReaction } from '../../../src/whatsapp/message/reaction.ts';
import { sendStatus } from '../../../src/whatsapp/message/status.ts';
import { sendText } from '../../../src/whatsapp/message/text.ts';
import { changeAppState } from '../../../src/whatsapp/outbound/app-state.ts';
import type { Session } from '../../../src/whatsapp/session.ts';
import { type FakeSession, fakeSession, unlimitedLookups } from '../../support/session-fakes.ts';

const group = '120363025246125486@g.us';
const lid = '222@lid';
const pn = '4915112345678@s.whatsapp.net';
/** The operations in this file do not use it. */
const media = {} as Media;
const messageKey = { id: 'A', remoteJid: group, fromMe: false, participant: pn };

const closeKeys = (session: FakeSession) => {
  session.socket.authState.keys.get = async () => {
    session.end();
    throw new Error('the session has ended, and its keys are sealed');
  };
};

/** Makes reads fail in the same way as a failure of the database, which ends the session and is then thrown. */
const breakStorage = (session: FakeSession) => {
  session.socket.authState.keys.get = async () => {
    session.end();
    throw new GatewayError('STORAGE_UNAVAILABLE', 'The database is not available');
  };
};

const createNode = (tag: string, attrs: Record<string, string>, ...content: BinaryNode[]): BinaryNode => ({
  tag,
  attrs,
  content,
});
const member = createNode('participant', { jid: lid });
/** WhatsApp's answers to the queries of this file, by the tag of the element in the query. */
const ANSWERS: Record<string, BinaryNode> = {
  membership_approval_requests: createNode(
    'membership_approval_requests',
    {},
    createNode('membership_approval_request', { jid: lid }),
  ),
  query: createNode('group', { id: group, subject: 'G', creation: '1', addressing_mode: 'lid' }, member),
  create: createNode('group', { id: group, subject: 'G', creation: '1', addressing_mode: 'lid' }, member),
  remove: createNode('remove', {}, member),
};
const answerTo = (iq: BinaryNode): BinaryNode => {
  const [queryElement] = Array.isArray(iq.content) ? iq.content : [];
  return createNode('iq', { type: 'result' }, ...[ANSWERS[queryElement?.tag ?? ''] ?? []].flat());
};

const OPERATIONS: [name: string, run: (session: Session) => Promise<unknown>][] = [
  ['archiveChat', (session) => archiveChat(session, { chat: pn, archive: true })],
  ['fetchHistory', (session) => fetchHistory(session, { number: pn })],
  ['updateMessage', (session) => updateMessage(session, { text: 'x', key: { id: 'A', remoteJid: pn } })],
  ['markMessagesAsRead', (session) => markMessagesAsRead(session, [{ id: 'A', remoteJid: pn, fromMe: false }])],
  ['listJoinRequests', (session) => listJoinRequests(session, group)],
  ['findGroup', (session) => findGroup(session, group)],
  ['sendReaction', (session) => sendReaction(session, { reactionMessage: { key: messageKey, reaction: '👍' } })],
  [
    'sendStatus',
    (session) =>
      sendStatus(
        session,
        media,
        { statusMessage: { type: 'text', content: 'x', allContacts: true } },
        unlimitedLookups,
      ),
  ],
  [
    'sendText',
    (session) =>
      sendText(session, {
        number: group,
        textMessage: { text: 'x' },
        options: { quoted: { key: { id: 'A', remoteJid: lid } }, linkPreview: false },
      }),
  ],
];

it.each(
  OPERATIONS,
)('%s() throws INSTANCE_NOT_OPEN when the session closes its keys during the call', async (_, run) => {
  const session = fakeSession({ query: async (iq: BinaryNode) => answerTo(iq) });
  session.storage.contacts.find = async () => [{ jid: lid, pushName: 'Ada' }];
  closeKeys(session);
  await expect(run(session)).rejects.toMatchObject({ code: 'INSTANCE_NOT_OPEN', certain: true });
});

it.each(
  OPERATIONS,
)('%s() throws STORAGE_UNAVAILABLE when a failure of the database ends the session', async (_, run) => {
  const session = fakeSession({ query: async (iq: BinaryNode) => answerTo(iq) });
  session.storage.contacts.find = async () => [{ jid: lid, pushName: 'Ada' }];
  breakStorage(session);
  await expect(run(session)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
});

it('fetchHistory() throws STORAGE_UNAVAILABLE when the database fails while the call waits for the phone', async () => {
  const session = fakeSession({
    relayMessage: async () => {
      session.end(new GatewayError('STORAGE_UNAVAILABLE', 'The database is not available'));
      return '';
    },
  });
  const stored = { key: { id: 'A', remoteJid: pn, fromMe: false }, message: {}, messageType: 'conversation' };
  session.storage.messages.find = async () => [
    { message: { ...stored, messageTimestamp: 1, status: 'READ', source: 'android' }, statuses: [] },
  ];
  session.storage.messages.count = async () => 1;
  const fetching = fetchHistory(session, { number: pn });
  await expect(fetching).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE', certain: true });
});

it('queryLids() throws STORAGE_UNAVAILABLE when a failure of the database ends the session', async () => {
  const session = fakeSession({ signalRepository: Object.create(null) });
  const query = queryLids(session, async () => {
    session.end();
    throw new GatewayError('STORAGE_UNAVAILABLE', 'The database is not available');
  });
  await expect(query).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
});

it('createGroup() throws INSTANCE_NOT_OPEN when the session ends before the privacy tokens are read', async () => {
  const session = fakeSession({ query: async (iq: BinaryNode) => answerTo(iq) });
  session.socket.authState.keys.get = async (type) => {
    if (type !== 'tctoken') return {};
    session.end();
    throw new Error('the session has ended, and its keys are sealed');
  };
  const creation = createGroup(session, media, { subject: 'G', participants: [lid] });
  await expect(creation).rejects.toMatchObject({ code: 'INSTANCE_NOT_OPEN', certain: true });
});

it('sendText() throws INSTANCE_NOT_OPEN when a restricted session ends before the chat is known', async () => {
  const restriction = {
    type: 'instance.restricted',
    kind: 'new_chats_locked',
    restricted: true,
    reason: 'BIZ_QUALITY',
  } as const;
  const restrictions = { ...fakeSession().restrictions, newChatRestriction: () => restriction };
  const session = fakeSession({}, { restrictions });
  session.saved.set(pn, { jid: pn, lid, exists: true, checkedAt: Date.now() });
  closeKeys(session);
  const send = sendText(session, { number: pn, textMessage: { text: 'x' }, options: { linkPreview: false } });
  await expect(send).rejects.toMatchObject({ code: 'INSTANCE_NOT_OPEN', certain: true });
});

it('changeAppState() throws INSTANCE_NOT_OPEN when the session ends before the version is read', async () => {
  const session = fakeSession();
  Object.assign(session.socket.authState, { creds: { myAppStateKeyId: 'key' } });
  closeKeys(session);
  const change = changeAppState(session, { archive: true, lastMessages: [] }, pn, 'Failed');
  await expect(change).rejects.toMatchObject({ code: 'INSTANCE_NOT_OPEN', certain: true });
});

const GROUP_CHANGES: [name: string, run: (session: Session) => Promise<unknown>][] = [
  ['createGroup', (session) => createGroup(session, media, { subject: 'G', participants: [lid] })],
  ['updateParticipants', (session) => updateParticipants(session, group, { action: 'remove', participants: [lid] })],
];

it.each(
  GROUP_CHANGES,
)('%s() throws INSTANCE_NOT_OPEN with certain=false when the session ends after WhatsApp got the change', async (_, run) => {
  const session = fakeSession({
    query: async (iq: BinaryNode) => {
      if (iq.attrs.type === 'set') closeKeys(session);
      return answerTo(iq);
    },
  });
  await expect(run(session)).rejects.toMatchObject({ code: 'INSTANCE_NOT_OPEN', certain: false });
});
