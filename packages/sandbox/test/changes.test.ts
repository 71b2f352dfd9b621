import { describe, expect, it } from 'vitest';
import { pnJid } from '../src/world/world.ts';
import { client, mine, onStage, peer, sandbox } from './client-stage.ts';

onStage();

const shown = (id: string) => peer.messages().find((message) => message.id === id);
const them = () => pnJid(peer.account);

describe('a message in a direct chat', () => {
  it('shows edits, reactions and the deletion by its author', async () => {
    const sent = await client.sock.sendMessage(them(), { text: 'one' });
    const key = { ...sent?.key };
    await peer.waitFor(() => shown(key.id ?? ''));
    await client.sock.sendMessage(them(), { text: 'two', edit: key });
    await peer.waitFor(() => shown(key.id ?? '')?.edited === 'two');
    await client.sock.sendMessage(them(), { react: { text: '👍', key } });
    await peer.waitFor(() => shown(key.id ?? '')?.reactions?.[mine] === '👍');
    await client.sock.sendMessage(them(), { react: { text: '', key } });
    await peer.waitFor(() => Object.keys(shown(key.id ?? '')?.reactions ?? {}).length === 0);
    await client.sock.sendMessage(them(), { delete: key });
    expect(await peer.waitFor(() => shown(key.id ?? '')?.deleted)).toBe(true);
    expect(shown(key.id ?? '')?.text).toBe('one');
  });

  it('does not change when another account edits it', async () => {
    const id = await peer.send(mine, { text: 'mine' });
    const { message } = await client.message(id);
    const forged = await client.sock.sendMessage(them(), { text: 'forged', edit: message.key });
    await peer.waitFor(() => shown(forged?.key.id ?? ''));
    expect(shown(id)).toMatchObject({ text: 'mine' });
    expect(shown(id)?.edited).toBeUndefined();
  });

  it('is not deleted when another account deletes it', async () => {
    const id = await peer.send(mine, { text: 'mine' });
    const { message } = await client.message(id);
    const forged = await client.sock.sendMessage(them(), { delete: message.key });
    await peer.waitFor(() => shown(forged?.key.id ?? ''));
    expect(shown(id)?.deleted).toBeUndefined();
  });
});

describe('a message in a group', () => {
  const [ada, bob, eve] = ['15550007701', '15550007702', '15550007703'];
  const phone = (number: string) => sandbox.phones.phone(number);
  const inGroup = (id: string) =>
    phone(ada)
      .messages()
      .find((message) => message.id === id);

  /** A group of Ada's with Bob and Eve, and what Bob wrote in it. */
  async function written() {
    for (const number of [bob, eve]) phone(number);
    const group = phone(ada).createGroup('Ours', [bob, eve]);
    return { group, id: await phone(bob).send(group.id, { text: 'hi' }) };
  }

  it('is deleted by its author or an admin, but not by another member', async () => {
    const { group, id } = await written();
    await phone(eve).send(group.id, { delete: { id } });
    expect(inGroup(id)?.deleted).toBeUndefined();
    await phone(ada).send(group.id, { delete: { id } });
    expect(inGroup(id)?.deleted).toBe(true);
    const own = await phone(eve).send(group.id, { text: 'no' });
    await phone(eve).send(group.id, { delete: { id: own } });
    expect(inGroup(own)?.deleted).toBe(true);
  });

  it('stays deleted when the admin who deleted it is demoted later', async () => {
    const { group, id } = await written();
    const account = (number: string) => sandbox.world.account(number);
    sandbox.groups.change(group, account(ada), 'promote', [pnJid(account(eve))]);
    await phone(eve).send(group.id, { delete: { id } });
    sandbox.groups.change(group, account(ada), 'demote', [pnJid(account(eve))]);
    expect(inGroup(id)?.deleted).toBe(true);
    const again = await phone(bob).send(group.id, { text: 'hi again' });
    await phone(eve).send(group.id, { delete: { id: again } });
    expect(inGroup(again)?.deleted).toBeUndefined();
  });

  it('can be pinned by members unless the group is locked, and no member can set the timer with a message', async () => {
    const { group, id } = await written();
    group.locked = true;
    await phone(eve).send(group.id, { pin: { id, seconds: 86_400 } });
    expect(inGroup(id)?.pinnedUntil).toBeUndefined();
    group.locked = false;
    await phone(eve).send(group.id, { pin: { id, seconds: 86_400 } });
    expect(inGroup(id)?.pinnedUntil).toBeGreaterThan(0);
    await phone(eve).send(group.id, { ephemeral: 86_400 });
    expect(phone(ada).mailbox.expirationOf(group.id)).toBeUndefined();
  });
});

describe('a voice note', () => {
  it('is reported as played', async () => {
    const sent = await client.sock.sendMessage(them(), { text: 'not really a voice note' });
    const id = sent?.key.id ?? '';
    await peer.waitFor(() => shown(id));
    expect(sandbox.phones.markPlayed(peer.account.number, mine, [id, 'UNKNOWN'])).toEqual([id]);
    await client.until(() => client.status(id) === 5);
  });
});
