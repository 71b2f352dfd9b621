import { afterAll, beforeAll, expect, it } from 'vitest';
import { GroupStage, seenBy } from './group-stage.ts';

let stage: GroupStage;

beforeAll(async () => {
  stage = await GroupStage.open(15_550_008_001);
});

afterAll(async () => {
  await stage.rest();
  await stage.sandbox.close();
});

it('a group of 250 members is fast, because a message is decrypted once for all phones', async () => {
  const me = await stage.member();
  const others = Array.from({ length: 249 }, () => stage.phone());
  const jids = others.map(({ account }) => `${account.number}@s.whatsapp.net`);
  const created = await me.sock.groupCreate('Everybody', jids);
  expect(created.participants).toHaveLength(250);
  const first = await me.send(created.id, 'first');
  await Promise.all(others.map((phone) => seenBy(phone, first)));
  const before = process.cpuUsage();
  const second = await me.send(created.id, 'second');
  await Promise.all(others.map((phone) => seenBy(phone, second)));
  const { user } = process.cpuUsage(before);
  // Checked by every phone, at 9 ms a signature, it would cost more than two seconds (here in microseconds).
  expect(user).toBeLessThan(1_500_000);
  const [speaker] = others;
  const answer = await speaker?.send(created.id, { text: 'answer' });
  await me.client.message(answer ?? '');
  expect(stage.sandbox.unanswered).toEqual([]);
});

it('a large group sends a limited number of delivery receipts', async () => {
  const me = await stage.member();
  const others = Array.from({ length: 40 }, () => stage.phone());
  const own = stage.sandbox.phones.phone(me.account.number);
  const numbers = others.map(({ account }) => account.number);
  const group = own.createGroup('Many', numbers);
  const receiptsOf = async (id: string) => (await seenBy(own, id)).receipts.length;
  const id = await me.send(group.id, 'limited');
  await Promise.all(others.map((phone) => seenBy(phone, id)));
  expect(await receiptsOf(id)).toBe(stage.sandbox.groups.maxDeliveryReceipts);
  stage.sandbox.groups.maxDeliveryReceipts = 1000;
  const all = await me.send(group.id, 'all');
  await Promise.all(others.map((phone) => seenBy(phone, all)));
  await own.waitFor(() => own.messages().some((message) => message.id === all && message.receipts.length === 40));
});
