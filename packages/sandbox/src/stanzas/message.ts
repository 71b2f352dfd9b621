// `<message>` from a client: delivers each encrypted copy to its device, a phone or another client.
import {
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  jidDecode,
  type proto,
} from '@whiskeysockets/baileys';
import { isValidDeviceIdentity } from '../adv.ts';
import { deliverMessage, directAuthorAttributes, formOf } from '../delivery.ts';
import { devicesOf, listHash } from '../device-list.ts';
import type { Faults } from '../faults.ts';
import type { Account, Companion, Connection, StanzaHandler } from '../model.ts';
import { attributeName, childBytes, element, SERVER } from '../node.ts';
import type { Services } from '../services.ts';
import { STATUS, StatusRelay } from '../status-relay.ts';
import { isDisplayed } from '../visibility.ts';

interface AddressedCopy {
  /** JID of the device it was encrypted for. */
  to: string;
  enc: BinaryNode;
  type: 'pkmsg' | 'msg';
  ciphertext: Uint8Array;
}

/** What the platform answers to a stanza that it cannot make sense of. */
const MALFORMED = '479';

/** Attributes that travel from the sender's stanza to the receiver's. */
const FORWARDED_ATTRIBUTES = ['type', 'edit', 'category', 'push_priority'] as const;

/**
 * What the platform makes of messages with something to tap (measured by others, see DECISIONS): it refuses the older
 * kinds, which the stanza gives away, and native flows that are announced by half. Undefined: it takes them.
 */
function interactiveRejection(node: BinaryNode, copies: readonly AddressedCopy[]): string | undefined {
  const encrypted = [getBinaryNodeChild(node, 'enc'), ...copies.map(({ enc }) => enc)];
  if (encrypted.some((enc) => enc?.attrs.mediatype === 'list')) return MALFORMED;
  const biz = getBinaryNodeChild(node, 'biz');
  if (getBinaryNodeChild(biz, 'buttons')) return '405';
  const interactive = getBinaryNodeChild(biz, 'interactive');
  return interactive && !getBinaryNodeChild(interactive, 'native_flow') ? MALFORMED : undefined;
}

/** How many copies of a companion are remembered, to tell a repetition. */
const MAX_REMEMBERED_COPIES = 1000;

/** Acknowledges first, like the platform: the ack says that the message was taken, receipts say what became of it. */
export function createMessageHandler(services: Services, faults: Faults): StanzaHandler {
  const taken = new WeakMap<Companion, Set<string>>();
  const statusMail = new StatusRelay(services);

  /**
   * True for a copy that came before, byte for byte: clients repeat a stanza when they do not know whether it arrived.
   * A message that is sent again has the same id, but is encrypted again and therefore ends in another MAC (8 bytes).
   */
  function isRepeated(
    sender: Companion,
    id: string,
    { to, ciphertext }: Pick<AddressedCopy, 'to' | 'ciphertext'>,
  ): boolean {
    const known = taken.get(sender) ?? new Set<string>();
    taken.set(sender, known);
    const key = `${id}|${to}|${Buffer.from(ciphertext.subarray(-8)).toString('hex')}`;
    if (known.has(key)) return true;
    known.add(key);
    const [oldest] = known;
    if (known.size > MAX_REMEMBERED_COPIES && oldest) known.delete(oldest);
    return false;
  }

  /** Encrypted once for the group, and for each device that does not have the sender's key yet. */
  async function takeForGroup(sender: Companion, connection: Connection, node: BinaryNode): Promise<boolean> {
    const { groupRelay, world } = services;
    const { id = '', to = '' } = node.attrs;
    const ciphertext = childBytes(node, 'enc');
    const hasCopies = getBinaryNodeChild(node, 'participants') !== undefined || node.attrs.participant !== undefined;
    const copies = hasCopies ? readCopies(node) : [];
    const readable = ciphertext && copies && hasValidIdentity(sender, node, copies);
    const error = readable
      ? (groupRelay.rejectionCode(sender, node) ??
        interactiveRejection(node, copies) ??
        faults.take('nack', sender.account.number)?.code?.toString())
      : MALFORMED;
    const phash = error ? undefined : groupRelay.correctHash(node);
    connection.send(element('ack', { class: 'message', id, from: to, t: String(world.now()), error, phash }));
    if (error || !ciphertext || isRepeated(sender, id, { to, ciphertext })) return true;
    await groupRelay.relay(sender, node);
    return true;
  }

  /** Encrypted once, and the key for each device that may see it. */
  async function takeStatus(sender: Companion, connection: Connection, node: BinaryNode): Promise<boolean> {
    const { id = '', to = '' } = node.attrs;
    const ciphertext = childBytes(node, 'enc');
    const copies = readCopies(node);
    const readable = ciphertext && copies && hasValidIdentity(sender, node, copies);
    const error = readable ? faults.take('nack', sender.account.number)?.code?.toString() : MALFORMED;
    connection.send(element('ack', { class: 'message', id, from: to, t: String(services.world.now()), error }));
    if (error || !ciphertext || isRepeated(sender, id, { to, ciphertext })) return true;
    await statusMail.relay(sender, node);
    return true;
  }

  return async (connection, node) => {
    const sender = connection.companion;
    const { id, to = '' } = node.attrs;
    if (!sender || !id) return false;
    if (to === STATUS) return takeStatus(sender, connection, node);
    const address = jidDecode(to);
    if (address?.server === 'g.us') return takeForGroup(sender, connection, node);
    if (address?.server === 'newsletter') {
      const code = faults.take('nack', sender.account.number)?.code?.toString();
      const taken = code ? { error: code } : services.channelMessages.receive(sender, node);
      connection.send(element('ack', { class: 'message', id, from: to, t: String(services.world.now()), ...taken }));
      return true;
    }
    if (address && address.server !== 's.whatsapp.net' && address.server !== 'lid') return false;
    const readable = address && readCopies(node);
    const copies = readable && hasValidIdentity(sender, node, readable) ? readable : undefined;
    const error = copies
      ? (interactiveRejection(node, copies) ?? faults.take('nack', sender.account.number)?.code?.toString())
      : MALFORMED;
    const fanout = getBinaryNodeChild(node, 'participants') !== undefined;
    const phash = copies && fanout && !error ? correctedHash(services, sender, node, copies) : undefined;
    const attrs = { class: 'message', id, from: to || SERVER, t: String(services.world.now()), error, phash };
    connection.send(element('ack', attrs));
    if (error || !copies) return true;
    for (const copy of copies) if (!isRepeated(sender, id, copy)) await deliverCopy(services, sender, node, copy);
    return true;
  };
}

/** A message that opens a session must say whose device it comes from. */
function hasValidIdentity(sender: Companion, node: BinaryNode, copies: readonly AddressedCopy[]): boolean {
  if (!copies.some(({ type }) => type === 'pkmsg')) return true;
  const identity = childBytes(node, 'device-identity');
  return identity !== undefined && isValidDeviceIdentity(sender, identity);
}

/**
 * The hash of the devices that should have had a copy, when they are not those that had one or not those that the
 * client says it knows (`phash`): it should ask for the list again.
 */
function correctedHash(
  { world }: Services,
  sender: Companion,
  node: BinaryNode,
  copies: AddressedCopy[],
): string | undefined {
  const { to = '', phash } = node.attrs;
  const chat = world.byJid(to);
  if (!chat) return undefined;
  const accounts = [...new Set([chat, sender.account])];
  const named = ({ number }: Account, device: number) => `${number}:${device}`;
  const expected = accounts.flatMap((account) => devicesOf(account).map((device) => named(account, device)));
  const reached = new Set(
    copies.map((copy) => {
      const account = world.byJid(copy.to);
      return account ? named(account, jidDecode(copy.to)?.device ?? 0) : copy.to;
    }),
  ).add(named(sender.account, sender.device));
  const hash = listHash(accounts, formOf(to));
  const isComplete = reached.size === expected.length && expected.every((device) => reached.has(device));
  return isComplete && (phash === undefined || phash === hash) ? undefined : hash;
}

/**
 * The copies in a stanza; undefined when there are none or one is unreadable. Peer and resent messages carry theirs
 * bare.
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

/** Copies for numbers or devices that do not exist vanish, as on the platform. */
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
    const { id = '', to = '', recipient = to, category } = node.attrs;
    const isShown = (content: proto.IMessage) => isDisplayed(content, node, copy.enc);
    const arrival = { sender, id, to: recipient, isPeer: category === 'peer', isDisplayed: isShown };
    return services.phone(account).receive(arrival, copy);
  }
  const companion = account.companions.get(device);
  if (companion) forward(services, sender, companion, node, copy);
}

function forward(
  { world }: Services,
  sender: Companion,
  to: Companion,
  node: BinaryNode,
  { enc }: AddressedCopy,
): void {
  const { account, device } = sender;
  const jid = node.attrs.recipient ?? node.attrs.to ?? '';
  const chat = to.account === account ? { jid, account: world.byJid(jid) } : undefined;
  const address = directAuthorAttributes({ account, device, form: formOf(jid) }, chat);
  const carried = Object.fromEntries(FORWARDED_ATTRIBUTES.map((name) => [name, node.attrs[name]]));
  const more = ['device-identity', 'biz'].flatMap((tag) => getBinaryNodeChild(node, tag) ?? []);
  const attrs = { id: node.attrs.id, ...address, ...carried, notify: attributeName(account.name) };
  deliverMessage(world, to, attrs, [enc, ...more]);
}
