// Handles `<message>` of clients. Delivers each copy of a message to the device that it is encrypted for: a phone or
// another client.
import { createHash } from 'node:crypto';
import {
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  jidDecode,
  type proto,
} from '@whiskeysockets/baileys';
import { childBytes, element, SERVER } from '../lib/binary-node.ts';
import { limitSize } from '../lib/limit-size.ts';
import type { Services } from '../phone/interfaces.ts';
import { isDisplayed } from '../phone/visibility.ts';
import { isValidDeviceIdentity } from '../world/adv.ts';
import {
  type Addressing,
  addressingOf,
  deliverMessage,
  forwardedElementsOf,
  ownCopyAttributes,
  recipientCopyAttributes,
} from '../world/delivery.ts';
import { deviceListHash, devicesOf } from '../world/device-list.ts';
import type { Faults } from '../world/faults.ts';
import type { Account, Companion, Connection, StanzaHandler, World } from '../world/model.ts';
import { isPeerMessageWithToken, tokenRejection } from './privacy-token.ts';
import type { Restrictions } from './restrictions.ts';
import { STATUS, StatusRelay } from './status-relay.ts';

/** Content that was encrypted for one device. */
interface AddressedCopy {
  /** JID of the device that the content is encrypted for. */
  to: string;
  /** The element with the ciphertext. */
  enc: BinaryNode;
  /** `pkmsg` opens an encrypted session with the device; `msg` belongs to an open session. */
  type: 'pkmsg' | 'msg';
  ciphertext: Uint8Array;
}

/** Maximum number of copies per sending companion (linked device) that rememberIfNew() remembers. */
const MAX_REMEMBERED_COPIES = 1000;

/** WhatsApp's error code for an invalid message stanza. */
const MALFORMED = '479';

/** WhatsApp's error code for a message with buttons, which clients are not allowed to send. */
const BUTTONS_REJECTED = '405';

/** WhatsApp's error code for a message to an address that it does not accept from this sender. */
const WRONG_ADDRESS = 463;

/** Attributes that are copied from the sender's stanza to the recipient's stanza. */
const FORWARDED_ATTRIBUTES = ['type', 'edit', 'category', 'push_priority'] as const;

/**
 * The error code with which WhatsApp rejects interactive messages; undefined when it accepts the message. It rejects
 * lists, buttons, and interactive messages without a `native_flow` element, as other projects have measured.
 */
function interactiveRejection(node: BinaryNode, copies: readonly AddressedCopy[]): string | undefined {
  const encrypted = [getBinaryNodeChild(node, 'enc'), ...copies.map(({ enc }) => enc)];
  if (encrypted.some((enc) => enc?.attrs.mediatype === 'list')) return MALFORMED;
  const biz = getBinaryNodeChild(node, 'biz');
  if (getBinaryNodeChild(biz, 'buttons')) return BUTTONS_REJECTED;
  const interactive = getBinaryNodeChild(biz, 'interactive');
  return interactive && !getBinaryNodeChild(interactive, 'native_flow') ? MALFORMED : undefined;
}

/** Creates the handler of `<message>`. Like WhatsApp, it acknowledges a message first and delivers it afterwards. */
export function createMessageHandler(services: Services, faults: Faults, restrictions: Restrictions): StanzaHandler {
  const rememberedCopies = new WeakMap<Companion, Set<string>>();
  const statusRelay = new StatusRelay(services);

  /**
   * Remembers this ciphertext for this recipient. Returns false when the ciphertext arrived before: clients repeat a
   * stanza when they do not know whether it arrived. After a retry request, a client sends the message with the same id
   * but another ciphertext, so it counts as new.
   */
  function rememberIfNew(
    sender: Companion,
    id: string,
    { to, ciphertext }: Pick<AddressedCopy, 'to' | 'ciphertext'>,
  ): boolean {
    const remembered = rememberedCopies.get(sender) ?? new Set<string>();
    rememberedCopies.set(sender, remembered);
    const key = `${id}|${to}|${createHash('sha256').update(ciphertext).digest('base64')}`;
    if (remembered.has(key)) return false;
    remembered.add(key);
    limitSize(remembered, MAX_REMEMBERED_COPIES);
    return true;
  }

  /** Takes a pending fault `nack` (an error that a test injects) and returns its error code, or undefined. */
  const takeNackCode = ({ account }: Companion): string | undefined =>
    faults.take('nack', account.number)?.code?.toString();

  /**
   * Takes a pending fault that refuses the address of a direct message, and returns its error code; undefined for an
   * accepted address. The fault `lidOnly` refuses the phone number of an account that uses LIDs (`migrated`). A LID is
   * the second address of an account. The fault `pnOnly` refuses the LID of an account that is not `migrated`.
   */
  function addressRejection({ account }: Companion, { attrs }: BinaryNode): string | undefined {
    const chat = chatJidOf(attrs);
    const person = services.world.byJid(chat);
    if (!person || person === account) return undefined;
    const usesLid = addressingOf(chat) === 'lid';
    if (usesLid === person.migrated) return undefined;
    const fault = faults.take(person.migrated ? 'lidOnly' : 'pnOnly', account.number);
    return fault && String(fault.code ?? WRONG_ADDRESS);
  }

  /**
   * Handles a group message, which is encrypted once with the sender key, the author's key for the group. Devices that
   * do not have this key yet get a copy of it.
   */
  async function handleGroupMessage(sender: Companion, connection: Connection, node: BinaryNode): Promise<boolean> {
    const { groupRelay, world } = services;
    const { id = '', to = '' } = node.attrs;
    const ciphertext = readGroupCiphertext(node);
    // A message for devices that all have the sender key contains no copies.
    const hasCopies = getBinaryNodeChild(node, 'participants') !== undefined || node.attrs.participant !== undefined;
    const copies = hasCopies ? readCopies(node) : [];
    const isValid = ciphertext && copies && hasValidIdentity(sender, node, copies);
    const error = isValid
      ? (groupRelay.rejectionCode(sender, node) ?? interactiveRejection(node, copies) ?? takeNackCode(sender))
      : MALFORMED;
    const phash = error ? undefined : groupRelay.hashCorrection(node);
    connection.send(element('ack', { class: 'message', id, from: to, t: String(world.now()), error, phash }));
    const recipient = node.attrs.participant ?? to;
    if (error || !ciphertext || !rememberIfNew(sender, id, { to: recipient, ciphertext })) return true;
    await groupRelay.relay(sender, node);
    return true;
  }

  /**
   * Handles a status (a post for 24 hours), which is encrypted once with a sender key. Each device of a reader gets a
   * copy of this key. A status has no `addressing_mode`.
   */
  async function handleStatus(sender: Companion, connection: Connection, node: BinaryNode): Promise<boolean> {
    const { id = '', to = '' } = node.attrs;
    const ciphertext = readGroupCiphertext(node);
    const copies = readCopies(node);
    const isValid = ciphertext && copies && hasValidIdentity(sender, node, copies) && !node.attrs.addressing_mode;
    const error = isValid ? takeNackCode(sender) : MALFORMED;
    connection.send(element('ack', { class: 'message', id, from: to, t: String(services.world.now()), error }));
    const recipient = node.attrs.participant ?? to;
    if (error || !ciphertext || !rememberIfNew(sender, id, { to: recipient, ciphertext })) return true;
    await statusRelay.relay(sender, node);
    return true;
  }

  // Resolves with false for a stanza that it does not handle. The router records such a stanza.
  return async function handleMessage(connection, node) {
    const sender = connection.companion;
    const { id, to = '' } = node.attrs;
    if (!sender || !id) return false;
    if (to === STATUS) return handleStatus(sender, connection, node);
    const address = jidDecode(to);
    if (address?.server === 'g.us') return handleGroupMessage(sender, connection, node);
    if (address?.server === 'newsletter') {
      const error = takeNackCode(sender);
      const ackAttrs = error ? { error } : services.channelMessages.receive(sender, node);
      connection.send(element('ack', { class: 'message', id, from: to, t: String(services.world.now()), ...ackAttrs }));
      return true;
    }
    if (address && address.server !== 's.whatsapp.net' && address.server !== 'lid') return false;
    const copies = address && readCopies(node);
    const isValid =
      copies &&
      hasValidIdentity(sender, node, copies) &&
      hasValidPeerAddress(services.world, node) &&
      !isPeerMessageWithToken(node);
    // Each check returns an error code for a message that it rejects. The first code is sent.
    const error = isValid
      ? (interactiveRejection(node, copies) ??
        takeNackCode(sender) ??
        addressRejection(sender, node) ??
        tokenRejection(services.world, faults, sender.account, node) ??
        restrictions.admit(sender.account, services.phone(sender.account).mailbox, node))
      : MALFORMED;
    const isForAllDevices = getBinaryNodeChild(node, 'participants') !== undefined;
    const phash = copies && isForAllDevices && !error ? computeCorrectHash(services, sender, node, copies) : undefined;
    const attrs = { class: 'message', id, from: to || SERVER, t: String(services.world.now()), error, phash };
    connection.send(element('ack', attrs));
    if (error || !copies) return true;
    for (const copy of copies) if (rememberIfNew(sender, id, copy)) await deliverCopy(services, sender, node, copy);
    return true;
  };
}

/**
 * The JID of the chat of a direct message. A message that is sent again to a device of the sender's own account has
 * that device in `to` and the chat in `recipient`.
 */
const chatJidOf = ({ recipient, to = '' }: BinaryNode['attrs']): string => recipient ?? to;

/**
 * Whether `peer_recipient_pn` and `peer_recipient_lid`, if present, are addresses of the recipient. In these
 * attributes, a client can give the recipient's second address to the other devices of its own account.
 */
function hasValidPeerAddress(world: World, { attrs }: BinaryNode): boolean {
  const recipient = world.byJid(chatJidOf(attrs));
  const { peer_recipient_pn: pn, peer_recipient_lid: lid } = attrs;
  const isValid = (jid: string | undefined, addressing: Addressing) =>
    jid === undefined || (addressingOf(jid) === addressing && world.byJid(jid) === recipient);
  return isValid(pn, 'pn') && isValid(lid, 'lid');
}

/** Whether a message that opens a session proves which account its sending device belongs to. */
function hasValidIdentity(sender: Companion, node: BinaryNode, copies: readonly AddressedCopy[]): boolean {
  if (!copies.some(({ type }) => type === 'pkmsg')) return true;
  const identity = childBytes(node, 'device-identity');
  return identity !== undefined && isValidDeviceIdentity(sender, identity);
}

/**
 * Compares the devices that the client encrypted for, and its hash of them (`phash`), with the devices of both
 * accounts. Undefined when both match; otherwise the correct hash, from which the client notices that its device list
 * is outdated.
 */
function computeCorrectHash(
  { world }: Services,
  sender: Companion,
  node: BinaryNode,
  copies: AddressedCopy[],
): string | undefined {
  const { to = '', phash } = node.attrs;
  const recipient = world.byJid(to);
  if (!recipient) return undefined;
  const accounts = [...new Set([recipient, sender.account])];
  const keyOf = ({ number }: Account, device: number) => `${number}:${device}`;
  const expected = accounts.flatMap((account) => devicesOf(account).map((device) => keyOf(account, device)));
  const keyOfCopy = (copy: AddressedCopy) => {
    const account = world.byJid(copy.to);
    return account ? keyOf(account, jidDecode(copy.to)?.device ?? 0) : copy.to;
  };
  // The sending device needs no copy.
  const actual = new Set([...copies.map(keyOfCopy), keyOf(sender.account, sender.device)]);
  const hash = deviceListHash(accounts, addressingOf(to));
  const isComplete = actual.size === expected.length && expected.every((device) => actual.has(device));
  return isComplete && (phash === undefined || phash === hash) ? undefined : hash;
}

/**
 * The ciphertext of a group message or status; undefined when it is missing or malformed. It is encrypted with the
 * author's sender key, or for one device when the message is sent again to that device (`participant`).
 */
function readGroupCiphertext(node: BinaryNode): Uint8Array | undefined {
  const { v, type } = getBinaryNodeChild(node, 'enc')?.attrs ?? {};
  const isExpectedType = node.attrs.participant ? type === 'pkmsg' || type === 'msg' : type === 'skmsg';
  return v === '2' && isExpectedType ? childBytes(node, 'enc') : undefined;
}

/**
 * The encrypted copies in a stanza; undefined when there are none or one is malformed. A message to the client's own
 * phone alone, and a message that is sent again, have a single copy outside of `<participants>`.
 */
function readCopies(node: BinaryNode): AddressedCopy[] | undefined {
  const participants = getBinaryNodeChild(node, 'participants');
  const addressed = participants
    ? getBinaryNodeChildren(participants, 'to').map((to) => ({ to: to.attrs.jid, enc: getBinaryNodeChild(to, 'enc') }))
    : [{ to: node.attrs.participant ?? node.attrs.to, enc: getBinaryNodeChild(node, 'enc') }];
  const copies: AddressedCopy[] = [];
  for (const { to, enc } of addressed) {
    const type = enc?.attrs.type;
    if (!to || enc?.attrs.v !== '2' || !(enc.content instanceof Uint8Array) || (type !== 'pkmsg' && type !== 'msg'))
      return undefined;
    copies.push({ to, enc, type, ciphertext: enc.content });
  }
  return copies.length > 0 ? copies : undefined;
}

/** Delivers one copy to its phone or companion. Like WhatsApp, it drops copies for unknown numbers and devices. */
async function deliverCopy(
  services: Services,
  sender: Companion,
  node: BinaryNode,
  copy: AddressedCopy,
): Promise<void> {
  const { world } = services;
  const account = world.byJid(copy.to);
  if (!account || account.blocked.has(sender.account.number)) return;
  const device = jidDecode(copy.to)?.device ?? 0;
  if (device === 0) {
    const { id = '', category } = node.attrs;
    const incoming = {
      sender,
      id,
      to: chatJidOf(node.attrs),
      isPeer: category === 'peer',
      isDisplayed: (content: proto.IMessage) => isDisplayed(content, node, copy.enc),
    };
    return services.phone(account).receive(incoming, copy);
  }
  const companion = account.companions.get(device);
  if (companion) forward(services, sender, companion, node, copy);
}

/** Delivers one copy to a companion. */
function forward(
  { world }: Services,
  sender: Companion,
  to: Companion,
  node: BinaryNode,
  { enc }: AddressedCopy,
): void {
  const { account, device } = sender;
  const jid = chatJidOf(node.attrs);
  const author = { account, device, addressing: addressingOf(jid) };
  const isOwn = to.account === account;
  const address = isOwn
    ? ownCopyAttributes(author, { jid, account: world.byJid(jid) })
    : recipientCopyAttributes(author);
  const forwarded = Object.fromEntries(FORWARDED_ATTRIBUTES.map((name) => [name, node.attrs[name]]));
  const attrs = { id: node.attrs.id, ...address, ...forwarded, notify: account.name };
  deliverMessage(world, to, attrs, [enc, ...forwardedElementsOf(node)]);
}
