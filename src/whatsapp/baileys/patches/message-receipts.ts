// Handles receipts that only report a status (delivered, read, played) in place of Baileys. Decision D-143.
// Why: a message to a group is answered with a receipt of each member. For each of them Baileys locks two mutexes,
//   passes the status through its event buffer, and encodes the acknowledgment byte by byte. And Baileys takes the
//   receipt with which another device of the account confirms its copy of a group message for a read receipt.
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
   * Called with the ids of the messages whose status a receipt reports, when the receipt arrives. Its events can follow
   * later: Baileys handles the receipts of the time in which the device was offline one by one.
   */
  onReceipt: (messageIds: readonly string[]) => void;
  /**
   * Called with the receipt of another account for one message to a group, or for a status. False when an earlier
   * receipt had the same effect: this one then has no event. After true, the event follows in the same call.
   */
  isRelevant: (receipt: MessageUserReceiptUpdate) => boolean;
}

type ReceiptSocket = Pick<Socket, 'ev' | 'logger' | 'sendNode' | 'sendRawMessage' | 'ws'>;

/**
 * Takes receipts away from the listener of retry-receipts.ts, and acknowledges each one after its events are stored.
 * That listener keeps three kinds of receipts: requests for a message (type `retry`), receipts without an id or a
 * sender, and receipts of the time in which the device was offline, which Baileys handles in order. It passes the last
 * two on to Baileys. A receipt for an own copy (isForOwnCopy) is always handled here: it has no events, so its order
 * does not matter.
 */
export function patchMessageReceipts(
  socket: ReceiptSocket,
  { waitForEvents, onFailure, account, onReceipt, isRelevant }: MessageReceiptHooks,
): void {
  const { ev, ws } = socket;
  const handle = async (stanza: BinaryNode): Promise<void> => {
    const isOwn = isOwnReceipt(stanza.attrs, account());
    const { inChat, ofMembers } = updatesIn(stanza, isOwn);
    const [first, ...others] = ofMembers;
    const isRedundant = first !== undefined && others.length === 0 && !isOwn && !isRelevant(first);
    if (!isRedundant) {
      // Emits what is buffered, so that the status comes after a message that was received before, and is not merged.
      ev.flush();
      if (inChat.length > 0) ev.emit('messages.update', inChat);
      if (ofMembers.length > 0) ev.emit('message-receipt.update', ofMembers);
    }
    // Also for a redundant receipt: the events of the earlier one with the same effect must be stored first.
    await waitForEvents();
    await writeStanza(socket, buildAckStanza(stanza));
  };
  const nextListener = takeListener(ws, RECEIPT_EVENT);
  ws.on(RECEIPT_EVENT, (stanza: BinaryNode) => {
    const { id, from, type, offline } = stanza.attrs;
    if (statusIn(stanza.attrs) !== undefined) onReceipt(messageIdsIn(stanza));
    const needsOrder = Boolean(offline) && !isForOwnCopy(stanza.attrs);
    if (!id || !from || needsOrder || type === 'retry') return nextListener(stanza);
    return handle(stanza).catch(onFailure);
  });
}

/** True when another device of the account confirms that it got its copy of a message to a group, or of a status. */
const isForOwnCopy = ({ type, participant }: BinaryNode['attrs']): boolean =>
  type === 'sender' && participant !== undefined;

/** Returns the status that a receipt reports. A receipt for an own copy, and one of an unknown type, reports none. */
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
  /** Updates of messages to a group, by a receipt of one of its members, and of statuses. */
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
