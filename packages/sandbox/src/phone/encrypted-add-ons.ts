// Encrypts add-ons (edits and reactions). The key of an add-on is derived from the secret of the message that is edited
// or reacted to.
import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { proto } from '@whiskeysockets/baileys';

/** The message that is edited or reacted to, as the phone of the add-on's sender has it. */
interface Target {
  key: proto.IMessageKey;
  content: proto.IMessage;
}

/** The JIDs of the author and the sender, in the form that the chat uses: phone number or LID. */
interface People {
  /** The author of the target message. */
  author: string;
  /** The sender of the add-on: the person who edits or reacts. */
  sender: string;
}

/**
 * Encrypts the content of an add-on. `useCase` is WhatsApp's label for the kind of add-on, an input of the key. Throws
 * RangeError when the target message has no secret.
 */
export function encryptAddOn(
  { key, content }: Target,
  { author, sender }: People,
  useCase: 'Message Edit' | 'Enc Reaction',
  plaintext: Uint8Array,
): { targetMessageKey: proto.IMessageKey; encPayload: Buffer; encIv: Buffer } {
  const secret = content.messageContextInfo?.messageSecret;
  if (!secret) throw new RangeError(`the message ${key.id} has no secret`);
  const info = Buffer.from(`${key.id}${author}${sender}${useCase}`);
  const encIv = randomBytes(12);
  const encryptionKey = Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(32), info, 32));
  const cipher = createCipheriv('aes-256-gcm', encryptionKey, encIv);
  const encPayload = Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
  return { targetMessageKey: key, encPayload, encIv };
}

/** Encrypts `edit`, the content of an unencrypted edit. Throws RangeError when the edited message has no secret. */
export function encryptEdit(target: Target, people: People, edit: proto.IMessage): proto.IMessage {
  const plaintext = proto.Message.encode(edit).finish();
  const secretEncType = proto.Message.SecretEncryptedMessage.SecretEncType.MESSAGE_EDIT;
  return { secretEncryptedMessage: { ...encryptAddOn(target, people, 'Message Edit', plaintext), secretEncType } };
}

/**
 * Encrypts a reaction. An empty emoji removes the earlier reaction of the sender. Throws RangeError when the target
 * message has no secret.
 */
export function encryptReaction(
  target: Target,
  people: People,
  { emoji, nowMs }: { emoji: string; nowMs: number },
): proto.IMessage {
  const plaintext = proto.Message.ReactionMessage.encode({ text: emoji, senderTimestampMs: nowMs }).finish();
  return { encReactionMessage: encryptAddOn(target, people, 'Enc Reaction', plaintext) };
}
