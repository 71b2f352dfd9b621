// Who may change a stored message, and whose changes leave it as it is and are not delivered.
import { describe, expect, it } from 'vitest';
import type { Authority, MessageKey, MessageStatus } from '../../../src/events/events.ts';
import type { Storage } from '../../../src/storage/storage.ts';
import { beforeAndAfterRestart, type OpenBench } from '../conformance.ts';
import { CHAT, change, event, key, message, queuedFor, recording } from '../samples.ts';

const GROUP = '120363000000000001@g.us';
const LID = '777@lid';
const OTHER_CHAT = '5511999990001@s.whatsapp.net';

const theirs = key('m', { fromMe: false });
const own = key('m');
const bob: MessageKey = {
  ...{ remoteJid: GROUP, fromMe: false, id: 'm' },
  ...{ participant: '1@s.whatsapp.net', participantAlt: '1@lid' },
};
const mallory: MessageKey = { ...bob, participant: '2@s.whatsapp.net', participantAlt: '2@lid' };
const admin: Authority = { mayModerate: true, namesOtherAuthor: true };
const { participantAlt: _, ...bobByLid } = { ...bob, participant: '1@lid' };
const { participantAlt: __, ...bobByNumber } = bob;

const revoke = (by: MessageKey, authority?: Authority) =>
  recording({
    statuses: [{ change: change(by.id, 'DELETED', { key: by }), events: [event('revoked')], ...given(authority) }],
  });
const edit = (by: MessageKey, authority?: Authority) =>
  recording({
    edits: [{ key: by, text: 'edited', at: 1_700_000_100, events: [event('edited')], ...given(authority) }],
  });
const given = (authority?: Authority) => (authority ? { authority } : {});
const sent = (of: MessageKey) => recording({ messages: [{ message: message(of.id, { key: of }), events: [] }] });
const read = (storage: Storage, chat?: string) => storage.messages.get('a', 'm', chat);

const allowed: [who: string, stored: MessageKey, by: MessageKey, authority?: Authority][] = [
  ['the other side of a chat, its own message', theirs, theirs],
  ['the other side, by LID', { ...theirs, remoteJidAlt: LID }, { ...theirs, remoteJid: LID }],
  ['another device of this account, its own message', own, own],
  ['a member of a group, its own message', bob, bob],
  ['a member, stored by LID alone, known by both', bobByLid, bob],
  ['a member, stored by both, known by LID alone', bob, bobByLid],
  [
    'a member, stored by number alone, known by both',
    bobByNumber,
    { ...bob, participant: '1@lid', participantAlt: '1@s.whatsapp.net' },
  ],
  ['an author who says that it is another one', theirs, theirs, { namesOtherAuthor: true }],
];

const refused: [who: string, stored: MessageKey, by: MessageKey, authority?: Authority][] = [
  ['the other side of a chat, of a message of this account', own, theirs, { namesOtherAuthor: true }],
  ['the other side, which says that it is its own', own, theirs],
  ['another device of this account, of a message of the other side', theirs, own],
  ['a member of a group, of a message of another', bob, mallory, { namesOtherAuthor: true }],
  ['a member, which says that it is its own', bob, mallory],
  ['a member, of a message of this account', { ...own, remoteJid: GROUP }, mallory],
  ['a member, when the author was not stored', { remoteJid: GROUP, fromMe: false, id: 'm' }, mallory],
  ['a member of another group', bob, { ...bob, remoteJid: '120363000000000002@g.us' }],
  ['an admin of another group', bob, { ...mallory, remoteJid: '120363000000000002@g.us' }, admin],
  ['a person in another chat', theirs, { ...theirs, remoteJid: OTHER_CHAT }],
];

export function authorityTests(open: OpenBench): void {
  describe.each([
    ['a deletion', revoke],
    ['an edit', edit],
  ] as const)('%s', (what, make) => {
    const isGone = (found: Awaited<ReturnType<typeof read>>) =>
      what === 'a deletion'
        ? found?.status === 'DELETED' && Object.keys(found.message).length === 0
        : found?.message.conversation === 'edited';

    it.each(allowed)('by %s is applied and delivered', async (_who, stored, by, authority) => {
      const bench = await open();
      await bench.storage.messages.record('a', sent(stored));
      const store = await bench.reopen();
      const recorded = await store.messages.record('a', make(by, authority));
      expect(recorded).toMatchObject({ queued: queuedFor('hook'), events: [{}] });
      expect(recorded).not.toHaveProperty('refused');
      expect(await read(store)).toSatisfy(isGone);
    });

    it.each(refused)('by %s changes nothing and is not delivered', async (_who, stored, by, authority) => {
      const bench = await open();
      await bench.storage.messages.record('a', sent(stored));
      expect(await bench.storage.messages.record('a', make(by, authority))).toEqual({
        queued: new Map(),
        events: [],
        refused: 1,
      });
      for await (const store of beforeAndAfterRestart(bench)) {
        expect(await read(store)).toEqual(message('m', { key: stored }));
        expect(await store.messages.statuses('a', 'm')).toEqual([]);
      }
    });

    it('with the right to moderate is applied, to a message of any author', async () => {
      const { storage } = await open();
      for (const stored of [bob, { ...own, remoteJid: GROUP }]) {
        await storage.messages.record('a', sent(stored));
      }
      const { queued } = await storage.messages.record('a', make(mallory, admin));
      expect([queued, isGone(await read(storage))]).toEqual([queuedFor('hook'), true]);
    });

    it('in one batch with the message is checked as well', async () => {
      const { storage } = await open();
      const { messages } = sent(bob);
      expect(await storage.messages.record('a', { ...make(mallory), messages })).toMatchObject({
        events: [],
        refused: 1,
      });
      expect(await read(storage)).toEqual(message('m', { key: bob }));
      const other = { ...bob, id: 'n' };
      const record = { ...make(other), messages: sent(other).messages };
      expect(await storage.messages.record('a', record)).toMatchObject({ queued: queuedFor('hook') });
      expect(await storage.messages.get('a', 'n')).toSatisfy(isGone);
    });

    it.each<[string, Authority | undefined, boolean]>([
      ['its own author', undefined, true],
      ['another person', { namesOtherAuthor: true }, false],
      ['another person, by an admin', admin, true],
    ])('of a message that is not stored is delivered when it names %s: %j', async (_who, authority, isDelivered) => {
      const { storage } = await open();
      expect(await storage.messages.record('a', make(mallory, authority))).toMatchObject({
        queued: isDelivered ? queuedFor('hook') : new Map(),
      });
    });
  });

  it.each<[string, MessageKey, Authority | undefined, boolean]>([
    ['by its author', bob, undefined, true],
    ['by an admin', mallory, admin, true],
    ['by another member', mallory, undefined, false],
  ])('a deletion that comes before its message, %s, is good for it: %j', async (_who, by, authority, isGood) => {
    const bench = await open();
    await bench.storage.messages.record('a', revoke(by, authority));
    await bench.storage.messages.record('a', sent(bob));
    for await (const store of beforeAndAfterRestart(bench)) {
      expect(await read(store)).toMatchObject(isGood ? { status: 'DELETED', message: {} } : message('m', { key: bob }));
      expect((await read(store))?.status).toBe(isGood ? 'DELETED' : undefined);
    }
  });

  it('a deletion by another member is refused also when no history of statuses is kept', async () => {
    const { storage } = await open();
    await storage.messages.record('a', sent(bob));
    const { statuses } = revoke(mallory);
    await storage.messages.record('a', recording({ statuses: statuses.map((one) => ({ ...one, isTransient: true })) }));
    expect(await read(storage)).toEqual(message('m', { key: bob }));
  });

  describe('a receipt', () => {
    const receipt = (by: MessageKey, status: MessageStatus = 'READ') =>
      recording({ statuses: [{ change: change(by.id, status, { key: by }), events: [event('receipt')] }] });

    it.each<[string, MessageKey, MessageKey]>([
      ['for a message of the other side', theirs, own],
      ['for a message of another member', bob, { ...mallory, fromMe: true }],
      ['by a person to whom the message was not sent', own, { ...own, remoteJid: OTHER_CHAT }],
      ['by such a person, by LID', { ...own, remoteJidAlt: LID }, { ...own, remoteJid: '888@lid' }],
    ])('%s changes nothing and is not delivered', async (_what, stored, by) => {
      const { storage } = await open();
      await storage.messages.record('a', sent(stored));
      expect(await storage.messages.record('a', receipt(by))).toEqual({ queued: new Map(), events: [], refused: 1 });
      expect(await read(storage)).toEqual(message('m', { key: stored }));
      expect(await storage.messages.statuses('a', 'm')).toEqual([]);
    });

    it.each<[string, MessageKey, MessageKey]>([
      ['by LID', { ...own, remoteJidAlt: LID }, { ...own, remoteJid: LID }],
      ['by a LID of which nothing else is known', own, { ...own, remoteJid: LID }],
      ['by one of a broadcast list', { ...own, remoteJid: '99@broadcast' }, own],
    ])('%s is delivered', async (_what, stored, by) => {
      const { storage } = await open();
      await storage.messages.record('a', sent(stored));
      expect(await storage.messages.record('a', receipt(by))).toMatchObject({ queued: queuedFor('hook') });
    });

    it('is delivered when another chat holds a message with the same id', async () => {
      const { storage } = await open();
      for (const stored of [own, bob]) await storage.messages.record('a', sent(stored));
      expect(await storage.messages.record('a', receipt(own))).toMatchObject({ queued: queuedFor('hook') });
      expect(await read(storage, CHAT)).toMatchObject({ status: 'READ' });
    });
  });

  it('keeps a deletion to the chat of its author when two chats hold the id', async () => {
    const { storage } = await open();
    await storage.messages.record('a', sent(theirs));
    await storage.messages.record('a', sent({ ...theirs, remoteJid: OTHER_CHAT }));
    await storage.messages.record('a', revoke({ ...theirs, remoteJid: OTHER_CHAT }));
    expect(await read(storage, CHAT)).toEqual(message('m', { key: theirs }));
    expect(await read(storage, OTHER_CHAT)).toMatchObject({ status: 'DELETED', message: {} });
  });
}
