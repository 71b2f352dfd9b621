// Maps the statuses of sent messages: acks and nacks (refusals) of WhatsApp's server, receipts in direct chats and
// groups. No I/O. Decision D-018.

import type { DomainEvent, MessageKey } from '../../events/events.ts';
import { toEpochSeconds } from '../../lib/whole-number.ts';
import { toBareJid } from '../address/jid.ts';
import { type KnownJids, toJidAndAlt, toMessageKey } from '../address/message-key.ts';
import type { MessageUserReceiptUpdate, WireMessageUpdate } from '../baileys/types.ts';
import { toSecondsOrZero, toStatusName } from '../content/message.ts';
import { type LocalReason, toNackReason } from '../send-error-reasons.ts';

type StatusEvent = Extract<DomainEvent, { type: 'messages.update' }>;

/**
 * Maps `<ack class="message" id from t? error?>` to SERVER_ACK, or to ERROR with code and reason. The stanza is read
 * because Baileys reports only errors, reports them late, and merges them into a message of the same batch. `now` is
 * epoch ms. `isRestricted` determines the reason of some errors: it is true when the account is restricted, and
 * undefined when that is unknown.
 */
export function fromAck(
  attrs: Record<string, string | undefined>,
  knownJids: KnownJids,
  now: number,
  isRestricted?: boolean,
): StatusEvent | undefined {
  const key = toMessageKey({ remoteJid: attrs.from, id: attrs.id, fromMe: true }, knownJids);
  if (!key) return undefined;
  const seconds = toEpochSeconds(attrs.t);
  const at = seconds === undefined ? now : seconds * 1000;
  if (!attrs.error) return { type: 'messages.update', key, status: 'SERVER_ACK', at };
  const reason = toNackReason(attrs.error, isRestricted);
  return { type: 'messages.update', key, status: 'ERROR', at, code: attrs.error, reason };
}

/**
 * Returns the status ERROR for a message without an ack: the connection ended, or the ack timed out. A later receipt
 * replaces this status. `participant` is removed from the key, because in the key of a status it is the group member
 * who sent a receipt. `at` is epoch ms.
 */
export function toUnconfirmed(
  { participant: _, ...key }: MessageKey,
  at: number,
  reason: Exclude<LocalReason, 'not_sent'> = 'unconfirmed',
): StatusEvent {
  const code = reason === 'timed_out' ? 'ACK_TIMEOUT' : 'SEND_INTERRUPTED';
  return { type: 'messages.update', key, status: 'ERROR', at, code, reason };
}

/**
 * Maps a `messages.update` of Baileys. Returns undefined unless it contains a status of a sent message. Skips ERROR,
 * which fromAck() maps, and PENDING. `now` is epoch ms.
 */
export function fromStatusUpdate(
  { key, update }: WireMessageUpdate,
  knownJids: KnownJids,
  now: number,
): StatusEvent | undefined {
  const status = toStatusName(update.status);
  const ownKey = key.fromMe ? toMessageKey(key, knownJids) : undefined;
  if (!ownKey || !status || status === 'ERROR' || status === 'PENDING') return undefined;
  return { type: 'messages.update', key: ownKey, status, at: toSecondsOrZero(update.messageTimestamp) * 1000 || now };
}

/**
 * Maps a `message-receipt.update`: a group member received or read a sent message. The event's key has the member as
 * `participant`. `now` is epoch ms.
 */
export function fromReceipt(
  { key, receipt }: MessageUserReceiptUpdate,
  knownJids: KnownJids,
  now: number,
): StatusEvent | undefined {
  const ownKey = key.fromMe ? toMessageKey({ ...key, participant: undefined }, knownJids) : undefined;
  if (!ownKey || !receipt.userJid) return undefined;
  // Baileys also sets fromMe in the receipts that another device of the account sends for messages of others. chat.ts
  // maps these receipts.
  if ([knownJids.me?.jid, knownJids.me?.lid].includes(toBareJid(receipt.userJid))) return undefined;
  const { readTimestamp, receiptTimestamp } = receipt;
  const member = toJidAndAlt(receipt.userJid, knownJids);
  return {
    type: 'messages.update',
    key: { ...ownKey, participant: member.jid, ...(member.alt ? { participantAlt: member.alt } : {}) },
    status: readTimestamp ? 'READ' : 'DELIVERY_ACK',
    at: toSecondsOrZero(readTimestamp ?? receiptTimestamp) * 1000 || now,
  };
}
