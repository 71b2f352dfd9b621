// Messages of several people in one chat with the same id: senders choose the ids of their messages.
import { expect, it } from 'vitest';
import type { Authority, MessageKey } from '../../../src/events/events.ts';
import type { Storage } from '../../../src/storage/storage.ts';
import { beforeAndAfterRestart, type OpenBench } from '../conformance.ts';
import { CHAT, change, event, instance, key, message, queuedFor, recording } from '../samples.ts';

const GROUP = '120363000000000001@g.us';
const all = { offset: 0, limit: 10 };

const ada: MessageKey = {
  ...{ remoteJid: GROUP, fromMe: false, id: 'm' },
  ...{ participant: '1@s.whatsapp.net', participantAlt: '1@lid' },
};
const eve: MessageKey = { ...ada, participant: '2@s.whatsapp.net', participantAlt: '2@lid' };
const own: MessageKey = { remoteJid: GROUP, fromMe: true, id: 'm' };
const byLid = ({ participantAlt, ...of }: MessageKey): MessageKey => ({ ...of, participant: participantAlt });

const textOf = ({ participant = 'own' }: MessageKey) => `of ${participant}`;
const of = (by: MessageKey, name = textOf(by)) => ({
  message: message('m', { key: by, message: { conversation: name } }),
  events: [event(name)],
});
const store = (storage: Storage, ...keys: MessageKey[]) =>
  storage.messages.record('a', recording({ messages: keys.map((each) => of(each)) }));

/** The authors and texts of the stored messages, the first one that was stored first. */
async function stored(storage: Storage, filter: object = {}) {
  const found = await storage.messages.find('a', filter, all);
  return found
    .map(({ message: { key: by, message: content, status } }) => [by.participant ?? by.fromMe, content, status])
    .reverse();
}
const entry = (by: MessageKey) => [by.participant ?? by.fromMe, { conversation: textOf(by) }, undefined];

export function reusedIdTests(open: OpenBench): void {
  it.each<[string, MessageKey, MessageKey]>([
    ['another member', ada, eve],
    ['another member, known by LID alone', ada, byLid(eve)],
    ['a member, who uses the id of this account', own, eve],
    ['this account', ada, own],
    ['the other person of a chat', key('m'), key('m', { fromMe: false })],
    ['the other person, by LID', key('m', { remoteJidAlt: '7@lid' }), key('m', { remoteJid: '7@lid', fromMe: false })],
  ])('the message of %s is stored and reported beside the first one', async (_who, first, second) => {
    const bench = await open();
    await store(bench.storage, first);
    const name = 'the second';
    const recorded = await bench.storage.messages.record('a', recording({ messages: [of(second, name)] }));
    expect(recorded).toEqual({ queued: queuedFor('hook'), events: [event(name)] });
    for await (const storage of beforeAndAfterRestart(bench)) {
      const both = await storage.messages.find('a', {}, all);
      expect(both.map(({ message: { key: by } }) => by)).toEqual([second, first]);
      expect((await storage.messages.find('a', { id: 'm' }, all)).length).toBe(2);
      expect(await storage.messages.count('a', {})).toBe(2);
      // The second one never takes the place of the first.
      expect(await storage.messages.get('a', 'm', first.remoteJid)).toEqual(of(first).message);
      const origin = (by: MessageKey) => ({
        ...{ chat: by.remoteJid, fromMe: by.fromMe, participant: by.participant ?? null },
      });
      const origins = (await storage.messages.originsByMessageId('a', ['m'])).get('m');
      expect(origins).toHaveLength(2);
      expect(origins).toEqual(expect.arrayContaining([origin(first), origin(second)]));
    }
  });

  it('both messages of one batch are stored, and each of them once', async () => {
    const { storage } = await open();
    const { events } = await store(storage, ada, eve, ada, eve, byLid(eve));
    expect(events.map(({ id }) => id)).toEqual([textOf(ada), textOf(eve)]);
    expect(await stored(storage)).toEqual([entry(ada), entry(eve)]);
  });

  it.each([
    ['by number and LID', eve],
    ['by LID', byLid(eve)],
  ])('the second message that comes again, %s, is not stored or reported again', async (_, again) => {
    const { storage } = await open();
    await store(storage, ada, eve);
    expect((await store(storage, again, ada)).events).toEqual([]);
    expect(await stored(storage)).toEqual([entry(ada), entry(eve)]);
  });

  it('an edit changes the message of its author', async () => {
    const { storage } = await open();
    await store(storage, ada, eve);
    const edit = { key: eve, text: 'edited', at: 1_700_000_100, events: [event('edited')] };
    expect((await storage.messages.record('a', recording({ edits: [edit] }))).events).toEqual([event('edited')]);
    expect(await stored(storage)).toEqual([entry(ada), [eve.participant, { conversation: 'edited' }, undefined]]);
  });

  const revoke = (by: MessageKey, authority?: Authority, name = 'revoked') =>
    recording({
      statuses: [
        { change: change('m', 'DELETED', { key: by }), events: [event(name)], ...(authority && { authority }) },
      ],
    });
  const deleted = ({ participant }: MessageKey) => [participant, {}, 'DELETED'];
  const admin: MessageKey = { ...ada, participant: '3@s.whatsapp.net' };
  const moderates = (namedAuthor?: string): Authority => ({
    ...{ mayModerate: true, namesOtherAuthor: true },
    ...(namedAuthor ? { namedAuthor } : {}),
  });

  it.each<[string, MessageKey, Authority | undefined, unknown[]]>([
    ['by the author of the first', ada, undefined, [deleted(ada), entry(eve)]],
    ['by the author of the second', eve, undefined, [entry(ada), deleted(eve)]],
    ['by an admin, of the first', admin, moderates('1@lid'), [deleted(ada), entry(eve)]],
    ['by an admin, of the second', admin, moderates('2@s.whatsapp.net'), [entry(ada), deleted(eve)]],
    ['by an admin who names no author', admin, moderates(), [deleted(ada), deleted(eve)]],
  ])('a deletion %s deletes this message only, and is reported once', async (_, by, authority, remaining) => {
    const bench = await open();
    await store(bench.storage, ada, eve);
    expect((await bench.storage.messages.record('a', revoke(by, authority))).events).toEqual([event('revoked')]);
    const { events } = await bench.storage.messages.record('a', revoke(by, authority, 'again'));
    expect(events).toEqual([]);
    for await (const storage of beforeAndAfterRestart(bench)) expect(await stored(storage)).toEqual(remaining);
  });

  it('a message after the deletion of the first one is not deleted', async () => {
    const { storage } = await open();
    await store(storage, ada);
    await storage.messages.record('a', revoke(ada));
    await store(storage, eve);
    expect(await stored(storage)).toEqual([deleted(ada), entry(eve)]);
  });

  it('a receipt of a message of this account leaves the message of another person as it is', async () => {
    const { storage } = await open();
    await store(storage, key('m'), key('m', { fromMe: false }));
    const read = { change: change('m', 'READ'), events: [event('read')] };
    for (const isTransient of [true, false])
      await storage.messages.record('a', recording({ statuses: [{ ...read, isTransient }] }));
    const found = await storage.messages.find('a', { chatAddresses: [CHAT] }, all);
    expect(found.map(({ message: { key: by, status } }) => [by.fromMe, status])).toEqual([
      [false, undefined],
      [true, 'READ'],
    ]);
  });

  it('a star and a file belong to the message of their author', async () => {
    const { storage } = await open();
    const file = (by: MessageKey) => ({ ...of(by).message, message: { imageMessage: { mediaKey: 'k' } } });
    await storage.messages.record(
      'a',
      recording({ messages: [ada, eve].map((by) => ({ message: file(by), events: [] })) }),
    );
    await storage.messages.record('a', recording({ stars: [{ key: eve, starred: true }] }));
    await storage.messages.setFileLocation('a', eve, { directPath: '/new', url: 'https://host/new' });
    const found = await storage.messages.find('a', {}, all);
    expect(found.map(({ message: each }) => each)).toEqual([
      {
        ...file(eve),
        starred: true,
        message: { imageMessage: { mediaKey: 'k', directPath: '/new', url: 'https://host/new' } },
      },
      file(ada),
    ]);
  });

  it('a message that is deleted with old ones leaves nothing, and the id can be used again', async () => {
    const { storage, execute } = await open();
    await storage.instances.create(instance('a'));
    await store(storage, ada, eve);
    await storage.messages.prune({ keep: 0 });
    expect(await execute('SELECT * FROM reused_message_id')).toEqual([]);
    await store(storage, eve, ada);
    expect(await stored(storage)).toEqual([entry(eve), entry(ada)]);
  });

  it('messages without a known author, and posts of channels, count as the same message', async () => {
    const { storage } = await open();
    const post = { remoteJid: '1@newsletter', fromMe: false, id: 'p' };
    await store(storage, ada, { remoteJid: GROUP, fromMe: false, id: 'm' }, post, { ...post, fromMe: true });
    expect(await storage.messages.count('a', {})).toBe(2);
  });
}
