import { describe, expect, it } from 'vitest';
import { lidJid } from '../../packages/sandbox/src/world/world.ts';
import { at } from '../support/api.ts';
import { isEvent, startWorld, type World } from '../support/gateway.ts';
import { ada, bob, createAdasGroup, jid, ownNumber, startLinked } from '../support/group.ts';

const phone = ({ sandbox }: World, number: string) => sandbox.phones.phone(number);
const lid = ({ sandbox }: World, number: string) => lidJid(sandbox.world.account(number));

/** Resolves when the webhook has the message with this id. */
const waitForMessage = (world: World, id: string) =>
  world.receiver.next(({ body }) => isEvent(body, 'messages.upsert') && at(body, 'data.key.id') === id);

/** The `data` of the next post, from index `after` on, that contains the result of the poll. */
async function waitForResult(world: World, poll: string, after: number): Promise<unknown> {
  const { body } = await world.receiver.next(
    (post) =>
      isEvent(post.body, 'messages.update') &&
      at(post.body, 'data.keyId') === poll &&
      'pollUpdates' in Object(at(post.body, 'data')),
    { after },
  );
  return at(body, 'data');
}

/** Sends a vote from a phone. Resolves with the `data` that the webhook receives. */
async function vote(world: World, number: string, to: string, id: string, options: string[]): Promise<unknown> {
  const after = world.receiver.posts.length;
  await phone(world, number).send(to, { vote: { id, options } });
  return waitForResult(world, id, after);
}

const draft = { name: 'When?', options: ['today', 'tomorrow', 'never'] };

describe('votes in polls', () => {
  it('a vote in a direct chat is posted with the result so far, for polls of both sides, also after a restart', async () => {
    const world = await startLinked();
    const adasPoll = await phone(world, ada).send(ownNumber, { poll: draft });
    const ownPoll = await phone(world, ownNumber).send(ada, { poll: draft });
    for (const id of [adasPoll, ownPoll]) await waitForMessage(world, id);

    expect(await vote(world, ada, ownNumber, ownPoll, ['today', 'never'])).toEqual({
      key: { remoteJid: jid(ada), remoteJidAlt: lid(world, ada), fromMe: true, id: ownPoll },
      keyId: ownPoll,
      messageId: ownPoll,
      id: ownPoll,
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
    // The own phone votes in its own poll and in the poll of Ada.
    expect(await vote(world, ownNumber, ada, ownPoll, ['today'])).toMatchObject({
      pollUpdates: [{ voters: [jid(ada), jid(ownNumber)] }, { voters: [] }, { voters: [jid(ada)] }],
      vote: { voter: jid(ownNumber), lid: lid(world, ownNumber) },
    });
    expect(await vote(world, ownNumber, ada, adasPoll, ['tomorrow'])).toMatchObject({
      key: { remoteJid: jid(ada), fromMe: false, id: adasPoll },
      pollUpdates: [{ voters: [] }, { voters: [jid(ownNumber)] }, { voters: [] }],
    });

    await world.restart();
    expect(await vote(world, ada, ownNumber, ownPoll, ['tomorrow'])).toMatchObject({
      pollUpdates: [{ voters: [jid(ownNumber)] }, { voters: [jid(ada)] }, { voters: [] }],
    });
    expect(await vote(world, ada, ownNumber, ownPoll, [])).toMatchObject({
      pollUpdates: [{ voters: [jid(ownNumber)] }, { voters: [] }, { voters: [] }],
      vote: { voter: jid(ada), options: [] },
    });
    const votes = world.receiver.posts.filter(({ raw }) => raw.includes('pollUpdateMessage'));
    expect(votes).toEqual([]);
    const found = await world.api('POST', '/chat/findMessages/sales', { where: { key: { remoteJid: jid(ada) } } });
    expect([found.body].flat()).toHaveLength(2);
  });

  it.each(['lid', 'pn'] as const)('a vote in a group addressed by %s is posted with phone numbers', async (mode) => {
    const world = await startLinked();
    world.sandbox.groups.defaultAddressing = mode;
    const group =
      mode === 'lid'
        ? createAdasGroup(world)
        : phone(world, ada).createGroup('Theirs', [ownNumber, bob], { addressing: mode });
    const poll = await phone(world, ada).send(group.id, { poll: { ...draft, selectable: 1 } });
    const ownPoll = await phone(world, ownNumber).send(group.id, { poll: draft });
    for (const id of [poll, ownPoll]) await waitForMessage(world, id);
    for (const id of [poll, ownPoll]) {
      await vote(world, bob, group.id, id, ['today']);
      await vote(world, ada, group.id, id, ['never']);
      expect(await vote(world, bob, group.id, id, ['never'])).toMatchObject({
        remoteJid: group.id,
        pollUpdates: [{ voters: [] }, { voters: [] }, { voters: [jid(ada), jid(bob)] }],
        vote: { voter: jid(bob), lid: lid(world, bob) },
      });
    }
  });

  it('a vote is counted for a poll older than the link, and posted as undecryptable for an unknown poll', async () => {
    const world = await startWorld();
    const poll = await phone(world, ada).send(ownNumber, { poll: draft });
    const group = phone(world, ada).createGroup('Theirs', [bob]);
    const unknownPoll = await phone(world, ada).send(group.id, { poll: draft });
    await world.link('sales', ownNumber);
    await world.receiver.next(({ raw }) => raw.includes('messages.set') && raw.includes(poll));
    expect(await vote(world, ada, ownNumber, poll, ['today'])).toMatchObject({ key: { id: poll, fromMe: false } });

    world.sandbox.groups.add(group, world.sandbox.world.account(ada), [jid(ownNumber)]);
    const voteId = await phone(world, bob).send(group.id, { vote: { id: unknownPoll, options: ['today'] } });
    const { body } = await world.receiver.next(
      (post) => isEvent(post.body, 'messages.undecryptable') && at(post.body, 'data.key.id') === voteId,
    );
    expect(at(body, 'data')).toMatchObject({ key: { remoteJid: group.id, participant: jid(bob) } });
  });
});
