// Keeps the message secret of messages that other devices of the account send in direct chats. Decision D-199.
// Why: the sending device also sends a copy of its message to the other devices of the account. In this copy,
//   `deviceSentMessage` wraps the message, and `messageContextInfo`, which contains the secret, is beside
//   `deviceSentMessage`. Baileys takes only the wrapped message and loses the secret. Votes, edits and reactions that
//   refer to the message cannot be decrypted without the secret.
// Upstream: WhiskeySockets/Baileys#2566 (pull request, closed).
// Applies to: Baileys 7.0.0-rc14.
// Remove when: Baileys merges both contexts when it unwraps a message.

import { proto } from '../library.ts';
import { readBytesField } from '../protobuf-fields.ts';

/** Protobuf field numbers of Message.deviceSentMessage, Message.messageContextInfo and DeviceSentMessage.message. */
const DEVICE_SENT_MESSAGE = 31;
const CONTEXT_INFO = 35;
const DEVICE_SENT_CONTENT = 2;

/** Padding of one byte. The last byte of a padded plaintext is the number of padding bytes. */
const PADDING = Buffer.of(1);

/**
 * `padded` is the padded plaintext of a decrypted message. If the plaintext contains both `deviceSentMessage` and
 * `messageContextInfo`, returns the wrapped message, padded. Its context is the merged context of both messages. For a
 * field in both contexts, the value in the wrapped message counts. Returns any other plaintext unchanged.
 */
export function unwrapDeviceSent(padded: Uint8Array): Uint8Array {
  try {
    const plaintext = padded.subarray(0, padded.length - (padded.at(-1) ?? 0));
    const wrapper = readBytesField(plaintext, DEVICE_SENT_MESSAGE);
    const outerContext = wrapper && readBytesField(plaintext, CONTEXT_INFO);
    const content = outerContext && readBytesField(wrapper, DEVICE_SENT_CONTENT);
    if (!content) return padded;
    // Concatenating encoded protobufs merges them; the last value of a field wins.
    const contexts = Buffer.concat([outerContext, readBytesField(content, CONTEXT_INFO) ?? Buffer.alloc(0)]);
    const messageContextInfo = proto.MessageContextInfo.decode(contexts);
    return Buffer.concat([content, proto.Message.encode({ messageContextInfo }).finish(), PADDING]);
  } catch {
    // The plaintext is malformed. Baileys reports the error when it decodes the plaintext.
    return padded;
  }
}
