// Texts of docs/reference/errors.md: what each reason of the message status ERROR means, and whether a new send is safe.
// src/whatsapp/send-error-reasons.ts has the reasons; a reason without a text here is a compile error.
import { type LocalReason, NACK_REASONS, type NackReason } from '../../src/whatsapp/send-error-reasons.ts';
import { code, paragraph, table } from './markdown.ts';

const INTRODUCTION = `When a message gets the status \`ERROR\`, its \`code\` and \`reason\` say why: in \`messages.update\`, in
  \`GET /message/status/{instance}/{messageId}\`, and in the response of a send with \`?wait=ack\`. A numeric \`code\` is
  that of WhatsApp, which refused the message; for other codes than 463, the reason is the name that Baileys or
  whatsapp-rust gives to the code. \`ACK_TIMEOUT\` and the error codes of this page come from the gateway.`;

const RESEND_NOTE = `The column **send again** says whether a new request, with a new \`Idempotency-Key\`, can make the
  recipient see the message twice. A repetition under the same key returns the stored response and sends nothing.`;

interface ReasonHelp {
  codes: readonly string[];
  meaning: string;
  /** Whether a new request is safe, and when it is useful. */
  resend: string;
}

const REFUSED = 'Safe: WhatsApp did not take the message.';
const USELESS = 'Safe, but useful only after a change of the message.';

const LOCAL_REASONS: Record<LocalReason, ReasonHelp> = {
  unconfirmed: {
    codes: [code('SEND_INTERRUPTED')],
    meaning: 'The connection or the process ended before WhatsApp confirmed the message.',
    resend: 'Not safe: the message may have arrived. A later receipt replaces `ERROR`.',
  },
  timed_out: {
    codes: [code('ACK_TIMEOUT')],
    meaning: 'WhatsApp did not confirm the message within four times `SEND_TIMEOUT`.',
    resend: 'Not safe: the message may have arrived. A later receipt replaces `ERROR`.',
  },
  not_sent: {
    codes: ['an error code'],
    meaning: 'The request had ended with `SEND_TIMEOUT`; afterwards the send failed, and nothing was sent.',
    resend: 'Safe.',
  },
};

/** Meaning and advice by nack reason. The order is that of the table. */
const NACKS: Record<NackReason, readonly [meaning: string, resend: string]> = {
  account_restricted: [
    'WhatsApp forbids the account to start new chats for now.',
    'Safe when the restriction has ended: see the event `instance.restricted`.',
  ],
  token_missing: [
    'The account is not restricted. WhatsApp requires a token that the recipient gives to contacts.',
    'Safe; useful after the recipient has written.',
  ],
  account_restricted_or_token_missing: [
    'One of the two reasons above; WhatsApp did not answer which.',
    'Safe; useful after the recipient has written or the restriction has ended.',
  ],
  group_addressing_mode_stale: ['The group changed between phone numbers and LIDs.', REFUSED],
  new_chat_quota_used: [
    'The account has used its quota of new chats.',
    'Safe when the quota is renewed: see the event `instance.restricted`.',
  ],
  stanza_invalid_or_device_stale: [
    'The list of devices of the recipient was outdated. The next send reads it again.',
    REFUSED,
  ],
  parsing_error: ['WhatsApp could not parse the message.', USELESS],
  stanza_unknown: ['WhatsApp does not know the element.', USELESS],
  stanza_class_unknown: ['WhatsApp does not know the class of the element.', USELESS],
  stanza_type_unknown: ['WhatsApp does not know the type of the message.', USELESS],
  protobuf_invalid: ['The content of the message is invalid.', USELESS],
  hosted_companion_stanza_invalid: ['The message is invalid for a hosted device.', USELESS],
  message_secret_missing: ['The message needs a secret and has none.', USELESS],
  message_counter_old: ['The encryption counter of the message was used before.', REFUSED],
  message_deleted: ['The message that this one refers to was deleted.', USELESS],
  unhandled_error: ['WhatsApp had an internal error.', REFUSED],
  admin_revoke_unsupported: ['The recipient does not support deletions by an admin.', USELESS],
  lid_group_unsupported: ['The group does not support LIDs.', USELESS],
  database_failed: ['The database of WhatsApp failed.', REFUSED],
  refused: ['WhatsApp refused the message with a code that this table does not have.', REFUSED],
};

const AMBIGUOUS = ['account_restricted', 'token_missing', 'account_restricted_or_token_missing'];

function codeOf(reason: string): string {
  if (AMBIGUOUS.includes(reason)) return code('463');
  const [listed] = NACK_REASONS.find(([, name]) => name === reason) ?? [];
  return listed === undefined ? 'any other' : code(listed);
}

/** The section about the reasons of the status ERROR. */
export function toReasonsSection(title: string): string[] {
  const local = Object.entries(LOCAL_REASONS).map(([reason, { codes, meaning, resend }]) => [
    ...[code(reason), codes.join(', ')],
    ...[meaning, resend],
  ]);
  const nacks = Object.entries(NACKS).map(([reason, [meaning, resend]]) => [
    ...[code(reason), codeOf(reason)],
    ...[meaning, resend],
  ]);
  const head = ['reason', 'code', 'what happened', 'send again'];
  return [`## ${title}`, paragraph(INTRODUCTION), paragraph(RESEND_NOTE), table(head, [...local, ...nacks])];
}
