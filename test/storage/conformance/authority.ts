// Permissions to edit, delete and acknowledge a stored message. A refused change has no effect and is not delivered.
import { describe, expect, it } from 'vitest';
import type { Authority, MessageKey, MessageStatus } from '../../../src/events/events.ts';
import type { Storage } from '../../../src/storage/storage.ts';
import { CHAT, change, event, key, message, queuedFor, toEventBatch } from '../../support/sample-rows.ts';
import { beforeAndAfterRestart, type OpenFixture } from './fixture.ts';

const GROUP = '120363000000000001@g.us';
const LID = '777@lid';
const OTHER_CHAT = '5511999990001@s.whatsapp.net';

const receivedKey = key('m', { fromMe: false });
const ownKey = key('m');
const bob: MessageKey = {
  ...{ remoteJid: GROUP, fromMe: false, id: 'm' },
  ...{ participant: '1@s.whatsapp.net', participantAlt: '1@lid' },
};
const mallory: MessageKey = { ...bob, participant: '2@s.whatsapp.net', participantAlt: '2@lid' };
const admin: Authority = { mayModerate: true, namesOtherAuthor: true };
const { participantAlt: _, ...bobByLid } = { ...bob, participant: '1@lid' };
const { participantAlt: __, ...bobByNumber } = bob;

const revoke = (changeKey: MessageKey, authority?: Authority) =>
  toEventBatch({
    statuses: [
      {
        change: change(changeKey.id, 'DELETED', { key: changeKey }),
        events: [event('revoked')],
        ...authorityPart(authority),
      },
    ],
  });
const edit = (changeKey: MessageKey, authority?: Authority) =>
  toEventBatch({
    edits: [
      { key: changeKey, text: 'edited', at: 1_700_000_100, events: [event('edited')], ...authorityPart(authority) },
    ],
  });
const authorityPart = (authority?: Authority) => (authority ? { authority } : {});
const messageBatch = (messageKey: MessageKey) =>
  toEventBatch({ messages: [{ message: message(messageKey.id, { key: messageKey }), events: [] }] });
const readMessage = (storage: Storage, chat?: string) => storage.messages.get('a', 'm', chat);

const allowed: [who: string, stored: MessageKey, changeKey: MessageKey, authority?: Authority][] = [
  ['the other side of a chat to its own message', receivedKey, receivedKey],
  ['the other side, named by LID', { ...receivedKey, remoteJidAlt: LID }, { ...receivedKey, remoteJid: LID }],
  ['another device of this account to an own message', ownKey, ownKey],
  ['a group member to its own message', bob, bob],
  ['a member that is stored only by LID and named by both addresses', bobByLid, bob],
  ['a member that is stored by both addresses and named only by LID', bob, bobByLid],
  [
    'a member that is stored only by number and named by both addresses',
    bobByNumber,
    { ...bob, participant: '1@lid', participantAlt: '1@s.whatsapp.net' },
  ],
  ['an author that names another author', receivedKey, receivedKey, { namesOtherAuthor: true }],
];

const refused: [who: string, stored: MessageKey, changeKey: MessageKey, authority?: Authority][] = [
  ['the other side of a chat to a message of this account', ownKey, receivedKey, { namesOtherAuthor: true }],
  ['the other side that claims a message of this account as its own', ownKey, receivedKey],
  ['another device of this account to a message of the other side', receivedKey, ownKey],
  ['a group member to a message of another member', bob, mallory, { namesOtherAuthor: true }],
  ['a member that claims a message of another member as its own', bob, mallory],
  ['a member to a message of this account', { ...ownKey, remoteJid: GROUP }, mallory],
  ['a member to a message without a stored author', { remoteJid: GROUP, fromMe: false, id: 'm' }, mallory],
  ['a member of another group', bob, { ...bob, remoteJid: '120363000000000002@g.us' }],
  ['an admin of another group', bob, { ...mallory, remoteJid: '120363000000000002@g.us' }, admin],
  ['a person in another chat', receivedKey, { ...receivedKey, remoteJid: OTHER_CHAT }],
];

export function authorityTests(open: OpenFixture): void {
  describe.each([
    ['a deletion', revoke],
    ['an edit', edit],
  ] as const)('%s', (kind, createChange) => {
    const isApplied = (found: Awaited<ReturnType<typeof readMessage>>) =>
      kind === 'a deletion'
        ? found?.status === 'DELETED' && Object.keys(found.message).length === 0
        : found?.message.conversation === 'edited';

    it.each(
      allowed,
    )('messages.record() applies and delivers a change by %s', async (_who, stored, changeKey, authority) => {
      const fixture = await open();
      await fixture.storage.messages.record('a', messageBatch(stored));
      const store = await fixture.reopen();
      const recorded = await store.messages.record('a', createChange(changeKey, authority));
      expect(recorded).toMatchObject({ queued: queuedFor('hook'), events: [{}] });
      expect(recorded).not.toHaveProperty('refused');
      expect(await readMessage(store)).toSatisfy(isApplied);
    });

    it.each(refused)('messages.record() refuses a change by %s', async (_who, stored, changeKey, authority) => {
      const fixture = await open();
      await fixture.storage.messages.record('a', messageBatch(stored));
      expect(await fixture.storage.messages.record('a', createChange(changeKey, authority))).toEqual({
        queued: new Map(),
        events: [],
        refused: 1,
      });
      for await (const store of beforeAndAfterRestart(fixture)) {
        expect(await readMessage(store)).toEqual(message('m', { key: stored }));
        expect(await store.messages.statuses('a', 'm')).toEqual([]);
      }
    });

    it('messages.record() applies a change by a group admin to a message of another author', async () => {
      const { storage } = await open();
      for (const stored of [bob, { ...ownKey, remoteJid: GROUP }]) {
        await storage.messages.record('a', messageBatch(stored));
      }
      const { queued } = await storage.messages.record('a', createChange(mallory, admin));
      expect([queued, isApplied(await readMessage(storage))]).toEqual([queuedFor('hook'), true]);
    });

    it('messages.record() checks the author of a change that arrives in one batch with its message', async () => {
      const { storage } = await open();
      const { messages } = messageBatch(bob);
      expect(await storage.messages.record('a', { ...createChange(mallory), messages })).toMatchObject({
        events: [],
        refused: 1,
      });
      expect(await readMessage(storage)).toEqual(message('m', { key: bob }));
      const other = { ...bob, id: 'n' };
      const record = { ...createChange(other), messages: messageBatch(other).messages };
      expect(await storage.messages.record('a', record)).toMatchObject({ queued: queuedFor('hook') });
      expect(await storage.messages.get('a', 'n')).toSatisfy(isApplied);
    });

    it.each<[string, Authority | undefined, boolean]>([
      ['its own author', undefined, true],
      ['another person', { namesOtherAuthor: true }, false],
      ['another person and comes from an admin', admin, true],
    ])('a change of a message that is not stored is delivered only from its author or an admin: it names %s (%j)', async (_who, authority, isDelivered) => {
      const { storage } = await open();
      expect(await storage.messages.record('a', createChange(mallory, authority))).toMatchObject({
        queued: isDelivered ? queuedFor('hook') : new Map(),
      });
    });
  });

  it.each<[string, MessageKey, Authority | undefined, boolean]>([
    ['by its author', bob, undefined, true],
    ['by an admin', mallory, admin, true],
    ['by another member', mallory, undefined, false],
  ])('a deletion that arrives before its message is applied only from the author or an admin: %s (%j)', async (_who, changeKey, authority, isEffective) => {
    const fixture = await open();
    await fixture.storage.messages.record('a', revoke(changeKey, authority));
    await fixture.storage.messages.record('a', messageBatch(bob));
    for await (const store of beforeAndAfterRestart(fixture)) {
      expect(await readMessage(store)).toMatchObject(
        isEffective ? { status: 'DELETED', message: {} } : message('m', { key: bob }),
      );
      expect((await readMessage(store))?.status).toBe(isEffective ? 'DELETED' : undefined);
    }
  });

  it('a deletion by another member that is not written to the status history leaves the message unchanged', async () => {
    const { storage } = await open();
    await storage.messages.record('a', messageBatch(bob));
    const { statuses } = revoke(mallory);
    await storage.messages.record(
      'a',
      toEventBatch({ statuses: statuses.map((one) => ({ ...one, isTransient: true })) }),
    );
    expect(await readMessage(storage)).toEqual(message('m', { key: bob }));
  });

  describe('receipts', () => {
    const receipt = (changeKey: MessageKey, status: MessageStatus = 'READ') =>
      toEventBatch({
        statuses: [{ change: change(changeKey.id, status, { key: changeKey }), events: [event('receipt')] }],
      });

    it.each<[string, MessageKey, MessageKey]>([
      ['for a message of the other side', receivedKey, ownKey],
      ['for a message of another member', bob, { ...mallory, fromMe: true }],
      ['from a person to whom the message was not sent', ownKey, { ...ownKey, remoteJid: OTHER_CHAT }],
      ['from the LID of another person', { ...ownKey, remoteJidAlt: LID }, { ...ownKey, remoteJid: '888@lid' }],
    ])('messages.record() refuses a receipt %s', async (_what, stored, changeKey) => {
      const { storage } = await open();
      await storage.messages.record('a', messageBatch(stored));
      expect(await storage.messages.record('a', receipt(changeKey))).toEqual({
        queued: new Map(),
        events: [],
        refused: 1,
      });
      expect(await readMessage(storage)).toEqual(message('m', { key: stored }));
      expect(await storage.messages.statuses('a', 'm')).toEqual([]);
    });

    it.each<[string, MessageKey, MessageKey]>([
      ['from the LID of the recipient', { ...ownKey, remoteJidAlt: LID }, { ...ownKey, remoteJid: LID }],
      ['from a LID without a known number', ownKey, { ...ownKey, remoteJid: LID }],
      ['from a recipient of a broadcast list', { ...ownKey, remoteJid: '99@broadcast' }, ownKey],
    ])('messages.record() delivers the event of a receipt %s', async (_what, stored, changeKey) => {
      const { storage } = await open();
      await storage.messages.record('a', messageBatch(stored));
      expect(await storage.messages.record('a', receipt(changeKey))).toMatchObject({ queued: queuedFor('hook') });
    });

    it('a receipt is applied and delivered when another chat has a message with the same id', async () => {
      const { storage } = await open();
      for (const stored of [ownKey, bob]) await storage.messages.record('a', messageBatch(stored));
      expect(await storage.messages.record('a', receipt(ownKey))).toMatchObject({ queued: queuedFor('hook') });
      expect(await readMessage(storage, CHAT)).toMatchObject({ status: 'READ' });
    });
  });

  it('a deletion applies only to the chat of its author when two chats have a message with the same id', async () => {
    const { storage } = await open();
    await storage.messages.record('a', messageBatch(receivedKey));
    await storage.messages.record('a', messageBatch({ ...receivedKey, remoteJid: OTHER_CHAT }));
    await storage.messages.record('a', revoke({ ...receivedKey, remoteJid: OTHER_CHAT }));
    expect(await readMessage(storage, CHAT)).toEqual(message('m', { key: receivedKey }));
    expect(await readMessage(storage, OTHER_CHAT)).toMatchObject({ status: 'DELETED', message: {} });
  });
}
