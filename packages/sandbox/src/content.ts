// Converts drafts to message content (protobuf), and message content to what the control API shows. No state, no
// cryptography.
import { randomBytes } from 'node:crypto';
import { getContentType, normalizeMessageContent, proto } from '@whiskeysockets/baileys';
import { attach, type MediaDraft } from './attachments.ts';
import type { MediaHost } from './media-host.ts';
import type { PhoneMessage } from './model.ts';
import { decodeContent, type Raw } from './plaintext.ts';
import { createPoll, createVote, type PollDraft } from './polls.ts';
import { isViewOnce } from './visibility.ts';

/** A message as a person asks for it; exactly one kind. Ids name messages of the same chat. */
export interface Draft {
  text?: string;
  media?: MediaDraft;
  location?: { latitude: number; longitude: number; name?: string; address?: string };
  contact?: { name: string; number: string };
  /** An empty emoji takes the reaction back. */
  reaction?: { id: string; emoji: string };
  edit?: { id: string; text: string };
  delete?: { id: string };
  poll?: PollDraft;
  /** Seconds it stays at the top of the chat; 0 takes it down. */
  pin?: { id: string; seconds: number };
  /** Seconds after which messages of the chat disappear; 0 keeps them. */
  ephemeral?: number;
  /** Names of options; none takes the vote back. */
  vote?: { id: string; options: string[] };
  /** The bytes of the message as they are; they need not be a valid protobuf. */
  raw?: Raw | undefined;
  /** Id of the message that this one answers (text, media, location, contact). */
  quoted?: string;
  /** Numbers mentioned in a text. */
  mentions?: string[];
}

/**
 * What a draft may refer to: a message of the chat, as its sender's phone names it. Throws RangeError when there is
 * none.
 */
export type Lookup = (id: string) => { key: proto.IMessageKey; content: proto.IMessage };

/** What a draft is turned into content with. */
export interface Reference {
  lookup: Lookup;
  /** A mentioned number as JID. */
  jidOf(number: string): string;
  /** A message key → its author's JID. */
  authorOf(key: proto.IMessageKey): string;
  /** The author's own JID, as the chat names people. */
  me: string;
  /** Seconds after which messages of the chat disappear, if they do. */
  expiration?: number | undefined;
  /** Epoch ms. */
  now: number;
  /** Takes the files. */
  host: MediaHost;
}

const { EPHEMERAL_SETTING } = proto.Message.ProtocolMessage.Type;
const { PIN_FOR_ALL, UNPIN_FOR_ALL } = proto.Message.PinInChatMessage.Type;

/** Kinds that a draft can have. */
const builders: {
  [K in Kind]: Builder<K>;
} = {
  text: (text, context) => (context ? { extendedTextMessage: { text, contextInfo: context } } : { conversation: text }),
  media: (draft, contextInfo, { host, now }) => {
    const content = withContext(attach(host, draft, Math.floor(now / 1000)), contextInfo);
    return draft.viewOnce ? once(content) : content;
  },
  location: ({ latitude, longitude, name, address }, contextInfo) => ({
    locationMessage: { degreesLatitude: latitude, degreesLongitude: longitude, name, address, contextInfo },
  }),
  contact: ({ name, number }, contextInfo) => ({
    contactMessage: { displayName: name, vcard: vcard(name, number), contextInfo },
  }),
  reaction: ({ id, emoji }, _context, { lookup, now }) => ({
    reactionMessage: { key: lookup(id).key, text: emoji, senderTimestampMs: now },
  }),
  edit: ({ id, text }, _context, { lookup, now }) => ({
    protocolMessage: {
      key: lookup(id).key,
      type: proto.Message.ProtocolMessage.Type.MESSAGE_EDIT,
      editedMessage: { conversation: text },
      timestampMs: now,
    },
  }),
  delete: ({ id }, _context, { lookup }) => ({
    protocolMessage: { key: lookup(id).key, type: proto.Message.ProtocolMessage.Type.REVOKE },
  }),
  poll: createPoll,
  pin: ({ id, seconds }, _context, { lookup, now }) => ({
    pinInChatMessage: {
      key: lookup(id).key,
      type: seconds > 0 ? PIN_FOR_ALL : UNPIN_FOR_ALL,
      senderTimestampMs: now,
    },
    messageContextInfo: { messageAddOnDurationInSecs: seconds },
  }),
  ephemeral: (ephemeralExpiration, _context, { now }) => ({
    protocolMessage: {
      type: EPHEMERAL_SETTING,
      ephemeralExpiration,
      ephemeralSettingTimestamp: Math.floor(now / 1000),
    },
  }),
  vote: ({ id, options }, _context, { lookup, authorOf, me, now }) => {
    const poll = lookup(id);
    return createVote(poll, options, { creator: authorOf(poll.key), voter: me, now });
  },
};

type Kind = Exclude<keyof Draft, 'quoted' | 'mentions' | 'raw'>;

type Builder<K extends keyof Draft> = (
  body: NonNullable<Draft[K]>,
  context: proto.IContextInfo | undefined,
  refer: Reference,
) => proto.IMessage;

export const DRAFT_KINDS = Object.keys(builders) as Kind[];

/** The content to encrypt. Throws RangeError when the draft has no kind or refers to an unknown message. */
export function toContent(draft: Draft, refer: Reference): proto.IMessage {
  if (draft.raw) return decodeContent(draft.raw);
  const kind = DRAFT_KINDS.find((name) => draft[name] !== undefined);
  if (!kind) throw new RangeError(`a message needs one of ${DRAFT_KINDS.join(', ')}`);
  const context = contextOf(draft, refer);
  const content = build(kind, draft, context, refer);
  // Phones add a secret to everything they send; readers that expect one key per message stumble over it.
  return { ...content, messageContextInfo: { messageSecret: randomBytes(32), ...content.messageContextInfo } };
}

function build<K extends Kind>(
  kind: K,
  draft: Draft,
  context: proto.IContextInfo | undefined,
  refer: Reference,
): proto.IMessage {
  const body = draft[kind];
  if (body === undefined) throw new RangeError(`${kind} is missing`);
  return builders[kind](body, context, refer);
}

function contextOf(draft: Draft, refer: Reference): proto.IContextInfo | undefined {
  const { expiration } = refer;
  if (draft.quoted === undefined && !draft.mentions?.length && !expiration) return undefined;
  const quoted = draft.quoted === undefined ? undefined : refer.lookup(draft.quoted);
  return {
    stanzaId: quoted?.key.id,
    participant: quoted && refer.authorOf(quoted.key),
    quotedMessage: quoted?.content,
    mentionedJid: draft.mentions?.map(refer.jidOf),
    expiration,
  };
}

/** Media content has one body, whichever it is. */
const withContext = (content: proto.IMessage, contextInfo: proto.IContextInfo | undefined): proto.IMessage =>
  Object.fromEntries(Object.entries(content).map(([name, body]) => [name, { ...body, contextInfo }]));

/** To be looked at once: as phones wrap it, and flagged for those who look inside. */
function once(content: proto.IMessage): proto.IMessage {
  const message = Object.fromEntries(
    Object.entries(content).map(([name, body]) => [name, { ...body, viewOnce: true }]),
  );
  return content.audioMessage ? { viewOnceMessageV2Extension: { message } } : { viewOnceMessageV2: { message } };
}

const vcard = (name: string, number: string) =>
  `BEGIN:VCARD\nVERSION:3.0\nFN:${name}\nTEL;type=CELL;waid=${number}:+${number}\nEND:VCARD`;

const isPoll = (content: proto.IMessage) =>
  Object.entries(content).some(([name, body]) => body && /^poll(Creation|Update)Message/.test(name));

/** Attributes of the stanza that carries it: the kind of message, as the client declares it to the platform. */
export function envelopeOf(content: proto.IMessage): { type: string; edit?: string } {
  if (content.reactionMessage) return { type: 'reaction' };
  if (isPoll(content)) return { type: 'poll' };
  const type = content.protocolMessage?.type;
  if (type === proto.Message.ProtocolMessage.Type.MESSAGE_EDIT) return { type: 'text', edit: '1' };
  if (content.protocolMessage && type === proto.Message.ProtocolMessage.Type.REVOKE) return { type: 'text', edit: '7' };
  if (content.pinInChatMessage) return { type: 'text', edit: '2' };
  const isText = content.conversation ?? content.extendedTextMessage ?? content.protocolMessage;
  return { type: isText ? 'text' : 'media' };
}

type Description = Omit<PhoneMessage, 'id' | 'from' | 'chat' | 'timestamp' | 'fromMe' | 'receipts'>;

/**
 * What a person sees of the content, and the whole of it as JSON (bytes base64, 64-bit integers as strings, enums by
 * name).
 */
export function describe(content: proto.IMessage): Description {
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
    album: albumOf(content),
    target:
      inner.reactionMessage?.key?.id ??
      inner.protocolMessage?.key?.id ??
      inner.pinInChatMessage?.key?.id ??
      inner.pollUpdateMessage?.pollCreationMessageKey?.id ??
      undefined,
    message: proto.Message.toObject(proto.Message.fromObject(content), { longs: String, enums: String, bytes: String }),
  };
}

/** Id of the album that it is a part of. */
function albumOf({ messageContextInfo }: proto.IMessage): string | undefined {
  const { associationType, parentMessageKey } = messageContextInfo?.messageAssociation ?? {};
  const isPart = associationType === proto.MessageAssociation.AssociationType.MEDIA_ALBUM;
  return (isPart && parentMessageKey?.id) || undefined;
}

function kindOf(content: proto.IMessage, type: keyof proto.IMessage | undefined): string {
  if (type === 'conversation' || type === 'extendedTextMessage') return 'text';
  if (type === 'protocolMessage') {
    const { MESSAGE_EDIT, REVOKE } = proto.Message.ProtocolMessage.Type;
    const change = content.protocolMessage?.type;
    if (change === EPHEMERAL_SETTING) return 'ephemeral';
    return change === MESSAGE_EDIT ? 'edit' : change === REVOKE ? 'delete' : 'protocol';
  }
  if (type?.startsWith('pollCreationMessage')) return 'poll';
  if (type === 'pollUpdateMessage') return 'vote';
  if (type === 'pinInChatMessage') return 'pin';
  return type?.replace(/Message$/, '') ?? 'unknown';
}

function textOf(content: proto.IMessage, body: unknown): string | undefined {
  const edited = content.protocolMessage?.editedMessage;
  if (edited) return describe(edited).text;
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
