// Relays statuses (posts for 24 hours) of companions (linked devices). A status consists of one ciphertext for all
// readers and, for each device of a reader, an encrypted copy of the sender key that decrypts this ciphertext. A phone
// that cannot decrypt a status does not ask the sender to send the status again.
import {
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  jidDecode,
  proto,
  unpadRandomMax16,
} from '@whiskeysockets/baileys';
import type { Services } from '../phone/interfaces.ts';
import { sendReceipt } from '../phone/receipts.ts';
import { deliverMessage, deliverStatus, forwardedElementsOf, phoneAddress, shownJidOf } from '../world/delivery.ts';
import type { Account, Companion } from '../world/model.ts';
import { PeerSenderKeys } from '../world/sender-keys.ts';
import { lidJid } from '../world/world.ts';
import { type EncryptedCopy, readCopy } from './group-relay.ts';

/** The address of statuses. */
export const STATUS = 'status@broadcast';

export class StatusRelay {
  readonly #services: Services;
  /** The sender keys that phones have received from each companion that sends statuses. */
  readonly #keys = new WeakMap<Companion, PeerSenderKeys>();

  constructor(services: Services) {
    this.#services = services;
  }

  /**
   * Forwards a status to the companions of its readers, then decrypts it for the phones of its readers. Call it after
   * the server has acknowledged the status.
   */
  async relay(sender: Companion, node: BinaryNode): Promise<void> {
    // The ciphertext for all readers. With `participant`, the client sends the status again, to this device alone.
    const encrypted = readCopy(node);
    if (!encrypted) return;
    if (node.attrs.participant) return this.#forwardResent(sender, node, node.attrs.participant, encrypted);
    const keys = this.#keys.get(sender) ?? new PeerSenderKeys();
    this.#keys.set(sender, keys);
    const { world } = this.#services;
    // The accounts whose phones have received the sender key.
    const phoneAccounts: Account[] = [];
    for (const to of getBinaryNodeChildren(getBinaryNodeChild(node, 'participants'), 'to')) {
      const { jid = '' } = to.attrs;
      const account = world.byJid(jid);
      const copy = readCopy(to);
      if (!copy || !account || account.blocked.has(sender.account.number)) continue;
      const companion = jidDecode(jid)?.device ? world.companion(jid) : undefined;
      if (companion) this.#forward(sender, companion, node, [copy, encrypted]);
      else if (await this.#storeSenderKey(keys, sender, account, copy)) phoneAccounts.push(account);
    }
    this.#storeForPhones(keys, sender, node, phoneAccounts, encrypted);
  }

  /** Forwards a status that the sender has encrypted again for the companion `participant`, which requested it. */
  #forwardResent(sender: Companion, node: BinaryNode, participant: string, copy: EncryptedCopy): void {
    const companion = this.#services.world.companion(participant);
    if (companion && !companion.account.blocked.has(sender.account.number))
      this.#forward(sender, companion, node, [copy]);
  }

  #forward({ account, device }: Companion, to: Companion, node: BinaryNode, copies: EncryptedCopy[]): void {
    // When the account hides its number, `participant` is already the LID (second address).
    const participant = shownJidOf('pn', account, device);
    const address = { from: STATUS, participant, participant_lid: account.hidesNumber ? undefined : lidJid(account) };
    const statusAttrs = { id: node.attrs.id, ...address, type: node.attrs.type, notify: account.name };
    const deliver = to.account.getsStatusStanzas ? deliverStatus : deliverMessage;
    deliver(this.#services.world, to, statusAttrs, [...copies.map(({ enc }) => enc), ...forwardedElementsOf(node)]);
  }

  /**
   * Decrypts a copy for the phone of `account` and stores the sender key that it contains. Resolves with false on
   * failure.
   */
  async #storeSenderKey(
    keys: PeerSenderKeys,
    sender: Companion,
    account: Account,
    copy: EncryptedCopy,
  ): Promise<boolean> {
    try {
      const plaintext = await this.#services.phone(account).signal.decrypt(sender, copy);
      const { senderKeyDistributionMessage: key } = proto.Message.decode(unpadRandomMax16(plaintext));
      if (key?.groupId !== STATUS || !key.axolotlSenderKeyDistributionMessage) return false;
      keys.add(account, key.axolotlSenderKeyDistributionMessage);
      return true;
    } catch (err) {
      this.#services.log.debug({ err }, 'phone.sender_key.failed');
      return false;
    }
  }

  /**
   * Decrypts the status, stores it on the phones of those `accounts` that can read it, and sends the delivery receipts
   * of these phones.
   */
  #storeForPhones(
    keys: PeerSenderKeys,
    sender: Companion,
    node: BinaryNode,
    accounts: Account[],
    { ciphertext }: EncryptedCopy,
  ): void {
    const { id = '' } = node.attrs;
    try {
      const { plaintext, canRead } = keys.decrypt(ciphertext);
      const content = proto.Message.decode(unpadRandomMax16(plaintext));
      for (const account of accounts.filter(canRead)) {
        const message = { id, chat: STATUS, from: sender.account.number, addressing: 'pn' as const, content };
        if (!this.#services.phone(account).store(message) || account === sender.account) continue;
        sendReceipt(this.#services, phoneAddress(account, 'pn'), sender.account, [id], { group: STATUS });
      }
    } catch (err) {
      this.#services.log.debug({ err }, 'phone.decryption.failed');
    }
  }
}
