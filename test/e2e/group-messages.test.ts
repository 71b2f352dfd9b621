import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren } from '@whiskeysockets/baileys';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Group } from '../../packages/sandbox/src/world/group.ts';
import { lidJid } from '../../packages/sandbox/src/world/world.ts';
import { at, textAt } from '../support/api.ts';
import { isEvent, type World } from '../support/gateway.ts';
import { ada, bob, createAdasGroup, createOwnGroup, eve, jid, ownNumber, startLinked } from '../support/group.ts';

const send = (world: World, group: Group, text: string, options?: unknown) =>
  world.api('POST', '/message/sendText/sales', { number: group.id, textMessage: { text }, options });

/** Waits for the message with this id, as the phone of `number` decrypted it. */
async function waitForMessage({ sandbox }: World, number: string, id: string) {
  const phone = sandbox.phones.phone(number);
  return phone.waitFor(() => phone.messages().find((message) => message.id === id));
}

const waitForStatus = (world: World, id: string, expectedStatus: string) =>
  world.receiver.next(
    ({ body }) =>
      isEvent(body, 'messages.update') && at(body, 'data.keyId') === id && at(body, 'data.status') === expectedStatus,
  );

describe.each(['lid', 'pn'] as const)('messages in a group addressed by %s', (mode) => {
  it('a message to a group reaches every member, and the answers of members reach the webhook', async () => {
    const world = await startLinked();
    world.sandbox.groups.defaultAddressing = mode;
    const group = await createOwnGroup(world);
    const sent = await send(world, group, 'hello all');
    expect(sent.status).toBe(201);
    expect(sent.body).toMatchObject({ key: { remoteJid: group.id, fromMe: true }, status: 'PENDING' });
    const id = textAt(sent.body, 'key.id');
    for (const number of [ada, bob, ownNumber]) {
      expect(await waitForMessage(world, number, id)).toMatchObject({
        chat: group.id,
        from: ownNumber,
        text: 'hello all',
      });
    }
    await waitForStatus(world, id, 'DELIVERY_ACK');
    for (const text of ['first answer', 'second answer']) {
      const answered = await world.sandbox.phones.phone(ada).send(group.id, { text });
      const post = await world.receiver.next(
        ({ body }) => isEvent(body, 'messages.upsert') && at(body, 'data.key.id') === answered,
      );
      expect(at(post.body, 'data')).toMatchObject({
        key: {
          remoteJid: group.id,
          fromMe: false,
          participant: jid(ada),
          participantAlt: lidJid(world.sandbox.world.account(ada)),
        },
        message: { conversation: text },
      });
    }
  });
});

describe('group queries of sends', () => {
  it('a send to a group needs no group query, also after members were added and removed', async () => {
    const world = await startLinked();
    const group = createAdasGroup(world);
    const { groups } = world.sandbox;
    const admin = world.sandbox.world.account(ada);
    const waitForChange = (change: string) =>
      world.logged((line) => line.msg === 'group.changed' && line.change === change && line.group === group.id);
    await waitForChange('create');
    await send(world, group, 'without Eve');
    groups.add(group, admin, [jid(eve)]);
    await waitForChange('add');
    const welcome = textAt((await send(world, group, 'welcome')).body, 'key.id');
    expect(await waitForMessage(world, eve, welcome)).toMatchObject({ text: 'welcome' });
    groups.change(group, admin, 'remove', [jid(eve)]);
    groups.setMessageLifetime(group, admin, 86400);
    await waitForChange('ephemeral');
    const bye = await send(world, group, 'bye');
    expect(at(bye.body, 'message.extendedTextMessage.contextInfo')).toMatchObject({ expiration: 86400 });
    expect(await waitForMessage(world, bob, textAt(bye.body, 'key.id'))).toMatchObject({ text: 'bye' });
    const evesMessages = world.sandbox.phones.phone(eve).messages();
    expect(evesMessages.map(({ text }) => text)).toEqual(['welcome']);
    expect(groups.queryCount).toBe(0);
  });

  it('concurrent sends to a group after a reconnect share one group query', async () => {
    const world = await startLinked();
    const group = await createOwnGroup(world);
    await send(world, group, 'one');
    expect(world.sandbox.groups.queryCount).toBe(0);
    const restarted = await world.api('PUT', '/instance/restart/sales');
    expect(at(restarted.body, 'instance.state')).toBe('open');
    const sent = await Promise.all(['two', 'three', 'four'].map((text) => send(world, group, text)));
    expect(sent.map((answer) => answer.status)).toEqual([201, 201, 201]);
    expect(world.sandbox.groups.queryCount).toBe(1);
  });

  it('a mention of all members needs no group query', async () => {
    const world = await startLinked();
    const group = await createOwnGroup(world);
    const sent = await send(world, group, 'all of you', { mentions: { everyOne: true } });
    const memberLids = [ownNumber, ada, bob].map((number) => lidJid(world.sandbox.world.account(number)));
    expect(at(sent.body, 'message.extendedTextMessage.contextInfo.mentionedJid')).toEqual(memberLids);
    expect(world.sandbox.groups.queryCount).toBe(0);
  });
});

describe('sends that a group refuses', () => {
  it('a send to an unknown group or to a group of others answers 400 with certain true', async () => {
    const world = await startLinked();
    const foreign = await send(world, createAdasGroup(world, [bob]), 'x');
    expect(foreign).toMatchObject({ status: 400, body: { code: 'GROUP_FORBIDDEN', certain: true } });
    const missing = await world.api('POST', '/message/sendText/sales', {
      number: '120363000000000001@g.us',
      textMessage: { text: 'x' },
    });
    expect(missing).toMatchObject({ status: 400, body: { code: 'GROUP_NOT_FOUND', certain: true } });
  });

  it('a message of a member becomes ERROR in a group where only admins may write', async () => {
    const world = await startLinked();
    const group = createAdasGroup(world);
    world.sandbox.groups.setAnnouncement(group, world.sandbox.world.account(ada), true);
    const sent = await send(world, group, 'x');
    expect(sent.status).toBe(201);
    const failed = await waitForStatus(world, textAt(sent.body, 'key.id'), 'ERROR');
    expect(at(failed.body, 'data.code')).toBeTruthy();
  });

  it('a send answers 400 after the account was removed from the group', async () => {
    const world = await startLinked();
    const group = createAdasGroup(world);
    await send(world, group, 'still in');
    const linesBefore = world.log.length;
    world.sandbox.groups.change(group, world.sandbox.world.account(ada), 'remove', [jid(ownNumber)]);
    await world.logged(({ msg }) => msg === 'group.changed', linesBefore);
    expect(await send(world, group, 'out')).toMatchObject({ status: 400, body: { code: 'GROUP_FORBIDDEN' } });
  });
});

describe('group messages with a used prekey message', () => {
  it('a group message with a prekey message that was used before is dropped and leaves no copy in the database', async () => {
    const world = await startLinked();
    const group = createAdasGroup(world);
    const { world: platform, phones } = world.sandbox;
    const sendFromAda = async (text: string) => {
      const id = await phones.phone(ada).send(group.id, { text });
      return () =>
        world.receiver.next(({ body }) => isEvent(body, 'messages.upsert') && at(body, 'data.key.id') === id);
    };
    const { deliver } = platform;
    const delivered: BinaryNode[] = [];
    const spy = vi.spyOn(platform, 'deliver').mockImplementation((to, key, node) => {
      if (to.account.number === ownNumber && node.tag === 'message') delivered.push(node);
      deliver(to, key, node);
    });
    await (await sendFromAda('one'))();
    const [senderKey] = getBinaryNodeChildren(delivered[0], 'enc');
    expect(senderKey?.attrs.type).toBe('pkmsg');
    spy.mockImplementationOnce((to, key, node) => {
      const message = getBinaryNodeChild(node, 'enc');
      deliver(to, key, { ...node, content: [message, senderKey].filter((each) => each !== undefined) });
    });
    await sendFromAda('two');
    await (await sendFromAda('three'))();

    await world.restart();
    const database = new DatabaseSync(join(world.dataDir, 'gateway.db'), { readOnly: true });
    onTestFinished(() => database.close());
    expect(database.prepare(`SELECT id FROM auth_key WHERE type = 'inbound'`).all()).toEqual([]);
    const stored = await world.api('POST', '/chat/findMessages/sales', { where: { key: { remoteJid: group.id } } });
    expect([stored.body].flat().map((message) => at(message, 'message.conversation'))).toEqual(['three', 'one']);
  });
});
