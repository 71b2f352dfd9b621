// What becomes of messages we sent: the server's ack or nack, receipts of direct chats, receipts in groups. Pure.

import type { DomainEvent, MessageKey } from '../../events/events.ts';
import { toEpochSeconds } from '../../lib/whole-number.ts';
import { toBareJid } from '../address/jid.ts';
import { type KnownJids, toKey, withAlternateJids } from '../address/message-key.ts';
import type { MessageUserReceiptUpdate, WireMessageUpdate } from '../baileys/types.ts';
import { toSeconds, toStatus } from '../content/message.ts';

type StatusEvent = Extract<DomainEvent, { type: 'messages.update' }>;

/** Our words for the nack codes whose meaning is known (NACK_REASONS and SERVER_ERROR_CODES in Baileys' decode-wa-message.js). */
const NACK_REASONS: Record<string, string> = {
  479: 'stanza_invalid_or_device_stale',
  487: 'parsing_error',
  488: 'stanza_unknown',
  491: 'protobuf_invalid',
  495: 'message_secret_missing',
  500: 'unhandled_error',
};

/** Of 463, by whether the account is restricted. */
const RESTRICTION_REASONS: Record<string, string> = {
  true: 'account_restricted',
  false: 'token_missing',
  undefined: 'account_restricted_or_token_missing',
};

/**
 * `<ack class="message" id from t? error?>`: SERVER_ACK, or ERROR with code and reason. Baileys reports only the error, late, and
 * merged into the message when both fall into one buffer; hence from the stanza itself. `isRestricted` is the account's standing.
 */
export function fromAck(
  attrs: Record<string, string | undefined>,
  knownJids: KnownJids,
  now: number,
  isRestricted?: boolean,
): StatusEvent | undefined {
  const key = toKey({ remoteJid: attrs.from, id: attrs.id, fromMe: true }, knownJids);
  if (!key) return undefined;
  const seconds = toEpochSeconds(attrs.t);
  const at = seconds === undefined ? now : seconds * 1000;
  if (!attrs.error) return { type: 'messages.update', key, status: 'SERVER_ACK', at };
  return {
    type: 'messages.update',
    key,
    status: 'ERROR',
    at,
    code: attrs.error,
    reason:
      attrs.error === '463' ? RESTRICTION_REASONS[String(isRestricted)] : (NACK_REASONS[attrs.error] ?? 'refused'),
  };
}

/**
 * A message that may have left and that the platform never acknowledged: until its connection ended, or for too long on a connection that
 * lives. Proof that it arrived may still come and outranks this.
 */
export function toUnconfirmed(
  { participant: _, ...key }: MessageKey,
  at: number,
  reason: 'unconfirmed' | 'timed_out' = 'unconfirmed',
): StatusEvent {
  const code = reason === 'timed_out' ? 'ACK_TIMEOUT' : 'SEND_INTERRUPTED';
  return { type: 'messages.update', key, status: 'ERROR', at, code, reason };
}

/** `messages.update` of Baileys. Undefined for what is no rise of an own message: edits, revokes, reads of received messages, nacks (fromAck). */
export function fromUpdate(
  { key, update }: WireMessageUpdate,
  knownJids: KnownJids,
  now: number,
): StatusEvent | undefined {
  const status = toStatus(update.status);
  const ours = key.fromMe ? toKey(key, knownJids) : undefined;
  if (!ours || !status || status === 'ERROR' || status === 'PENDING') return undefined;
  return { type: 'messages.update', key: ours, status, at: toSeconds(update.messageTimestamp) * 1000 || now };
}

/** `message-receipt.update`: one member of a group received or read an own message; the member is the key's participant. */
export function fromReceipt(
  { key, receipt }: MessageUserReceiptUpdate,
  knownJids: KnownJids,
  now: number,
): StatusEvent | undefined {
  const ours = key.fromMe ? toKey({ ...key, participant: undefined }, knownJids) : undefined;
  if (!ours || !receipt.userJid) return undefined;
  // Another device of ours read what others wrote (chat.ts).
  if ([knownJids.me?.jid, knownJids.me?.lid].includes(toBareJid(receipt.userJid))) return undefined;
  const read = receipt.readTimestamp;
  const member = withAlternateJids(receipt.userJid, knownJids);
  return {
    type: 'messages.update',
    key: { ...ours, participant: member.jid, ...(member.alt ? { participantAlt: member.alt } : {}) },
    status: read ? 'READ' : 'DELIVERY_ACK',
    at: toSeconds(read ?? receipt.receiptTimestamp) * 1000 || now,
  };
}
