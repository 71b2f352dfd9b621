// Sender keys of groups, tested with real clients: a former member still has the old key and cannot read new messages.
import { type BinaryNode, getBinaryNodeChildren, proto } from '@whiskeysockets/baileys';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Sandbox } from '../../packages/sandbox/src/sandbox.ts';
import { RealClient } from '../../packages/sandbox/test/real-client.ts';
import { textAt } from '../support/api.ts';
import { isState, type World } from '../support/gateway.ts';
import { ada, bob, eve, jid, ownNumber, startLinked } from '../support/group.ts';

/** A real client of one number, with its messages as received. */
class Member extends RealClient {
  readonly #nodes: BinaryNode[] = [];

  static async of(sandbox: Sandbox, number: string): Promise<Member> {
    const member = new Member(sandbox, { creds: sandbox.provision(number), keys: new Map() });
    onTestFinished(() => void member.sock.end(undefined));
    member.sock.ws.on('CB:message', (node: BinaryNode) => member.#nodes.push(node));
    await member.open();
    return member;
  }

  /** Waits until the client has decrypted the message with this id. Returns the message as encrypted for the group. */
  async encryptedMessage(id: string) {
    await this.message(id);
    const node = this.#nodes.find(({ attrs }) => attrs.id === id);
    const copies = getBinaryNodeChildren(node, 'enc');
    const bytes = copies.find(({ attrs }) => attrs.type === 'skmsg')?.content;
    if (!node || !(bytes instanceof Uint8Array)) throw new Error('not encrypted for the group');
    const { id: key } = proto.SenderKeyMessage.decode(bytes.subarray(1, -64));
    return { attrs: node.attrs, bytes, key, distributesKey: copies.length > 1 };
  }

  /** Decrypts a message that the platform did not deliver to this client. */
  decrypt({ attrs, bytes }: Awaited<ReturnType<Member['encryptedMessage']>>): Promise<Uint8Array> {
    const { from = '', participant = '' } = attrs;
    return this.sock.signalRepository.decryptGroupMessage({ group: from, authorJid: participant, msg: bytes });
  }
}

async function send({ api }: World, group: string, text: string): Promise<string> {
  const sent = await api('POST', '/message/sendText/sales', { number: group, textMessage: { text } });
  expect(sent.status, JSON.stringify(sent.body)).toBe(201);
  return textAt(sent.body, 'key.id');
}

describe.each(['lid', 'pn'] as const)('sender keys of groups addressed by %s', (mode) => {
  it('the sender key of a group stays while all members stay, and changes after a member is removed or leaves', async () => {
    const world = await startLinked();
    const { sandbox } = world;
    const { groups } = sandbox;
    const [bobsClient, evesClient] = await Promise.all([Member.of(sandbox, bob), Member.of(sandbox, eve)]);
    const admin = sandbox.world.account(ada);
    const [group] = groups.create(admin, 'Keys', [ownNumber, bob, eve].map(jid), { addressing: mode });
    const waitForChange = (change: string) =>
      world.logged((line) => line.msg === 'group.changed' && line.change === change);

    const first = await bobsClient.encryptedMessage(await send(world, group.id, 'one'));
    expect(first.distributesKey).toBe(true);
    // The platform no longer delivers to Eve, and the gateway does not know this. Her key still decrypts the message.
    await evesClient.message(first.attrs.id ?? '');
    const rank = group.members.get(sandbox.world.account(eve)) ?? 'member';
    group.members.delete(sandbox.world.account(eve));
    const second = await bobsClient.encryptedMessage(await send(world, group.id, 'two'));
    expect(second).toMatchObject({ key: first.key, distributesKey: false });
    expect(Buffer.from(await evesClient.decrypt(second)).toString()).toContain('two');

    group.members.set(sandbox.world.account(eve), rank);
    groups.change(group, admin, 'remove', [jid(eve)]);
    await waitForChange('remove');
    const third = await bobsClient.encryptedMessage(await send(world, group.id, 'three'));
    expect(third.distributesKey).toBe(true);
    expect(third.key).not.toBe(first.key);
    await expect(evesClient.decrypt(third)).rejects.toThrow('No session found to decrypt message');
    const fourth = await bobsClient.encryptedMessage(await send(world, group.id, 'four'));
    expect(fourth).toMatchObject({ key: third.key, distributesKey: false });
    await expect(evesClient.decrypt(fourth)).rejects.toThrow('No session found to decrypt message');

    // The key also changes without a notification: the list that the gateway queries lacks a member who left meanwhile.
    await world.api('PUT', '/instance/restart/sales');
    expect((await bobsClient.encryptedMessage(await send(world, group.id, 'five'))).key).toBe(third.key);
    await world.gateway.stop();
    groups.leave(group, admin);
    const postsBefore = world.receiver.posts.length;
    await world.restart();
    await world.receiver.next(({ body }) => isState(body, 'sales', 'open'), { after: postsBefore });
    const sixth = await bobsClient.encryptedMessage(await send(world, group.id, 'six'));
    expect(sixth.distributesKey).toBe(true);
    expect(sixth.key).not.toBe(third.key);
    const phone = sandbox.phones.phone(bob);
    // The platform forwards a message to Bob's client before it decrypts the message for Bob's phone.
    await phone.waitFor(() => phone.receivedCount === 6);
    expect(phone.messages().map(({ text }) => text)).toEqual(['one', 'two', 'three', 'four', 'five', 'six']);
  });
});
