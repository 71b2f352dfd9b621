// Messages in groups: from a real client to every member, from a phone to every member, and again for those who could not read them.
// Phones share one decryption per message; which of them can read it depends on the keys that each was given.
import { randomBytes } from 'node:crypto';
import {
  type BinaryNode,
  encodeWAMessage,
  generateParticipantHashV2,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  jidDecode,
  proto,
  unpadRandomMax16,
} from '@whiskeysockets/baileys';
import { type Draft, envelopeOf } from './content.ts';
import { type Group, GroupError, mayWrite } from './group.ts';
import type { Account, Companion } from './model.ts';
import { element } from './node.ts';
import type { Phone } from './phone.ts';
import {
  type Attributes,
  announceReceipt,
  deliverMessage,
  deliverReceipt,
  type Exchange,
  encNode,
  jidOf,
} from './post.ts';
import { readRetryKeys, retryRequest } from './retry.ts';
import { ForeignSenderKeys, OwnSenderKey } from './sender-keys.ts';
import type { Encrypted } from './signal.ts';
import { addressed } from './stanzas/group-node.ts';

/** Attributes that travel from the sender's stanza to the receivers'. */
const CARRIED = ['type', 'edit'] as const;

/** A phone's own key in a group and the companions that have it. */
interface OwnKey {
  key: OwnSenderKey;
  given: WeakSet<Companion>;
}

interface Copy extends Encrypted {
  enc: BinaryNode;
}

export class GroupMail {
  readonly #exchange: Exchange;
  readonly #own = new WeakMap<Group, Map<Phone, OwnKey>>();
  readonly #foreign = new WeakMap<Group, WeakMap<Companion, ForeignSenderKeys>>();
  /** Times a phone asked for a message again: phone, sending device and id. */
  readonly #asked = new Map<string, number>();

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
    exchange.groups.watch(({ group, kind }) => {
      // Who is gone must not be able to read on: everybody takes a new key.
      if (kind === 'remove') this.#own.delete(group);
    });
  }

  /** The code with which the platform refuses this message of a client; undefined: it is taken. */
  refusal(sender: Companion, node: BinaryNode): string | undefined {
    const group = this.#exchange.groups.get(node.attrs.to ?? '');
    if (!group) return '404';
    try {
      mayWrite(group, sender.account);
      return undefined;
    } catch (refused) {
      return refused instanceof GroupError ? String(refused.code) : '500';
    }
  }

  /** What the ack says about the list of devices that the client encrypted for: the right hash, when the client's is wrong. */
  phash({ attrs: { to = '', phash } }: BinaryNode): string | undefined {
    const group = phash && this.#exchange.groups.get(to);
    if (!group) return undefined;
    const devices = Array.from(group.members.keys(), (account) =>
      [0, ...account.companions.keys()].map((device) => jidOf(group.mode, account, device)),
    );
    const right = generateParticipantHashV2(devices.flat());
    return right === phash ? undefined : right;
  }

  /** A client's message, already taken: to every member's clients as it is, and decrypted for the phones. */
  async fromCompanion(sender: Companion, node: BinaryNode): Promise<void> {
    const group = this.#exchange.groups.get(node.attrs.to ?? '');
    if (!group) return;
    if (node.attrs.participant) return this.#again(group, sender, node, node.attrs.participant);
    const message = copyIn(node);
    const copies = this.#copies(node);
    for (const account of group.members.keys()) {
      for (const companion of account.companions.values()) {
        if (companion !== sender) this.#forward(group, sender, companion, node, [copies.get(companion), message]);
      }
    }
    for (const account of group.members.keys()) {
      const copy = copies.get(account);
      if (copy) await this.#learn(group, sender, account, copy);
    }
    if (message) this.#open(group, sender, node, message.ciphertext);
  }

  /**
   * A phone writes: resolves with the id once every device's copy is on its way or queued. Throws GroupError 403 when its owner may
   * not write there, RangeError when the draft refers to an unknown message.
   */
  async send(phone: Phone, group: Group, draft: Draft, id = newId()): Promise<string> {
    mayWrite(group, phone.account);
    const address = (account: Account) => jidOf(group.mode, account);
    const content = phone.compose(draft, { chat: group.id, jid: group.id, address });
    const letter = { id, chat: group.id, from: phone.account.number, form: group.mode, content };
    phone.file(letter);
    const own = this.#ownKey(group, phone);
    // Taken before the chain moves on: whoever gets the key with this message must be able to read it.
    const distribution = own.key.distribution();
    const ciphertext = own.key.encrypt(encodeWAMessage(content));
    const attrs = { ...this.#from(group, phone.account), id, ...envelopeOf(content), notify: phone.account.name };
    const message = element('enc', { v: '2', type: 'skmsg' }, ciphertext);
    const members = [...group.members.keys()];
    await Promise.all(
      members.flatMap((account) =>
        Array.from(account.companions.values(), async (companion) => {
          const key = own.given.has(companion) ? [] : [await this.#handKey(phone, companion, group, distribution)];
          own.given.add(companion);
          deliverMessage(this.#exchange.world, companion, attrs, [...key, message]);
        }),
      ),
    );
    for (const account of members) if (account !== phone.account) this.#exchange.phone(account).file(letter);
    this.#acknowledge(group, phone.account, members, id);
    return id;
  }

  /** A client could not read what a phone wrote: it gets it again, alone, with the phone's key. */
  async resend(phone: Phone, reader: Companion, receipt: BinaryNode): Promise<void> {
    const { id = '', to = '' } = receipt.attrs;
    const group = this.#exchange.groups.get(to);
    const letter = group && phone.sent(group.id, id);
    const { keys, count } = readRetryKeys(receipt);
    if (!group || !letter || !group.members.has(reader.account)) return;
    phone.note(reader.account, [id], 'retry', group.id);
    if (keys) await phone.signal.reopen(reader, keys);
    const key = this.#ownKey(group, phone).key.distribution();
    const content = { ...letter.content, senderKeyDistributionMessage: distributionOf(group, key) };
    const encrypted = await phone.signal.encrypt(reader, encodeWAMessage(content));
    const attrs = {
      ...this.#from(group, phone.account),
      id,
      ...envelopeOf(letter.content),
      notify: phone.account.name,
    };
    deliverMessage(this.#exchange.world, reader, attrs, [encNode(encrypted, { count })]);
  }

  #from(group: Group, author: Account, device = 0): Attributes {
    return {
      from: group.id,
      ...addressed(group, 'participant', author),
      participant: jidOf(group.mode, author, device),
      addressing_mode: group.mode,
    };
  }

  #ownKey(group: Group, phone: Phone): OwnKey {
    const keys = this.#own.get(group) ?? new Map<Phone, OwnKey>();
    this.#own.set(group, keys);
    const own = keys.get(phone) ?? { key: new OwnSenderKey(), given: new WeakSet() };
    keys.set(phone, own);
    return own;
  }

  async #handKey(phone: Phone, to: Companion, group: Group, key: Uint8Array): Promise<BinaryNode> {
    const content = { senderKeyDistributionMessage: distributionOf(group, key) };
    return encNode(await phone.signal.encrypt(to, encodeWAMessage(content)));
  }

  /** Pairwise copies by whom they are for: a companion, or an account for its phone. Those for nobody vanish. */
  #copies(node: BinaryNode): Map<Account | Companion, Copy> {
    const copies = new Map<Account | Companion, Copy>();
    for (const to of getBinaryNodeChildren(getBinaryNodeChild(node, 'participants'), 'to')) {
      const { jid = '' } = to.attrs;
      const copy = copyIn(to);
      const account = this.#exchange.world.byJid(jid);
      const reader = jidDecode(jid)?.device ? this.#exchange.world.companion(jid) : account;
      if (copy && reader) copies.set(reader, copy);
    }
    return copies;
  }

  #forward(group: Group, from: Companion, to: Companion, node: BinaryNode, copies: (Copy | undefined)[]): void {
    const content = copies.flatMap((copy) => copy?.enc ?? []);
    const identity = getBinaryNodeChild(node, 'device-identity');
    const carried = Object.fromEntries(CARRIED.map((name) => [name, node.attrs[name]]));
    const attrs = {
      ...this.#from(group, from.account, from.device),
      id: node.attrs.id,
      ...carried,
      notify: from.account.name,
    };
    if (content.length > 0)
      deliverMessage(this.#exchange.world, to, attrs, identity ? [...content, identity] : content);
  }

  #keysOf(group: Group, sender: Companion): ForeignSenderKeys {
    const senders = this.#foreign.get(group) ?? new WeakMap<Companion, ForeignSenderKeys>();
    this.#foreign.set(group, senders);
    const keys = senders.get(sender) ?? new ForeignSenderKeys();
    senders.set(sender, keys);
    return keys;
  }

  /** What a phone cannot decrypt here it misses when the message comes, and asks for then. */
  async #learn(
    group: Group,
    sender: Companion,
    account: Account,
    copy: Encrypted,
  ): Promise<proto.IMessage | undefined> {
    try {
      const plaintext = await this.#exchange.phone(account).signal.decrypt(sender, copy);
      const content = proto.Message.decode(unpadRandomMax16(plaintext));
      const key = content.senderKeyDistributionMessage;
      if (key?.groupId === group.id && key.axolotlSenderKeyDistributionMessage) {
        this.#keysOf(group, sender).learn(account, key.axolotlSenderKeyDistributionMessage);
      }
      return content;
    } catch (err) {
      this.#exchange.log.debug({ err }, 'phone.sender_key.undecryptable');
      return undefined;
    }
  }

  #open(group: Group, sender: Companion, node: BinaryNode, ciphertext: Uint8Array): void {
    const { id = '' } = node.attrs;
    const opened = this.#decrypt(group, sender, ciphertext);
    const readers: Account[] = [];
    for (const account of group.members.keys()) {
      if (!opened?.canRead(account)) this.#askAgain(group, sender, account, id);
      else if (this.#file(group, sender.account, account, id, opened.content)) readers.push(account);
    }
    this.#acknowledge(group, sender.account, readers, id);
  }

  #decrypt(group: Group, sender: Companion, ciphertext: Uint8Array) {
    try {
      const { plaintext, canRead } = this.#keysOf(group, sender).open(ciphertext);
      return { content: proto.Message.decode(unpadRandomMax16(plaintext)), canRead };
    } catch (err) {
      this.#exchange.log.debug({ err }, 'phone.undecryptable');
      return undefined;
    }
  }

  #file(group: Group, author: Account, reader: Account, id: string, content: proto.IMessage): boolean {
    const letter = { id, chat: group.id, from: author.number, form: group.mode, content };
    return this.#exchange.phone(reader).file(letter);
  }

  /** Tells the author's devices who has it: its own phone, and as many others as the limit allows. */
  #acknowledge(group: Group, author: Account, readers: readonly Account[], id: string): void {
    const others = readers.filter((account) => account !== author).slice(0, this.#exchange.groups.deliveryReceipts);
    for (const account of others) {
      announceReceipt(this.#exchange, { account, device: 0, form: group.mode }, author, [id], undefined, group.id);
    }
  }

  #askAgain(group: Group, sender: Companion, account: Account, id: string): void {
    const { world } = this.#exchange;
    const phone = this.#exchange.phone(account);
    const key = `${account.number}|${sender.account.number}:${sender.device}|${id}`;
    const count = (this.#asked.get(key) ?? 0) + 1;
    this.#asked.set(key, count);
    const { registrationId } = account;
    const content = retryRequest(world, { id, count, registrationId, bundle: () => phone.signal.bundle() });
    const receipt = { from: group.id, participant: jidOf(group.mode, account), ids: [id], type: 'retry', content };
    if (content) deliverReceipt(world, sender, receipt);
  }

  /** Sent again, for one device alone: the message and the key together, under that device's session. */
  async #again(group: Group, sender: Companion, node: BinaryNode, participant: string): Promise<void> {
    const copy = copyIn(node);
    const account = this.#exchange.world.byJid(participant);
    if (!copy || !account || !group.members.has(account)) return;
    if (jidDecode(participant)?.device) {
      const companion = this.#exchange.world.companion(participant);
      if (companion) this.#forward(group, sender, companion, node, [copy]);
      return;
    }
    const id = node.attrs.id ?? '';
    const { senderKeyDistributionMessage: _key, ...content } = (await this.#learn(group, sender, account, copy)) ?? {};
    if (Object.keys(content).length === 0) return this.#askAgain(group, sender, account, id);
    if (this.#file(group, sender.account, account, id, content))
      this.#acknowledge(group, sender.account, [account], id);
  }
}

function copyIn(node: BinaryNode): Copy | undefined {
  const enc = getBinaryNodeChild(node, 'enc');
  const type = enc?.attrs.type;
  if (!enc || !(enc.content instanceof Uint8Array)) return undefined;
  return { enc, type: type === 'pkmsg' ? 'pkmsg' : 'msg', ciphertext: enc.content };
}

const distributionOf = (group: Group, key: Uint8Array) => ({
  groupId: group.id,
  axolotlSenderKeyDistributionMessage: key,
});

/** 32 hex digits, as Android phones make them. */
const newId = () => `AC${randomBytes(15).toString('hex').toUpperCase()}`;
