// `<receipt>` and `<ack>` from a client: remove stanzas from its queue, and forward receipts to the authors of the
// messages.
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren, jidDecode } from '@whiskeysockets/baileys';
import { deliverReceipt, dropMessage, formOf, jidOf, queueKeyOf } from '../delivery.ts';
import type { Companion, StanzaHandler } from '../model.ts';
import { element } from '../node.ts';
import { announceReceipt, reportReading, type Services } from '../services.ts';
import { STATUS } from '../status-relay.ts';
import { answerMediaRetry } from './media.ts';

/** Receipts about messages between an account's own devices: they are not forwarded to other accounts. */
const OWN_DEVICE_TYPES = new Set(['peer_msg', 'hist_sync']);

export function createReceiptHandlers(services: Services): { receipt: StanzaHandler; ack: StanzaHandler } {
  const { world } = services;
  /**
   * Messages that a client asked for again: its ack of the unreadable copy comes after that and must not drop the new
   * one.
   */
  const askedAgain = new WeakMap<Companion, Set<string>>();

  const receipt: StanzaHandler = async (connection, node) => {
    const reader = connection.companion;
    const { id, to, participant, type } = node.attrs;
    if (!reader || !id || !to) return false;
    const ids = idsOf(node, id);
    for (const each of ids) dropMessage(world, reader, { id: each, from: to, participant });
    connection.send(element('ack', { class: 'receipt', id, from: to, participant, type }));
    if (type === 'retry') {
      const asked = askedAgain.get(reader) ?? new Set();
      askedAgain.set(reader, asked.add(id));
      await forwardRetryRequest(services, reader, node);
    } else if (type === 'server-error') answerMediaRetry(services, reader, node);
    else if (type === 'sender') forwardSenderReceipt(services, reader, node, ids);
    else if (!type || !OWN_DEVICE_TYPES.has(type)) forwardReceipt(services, reader, node.attrs, ids);
    return true;
  };

  const ack: StanzaHandler = async (connection, node) => {
    const companion = connection.companion;
    const { class: tag, id, to, participant, type } = node.attrs;
    if (!companion || !tag || !id) return false;
    if (tag !== 'message') world.acknowledge(companion, queueKeyOf(tag, { id, from: to, participant, type }));
    else if (!askedAgain.get(companion)?.delete(id)) dropMessage(world, companion, { id, from: to, participant });
    return true;
  };

  return { receipt, ack };
}

function idsOf(node: BinaryNode, first: string): string[] {
  const list = getBinaryNodeChild(node, 'list');
  const more = list ? getBinaryNodeChildren(list, 'item') : [];
  return [first, ...more.flatMap(({ attrs }) => attrs.id ?? [])];
}

/** `inactive` says that the reader's owner is away; the author sees a plain delivery. */
function forwardReceipt(services: Services, reader: Companion, attrs: BinaryNode['attrs'], ids: string[]): void {
  const { to = '', type } = attrs;
  const shared = services.groups.get(to)?.id ?? (to === STATUS ? to : undefined);
  const address = shared ? (attrs.participant ?? '') : to;
  const author = services.world.byJid(address);
  if (!author) return;
  const { account, device } = reader;
  const sender = { account, device, form: formOf(address) };
  if (type === 'read' || type === 'read-self') {
    services.phone(account).markRead(shared ?? author.number, ids);
    reportReading(services, sender, author, ids, { isShared: type === 'read', group: shared });
  } else announceReceipt(services, sender, author, ids, type === 'played' ? type : undefined, shared);
}

/** A companion has the copy that another device of the account sent it; that device hears of it. */
function forwardSenderReceipt({ world }: Services, reader: Companion, { attrs }: BinaryNode, ids: string[]): void {
  const { to = '', recipient, type } = attrs;
  const device = world.companion(to);
  const from = jidOf(formOf(to), reader.account, reader.device);
  if (device?.account === reader.account) deliverReceipt(world, device, { from, ids, type, recipient });
}

/** A retry request concerns the device that sent the message and no other. */
async function forwardRetryRequest(services: Services, reader: Companion, node: BinaryNode): Promise<void> {
  const { world, phone, groups, groupSender, log } = services;
  const { id = '', to: chat = '', recipient } = node.attrs;
  const group = groups.get(chat)?.id;
  const to = group ? (node.attrs.participant ?? '') : chat;
  const author = world.byJid(to);
  if (!author) return;
  const device = jidDecode(to)?.device ?? 0;
  if (device === 0) {
    const sent = phone(author);
    // Keys that do not fit are the client's fault: the platform shrugs, and so does the phone.
    await (group ? groupSender.resend(sent, reader, node) : sent.resend(reader, node)).catch((err: unknown) =>
      log.warn({ err }, 'phone.resend.refused'),
    );
    return;
  }
  const companion = author.companions.get(device);
  const content = Array.isArray(node.content) ? node.content : [];
  const jid = jidOf(formOf(to), reader.account, reader.device);
  const from = group ?? jid;
  const participant = group && jid;
  if (companion) deliverReceipt(world, companion, { from, participant, ids: [id], type: 'retry', recipient, content });
}
