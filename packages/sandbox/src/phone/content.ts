// Converts drafts to message content (protobuf), and message content to the description that the control API returns.
import { randomBytes } from 'node:crypto';
import { getContentType, normalizeMessageContent, proto } from '@whiskeysockets/baileys';
import { decodeContent, type RawContent } from '../crypto/plaintext.ts';
import { type MediaDraft, uploadEncrypted } from '../media/attachments.ts';
import type { MediaHost } from '../media/media-host.ts';
import type { PhoneMessage } from '../world/model.ts';
import { encryptEdit, encryptReaction } from './encrypted-add-ons.ts';
import { createPoll, createVote, type PollDraft } from './polls.ts';
import { isViewOnce, PINNED } from './visibility.ts';

/** A message to be sent. Exactly one kind of content, or `raw`, is set. Ids are those of messages in the same chat. */
export interface Draft {
  text?: string;
  media?: MediaDraft;
  location?: { latitude: number; longitude: number; name?: string; address?: string };
  contact?: { name: string; number: string };
  /**
   * `id`: the message that gets the reaction. An empty emoji removes the reaction. `encrypted`: the reaction is
   * encrypted with the secret of that message, as in announcement groups of communities.
   */
  reaction?: { id: string; emoji: string; encrypted?: boolean | undefined };
  /** `encrypted`: the edit is encrypted with the secret of the edited message, as apps do since May 2026. */
  edit?: { id: string; text: string; encrypted?: boolean | undefined };
  delete?: { id: string };
  poll?: PollDraft;
  /** Number of seconds for which the message is pinned; 0 unpins it. */
  pin?: { id: string; seconds: number };
  /** Changes the disappearing timer of the chat: number of seconds after which messages disappear; 0: never. */
  ephemeral?: number;
  /** Names of the chosen options; an empty array removes the vote. */
  vote?: { id: string; options: string[] };
  /** The encoded message; it need not be a valid protobuf. */
  raw?: RawContent | undefined;
  /** Id of the quoted message (for text, media, location and contact). */
  quoted?: string;
  /** Numbers mentioned in a text. */
  mentions?: string[];
}

/** Returns the key and content of the message `id`. Throws RangeError when the author's phone does not have it. */
export type Lookup = (id: string) => { key: proto.IMessageKey; content: proto.IMessage };

/** Facts about the chat and the author that the conversion of a draft needs. */
export interface ChatContext {
  lookup: Lookup;
  /** The JID of the account that has `number`: phone-number JID or LID (second address), as the chat requires. */
  jidOf(number: string): string;
  /** The JID of the author of a message. */
  authorOf(key: proto.IMessageKey): string;
  /** The JID of the draft's author, as the chat addresses people. */
  ownJid: string;
  /** The disappearing timer of the chat, in seconds. */
  expiration?: number | undefined;
  /** Epoch ms. */
  nowMs: number;
  /** Where files are uploaded. */
  mediaHost: MediaHost;
}

const { EPHEMERAL_SETTING, MESSAGE_EDIT, REVOKE } = proto.Message.ProtocolMessage.Type;
const { PIN_FOR_ALL, UNPIN_FOR_ALL } = proto.Message.PinInChatMessage.Type;

/** Creates the content for each kind of draft. */
const BUILDERS: {
  [K in Kind]: Builder<K>;
} = {
  text: (text, contextInfo) => (contextInfo ? { extendedTextMessage: { text, contextInfo } } : { conversation: text }),
  media: (draft, contextInfo, { mediaHost, nowMs }) => {
    const content = withContext(uploadEncrypted(mediaHost, draft, Math.floor(nowMs / 1000)), contextInfo);
    return draft.viewOnce ? toViewOnce(content) : content;
  },
  location: ({ latitude, longitude, name, address }, contextInfo) => ({
    locationMessage: { degreesLatitude: latitude, degreesLongitude: longitude, name, address, contextInfo },
  }),
  contact: ({ name, number }, contextInfo) => ({
    contactMessage: { displayName: name, vcard: vcard(name, number), contextInfo },
  }),
  reaction: ({ id, emoji, encrypted }, _contextInfo, { lookup, authorOf, ownJid, nowMs }) => {
    const target = lookup(id);
    const { key } = target;
    if (encrypted) return encryptReaction(target, { author: authorOf(key), sender: ownJid }, { emoji, nowMs });
    return { reactionMessage: { key, text: emoji, senderTimestampMs: nowMs } };
  },
  edit: ({ id, text, encrypted }, _contextInfo, { lookup, authorOf, ownJid, nowMs }) => {
    const target = lookup(id);
    const { key } = target;
    const editedMessage = encrypted ? { extendedTextMessage: { text } } : { conversation: text };
    const edit = { protocolMessage: { key, type: MESSAGE_EDIT, editedMessage, timestampMs: nowMs } };
    return encrypted ? encryptEdit(target, { author: authorOf(key), sender: ownJid }, edit) : edit;
  },
  delete: ({ id }, _contextInfo, { lookup }) => ({
    protocolMessage: { key: lookup(id).key, type: REVOKE },
  }),
  poll: createPoll,
  pin: ({ id, seconds }, _contextInfo, { lookup, nowMs }) => ({
    pinInChatMessage: {
      key: lookup(id).key,
      type: seconds > 0 ? PIN_FOR_ALL : UNPIN_FOR_ALL,
      senderTimestampMs: nowMs,
    },
    messageContextInfo: { messageAddOnDurationInSecs: seconds },
  }),
  ephemeral: (ephemeralExpiration, _contextInfo, { nowMs }) => ({
    protocolMessage: {
      type: EPHEMERAL_SETTING,
      ephemeralExpiration,
      ephemeralSettingTimestamp: Math.floor(nowMs / 1000),
    },
  }),
  vote: ({ id, options }, _contextInfo, { lookup, authorOf, ownJid, nowMs }) => {
    const poll = lookup(id);
    return createVote(poll, options, { creator: authorOf(poll.key), voter: ownJid, nowMs });
  },
};

type Kind = Exclude<keyof Draft, 'quoted' | 'mentions' | 'raw'>;

type Builder<K extends keyof Draft> = (
  body: NonNullable<Draft[K]>,
  contextInfo: proto.IContextInfo | undefined,
  chat: ChatContext,
) => proto.IMessage;

export const DRAFT_KINDS = Object.keys(BUILDERS) as Kind[];

/** Creates the content to encrypt. Throws RangeError when the draft has no content or refers to an unknown message. */
export function toContent(draft: Draft, chat: ChatContext): proto.IMessage {
  if (draft.raw) return decodeContent(draft.raw);
  const kind = DRAFT_KINDS.find((name) => draft[name] !== undefined);
  if (!kind) throw new RangeError(`a message needs one of ${DRAFT_KINDS.join(', ')}`);
  const contextInfo = contextInfoFor(draft, chat);
  const content = buildContent(kind, draft, contextInfo, chat);
  // Real phones add a secret to every message. Clients under test must accept this second field beside the content.
  return { ...content, messageContextInfo: { messageSecret: randomBytes(32), ...content.messageContextInfo } };
}

function buildContent<K extends Kind>(
  kind: K,
  draft: Draft,
  contextInfo: proto.IContextInfo | undefined,
  chat: ChatContext,
): proto.IMessage {
  const body = draft[kind];
  if (body === undefined) throw new RangeError(`${kind} is missing`);
  return BUILDERS[kind](body, contextInfo, chat);
}

/** The quoted message, the mentions and the disappearing timer of a draft; undefined when it has none of them. */
function contextInfoFor(draft: Draft, chat: ChatContext): proto.IContextInfo | undefined {
  const { expiration } = chat;
  if (draft.quoted === undefined && !draft.mentions?.length && !expiration) return undefined;
  const quoted = draft.quoted === undefined ? undefined : chat.lookup(draft.quoted);
  return {
    stanzaId: quoted?.key.id,
    participant: quoted && chat.authorOf(quoted.key),
    quotedMessage: quoted?.content,
    mentionedJid: draft.mentions?.map(chat.jidOf),
    expiration,
  };
}

/** Adds `contextInfo` to media content, which has exactly one body. */
const withContext = (content: proto.IMessage, contextInfo: proto.IContextInfo | undefined): proto.IMessage =>
  Object.fromEntries(Object.entries(content).map(([name, body]) => [name, { ...body, contextInfo }]));

/** Makes media content view-once, as phones do: sets a flag in the media message and wraps that message. */
function toViewOnce(content: proto.IMessage): proto.IMessage {
  const message = Object.fromEntries(
    Object.entries(content).map(([name, body]) => [name, { ...body, viewOnce: true }]),
  );
  return content.audioMessage ? { viewOnceMessageV2Extension: { message } } : { viewOnceMessageV2: { message } };
}

const vcard = (name: string, number: string) =>
  `BEGIN:VCARD\nVERSION:3.0\nFN:${name}\nTEL;type=CELL;waid=${number}:+${number}\nEND:VCARD`;

const isPoll = (content: proto.IMessage) =>
  Object.entries(content).some(([name, body]) => body && /^poll(Creation|Update)Message/.test(name));

/** Values of the stanza's attribute `edit` for an edit and for a deletion. */
const EDITED = '1';
const DELETED = '7';

/** The stanza attributes that tell the server the kind of a message, because the server cannot decrypt the content. */
export function stanzaAttributesOf(content: proto.IMessage): { type: string; edit?: string } {
  if (content.reactionMessage || content.encReactionMessage) return { type: 'reaction' };
  if (isPoll(content)) return { type: 'poll' };
  const protocolType = content.protocolMessage?.type;
  if (protocolType === MESSAGE_EDIT || content.secretEncryptedMessage) return { type: 'text', edit: EDITED };
  if (protocolType === REVOKE) return { type: 'text', edit: DELETED };
  if (content.pinInChatMessage) return { type: 'text', edit: PINNED };
  // Protocol messages, such as the disappearing timer, also have the type `text`.
  const textContent = content.conversation ?? content.extendedTextMessage ?? content.protocolMessage;
  return { type: textContent ? 'text' : 'media' };
}

type Description = Omit<PhoneMessage, 'id' | 'from' | 'chat' | 'addressing' | 'timestamp' | 'fromMe' | 'receipts'>;

/**
 * The part of a PhoneMessage that depends on the content alone. `message` is the whole content as JSON: bytes as
 * base64, 64-bit integers as strings, enums by name.
 */
export function describeContent(content: proto.IMessage): Description {
  const inner = normalizeMessageContent(content) ?? {};
  const type = getContentType(inner);
  const body: unknown = type && inner[type];
  const context = contextInfoOf(body);
  return {
    kind: kindOf(inner, type),
    text: textOf(inner, body),
    quoted: context?.stanzaId ?? undefined,
    mentions: context?.mentionedJid?.length ? context.mentionedJid : undefined,
    mentionsAll: context?.nonJidMentions === 1 || undefined,
    forwarded: (context?.isForwarded && context.forwardingScore) || undefined,
    expiration: context?.expiration || undefined,
    viewOnce: isViewOnce(content) || undefined,
    album: albumIdOf(content),
    target: targetIdOf(inner),
    message: proto.Message.toObject(proto.Message.fromObject(content), { longs: String, enums: String, bytes: String }),
  };
}

/** Id of the message to which a reaction, edit, deletion, pin or vote refers. */
function targetIdOf(content: proto.IMessage): string | undefined {
  return (
    content.reactionMessage?.key?.id ??
    content.encReactionMessage?.targetMessageKey?.id ??
    content.secretEncryptedMessage?.targetMessageKey?.id ??
    content.protocolMessage?.key?.id ??
    content.pinInChatMessage?.key?.id ??
    content.pollUpdateMessage?.pollCreationMessageKey?.id ??
    undefined
  );
}

/** Id of the album that the message belongs to. */
function albumIdOf({ messageContextInfo }: proto.IMessage): string | undefined {
  const { associationType, parentMessageKey } = messageContextInfo?.messageAssociation ?? {};
  const isPart = associationType === proto.MessageAssociation.AssociationType.MEDIA_ALBUM;
  return (isPart && parentMessageKey?.id) || undefined;
}

function kindOf(content: proto.IMessage, type: keyof proto.IMessage | undefined): string {
  if (type === 'conversation' || type === 'extendedTextMessage') return 'text';
  if (type === 'protocolMessage') {
    const protocolType = content.protocolMessage?.type;
    if (protocolType === EPHEMERAL_SETTING) return 'ephemeral';
    if (protocolType === MESSAGE_EDIT) return 'edit';
    return protocolType === REVOKE ? 'delete' : 'protocol';
  }
  if (type?.startsWith('pollCreationMessage')) return 'poll';
  if (type === 'pollUpdateMessage') return 'vote';
  if (type === 'pinInChatMessage') return 'pin';
  return type?.replace(/Message$/, '') ?? 'unknown';
}

function textOf(content: proto.IMessage, body: unknown): string | undefined {
  const edited = content.protocolMessage?.editedMessage;
  if (edited) return describeContent(edited).text;
  const caption = typeof body === 'object' && body !== null ? Reflect.get(body, 'caption') : undefined;
  return (
    content.conversation ??
    content.extendedTextMessage?.text ??
    content.reactionMessage?.text ??
    (typeof caption === 'string' ? caption : undefined)
  );
}

function contextInfoOf(body: unknown): proto.IContextInfo | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  return Reflect.get(body, 'contextInfo') ?? undefined;
}
