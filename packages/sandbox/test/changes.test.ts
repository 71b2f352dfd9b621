import { describe, expect, it } from 'vitest';
import { pnJid } from '../src/world/world.ts';
import { client, ownNumber, peer, sandbox, setUpClient } from './client-setup.ts';

setUpClient();

const messageOf = (id: string) => peer.messages().find((message) => message.id === id);
const peerJid = () => pnJid(peer.account);

describe('changes of messages in a direct chat', () => {
  it('a phone shows the edits and reactions of a message, and its deletion by the author', async () => {
    const sent = await client.sock.sendMessage(peerJid(), { text: 'one' });
    const key = { ...sent?.key };
    await peer.waitFor(() => messageOf(key.id ?? ''));
    await client.sock.sendMessage(peerJid(), { text: 'two', edit: key });
    await peer.waitFor(() => messageOf(key.id ?? '')?.edited === 'two');
    await client.sock.sendMessage(peerJid(), { react: { text: '👍', key } });
    await peer.waitFor(() => messageOf(key.id ?? '')?.reactions?.[ownNumber] === '👍');
    await client.sock.sendMessage(peerJid(), { react: { text: '', key } });
    await peer.waitFor(() => Object.keys(messageOf(key.id ?? '')?.reactions ?? {}).length === 0);
    await client.sock.sendMessage(peerJid(), { delete: key });
    expect(await peer.waitFor(() => messageOf(key.id ?? '')?.deleted)).toBe(true);
    expect(messageOf(key.id ?? '')?.text).toBe('one');
  });

  it('a phone ignores an edit of a message by an account that is not the author', async () => {
    const id = await peer.send(ownNumber, { text: 'mine' });
    const { message } = await client.message(id);
    const forged = await client.sock.sendMessage(peerJid(), { text: 'forged', edit: message.key });
    await peer.waitFor(() => messageOf(forged?.key.id ?? ''));
    expect(messageOf(id)).toMatchObject({ text: 'mine' });
    expect(messageOf(id)?.edited).toBeUndefined();
  });

  it('a phone ignores the deletion of a message by an account that is not the author', async () => {
    const id = await peer.send(ownNumber, { text: 'mine' });
    const { message } = await client.message(id);
    const forged = await client.sock.sendMessage(peerJid(), { delete: message.key });
    await peer.waitFor(() => messageOf(forged?.key.id ?? ''));
    expect(messageOf(id)?.deleted).toBeUndefined();
  });
});

describe('changes of messages in a group', () => {
  const [ada, bob, eve] = ['15550007701', '15550007702', '15550007703'];
  const phone = (number: string) => sandbox.phones.phone(number);
  const inGroup = (id: string) =>
    phone(ada)
      .messages()
      .find((message) => message.id === id);

  /** Creates a group of Ada with Bob and Eve, and a message of Bob in it. */
  async function createGroupWithMessage() {
    for (const number of [bob, eve]) phone(number);
    const group = phone(ada).createGroup('Ours', [bob, eve]);
    return { group, id: await phone(bob).send(group.id, { text: 'hi' }) };
  }

  it('a group message can be deleted by its author or an admin, but not by another member', async () => {
    const { group, id } = await createGroupWithMessage();
    await phone(eve).send(group.id, { delete: { id } });
    expect(inGroup(id)?.deleted).toBeUndefined();
    await phone(ada).send(group.id, { delete: { id } });
    expect(inGroup(id)?.deleted).toBe(true);
    const own = await phone(eve).send(group.id, { text: 'no' });
    await phone(eve).send(group.id, { delete: { id: own } });
    expect(inGroup(own)?.deleted).toBe(true);
  });

  it('a group message stays deleted when the admin who deleted it is demoted later', async () => {
    const { group, id } = await createGroupWithMessage();
    const account = (number: string) => sandbox.world.account(number);
    sandbox.groups.change(group, account(ada), 'promote', [pnJid(account(eve))]);
    await phone(eve).send(group.id, { delete: { id } });
    sandbox.groups.change(group, account(ada), 'demote', [pnJid(account(eve))]);
    expect(inGroup(id)?.deleted).toBe(true);
    const again = await phone(bob).send(group.id, { text: 'hi again' });
    await phone(eve).send(group.id, { delete: { id: again } });
    expect(inGroup(again)?.deleted).toBeUndefined();
  });

  it('a member can pin a group message unless the group is locked, and cannot set the timer with a message', async () => {
    const { group, id } = await createGroupWithMessage();
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

describe('played receipts', () => {
  it('markPlayed() reports a message as played to its author', async () => {
    const sent = await client.sock.sendMessage(peerJid(), { text: 'not really a voice note' });
    const id = sent?.key.id ?? '';
    await peer.waitFor(() => messageOf(id));
    expect(sandbox.phones.markPlayed(peer.account.number, ownNumber, [id, 'UNKNOWN'])).toEqual([id]);
    await client.until(() => client.status(id) === 5);
  });
});
