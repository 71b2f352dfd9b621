// Authority over messages: forged edits, deletions, votes and pins are neither stored nor posted to webhooks.
import { proto } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { createVote } from '../../packages/sandbox/src/phone/polls.ts';
import { lidJid } from '../../packages/sandbox/src/world/world.ts';
import { at, textAt } from '../support/api.ts';
import { isEvent, type World } from '../support/gateway.ts';
import { ada, bob, createAdasGroup, eve, jid, ownNumber, startLinked } from '../support/group.ts';

const { REVOKE, MESSAGE_EDIT, EPHEMERAL_SETTING } = proto.Message.ProtocolMessage.Type;

const phone = ({ sandbox }: World, number: string) => sandbox.phones.phone(number);
const raw = (content: proto.IMessage) => ({ raw: proto.Message.encode(content).finish() });
const revoke = (key: proto.IMessageKey) => raw({ protocolMessage: { type: REVOKE, key } });
const edit = (key: proto.IMessageKey) =>
  raw({ protocolMessage: { type: MESSAGE_EDIT, key, editedMessage: { conversation: 'forged' }, timestampMs: 1 } });

const waitForMessage = (world: World, id: string) =>
  world.receiver.next(({ body }) => isEvent(body, 'messages.upsert') && at(body, 'data.key.id') === id);

/** The webhook posts that report a change of this message. */
const changesOf = ({ receiver }: World, id: string) =>
  receiver.posts.filter(
    ({ body, raw: text }) =>
      (isEvent(body, 'messages.edited') || isEvent(body, 'messages.delete') || text.includes('pollUpdates')) &&
      at(body, 'data.key.id') === id,
  );

async function findStored(world: World, id: string): Promise<unknown> {
  const { body } = await world.api('POST', '/chat/findMessages/sales', { where: { key: { id } } });
  return at(body, '0');
}

/** Sends a text from a phone. Resolves with its id when the webhook has it. */
async function sendText(world: World, number: string, to: string, text = 'true'): Promise<string> {
  const id = await phone(world, number).send(to, { text });
  await waitForMessage(world, id);
  return id;
}

/** Sends a forged change and then a text. When the text arrives, the gateway has processed the change. */
async function attack(world: World, number: string, to: string, forged: ReturnType<typeof raw>): Promise<void> {
  await phone(world, number).send(to, forged);
  await sendText(world, number, to, 'after that');
}

async function expectUntouched(world: World, id: string): Promise<void> {
  expect(changesOf(world, id)).toEqual([]);
  const found = await findStored(world, id);
  expect(found).toMatchObject({ message: { conversation: 'true' } });
  expect(JSON.stringify(found)).not.toContain('DELETED');
}

async function expectDeleted(world: World, id: string): Promise<void> {
  await world.receiver.next(({ body }) => isEvent(body, 'messages.delete') && at(body, 'data.key.id') === id);
  const found = await findStored(world, id);
  expect(found).toMatchObject({ message: {} });
  expect(at(found, 'MessageUpdate')).toContainEqual(expect.objectContaining({ status: 'DELETED' }));
}

describe('direct chats', () => {
  it.each<['pn' | 'lid']>([
    ['pn'],
    ['lid'],
  ])('a contact addressed by %s can change only its own messages in a direct chat', async (form) => {
    const world = await startLinked();
    const ownMessage = await sendText(world, ownNumber, ada);
    const send = async (content: ReturnType<typeof raw>) => {
      await phone(world, ada).send(ownNumber, content, { addressing: form });
      const id = await phone(world, ada).send(ownNumber, { text: 'after that' }, { addressing: form });
      await waitForMessage(world, id);
    };
    for (const fromMe of [true, false]) {
      for (const remoteJid of [jid(ownNumber), lidJid(world.sandbox.world.account(ownNumber)), undefined]) {
        await send(revoke({ remoteJid, fromMe, id: ownMessage }));
        await send(edit({ remoteJid, fromMe, id: ownMessage }));
      }
    }
    await expectUntouched(world, ownMessage);
    const adasMessage = await phone(world, ada).send(ownNumber, { text: 'true' }, { addressing: form });
    await waitForMessage(world, adasMessage);
    await phone(world, ada).send(ownNumber, { edit: { id: adasMessage, text: 'better' } }, { addressing: form });
    const { body } = await world.receiver.next((post) => isEvent(post.body, 'messages.edited'));
    expect(at(body, 'data')).toMatchObject({ key: { id: adasMessage }, editedMessage: { conversation: 'better' } });
    expect(await findStored(world, adasMessage)).toMatchObject({ message: { conversation: 'better' } });
    await phone(world, ada).send(ownNumber, { delete: { id: adasMessage } }, { addressing: form });
    await expectDeleted(world, adasMessage);
  });

  it('another device of the account can change messages of the account, and none of the contact', async () => {
    const world = await startLinked();
    const adasMessage = await sendText(world, ada, ownNumber);
    await attack(world, ownNumber, ada, revoke({ remoteJid: jid(ada), fromMe: false, id: adasMessage }));
    await attack(world, ownNumber, ada, edit({ remoteJid: jid(ada), fromMe: true, id: adasMessage }));
    await expectUntouched(world, adasMessage);
    const ownMessage = await sendText(world, ownNumber, ada);
    await phone(world, ownNumber).send(ada, { delete: { id: ownMessage } });
    await expectDeleted(world, ownMessage);
  });

  it('a contact cannot change messages of another chat', async () => {
    const world = await startLinked();
    const toBob = await sendText(world, ownNumber, bob);
    const bobsMessage = await sendText(world, bob, ownNumber);
    for (const id of [toBob, bobsMessage]) {
      for (const fromMe of [true, false]) {
        for (const remoteJid of [jid(bob), jid(ownNumber)]) {
          await attack(world, ada, ownNumber, revoke({ remoteJid, fromMe, id, participant: jid(bob) }));
          await attack(world, ada, ownNumber, edit({ remoteJid, fromMe, id, participant: jid(bob) }));
        }
      }
      await expectUntouched(world, id);
    }
  });

  it('an own message can be edited and deleted after a message with the same id arrives in another chat', async () => {
    const world = await startLinked();
    const sent = await world.api('POST', '/message/sendText/sales', { number: ada, textMessage: { text: 'true' } });
    const id = textAt(sent.body, 'key.id');
    await phone(world, eve).send(ownNumber, { text: 'forged' }, { id });
    await waitForMessage(world, id);
    const edited = { number: ada, text: 'better', key: { id, remoteJid: jid(ada) } };
    expect((await world.api('PUT', '/chat/updateMessage/sales', edited)).status).toBe(200);
    const deleted = { id, fromMe: true, remoteJid: jid(ada) };
    expect((await world.api('DELETE', '/chat/deleteMessageForEveryone/sales', deleted)).status).toBe(201);
    await phone(world, ada).waitFor(() =>
      phone(world, ada)
        .messages()
        .some((message) => message.deleted),
    );
    const found = await world.api('POST', '/chat/findMessages/sales', { where: { key: { id } } });
    expect([found.body].flat()).toMatchObject([{ message: { conversation: 'forged' } }, { message: {} }]);
  });

  it('a message with the id of another one in its chat is stored and reported, and its deletion changes no other', async () => {
    const world = await startLinked();
    const group = await createAdasGroup(world);
    const sent = await world.api('POST', '/message/sendText/sales', { number: ada, textMessage: { text: 'true' } });
    const ownMessage = textAt(sent.body, 'key.id');
    const inGroup = await sendText(world, ada, group.id);
    for (const [from, to, id] of [
      [ada, ownNumber, ownMessage],
      [bob, group.id, inGroup],
    ] as const) {
      await phone(world, from).send(to, { text: 'second' }, { id });
      await world.receiver.next(
        ({ body }) =>
          isEvent(body, 'messages.upsert') &&
          at(body, 'data.message.conversation') === 'second' &&
          at(body, 'data.key.id') === id,
      );
      await phone(world, from).send(to, { delete: { id } });
      await world.receiver.next(({ body }) => isEvent(body, 'messages.delete') && at(body, 'data.key.id') === id);
      const { body } = await world.api('POST', '/chat/findMessages/sales', { where: { key: { id } } });
      expect(body).toMatchObject([
        { message: {}, status: 'DELETED' },
        { message: id === ownMessage ? { extendedTextMessage: { text: 'true' } } : { conversation: 'true' } },
      ]);
      expect(JSON.stringify(at(body, '1'))).not.toContain('DELETED');
    }
  });

  it('the deletion of a message that is not stored is reported only when its sender claims to be the author', async () => {
    const world = await startLinked();
    await attack(world, ada, ownNumber, revoke({ remoteJid: jid(ownNumber), fromMe: false, id: 'UNSEEN-1' }));
    await phone(world, ada).send(ownNumber, revoke({ remoteJid: jid(ownNumber), fromMe: true, id: 'UNSEEN-2' }));
    await world.receiver.next(({ body }) => isEvent(body, 'messages.delete'));
    expect([changesOf(world, 'UNSEEN-1').length, changesOf(world, 'UNSEEN-2').length]).toEqual([0, 1]);
  });

  it('a vote by a person outside the chat of a poll is ignored', async () => {
    const world = await startLinked();
    const poll = await phone(world, ownNumber).send(ada, { poll: { name: 'When?', options: ['today', 'never'] } });
    await waitForMessage(world, poll);
    const { content } = phone(world, ownNumber).findSent(ada, poll) ?? {};
    if (!content) throw new Error('no poll');
    // Bob knows the secret of the poll, so that the vote can be decrypted.
    const key = { remoteJid: jid(ada), fromMe: true, id: poll };
    const people = { creator: jid(ownNumber), voter: jid(bob), nowMs: Date.now() };
    await attack(world, bob, ownNumber, raw(createVote({ key, content }, ['never'], people)));
    expect(changesOf(world, poll)).toEqual([]);
    await phone(world, ada).send(ownNumber, { vote: { id: poll, options: ['today'] } });
    await world.receiver.next(({ raw: text }) => text.includes('pollUpdates'));
    expect(changesOf(world, poll).map(({ body }) => at(body, 'data.pollUpdates'))).toEqual([
      [
        { name: 'today', voters: [jid(ada)] },
        { name: 'never', voters: [] },
      ],
    ]);
  });
});

describe.each(['lid', 'pn'] as const)('groups addressed by %s', (mode) => {
  const group = (world: World) => {
    world.sandbox.groups.defaultAddressing = mode;
    const newGroup =
      mode === 'lid'
        ? createAdasGroup(world, [ownNumber, bob, eve])
        : phone(world, ada).createGroup('Theirs', [ownNumber, bob, eve], { addressing: mode });
    return newGroup.id;
  };

  it('a group member can change only its own messages; an admin can also delete, but not edit, those of others', async () => {
    const world = await startLinked();
    const id = group(world);
    const participant = mode === 'lid' ? lidJid(world.sandbox.world.account(bob)) : jid(bob);
    const [bobsMessage, ownMessage] = [await sendText(world, bob, id), await sendText(world, ownNumber, id)];
    for (const target of [bobsMessage, ownMessage]) {
      for (const claim of [{ fromMe: true }, { fromMe: false }, { fromMe: false, participant }]) {
        await attack(world, eve, id, revoke({ remoteJid: id, id: target, ...claim }));
        await attack(world, eve, id, edit({ remoteJid: id, id: target, ...claim }));
        // An admin may not edit messages of other members.
        await attack(world, ada, id, edit({ remoteJid: id, id: target, ...claim }));
      }
      await expectUntouched(world, target);
    }
    const evesMessage = await sendText(world, eve, id);
    await phone(world, eve).send(id, { delete: { id: evesMessage } });
    await expectDeleted(world, evesMessage);
    for (const target of [bobsMessage, ownMessage]) {
      await phone(world, ada).send(id, { delete: { id: target } });
      await expectDeleted(world, target);
    }
  });

  it('a member can delete messages of others only while the member is an admin, also after a restart', async () => {
    const world = await startLinked();
    const id = group(world);
    const { sandbox } = world;
    const change = (kind: 'promote' | 'demote') => {
      const changedGroup = sandbox.groups.get(id);
      if (!changedGroup) throw new Error('no group');
      sandbox.groups.change(changedGroup, sandbox.world.account(ada), kind, [jid(eve)]);
    };
    const first = await sendText(world, bob, id);
    change('promote');
    await phone(world, eve).send(id, { delete: { id: first } });
    await expectDeleted(world, first);
    change('demote');
    const second = await sendText(world, bob, id);
    const forged = revoke({ remoteJid: id, id: second, fromMe: false, participant: jid(bob) });
    await attack(world, eve, id, forged);
    await expectUntouched(world, second);
    await world.restart();
    await attack(world, eve, id, forged);
    await expectUntouched(world, second);
    await phone(world, ada).send(id, { delete: { id: second } });
    await expectDeleted(world, second);
  });

  it('deletions and edits that arrive while the gateway is stopped take effect only from the author', async () => {
    const world = await startLinked();
    const id = group(world);
    const ids: string[] = [];
    await world.gateway.stop();
    ids.push(await phone(world, bob).send(id, { text: 'true' }), await phone(world, bob).send(id, { text: 'true' }));
    for (const target of ids) {
      await phone(world, eve).send(id, revoke({ remoteJid: id, id: target, fromMe: true }));
      await phone(world, eve).send(id, edit({ remoteJid: id, id: target, fromMe: true }));
    }
    await phone(world, bob).send(id, { delete: { id: ids[1] ?? '' } });
    await world.restart();
    const [first = '', second = ''] = ids;
    await waitForMessage(world, first);
    await expectDeleted(world, second);
    await expectUntouched(world, first);
  });

  it('the gateway ignores timer messages of group members, and pins of members without the right to edit the group', async () => {
    const world = await startLinked();
    const id = group(world);
    const bobsMessage = await sendText(world, bob, id);
    const pin = (remoteJid: string) =>
      raw({
        pinInChatMessage: {
          key: { remoteJid, fromMe: false, id: bobsMessage, participant: jid(bob) },
          type: 1,
          senderTimestampMs: 1,
        },
      });
    await attack(world, eve, id, raw({ protocolMessage: { type: EPHEMERAL_SETTING, ephemeralExpiration: 86_400 } }));
    await attack(world, eve, ownNumber, pin(id));
    const lockedGroup = world.sandbox.groups.get(id);
    if (!lockedGroup) throw new Error('no group');
    world.sandbox.groups.setLocked(lockedGroup, world.sandbox.world.account(ada), true);
    await attack(world, eve, id, pin(id));
    const pins = () => world.receiver.posts.filter(({ raw: text }) => text.includes('pinInChatMessage'));
    expect(pins()).toEqual([]);
    await waitForMessage(world, await phone(world, ada).send(id, pin(id)));
    expect(pins()).toHaveLength(1);
    const timers = world.receiver.posts.filter(({ raw: text }) => /ephemeral(Expiration|Duration)/.test(text));
    expect(timers).toEqual([]);
  });
});
