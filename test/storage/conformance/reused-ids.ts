// Messages of several people in one chat with the same id. Senders choose the ids of their messages.
import { expect, it } from 'vitest';
import type { Authority, MessageKey } from '../../../src/events/events.ts';
import type { Storage } from '../../../src/storage/storage.ts';
import { CHAT, change, event, instance, key, message, queuedFor, toEventBatch } from '../../support/sample-rows.ts';
import { beforeAndAfterRestart, type OpenFixture } from './fixture.ts';

const GROUP = '120363000000000001@g.us';
const all = { offset: 0, limit: 10 };

const ada: MessageKey = {
  ...{ remoteJid: GROUP, fromMe: false, id: 'm' },
  ...{ participant: '1@s.whatsapp.net', participantAlt: '1@lid' },
};
const eve: MessageKey = { ...ada, participant: '2@s.whatsapp.net', participantAlt: '2@lid' };
const ownKey: MessageKey = { remoteJid: GROUP, fromMe: true, id: 'm' };
const byLid = ({ participantAlt, ...rest }: MessageKey): MessageKey => ({ ...rest, participant: participantAlt });

const textOf = ({ participant = 'own' }: MessageKey) => `of ${participant}`;
const recordOf = (authorKey: MessageKey, name = textOf(authorKey)) => ({
  message: message('m', { key: authorKey, message: { conversation: name } }),
  events: [event(name)],
});
const recordMessages = (storage: Storage, ...keys: MessageKey[]) =>
  storage.messages.record('a', toEventBatch({ messages: keys.map((messageKey) => recordOf(messageKey)) }));

/** The authors, contents and statuses of the stored messages, in the order in which they were stored. */
async function readEntries(storage: Storage, filter: object = {}) {
  const found = await storage.messages.find('a', filter, all);
  return found
    .map(({ message: { key: authorKey, message: content, status } }) => [
      authorKey.participant ?? authorKey.fromMe,
      content,
      status,
    ])
    .reverse();
}
const entry = (authorKey: MessageKey) => [
  authorKey.participant ?? authorKey.fromMe,
  { conversation: textOf(authorKey) },
  undefined,
];

export function reusedIdTests(open: OpenFixture): void {
  it.each<[string, MessageKey, MessageKey]>([
    ['another member', ada, eve],
    ['another member that is known only by LID', ada, byLid(eve)],
    ['a member that uses an id of this account', ownKey, eve],
    ['this account', ada, ownKey],
    ['the other person of a chat', key('m'), key('m', { fromMe: false })],
    ['the other person by LID', key('m', { remoteJidAlt: '7@lid' }), key('m', { remoteJid: '7@lid', fromMe: false })],
  ])('a message of %s is stored and reported although an earlier message has its id', async (_who, first, second) => {
    const fixture = await open();
    await recordMessages(fixture.storage, first);
    const name = 'the second';
    const recorded = await fixture.storage.messages.record('a', toEventBatch({ messages: [recordOf(second, name)] }));
    expect(recorded).toEqual({ queued: queuedFor('hook'), events: [event(name)] });
    for await (const storage of beforeAndAfterRestart(fixture)) {
      const both = await storage.messages.find('a', {}, all);
      expect(both.map(({ message: { key: authorKey } }) => authorKey)).toEqual([second, first]);
      expect((await storage.messages.find('a', { id: 'm' }, all)).length).toBe(2);
      expect(await storage.messages.count('a', {})).toBe(2);
      // The second message does not replace the first one.
      expect(await storage.messages.get('a', 'm', first.remoteJid)).toEqual(recordOf(first).message);
      const origin = (authorKey: MessageKey) => ({
        ...{ chat: authorKey.remoteJid, fromMe: authorKey.fromMe, participant: authorKey.participant ?? null },
      });
      const origins = (await storage.messages.originsByMessageId('a', ['m'])).get('m');
      expect(origins).toHaveLength(2);
      expect(origins).toEqual(expect.arrayContaining([origin(first), origin(second)]));
    }
  });

  it('messages.record() stores two messages with the same id from two authors in one batch, each of them once', async () => {
    const { storage } = await open();
    const { events } = await recordMessages(storage, ada, eve, ada, eve, byLid(eve));
    expect(events.map(({ id }) => id)).toEqual([textOf(ada), textOf(eve)]);
    expect(await readEntries(storage)).toEqual([entry(ada), entry(eve)]);
  });

  it.each([
    ['by number and LID', eve],
    ['by LID', byLid(eve)],
  ])('a message with a reused id that arrives again, %s, is neither stored nor reported again', async (_, again) => {
    const { storage } = await open();
    await recordMessages(storage, ada, eve);
    expect((await recordMessages(storage, again, ada)).events).toEqual([]);
    expect(await readEntries(storage)).toEqual([entry(ada), entry(eve)]);
  });

  it('an edit changes only the message of its author when two authors used the same id', async () => {
    const { storage } = await open();
    await recordMessages(storage, ada, eve);
    const edit = { key: eve, text: 'edited', at: 1_700_000_100, events: [event('edited')] };
    expect((await storage.messages.record('a', toEventBatch({ edits: [edit] }))).events).toEqual([event('edited')]);
    expect(await readEntries(storage)).toEqual([entry(ada), [eve.participant, { conversation: 'edited' }, undefined]]);
  });

  const revoke = (authorKey: MessageKey, authority?: Authority, name = 'revoked') =>
    toEventBatch({
      statuses: [
        { change: change('m', 'DELETED', { key: authorKey }), events: [event(name)], ...(authority && { authority }) },
      ],
    });
  const deletedEntry = ({ participant }: MessageKey) => [participant, {}, 'DELETED'];
  const admin: MessageKey = { ...ada, participant: '3@s.whatsapp.net' };
  const moderatorAuthority = (namedAuthor?: string): Authority => ({
    ...{ mayModerate: true, namesOtherAuthor: true },
    ...(namedAuthor ? { namedAuthor } : {}),
  });

  it.each<[string, MessageKey, Authority | undefined, unknown[]]>([
    ['by the author of the first message', ada, undefined, [deletedEntry(ada), entry(eve)]],
    ['by the author of the second message', eve, undefined, [entry(ada), deletedEntry(eve)]],
    ['of the first message by an admin', admin, moderatorAuthority('1@lid'), [deletedEntry(ada), entry(eve)]],
    [
      'of the second message by an admin',
      admin,
      moderatorAuthority('2@s.whatsapp.net'),
      [entry(ada), deletedEntry(eve)],
    ],
    ['by an admin who names no author', admin, moderatorAuthority(), [deletedEntry(ada), deletedEntry(eve)]],
  ])('a deletion %s affects only the matching messages with a reused id, and is reported once', async (_, authorKey, authority, remaining) => {
    const fixture = await open();
    await recordMessages(fixture.storage, ada, eve);
    expect((await fixture.storage.messages.record('a', revoke(authorKey, authority))).events).toEqual([
      event('revoked'),
    ]);
    const { events } = await fixture.storage.messages.record('a', revoke(authorKey, authority, 'again'));
    expect(events).toEqual([]);
    for await (const storage of beforeAndAfterRestart(fixture)) expect(await readEntries(storage)).toEqual(remaining);
  });

  it('a message with a reused id is not deleted when the first message was deleted before it arrived', async () => {
    const { storage } = await open();
    await recordMessages(storage, ada);
    await storage.messages.record('a', revoke(ada));
    await recordMessages(storage, eve);
    expect(await readEntries(storage)).toEqual([deletedEntry(ada), entry(eve)]);
  });

  it('a receipt for a message of this account does not change a received message with the same id', async () => {
    const { storage } = await open();
    await recordMessages(storage, key('m'), key('m', { fromMe: false }));
    const read = { change: change('m', 'READ'), events: [event('read')] };
    for (const isTransient of [true, false])
      await storage.messages.record('a', toEventBatch({ statuses: [{ ...read, isTransient }] }));
    const found = await storage.messages.find('a', { chatAddresses: [CHAT] }, all);
    expect(found.map(({ message: { key: authorKey, status } }) => [authorKey.fromMe, status])).toEqual([
      [false, undefined],
      [true, 'READ'],
    ]);
  });

  it('a star and a file location apply only to the message of the author when two authors used the same id', async () => {
    const { storage } = await open();
    const file = (authorKey: MessageKey) => ({
      ...recordOf(authorKey).message,
      message: { imageMessage: { mediaKey: 'k' } },
    });
    await storage.messages.record(
      'a',
      toEventBatch({ messages: [ada, eve].map((authorKey) => ({ message: file(authorKey), events: [] })) }),
    );
    await storage.messages.record('a', toEventBatch({ stars: [{ key: eve, starred: true }] }));
    await storage.messages.setFileLocation('a', eve, { directPath: '/new', url: 'https://host/new' });
    const found = await storage.messages.find('a', {}, all);
    expect(found.map(({ message: messageKey }) => messageKey)).toEqual([
      {
        ...file(eve),
        starred: true,
        message: { imageMessage: { mediaKey: 'k', directPath: '/new', url: 'https://host/new' } },
      },
      file(ada),
    ]);
  });

  it('messages.prune() deletes messages with a reused id completely, so that the id can be used again', async () => {
    const { storage, execute } = await open();
    await storage.instances.create(instance('a'));
    await recordMessages(storage, ada, eve);
    await storage.messages.prune({ keep: 0 });
    expect(await execute('SELECT * FROM reused_message_id')).toEqual([]);
    await recordMessages(storage, eve, ada);
    expect(await readEntries(storage)).toEqual([entry(eve), entry(ada)]);
  });

  it('a message without an author and a second post of a channel count as duplicates of the message with their id', async () => {
    const { storage } = await open();
    const post = { remoteJid: '1@newsletter', fromMe: false, id: 'p' };
    await recordMessages(storage, ada, { remoteJid: GROUP, fromMe: false, id: 'm' }, post, { ...post, fromMe: true });
    expect(await storage.messages.count('a', {})).toBe(2);
  });
}
