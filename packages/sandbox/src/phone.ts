// A simulated phone: decrypts messages of companions, sends receipts, and performs the actions of its owner. It has no
// socket: it queues stanzas for companions (delivery.ts).
import { randomBytes } from 'node:crypto';
import { type BinaryNode, proto, unpadRandomMax16 } from '@whiskeysockets/baileys';
import { type Download, download, inspect, mediatypeOf } from './attachments.ts';
import { type ChatAddress, compose, type SendOptions } from './compose.ts';
import { Condition } from './condition.ts';
import { type Draft, envelopeOf } from './content.ts';
import { addressing, chatOf, deliverMessage, deliverReceipt, encNode, formOf, jidOf } from './delivery.ts';
import { announceReceipt, type Exchange, type IncomingMessage, type PhonePort, reportReading } from './exchange.ts';
import { type Group, rightsIn } from './group.ts';
import type { GroupOptions } from './groups.ts';
import { Mailbox, type NewMessage, type StoredMessage } from './mailbox.ts';
import type { Account, Companion, PhoneMessage, Typing } from './model.ts';
import { attributeName } from './node.ts';
import { answerPeerRequest } from './peer-request.ts';
import { deviceSentPlaintextOf, plaintextOf } from './plaintext.ts';
import { readRetryKeys, retryRequest } from './retry.ts';
import { createSignal, type Encrypted, type Signal } from './signal.ts';
import { takePreKey } from './stanzas/encrypt.ts';
import { announceTyping } from './typing.ts';
import { createUnavailableNode, isViewOnce } from './visibility.ts';
import { pnJid } from './world.ts';

const isChannel = (chat: string): boolean => chat.endsWith('@newsletter');

export class Phone implements PhonePort {
  readonly account: Account;
  readonly #exchange: Exchange;
  readonly mailbox = new Mailbox();
  /** Times a message was asked for again, by sending device and id. */
  readonly #retryCounts = new Map<string, number>();
  /** Messages to the own companions that are no chat (first sync), kept for their retries. */
  readonly #peerMessages = new Map<string, proto.IMessage>();
  readonly #typing = new Map<string, Typing>();
  readonly #condition = new Condition();
  #signal: Signal | undefined;

  constructor(account: Account, exchange: Exchange) {
    this.account = account;
    this.#exchange = exchange;
  }

  get signal(): Signal {
    this.#signal ??= createSignal(this.account, (of) => takePreKey(of, this.#exchange.world.id));
    return this.#signal;
  }

  /** What it sent and received and could decrypt, oldest first. Converts everything to JSON: not for hot paths. */
  messages(): PhoneMessage[] {
    return this.mailbox.view();
  }

  /** The file of a message. Throws RangeError when there is none, Error when it cannot be read. */
  media(id: string): Download {
    const { content = {}, chat = '' } = this.mailbox.byId(id) ?? {};
    return download(this.#exchange.host, content, isChannel(chat));
  }

  /** Number of messages that others sent to it, without repetitions. */
  get received(): number {
    return this.mailbox.received;
  }

  /** Who is typing to it: number → composing or recording. */
  get typingPeers(): ReadonlyMap<string, Typing> {
    return this.#typing;
  }

  /**
   * Resolves with the first answer of `check` that is neither undefined nor false, asked now and after every change
   * here.
   */
  waitFor<T>(check: () => T | undefined | false): Promise<T> {
    return this.#condition.waitFor(check);
  }

  /**
   * Sends to a number or a group and resolves with the message id once every device's copy is on its way or queued.
   * Throws RangeError when the number is not on the platform or the draft refers to an unknown message.
   */
  async send(to: string, draft: Draft, options: SendOptions = {}): Promise<string> {
    const { world, groups, groupSender } = this.#exchange;
    if (to.endsWith('@g.us')) return groupSender.send(this, groups.getAsMember(this.account, to), draft, options.id);
    const chat = world.account(to);
    const content = this.compose(draft, { chat: chat.number, jid: pnJid(chat), address: pnJid });
    const { id = `AC${randomBytes(15).toString('hex').toUpperCase()}`, form = 'pn' } = options;
    const letter = this.#file({ id, chat: chat.number, from: this.account.number, form, content, raw: draft.raw });
    await Promise.all(Array.from(this.account.companions.values(), (own) => this.#post(own, letter)));
    if (chat === this.account || chat.blocked.has(this.account.number)) return id;
    await Promise.all(Array.from(chat.companions.values(), (companion) => this.#post(companion, letter)));
    this.#exchange.phone(chat).accept(this.account, letter);
    return id;
  }

  /** Creates a group with those of the numbers that can be added. Throws GroupError 406 for a bad subject. */
  createGroup(subject: string, numbers: readonly string[], options: GroupOptions = {}): Group {
    return this.#exchange.groups.create(
      this.account,
      subject,
      numbers.map((number) => `${number}@s.whatsapp.net`),
      options,
    )[0];
  }

  /** A message of another phone; delivery between phones needs no encryption here. */
  accept(author: Account, { id, form, content }: StoredMessage): void {
    this.#file({ id, chat: author.number, from: author.number, form, content });
    announceReceipt(this.#exchange, { account: this.account, device: 0, form }, author, [id]);
  }

  /** Sends a protocol message to an own companion: no chat, no copy in the mailbox. */
  async sendPeer(to: Companion, protocolMessage: proto.Message.IProtocolMessage): Promise<void> {
    const id = this.#exchange.world.id();
    this.#peerMessages.set(id, { protocolMessage });
    await this.#postPeer(to, id, { protocolMessage });
  }

  /** Reads a chat, or these messages of it; the authors get read receipts unless this account's privacy says no. */
  read(chat: string, ids?: readonly string[]): string[] {
    const letters = this.mailbox.takeUnread(chat, ids);
    const groups = Map.groupBy(letters, ({ from, form }) => `${form}|${from}`);
    const group = this.#exchange.groups.get(chat)?.id;
    const shared = this.account.privacy.get('readreceipts') !== 'none';
    for (const [first, ...more] of groups.values()) {
      if (!first) continue;
      const reader = { account: this.account, device: 0, form: first.form };
      const read = [first, ...more].map(({ id }) => id);
      reportReading(this.#exchange, reader, this.#exchange.world.account(first.from), read, { shared, group });
    }
    this.#condition.notify();
    return letters.map(({ id }) => id);
  }

  /** A companion of this account read messages: marks them as read without sending receipts. */
  markRead(chat: string, ids: readonly string[]): void {
    this.mailbox.takeUnread(chat, ids);
    this.#condition.notify();
  }

  /**
   * Shows a number or a group that the owner types, records or stopped. Throws RangeError or GroupError when there is
   * none.
   */
  typing(to: string, state: Typing): void {
    announceTyping(this.#exchange, this.account, to.endsWith('@g.us') ? to : this.#exchange.world.account(to), state);
  }

  presence(state: Account['presence']): void {
    this.#exchange.showPresence(this.account, this, state);
  }

  recordTyping(author: Account, state: Typing): void {
    if (state === 'paused') this.#typing.delete(author.number);
    else this.#typing.set(author.number, state);
    this.#condition.notify();
  }

  /** Records a receipt for messages that this account sent to `reader`, or to a group. */
  recordReceipt(reader: Account, ids: readonly string[], type: string, group?: string): void {
    const at = this.#exchange.world.now();
    for (const id of ids) this.mailbox.addReceipt(group ?? reader.number, id, { from: reader.number, type, at });
    this.#condition.notify();
  }

  /** Files what was said in a group or posted in a channel; false when it is there already. */
  store(letter: NewMessage): boolean {
    if (this.mailbox.find(letter.chat, letter.id)) return false;
    this.#file(letter);
    return true;
  }

  /** What this phone sent under that id. */
  findSent(chat: string, id: string): StoredMessage | undefined {
    return this.mailbox.findSent(chat, id);
  }

  /** Decrypts a companion's copy for this phone, files it and answers; what it cannot read it asks for again. */
  async receive(arrival: IncomingMessage, encrypted: Encrypted): Promise<void> {
    const content = await this.#decrypt(arrival, encrypted);
    if (!content) return;
    const { sender, id, to } = arrival;
    const form = formOf(to);
    if (sender.account !== this.account) {
      if (arrival.isShown(content))
        this.#file({ id, chat: sender.account.number, from: sender.account.number, form, content });
      announceReceipt(this.#exchange, { account: this.account, device: 0, form }, sender.account, [id]);
      return;
    }
    const copy = content.deviceSentMessage;
    if (arrival.isPeer || !copy?.message || !copy.destinationJid)
      return this.#answerPeer(arrival, copy?.message ?? content);
    const { world } = this.#exchange;
    const chat = chatOf(world, copy.destinationJid);
    this.#file({ id, chat, from: this.account.number, form, content: copy.message });
    const from = jidOf(form, this.account);
    deliverReceipt(world, sender, { from, ids: [id], type: 'sender', recipient: copy.destinationJid });
  }

  /**
   * A companion could not read a message of this phone: sends it again, with a new session if the companion gave its
   * keys.
   */
  async resend(to: Companion, receipt: BinaryNode): Promise<void> {
    const { id = '', recipient } = receipt.attrs;
    const chat = recipient ? chatOf(this.#exchange.world, recipient) : to.account.number;
    const letter = this.mailbox.findSent(chat, id);
    const { keys, count } = readRetryKeys(receipt);
    if (letter)
      this.mailbox.addReceipt(chat, id, { from: to.account.number, type: 'retry', at: this.#exchange.world.now() });
    this.#condition.notify();
    if (keys) await this.signal.reopen(to, keys);
    const peerMessage = this.#peerMessages.get(id);
    if (letter) await this.#post(to, letter, count);
    else if (peerMessage) await this.#postPeer(to, id, peerMessage, count);
  }

  /** The content of a message to `place`. Throws RangeError when the draft refers to an unknown message. */
  compose(draft: Draft, place: ChatAddress): proto.IMessage {
    return compose(this.#exchange, { account: this.account, mailbox: this.mailbox }, draft, place);
  }

  #file(letter: NewMessage): StoredMessage {
    const { groups, host, world } = this.#exchange;
    const fromMe = letter.from === this.account.number;
    const media = inspect(host, letter.content, isChannel(letter.chat));
    const rights = rightsIn(groups.get(letter.chat), letter.from);
    const filed = { ...letter, media, fromMe, rights, unread: !fromMe, timestamp: world.now(), receipts: [] };
    if (this.mailbox.add(filed)) this.#condition.notify();
    return filed;
  }

  async #post(to: Companion, { id, chat, form, content, raw }: StoredMessage, retry = ''): Promise<void> {
    const { world } = this.#exchange;
    const sender = { account: this.account, device: 0, form };
    const own = to.account === this.account;
    const account = world.account(chat);
    const jid = jidOf(form, account);
    const address = addressing(sender, own ? { jid, account } : undefined);
    const attrs = { id, ...address, ...envelopeOf(content), notify: attributeName(this.account.name) };
    if (!raw && isViewOnce(content)) return deliverMessage(world, to, attrs, [createUnavailableNode()]);
    const plaintext = own ? deviceSentPlaintextOf({ content, raw }, jid) : plaintextOf({ content, raw });
    const encrypted = await this.signal.encrypt(to, plaintext);
    deliverMessage(world, to, attrs, [
      encNode(encrypted, { mediatype: mediatypeOf(content), count: retry || undefined }),
    ]);
  }

  async #postPeer(to: Companion, id: string, content: proto.IMessage, retry = ''): Promise<void> {
    const encrypted = await this.signal.encrypt(to, plaintextOf({ content }));
    const attrs = { id, from: pnJid(this.account), type: 'text', category: 'peer' };
    deliverMessage(this.#exchange.world, to, attrs, [encNode(encrypted, retry ? { count: retry } : {})]);
  }

  async #decrypt(arrival: IncomingMessage, encrypted: Encrypted): Promise<proto.IMessage | undefined> {
    const { sender, id, to } = arrival;
    const key = `${sender.account.number}:${sender.device}|${id}`;
    try {
      const plaintext = await this.signal.decrypt(sender, encrypted);
      const content = proto.Message.decode(unpadRandomMax16(plaintext));
      this.#retryCounts.delete(key);
      return content;
    } catch (err) {
      this.#exchange.log.debug({ err, id }, 'phone.undecryptable');
      const count = (this.#retryCounts.get(key) ?? 0) + 1;
      this.#retryCounts.set(key, count);
      const request = retryRequest(this.#exchange.world, { id, count, phone: this });
      if (!request) return undefined;
      const own = sender.account === this.account;
      const from = jidOf(formOf(to), this.account);
      const receipt = { from, ids: [id], type: 'retry', content: request };
      deliverReceipt(this.#exchange.world, sender, own ? { ...receipt, recipient: to } : receipt);
      return undefined;
    }
  }

  async #answerPeer({ sender, id }: IncomingMessage, content: proto.IMessage): Promise<void> {
    const find = (key: proto.IMessageKey) =>
      this.mailbox.find(chatOf(this.#exchange.world, key.remoteJid ?? ''), key.id ?? '');
    const answer = answerPeerRequest(content, id, find);
    if (answer) await this.sendPeer(sender, answer);
  }
}
