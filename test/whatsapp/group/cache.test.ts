import { EventEmitter } from 'node:events';
import type { BinaryNode, GroupMetadata } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { GroupCache } from '../../../src/whatsapp/group/cache.ts';
import { silent } from '../../support/session-fakes.ts';

const group = '120363025246125486@g.us';
const me = '9@lid';
const toParticipants = (...ids: string[]): GroupMetadata['participants'] => ids.map((id) => ({ id, admin: null }));
const groupMetadata = (id: string, ...ids: string[]): GroupMetadata => ({
  id,
  owner: me,
  subject: 'G',
  participants: toParticipants(...ids),
});
const change = (tag: string, ...jids: string[]): BinaryNode => ({
  tag,
  attrs: {},
  content: jids.map((jid) => ({ tag: 'participant', attrs: { jid } })),
});

/** Creates a cache. `answer` gets the JID and the number of each query. `queries` collects the queried JIDs. */
function createCache(answer: (jid: string, nth: number) => Promise<GroupMetadata>) {
  const queries: string[] = [];
  const fetch = (jid: string) => {
    queries.push(jid);
    return answer(jid, queries.length);
  };
  const ws = new EventEmitter();
  const cache = new GroupCache({ fetch, isMe: (jid) => jid === me, log: silent });
  cache.listen({ on: (name, listener) => ws.on(name, listener) as never });
  return { cache, queries, ws };
}

const createFilledCache = async () => {
  const setup = createCache(async (jid) => groupMetadata(jid, me, '1@lid', '2@lid'));
  await setup.cache.get(group);
  return setup;
};
const members = async (cache: GroupCache) => (await cache.get(group)).participants.map(({ id }) => id);

describe('GroupCache', () => {
  it('GroupCache sends one query for concurrent callers and then answers from the cache', async () => {
    const { cache, queries } = createCache(async (jid) => groupMetadata(jid, me));
    const [first, second] = await Promise.all([cache.get(group), cache.get(group)]);
    expect(first).toBe(second);
    expect(await cache.get(group)).toBe(first);
    expect(queries).toEqual([group]);
  });

  it('GroupCache queries a group again after a failed query', async () => {
    const { cache, queries } = createCache(async (jid, nth) => {
      if (nth === 1) throw new Error('no answer');
      return groupMetadata(jid, me);
    });
    await expect(cache.get(group)).rejects.toThrow('no answer');
    expect(await members(cache)).toEqual([me]);
    expect(queries).toHaveLength(2);
  });

  it.each([
    ['add', change('add', '3@lid'), [me, '1@lid', '2@lid', '3@lid']],
    ['add of an existing member', change('add', '2@lid'), [me, '1@lid', '2@lid']],
    ['remove', change('remove', '1@lid'), [me, '2@lid']],
    ['leave', change('leave', '2@lid'), [me, '1@lid']],
    ['promote', change('promote', '1@lid'), [me, '1@lid', '2@lid']],
    ['a new subject', { tag: 'subject', attrs: { subject: 'Renamed' } }, [me, '1@lid', '2@lid']],
  ])('GroupCache applies the notification "%s" without another query', async (_, node, expected) => {
    const { cache, queries, ws } = await createFilledCache();
    ws.emit('CB:notification,type:w:gp2', { tag: 'notification', attrs: { from: group }, content: [node] });
    expect(await members(cache)).toEqual(expected);
    expect(queries).toHaveLength(1);
  });

  it('GroupCache applies promotions, demotions, the edit restriction and the disappearing-messages timer', async () => {
    const { cache } = await createFilledCache();
    cache.apply(group, change('promote', '1@lid'));
    cache.apply(group, { tag: 'ephemeral', attrs: { expiration: '86400' } });
    const cached = await cache.get(group);
    expect(cached.participants).toContainEqual({ id: '1@lid', admin: 'admin' });
    expect(cached.ephemeralDuration).toBe(86400);
    cache.apply(group, { tag: 'locked', attrs: {} });
    expect((await cache.get(group)).restrict).toBe(true);
    cache.apply(group, { tag: 'unlocked', attrs: {} });
    expect((await cache.get(group)).restrict).toBe(false);
    cache.apply(group, change('demote', '1@lid'));
    cache.apply(group, { tag: 'not_ephemeral', attrs: {} });
    expect((await cache.get(group)).ephemeralDuration).toBeUndefined();
    expect((await cache.get(group)).participants).toContainEqual({ id: '1@lid', admin: null });
  });

  it.each([
    ['the account is removed', change('remove', me)],
    ['an unknown member is removed', change('remove', '4915112345678@s.whatsapp.net')],
    ['a member is promoted under another address', change('promote', '4915112345678@s.whatsapp.net')],
    ['a member is demoted under another address', change('demote', '4915112345678@s.whatsapp.net')],
    ['the number of a member changes', change('modify', '1@lid')],
    ['it receives an unknown change', change('growth_locked')],
  ])('GroupCache queries a group again when %s', async (_, node) => {
    const { cache, queries } = await createFilledCache();
    cache.apply(group, node);
    await cache.get(group);
    expect(queries).toHaveLength(2);
  });

  it('GroupCache does not cache an answer when the group changes before the answer arrives', async () => {
    const answer = Promise.withResolvers<GroupMetadata>();
    const { cache, queries } = createCache((jid, nth) =>
      nth === 1 ? answer.promise : Promise.resolve(groupMetadata(jid, me, '3@lid')),
    );
    const early = cache.get(group);
    cache.apply(group, change('add', '3@lid'));
    const late = cache.get(group);
    answer.resolve(groupMetadata(group, me));
    expect((await early).participants).toHaveLength(1);
    expect((await late).participants).toHaveLength(2);
    expect(await members(cache)).toEqual([me, '3@lid']);
    expect(queries).toHaveLength(2);
  });

  it('GroupCache queries a group again after clear(), even when earlier queries are answered after clear()', async () => {
    const { cache, queries } = await createFilledCache();
    const answer = Promise.withResolvers<GroupMetadata[]>();
    const refreshed = cache.refreshAll(() => answer.promise);
    const early = cache.refresh(group);
    cache.clear();
    answer.resolve([groupMetadata(group, me)]);
    expect(await refreshed).toHaveLength(1);
    await early;
    expect(await members(cache)).toEqual([me, '1@lid', '2@lid']);
    expect(queries).toHaveLength(3);
  });

  it('GroupCache caches a new group from its create notification without a query', async () => {
    const { cache, queries, ws } = createCache(async (jid) => groupMetadata(jid, me));
    const attrs = { id: '120363025246125486', subject: 'New', creation: '1', addressing_mode: 'lid', s_t: '1' };
    const participants = [me, '5@lid'].map((jid) => ({ tag: 'participant', attrs: { jid } }));
    const create = { tag: 'create', attrs: {}, content: [{ tag: 'group', attrs, content: participants }] };
    ws.emit('CB:notification,type:w:gp2', { tag: 'notification', attrs: { from: group }, content: [create] });
    expect(await members(cache)).toEqual([me, '5@lid']);
    expect(queries).toEqual([]);
  });

  it('GroupCache queries a group again when an ack has another participant hash', async () => {
    const { cache, queries, ws } = await createFilledCache();
    const ack = (phash: string) => ws.emit('CB:ack,class:message', { tag: 'ack', attrs: { from: group, phash } });
    ack('2:aaaa');
    ack('2:aaaa');
    await cache.get(group);
    expect(queries).toHaveLength(1);
    ack('2:bbbb');
    await cache.get(group);
    expect(queries).toHaveLength(2);
  });

  it('GroupCache evicts the least recently used groups', async () => {
    const { cache, queries } = createCache(async (jid) =>
      groupMetadata(jid, ...Array.from({ length: 20_000 }, (_, n) => `${n}@lid`)),
    );
    for (const id of ['1@g.us', '2@g.us', '1@g.us', '3@g.us']) await cache.get(id);
    expect(queries).toEqual(['1@g.us', '2@g.us', '3@g.us']);
    await cache.get('1@g.us');
    await cache.get('2@g.us');
    expect(queries).toEqual(['1@g.us', '2@g.us', '3@g.us', '2@g.us']);
  });

  it('GroupCache keeps a picture URL until a notification reports a change of the picture', async () => {
    const { cache, ws } = createCache(async (jid) => groupMetadata(jid, me));
    const url = 'https://pps.example/1';
    expect(cache.picture(group)).toBeUndefined();
    const answer = Promise.withResolvers<string | null>();
    const fetches = [0, 1].map(() => cache.getPicture(group, () => answer.promise));
    answer.resolve(url);
    expect(await Promise.all(fetches)).toEqual([url, url]);
    expect(fetches[0]).toBe(fetches[1]);
    expect(cache.picture(group)).toBe(url);
    const change = () => ws.emit('CB:notification,type:picture', { attrs: { from: group } });
    change();
    expect(cache.picture(group)).toBeUndefined();
    const late = Promise.withResolvers<string | null>();
    const fetched = cache.getPicture(group, () => late.promise);
    change();
    late.resolve(url);
    expect(await fetched).toBe(url);
    expect(cache.picture(group)).toBeUndefined();
  });

  it('GroupCache returns the new subject of a renamed group without another query', async () => {
    const { cache, queries } = await createFilledCache();
    cache.apply(group, { tag: 'subject', attrs: { subject: 'Renamed' } });
    expect((await cache.get(group)).subject).toBe('Renamed');
    expect(queries).toHaveLength(1);
  });
});
