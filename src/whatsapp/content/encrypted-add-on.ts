// Reads add-ons: messages that belong to an earlier message and are encrypted with the secret of that message. They are
// edits, reactions, comments, and answers to events. The gateway decrypts only edits and reactions. Poll votes are in
// poll.ts. "Add-on" is the name in WhatsApp Web. No I/O. Decision D-199.
import { createDecipheriv, hkdfSync } from 'node:crypto';
import { normalizeMessageContent, proto } from '../baileys/proto.ts';
import type { WireMessage } from '../baileys/types.ts';

const { MESSAGE_EDIT } = proto.Message.SecretEncryptedMessage.SecretEncType;

/**
 * What an add-on does. Edits of events and future kinds of edits are `other`. The gateway decrypts only the kinds that
 * PURPOSES lists.
 */
export type AddOnKind = 'edit' | 'reaction' | 'comment' | 'event answer' | 'other';

/**
 * The text in the key derivation for each kind. Because the texts differ, a ciphertext of one kind cannot be decrypted
 * as another kind.
 */
const PURPOSES: Partial<Record<AddOnKind, string>> = { edit: 'Message Edit', reaction: 'Enc Reaction' };

/** True when the gateway decrypts add-ons of this kind. The decryption needs the secret of the target message. */
export const isDecryptable = ({ kind }: EncryptedAddOn): boolean => PURPOSES[kind] !== undefined;

/** An add-on as it arrived. */
export interface EncryptedAddOn {
  kind: AddOnKind;
  /** Key of the message to which the add-on belongs, from the viewpoint of the add-on's sender. */
  target: proto.IMessageKey | undefined;
  /** Ciphertext and tag. */
  payload: Uint8Array;
  iv: Uint8Array;
}

interface AddOnFields {
  encPayload?: Uint8Array | null;
  encIv?: Uint8Array | null;
}

/**
 * Maximum size of a ciphertext in bytes. The longest text has 65,536 characters of up to four bytes, and some clients
 * repeat the text in the data of its link preview.
 */
const MAX_PAYLOAD_BYTES = 1_048_576;
/** Length of the initialization vector in bytes. WhatsApp Web accepts no other length. */
const IV_LENGTH = 12;
/** Length of the authentication tag at the end of the payload, in bytes. */
const TAG_LENGTH = 16;
/** Length of an AES-256 key in bytes. */
const KEY_LENGTH = 32;

/** Returns the add-on in a message, or undefined for any other message. */
export function encryptedAddOnIn({ message }: Pick<WireMessage, 'message'>): EncryptedAddOn | undefined {
  const content = normalizeMessageContent(message);
  if (!content) return undefined;
  const { secretEncryptedMessage, encReactionMessage, encCommentMessage, encEventResponseMessage } = content;
  if (secretEncryptedMessage) {
    const kind = secretEncryptedMessage.secretEncType === MESSAGE_EDIT ? 'edit' : 'other';
    return toAddOn(kind, secretEncryptedMessage.targetMessageKey, secretEncryptedMessage);
  }
  if (encReactionMessage) return toAddOn('reaction', encReactionMessage.targetMessageKey, encReactionMessage);
  if (encCommentMessage) return toAddOn('comment', encCommentMessage.targetMessageKey, encCommentMessage);
  if (!encEventResponseMessage) return undefined;
  return toAddOn('event answer', encEventResponseMessage.eventCreationMessageKey, encEventResponseMessage);
}

const toAddOn = (
  kind: AddOnKind,
  target: proto.IMessageKey | null | undefined,
  { encPayload, encIv }: AddOnFields,
): EncryptedAddOn => ({
  kind,
  target: target ?? undefined,
  payload: encPayload ?? new Uint8Array(),
  iv: encIv ?? new Uint8Array(),
});

/** The values from which the key of an add-on is derived. */
export interface AddOnKeyMaterial {
  /** The secret of the target message. */
  secret: Uint8Array;
  /** Id of the target message. */
  targetId: string;
  /** Known addresses of the author of the target message. */
  authorJids: readonly string[];
  /** Known addresses of the sender of the add-on. */
  senderJids: readonly string[];
}

/**
 * Decrypts an add-on. The key is derived from one address of the author and one of the sender. The message does not say
 * whether the sender's client used phone numbers or LIDs (ids that hide the number), so all known addresses are tried.
 * Returns undefined when no combination fits, or when the add-on is malformed or too large. Source:
 * WAWebAddonEncryption of WhatsApp Web, and msgsecret.go of whatsmeow.
 */
export function decryptAddOn(
  { kind, payload, iv }: EncryptedAddOn,
  { secret, targetId, authorJids, senderJids }: AddOnKeyMaterial,
): Buffer | undefined {
  const purpose = PURPOSES[kind];
  if (!purpose || iv.length !== IV_LENGTH || payload.length < TAG_LENGTH || payload.length > MAX_PAYLOAD_BYTES)
    return undefined;
  for (const author of authorJids) {
    for (const sender of senderJids) {
      const info = `${targetId}${author}${sender}${purpose}`;
      const key = hkdfSync('sha256', secret, new Uint8Array(), info, KEY_LENGTH);
      const plaintext = decryptGcm(new Uint8Array(key), iv, payload);
      if (plaintext) return plaintext;
    }
  }
  return undefined;
}

/** Decrypts with AES-256-GCM without additional data. Returns undefined when the tag does not fit. */
function decryptGcm(key: Uint8Array, iv: Uint8Array, payload: Uint8Array): Buffer | undefined {
  const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_LENGTH });
  decipher.setAuthTag(payload.subarray(-TAG_LENGTH));
  const plaintext = decipher.update(payload.subarray(0, -TAG_LENGTH));
  try {
    return Buffer.concat([plaintext, decipher.final()]);
  } catch {
    return undefined;
  }
}
