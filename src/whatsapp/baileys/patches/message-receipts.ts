// Handles, in place of Baileys, the receipts that only report a status: delivered, read, played. Decision D-143.
// Why: a message to a group is answered with a receipt from each member. For each receipt Baileys locks two mutexes,
//   passes the status through its event buffer, and encodes the acknowledgment byte by byte. Another device of the
//   account confirms its copy of a group message with a receipt of the type `sender`. Baileys treats this receipt as a
//   read receipt.
// Upstream: not reported.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: Baileys encodes stanzas into one buffer and handles receipts without mutexes, or a benchmark with many
//   receipts shows no difference; and Baileys sets no `readTimestamp` for receipts of the type `sender`.
import {
  type BinaryNode,
  buildAckStanza,
  getStatusFromReceiptType,
  isJidGroup,
  jidNormalizedUser,
  type MessageUserReceiptUpdate,
  proto,
  type WAMessageUpdate,
} from '../library.ts';
import { childrenOf, STATUS_JID } from '../stanza.ts';
import { type StanzaHooks, takeListener } from '../stanza-listener.ts';
import { writeStanza } from '../stanza-query.ts';
import type { Socket } from '../types.ts';
import { type AccountAddresses, isOwnReceipt } from './receipt-recipients.ts';

const RECEIPT_EVENT = 'CB:receipt';
const { DELIVERY_ACK } = proto.WebMessageInfo.Status;

export interface MessageReceiptHooks extends StanzaHooks {
  /** Returns the linked account; undefined before pairing. */
  account: () => AccountAddresses | undefined;
  /**
   * Called when a receipt arrives, with the ids of the messages whose status it reports. The events of the receipt can
   * follow later, because Baileys handles the receipts from the time in which the device was offline one after another.
   */
  onReceipt: (messageIds: readonly string[]) => void;
  /**
   * Called with the receipt of another account for one message to a group, or for a status post. Returns false when an
   * earlier receipt had the same effect: this receipt then causes no event. Otherwise records the receipt, whose event
   * is emitted at once, and returns true.
   */
  recordIfRelevant: (receipt: MessageUserReceiptUpdate) => boolean;
}

type ReceiptSocket = Pick<Socket, 'ev' | 'logger' | 'sendNode' | 'sendRawMessage' | 'ws'>;

/**
 * Handles receipts before the listener of retry-receipts.ts gets them, and acknowledges each one after its events are
 * stored. Passes three kinds of receipts on to that listener:
 * - requests for a message (type `retry`);
 * - receipts without an id or a sender, which the listener passes on to Baileys;
 * - receipts from the time in which the device was offline, which the listener passes on to Baileys too, because
 *   Baileys handles them in order. Receipts for an own copy (isForOwnCopy) are an exception: they have no events, so
 *   their order does not matter.
 */
export function patchMessageReceipts(
  socket: ReceiptSocket,
  { waitForEvents, onFailure, account, onReceipt, recordIfRelevant }: MessageReceiptHooks,
): void {
  const { ev, ws } = socket;
  const handle = async (stanza: BinaryNode): Promise<void> => {
    const isOwn = isOwnReceipt(stanza.attrs, account());
    const { inChat, ofMembers } = updatesIn(stanza, isOwn);
    const [first, ...others] = ofMembers;
    const isRedundant = first !== undefined && others.length === 0 && !isOwn && !recordIfRelevant(first);
    if (!isRedundant) {
      // Emits the buffered events first. The status then follows the messages that arrived before it, and the buffer
      // does not merge it into them.
      ev.flush();
      if (inChat.length > 0) ev.emit('messages.update', inChat);
      if (ofMembers.length > 0) ev.emit('message-receipt.update', ofMembers);
    }
    // A redundant receipt waits too: the events of the earlier receipt with the same effect must be stored first.
    await waitForEvents();
    await writeStanza(socket, buildAckStanza(stanza));
  };
  const retryReceiptListener = takeListener(ws, RECEIPT_EVENT);
  ws.on(RECEIPT_EVENT, (stanza: BinaryNode) => {
    const { id, from, type, offline } = stanza.attrs;
    if (statusIn(stanza.attrs) !== undefined) onReceipt(messageIdsIn(stanza));
    const needsOrder = Boolean(offline) && !isForOwnCopy(stanza.attrs);
    if (!id || !from || needsOrder || type === 'retry') return retryReceiptListener(stanza);
    return handle(stanza).catch(onFailure);
  });
}

/** True when another device of the account confirms its copy of a message to a group, or of a status post. */
const isForOwnCopy = ({ type, participant }: BinaryNode['attrs']): boolean =>
  type === 'sender' && participant !== undefined;

/** Returns the status that a receipt reports. Undefined for a receipt for an own copy or of an unknown type. */
const statusIn = (attrs: BinaryNode['attrs']) =>
  isForOwnCopy(attrs) ? undefined : getStatusFromReceiptType(attrs.type);

/** Returns the ids of the messages that a receipt is about. */
export function messageIdsIn({ attrs, content }: BinaryNode): string[] {
  const list = Array.isArray(content) && content[0] ? childrenOf(content[0], 'item') : [];
  return [attrs, ...list.map((item) => item.attrs)].map(({ id = '' }) => id);
}

/** The updates that a receipt reports, one per message. Only one of the lists has members. */
interface StatusUpdates {
  /** Updates of messages in a chat with one person. */
  inChat: WAMessageUpdate[];
  /** Updates of messages to a group, by a receipt of one of its members, and of status posts. */
  ofMembers: MessageUserReceiptUpdate[];
}

/** Returns what handleReceipt() of Baileys emits. A receipt for an own copy has no updates. */
function updatesIn(stanza: BinaryNode, isOwn: boolean): StatusUpdates {
  const updates: StatusUpdates = { inChat: [], ofMembers: [] };
  const status = statusIn(stanza.attrs);
  if (status === undefined) return updates;
  const { from = '', participant, recipient, type, t } = stanza.attrs;
  const remoteJid = !isOwn || isJidGroup(from) ? from : recipient;
  const fromMe = !recipient || (type === 'sender' && isOwn);
  const keys = messageIdsIn(stanza).map((id) => ({ remoteJid, id, fromMe, participant }));
  const seconds = Number(t ?? 0);
  if (!isJidGroup(remoteJid) && remoteJid !== STATUS_JID) {
    updates.inChat = keys.map((key) => ({ key, update: { status, messageTimestamp: seconds } }));
  } else if (participant) {
    const time = status === DELIVERY_ACK ? { receiptTimestamp: seconds } : { readTimestamp: seconds };
    const userJid = jidNormalizedUser(participant);
    updates.ofMembers = keys.map((key) => ({ key, receipt: { userJid, ...time } }));
  }
  return updates;
}
