import { describe, expect, it } from 'vitest';
import { lidJid } from '../../packages/sandbox/src/world/world.ts';
import { at } from '../support/api.ts';
import { isEvent, startWorld, type World } from '../support/gateway.ts';
import { ada, adasGroup, bob, jid, linked, mine } from '../support/group.ts';

const phone = ({ sandbox }: World, number: string) => sandbox.phones.phone(number);
const lid = ({ sandbox }: World, number: string) => lidJid(sandbox.world.account(number));

/** The message of that id arrived at the webhook. */
const upserted = (world: World, id: string) =>
  world.receiver.next(({ body }) => isEvent(body, 'messages.upsert') && at(body, 'data.key.id') === id);

/** `data` of the next post, from index `after` on, that says how the poll stands. */
async function counted(world: World, poll: string, after: number): Promise<unknown> {
  const { body } = await world.receiver.next(
    (post) =>
      isEvent(post.body, 'messages.update') &&
      at(post.body, 'data.keyId') === poll &&
      'pollUpdates' in Object(at(post.body, 'data')),
    { after },
  );
  return at(body, 'data');
}

/** `number` votes in a chat; the answer is what the webhook receives. */
async function vote(world: World, number: string, to: string, id: string, options: string[]): Promise<unknown> {
  const after = world.receiver.posts.length;
  await phone(world, number).send(to, { vote: { id, options } });
  return counted(world, id, after);
}

const draft = { name: 'When?', options: ['today', 'tomorrow', 'never'] };

describe('a vote in a poll', () => {
  it('is posted with the result so far, in a chat, for polls of both sides, also after a restart', async () => {
    const world = await linked();
    const hers = await phone(world, ada).send(mine, { poll: draft });
    const own = await phone(world, mine).send(ada, { poll: draft });
    for (const id of [hers, own]) await upserted(world, id);

    expect(await vote(world, ada, mine, own, ['today', 'never'])).toEqual({
      key: { remoteJid: jid(ada), remoteJidAlt: lid(world, ada), fromMe: true, id: own },
      keyId: own,
      messageId: own,
      id: own,
      remoteJid: jid(ada),
      fromMe: true,
      pollUpdates: [
        { name: 'today', voters: [jid(ada)] },
        { name: 'tomorrow', voters: [] },
        { name: 'never', voters: [jid(ada)] },
      ],
      vote: { id: expect.any(String), voter: jid(ada), lid: lid(world, ada), options: ['today', 'never'] },
      datetime: expect.any(Number),
      instanceId: expect.any(String),
      owner: 'sales',
    });
    // Our own phone votes, in its own poll and in hers.
    expect(await vote(world, mine, ada, own, ['today'])).toMatchObject({
      pollUpdates: [{ voters: [jid(ada), jid(mine)] }, { voters: [] }, { voters: [jid(ada)] }],
      vote: { voter: jid(mine), lid: lid(world, mine) },
    });
    expect(await vote(world, mine, ada, hers, ['tomorrow'])).toMatchObject({
      key: { remoteJid: jid(ada), fromMe: false, id: hers },
      pollUpdates: [{ voters: [] }, { voters: [jid(mine)] }, { voters: [] }],
    });

    await world.restart();
    expect(await vote(world, ada, mine, own, ['tomorrow'])).toMatchObject({
      pollUpdates: [{ voters: [jid(mine)] }, { voters: [jid(ada)] }, { voters: [] }],
    });
    expect(await vote(world, ada, mine, own, [])).toMatchObject({
      pollUpdates: [{ voters: [jid(mine)] }, { voters: [] }, { voters: [] }],
      vote: { voter: jid(ada), options: [] },
    });
    const votes = world.receiver.posts.filter(({ raw }) => raw.includes('pollUpdateMessage'));
    expect(votes).toEqual([]);
    const found = await world.api('POST', '/chat/findMessages/sales', { where: { key: { remoteJid: jid(ada) } } });
    expect([found.body].flat()).toHaveLength(2);
  });

  it.each(['lid', 'pn'] as const)('is posted by number, in a group addressed by %s', async (mode) => {
    const world = await linked();
    world.sandbox.groups.defaultAddressing = mode;
    const group =
      mode === 'lid' ? adasGroup(world) : phone(world, ada).createGroup('Theirs', [mine, bob], { addressing: mode });
    const poll = await phone(world, ada).send(group.id, { poll: { ...draft, selectable: 1 } });
    const own = await phone(world, mine).send(group.id, { poll: draft });
    for (const id of [poll, own]) await upserted(world, id);
    for (const id of [poll, own]) {
      await vote(world, bob, group.id, id, ['today']);
      await vote(world, ada, group.id, id, ['never']);
      expect(await vote(world, bob, group.id, id, ['never'])).toMatchObject({
        remoteJid: group.id,
        pollUpdates: [{ voters: [] }, { voters: [] }, { voters: [jid(ada), jid(bob)] }],
        vote: { voter: jid(bob), lid: lid(world, bob) },
      });
    }
  });

  it('is counted when its poll is older than the link, and posted as unreadable when the poll is unknown', async () => {
    const world = await startWorld();
    const poll = await phone(world, ada).send(mine, { poll: draft });
    const group = phone(world, ada).createGroup('Theirs', [bob]);
    const unseen = await phone(world, ada).send(group.id, { poll: draft });
    await world.link('sales', mine);
    await world.receiver.next(({ raw }) => raw.includes('messages.set') && raw.includes(poll));
    expect(await vote(world, ada, mine, poll, ['today'])).toMatchObject({ key: { id: poll, fromMe: false } });

    world.sandbox.groups.add(group, world.sandbox.world.account(ada), [jid(mine)]);
    const voted = await phone(world, bob).send(group.id, { vote: { id: unseen, options: ['today'] } });
    const { body } = await world.receiver.next(
      (post) => isEvent(post.body, 'messages.undecryptable') && at(post.body, 'data.key.id') === voted,
    );
    expect(at(body, 'data')).toMatchObject({ key: { remoteJid: group.id, participant: jid(bob) } });
  });
});
