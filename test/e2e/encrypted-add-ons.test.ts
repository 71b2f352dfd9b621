// Edits, reactions and votes, which phones encrypt with the secret of the target message.
import { proto } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import type { Group } from '../../packages/sandbox/src/world/group.ts';
import { at, textAt } from '../support/api.ts';
import { isEvent, type World } from '../support/gateway.ts';
import { ada, bob, createAdasGroup, eve, jid, ownNumber, startLinked } from '../support/group.ts';

const phone = ({ sandbox }: World, number: string) => sandbox.phones.phone(number);
const raw = (content: proto.IMessage) => ({ raw: proto.Message.encode(content).finish() });

const waitForEvent = (world: World, event: string, id: string) =>
  world.receiver.next(({ body }) => isEvent(body, event) && at(body, 'data.key.id') === id);

/** Sends a text from a phone. Resolves with its id when the webhook has it. */
async function sendText(world: World, number: string, to: string, text = 'At nine'): Promise<string> {
  const id = await phone(world, number).send(to, { text });
  await waitForEvent(world, 'messages.upsert', id);
  return id;
}

const edit = (world: World, number: string, to: string, id: string, text = 'At ten') =>
  phone(world, number).send(to, { edit: { id, text, encrypted: true } });

const findMessages = async (world: World, id: string): Promise<unknown> =>
  (await world.api('POST', '/chat/findMessages/sales', { where: { key: { id } } })).body;

const findStored = async (world: World, id: string): Promise<unknown> => at(await findMessages(world, id), '0');

async function chatOf(world: World, remoteJid: string): Promise<unknown> {
  const path = `/chat/findChatByRemoteJid/sales?remoteJid=${encodeURIComponent(remoteJid)}`;
  return (await world.api('GET', path)).body;
}

/** Expects that no post contains an encrypted edit or reaction, and that none of `ids` is stored as a message. */
async function expectNoEnvelope(world: World, ...ids: string[]): Promise<void> {
  expect(world.receiver.posts.filter(({ raw: text }) => /secretEncrypted|encReaction/.test(text))).toEqual([]);
  for (const id of ids) expect(await findMessages(world, id)).toEqual([]);
}

async function expectEdited(world: World, id: string, text = 'At ten'): Promise<void> {
  const { body } = await waitForEvent(world, 'messages.edited', id);
  expect(at(body, 'data.editedMessage')).toEqual({ extendedTextMessage: { text } });
  expect(await findStored(world, id)).toMatchObject({ message: { conversation: text } });
}

describe('encrypted edits in a direct chat', () => {
  it.each([
    'pn',
    'lid',
  ] as const)('an encrypted edit of a contact addressed by %s changes its message and adds no message to the chat', async (addressing) => {
    const world = await startLinked();
    const id = await phone(world, ada).send(ownNumber, { text: 'At nine' }, { addressing });
    await waitForEvent(world, 'messages.upsert', id);
    const change = { edit: { id, text: 'At ten', encrypted: true } };
    const envelope = await phone(world, ada).send(ownNumber, change, { addressing });
    await expectEdited(world, id);
    expect(await chatOf(world, ada)).toMatchObject({ unreadCount: 1, lastMessage: { key: { id } } });
    const secondEdit = await edit(world, ada, ownNumber, id, 'At eleven');
    await world.receiver.next(({ raw: text }) => text.includes('At eleven'));
    expect(await findStored(world, id)).toMatchObject({ message: { conversation: 'At eleven' } });
    await expectNoEnvelope(world, envelope, secondEdit);
  });

  it('an encrypted edit from the own phone changes messages sent through the gateway and from the phone', async () => {
    const world = await startLinked();
    const sent = await world.api('POST', '/message/sendText/sales', { number: ada, textMessage: { text: 'At nine' } });
    const ownIds = [textAt(sent.body, 'key.id'), await sendText(world, ownNumber, ada)];
    await phone(world, ownNumber).waitFor(() =>
      phone(world, ownNumber)
        .messages()
        .some(({ id }) => id === ownIds[0]),
    );
    for (const id of ownIds) {
      const envelope = await edit(world, ownNumber, ada, id);
      const { body } = await waitForEvent(world, 'messages.edited', id);
      expect(at(body, 'data')).toMatchObject({ key: { fromMe: true, remoteJid: jid(ada) } });
      expect(JSON.stringify(await findStored(world, id))).toContain('At ten');
      await expectNoEnvelope(world, envelope);
    }
  });

  it('an encrypted edit changes its message when both arrive after a stop of the gateway', async () => {
    const world = await startLinked();
    await world.gateway.stop();
    const id = await phone(world, ada).send(ownNumber, { text: 'At nine' });
    const envelope = await edit(world, ada, ownNumber, id);
    await world.restart();
    await expectEdited(world, id);
    expect(await chatOf(world, ada)).toMatchObject({ unreadCount: 1, lastMessage: { key: { id } } });
    await expectNoEnvelope(world, envelope);
  });

  it('an undecryptable encrypted edit is posted as messages.undecryptable and changes no message', async () => {
    const world = await startLinked();
    const id = await sendText(world, ada, ownNumber);
    const targetMessageKey = { remoteJid: jid(ownNumber), fromMe: true, id };
    const sealed = { targetMessageKey, encPayload: Buffer.alloc(60), encIv: Buffer.alloc(12), secretEncType: 2 };
    const unknown = { ...sealed, targetMessageKey: { ...targetMessageKey, id: 'UNKNOWN' } };
    for (const secretEncryptedMessage of [
      sealed,
      unknown,
      { ...sealed, encIv: Buffer.alloc(1) },
      { secretEncType: 2 },
    ]) {
      const envelope = await phone(world, ada).send(ownNumber, raw({ secretEncryptedMessage }));
      await waitForEvent(world, 'messages.undecryptable', envelope);
      await expectNoEnvelope(world, envelope);
    }
    expect(await findStored(world, id)).toMatchObject({ message: { conversation: 'At nine' } });
    expect(await chatOf(world, ada)).toMatchObject({ unreadCount: 1, lastMessage: { key: { id } } });
  });

  it('the readMessages setting sends no read receipt for an encrypted edit', async () => {
    const world = await startLinked();
    const set = await world.api('POST', '/settings/set/sales', { readMessages: true });
    expect(set.status).toBe(201);
    const id = await sendText(world, ada, ownNumber);
    const envelope = await edit(world, ada, ownNumber, id);
    const laterMessage = await sendText(world, ada, ownNumber, 'Bye');
    const isRead = (messageId: string) =>
      phone(world, ada)
        .messages()
        .find((message) => message.id === messageId)
        ?.receipts.some(({ type }) => type === 'read') ?? false;
    await phone(world, ada).waitFor(() => isRead(laterMessage));
    expect([isRead(id), isRead(envelope)]).toEqual([true, false]);
  });
});

describe.each(['lid', 'pn'] as const)('groups addressed by %s', (mode) => {
  async function startInGroup(): Promise<{ world: World; group: Group }> {
    const world = await startLinked();
    world.sandbox.groups.defaultAddressing = mode;
    const members = [ownNumber, bob, eve];
    const group =
      mode === 'lid'
        ? createAdasGroup(world, members)
        : phone(world, ada).createGroup('Theirs', members, { addressing: mode });
    return { world, group };
  }

  it('an encrypted edit in a group changes the message of its author, and no message of other members', async () => {
    const { world, group } = await startInGroup();
    const id = await sendText(world, bob, group.id);
    const ownMessage = await sendText(world, ownNumber, group.id);
    const forged = [
      await edit(world, eve, group.id, id, 'forged'),
      await edit(world, ada, group.id, ownMessage, 'forged'),
    ];
    await world.logged(({ msg }) => msg === 'message.change.refused');
    await sendText(world, eve, group.id, 'after that');
    for (const target of [id, ownMessage])
      expect(await findStored(world, target)).toMatchObject({ message: { conversation: 'At nine' } });
    expect(world.receiver.posts.filter(({ raw: text }) => text.includes('forged'))).toEqual([]);
    await edit(world, bob, group.id, id);
    await expectEdited(world, id);
    await edit(world, ownNumber, group.id, ownMessage);
    await expectEdited(world, ownMessage);
    await expectNoEnvelope(world, ...forged);
  });

  it('an encrypted reaction in a group is posted as a plain reaction', async () => {
    const { world, group } = await startInGroup();
    const adasMessage = await sendText(world, ada, group.id);
    const ownMessage = await sendText(world, ownNumber, group.id);
    const cases = [
      [adasMessage, '👍', false],
      [ownMessage, '👍', true],
      [ownMessage, '', true],
    ] as const;
    for (const [id, emoji, fromMe] of cases) {
      const envelope = await phone(world, bob).send(group.id, { reaction: { id, emoji, encrypted: true } });
      const { body } = await waitForEvent(world, 'messages.upsert', envelope);
      expect(at(body, 'data')).toMatchObject({
        messageType: 'reactionMessage',
        key: { remoteJid: group.id, fromMe: false, participant: jid(bob) },
        message: { reactionMessage: { key: { id, fromMe, remoteJid: group.id }, text: emoji } },
      });
    }
    expect(await chatOf(world, group.id)).toMatchObject({ unreadCount: 0 });
    await expectNoEnvelope(world);
  });
});

it('a vote in a poll that the phone of the account sent to a contact is counted', async () => {
  const world = await startLinked();
  const poll = await phone(world, ownNumber).send(ada, { poll: { name: 'When?', options: ['nine', 'ten'] } });
  await waitForEvent(world, 'messages.upsert', poll);
  await phone(world, ada).send(ownNumber, { vote: { id: poll, options: ['ten'] } });
  const { body } = await world.receiver.next(({ raw: text }) => text.includes('pollUpdates'));
  expect(at(body, 'data.pollUpdates')).toEqual([
    { name: 'nine', voters: [] },
    { name: 'ten', voters: [jid(ada)] },
  ]);
});
