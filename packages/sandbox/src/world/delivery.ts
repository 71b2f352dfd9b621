// Chooses how stanzas address accounts and devices: by phone number, or by LID (WhatsApp's second user address). Queues
// messages and receipts for companions (linked devices).
import { type BinaryNode, getAllBinaryNodeChildren, jidDecode } from '@whiskeysockets/baileys';
import { element } from '../lib/binary-node.ts';
import type { Account, Companion, World } from './model.ts';
import type { Encrypted } from './signal.ts';
import { lidJid, pnJid, queueKey } from './world.ts';

/** Attributes of a stanza; undefined ones are omitted. */
export type Attributes = Record<string, string | undefined>;

/** How a chat addresses people: by phone-number JIDs (`pn`) or by LIDs (`lid`). */
export type Addressing = 'pn' | 'lid';

export const addressingOf = (jid: string): Addressing => (jid.endsWith('@lid') ? 'lid' : 'pn');

export const jidOf = (addressing: Addressing, account: Account, device = 0): string =>
  addressing === 'lid' ? lidJid(account, device) : pnJid(account, device);

/** The JID under which other accounts see `account`. Always the LID when the account hides its number. */
export const shownJidOf = (addressing: Addressing, account: Account, device = 0): string =>
  jidOf(account.hidesNumber ? 'lid' : addressing, account, device);

/** The phone-number JID of an account; undefined when the account hides its number. */
export const shownPnJid = (account: Account): string | undefined => (account.hidesNumber ? undefined : pnJid(account));

/**
 * The name of a chat in a phone's mailbox: the number of a person, the JID of a group, or the user part of another JID.
 */
export function chatOf(world: World, jid: string): string {
  return world.byJid(jid)?.number ?? (jid.endsWith('@g.us') ? jid : (jidDecode(jid)?.user ?? jid));
}

/** A device, and how a chat addresses it. Device 0 is the phone. */
export interface DeviceAddress {
  account: Account;
  device: number;
  addressing: Addressing;
}

/** The phone of an account (device 0), and how a chat addresses it. */
export const phoneAddress = (account: Account, addressing: Addressing): DeviceAddress => ({
  account,
  device: 0,
  addressing,
});

/**
 * The address attributes of a direct message from the device `author` for a device of the recipient. `from` is the
 * author's address in the form that the chat uses. `sender_pn` or `sender_lid` is the author's address in the other
 * form. For an account that hides its number, `from` is always the LID, and the number is left out.
 */
export function recipientCopyAttributes(author: DeviceAddress): Attributes {
  const { account, device, addressing } = author;
  const from = shownJidOf(addressing, account, device);
  const otherAddress =
    addressingOf(from) === 'lid'
      ? { sender_pn: shownPnJid(account), addressing_mode: 'lid' }
      : { sender_lid: lidJid(account) };
  return { from, ...otherAddress, username: account.username };
}

/**
 * The address attributes of a direct message from the device `author` for another device of the author's account.
 * `recipient` is the JID of the chat. `peer_recipient_pn` or `peer_recipient_lid` is the chat partner's address in the
 * other form.
 */
export function ownCopyAttributes(
  author: DeviceAddress,
  chat: { jid: string; account: Account | undefined },
): Attributes {
  const { account, device, addressing } = author;
  const { jid: recipient, account: peer } = chat;
  const otherAddress =
    addressing === 'lid'
      ? { peer_recipient_pn: peer && shownPnJid(peer), addressing_mode: 'lid' }
      : { peer_recipient_lid: peer && lidJid(peer) };
  const from = jidOf(addressing, account, device);
  return { from, recipient, ...otherAddress, peer_recipient_username: peer?.username };
}

/** `<enc>`: the encrypted content of a message for one device. */
export const createEncNode = ({ type, ciphertext }: Encrypted, extra: Attributes = {}): BinaryNode =>
  element('enc', { v: '2', type, ...extra }, ciphertext);

/**
 * The queue key of a message. It leaves out the type of the message, because the client's receipt for the message does
 * not contain it.
 */
const messageKey = ({ id, from, participant }: Attributes) => queueKey('message', { id, from, participant });

/** Elements that recipients get as the sender wrote them, in addition to the encrypted content. */
const FORWARDED_ELEMENTS = new Set(['device-identity', 'biz', 'meta', 'reporting']);

/** The elements of a sender's stanza that are copied to the stanzas for the recipients. */
export const forwardedElementsOf = (node: BinaryNode): BinaryNode[] =>
  getAllBinaryNodeChildren(node).filter(({ tag }) => FORWARDED_ELEMENTS.has(tag));

/** Queues a `<message>` and adds the time; `attrs` has id, addresses and type. */
export function deliverMessage(world: World, to: Companion, attrs: Attributes, content: BinaryNode[]): void {
  const node = element('message', { ...attrs, t: String(world.now()) }, content);
  world.deliver(to, messageKey(node.attrs), node);
}

/**
 * Queues a `<status>` (a post that is shown for a day) and adds the time. The client acknowledges it with the class
 * `status` instead of `message`.
 */
export function deliverStatus(world: World, to: Companion, attrs: Attributes, content: BinaryNode[]): void {
  const node = element('status', { ...attrs, t: String(world.now()) }, content);
  world.deliver(to, queueKey('status', node.attrs), node);
}

/** Removes the message with these attributes (id, from, participant) from the queue. */
export function dropMessage(world: World, companion: Companion, attrs: Attributes): void {
  world.acknowledge(companion, messageKey(attrs));
}

export interface Receipt {
  /** JID of the device that received or read the messages; in groups, JID of the group. */
  from: string;
  /** In groups: JID of the device that received or read the messages. */
  participant?: string;
  ids: readonly string[];
  /** Type such as `read` or `retry`; absent for a delivery receipt. */
  type?: string;
  /** In a receipt from one device of an account to another device of the account: JID of the direct chat. */
  recipient?: string;
  /** Child elements. Default: a list of the ids after the first one. */
  content?: BinaryNode[];
}

/** Queues a `<receipt>` and adds the time. The ids after the first are sent as a list. */
export function deliverReceipt(world: World, to: Companion, receipt: Receipt): void {
  const { from, participant, ids, type, recipient, content } = receipt;
  const [id, ...otherIds] = ids;
  const items = otherIds.map((otherId) => element('item', { id: otherId }));
  const list = items.length > 0 ? [element('list', {}, items)] : undefined;
  const attrs = { from, participant, id, type, recipient, t: String(world.now()) };
  const node = element('receipt', attrs, content ?? list);
  world.deliver(to, queueKey('receipt', node.attrs), node);
}
