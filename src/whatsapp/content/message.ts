// Received messages, and own messages sent from the phone: WireMessage → Message as stored and posted. Pure.
// Leaves out what is no message to a person: protocol messages, key distribution, poll votes, group notices.

import type { DomainEvent, Json, JsonObject, Message, MessageStatus } from '../../events/events.ts';
import { toEpochSeconds } from '../../lib/whole-number.ts';
import { type KnownJids, toKey } from '../address/message-key.ts';
import { getDevice, normalizeMessageContent, proto } from '../baileys/proto.ts';
import type { WireMessage } from '../baileys/types.ts';
import { restoreRows } from './list-rows.ts';

const JSON_OPTIONS = { longs: String, enums: String, bytes: String } as const;
const STATUS_NAMES = [
  'ERROR',
  'PENDING',
  'SERVER_ACK',
  'DELIVERY_ACK',
  'READ',
  'PLAYED',
] as const satisfies MessageStatus[];

/** Name of a protobuf status number; undefined for none or an unknown one. */
export const toStatus = (status: number | null | undefined): MessageStatus | undefined => STATUS_NAMES[status ?? -1];

/** Objects within objects that a message may have. Clients make some ten; reading and writing deeper ones exhausts the stack. */
const DEPTH_LIMIT = 100;

/**
 * Content as JSON: 64-bit integers and bytes (base64) as strings, enums by name (events.ts). Numbers that JSON does not have are left out.
 * Throws RangeError when the content is nested too deep to be stored, posted and read again.
 */
export function toJson(content: proto.IMessage): JsonObject {
  const json: JsonObject = proto.Message.toObject(proto.Message.create(content), JSON_OPTIONS);
  removeNonFiniteNumbers(json, DEPTH_LIMIT);
  return json;
}

/** A float of a message can be NaN or infinite. JSON would write null, which no schema of a number allows. */
function removeNonFiniteNumbers(json: JsonObject | Json[], left: number): void {
  if (left === 0) throw new RangeError(`content is nested deeper than ${DEPTH_LIMIT} levels`);
  for (const [name, value] of Object.entries(json)) {
    if (typeof value === 'number' && !Number.isFinite(value)) Reflect.deleteProperty(json, name);
    else if (typeof value === 'object' && value !== null) removeNonFiniteNumbers(value, left - 1);
  }
}

/** Name of the content object, or `unknown`. */
export function contentType(content: JsonObject): string {
  for (const name of Object.keys(content)) {
    if (name === 'conversation' || (name.includes('Message') && name !== 'senderKeyDistributionMessage')) return name;
  }
  return 'unknown';
}

/** Seconds from what protobuf or a stanza gives: a number, a Long, or nothing; 0 for what is no time. */
export const toSeconds = (time: WireMessage['messageTimestamp']): number => toEpochSeconds(time) ?? 0;

/** What a message from the platform means to us; `skipped` says why it means nothing. */
export type MapResult = { event: DomainEvent } | { skipped: string };

export function fromMessage(received: WireMessage, knownJids: KnownJids): MapResult {
  const key = toKey(received.key, knownJids);
  if (!key) return { skipped: 'no key' };
  const seconds = toSeconds(received.messageTimestamp);
  const named = received.pushName ? { pushName: received.pushName } : {};
  const unreadable = (reason: string): MapResult => ({
    event: { type: 'messages.undecryptable', key, ...named, messageTimestamp: seconds, reason },
  });
  if (received.messageStubType === proto.WebMessageInfo.StubType.CIPHERTEXT) {
    return unreadable(String(received.messageStubParameters?.[0] ?? 'not decrypted'));
  }
  if (received.messageStubType) return { skipped: 'notice' };
  if (received.category === 'peer') return { skipped: 'from own device to itself' };
  const content = normalizeMessageContent(received.message);
  // Of a file to be looked at once companions learn that it came, and no more.
  const missed = (why: string) => (received.key.isViewOnce ? unreadable('view_once') : { skipped: why });
  if (!content || !received.message) return missed('empty');
  // Wrappers (ephemeral, edited, …) are looked through: an edit is a protocol message inside `editedMessage`.
  if (content.protocolMessage) return { skipped: 'protocol message' };
  if (content.pollUpdateMessage) return { skipped: 'poll vote' };
  const message = toJson(received.message);
  // A sender key is a secret of the group, not content.
  delete message.senderKeyDistributionMessage;
  restoreRows(message);
  const messageType = contentType(message);
  if (messageType === 'unknown') return missed('no content');
  const status = toStatus(received.status);
  return {
    event: {
      type: 'messages.upsert',
      message: {
        key,
        ...named,
        message,
        messageType,
        messageTimestamp: seconds,
        ...(status ? { status } : {}),
        source: sourceOf(key.id),
      },
    },
  };
}

/** Kind of client that made a message, as its id tells. */
export function sourceOf(id: string): Message['source'] {
  return getDevice(id);
}
