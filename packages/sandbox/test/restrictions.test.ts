// Restrictions of new chats: messages that a lock or a quota forbids to the clients of an account.
import { proto } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { pnJid } from '../src/world/world.ts';
import { client, ownNumber, peer, sandbox, setUpClient } from './client-setup.ts';

const { ERROR, SERVER_ACK, DELIVERY_ACK } = proto.WebMessageInfo.Status;

setUpClient();

const lock = (until = sandbox.world.now() + 600) =>
  sandbox.restrictions.setLock(ownNumber, { reason: 'BIZ_QUALITY', until });
const quota = (total: number, used: number, end = sandbox.world.now() + 600) =>
  sandbox.restrictions.setQuota(ownNumber, { total, used, end });
const usedQuota = () => sandbox.restrictions.get(ownNumber).quota?.used;

/** Creates a phone that only one test uses. */
const createContact = (suffix: string) => sandbox.phones.phone(`${ownNumber}${suffix}`);

/** Sends a text of the client and resolves with its error code, or with undefined when it was delivered. */
async function errorOf(to = peer, messageId?: string): Promise<unknown> {
  const options = messageId ? { messageId } : {};
  const id = await client.sock.relayMessage(pnJid(to.account), { conversation: 'hello' }, options);
  // The receipt of the own phone has the status SERVER_ACK. It comes before that of the recipient.
  const { update } = await client.until(() =>
    client.updates.findLast(({ key, update: { status } }) => key.id === id && status !== SERVER_ACK),
  );
  client.updates.length = 0;
  expect(update.status).toBe(update.messageStubParameters ? ERROR : DELIVERY_ACK);
  return update.messageStubParameters?.[0];
}

/** Sends a message from the peer to the account and waits until the client has it. */
async function receiveFrom(from = peer): Promise<void> {
  await client.message(await from.send(ownNumber, { text: 'hi' }));
}

describe('locks on new chats', () => {
  it('a lock on new chats refuses messages to people who have not written to the account', async () => {
    expect(await errorOf()).toBeUndefined();
    lock();
    expect(await errorOf()).toBe('463');
    expect(peer.receivedCount).toBe(1);
    await receiveFrom();
    expect(await errorOf()).toBeUndefined();
    sandbox.restrictions.setLock(ownNumber, undefined);
    expect(await errorOf(createContact('1'))).toBeUndefined();
  });

  it('a lock on new chats ends at its time', async () => {
    lock(sandbox.world.now() - 1);
    expect(await client.sock.fetchAccountReachoutTimelock()).toMatchObject({ isActive: false });
    expect(await errorOf()).toBeUndefined();
  });

  it('a lock on new chats does not refuse a repeated message that was accepted before', async () => {
    expect(await errorOf(peer, 'REPEATED')).toBeUndefined();
    lock();
    expect(await errorOf(peer, 'REPEATED')).toBeUndefined();
  });

  it('a lock on new chats does not refuse messages to the own account and to groups', async () => {
    lock();
    const own = sandbox.phones.phone(ownNumber);
    const group = own.createGroup('friends', [peer.account.number]);
    for (const to of [pnJid(own.account), group.id]) {
      const id = await client.sock.relayMessage(to, { conversation: 'hello' }, {});
      await own.waitFor(() => own.mailbox.byId(id));
    }
    expect(client.updates.filter(({ update }) => update.status === ERROR)).toEqual([]);
  });
});

describe('quotas of new chats', () => {
  it('a quota of new chats counts each chat once and refuses messages when it is used', async () => {
    quota(2, 0);
    const [first, second, third] = [createContact('1'), createContact('2'), createContact('3')];
    expect([await errorOf(first), usedQuota()]).toEqual([undefined, 1]);
    expect([await errorOf(first), usedQuota()]).toEqual([undefined, 1]);
    let capped = false;
    client.sock.ev.on('message-capping.update', ({ capping_status }) => {
      capped = capping_status === 'CAPPED';
    });
    expect([await errorOf(second), usedQuota()]).toEqual([undefined, 2]);
    expect(await client.sock.fetchNewChatMessageCap()).toMatchObject({ capping_status: 'CAPPED', used_quota: 2 });
    expect(capped).toBe(true);
    expect([await errorOf(third), usedQuota()]).toEqual(['475', 2]);
    expect(third.messages()).toEqual([]);
    await receiveFrom(first);
    expect([await errorOf(first), usedQuota()]).toEqual([undefined, 2]);
  });

  it('a quota of new chats does not count messages to people who have written to the account', async () => {
    await receiveFrom();
    quota(1, 0);
    expect([await errorOf(), usedQuota()]).toEqual([undefined, 0]);
  });

  it('a quota of new chats ends at its time', async () => {
    quota(1, 1, sandbox.world.now() - 1);
    expect(await client.sock.fetchNewChatMessageCap()).toEqual({ capping_status: 'NONE' });
    expect(await errorOf()).toBeUndefined();
  });
});
