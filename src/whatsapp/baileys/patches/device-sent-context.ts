// Keeps the message secret of messages that other devices of the account send in direct chats. Decision D-199.
// Why: WhatsApp's clients wrap the copy for the account's own devices in a `deviceSentMessage` and put the
//   `messageContextInfo` beside it. Baileys takes only the wrapped message and loses the secret. Votes, edits and
//   reactions that refer to the message cannot be decrypted without it.
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
 * Returns the padded plaintext of a message. If the plaintext is a wrapped message with a context beside it, returns
 * the message itself with both contexts merged. For a field in both contexts, the message's own value counts. Returns
 * any other plaintext unchanged.
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
    // Baileys reports what is malformed.
    return padded;
  }
}
