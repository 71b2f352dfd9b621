// Sends messages of phones to groups. Encrypts each message once with the phone's sender key (its key for this group).
// The first message to each companion (linked device) of a member also contains that key.
import type { BinaryNode } from '@whiskeysockets/baileys';
import { plaintextOf, withSenderKey } from '../crypto/plaintext.ts';
import { element } from '../lib/binary-node.ts';
import { mediatypeOf } from '../media/attachments.ts';
import { createEncNode, deliverMessage, phoneAddress, shownJidOf } from '../world/delivery.ts';
import { assertMayWrite, type Group } from '../world/group.ts';
import { groupAuthorAttributes } from '../world/group-node.ts';
import type { Account, Companion } from '../world/model.ts';
import { OwnSenderKey } from '../world/sender-keys.ts';
import { type Draft, stanzaAttributesOf } from './content.ts';
import type { GroupSenderPort, PhonePort, Services } from './interfaces.ts';
import { createMessageId } from './message-id.ts';
import { sendReceipt } from './receipts.ts';
import { readRetryKeys } from './retry.ts';
import { createUnavailableNode, isViewOnce } from './visibility.ts';

/** The sender key of a phone in a group, and the companions that received it. */
interface OwnKey {
  key: OwnSenderKey;
  recipients: WeakSet<Companion>;
}

export class GroupSender implements GroupSenderPort {
  readonly #services: Services;
  readonly #ownKeys = new WeakMap<Group, Map<PhonePort, OwnKey>>();

  constructor(services: Services) {
    this.#services = services;
    services.groups.onChange(({ group, kind }) => {
      // A removed member must not read later messages: every phone creates a new key.
      if (kind === 'remove') this.#ownKeys.delete(group);
    });
  }

  /**
   * Sends a message to all members. Resolves with the id when the message is queued for every device. Throws GroupError
   * 403 when the phone's account is not allowed to write in the group, RangeError when the draft refers to an unknown
   * message.
   */
  async send(phone: PhonePort, group: Group, draft: Draft, id = createMessageId()): Promise<string> {
    assertMayWrite(group, phone.account);
    const userJid = (account: Account) => shownJidOf(group.addressing, account);
    const content = phone.compose(draft, { chat: group.id, jid: group.id, userJid });
    // `raw`: content that is encoded already and is sent unchanged.
    const { raw } = draft;
    const message = { id, chat: group.id, from: phone.account.number, addressing: group.addressing, content, raw };
    phone.store(message);
    const { key, recipients } = this.#getOwnKey(group, phone);
    // The encoded key for its recipients. Read before encrypt() advances the key, so that a device that receives the
    // key with this message can decrypt the message.
    const distribution = key.distribution();
    const ciphertext = key.encrypt(plaintextOf({ content, raw }));
    const attrs = {
      ...groupAuthorAttributes(group, phone.account),
      id,
      ...stanzaAttributesOf(content),
      notify: phone.account.name,
    };
    // Companions cannot show view-once messages and get a placeholder. `skmsg`: encrypted with a sender key.
    const payload =
      !raw && isViewOnce(content)
        ? createUnavailableNode()
        : element('enc', { v: '2', type: 'skmsg', mediatype: mediatypeOf(content) }, ciphertext);
    const members = [...group.members.keys()];
    await Promise.all(
      members.flatMap((account) =>
        Array.from(account.companions.values(), async (companion) => {
          const encryptedKey = recipients.has(companion)
            ? []
            : [await this.#encryptKey(phone, companion, group, distribution)];
          recipients.add(companion);
          deliverMessage(this.#services.world, companion, attrs, [...encryptedKey, payload]);
        }),
      ),
    );
    for (const account of members) if (account !== phone.account) this.#services.phone(account).store(message);
    sendDeliveryReceipts(this.#services, group, phone.account, members, id);
    return id;
  }

  /** Sends a message again, with the phone's sender key, to the companion that requests it with a retry receipt. */
  async resend(phone: PhonePort, companion: Companion, receipt: BinaryNode): Promise<void> {
    const { id = '', to = '' } = receipt.attrs;
    const group = this.#services.groups.get(to);
    const message = group && phone.findSent(group.id, id);
    // `keys`: the companion's keys for a new Signal session, if any. `count`: the number of this request.
    const { keys, count } = readRetryKeys(receipt);
    if (!group || !message || !group.members.has(companion.account)) return;
    phone.recordReceipt(companion.account, [id], 'retry', group.id);
    if (keys) await phone.signal.reopen(companion, keys);
    const distribution = this.#getOwnKey(group, phone).key.distribution();
    const plaintext = withSenderKey(message, distributionOf(group, distribution));
    const encrypted = await phone.signal.encrypt(companion, plaintext);
    const attrs = {
      ...groupAuthorAttributes(group, phone.account),
      id,
      ...stanzaAttributesOf(message.content),
      notify: phone.account.name,
    };
    deliverMessage(this.#services.world, companion, attrs, [
      createEncNode(encrypted, { count, mediatype: mediatypeOf(message.content) }),
    ]);
  }

  #getOwnKey(group: Group, phone: PhonePort): OwnKey {
    const keys = this.#ownKeys.get(group) ?? new Map<PhonePort, OwnKey>();
    this.#ownKeys.set(group, keys);
    const own = keys.get(phone) ?? { key: new OwnSenderKey(), recipients: new WeakSet() };
    keys.set(phone, own);
    return own;
  }

  /** Encrypts the phone's sender key for one companion. */
  async #encryptKey(phone: PhonePort, to: Companion, group: Group, distribution: Uint8Array): Promise<BinaryNode> {
    const content = { senderKeyDistributionMessage: distributionOf(group, distribution) };
    return createEncNode(await phone.signal.encrypt(to, plaintextOf({ content })));
  }
}

/**
 * Sends the author delivery receipts from the phones of `readers`: one per phone, at most `groups.maxDeliveryReceipts`.
 * The author's own phone sends none.
 */
export function sendDeliveryReceipts(
  services: Services,
  group: Group,
  author: Account,
  readers: readonly Account[],
  id: string,
): void {
  const acknowledging = readers.filter((account) => account !== author).slice(0, services.groups.maxDeliveryReceipts);
  for (const account of acknowledging) {
    sendReceipt(services, phoneAddress(account, group.addressing), author, [id], { group: group.id });
  }
}

/** The message content that contains `distribution`, an encoded sender key. */
const distributionOf = (group: Group, distribution: Uint8Array) => ({
  groupId: group.id,
  axolotlSenderKeyDistributionMessage: distribution,
});
