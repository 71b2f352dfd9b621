// Handles `<receipt>` and `<ack>` of clients (companions, the linked devices of an account). Removes the acknowledged
// stanzas from the client's queue, which keeps each stanza until the client acknowledges it. Forwards receipts to the
// authors of the messages.
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren, jidDecode } from '@whiskeysockets/baileys';
import { element } from '../lib/binary-node.ts';
import { limitSize } from '../lib/limit-size.ts';
import type { Services } from '../phone/interfaces.ts';
import { sendReadReceipts, sendReceipt } from '../phone/receipts.ts';
import { addressingOf, deliverReceipt, dropMessage, jidOf, shownJidOf } from '../world/delivery.ts';
import type { Companion, StanzaHandler } from '../world/model.ts';
import { queueKey } from '../world/world.ts';
import { answerMediaRetry } from './media.ts';
import { STATUS } from './status-relay.ts';

/**
 * Types of receipts for messages that a phone sends to its own clients, such as the history. They are not forwarded.
 */
const OWN_DEVICE_TYPES = new Set(['peer_msg', 'hist_sync']);

/** Maximum number of remembered retry requests per client. */
const MAX_RETRY_REQUESTS = 1000;

export function createReceiptHandlers(services: Services): { receipt: StanzaHandler; ack: StanzaHandler } {
  const { world } = services;
  /**
   * Ids of the messages that each client requested again. After the request, the client acknowledges the copy that it
   * could not decrypt; this ack must not remove the new copy, which has the same key, from the queue.
   */
  const retryRequests = new WeakMap<Companion, Set<string>>();

  const receipt: StanzaHandler = async (connection, node) => {
    const reader = connection.companion;
    const { id, to, participant, type } = node.attrs;
    if (!reader || !id || !to) return false;
    const ids = idsOf(node, id);
    for (const each of ids) dropMessage(world, reader, { id: each, from: to, participant });
    connection.send(element('ack', { class: 'receipt', id, from: to, participant, type }));
    if (type === 'retry') {
      const requested = retryRequests.get(reader) ?? new Set();
      retryRequests.set(reader, requested.add(id));
      limitSize(requested, MAX_RETRY_REQUESTS);
      await forwardRetryRequest(services, reader, node);
    } else if (type === 'server-error') answerMediaRetry(services, reader, node);
    else if (type === 'sender') forwardSenderReceipt(services, reader, node, ids);
    else if (type && OWN_DEVICE_TYPES.has(type)) services.phone(reader.account).forgetPeerMessages(ids);
    else forwardReceipt(services, reader, node.attrs, ids);
    return true;
  };

  const ack: StanzaHandler = async (connection, node) => {
    const companion = connection.companion;
    const { class: tag, id, to, participant, type } = node.attrs;
    if (!companion || !tag || !id) return false;
    // The queue key of a call contains no type, because its stanza has none. The ack of some clients names the kind of
    // signal as the type, for example `offer`.
    const queuedType = tag === 'call' ? undefined : type;
    if (tag !== 'message') world.acknowledge(companion, queueKey(tag, { id, from: to, participant, type: queuedType }));
    else if (!retryRequests.get(companion)?.delete(id)) dropMessage(world, companion, { id, from: to, participant });
    return true;
  };

  return { receipt, ack };
}

/** All ids that a receipt confirms: `first`, the id of the stanza, and those in its `<list>`. */
function idsOf(node: BinaryNode, first: string): string[] {
  const list = getBinaryNodeChild(node, 'list');
  const more = list ? getBinaryNodeChildren(list, 'item') : [];
  return [first, ...more.flatMap(({ attrs }) => attrs.id ?? [])];
}

/** Returns the JID when `to` is the address of a group or of the status list, undefined when it is a direct chat. */
const groupOf = ({ groups }: Services, to: string) => groups.get(to)?.id ?? (to === STATUS ? to : undefined);

/**
 * Forwards a receipt to the author of the messages. The author does not get a receipt of the type `read-self`. Types
 * other than `read`, `read-self` and `played` become delivery receipts: `inactive`, for example, is the delivery
 * receipt of a client that is not shown as available.
 */
function forwardReceipt(services: Services, reader: Companion, attrs: BinaryNode['attrs'], ids: string[]): void {
  const { to = '', type } = attrs;
  const group = groupOf(services, to);
  const authorJid = group ? (attrs.participant ?? '') : to;
  const author = services.world.byJid(authorJid);
  if (!author) return;
  const { account, device } = reader;
  const readerAddress = { account, device, addressing: addressingOf(authorJid) };
  if (type === 'read' || type === 'read-self') {
    services.phone(account).markRead(group ?? author.number, ids);
    sendReadReceipts(services, readerAddress, author, ids, { notifyAuthor: type === 'read', group });
  } else sendReceipt(services, readerAddress, author, ids, { type: type === 'played' ? type : undefined, group });
}

/**
 * Forwards a receipt of the type `sender` to another client of the same account. With this receipt, a client confirms
 * that it got its copy of a message that the other client sent.
 */
function forwardSenderReceipt({ world }: Services, reader: Companion, { attrs }: BinaryNode, ids: string[]): void {
  const { to = '', recipient, type } = attrs;
  const sender = world.companion(to);
  const from = jidOf(addressingOf(to), reader.account, reader.device);
  if (sender?.account === reader.account) deliverReceipt(world, sender, { from, ids, type, recipient });
}

/** Forwards a retry request to the device that sent the message: a phone, which sends it again, or a client. */
async function forwardRetryRequest(services: Services, reader: Companion, node: BinaryNode): Promise<void> {
  const { world, phone, groupSender, log } = services;
  const { id = '', to: chat = '', recipient } = node.attrs;
  const group = groupOf(services, chat);
  const authorJid = group ? (node.attrs.participant ?? '') : chat;
  const author = world.byJid(authorJid);
  if (!author) return;
  const device = jidDecode(authorJid)?.device ?? 0;
  if (device === 0) {
    const sender = phone(author);
    // Wrong keys in the receipt are the client's error and must not close its connection.
    await (group ? groupSender.resend(sender, reader, node) : sender.resend(reader, node)).catch((err: unknown) =>
      log.warn({ err }, 'phone.resend.failed'),
    );
    return;
  }
  const companion = author.companions.get(device);
  const content = Array.isArray(node.content) ? node.content : [];
  // Only the reader's own account sees a phone number that the account hides from others.
  const toReaderJid = author === reader.account ? jidOf : shownJidOf;
  const readerJid = toReaderJid(addressingOf(authorJid), reader.account, reader.device);
  const from = group ?? readerJid;
  const participant = group && readerJid;
  if (companion) deliverReceipt(world, companion, { from, participant, ids: [id], type: 'retry', recipient, content });
}
