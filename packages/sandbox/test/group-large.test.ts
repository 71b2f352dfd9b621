import { afterAll, beforeAll, expect, it } from 'vitest';
import { GroupStage, waitForMessage } from './group-setup.ts';

let stage: GroupStage;

beforeAll(async () => {
  stage = await GroupStage.open(15_550_008_001);
});

afterAll(async () => {
  await stage.disconnectClients();
  await stage.sandbox.close();
});

it('a message to a group of 250 members takes less than 1.5 s of CPU time, because it is decrypted only once', async () => {
  const member = await stage.member();
  const others = Array.from({ length: 249 }, () => stage.phone());
  const jids = others.map(({ account }) => `${account.number}@s.whatsapp.net`);
  const created = await member.sock.groupCreate('Everybody', jids);
  expect(created.participants).toHaveLength(250);
  const first = await member.send(created.id, 'first');
  await Promise.all(others.map((phone) => waitForMessage(phone, first)));
  const cpuBefore = process.cpuUsage();
  const second = await member.send(created.id, 'second');
  await Promise.all(others.map((phone) => waitForMessage(phone, second)));
  const { user } = process.cpuUsage(cpuBefore);
  // In microseconds. Checks of the signature by all phones, at 9 ms each, would take more than two seconds.
  expect(user).toBeLessThan(1_500_000);
  const [author] = others;
  const answer = await author?.send(created.id, { text: 'answer' });
  await member.client.message(answer ?? '');
  expect(stage.sandbox.unanswered).toEqual([]);
});

it('the phones of a large group send at most maxDeliveryReceipts delivery receipts for a message', async () => {
  const member = await stage.member();
  const others = Array.from({ length: 40 }, () => stage.phone());
  const ownPhone = stage.sandbox.phones.phone(member.account.number);
  const numbers = others.map(({ account }) => account.number);
  const group = ownPhone.createGroup('Many', numbers);
  const receiptsOf = async (id: string) => (await waitForMessage(ownPhone, id)).receipts.length;
  const id = await member.send(group.id, 'limited');
  await Promise.all(others.map((phone) => waitForMessage(phone, id)));
  expect(await receiptsOf(id)).toBe(stage.sandbox.groups.maxDeliveryReceipts);
  stage.sandbox.groups.maxDeliveryReceipts = 1000;
  const all = await member.send(group.id, 'all');
  await Promise.all(others.map((phone) => waitForMessage(phone, all)));
  await ownPhone.waitFor(() =>
    ownPhone.messages().some((message) => message.id === all && message.receipts.length === 40),
  );
});
