// Status messages of clients: one ciphertext for all readers, with its key for each device that may read it. A phone
// that cannot decrypt a status does not request it again.
import {
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  jidDecode,
  proto,
  unpadRandomMax16,
} from '@whiskeysockets/baileys';
import { deliverMessage } from './delivery.ts';
import { announceReceipt, type Exchange } from './exchange.ts';
import { type Copy, copyIn } from './group-relay.ts';
import type { Account, Companion } from './model.ts';
import { attributeName } from './node.ts';
import { PeerSenderKeys } from './sender-keys.ts';
import { lidJid, pnJid } from './world.ts';

export const STATUS = 'status@broadcast';

export class StatusMail {
  readonly #exchange: Exchange;
  readonly #keys = new WeakMap<Companion, PeerSenderKeys>();

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  /** A client's status, already taken. */
  async fromCompanion(sender: Companion, node: BinaryNode): Promise<void> {
    const status = copyIn(node);
    if (!status) return;
    const keys = this.#keys.get(sender) ?? new PeerSenderKeys();
    this.#keys.set(sender, keys);
    const { world } = this.#exchange;
    const phones: Account[] = [];
    for (const to of getBinaryNodeChildren(getBinaryNodeChild(node, 'participants'), 'to')) {
      const { jid = '' } = to.attrs;
      const account = world.byJid(jid);
      const copy = copyIn(to);
      if (!copy || !account || account.blocked.has(sender.account.number)) continue;
      const companion = jidDecode(jid)?.device ? world.companion(jid) : undefined;
      if (companion) this.#forward(sender, companion, node, [copy, status]);
      else if (await this.#learn(keys, sender, account, copy)) phones.push(account);
    }
    this.#open(keys, sender, node, phones, status);
  }

  #forward({ account, device }: Companion, to: Companion, { attrs, content }: BinaryNode, copies: Copy[]): void {
    const address = { from: STATUS, participant: pnJid(account, device), participant_lid: lidJid(account) };
    const identity = Array.isArray(content) ? content.filter(({ tag }) => tag === 'device-identity') : [];
    const statusAttrs = { id: attrs.id, ...address, type: attrs.type, notify: attributeName(account.name) };
    deliverMessage(this.#exchange.world, to, statusAttrs, [...copies.map(({ enc }) => enc), ...identity]);
  }

  async #learn(keys: PeerSenderKeys, sender: Companion, account: Account, copy: Copy): Promise<boolean> {
    try {
      const plaintext = await this.#exchange.phone(account).signal.decrypt(sender, copy);
      const { senderKeyDistributionMessage: key } = proto.Message.decode(unpadRandomMax16(plaintext));
      if (key?.groupId !== STATUS || !key.axolotlSenderKeyDistributionMessage) return false;
      keys.add(account, key.axolotlSenderKeyDistributionMessage);
      return true;
    } catch (err) {
      this.#exchange.log.debug({ err }, 'phone.sender_key.undecryptable');
      return false;
    }
  }

  #open(keys: PeerSenderKeys, sender: Companion, node: BinaryNode, phones: Account[], { ciphertext }: Copy): void {
    const { id = '' } = node.attrs;
    try {
      const { plaintext, canRead } = keys.open(ciphertext);
      const content = proto.Message.decode(unpadRandomMax16(plaintext));
      for (const account of phones.filter(canRead)) {
        const letter = { id, chat: STATUS, from: sender.account.number, form: 'pn' as const, content };
        if (!this.#exchange.phone(account).store(letter) || account === sender.account) continue;
        announceReceipt(this.#exchange, { account, device: 0, form: 'pn' }, sender.account, [id], undefined, STATUS);
      }
    } catch (err) {
      this.#exchange.log.debug({ err }, 'phone.undecryptable');
    }
  }
}
