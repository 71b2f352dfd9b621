// Messages of phones to groups: encrypts once with the phone's sender key, and sends that key to each companion before
// its first message.
import { randomBytes } from 'node:crypto';
import type { BinaryNode } from '@whiskeysockets/baileys';
import { mediatypeOf } from './attachments.ts';
import { type Draft, envelopeOf } from './content.ts';
import { deliverMessage, encNode, jidOf } from './delivery.ts';
import { announceReceipt, type Exchange, type GroupSenderPort, type PhonePort } from './exchange.ts';
import { assertMayWrite, type Group } from './group.ts';
import type { Account, Companion } from './model.ts';
import { element } from './node.ts';
import { plaintextOf, withSenderKey } from './plaintext.ts';
import { readRetryKeys } from './retry.ts';
import { OwnSenderKey } from './sender-keys.ts';
import { authored } from './stanzas/group-node.ts';
import { createUnavailableNode, isViewOnce } from './visibility.ts';

/** A phone's own key in a group and the companions that have it. */
interface OwnKey {
  key: OwnSenderKey;
  recipients: WeakSet<Companion>;
}

export class GroupSender implements GroupSenderPort {
  readonly #exchange: Exchange;
  readonly #own = new WeakMap<Group, Map<PhonePort, OwnKey>>();

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
    exchange.groups.onChange(({ group, kind }) => {
      // A removed member must not read later messages: every phone creates a new key.
      if (kind === 'remove') this.#own.delete(group);
    });
  }

  /**
   * A phone writes: resolves with the id once every device's copy is on its way or queued. Throws GroupError 403 when
   * its owner may not write there, RangeError when the draft refers to an unknown message.
   */
  async send(phone: PhonePort, group: Group, draft: Draft, id = newId()): Promise<string> {
    assertMayWrite(group, phone.account);
    const address = (account: Account) => jidOf(group.mode, account);
    const content = phone.compose(draft, { chat: group.id, jid: group.id, address });
    const { raw } = draft;
    const letter = { id, chat: group.id, from: phone.account.number, form: group.mode, content, raw };
    phone.store(letter);
    const own = this.#ownKey(group, phone);
    // Taken before the chain advances: a device that gets the key with this message must be able to decrypt it.
    const distribution = own.key.distribution();
    const ciphertext = own.key.encrypt(plaintextOf({ content, raw }));
    const attrs = { ...authored(group, phone.account), id, ...envelopeOf(content), notify: phone.account.name };
    const message =
      !raw && isViewOnce(content)
        ? createUnavailableNode()
        : element('enc', { v: '2', type: 'skmsg', mediatype: mediatypeOf(content) }, ciphertext);
    const members = [...group.members.keys()];
    await Promise.all(
      members.flatMap((account) =>
        Array.from(account.companions.values(), async (companion) => {
          const key = own.recipients.has(companion) ? [] : [await this.#handKey(phone, companion, group, distribution)];
          own.recipients.add(companion);
          deliverMessage(this.#exchange.world, companion, attrs, [...key, message]);
        }),
      ),
    );
    for (const account of members) if (account !== phone.account) this.#exchange.phone(account).store(letter);
    acknowledge(this.#exchange, group, phone.account, members, id);
    return id;
  }

  /** A client could not read what a phone wrote: it gets it again, alone, with the phone's key. */
  async resend(phone: PhonePort, reader: Companion, receipt: BinaryNode): Promise<void> {
    const { id = '', to = '' } = receipt.attrs;
    const group = this.#exchange.groups.get(to);
    const letter = group && phone.findSent(group.id, id);
    const { keys, count } = readRetryKeys(receipt);
    if (!group || !letter || !group.members.has(reader.account)) return;
    phone.recordReceipt(reader.account, [id], 'retry', group.id);
    if (keys) await phone.signal.reopen(reader, keys);
    const key = this.#ownKey(group, phone).key.distribution();
    const encrypted = await phone.signal.encrypt(reader, withSenderKey(letter, distributionOf(group, key)));
    const attrs = {
      ...authored(group, phone.account),
      id,
      ...envelopeOf(letter.content),
      notify: phone.account.name,
    };
    deliverMessage(this.#exchange.world, reader, attrs, [
      encNode(encrypted, { count, mediatype: mediatypeOf(letter.content) }),
    ]);
  }

  #ownKey(group: Group, phone: PhonePort): OwnKey {
    const keys = this.#own.get(group) ?? new Map<PhonePort, OwnKey>();
    this.#own.set(group, keys);
    const own = keys.get(phone) ?? { key: new OwnSenderKey(), recipients: new WeakSet() };
    keys.set(phone, own);
    return own;
  }

  async #handKey(phone: PhonePort, to: Companion, group: Group, key: Uint8Array): Promise<BinaryNode> {
    const content = { senderKeyDistributionMessage: distributionOf(group, key) };
    return encNode(await phone.signal.encrypt(to, plaintextOf({ content })));
  }
}

/** Tells the author's devices who has it: its own phone, and as many others as the limit allows. */
export function acknowledge(
  exchange: Exchange,
  group: Group,
  author: Account,
  readers: readonly Account[],
  id: string,
): void {
  const others = readers.filter((account) => account !== author).slice(0, exchange.groups.deliveryReceipts);
  for (const account of others) {
    announceReceipt(exchange, { account, device: 0, form: group.mode }, author, [id], undefined, group.id);
  }
}

const distributionOf = (group: Group, key: Uint8Array) => ({
  groupId: group.id,
  axolotlSenderKeyDistributionMessage: key,
});

/** 32 hex digits, as Android phones make them. */
const newId = () => `AC${randomBytes(15).toString('hex').toUpperCase()}`;
