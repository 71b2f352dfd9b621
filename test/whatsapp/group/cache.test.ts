import { EventEmitter } from 'node:events';
import type { BinaryNode, GroupMetadata } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { GroupCache } from '../../../src/whatsapp/group/cache.ts';
import { silent } from '../fakes.ts';

const group = '120363025246125486@g.us';
const me = '9@lid';
const people = (...ids: string[]): GroupMetadata['participants'] => ids.map((id) => ({ id, admin: null }));
const named = (id: string, ...ids: string[]): GroupMetadata => ({
  id,
  owner: me,
  subject: 'G',
  participants: people(...ids),
});
const change = (tag: string, ...jids: string[]): BinaryNode => ({
  tag,
  attrs: {},
  content: jids.map((jid) => ({ tag: 'participant', attrs: { jid } })),
});

/** A cache over a platform whose answers the test gives; `asked` are its questions. */
function scripted(answer: (jid: string, nth: number) => Promise<GroupMetadata>) {
  const asked: string[] = [];
  const fetch = (jid: string) => {
    asked.push(jid);
    return answer(jid, asked.length);
  };
  const ws = new EventEmitter();
  const cache = new GroupCache({ fetch, isMe: (jid) => jid === me, log: silent });
  cache.listen({ on: (name, listener) => ws.on(name, listener) as never });
  return { cache, asked, ws };
}

const filled = async () => {
  const made = scripted(async (jid) => named(jid, me, '1@lid', '2@lid'));
  await made.cache.get(group);
  return made;
};
const members = async (cache: GroupCache) => (await cache.get(group)).participants.map(({ id }) => id);

describe('GroupCache', () => {
  it('GroupCache queries once for concurrent callers and then answers from the cache', async () => {
    const { cache, asked } = scripted(async (jid) => named(jid, me));
    const [first, second] = await Promise.all([cache.get(group), cache.get(group)]);
    expect(first).toBe(second);
    expect(await cache.get(group)).toBe(first);
    expect(asked).toEqual([group]);
  });

  it('GroupCache queries again after a failure', async () => {
    const { cache, asked } = scripted(async (jid, nth) => {
      if (nth === 1) throw new Error('no answer');
      return named(jid, me);
    });
    await expect(cache.get(group)).rejects.toThrow('no answer');
    expect(await members(cache)).toEqual([me]);
    expect(asked).toHaveLength(2);
  });

  it.each([
    ['add', change('add', '3@lid'), [me, '1@lid', '2@lid', '3@lid']],
    ['add, told twice', change('add', '2@lid'), [me, '1@lid', '2@lid']],
    ['remove', change('remove', '1@lid'), [me, '2@lid']],
    ['leave', change('leave', '2@lid'), [me, '1@lid']],
    ['promote', change('promote', '1@lid'), [me, '1@lid', '2@lid']],
    ['a new subject', { tag: 'subject', attrs: { subject: 'Renamed' } }, [me, '1@lid', '2@lid']],
  ])('GroupCache applies %s', async (_, node, expected) => {
    const { cache, asked, ws } = await filled();
    ws.emit('CB:notification,type:w:gp2', { tag: 'notification', attrs: { from: group }, content: [node] });
    expect(await members(cache)).toEqual(expected);
    expect(asked).toHaveLength(1);
  });

  it('GroupCache applies ranks and the disappearing-messages timer', async () => {
    const { cache } = await filled();
    cache.apply(group, change('promote', '1@lid'));
    cache.apply(group, { tag: 'ephemeral', attrs: { expiration: '86400' } });
    const known = await cache.get(group);
    expect(known.participants).toContainEqual({ id: '1@lid', admin: 'admin' });
    expect(known.ephemeralDuration).toBe(86400);
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
    ['we are removed', change('remove', me)],
    ['somebody unknown is removed', change('remove', '4915112345678@s.whatsapp.net')],
    ['somebody is promoted under another address', change('promote', '4915112345678@s.whatsapp.net')],
    ['somebody is demoted under another address', change('demote', '4915112345678@s.whatsapp.net')],
    ['a number changes', change('modify', '1@lid')],
    ['something happens that it does not know', change('growth_locked')],
  ])('GroupCache queries again when %s', async (_, node) => {
    const { cache, asked } = await filled();
    cache.apply(group, node);
    await cache.get(group);
    expect(asked).toHaveLength(2);
  });

  it('GroupCache does not keep an answer that a change has made stale', async () => {
    const answer = Promise.withResolvers<GroupMetadata>();
    const { cache, asked } = scripted((jid, nth) =>
      nth === 1 ? answer.promise : Promise.resolve(named(jid, me, '3@lid')),
    );
    const early = cache.get(group);
    cache.apply(group, change('add', '3@lid'));
    const late = cache.get(group);
    answer.resolve(named(group, me));
    expect((await early).participants).toHaveLength(1);
    expect((await late).participants).toHaveLength(2);
    expect(await members(cache)).toEqual([me, '3@lid']);
    expect(asked).toHaveLength(2);
  });

  it('GroupCache queries again after clear(), also when an answer was on its way', async () => {
    const { cache, asked } = await filled();
    const answer = Promise.withResolvers<GroupMetadata[]>();
    const refreshed = cache.refreshAll(() => answer.promise);
    const early = cache.refresh(group);
    cache.clear();
    answer.resolve([named(group, me)]);
    expect(await refreshed).toHaveLength(1);
    await early;
    expect(await members(cache)).toEqual([me, '1@lid', '2@lid']);
    expect(asked).toHaveLength(3);
  });

  it('GroupCache adds a new group from its notification', async () => {
    const { cache, asked, ws } = scripted(async (jid) => named(jid, me));
    const attrs = { id: '120363025246125486', subject: 'New', creation: '1', addressing_mode: 'lid', s_t: '1' };
    const participants = [me, '5@lid'].map((jid) => ({ tag: 'participant', attrs: { jid } }));
    const create = { tag: 'create', attrs: {}, content: [{ tag: 'group', attrs, content: participants }] };
    ws.emit('CB:notification,type:w:gp2', { tag: 'notification', attrs: { from: group }, content: [create] });
    expect(await members(cache)).toEqual([me, '5@lid']);
    expect(asked).toEqual([]);
  });

  it('GroupCache queries again when an ack has another participant hash', async () => {
    const { cache, asked, ws } = await filled();
    const ack = (phash: string) => ws.emit('CB:ack,class:message', { tag: 'ack', attrs: { from: group, phash } });
    ack('2:aaaa');
    ack('2:aaaa');
    await cache.get(group);
    expect(asked).toHaveLength(1);
    ack('2:bbbb');
    await cache.get(group);
    expect(asked).toHaveLength(2);
  });

  it('GroupCache evicts the least recently used groups', async () => {
    const { cache, asked } = scripted(async (jid) =>
      named(jid, ...Array.from({ length: 20_000 }, (_, n) => `${n}@lid`)),
    );
    for (const id of ['1@g.us', '2@g.us', '1@g.us', '3@g.us']) await cache.get(id);
    expect(asked).toEqual(['1@g.us', '2@g.us', '3@g.us']);
    await cache.get('1@g.us');
    await cache.get('2@g.us');
    expect(asked).toEqual(['1@g.us', '2@g.us', '3@g.us', '2@g.us']);
  });

  it('GroupCache keeps a picture URL until a notification changes it', async () => {
    const { cache, ws } = scripted(async (jid) => named(jid, me));
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

  it('GroupCache has the new subject of a renamed group', async () => {
    const { cache, asked } = await filled();
    cache.apply(group, { tag: 'subject', attrs: { subject: 'Renamed' } });
    expect((await cache.get(group)).subject).toBe('Renamed');
    expect(asked).toHaveLength(1);
  });
});
