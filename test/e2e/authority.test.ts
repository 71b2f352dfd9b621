// Who may change a message: what others refuse to believe is neither stored nor delivered.
import { proto } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { lidJid } from '../../packages/sandbox/src/world/world.ts';
import { at, textAt } from '../support/api.ts';
import { isEvent, type World } from '../support/gateway.ts';
import { ada, adasGroup, bob, eve, jid, linked, mine } from '../support/group.ts';

const { REVOKE, MESSAGE_EDIT, EPHEMERAL_SETTING } = proto.Message.ProtocolMessage.Type;

const phone = ({ sandbox }: World, number: string) => sandbox.phones.phone(number);
const raw = (content: proto.IMessage) => ({ raw: proto.Message.encode(content).finish() });
const revoke = (key: proto.IMessageKey) => raw({ protocolMessage: { type: REVOKE, key } });
const edit = (key: proto.IMessageKey) =>
  raw({ protocolMessage: { type: MESSAGE_EDIT, key, editedMessage: { conversation: 'forged' }, timestampMs: 1 } });

const arrived = (world: World, id: string) =>
  world.receiver.next(({ body }) => isEvent(body, 'messages.upsert') && at(body, 'data.key.id') === id);

/** Posts that say that a message changed. */
const changesOf = ({ receiver }: World, id: string) =>
  receiver.posts.filter(
    ({ body, raw: text }) =>
      (isEvent(body, 'messages.edited') || isEvent(body, 'messages.delete') || text.includes('pollUpdates')) &&
      at(body, 'data.key.id') === id,
  );

async function stored(world: World, id: string): Promise<unknown> {
  const { body } = await world.api('POST', '/chat/findMessages/sales', { where: { key: { id } } });
  return at(body, '0');
}

/** A text by a number, delivered; resolves with its id. */
async function said(world: World, number: string, to: string, text = 'true'): Promise<string> {
  const id = await phone(world, number).send(to, { text });
  await arrived(world, id);
  return id;
}

/** Sends what should be refused, and something after it: by then everything before it is through. */
async function attack(world: World, number: string, to: string, forged: ReturnType<typeof raw>): Promise<void> {
  await phone(world, number).send(to, forged);
  await said(world, number, to, 'after that');
}

async function expectUntouched(world: World, id: string): Promise<void> {
  expect(changesOf(world, id)).toEqual([]);
  const found = await stored(world, id);
  expect(found).toMatchObject({ message: { conversation: 'true' } });
  expect(JSON.stringify(found)).not.toContain('DELETED');
}

async function expectDeleted(world: World, id: string): Promise<void> {
  await world.receiver.next(({ body }) => isEvent(body, 'messages.delete') && at(body, 'data.key.id') === id);
  const found = await stored(world, id);
  expect(found).toMatchObject({ message: {} });
  expect(at(found, 'MessageUpdate')).toContainEqual(expect.objectContaining({ status: 'DELETED' }));
}

describe('in a direct chat', () => {
  it.each<['pn' | 'lid']>([
    ['pn'],
    ['lid'],
  ])('the other side, addressed by %s, changes its own messages alone', async (form) => {
    const world = await linked();
    const own = await said(world, mine, ada);
    const send = async (content: ReturnType<typeof raw>) => {
      await phone(world, ada).send(mine, content, { addressing: form });
      const id = await phone(world, ada).send(mine, { text: 'after that' }, { addressing: form });
      await arrived(world, id);
    };
    for (const fromMe of [true, false]) {
      for (const remoteJid of [jid(mine), lidJid(world.sandbox.world.account(mine)), undefined]) {
        await send(revoke({ remoteJid, fromMe, id: own }));
        await send(edit({ remoteJid, fromMe, id: own }));
      }
    }
    await expectUntouched(world, own);
    const hers = await phone(world, ada).send(mine, { text: 'true' }, { addressing: form });
    await arrived(world, hers);
    await phone(world, ada).send(mine, { edit: { id: hers, text: 'better' } }, { addressing: form });
    const { body } = await world.receiver.next((post) => isEvent(post.body, 'messages.edited'));
    expect(at(body, 'data')).toMatchObject({ key: { id: hers }, editedMessage: { conversation: 'better' } });
    expect(await stored(world, hers)).toMatchObject({ message: { conversation: 'better' } });
    await phone(world, ada).send(mine, { delete: { id: hers } }, { addressing: form });
    await expectDeleted(world, hers);
  });

  it('another device of the account changes its own messages alone', async () => {
    const world = await linked();
    const hers = await said(world, ada, mine);
    await attack(world, mine, ada, revoke({ remoteJid: jid(ada), fromMe: false, id: hers }));
    await attack(world, mine, ada, edit({ remoteJid: jid(ada), fromMe: true, id: hers }));
    await expectUntouched(world, hers);
    const own = await said(world, mine, ada);
    await phone(world, mine).send(ada, { delete: { id: own } });
    await expectDeleted(world, own);
  });

  it('messages of another chat cannot be changed', async () => {
    const world = await linked();
    const toBob = await said(world, mine, bob);
    const bobs = await said(world, bob, mine);
    for (const id of [toBob, bobs]) {
      for (const fromMe of [true, false]) {
        for (const remoteJid of [jid(bob), jid(mine)]) {
          await attack(world, ada, mine, revoke({ remoteJid, fromMe, id, participant: jid(bob) }));
          await attack(world, ada, mine, edit({ remoteJid, fromMe, id, participant: jid(bob) }));
        }
      }
      await expectUntouched(world, id);
    }
  });

  it('a message of another chat with the same id hides none of this account’s', async () => {
    const world = await linked();
    const sent = await world.api('POST', '/message/sendText/sales', { number: ada, textMessage: { text: 'true' } });
    const id = textAt(sent.body, 'key.id');
    await phone(world, eve).send(mine, { text: 'forged' }, { id });
    await arrived(world, id);
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
    const world = await linked();
    const group = await adasGroup(world);
    const sent = await world.api('POST', '/message/sendText/sales', { number: ada, textMessage: { text: 'true' } });
    const own = textAt(sent.body, 'key.id');
    const inGroup = await said(world, ada, group.id);
    for (const [from, to, id] of [
      [ada, mine, own],
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
        { message: id === own ? { extendedTextMessage: { text: 'true' } } : { conversation: 'true' } },
      ]);
      expect(JSON.stringify(at(body, '1'))).not.toContain('DELETED');
    }
  });

  it('a message that is not stored is deleted by a person who says that it is theirs, and by no other', async () => {
    const world = await linked();
    await attack(world, ada, mine, revoke({ remoteJid: jid(mine), fromMe: false, id: 'UNSEEN-1' }));
    await phone(world, ada).send(mine, revoke({ remoteJid: jid(mine), fromMe: true, id: 'UNSEEN-2' }));
    await world.receiver.next(({ body }) => isEvent(body, 'messages.delete'));
    expect([changesOf(world, 'UNSEEN-1').length, changesOf(world, 'UNSEEN-2').length]).toEqual([0, 1]);
  });

  it('a poll is voted in by the people of its chat', async () => {
    const world = await linked();
    const poll = await phone(world, mine).send(ada, { poll: { name: 'When?', options: ['today', 'never'] } });
    await arrived(world, poll);
    const vote = { encPayload: Buffer.alloc(40), encIv: Buffer.alloc(12) };
    const pollCreationMessageKey = { remoteJid: jid(ada), fromMe: true, id: poll };
    await attack(world, bob, mine, raw({ pollUpdateMessage: { pollCreationMessageKey, vote } }));
    expect(changesOf(world, poll)).toEqual([]);
  });
});

describe.each(['lid', 'pn'] as const)('in a group that names its members by %s', (mode) => {
  const group = (world: World) => {
    world.sandbox.groups.defaultAddressing = mode;
    const made =
      mode === 'lid'
        ? adasGroup(world, [mine, bob, eve])
        : phone(world, ada).createGroup('Theirs', [mine, bob, eve], { addressing: mode });
    return made.id;
  };

  it('members change their own messages alone, and admins delete those of others', async () => {
    const world = await linked();
    const id = group(world);
    const participant = mode === 'lid' ? lidJid(world.sandbox.world.account(bob)) : jid(bob);
    const [bobs, own] = [await said(world, bob, id), await said(world, mine, id)];
    for (const target of [bobs, own]) {
      for (const claim of [{ fromMe: true }, { fromMe: false }, { fromMe: false, participant }]) {
        await attack(world, eve, id, revoke({ remoteJid: id, id: target, ...claim }));
        await attack(world, eve, id, edit({ remoteJid: id, id: target, ...claim }));
        // Admins edit nothing of others.
        await attack(world, ada, id, edit({ remoteJid: id, id: target, ...claim }));
      }
      await expectUntouched(world, target);
    }
    const eves = await said(world, eve, id);
    await phone(world, eve).send(id, { delete: { id: eves } });
    await expectDeleted(world, eves);
    for (const target of [bobs, own]) {
      await phone(world, ada).send(id, { delete: { id: target } });
      await expectDeleted(world, target);
    }
  });

  it('counts who is an admin now, also after a restart', async () => {
    const world = await linked();
    const id = group(world);
    const { sandbox } = world;
    const change = (kind: 'promote' | 'demote') => {
      const made = sandbox.groups.get(id);
      if (!made) throw new Error('no group');
      sandbox.groups.change(made, sandbox.world.account(ada), kind, [jid(eve)]);
    };
    const first = await said(world, bob, id);
    change('promote');
    await phone(world, eve).send(id, { delete: { id: first } });
    await expectDeleted(world, first);
    change('demote');
    const second = await said(world, bob, id);
    const forged = revoke({ remoteJid: id, id: second, fromMe: false, participant: jid(bob) });
    await attack(world, eve, id, forged);
    await expectUntouched(world, second);
    await world.restart();
    await attack(world, eve, id, forged);
    await expectUntouched(world, second);
    await phone(world, ada).send(id, { delete: { id: second } });
    await expectDeleted(world, second);
  });

  it('what comes while the gateway is away is checked as well', async () => {
    const world = await linked();
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
    await arrived(world, first);
    await expectDeleted(world, second);
    await expectUntouched(world, first);
  });

  it('the timer comes from the platform, and pins are those of members who may change the group', async () => {
    const world = await linked();
    const id = group(world);
    const bobs = await said(world, bob, id);
    const pin = (remoteJid: string) =>
      raw({
        pinInChatMessage: {
          key: { remoteJid, fromMe: false, id: bobs, participant: jid(bob) },
          type: 1,
          senderTimestampMs: 1,
        },
      });
    await attack(world, eve, id, raw({ protocolMessage: { type: EPHEMERAL_SETTING, ephemeralExpiration: 86_400 } }));
    await attack(world, eve, mine, pin(id));
    const made = world.sandbox.groups.get(id);
    if (!made) throw new Error('no group');
    world.sandbox.groups.setLocked(made, world.sandbox.world.account(ada), true);
    await attack(world, eve, id, pin(id));
    const pins = () => world.receiver.posts.filter(({ raw: text }) => text.includes('pinInChatMessage'));
    expect(pins()).toEqual([]);
    await arrived(world, await phone(world, ada).send(id, pin(id)));
    expect(pins()).toHaveLength(1);
    const timers = world.receiver.posts.filter(({ raw: text }) => /ephemeral(Expiration|Duration)/.test(text));
    expect(timers).toEqual([]);
  });
});
