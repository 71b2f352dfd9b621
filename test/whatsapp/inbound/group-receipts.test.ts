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
const arrived = { receiptTimestamp: 1_700_000_000 };
const seen = { readTimestamp: 1_700_000_001 };
const batch = (...receipts: ReturnType<typeof receipt>[]) => ({ 'message-receipt.update': receipts });

it('ReceiptFilter keeps the first delivery and the first read of a message only', () => {
  const receipts = new ReceiptFilter();
  const first = batch(receipt('1@lid', arrived));
  expect(receipts.withoutRedundant(first)).toBe(first);
  expect(receipts.withoutRedundant(batch(receipt('2@lid', arrived), receipt('3@lid', arrived)))).toEqual({});
  const both = batch(receipt('1@lid', seen), receipt('2@lid', seen), receipt('3@lid', arrived));
  expect(receipts.withoutRedundant(both)).toEqual(batch(receipt('1@lid', seen)));
});

it('ReceiptFilter distinguishes messages and keeps the rest of a batch', () => {
  const receipts = new ReceiptFilter();
  receipts.withoutRedundant(batch(receipt('1@lid', arrived)));
  expect(receipts.withoutRedundant(batch(receipt('1@lid', arrived, 'B')))).toEqual(
    batch(receipt('1@lid', arrived, 'B')),
  );
  const others = { 'messages.update': [] };
  expect(receipts.withoutRedundant({ ...others, ...batch(receipt('2@lid', arrived)) })).toEqual(others);
  expect(receipts.withoutRedundant(others)).toBe(others);
});

it('ReceiptFilter keeps receipts that are not for own messages', () => {
  const receipts = new ReceiptFilter();
  const foreign = batch(receipt('1@lid', arrived, 'A', false), receipt('1@lid', arrived, 'A', false));
  expect(receipts.withoutRedundant(foreign)).toBe(foreign);
});

it('ReceiptFilter evicts the oldest message', () => {
  const receipts = new ReceiptFilter();
  for (let n = 0; n <= 2_000; n++) receipts.withoutRedundant(batch(receipt('1@lid', arrived, `M${n}`)));
  expect(receipts.withoutRedundant(batch(receipt('2@lid', arrived, 'M2000')))).toEqual({});
  expect(receipts.withoutRedundant(batch(receipt('2@lid', arrived, 'M0')))).not.toEqual({});
});
