// Maps a WireMessage of Baileys to a Message as it is stored and published. No I/O. Skips messages that people do not
// see: protocol messages, key distribution, poll votes, group notices.

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

/** Returns the name of a protobuf status number, or undefined when it has none. */
export const toStatus = (status: number | null | undefined): MessageStatus | undefined => STATUS_NAMES[status ?? -1];

/**
 * Maximum nesting of objects in a message. Clients nest about ten; parsing and serializing deeper content exhausts the
 * stack.
 */
const DEPTH_LIMIT = 100;

/**
 * Converts content to JSON: 64-bit integers and bytes (base64) become strings, enums their names (events.ts). NaN and
 * infinite numbers are removed. Throws RangeError when the content exceeds DEPTH_LIMIT.
 */
export function toJson(content: proto.IMessage): JsonObject {
  const json: JsonObject = proto.Message.toObject(proto.Message.create(content), JSON_OPTIONS);
  removeNonFiniteNumbers(json, DEPTH_LIMIT);
  return json;
}

/** Floats of a message can be NaN or infinite. JSON would contain null, which no number schema allows. */
function removeNonFiniteNumbers(json: JsonObject | Json[], depth: number): void {
  if (depth === 0) throw new RangeError(`content is nested deeper than ${DEPTH_LIMIT} levels`);
  for (const [name, value] of Object.entries(json)) {
    if (typeof value === 'number' && !Number.isFinite(value)) Reflect.deleteProperty(json, name);
    else if (typeof value === 'object' && value !== null) removeNonFiniteNumbers(value, depth - 1);
  }
}

/** Returns the name of the content object, or `unknown`. */
export function contentType(content: JsonObject): string {
  for (const name of Object.keys(content)) {
    if (name === 'conversation' || (name.includes('Message') && name !== 'senderKeyDistributionMessage')) return name;
  }
  return 'unknown';
}

/**
 * Converts a time of protobuf or of a stanza (number, Long, text or nothing) to seconds; 0 when it is no valid time.
 */
export const toSeconds = (time: WireMessage['messageTimestamp']): number => toEpochSeconds(time) ?? 0;

/** The result of mapping a message: an event, or the reason why there is none. */
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
  // Companion devices learn only that a view-once file arrived. They never receive the file.
  const missed = (why: string) => (received.key.isViewOnce ? unreadable('view_once') : { skipped: why });
  if (!content || !received.message) return missed('empty');
  // normalizeMessageContent removes wrappers (ephemeral, edited, …): an edit is a protocol message inside
  // `editedMessage`.
  if (content.protocolMessage) return { skipped: 'protocol message' };
  if (content.pollUpdateMessage) return { skipped: 'poll vote' };
  const message = toJson(received.message);
  // A sender key is a secret of the group and not content.
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

/** Returns the type of client that created a message, derived from its id. */
export function sourceOf(id: string): Message['source'] {
  return getDevice(id);
}
