import { expect, it } from 'vitest';
import { ReceiptFilter } from '../../../src/whatsapp/inbound/group-receipts.ts';

const group = '120363000000000001@g.us';
const receipt = (
  userJid: string,
  times: { receiptTimestamp?: number; readTimestamp?: number },
  id = 'A',
  fromMe = true,
) => ({
  key: { remoteJid: group, id, fromMe, participant: userJid },
  receipt: { userJid, ...times },
});
const deliveryTime = { receiptTimestamp: 1_700_000_000 };
const readTime = { readTimestamp: 1_700_000_001 };
const batch = (...receipts: ReturnType<typeof receipt>[]) => ({ 'message-receipt.update': receipts });

it('ReceiptFilter keeps only the first delivery receipt and the first read receipt of a message', () => {
  const receipts = new ReceiptFilter();
  const first = batch(receipt('1@lid', deliveryTime));
  expect(receipts.withoutRedundant(first)).toBe(first);
  expect(receipts.withoutRedundant(batch(receipt('2@lid', deliveryTime), receipt('3@lid', deliveryTime)))).toEqual({});
  const mixedBatch = batch(receipt('1@lid', readTime), receipt('2@lid', readTime), receipt('3@lid', deliveryTime));
  expect(receipts.withoutRedundant(mixedBatch)).toEqual(batch(receipt('1@lid', readTime)));
});

it('ReceiptFilter handles each message separately and keeps the other events of a batch', () => {
  const receipts = new ReceiptFilter();
  receipts.withoutRedundant(batch(receipt('1@lid', deliveryTime)));
  expect(receipts.withoutRedundant(batch(receipt('1@lid', deliveryTime, 'B')))).toEqual(
    batch(receipt('1@lid', deliveryTime, 'B')),
  );
  const others = { 'messages.update': [] };
  expect(receipts.withoutRedundant({ ...others, ...batch(receipt('2@lid', deliveryTime)) })).toEqual(others);
  expect(receipts.withoutRedundant(others)).toBe(others);
});

it('ReceiptFilter keeps all receipts of messages that the account did not send', () => {
  const receipts = new ReceiptFilter();
  const foreign = batch(receipt('1@lid', deliveryTime, 'A', false), receipt('1@lid', deliveryTime, 'A', false));
  expect(receipts.withoutRedundant(foreign)).toBe(foreign);
});

it('ReceiptFilter evicts the oldest message', () => {
  const receipts = new ReceiptFilter();
  for (let n = 0; n <= 2_000; n++) receipts.withoutRedundant(batch(receipt('1@lid', deliveryTime, `M${n}`)));
  expect(receipts.withoutRedundant(batch(receipt('2@lid', deliveryTime, 'M2000')))).toEqual({});
  expect(receipts.withoutRedundant(batch(receipt('2@lid', deliveryTime, 'M0')))).not.toEqual({});
});
