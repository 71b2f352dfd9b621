// A simulated phone: decrypts messages of companions (linked devices), sends receipts, and performs the actions of its
// owner. It has no socket: it queues stanzas (protocol messages) for companions, with delivery.ts.
import { type BinaryNode, proto, unpadRandomMax16 } from '@whiskeysockets/baileys';
import { deviceSentPlaintextOf, plaintextOf } from '../crypto/plaintext.ts';
import { Condition } from '../lib/condition.ts';
import { limitSize } from '../lib/limit-size.ts';
import { type DownloadedFile, describeFile, download, mediatypeOf } from '../media/attachments.ts';
import {
  addressingOf,
  chatOf,
  createEncNode,
  deliverMessage,
  deliverReceipt,
  jidOf,
  ownCopyAttributes,
  phoneAddress,
  recipientCopyAttributes,
  shownJidOf,
} from '../world/delivery.ts';
import { type Group, groupRightsOf } from '../world/group.ts';
import type { GroupOptions } from '../world/groups.ts';
import type { Account, Companion, PhoneMessage, Typing } from '../world/model.ts';
import { takePreKey } from '../world/pre-keys.ts';
import { createSignal, type Encrypted, type Signal } from '../world/signal.ts';
import { pnJid } from '../world/world.ts';
import { type ChatAddress, compose, type SendOptions } from './compose.ts';
import { type Draft, stanzaAttributesOf } from './content.ts';
import type { IncomingMessage, PhonePort, Services } from './interfaces.ts';
import { Mailbox, type NewMessage, type StoredMessage } from './mailbox.ts';
import { createMessageId } from './message-id.ts';
import { answerPeerRequest } from './peer-request.ts';
import { sendReadReceipts, sendReceipt } from './receipts.ts';
import { createRetryRequest, RetryCounts, readRetryKeys } from './retry.ts';
import { sendTyping } from './typing.ts';
import { createUnavailableNode, isViewOnce } from './visibility.ts';

const isChannel = (chat: string): boolean => chat.endsWith('@newsletter');

/** Maximum number of messages to own companions that are kept; the oldest are removed. */
const MAX_PEER_MESSAGES = 1000;

export class Phone implements PhonePort {
  readonly account: Account;
  readonly #services: Services;
  readonly mailbox = new Mailbox();
  /** Maximum number of messages per chat that a new companion gets; it can request the older ones. */
  syncedPerChat = Number.POSITIVE_INFINITY;
  /** Number of times that the phone requested a message again. The key is the sender's device and the message id. */
  readonly #retryCounts = new RetryCounts();
  /**
   * Messages to this account's own companions, such as the history, by id. They are kept to be sent again on request,
   * until the companion has acknowledged them.
   */
  readonly #peerMessages = new Map<string, proto.IMessage>();
  readonly #typing = new Map<string, Typing>();
  /** Notified after every change that waitFor() can wait for. */
  readonly #condition = new Condition();
  readonly #openRequests: proto.IMessage[] = [];
  /** A promise that is resolved while the phone answers requests of its companions, and pending while it does not. */
  #untilReachable = Promise.withResolvers<void>();
  #isReachable = true;
  #signal: Signal | undefined;

  constructor(account: Account, services: Services) {
    this.account = account;
    this.#services = services;
    this.#untilReachable.resolve();
  }

  /** The phone's Signal encryption, created at the first use. */
  get signal(): Signal {
    this.#signal ??= createSignal(this.account, (companion) => takePreKey(this.#services.world, companion));
    return this.#signal;
  }

  /** The messages that the phone sent or could decrypt, oldest first. Slow, because it converts all of them to JSON. */
  messages(): PhoneMessage[] {
    return this.mailbox.view();
  }

  /** Downloads the file of a message. Throws RangeError when there is no file, Error when the file is unreadable. */
  downloadMedia(id: string): DownloadedFile {
    const { content = {}, chat = '' } = this.mailbox.byId(id) ?? {};
    return download(this.#services.mediaHost, content, isChannel(chat));
  }

  /** Number of received messages; a repeated message counts once. */
  get receivedCount(): number {
    return this.mailbox.receivedCount;
  }

  /** The state of each account that is typing to this phone or recording for it, by number. */
  get typingAccounts(): ReadonlyMap<string, Typing> {
    return this.#typing;
  }

  /** Requests of companions that wait until the phone is reachable, oldest first. */
  get openRequests(): readonly proto.IMessage[] {
    return this.#openRequests;
  }

  /**
   * Resolves with the first result of `check` that is neither undefined nor false. Calls `check` now and after every
   * change of this phone's messages, receipts, typing indicators and open requests.
   */
  waitFor<T>(check: () => T | undefined | false): Promise<T> {
    return this.#condition.waitFor(check);
  }

  /**
   * Sends to a number or a group. Resolves with the message id when the message is queued for every device. Throws
   * RangeError when the number is not on WhatsApp or the draft refers to an unknown message.
   */
  async send(to: string, draft: Draft, options: SendOptions = {}): Promise<string> {
    const { world, groups, groupSender } = this.#services;
    if (to.endsWith('@g.us')) return groupSender.send(this, groups.getAsMember(this.account, to), draft, options.id);
    const recipient = world.account(to);
    const toUserJid = (account: Account) => shownJidOf('pn', account);
    const content = this.compose(draft, { chat: recipient.number, jid: toUserJid(recipient), toUserJid });
    const { id = createMessageId() } = options;
    // The rules are those of SendOptions.addressing.
    const isHidden = this.account.hidesNumber || recipient.hidesNumber;
    const defaultAddressing = this.account.migrated ? 'lid' : 'pn';
    const addressing = isHidden ? 'lid' : (options.addressing ?? defaultAddressing);
    const message = this.#addToMailbox({
      id,
      chat: recipient.number,
      from: this.account.number,
      addressing,
      content,
      raw: draft.raw,
    });
    await Promise.all(Array.from(this.account.companions.values(), (own) => this.#deliver(own, message)));
    if (recipient === this.account || recipient.blocked.has(this.account.number)) return id;
    await Promise.all(Array.from(recipient.companions.values(), (companion) => this.#deliver(companion, message)));
    this.#services.phone(recipient).receiveFromPhone(this.account, message);
    return id;
  }

  /** Creates a group with the people of `numbers` that can be added. Throws GroupError 406 for an invalid subject. */
  createGroup(subject: string, numbers: readonly string[], options: GroupOptions = {}): Group {
    const jids = numbers.map((number) => `${number}@s.whatsapp.net`);
    const [group] = this.#services.groups.create(this.account, subject, jids, options);
    return group;
  }

  /** Receives a message that another phone sent. Phones pass each other messages without encryption. */
  receiveFromPhone(author: Account, { id, addressing, content }: StoredMessage): void {
    this.#addToMailbox({ id, chat: author.number, from: author.number, addressing, content });
    sendReceipt(this.#services, phoneAddress(this.account, addressing), author, [id]);
  }

  /** Sends a companion of this account a message that belongs to no chat, such as the history. */
  async sendPeer(to: Companion, protocolMessage: proto.Message.IProtocolMessage): Promise<void> {
    const id = this.#services.world.nextId();
    this.#peerMessages.set(id, { protocolMessage });
    limitSize(this.#peerMessages, MAX_PEER_MESSAGES);
    await this.#deliverPeer(to, id, { protocolMessage });
  }

  forgetPeerMessages(ids: readonly string[]): void {
    for (const id of ids) this.#peerMessages.delete(id);
  }

  /**
   * Marks the unread messages of a chat (only `ids`, when given) as read and returns their ids. The authors get read
   * receipts unless this account's privacy settings forbid it.
   */
  read(chat: string, ids?: readonly string[]): string[] {
    const messages = this.mailbox.markRead(chat, ids);
    const byAuthor = Map.groupBy(messages, ({ from, addressing }) => `${addressing}|${from}`);
    const group = this.#services.groups.get(chat)?.id;
    const notifyAuthor = this.account.privacy.get('readreceipts') !== 'none';
    for (const sameAuthor of byAuthor.values()) {
      const [first] = sameAuthor;
      if (!first) continue;
      const author = this.#services.world.account(first.from);
      const readIds = sameAuthor.map(({ id }) => id);
      sendReadReceipts(this.#services, phoneAddress(this.account, first.addressing), author, readIds, {
        notifyAuthor,
        group,
      });
    }
    this.#condition.notify();
    return messages.map(({ id }) => id);
  }

  /** Marks messages as read after a companion of this account has read them. Sends no receipts, unlike read(). */
  markRead(chat: string, ids: readonly string[]): void {
    this.mailbox.markRead(chat, ids);
    this.#condition.notify();
  }

  /**
   * Shows a typing indicator of the owner in a chat. Throws RangeError when the number is not on WhatsApp, GroupError
   * when the owner is not in the group.
   */
  setTyping(to: string, state: Typing): void {
    sendTyping(this.#services, this.account, to.endsWith('@g.us') ? to : this.#services.world.account(to), state);
  }

  /** Sets the presence of the phone. The account is available when the phone or a companion is. */
  setPresence(state: Account['presence']): void {
    this.#services.setPresence(this.account, this, state);
  }

  /** Sets whether the phone answers requests of its companions. While it does not, requests wait. */
  setReachable(isReachable: boolean): void {
    if (isReachable) this.#untilReachable.resolve();
    else if (this.#isReachable) this.#untilReachable = Promise.withResolvers();
    this.#isReachable = isReachable;
  }

  recordTyping(author: Account, state: Typing): void {
    if (state === 'paused') this.#typing.delete(author.number);
    else this.#typing.set(author.number, state);
    this.#condition.notify();
  }

  /** Records a receipt for messages that this account sent to `reader`, or to a group. */
  recordReceipt(reader: Account, ids: readonly string[], type: string, group?: string): void {
    const at = this.#services.world.now();
    for (const id of ids) this.mailbox.addReceipt(group ?? reader.number, id, { from: reader.number, type, at });
    this.#condition.notify();
  }

  /** Stores a message. Returns false when it is stored already. */
  store(message: NewMessage): boolean {
    if (this.mailbox.find(message.chat, message.id)) return false;
    this.#addToMailbox(message);
    return true;
  }

  /** Returns the message with this id that this account sent. */
  findSent(chat: string, id: string): StoredMessage | undefined {
    return this.mailbox.findSent(chat, id);
  }

  /** Decrypts the copy of a message that a companion encrypted for this phone. Stores it, or requests it again. */
  async receive(incoming: IncomingMessage, encrypted: Encrypted): Promise<void> {
    const content = await this.#decrypt(incoming, encrypted);
    if (!content) return;
    const { sender, id, to } = incoming;
    const addressing = addressingOf(to);
    if (sender.account !== this.account) {
      if (incoming.isDisplayed(content))
        this.#addToMailbox({ id, chat: sender.account.number, from: sender.account.number, addressing, content });
      sendReceipt(this.#services, phoneAddress(this.account, addressing), sender.account, [id]);
      return;
    }
    // A companion of this account sent its phone a copy of a message to a chat, or a request to the phone itself.
    const copy = content.deviceSentMessage;
    if (incoming.isPeer || !copy?.message || !copy.destinationJid) {
      this.#answerRequest(incoming, copy?.message ?? content);
      return;
    }
    const { world } = this.#services;
    const chat = chatOf(world, copy.destinationJid);
    // A message to the own account can reach the phone twice: as a message and as the copy of a sent message.
    if (!this.store({ id, chat, from: this.account.number, addressing, content: copy.message })) return;
    const from = jidOf(addressing, this.account);
    // Confirms the copy to the companion.
    deliverReceipt(world, sender, { from, ids: [id], type: 'sender', recipient: copy.destinationJid });
  }

  /**
   * Sends a message again to a companion that could not decrypt it. When the retry receipt contains the companion's
   * keys, opens a new Signal session first.
   */
  async resend(to: Companion, receipt: BinaryNode): Promise<void> {
    const { id = '', recipient } = receipt.attrs;
    // A companion of another account gets only messages of the chat with that account.
    const isOwn = to.account === this.account;
    const chat = isOwn && recipient ? chatOf(this.#services.world, recipient) : to.account.number;
    const message = this.mailbox.findSent(chat, id);
    const { keys, count } = readRetryKeys(receipt);
    if (message)
      this.mailbox.addReceipt(chat, id, { from: to.account.number, type: 'retry', at: this.#services.world.now() });
    this.#condition.notify();
    if (keys) await this.signal.reopen(to, keys);
    const peerMessage = isOwn ? this.#peerMessages.get(id) : undefined;
    if (message) await this.#deliver(to, message, count);
    else if (peerMessage) await this.#deliverPeer(to, id, peerMessage, count);
  }

  /** Creates the content of a message to `chat`. Throws RangeError when the draft refers to an unknown message. */
  compose(draft: Draft, chat: ChatAddress): proto.IMessage {
    return compose(this.#services, { account: this.account, mailbox: this.mailbox }, draft, chat);
  }

  #addToMailbox(message: NewMessage): StoredMessage {
    const { groups, mediaHost, world } = this.#services;
    const fromMe = message.from === this.account.number;
    const media = describeFile(mediaHost, message.content, isChannel(message.chat));
    const group = groups.get(message.chat);
    const rights = group && groupRightsOf(group, world.account(message.from));
    const stored = { ...message, media, fromMe, rights, unread: !fromMe, timestamp: world.now(), receipts: [] };
    if (this.mailbox.add(stored)) this.#condition.notify();
    return stored;
  }

  /**
   * Encrypts and queues a message of a direct chat. When the companion has requested the message again, `retryCount` is
   * the number of the request.
   */
  async #deliver(
    to: Companion,
    { id, chat, addressing, content, raw }: StoredMessage,
    retryCount?: string,
  ): Promise<void> {
    const { world } = this.#services;
    const isOwn = to.account === this.account;
    const account = world.account(chat);
    const jid = jidOf(addressing, account);
    const author = phoneAddress(this.account, addressing);
    const address = isOwn ? ownCopyAttributes(author, { jid, account }) : recipientCopyAttributes(author);
    const attrs = { id, ...address, ...stanzaAttributesOf(content), notify: this.account.name };
    // Companions get a notice in place of a view-once message, which only phones can show.
    if (!raw && isViewOnce(content)) return deliverMessage(world, to, attrs, [createUnavailableNode()]);
    const plaintext = isOwn ? deviceSentPlaintextOf({ content, raw }, jid) : plaintextOf({ content, raw });
    const encrypted = await this.signal.encrypt(to, plaintext);
    deliverMessage(world, to, attrs, [
      createEncNode(encrypted, { mediatype: mediatypeOf(content), count: retryCount }),
    ]);
  }

  async #deliverPeer(to: Companion, id: string, content: proto.IMessage, retryCount?: string): Promise<void> {
    const encrypted = await this.signal.encrypt(to, plaintextOf({ content }));
    const attrs = { id, from: pnJid(this.account), type: 'text', category: 'peer' };
    deliverMessage(this.#services.world, to, attrs, [createEncNode(encrypted, { count: retryCount })]);
  }

  /** Decrypts a copy. When the decryption fails, requests the message again and resolves with undefined. */
  async #decrypt(incoming: IncomingMessage, encrypted: Encrypted): Promise<proto.IMessage | undefined> {
    const { sender, id, to } = incoming;
    const key = `${sender.account.number}:${sender.device}|${id}`;
    try {
      const plaintext = await this.signal.decrypt(sender, encrypted);
      const content = proto.Message.decode(unpadRandomMax16(plaintext));
      this.#retryCounts.delete(key);
      return content;
    } catch (err) {
      this.#services.log.debug({ err, id }, 'phone.decryption.failed');
      const count = this.#retryCounts.next(key);
      const request = createRetryRequest(this.#services.world, { id, count, phone: this });
      // After the maximum number of requests, the phone sends no more.
      if (!request) return undefined;
      const isOwn = sender.account === this.account;
      // An account hides its number only from other accounts.
      const from = isOwn ? jidOf(addressingOf(to), this.account) : shownJidOf(addressingOf(to), this.account);
      const receipt = { from, ids: [id], type: 'retry', content: request };
      deliverReceipt(this.#services.world, sender, isOwn ? { ...receipt, recipient: to } : receipt);
      return undefined;
    }
  }

  /** Answers a request of a companion of this account when the phone is reachable. */
  #answerRequest({ sender, id }: IncomingMessage, content: proto.IMessage): void {
    this.#openRequests.push(content);
    this.#condition.notify();
    // The caller must not wait for the answer, because until then the connection would handle no other stanza.
    void this.#untilReachable.promise
      .then(async () => {
        this.#openRequests.splice(this.#openRequests.indexOf(content), 1);
        const answer = answerPeerRequest(this.#services.world, this, content, id);
        if (answer) await this.sendPeer(sender, answer);
      })
      .catch((err: unknown) => this.#services.log.warn({ err, id }, 'phone.request.failed'));
  }
}
