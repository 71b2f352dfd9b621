// Returns the parts of message stanzas that depend on the content, as relayMessage() of Baileys rc14 creates them.

import {
  getMessageReportingToken,
  shouldIncludeReportingToken,
} from '@whiskeysockets/baileys/lib/Utils/reporting-utils.js';
import { takeRandomBytes } from '../../lib/random-bytes.ts';
import { normalizeMessageContent, type proto } from './library.ts';

/** Selects the lowest four bits of a random byte. Their value plus one is the length of the padding in bytes. */
const PADDING_MASK = 15;

/**
 * Lengths of the paddings that getMessageReportingToken() can read. It gets the padded content and reads the padding,
 * too, as fields of the message. With the other lengths, it derives a key, fails to read the padding, and returns null.
 * toReportingNode() saves this derivation.
 */
export const READABLE_PADDING_LENGTHS: ReadonlySet<number> = new Set([5, 8, 9, 16]);

/** Values of the attribute `mediatype` by the member of the content. The first member that is set counts. */
const MEDIA_TYPES: readonly (readonly [keyof proto.IMessage, string])[] = [
  ['imageMessage', 'image'],
  ['videoMessage', 'video'],
  ['audioMessage', 'audio'],
  ['contactMessage', 'vcard'],
  ['documentMessage', 'document'],
  ['contactsArrayMessage', 'contact_array'],
  ['liveLocationMessage', 'livelocation'],
  ['stickerMessage', 'sticker'],
  ['listMessage', 'list'],
  ['listResponseMessage', 'list_response'],
  ['buttonsResponseMessage', 'buttons_response'],
  ['orderMessage', 'order'],
  ['productMessage', 'product'],
  ['interactiveResponseMessage', 'native_flow_response'],
  ['groupInviteMessage', 'url'],
];

const POLL_MEMBERS: readonly (keyof proto.IMessage)[] = [
  'pollCreationMessage',
  'pollCreationMessageV2',
  'pollCreationMessageV3',
  'pollUpdateMessage',
];

/** Returns the value of `mediatype`; undefined when no member of MEDIA_TYPES is set. */
function mediaTypeOf(content: proto.IMessage): string | undefined {
  const type = MEDIA_TYPES.find(([member]) => content[member])?.[1];
  if (type === 'video' && content.videoMessage?.gifPlayback) return 'gif';
  if (type === 'audio' && content.audioMessage?.ptt) return 'ptt';
  return type;
}

/** Returns the value of the attribute `type` of a message stanza. */
export function stanzaTypeOf(message: proto.IMessage): 'text' | 'reaction' | 'poll' | 'event' | 'media' {
  const content = normalizeMessageContent(message);
  if (!content) return 'text';
  if (content.reactionMessage || content.encReactionMessage) return 'reaction';
  if (POLL_MEMBERS.some((member) => content[member])) return 'poll';
  if (content.eventMessage) return 'event';
  return mediaTypeOf(content) ? 'media' : 'text';
}

/** Returns those attributes of the `<enc>` elements of a message that depend on the content. */
export function encAttributesOf(message: proto.IMessage): Record<string, string> {
  const content = normalizeMessageContent(message);
  const isHiddenOnFailure = Boolean(content?.pinInChatMessage || content?.reactionMessage);
  // Like relayMessage(), uses `message` here and not `content`. Media in a wrapper, such as `viewOnceMessage`,
  // therefore gets no `mediatype`.
  const mediaType = mediaTypeOf(message);
  return {
    ...(mediaType ? { mediatype: mediaType } : {}),
    ...(isHiddenOnFailure ? { 'decrypt-fail': 'hide' } : {}),
  };
}

/** Appends a padding of 1 to 16 bytes to the content. The value of each padding byte is the length of the padding. */
export function pad(content: Uint8Array): Buffer {
  const [random = 0] = takeRandomBytes(1);
  const length = (random & PADDING_MASK) + 1;
  const padded = Buffer.allocUnsafe(content.length + length);
  padded.set(content);
  return padded.fill(length, content.length);
}

/**
 * Returns the element with the reporting token of a message. With the token, WhatsApp recognizes the message when the
 * recipient reports it. Returns null when Baileys would send no token. `bytes` is the encoded `message`.
 */
export async function toReportingNode(
  message: proto.IMessage,
  bytes: Uint8Array,
  key: { id: string; remoteJid: string },
) {
  if (!message.messageContextInfo?.messageSecret || !shouldIncludeReportingToken(message)) return null;
  // Like relayMessage(), passes the padded content. The length of the padding is random, so only about every fourth
  // message gets a token.
  const padded = pad(bytes);
  if (!READABLE_PADDING_LENGTHS.has(padded.length - bytes.length)) return null;
  return getMessageReportingToken(padded, message, { ...key, fromMe: true }).catch(() => null);
}
