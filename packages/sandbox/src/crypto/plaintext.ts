// Creates the padded plaintext of a phone's messages, from message content or from the bytes that a test supplies.
import { encodeWAMessage, proto, writeRandomPadMax16 } from '@whiskeysockets/baileys';

/**
 * The encoded content of a message, as the recipient gets it after decryption and unpadding. It need not be a valid
 * protobuf.
 */
export type RawContent = Uint8Array;

/** The content of a message. `raw` is the encoded form, if the caller supplied one. It is sent instead of `content`. */
export interface Sendable {
  content: proto.IMessage;
  raw?: RawContent | undefined;
}

/** Protobuf field numbers of Message.deviceSentMessage and DeviceSentMessage.message. */
const DEVICE_SENT_MESSAGE = 31;
const DEVICE_SENT_CONTENT = 2;

/**
 * Encodes message content as protobuf. `json` has the form of protobufjs' fromObject(), with bytes as base64. Throws
 * RangeError when `json` does not match the protobuf definition.
 */
export function fromProtobufJson(json: Record<string, unknown>): RawContent {
  try {
    return proto.Message.encode(proto.Message.fromObject(json)).finish();
  } catch (error) {
    throw new RangeError(`content is not a message: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Decodes message content; empty when the bytes are no valid protobuf. */
export function decodeContent(raw: RawContent): proto.IMessage {
  try {
    return proto.Message.decode(raw);
  } catch {
    return {};
  }
}

/** The padded plaintext for a recipient's device. */
export function plaintextOf({ content, raw }: Sendable): Uint8Array {
  return raw ? writeRandomPadMax16(raw) : encodeWAMessage(content);
}

/**
 * The padded plaintext for the author's other devices: a `deviceSentMessage` with the message and its chat's JID. The
 * `messageContextInfo` of the message, which contains the message secret, moves out of the inner message and beside the
 * `deviceSentMessage`, as in real clients. Raw bytes become the inner message unchanged.
 */
export function deviceSentPlaintextOf({ content, raw }: Sendable, destinationJid: string): Uint8Array {
  if (!raw) {
    const { messageContextInfo, ...message } = content;
    return encodeWAMessage({ deviceSentMessage: { destinationJid, message }, messageContextInfo });
  }
  const destination = proto.Message.DeviceSentMessage.encode({ destinationJid }).finish();
  const body = Buffer.concat([destination, lengthDelimited(DEVICE_SENT_CONTENT, raw)]);
  return writeRandomPadMax16(lengthDelimited(DEVICE_SENT_MESSAGE, body));
}

/**
 * The padded plaintext of the message together with the author's sender key, which decrypts group messages. The encoded
 * key is put in front of raw bytes, because concatenated protobufs are decoded as one message with the fields of both.
 */
export function withSenderKey(
  { content, raw }: Sendable,
  senderKeyDistributionMessage: proto.Message.ISenderKeyDistributionMessage,
): Uint8Array {
  if (!raw) return encodeWAMessage({ ...content, senderKeyDistributionMessage });
  const key = proto.Message.encode({ senderKeyDistributionMessage }).finish();
  return writeRandomPadMax16(Buffer.concat([key, raw]));
}

/** Encodes a protobuf field of wire type 2 (length-delimited). */
function lengthDelimited(field: number, bytes: Uint8Array): Buffer {
  return Buffer.concat([varint((field << 3) | 2), varint(bytes.length), bytes]);
}

/** Encodes an integer as protobuf does: seven bits per byte, the lowest first. */
function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (; value > 0x7f; value = Math.floor(value / 0x80)) bytes.push((value & 0x7f) | 0x80);
  return Buffer.from([...bytes, value]);
}
