// Sends the receipts (delivered, read, played) of a reader to the author of the messages and to the reader's own
// companions (linked devices).
import { type DeviceAddress, deliverReceipt, jidOf, shownJidOf } from '../world/delivery.ts';
import type { Account } from '../world/model.ts';
import type { Services } from './interfaces.ts';

export interface ReceiptOptions {
  /** Absent: the messages were delivered. */
  type?: 'read' | 'played' | undefined;
  /** JID of the group that the messages belong to. */
  group?: string | undefined;
}

/**
 * Sends the account `to` a receipt of `reader` for messages that `to` sent. The phone and the companions of `to` get
 * the receipt.
 */
export function sendReceipt(
  { world, phone }: Services,
  reader: DeviceAddress,
  to: Account,
  ids: readonly string[],
  { type, group }: ReceiptOptions = {},
): void {
  phone(to).recordReceipt(reader.account, ids, type ?? 'delivered', group);
  const { account, device, addressing } = reader;
  // An account that hides its number hides it from other accounts only, not from its own devices.
  const jid = to === account ? jidOf(addressing, account, device) : shownJidOf(addressing, account, device);
  const from = group ?? jid;
  const participant = group && jid;
  for (const companion of to.companions.values()) deliverReceipt(world, companion, { from, participant, ids, type });
}

/**
 * Sends read receipts for messages of `author` that the device `reader` has read. If `notifyAuthor` is true, the author
 * and the reader's other companions get a receipt of the type `read`. If it is false, only these companions get a
 * receipt, which has the type `read-self`.
 */
export function sendReadReceipts(
  services: Services,
  reader: DeviceAddress,
  author: Account,
  ids: readonly string[],
  { notifyAuthor, group }: { notifyAuthor: boolean; group: string | undefined },
): void {
  const { account, device, addressing } = reader;
  if (notifyAuthor) sendReceipt(services, reader, author, ids, { type: 'read', group });
  const readerJid = jidOf(addressing, account, device);
  const address = group
    ? { from: group, participant: readerJid }
    : { from: readerJid, recipient: shownJidOf(addressing, author) };
  for (const other of account.companions.values()) {
    if (other.device === device) continue;
    deliverReceipt(services.world, other, { ...address, ids, type: notifyAuthor ? 'read' : 'read-self' });
  }
}
