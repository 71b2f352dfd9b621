// Addresses of accounts and devices in both forms, and the message and receipt stanzas that are queued for companions.
import { type BinaryNode, jidDecode } from '@whiskeysockets/baileys';
import type { Account, Companion, World } from './model.ts';
import { element } from './node.ts';
import type { Encrypted } from './signal.ts';
import { lidJid, pnJid, queueKey } from './world.ts';

/** Whether a chat is addressed by phone number or by LID. */
export type AddressForm = 'pn' | 'lid';

export const formOf = (jid: string): AddressForm => (jid.endsWith('@lid') ? 'lid' : 'pn');

export const jidOf = (form: AddressForm, account: Account, device = 0): string =>
  form === 'lid' ? lidJid(account, device) : pnJid(account, device);

/** The number or group id under which a phone files a chat; an unknown address is returned unchanged. */
export function chatOf(world: World, jid: string): string {
  return world.byJid(jid)?.number ?? (jid.endsWith('@g.us') ? jid : (jidDecode(jid)?.user ?? jid));
}

export interface DeviceAddress {
  account: Account;
  device: number;
  form: AddressForm;
}

/**
 * Attributes that say who wrote and in which chat. A copy for the author's own devices names the chat as `recipient`,
 * with the chat's other address beside it (never the author's: Baileys would map the chat to it).
 */
export function directAuthorAttributes(
  { account, device, form }: DeviceAddress,
  chat?: { jid: string; account: Account | undefined },
): Attributes {
  const from = jidOf(form, account, device);
  const other = chat ? chat.account : account;
  const recipient = chat?.jid;
  if (form === 'lid') {
    const name = chat ? 'peer_recipient_pn' : 'sender_pn';
    return { from, recipient, [name]: other && pnJid(other), addressing_mode: 'lid' };
  }
  return { from, recipient, [chat ? 'peer_recipient_lid' : 'sender_lid']: other && lidJid(other) };
}

export type Attributes = Record<string, string | undefined>;

export const encNode = ({ type, ciphertext }: Encrypted, extra: Attributes = {}): BinaryNode =>
  element('enc', { v: '2', type, ...extra }, ciphertext);

/** Key of a queued stanza whose attributes may be absent. */
export const queueKeyOf = (tag: string, attrs: Attributes): string => queueKey(tag, element(tag, attrs).attrs);

/** A receipt does not repeat the message's type, so it is no part of the key. */
const messageKey = ({ id, from, participant }: Attributes) => queueKeyOf('message', { id, from, participant });

/** Stamps and queues a `<message>`; `attrs` holds id, addressing and kind. */
export function deliverMessage(world: World, to: Companion, attrs: Attributes, content: BinaryNode[]): void {
  const node = element('message', { ...attrs, t: String(world.now()) }, content);
  world.deliver(to, messageKey(node.attrs), node);
}

/** Takes a message out of the queue: `attrs` are its id, from and participant. */
export function dropMessage(world: World, companion: Companion, attrs: Attributes): void {
  world.acknowledge(companion, messageKey(attrs));
}

export interface Receipt {
  /** JID of the device that received or read; of the group, when it was there. */
  from: string;
  /** In a group: who received or read. */
  participant?: string;
  ids: readonly string[];
  /** Absent: delivered. */
  type?: string;
  /** Chat, when the receipt is about a message of the account itself. */
  recipient?: string;
  content?: BinaryNode[];
}

/** Stamps and queues a `<receipt>`; more than one id goes as a list after the first. */
export function deliverReceipt(world: World, to: Companion, receipt: Receipt): void {
  const { from, participant, ids, type, recipient, content } = receipt;
  const [id, ...more] = ids;
  const list = [
    element(
      'list',
      {},
      more.map((item) => element('item', { id: item })),
    ),
  ];
  const attrs = { from, participant, id, type, recipient, t: String(world.now()) };
  const node = element('receipt', attrs, content ?? (more.length > 0 ? list : undefined));
  world.deliver(to, queueKey('receipt', node.attrs), node);
}
