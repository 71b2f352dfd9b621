// Relays messages of companions (linked devices) to groups: forwards the ciphertext to the members' companions and
// decrypts it once for all simulated phones. A message is encrypted with the author's sender key (the author's key for
// the group). A phone that does not have this key requests the message again.
import {
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  jidDecode,
  proto,
  unpadRandomMax16,
} from '@whiskeysockets/baileys';
import { sendDeliveryReceipts } from '../phone/group-sender.ts';
import type { GroupRelayPort, Services } from '../phone/interfaces.ts';
import { createRetryRequest, RetryCounts } from '../phone/retry.ts';
import { isDisplayed } from '../phone/visibility.ts';
import { deliverMessage, deliverReceipt, forwardedElementsOf, shownJidOf } from '../world/delivery.ts';
import { deviceListHash } from '../world/device-list.ts';
import { assertMayWrite, type Group, GroupError } from '../world/group.ts';
import { groupAuthorAttributes } from '../world/group-node.ts';
import type { Account, Companion } from '../world/model.ts';
import { PeerSenderKeys } from '../world/sender-keys.ts';
import type { Encrypted } from '../world/signal.ts';

/** Attributes that are copied from the sender's stanza to the stanzas for the recipients. */
const FORWARDED_ATTRIBUTES = ['type', 'edit'] as const;

/**
 * WhatsApp's error code for a message whose `addressing_mode` is not the mode of its group. A group addresses members
 * by phone numbers or by LIDs (WhatsApp's second user addresses).
 */
const STALE_ADDRESSING = '421';

/** Content that was encrypted for one device, with its `<enc>` element. */
export interface EncryptedCopy extends Encrypted {
  enc: BinaryNode;
}

export class GroupRelay implements GroupRelayPort {
  readonly #services: Services;
  /** The sender keys that phones have received, by group and sending companion. */
  readonly #senderKeys = new WeakMap<Group, WeakMap<Companion, PeerSenderKeys>>();
  /** How many times a phone requested a message again, by phone, sending device and message id. */
  readonly #retryCounts = new RetryCounts();

  constructor(services: Services) {
    this.#services = services;
  }

  /** The error code with which WhatsApp rejects the message; undefined when it accepts it. */
  rejectionCode(sender: Companion, node: BinaryNode): string | undefined {
    const group = this.#services.groups.get(node.attrs.to ?? '');
    if (!group) return '404';
    try {
      assertMayWrite(group, sender.account);
    } catch (error) {
      return error instanceof GroupError ? String(error.code) : '500';
    }
    // A message without a mode is accepted. Clients omit the mode when they send a message again; clients from before
    // 2025 always omit it.
    const { addressing_mode: mode = group.addressing } = node.attrs;
    return mode === group.addressing ? undefined : STALE_ADDRESSING;
  }

  /**
   * The correct hash of the devices that the message must be encrypted for; undefined when the client's hash is correct
   * or absent.
   */
  hashCorrection({ attrs: { to = '', phash } }: BinaryNode): string | undefined {
    const group = phash && this.#services.groups.get(to);
    if (!group) return undefined;
    const correct = deviceListHash([...group.members.keys()], group.addressing);
    return correct === phash ? undefined : correct;
  }

  /** Forwards an accepted message to the members' companions, then decrypts it for the members' phones. */
  async relay(sender: Companion, node: BinaryNode): Promise<void> {
    const group = this.#services.groups.get(node.attrs.to ?? '');
    if (!group) return;
    // A stanza with `participant` is an earlier message that the client sends again to the device `participant` only.
    if (node.attrs.participant) return this.#relayResent(group, sender, node, node.attrs.participant);
    // The message is encrypted once. A copy for a single device contains the sender key.
    const message = readCopy(node);
    const copies = this.#readCopies(node);
    for (const account of group.members.keys()) {
      for (const companion of account.companions.values()) {
        if (companion !== sender) this.#forward(group, sender, companion, node, [copies.get(companion), message]);
      }
    }
    for (const account of group.members.keys()) {
      const copy = copies.get(account);
      if (copy) await this.#decryptCopy(group, sender, account, copy);
    }
    if (message) this.#storeForPhones(group, sender, node, message.ciphertext);
  }

  /**
   * Returns the copies for single devices by recipient: a companion, or for a phone its account. Copies for unknown
   * addresses are dropped.
   */
  #readCopies(node: BinaryNode): Map<Account | Companion, EncryptedCopy> {
    const copies = new Map<Account | Companion, EncryptedCopy>();
    for (const to of getBinaryNodeChildren(getBinaryNodeChild(node, 'participants'), 'to')) {
      const { jid = '' } = to.attrs;
      const copy = readCopy(to);
      const account = this.#services.world.byJid(jid);
      const recipient = jidDecode(jid)?.device ? this.#services.world.companion(jid) : account;
      if (copy && recipient) copies.set(recipient, copy);
    }
    return copies;
  }

  /** Delivers `copies` to one companion in one stanza. Skips undefined copies. */
  #forward(
    group: Group,
    from: Companion,
    to: Companion,
    node: BinaryNode,
    copies: (EncryptedCopy | undefined)[],
  ): void {
    const content = copies.flatMap((copy) => copy?.enc ?? []);
    const forwarded = Object.fromEntries(FORWARDED_ATTRIBUTES.map((name) => [name, node.attrs[name]]));
    const attrs = {
      ...groupAuthorAttributes(group, from.account, from.device),
      id: node.attrs.id,
      ...forwarded,
      notify: from.account.name,
    };
    if (content.length > 0) deliverMessage(this.#services.world, to, attrs, [...content, ...forwardedElementsOf(node)]);
  }

  #keysOf(group: Group, sender: Companion): PeerSenderKeys {
    const senders = this.#senderKeys.get(group) ?? new WeakMap<Companion, PeerSenderKeys>();
    this.#senderKeys.set(group, senders);
    const keys = senders.get(sender) ?? new PeerSenderKeys();
    senders.set(sender, keys);
    return keys;
  }

  /**
   * Decrypts a copy for the phone of `account`, stores the sender key that the copy contains, and returns the content.
   * Undefined when the copy cannot be decrypted. A phone without the sender key later requests the message again.
   */
  async #decryptCopy(
    group: Group,
    sender: Companion,
    account: Account,
    copy: Encrypted,
  ): Promise<proto.IMessage | undefined> {
    try {
      const plaintext = await this.#services.phone(account).signal.decrypt(sender, copy);
      const content = proto.Message.decode(unpadRandomMax16(plaintext));
      const key = content.senderKeyDistributionMessage;
      if (key?.groupId === group.id && key.axolotlSenderKeyDistributionMessage) {
        this.#keysOf(group, sender).add(account, key.axolotlSenderKeyDistributionMessage);
      }
      return content;
    } catch (err) {
      this.#services.log.debug({ err }, 'phone.sender_key.failed');
      return undefined;
    }
  }

  /** Decrypts the message, stores it on the members' phones, and sends their delivery receipts. */
  #storeForPhones(group: Group, sender: Companion, node: BinaryNode, ciphertext: Uint8Array): void {
    const { id = '' } = node.attrs;
    const decrypted = this.#decrypt(group, sender, ciphertext);
    const acknowledging: Account[] = [];
    for (const account of group.members.keys()) {
      if (!decrypted?.canRead(account)) this.#requestAgain(group, sender, account, id);
      // A phone acknowledges a message also when it does not display it.
      else if (!isDisplayed(decrypted.content, node, getBinaryNodeChild(node, 'enc'))) acknowledging.push(account);
      else if (this.#store(group, sender.account, account, id, decrypted.content)) acknowledging.push(account);
    }
    sendDeliveryReceipts(this.#services, group, sender.account, acknowledging, id);
  }

  #decrypt(group: Group, sender: Companion, ciphertext: Uint8Array) {
    try {
      const { plaintext, canRead } = this.#keysOf(group, sender).decrypt(ciphertext);
      return { content: proto.Message.decode(unpadRandomMax16(plaintext)), canRead };
    } catch (err) {
      this.#services.log.debug({ err }, 'phone.decryption.failed');
      return undefined;
    }
  }

  /** Stores the message on the phone of `reader`. Returns false when that phone has stored the message before. */
  #store(group: Group, author: Account, reader: Account, id: string, content: proto.IMessage): boolean {
    const message = { id, chat: group.id, from: author.number, addressing: group.addressing, content };
    return this.#services.phone(reader).store(message);
  }

  /** Requests the message again, unless the phone has reached the maximum number of requests (createRetryRequest()). */
  #requestAgain(group: Group, sender: Companion, account: Account, id: string): void {
    const { world } = this.#services;
    const phone = this.#services.phone(account);
    const key = `${account.number}|${sender.account.number}:${sender.device}|${id}`;
    const count = this.#retryCounts.next(key);
    const content = createRetryRequest(world, { id, count, phone });
    const receipt = {
      from: group.id,
      participant: shownJidOf(group.addressing, account),
      ids: [id],
      type: 'retry',
      content,
    };
    if (content) deliverReceipt(world, sender, receipt);
  }

  /** Relays a message that was sent again to one device. Message and sender key are encrypted for that device alone. */
  async #relayResent(group: Group, sender: Companion, node: BinaryNode, participant: string): Promise<void> {
    const copy = readCopy(node);
    const account = this.#services.world.byJid(participant);
    if (!copy || !account || !group.members.has(account)) return;
    if (jidDecode(participant)?.device) {
      const companion = this.#services.world.companion(participant);
      if (companion) this.#forward(group, sender, companion, node, [copy]);
      return;
    }
    const id = node.attrs.id ?? '';
    // A copy that contains only the sender key is not a message.
    const { senderKeyDistributionMessage: _key, ...content } =
      (await this.#decryptCopy(group, sender, account, copy)) ?? {};
    if (Object.keys(content).length === 0) return this.#requestAgain(group, sender, account, id);
    if (this.#store(group, sender.account, account, id, content))
      sendDeliveryReceipts(this.#services, group, sender.account, [account], id);
  }
}

/**
 * The encrypted copy in a stanza or `<to>` element; undefined when there is none. For a message that is encrypted with
 * a sender key (`skmsg`), the returned `type` has no meaning.
 */
export function readCopy(node: BinaryNode): EncryptedCopy | undefined {
  const enc = getBinaryNodeChild(node, 'enc');
  const type = enc?.attrs.type;
  if (!enc || !(enc.content instanceof Uint8Array)) return undefined;
  return { enc, type: type === 'pkmsg' ? 'pkmsg' : 'msg', ciphertext: enc.content };
}
