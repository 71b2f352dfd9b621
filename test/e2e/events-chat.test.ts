import type { ChatModification } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { lidJid } from '../../packages/sandbox/src/world/world.ts';
import { at } from '../support/api.ts';
import { isEvent, type World } from '../support/gateway.ts';
import { ada, adasGroup, bob, jid, linked, mine } from '../support/group.ts';

/** A world whose instance has learnt the key of its phone's shared state. */
async function ready(): Promise<World> {
  const world = await linked();
  await world.receiver.next(({ body }) => isEvent(body, 'contacts.upsert'));
  return world;
}

/** The first `data` of an event, past or coming, that matches; the body is held to the contract by the world. */
async function nextEventData(
  world: World,
  event: string,
  matches: (data: unknown) => boolean = () => true,
): Promise<unknown> {
  const { body } = await world.receiver.next((post) => isEvent(post.body, event) && matches(at(post.body, 'data')));
  return at(body, 'data');
}

const has = (field: string) => (data: unknown) => field in Object([data].flat()[0]);
const ofMessage = (id: string) => (data: unknown) => at(data, 'key.id') === id;

async function change({ sandbox }: World, what: ChatModification, chat = jid(ada)): Promise<void> {
  await sandbox.phones.phoneAppState.change(sandbox.world.account(mine), what, chat);
}

describe('what the phone does with a chat', () => {
  it('is posted with number and LID: archived, pinned, muted, unread, read, deleted', async () => {
    const world = await ready();
    const lid = lidJid(world.sandbox.world.account(ada));
    const id = await world.sandbox.phones.phone(ada).send(mine, { text: 'hello' });
    await nextEventData(world, 'messages.upsert', ofMessage(id));
    const key = { remoteJid: jid(ada), fromMe: false, id };
    const lastMessages = [{ key, messageTimestamp: world.sandbox.world.now() }];
    const steps: [ChatModification, string, object][] = [
      [{ archive: true, lastMessages }, 'archived', { archived: true }],
      [{ pin: true }, 'pinned', { pinned: true }],
      [{ mute: 1_900_000_000_000 }, 'muteEndTime', { muteEndTime: 1_900_000_000_000 }],
      [{ markRead: false, lastMessages }, 'unreadMessages', { unreadMessages: -1 }],
    ];
    for (const [what, field, wanted] of steps) {
      await change(world, what);
      const update = await nextEventData(world, 'chats.update', has(field));
      expect(update).toEqual([
        { remoteJid: jid(ada), id: jid(ada), lid, ...wanted, instanceId: expect.any(String), owner: 'sales' },
      ]);
    }
    await change(world, { markRead: true, lastMessages });
    await nextEventData(
      world,
      'chats.update',
      (data) => has('unreadMessages')(data) && at(data, '0.unreadMessages') === 0,
    );
    await change(world, { delete: true, lastMessages });
    expect(await nextEventData(world, 'chats.delete')).toEqual([jid(ada)]);
    // A message alone is no change of its chat.
    const updates = world.receiver.posts.filter(({ body }) => isEvent(body, 'chats.update'));
    expect(updates).toHaveLength(steps.length + 1);
  });

  it('with labels is posted: made, put on a chat, taken off, removed', async () => {
    const world = await ready();
    const label = { id: '7', name: 'Customers', color: 3, deleted: false };
    await change(world, { addLabel: label });
    expect(await nextEventData(world, 'labels.edit')).toMatchObject({ ...label, instance: 'sales' });
    await change(world, { addChatLabel: { labelId: '7' } });
    const lid = lidJid(world.sandbox.world.account(ada));
    expect(await nextEventData(world, 'labels.association')).toMatchObject({
      type: 'add',
      chatId: jid(ada),
      labelId: '7',
    });
    await world.sandbox.phones.phone(ada).send(mine, { text: 'now her LID is known' });
    await nextEventData(world, 'messages.upsert');
    await change(world, { removeChatLabel: { labelId: '7' } });
    const removed = await nextEventData(world, 'labels.association', (data) => at(data, 'type') === 'remove');
    expect(removed).toMatchObject({ chatId: jid(ada), lid, labelId: '7', instance: 'sales' });
    await change(world, { addLabel: { ...label, deleted: true } });
    await nextEventData(world, 'labels.edit', (data) => at(data, 'deleted') === true);
  });

  it('for itself alone is posted as such: the store keeps the message', async () => {
    const world = await ready();
    const id = await world.sandbox.phones.phone(ada).send(mine, { text: 'not for long' });
    await nextEventData(world, 'messages.upsert', ofMessage(id));
    const key = { remoteJid: jid(ada), fromMe: false, id };
    await change(world, { deleteForMe: { deleteMedia: false, key, timestamp: world.sandbox.world.now() } });
    expect(await nextEventData(world, 'messages.delete')).toMatchObject({
      id,
      scope: 'me',
      key: { remoteJid: jid(ada) },
    });
    const found = await world.api('POST', '/chat/findMessages/sales', { where: { key: { id } } });
    expect(found.body).toMatchObject([{ message: { conversation: 'not for long' } }]);
  });
});

describe('messages about messages', () => {
  it('are posted: a reaction as a message, its end too', async () => {
    const world = await ready();
    const phone = world.sandbox.phones.phone(ada);
    const id = await phone.send(mine, { text: 'good?' });
    for (const emoji of ['👍', '']) {
      const reaction = await phone.send(mine, { reaction: { id, emoji } });
      expect(await nextEventData(world, 'messages.upsert', ofMessage(reaction))).toMatchObject({
        key: { remoteJid: jid(ada), fromMe: false, id: reaction },
        messageType: 'reactionMessage',
        message: { reactionMessage: { key: { id }, text: emoji } },
      });
    }
  });

  it('are posted: what an admin deletes of another member in a group', async () => {
    const world = await ready();
    const group = adasGroup(world);
    const { phones } = world.sandbox;
    const id = await phones.phone(bob).send(group.id, { text: 'spam' });
    await nextEventData(world, 'messages.upsert', ofMessage(id));
    await phones.phone(ada).send(group.id, { delete: { id } });
    const update = await nextEventData(world, 'messages.delete', ofMessage(id));
    expect(update).toMatchObject({
      remoteJid: group.id,
      participant: jid(ada),
      key: { remoteJid: group.id, participant: jid(ada), participantAlt: lidJid(world.sandbox.world.account(ada)) },
      status: 'DELETED',
    });
    expect(update).not.toHaveProperty('scope');
    const found = await world.api('POST', '/chat/findMessages/sales', { where: { key: { id } } });
    expect(found.body).toMatchObject([{ key: { participant: jid(bob) }, message: {} }]);
    expect(JSON.stringify(found.body)).not.toContain('spam');
  });
});
