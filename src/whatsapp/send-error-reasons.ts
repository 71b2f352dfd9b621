// The reasons of the message status ERROR. docs/reference/errors.md lists all reasons, with the texts in
// openapi/reference/error-reasons.ts.

/**
 * Reasons by the code of a nack (WhatsApp's refusal of a message): Baileys' constants NACK_REASONS and
 * SERVER_ERROR_CODES, and the codes that the library whatsapp-rust lists (421, 475).
 */
export const NACK_REASONS = [
  ['421', 'group_addressing_mode_stale'],
  ['475', 'new_chat_quota_used'],
  ['479', 'stanza_invalid_or_device_stale'],
  ['487', 'parsing_error'],
  ['488', 'stanza_unknown'],
  ['489', 'stanza_class_unknown'],
  ['490', 'stanza_type_unknown'],
  ['491', 'protobuf_invalid'],
  ['493', 'hosted_companion_stanza_invalid'],
  ['495', 'message_secret_missing'],
  ['496', 'message_counter_old'],
  ['499', 'message_deleted'],
  ['500', 'unhandled_error'],
  ['550', 'admin_revoke_unsupported'],
  ['551', 'lid_group_unsupported'],
  ['552', 'database_failed'],
] as const;

/** The nack code of a message from a restricted account, or of a message without the recipient's privacy token. */
const CODE_RESTRICTED_OR_TOKEN_MISSING = '463';

export type NackReason =
  | (typeof NACK_REASONS)[number][1]
  | 'account_restricted'
  | 'token_missing'
  | 'account_restricted_or_token_missing'
  | 'refused';

/**
 * Reasons of the gateway. `unconfirmed`: the connection ended before the ack of the message. `timed_out`: no ack
 * arrived in time. `not_sent`: the send failed before anything was sent.
 */
export type LocalReason = 'unconfirmed' | 'timed_out' | 'not_sent';

/** Whether a message with the status ERROR and this reason may have been sent. */
export const isUncertain = (reason: string | undefined): boolean =>
  reason === ('unconfirmed' satisfies LocalReason) || reason === ('timed_out' satisfies LocalReason);

export type SendErrorReason = NackReason | LocalReason;

const REASON_BY_CODE = new Map<string, NackReason>(NACK_REASONS);

/** The reason of a nack. `isRestricted` is true when the account is restricted, and undefined when that is unknown. */
export function toNackReason(code: string, isRestricted: boolean | undefined): NackReason {
  if (code === CODE_RESTRICTED_OR_TOKEN_MISSING) {
    if (isRestricted === undefined) return 'account_restricted_or_token_missing';
    return isRestricted ? 'account_restricted' : 'token_missing';
  }
  return REASON_BY_CODE.get(code) ?? 'refused';
}
