// The server's side of the `<receipt>` and `<ack>` that clients send for stanzas. Removes the acknowledged stanzas from
// the client's queue, which keeps each stanza until the client acknowledges it. Forwards receipts to the authors of the
// messages. A Companion is the server's record of a client, and `reader` is the Companion that sent the receipt.
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
 * Types of receipts for peer messages: those of a phone to clients of its own account, such as the history. The server
 * does not forward these receipts.
 */
const PEER_RECEIPT_TYPES = new Set(['peer_msg', 'hist_sync']);

/** Maximum number of remembered retry requests per client. */
const MAX_RETRY_REQUESTS = 1000;

export function createReceiptHandlers(services: Services): { receipt: StanzaHandler; ack: StanzaHandler } {
  const { world } = services;
  /**
   * Ids of the messages that each client requested again. After the request, the client acknowledges the copy that it
   * could not decrypt. This ack must not remove the new copy, which has the same queue key.
   */
  const retryRequests = new WeakMap<Companion, Set<string>>();

  const receipt: StanzaHandler = async (connection, node) => {
    const reader = connection.companion;
    const { id, to, participant, type } = node.attrs;
    if (!reader || !id || !to) return false;
    const ids = idsOf(node, id);
    // `to` of the receipt is `from` of the messages that it confirms.
    for (const messageId of ids) dropMessage(world, reader, { id: messageId, from: to, participant });
    connection.send(element('ack', { class: 'receipt', id, from: to, participant, type }));
    if (type === 'retry') {
      const requested = retryRequests.get(reader) ?? new Set();
      retryRequests.set(reader, requested.add(id));
      limitSize(requested, MAX_RETRY_REQUESTS);
      await forwardRetryRequest(services, reader, node);
    } else if (type === 'server-error') answerMediaRetry(services, reader, node);
    else if (type === 'sender') forwardSenderReceipt(services, reader, node, ids);
    else if (type && PEER_RECEIPT_TYPES.has(type)) services.phone(reader.account).forgetPeerMessages(ids);
    else forwardReceipt(services, reader, node.attrs, ids);
    return true;
  };

  const ack: StanzaHandler = async (connection, node) => {
    const companion = connection.companion;
    const { class: tag, id, to, participant, type } = node.attrs;
    if (!companion || !tag || !id) return false;
    if (tag === 'message') {
      const isForOldCopy = retryRequests.get(companion)?.delete(id) ?? false;
      if (!isForOldCopy) dropMessage(world, companion, { id, from: to, participant });
      return true;
    }
    // `<call>` has no type, so its queue key contains none. Some clients set the type of the ack to the tag of the
    // child of `<call>`, for example `offer`.
    const queuedType = tag === 'call' ? undefined : type;
    world.acknowledge(companion, queueKey(tag, { id, from: to, participant, type: queuedType }));
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

/** Returns the JID of the group or of the status list that `to` names; undefined when `to` names another chat. */
const groupOf = ({ groups }: Services, to: string) => groups.get(to)?.id ?? (to === STATUS ? to : undefined);

/**
 * Forwards a receipt to the author of the messages. The type `read-self` goes only to the reader's other clients: the
 * author must not learn that the messages were read. Types other than `read`, `read-self` and `played` become delivery
 * receipts: `inactive`, for example, is the delivery receipt of a client that is not shown as available.
 */
function forwardReceipt(services: Services, reader: Companion, attrs: BinaryNode['attrs'], ids: string[]): void {
  const { to = '', type } = attrs;
  const group = groupOf(services, to);
  const authorJid = group ? (attrs.participant ?? '') : to;
  const author = services.world.byJid(authorJid);
  if (!author) return;
  const { account, device } = reader;
  // The author gets the reader's address in the form in which the reader addressed the author.
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
  const authorCompanion = author.companions.get(device);
  if (!authorCompanion) return;
  const content = Array.isArray(node.content) ? node.content : [];
  const addressing = addressingOf(authorJid);
  // An account that hides its number hides it from other accounts only, not from its own devices.
  const readerJid =
    author === reader.account
      ? jidOf(addressing, reader.account, reader.device)
      : shownJidOf(addressing, reader.account, reader.device);
  const from = group ?? readerJid;
  const participant = group && readerJid;
  deliverReceipt(world, authorCompanion, { from, participant, ids: [id], type: 'retry', recipient, content });
}
