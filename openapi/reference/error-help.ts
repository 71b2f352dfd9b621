// Texts of docs/reference/errors.md: what each error code means, whether a retry is safe, and what to do. src/errors.ts
// has the codes and their statuses; a code without a text here is a compile error.
import type { ErrorCode } from '../../src/errors.ts';

/** Whether a repetition of the request is safe, and can succeed. The page explains the words. */
export const RETRIES = {
  no: 'the same request fails again. Change it first.',
  later: `the request had no effect. Repeat it unchanged after the seconds in \`Retry-After\`, or after a few seconds if
    the response has no such header.`,
  'when fixed': `the request had no effect, and fails again until the cause is removed: the state of the instance, a
    setting of the gateway or another system.`,
  'if certain': `the request can have had an effect. It had none if the body has \`"certain": true\`. Otherwise check
    the effect, or repeat a send under the same \`Idempotency-Key\`.`,
} as const;

export interface ErrorHelp {
  meaning: string;
  retry: keyof typeof RETRIES;
  /** What to do. */
  advice: string;
}

type HelpByCode = Partial<Record<ErrorCode, ErrorHelp>>;
const toHelp = (retry: ErrorHelp['retry'], meaning: string, advice: string): ErrorHelp => ({ meaning, retry, advice });

const REQUEST_ERRORS = {
  INVALID_REQUEST: toHelp(
    'no',
    'A field, a parameter or the path is missing or invalid.',
    'Correct what the text names.',
  ),
  MALFORMED_JSON: toHelp('no', 'The body is not valid JSON.', 'Send JSON; the text names the position.'),
  UNSUPPORTED_MEDIA_TYPE: toHelp(
    'no',
    'The `Content-Type` of the body is missing or not supported.',
    'Send `application/json` or a form.',
  ),
  BODY_TOO_LARGE: toHelp(
    'no',
    'The body, or a file in it, is too large.',
    'Send less, or raise the setting that the text names.',
  ),
  HEADERS_TOO_LARGE: toHelp('no', 'The headers and the URL are too long.', 'Send shorter headers and parameters.'),
  REQUEST_INCOMPLETE: toHelp(
    'later',
    'The request did not arrive completely within `REQUEST_TIMEOUT`.',
    'Check the connection; raise the setting for slow clients.',
  ),
  ROUTE_NOT_FOUND: toHelp(
    'no',
    'No operation has this method and path.',
    'See [operations](operations.md), and check the base URL and the path prefix of a proxy.',
  ),
  NOT_IMPLEMENTED: toHelp('no', 'The gateway does not have this feature.', 'Use what the text names, or do without.'),
  IDEMPOTENCY_IN_FLIGHT: toHelp(
    'later',
    'An earlier request with the same `Idempotency-Key`, or the same content (`DEDUPE_WINDOW`), is still running.',
    'Repeat it with the same key and the same body.',
  ),
  IDEMPOTENCY_MISMATCH: toHelp(
    'no',
    'The `Idempotency-Key` was used with another body.',
    'Use a new key for each new request.',
  ),
  RATE_LIMITED: toHelp(
    'later',
    'Too many requests of this key or this address, too many lookups of numbers, or too many queries at WhatsApp.',
    'Send more slowly.',
  ),
} satisfies HelpByCode;

const KEY_ERRORS = {
  UNAUTHORIZED: toHelp(
    'no',
    'The key is missing, wrong or expired, or belongs to another instance.',
    'Send a valid key in the header `apikey`.',
  ),
  SCOPE_MISSING: toHelp(
    'no',
    'The key lacks the scope of the operation.',
    'Use a key with the scope that the text names.',
  ),
  KEY_NOT_FOUND: toHelp('no', 'No key has this id, or the key has expired.', 'List the keys with `GET /keys`.'),
  LINK_INVALID: toHelp('no', 'The signature of a link to a file is wrong.', 'Use the link of the event unchanged.'),
  LINK_EXPIRED: toHelp(
    'no',
    'The link to a file is older than `MEDIA_LINK_DAYS`.',
    'Download the file with a key: `GET /media/{instance}/{messageId}`.',
  ),
} satisfies HelpByCode;

const INSTANCE_ERRORS = {
  INSTANCE_NOT_FOUND: toHelp('no', 'No instance has this name or matches the filter.', 'Create the instance first.'),
  INSTANCE_NAME_IN_USE: toHelp('no', 'Another instance has this name.', 'Choose another name, or use that instance.'),
  INSTANCE_NOT_OPEN: toHelp(
    'when fixed',
    'The instance has no open connection to WhatsApp.',
    'Wait for `connection.update` with `open`, or link the instance.',
  ),
  INSTANCE_NOT_CONNECTED: toHelp(
    'no',
    'There is nothing to log out or to export: the instance is not linked.',
    'Treat a logout as done.',
  ),
  INSTANCE_NOT_STOPPED: toHelp(
    'no',
    'The instance is running, or changed during the export. A running session cannot be exported.',
    'Set `stop=true`: the instance is stopped first, and stays stopped.',
  ),
  SESSION_IN_USE: toHelp(
    'when fixed',
    'Another instance of the gateway has the session of the bundle.',
    'Use the instance that the text names. To replace it, stop it with `POST /instance/export/{instance}?stop=true` before you delete it: deleting a connected instance unlinks the device, and the bundle becomes useless.',
  ),
  SESSION_BUNDLE_INVALID: toHelp(
    'no',
    'The session bundle is damaged or is not a bundle, or the session of an export has a field or a signature that no import accepts.',
    'The text names the wrong field. Export the session again, or correct the field.',
  ),
  SESSION_BUNDLE_PASSPHRASE: toHelp(
    'no',
    'The passphrase of the session bundle is missing or wrong, or the bundle is damaged.',
    'Send the passphrase with which the bundle was encrypted.',
  ),
  CONNECT_FAILED: toHelp(
    'when fixed',
    'The attempt to connect ended without a QR code, a pairing code or a connection.',
    'Do what the text says, then connect again.',
  ),
  PROXY_UNUSABLE: toHelp(
    'when fixed',
    'The gateway could not connect through the proxy of the instance.',
    'Check host, port, protocol and password of the proxy.',
  ),
  PASSKEY_DISABLED: toHelp(
    'when fixed',
    'The account requires a passkey, and `PASSKEY_LINKING` is off.',
    'Set it; see [passkeys](../guides/passkey-linking.md).',
  ),
  PASSKEY_WRONG_STAGE: toHelp(
    'no',
    'WhatsApp is not asking for a passkey, the request was answered, or there is no code yet.',
    'Read the stage with `GET /instance/passkey/{instance}`.',
  ),
  PASSKEY_EXPIRED: toHelp('no', 'The five minutes for this passkey request are over.', 'Scan the new QR code.'),
  PASSKEY_WRONG_ORIGIN: toHelp(
    'no',
    'The assertion was made on another website. It was not sent.',
    'Make it on `https://web.whatsapp.com`.',
  ),
  PASSKEY_REFUSED: toHelp('no', 'WhatsApp or the phone refused to link.', 'Scan a new QR code and start again.'),
} satisfies HelpByCode;

const RECIPIENT_ERRORS = {
  NUMBER_NOT_ON_PLATFORM: toHelp(
    'no',
    'The number has no WhatsApp account.',
    'Check the number with its country code: `POST /chat/whatsappNumbers/{instance}`.',
  ),
  USERNAME_NOT_FOUND: toHelp(
    'no',
    'No account has this user name, or its key is missing or wrong.',
    'Write it as `@name` or `@name:key`.',
  ),
  NUMBER_HIDDEN: toHelp(
    'no',
    'The operation needs a phone number, and this person hides it.',
    'Pass the number; see [phone numbers, LIDs and user names](../guides/addressing.md).',
  ),
  NEW_CHATS_RESTRICTED: toHelp(
    'later',
    'WhatsApp forbids this account to start new chats for now.',
    'Reply in existing chats. Repeat this send after `Retry-After`, when the restriction has ended.',
  ),
} satisfies HelpByCode;

const MESSAGE_ERRORS = {
  SEND_REFUSED: toHelp(
    'when fixed',
    'The message was not sent: WhatsApp refused a query that the send needs, or the content cannot be encoded.',
    'Read the reason in the text. Nothing was sent.',
  ),
  SEND_TIMEOUT: toHelp(
    'if certain',
    'The message was not confirmed within `SEND_TIMEOUT`.',
    'Watch the status of the `messageId` in the error.',
  ),
  SEND_INTERRUPTED: toHelp(
    'if certain',
    'The connection was lost while the message was sent.',
    'Watch the status of the `messageId` in the error.',
  ),
  MESSAGE_NOT_FOUND: toHelp('no', 'The message is not stored.', 'Check the id and the chat.'),
  MESSAGE_NOT_EDITABLE: toHelp(
    'no',
    'The message cannot be edited or deleted: another author, too old, or deleted already.',
    'Send a new message instead.',
  ),
  LABEL_NOT_FOUND: toHelp(
    'no',
    'The phone has synchronized no label with this id.',
    'List the labels with `GET /label/findLabels/{instance}`.',
  ),
} satisfies HelpByCode;

const OUTGOING_FILE_ERRORS = {
  MEDIA_UNREACHABLE: toHelp(
    'when fixed',
    'The server of the file did not deliver it within `MEDIA_TIMEOUT`, or answered with an error.',
    'Check the address from the network of the gateway.',
  ),
  MEDIA_TOO_LARGE: toHelp(
    'no',
    'The file is larger than `MEDIA_LIMIT` or than its kind allows.',
    'Send a smaller file, or raise the setting.',
  ),
  MEDIA_TOO_LONG: toHelp(
    'no',
    'The sound is longer than the limit that the error text names.',
    'Send a shorter one, or a document.',
  ),
  MEDIA_INVALID: toHelp(
    'no',
    'The file is empty, or not of a kind that can be sent this way.',
    'Convert it, or send it as a document. See [media](../guides/media.md).',
  ),
  MEDIA_UPLOAD_FAILED: toHelp(
    'later',
    'The file could not be uploaded to WhatsApp. Nothing was sent.',
    'Check that the gateway, or the proxy of the instance, reaches WhatsApp.',
  ),
} satisfies HelpByCode;

const RECEIVED_FILE_ERRORS = {
  MESSAGE_WITHOUT_MEDIA: toHelp('no', 'The message has no file.', 'Check the id.'),
  MEDIA_GONE: toHelp(
    'no',
    'WhatsApp no longer has the file, and the phone does not have it either.',
    'Download files soon after the message arrives.',
  ),
  MEDIA_OVER_LIMIT: toHelp('when fixed', 'The file is larger than `DOWNLOAD_LIMIT`.', 'Raise the setting.'),
  MEDIA_CORRUPT: toHelp(
    'later',
    'The downloaded file is not the one that was sent.',
    'If a second download fails too, ask the sender to send it again.',
  ),
  MEDIA_HOST_FAILED: toHelp(
    'later',
    'The media server of WhatsApp failed, or the phone could not upload the file again.',
    'Check that the phone is online.',
  ),
  MEDIA_TIMEOUT: toHelp(
    'later',
    'The file did not arrive within `DOWNLOAD_TIMEOUT`.',
    'Raise the setting for large files on slow connections.',
  ),
} satisfies HelpByCode;

const GROUP_ERRORS = {
  GROUP_NOT_FOUND: toHelp(
    'no',
    'The group does not exist, the account left it, or the invitation was revoked.',
    'List the groups with `GET /group/fetchAllGroups/{instance}`.',
  ),
  GROUP_FORBIDDEN: toHelp(
    'when fixed',
    'The account is not a member or not an admin of the group.',
    'Make the account an admin on a phone.',
  ),
  GROUP_REFUSED: toHelp(
    'if certain',
    'WhatsApp refused the operation, or its answer cannot be read.',
    'Read the reason in the text.',
  ),
  CHANNEL_NOT_FOUND: toHelp('no', 'The channel does not exist or was deleted.', 'Check the id or the link.'),
  CHANNEL_FORBIDDEN: toHelp(
    'when fixed',
    'The account does not administer the channel.',
    'Use an account that is its owner or an admin.',
  ),
  CHANNEL_REFUSED: toHelp(
    'if certain',
    'WhatsApp refused the operation, or its answer cannot be read.',
    'Read the reason in the text.',
  ),
} satisfies HelpByCode;

const WEBHOOK_ERRORS = {
  WEBHOOK_NOT_FOUND: toHelp(
    'no',
    'The instance has no webhook, or none with this id.',
    'List them with `GET /webhook/endpoints/{instance}`.',
  ),
  TOO_MANY_WEBHOOKS: toHelp('no', 'The instance has the maximum number of webhooks.', 'Remove one first.'),
  CURSOR_EXPIRED: toHelp(
    'no',
    'Events after the cursor were pruned, or the cursor belongs to another log.',
    'Start again without `after`, and expect a gap.',
  ),
  ADDRESS_FORBIDDEN: toHelp(
    'when fixed',
    'The gateway does not send requests to this address: it is private, link-local or not HTTP.',
    'Use a public address, or allow the network with `EGRESS_ALLOW`.',
  ),
} satisfies HelpByCode;

const GATEWAY_ERRORS = {
  PLATFORM_REFUSED: toHelp(
    'when fixed',
    'WhatsApp refused a query or a change of the profile, the privacy settings or a chat.',
    'Read the reason in the text.',
  ),
  PLATFORM_TIMEOUT: toHelp(
    'if certain',
    'WhatsApp or the phone did not answer in time, or the connection was lost during the request.',
    'Check the state of the instance and that its phone is online.',
  ),
  OVERLOADED: toHelp(
    'later',
    'The gateway has too much work: event-loop delay, memory, sends in progress, large bodies in progress, or waiting media files of the instance.',
    'Repeat it after `Retry-After`. If it continues, add CPU, memory or nodes, or see [Limits](settings.md#limits).',
  ),
  STARTING: toHelp('later', 'The gateway is starting and has not loaded the instances.', 'Wait for `GET /readyz`.'),
  SHUTTING_DOWN: toHelp(
    'later',
    'The gateway is stopping, or another node of the cluster has taken the instance.',
    'Repeat the request on the new process or another node.',
  ),
  STORAGE_UNAVAILABLE: toHelp(
    'if certain',
    'The database cannot be reached, is read-only, or its disk is full.',
    'See [troubleshooting](../operate/troubleshooting.md#the-database-fails).',
  ),
  STORAGE_UNREADABLE: toHelp(
    'when fixed',
    'A stored value exists but cannot be decrypted or parsed.',
    'Restore the right `ENCRYPTION_KEY`, or link the instance again.',
  ),
  INSTANCE_MOVING: toHelp('later', 'The instance moves to another node of the cluster.', 'Repeat the request.'),
  LEASE_LOST: toHelp(
    'if certain',
    'Another node of the cluster has taken the instance. A send that may have gone out gets `SEND_INTERRUPTED` or `STORAGE_UNAVAILABLE` instead.',
    'Check the effect, then repeat the request: it reaches the new node.',
  ),
  PEER_LOST: toHelp(
    'if certain',
    'The node that has the instance did not respond to a forwarded request.',
    'Check the effect; see [several nodes](../deploy/cluster.md#what-happens-when).',
  ),
  PEER_REFUSED: toHelp(
    'when fixed',
    'The request claims to come from another node, but its signature is not valid.',
    'Give all nodes the same `ENCRYPTION_KEY`, and let no proxy between nodes change requests.',
  ),
  MISDIRECTED: toHelp(
    'later',
    'A node forwarded the request to a node that does not have the instance.',
    'Nothing. Only nodes receive this error, and they repeat the request elsewhere.',
  ),
  INTERNAL: toHelp(
    'if certain',
    'An unexpected error, which the log describes under the `requestId`.',
    'Report it with the log line.',
  ),
} satisfies HelpByCode;

const ALL_ERROR_HELP = {
  ...REQUEST_ERRORS,
  ...KEY_ERRORS,
  ...INSTANCE_ERRORS,
  ...RECIPIENT_ERRORS,
  ...MESSAGE_ERRORS,
  ...OUTGOING_FILE_ERRORS,
  ...RECEIVED_FILE_ERRORS,
  ...GROUP_ERRORS,
  ...WEBHOOK_ERRORS,
  ...GATEWAY_ERRORS,
};
// A compile error here names a code without a text.
ALL_ERROR_HELP satisfies Record<ErrorCode, ErrorHelp>;

/** The texts by topic, in the order of the page. */
export const ERROR_HELP: readonly { title: string; errors: HelpByCode }[] = [
  { title: 'Requests', errors: REQUEST_ERRORS },
  { title: 'Keys and links', errors: KEY_ERRORS },
  { title: 'Instances', errors: INSTANCE_ERRORS },
  { title: 'Recipients', errors: RECIPIENT_ERRORS },
  { title: 'Messages', errors: MESSAGE_ERRORS },
  { title: 'Files to send', errors: OUTGOING_FILE_ERRORS },
  { title: 'Files of messages', errors: RECEIVED_FILE_ERRORS },
  { title: 'Groups and channels', errors: GROUP_ERRORS },
  { title: 'Webhooks and events', errors: WEBHOOK_ERRORS },
  { title: 'Gateway and WhatsApp', errors: GATEWAY_ERRORS },
];
