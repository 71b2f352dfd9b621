// Sends messages of simulated phones to groups. Encrypts each message once with the phone's sender key (its key for the
// group). The first message to each companion (linked device) of a member also contains that key.
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
interface DistributedKey {
  senderKey: OwnSenderKey;
  recipients: WeakSet<Companion>;
}

export class GroupSender implements GroupSenderPort {
  readonly #services: Services;
  readonly #keysByGroup = new WeakMap<Group, Map<PhonePort, DistributedKey>>();

  constructor(services: Services) {
    this.#services = services;
    services.groups.onChange(({ group, kind }) => {
      // A removed member must not read later messages: every phone creates a new key.
      if (kind === 'remove') this.#keysByGroup.delete(group);
    });
  }

  /**
   * Sends a message to all members. Resolves with the id when the message is queued for every device. Throws GroupError
   * 403 when the phone's account is not allowed to write in the group, RangeError when the draft refers to an unknown
   * message.
   */
  async send(phone: PhonePort, group: Group, draft: Draft, id = createMessageId()): Promise<string> {
    assertMayWrite(group, phone.account);
    const toUserJid = (account: Account) => shownJidOf(group.addressing, account);
    // The mailbox names group chats by their JID.
    const content = phone.compose(draft, { chat: group.id, jid: group.id, toUserJid });
    // `raw`: content that is encoded already and is sent unchanged.
    const { raw } = draft;
    const message = { id, chat: group.id, from: phone.account.number, addressing: group.addressing, content, raw };
    phone.store(message);
    const { senderKey, recipients } = this.#keyOf(group, phone);
    // The encoded key is read before encrypt() advances the key. A device that receives the key with this message can
    // then decrypt the message.
    const encodedKey = senderKey.distribution();
    const ciphertext = senderKey.encrypt(plaintextOf({ content, raw }));
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
          const keyNodes = recipients.has(companion)
            ? []
            : [await this.#encryptKey(phone, companion, group, encodedKey)];
          recipients.add(companion);
          deliverMessage(this.#services.world, companion, attrs, [...keyNodes, payload]);
        }),
      ),
    );
    for (const account of members) if (account !== phone.account) this.#services.phone(account).store(message);
    sendDeliveryReceipts(this.#services, group, phone.account, members, id);
    return id;
  }

  /**
   * Sends a message again to the companion that requests it with a retry receipt. Encrypts the message for this device
   * alone, and adds the phone's sender key to its content.
   */
  async resend(phone: PhonePort, companion: Companion, receipt: BinaryNode): Promise<void> {
    const { id = '', to = '' } = receipt.attrs;
    const group = this.#services.groups.get(to);
    const message = group && phone.findSent(group.id, id);
    // `keys`: the companion's keys for a new Signal session, if any. `count`: the number of this request, from 1.
    const { keys, count } = readRetryKeys(receipt);
    if (!group || !message || !group.members.has(companion.account)) return;
    phone.recordReceipt(companion.account, [id], 'retry', group.id);
    if (keys) await phone.signal.reopen(companion, keys);
    const encodedKey = this.#keyOf(group, phone).senderKey.distribution();
    const plaintext = withSenderKey(message, toKeyDistribution(group, encodedKey));
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

  /** Returns the phone's key for the group; creates it at the first call. */
  #keyOf(group: Group, phone: PhonePort): DistributedKey {
    const keysByPhone = this.#keysByGroup.get(group) ?? new Map<PhonePort, DistributedKey>();
    this.#keysByGroup.set(group, keysByPhone);
    const key = keysByPhone.get(phone) ?? { senderKey: new OwnSenderKey(), recipients: new WeakSet() };
    keysByPhone.set(phone, key);
    return key;
  }

  /** Encrypts the phone's sender key for one companion. */
  async #encryptKey(phone: PhonePort, to: Companion, group: Group, encodedKey: Uint8Array): Promise<BinaryNode> {
    const content = { senderKeyDistributionMessage: toKeyDistribution(group, encodedKey) };
    return createEncNode(await phone.signal.encrypt(to, plaintextOf({ content })));
  }
}

/**
 * Sends delivery receipts to the author of the message `id`, from the phones of the accounts in `receivers`: one per
 * phone, at most `groups.maxDeliveryReceipts`. The author's own phone sends none.
 */
export function sendDeliveryReceipts(
  services: Services,
  group: Group,
  author: Account,
  receivers: readonly Account[],
  id: string,
): void {
  const acknowledging = receivers.filter((account) => account !== author).slice(0, services.groups.maxDeliveryReceipts);
  for (const account of acknowledging) {
    sendReceipt(services, phoneAddress(account, group.addressing), author, [id], { group: group.id });
  }
}

/** The part of message content that gives a device the sender key for the group. `encodedKey` is the encoded key. */
const toKeyDistribution = (group: Group, encodedKey: Uint8Array) => ({
  groupId: group.id,
  axolotlSenderKeyDistributionMessage: encodedKey,
});
