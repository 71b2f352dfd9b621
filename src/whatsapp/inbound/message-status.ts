// Maps the statuses of sent messages: acks and nacks (refusals) of WhatsApp's server, receipts in direct chats and
// groups. No I/O. Decision D-018.

import type { DomainEvent, MessageKey } from '../../events/events.ts';
import { toEpochSeconds } from '../../lib/whole-number.ts';
import { toBareJid } from '../address/jid.ts';
import { type KnownJids, toJidAndAlt, toMessageKey } from '../address/message-key.ts';
import type { MessageUserReceiptUpdate, WireMessageUpdate } from '../baileys/types.ts';
import { toSecondsOrZero, toStatusName } from '../content/message.ts';

type StatusEvent = Extract<DomainEvent, { type: 'messages.update' }>;

/**
 * Reasons by nack code: Baileys' constants NACK_REASONS and SERVER_ERROR_CODES, and the wire codes that whatsapp-rust
 * lists (421, 475).
 */
const NACK_REASONS: Record<string, string> = {
  421: 'group_addressing_mode_stale',
  475: 'new_chat_quota_used',
  479: 'stanza_invalid_or_device_stale',
  487: 'parsing_error',
  488: 'stanza_unknown',
  489: 'stanza_class_unknown',
  490: 'stanza_type_unknown',
  491: 'protobuf_invalid',
  493: 'hosted_companion_stanza_invalid',
  495: 'message_secret_missing',
  496: 'message_counter_old',
  499: 'message_deleted',
  500: 'unhandled_error',
  550: 'admin_revoke_unsupported',
  551: 'lid_group_unsupported',
  552: 'database_failed',
};

/** The nack code of a message from a restricted account, or without the token that the recipient gives to contacts. */
const CODE_RESTRICTED_OR_TOKEN_MISSING = '463';

function reasonOf(code: string, isRestricted: boolean | undefined): string {
  if (code !== CODE_RESTRICTED_OR_TOKEN_MISSING) return NACK_REASONS[code] ?? 'refused';
  if (isRestricted === undefined) return 'account_restricted_or_token_missing';
  return isRestricted ? 'account_restricted' : 'token_missing';
}

/**
 * Maps `<ack class="message" id from t? error?>` to SERVER_ACK, or to ERROR with code and reason. Reads the stanza,
 * because Baileys reports only errors, reports them late, and merges them into a message of the same batch. `now` is
 * epoch ms. `isRestricted` is true when the account is restricted, and undefined when that is unknown.
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
  const reason = reasonOf(attrs.error, isRestricted);
  return { type: 'messages.update', key, status: 'ERROR', at, code: attrs.error, reason };
}

/**
 * Returns the status ERROR for a message without an ack: the connection ended, or the ack timed out. A later receipt
 * replaces this status. `at` is epoch ms.
 */
export function toUnconfirmed(
  { participant: _, ...key }: MessageKey,
  at: number,
  reason: 'unconfirmed' | 'timed_out' = 'unconfirmed',
): StatusEvent {
  const code = reason === 'timed_out' ? 'ACK_TIMEOUT' : 'SEND_INTERRUPTED';
  return { type: 'messages.update', key, status: 'ERROR', at, code, reason };
}

/**
 * Maps a `messages.update` of Baileys. Returns undefined unless it contains a status of an own message. Skips ERROR,
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
 * Maps a `message-receipt.update`: a group member received or read an own message. The event's key has the member as
 * `participant`. `now` is epoch ms.
 */
export function fromReceipt(
  { key, receipt }: MessageUserReceiptUpdate,
  knownJids: KnownJids,
  now: number,
): StatusEvent | undefined {
  const ownKey = key.fromMe ? toMessageKey({ ...key, participant: undefined }, knownJids) : undefined;
  if (!ownKey || !receipt.userJid) return undefined;
  // Baileys also sets fromMe when another device of the account read messages of others, which chat.ts maps.
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
