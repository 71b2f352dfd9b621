// Who can read what the gateway sends to a group, tried with real clients: a former member still has the old key and reads nothing new.
import { type BinaryNode, getBinaryNodeChildren, proto } from '@whiskeysockets/baileys';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Sandbox } from '../../packages/sandbox/src/sandbox.ts';
import { RealClient } from '../../packages/sandbox/test/real-client.ts';
import { textAt } from '../support/api.ts';
import { isState, type World } from '../support/gateway.ts';
import { ada, bob, eve, jid, linked, mine } from '../support/group.ts';

/** A real client of `number` and the messages as they arrived. */
class Member extends RealClient {
  readonly #nodes: BinaryNode[] = [];

  static async of(sandbox: Sandbox, number: string): Promise<Member> {
    const member = new Member(sandbox, { creds: sandbox.provision(number), keys: new Map() });
    onTestFinished(() => void member.sock.end(undefined));
    member.sock.ws.on('CB:message', (node: BinaryNode) => member.#nodes.push(node));
    await member.open();
    return member;
  }

  /** The message with this id, encrypted for the group; once it was read. */
  async letter(id: string) {
    await this.message(id);
    const node = this.#nodes.find(({ attrs }) => attrs.id === id);
    const copies = getBinaryNodeChildren(node, 'enc');
    const bytes = copies.find(({ attrs }) => attrs.type === 'skmsg')?.content;
    if (!node || !(bytes instanceof Uint8Array)) throw new Error('not encrypted for the group');
    const { id: key } = proto.SenderKeyMessage.decode(bytes.subarray(1, -64));
    return { attrs: node.attrs, bytes, key, bringsKey: copies.length > 1 };
  }

  /** Decrypts what was not sent to it. */
  overhear({ attrs, bytes }: Awaited<ReturnType<Member['letter']>>): Promise<Uint8Array> {
    const { from = '', participant = '' } = attrs;
    return this.sock.signalRepository.decryptGroupMessage({ group: from, authorJid: participant, msg: bytes });
  }
}

async function send({ api }: World, group: string, text: string): Promise<string> {
  const sent = await api('POST', '/message/sendText/sales', { number: group, textMessage: { text } });
  expect(sent.status, JSON.stringify(sent.body)).toBe(201);
  return textAt(sent.body, 'key.id');
}

describe.each(['lid', 'pn'] as const)('the key to a group addressed by %s', (mode) => {
  it('stays while all members do, and is another one after a member was removed or left', async () => {
    const world = await linked();
    const { sandbox } = world;
    const { groups } = sandbox;
    const [bobs, eves] = await Promise.all([Member.of(sandbox, bob), Member.of(sandbox, eve)]);
    const admin = sandbox.world.account(ada);
    const [group] = groups.create(admin, 'Keys', [mine, bob, eve].map(jid), { addressing: mode });
    const changed = (change: string) => world.logged((line) => line.msg === 'group.changed' && line.change === change);

    const first = await bobs.letter(await send(world, group.id, 'one'));
    expect(first.bringsKey).toBe(true);
    // The platform no longer delivers to Eve, and the gateway does not know: what she gets hold of she can read.
    await eves.message(first.attrs.id ?? '');
    const rank = group.members.get(sandbox.world.account(eve)) ?? 'member';
    group.members.delete(sandbox.world.account(eve));
    const second = await bobs.letter(await send(world, group.id, 'two'));
    expect(second).toMatchObject({ key: first.key, bringsKey: false });
    expect(Buffer.from(await eves.overhear(second)).toString()).toContain('two');

    group.members.set(sandbox.world.account(eve), rank);
    groups.change(group, admin, 'remove', [jid(eve)]);
    await changed('remove');
    const third = await bobs.letter(await send(world, group.id, 'three'));
    expect(third.bringsKey).toBe(true);
    expect(third.key).not.toBe(first.key);
    await expect(eves.overhear(third)).rejects.toThrow('No session found to decrypt message');
    const fourth = await bobs.letter(await send(world, group.id, 'four'));
    expect(fourth).toMatchObject({ key: third.key, bringsKey: false });
    await expect(eves.overhear(fourth)).rejects.toThrow('No session found to decrypt message');

    // Also without a notification: a member who left while the gateway was away is missing from the list that it asks for.
    await world.api('PUT', '/instance/restart/sales');
    expect((await bobs.letter(await send(world, group.id, 'five'))).key).toBe(third.key);
    await world.gateway.stop();
    groups.leave(group, admin);
    const before = world.receiver.posts.length;
    await world.restart();
    await world.receiver.next(({ body }) => isState(body, 'sales', 'open'), { after: before });
    const sixth = await bobs.letter(await send(world, group.id, 'six'));
    expect(sixth.bringsKey).toBe(true);
    expect(sixth.key).not.toBe(third.key);
    const phone = sandbox.phones.phone(bob);
    expect(phone.messages().map(({ text }) => text)).toEqual(['one', 'two', 'three', 'four', 'five', 'six']);
  });
});
