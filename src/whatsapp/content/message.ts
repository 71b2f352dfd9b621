// Maps a message of Baileys (WireMessage) to an event with the Message that is stored and published. Skips messages
// that people do not see in the chat: protocol messages, key distribution, poll votes, group notices, and encrypted
// add-ons (edits, reactions and other changes of a message). No I/O.

import type { DomainEvent, Json, JsonObject, Message, MessageKey, MessageStatus } from '../../events/events.ts';
import { messageTypeOf } from '../../events/message-type.ts';
import { toEpochSeconds } from '../../lib/whole-number.ts';
import { broadcastListOf, type KnownJids, toMessageKey } from '../address/message-key.ts';
import { getDevice, normalizeMessageContent, proto } from '../baileys/proto.ts';
import type { WireMessage } from '../baileys/types.ts';
import { encryptedAddOnIn } from './encrypted-add-on.ts';
import { restoreRowIds } from './list-rows.ts';

const JSON_OPTIONS = { longs: String, enums: String, bytes: String } as const;
/** The names of message statuses by their protobuf numbers, which start at 0. */
const STATUS_NAMES = [
  'ERROR',
  'PENDING',
  'SERVER_ACK',
  'DELIVERY_ACK',
  'READ',
  'PLAYED',
] as const satisfies MessageStatus[];

/** Returns the name of a protobuf status number, or undefined for an unknown number. */
export const toStatusName = (status: number | null | undefined): MessageStatus | undefined =>
  typeof status === 'number' ? STATUS_NAMES[status] : undefined;

/**
 * Maximum nesting of objects in a message. Clients nest about ten levels. Much deeper content would exhaust the stack.
 */
const DEPTH_LIMIT = 100;

/**
 * Converts content to JSON. 64-bit integers become decimal strings, bytes become base64, and enum values become their
 * names. NaN and infinite numbers are removed. Throws RangeError when the content is nested deeper than DEPTH_LIMIT.
 */
export function toJson(content: proto.IMessage): JsonObject {
  const json: JsonObject = proto.Message.toObject(proto.Message.create(content), JSON_OPTIONS);
  removeNonFiniteNumbers(json, DEPTH_LIMIT);
  return json;
}

/**
 * Floats of a message can be NaN or infinite. JSON would contain null for them, which no schema of a number allows
 * (D-156).
 */
function removeNonFiniteNumbers(json: JsonObject | Json[], depth: number): void {
  if (depth === 0) throw new RangeError(`content is nested deeper than ${DEPTH_LIMIT} levels`);
  for (const [name, value] of Object.entries(json)) {
    if (typeof value === 'number' && !Number.isFinite(value)) Reflect.deleteProperty(json, name);
    else if (typeof value === 'object' && value !== null) removeNonFiniteNumbers(value, depth - 1);
  }
}

/** Converts a time of protobuf or of a stanza to epoch seconds. Returns 0 for a missing or invalid time. */
export const toSecondsOrZero = (time: WireMessage['messageTimestamp']): number => toEpochSeconds(time) ?? 0;

/** Result of mapping a message: an event, or the reason for skipping the message. */
export type MapResult = { event: DomainEvent } | { skipped: string };

/** `reason` of messages.undecryptable for a message that was decrypted but could not be processed. */
export const UNPROCESSABLE = 'unprocessable';

/** Returns the event of a message whose content is missing. `key` is the mapped key of the message. */
export const toUndecryptable = (received: WireMessage, key: MessageKey, reason: string): DomainEvent => ({
  type: 'messages.undecryptable',
  key,
  ...(received.pushName ? { pushName: received.pushName } : {}),
  messageTimestamp: toSecondsOrZero(received.messageTimestamp),
  reason,
});

/**
 * Maps a message. Skips edits and deletions (edit.ts maps them), poll votes (poll.ts) and encrypted add-ons
 * (add-on-event.ts).
 */
export function fromMessage(received: WireMessage, knownJids: KnownJids): MapResult {
  const key = toMessageKey(received.key, knownJids);
  if (!key) return { skipped: 'no key' };
  const seconds = toSecondsOrZero(received.messageTimestamp);
  const pushNameField = received.pushName ? { pushName: received.pushName } : {};
  const toUndecryptableResult = (reason: string): MapResult => ({ event: toUndecryptable(received, key, reason) });
  if (received.messageStubType === proto.WebMessageInfo.StubType.CIPHERTEXT) {
    return toUndecryptableResult(String(received.messageStubParameters?.[0] ?? 'not decrypted'));
  }
  if (received.messageStubType) return { skipped: 'notice' };
  if (received.category === 'peer') return { skipped: 'from own device to itself' };
  const content = normalizeMessageContent(received.message);
  // A view-once message has no content here: WhatsApp delivers its file only to the phone, not to linked devices.
  const withoutContent = (reason: string) =>
    received.key.isViewOnce ? toUndecryptableResult('view_once') : { skipped: reason };
  if (!content || !received.message) return withoutContent('empty');
  // This also skips edits: normalizeMessageContent removes the `editedMessage` wrapper around their protocol message.
  if (content.protocolMessage) return { skipped: 'protocol message' };
  if (content.pollUpdateMessage) return { skipped: 'poll vote' };
  if (encryptedAddOnIn(received)) return { skipped: 'encrypted add-on' };
  const message = toJson(withSecret(received.message, received.messageSecret));
  // The sender key is a secret of the group and must not be published.
  delete message.senderKeyDistributionMessage;
  // The gateway may have changed the row ids of list messages that it sent.
  restoreRowIds(message);
  const messageType = messageTypeOf(message);
  if (messageType === 'unknown') return withoutContent('no content');
  const status = toStatusName(received.status);
  const broadcastList = broadcastListOf(received.key, knownJids.me);
  return {
    event: {
      type: 'messages.upsert',
      message: {
        key,
        ...pushNameField,
        message,
        messageType,
        messageTimestamp: seconds,
        ...(status ? { status } : {}),
        ...(broadcastList ? { broadcastList } : {}),
        source: sourceOf(key.id),
      },
    },
  };
}

/**
 * Returns the content with the secret of the message. Votes, edits and reactions are encrypted with this secret
 * (target-messages.ts). Live messages contain the secret already. Messages of the history, and messages that the phone
 * sends again, have the secret beside the content.
 */
const withSecret = (content: proto.IMessage, messageSecret: Uint8Array | null | undefined): proto.IMessage =>
  messageSecret?.length
    ? { ...content, messageContextInfo: { ...content.messageContextInfo, messageSecret } }
    : content;

/** Derives from a message id which type of client created the message. */
export function sourceOf(id: string): Message['source'] {
  return getDevice(id);
}
