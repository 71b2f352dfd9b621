import type { ChatModification } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { lidJid } from '../../packages/sandbox/src/world/world.ts';
import { at } from '../support/api.ts';
import { isEvent, type World } from '../support/gateway.ts';
import { ada, bob, createAdasGroup, jid, ownNumber, startLinked } from '../support/group.ts';

/** Starts a world whose instance has received the app state key of its phone. */
async function startReady(): Promise<World> {
  const world = await startLinked();
  await world.receiver.next(({ body }) => isEvent(body, 'contacts.upsert'));
  return world;
}

/** The `data` of the first matching event, past or future. The world checks its body against the contract. */
async function nextEventData(
  world: World,
  event: string,
  matches: (data: unknown) => boolean = () => true,
): Promise<unknown> {
  const { body } = await world.receiver.next((post) => isEvent(post.body, event) && matches(at(post.body, 'data')));
  return at(body, 'data');
}

const hasField = (field: string) => (data: unknown) => field in Object([data].flat()[0]);
const isMessage = (id: string) => (data: unknown) => at(data, 'key.id') === id;

async function change({ sandbox }: World, modification: ChatModification, chat = jid(ada)): Promise<void> {
  await sandbox.phones.phoneAppState.change(sandbox.world.account(ownNumber), modification, chat);
}

describe('changes of a chat on the phone', () => {
  it('chats.update reports an archived, pinned, muted or read chat by number and LID, and chats.delete a deleted one', async () => {
    const world = await startReady();
    const lid = lidJid(world.sandbox.world.account(ada));
    const id = await world.sandbox.phones.phone(ada).send(ownNumber, { text: 'hello' });
    await nextEventData(world, 'messages.upsert', isMessage(id));
    const key = { remoteJid: jid(ada), fromMe: false, id };
    const lastMessages = [{ key, messageTimestamp: world.sandbox.world.now() }];
    const steps: [ChatModification, string, object][] = [
      [{ archive: true, lastMessages }, 'archived', { archived: true }],
      [{ pin: true }, 'pinned', { pinned: true }],
      [{ mute: 1_900_000_000_000 }, 'muteEndTime', { muteEndTime: 1_900_000_000_000 }],
      [{ markRead: false, lastMessages }, 'unreadMessages', { unreadMessages: -1 }],
    ];
    for (const [modification, field, expected] of steps) {
      await change(world, modification);
      const update = await nextEventData(world, 'chats.update', hasField(field));
      expect(update).toEqual([
        { remoteJid: jid(ada), id: jid(ada), lid, ...expected, instanceId: expect.any(String), owner: 'sales' },
      ]);
    }
    await change(world, { markRead: true, lastMessages });
    await nextEventData(
      world,
      'chats.update',
      (data) => hasField('unreadMessages')(data) && at(data, '0.unreadMessages') === 0,
    );
    await change(world, { delete: true, lastMessages });
    expect(await nextEventData(world, 'chats.delete')).toEqual([jid(ada)]);
    // A message alone causes no chats.update.
    const updates = world.receiver.posts.filter(({ body }) => isEvent(body, 'chats.update'));
    expect(updates).toHaveLength(steps.length + 1);
  });

  it('labels.edit and labels.association report labels that the phone creates, assigns, unassigns and deletes', async () => {
    const world = await startReady();
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
    await world.sandbox.phones.phone(ada).send(ownNumber, { text: 'now her LID is known' });
    await nextEventData(world, 'messages.upsert');
    await change(world, { removeChatLabel: { labelId: '7' } });
    const removed = await nextEventData(world, 'labels.association', (data) => at(data, 'type') === 'remove');
    expect(removed).toMatchObject({ chatId: jid(ada), lid, labelId: '7', instance: 'sales' });
    await change(world, { addLabel: { ...label, deleted: true } });
    await nextEventData(world, 'labels.edit', (data) => at(data, 'deleted') === true);
  });

  it('a deletion for the own account alone is posted with scope me, and the store keeps the message', async () => {
    const world = await startReady();
    const id = await world.sandbox.phones.phone(ada).send(ownNumber, { text: 'not for long' });
    await nextEventData(world, 'messages.upsert', isMessage(id));
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

describe('reactions and deletions', () => {
  it('a reaction and its removal are posted as messages of type reactionMessage', async () => {
    const world = await startReady();
    const phone = world.sandbox.phones.phone(ada);
    const id = await phone.send(ownNumber, { text: 'good?' });
    for (const emoji of ['👍', '']) {
      const reaction = await phone.send(ownNumber, { reaction: { id, emoji } });
      expect(await nextEventData(world, 'messages.upsert', isMessage(reaction))).toMatchObject({
        key: { remoteJid: jid(ada), fromMe: false, id: reaction },
        messageType: 'reactionMessage',
        message: { reactionMessage: { key: { id }, text: emoji } },
      });
    }
  });

  it('a deletion by a group admin is posted with the admin as participant, and the store removes the text', async () => {
    const world = await startReady();
    const group = createAdasGroup(world);
    const { phones } = world.sandbox;
    const id = await phones.phone(bob).send(group.id, { text: 'spam' });
    await nextEventData(world, 'messages.upsert', isMessage(id));
    await phones.phone(ada).send(group.id, { delete: { id } });
    const update = await nextEventData(world, 'messages.delete', isMessage(id));
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
