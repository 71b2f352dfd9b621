// The padded plaintext of a phone's messages, from message content or from the bytes that a test supplies.
import { encodeWAMessage, proto, writeRandomPadMax16 } from '@whiskeysockets/baileys';

/**
 * A message as bytes: exactly what the reader finds after decryption and unpadding, whether or not it is a valid
 * protobuf.
 */
export type RawContent = Uint8Array;

/** What there is to send: the content, and its bytes when they were given. */
export interface Sendable {
  content: proto.IMessage;
  raw?: RawContent | undefined;
}

/** Field number and wire type 2 (length-delimited), see the protobuf encoding guide. */
const DEVICE_SENT_MESSAGE = 31;
const DEVICE_SENT_CONTENT = 2;

/**
 * Content given as protobuf JSON (the form of `fromObject`, bytes as base64) → its bytes. Throws RangeError when it
 * does not fit the definition.
 */
export function fromProtobufJson(json: Record<string, unknown>): RawContent {
  try {
    return proto.Message.encode(proto.Message.fromObject(json)).finish();
  } catch (error) {
    throw new RangeError(`content is not a message: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The content that the bytes hold; none of it when they are not a protobuf. */
export function decodeContent(raw: RawContent): proto.IMessage {
  try {
    return proto.Message.decode(raw);
  } catch {
    return {};
  }
}

/** The padded plaintext for a device in the chat. */
export function plaintextOf({ content, raw }: Sendable): Uint8Array {
  return raw ? writeRandomPadMax16(raw) : encodeWAMessage(content);
}

/** The padded plaintext for the author's own devices: the message inside a note about which chat it was sent to. */
export function deviceSentPlaintextOf({ content, raw }: Sendable, destinationJid: string): Uint8Array {
  if (!raw) return encodeWAMessage({ deviceSentMessage: { destinationJid, message: content } });
  const destination = proto.Message.DeviceSentMessage.encode({ destinationJid }).finish();
  const body = Buffer.concat([destination, lengthDelimited(DEVICE_SENT_CONTENT, raw)]);
  return writeRandomPadMax16(lengthDelimited(DEVICE_SENT_MESSAGE, body));
}

/** The padded plaintext with a group's sender key beside the message. A concatenation of protobufs is their merge. */
export function withSenderKey(
  { content, raw }: Sendable,
  senderKeyDistributionMessage: proto.Message.ISenderKeyDistributionMessage,
): Uint8Array {
  if (!raw) return encodeWAMessage({ ...content, senderKeyDistributionMessage });
  const key = proto.Message.encode({ senderKeyDistributionMessage }).finish();
  return writeRandomPadMax16(Buffer.concat([key, raw]));
}

function lengthDelimited(field: number, bytes: Uint8Array): Buffer {
  return Buffer.concat([varint((field << 3) | 2), varint(bytes.length), bytes]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (; value > 0x7f; value = Math.floor(value / 0x80)) bytes.push((value & 0x7f) | 0x80);
  return Buffer.from([...bytes, value]);
}
