// Publishes, edits and deletes posts of channels, and handles reactions to posts. The posts come from clients (linked
// devices) and from the simulated phones. Posts and their files are not encrypted.
import { type BinaryNode, getBinaryNodeChild, getContentType, proto } from '@whiskeysockets/baileys';
import { childBytes, element } from '../lib/binary-node.ts';
import { findAttachment, mediatypeOf, uploadPublic } from '../media/attachments.ts';
import { type Channel, ChannelError, type Post } from '../world/channel.ts';
import { type Attributes, deliverMessage, deliverStatus } from '../world/delivery.ts';
import type { Account, Companion } from '../world/model.ts';
import type { Draft } from './content.ts';
import type { ChannelMessagesPort, Services } from './interfaces.ts';
import { createMessageId } from './message-id.ts';

/** WhatsApp's error code for an invalid post, for example one with an encrypted file. */
const MALFORMED = 479;

/** Values of the `edit` attribute of stanzas that change a post or remove a reaction. */
const EDITED = '3';
const DELETED = '8';
const REACTION_REMOVED = '7';

/** The kinds of content that a post can have. */
const POST_KINDS: readonly (keyof proto.IMessage)[] = [
  'conversation',
  'extendedTextMessage',
  'imageMessage',
  'videoMessage',
  'audioMessage',
  'documentMessage',
  'stickerMessage',
];

/** Attributes of the ack for a channel message. */
export interface AckAttributes {
  error?: string;
  server_id?: string;
}

export class ChannelMessages implements ChannelMessagesPort {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  /** Handles a client's `<message>` to a channel: a reaction, a post, or the edit or deletion of a post. */
  receive(sender: Companion, node: BinaryNode): AckAttributes {
    try {
      const channel = this.#services.channels.get(node.attrs.to ?? '');
      return node.attrs.type === 'reaction'
        ? this.#handleReaction(channel, sender, node)
        : this.#handlePost(channel, sender, node);
    } catch (error) {
      if (error instanceof ChannelError) return { error: String(error.code) };
      throw error;
    }
  }

  /**
   * Posts a text or file of a phone. Throws ChannelError 403 for accounts that are no admins, and RangeError for a
   * draft that is neither a text nor a file.
   */
  post(account: Account, channel: Channel, draft: Draft): Post {
    const { mediaHost, world } = this.#services;
    const { text, media } = draft;
    if (text === undefined && !media) throw new RangeError('a post is a text or a file');
    const content = media ? uploadPublic(mediaHost, media) : { conversation: text };
    channel.assertMayPost(account);
    return this.#publish(channel, {
      id: createMessageId(),
      author: account,
      at: world.now(),
      type: media ? 'media' : 'text',
      mediatype: mediatypeOf(content),
      plaintext: proto.Message.encode(content).finish(),
    });
  }

  /**
   * Posts a status, which the readers of the channel see for 24 hours. Returns the id of the status. Throws
   * ChannelError 403 for accounts that are no admins, and RangeError for a draft that is neither a text nor a file.
   */
  postStatus(account: Account, channel: Channel, { text, media }: Draft): string {
    const { mediaHost, world } = this.#services;
    if (text === undefined && !media) throw new RangeError('a status is a text or a file');
    channel.assertMayPost(account);
    const content = media ? uploadPublic(mediaHost, media) : { conversation: text };
    const plaintext = element('plaintext', { mediatype: mediatypeOf(content) }, proto.Message.encode(content).finish());
    const id = createMessageId();
    const attrs = { id, type: media ? 'media' : 'text', server_id: world.nextId() };
    this.#deliverStatus(channel, account, attrs, plaintext);
    return id;
  }

  /** Deletes a status of the channel. Throws ChannelError 403 for accounts that are no admins. */
  deleteStatus(account: Account, channel: Channel, id: string): void {
    channel.assertMayPost(account);
    this.#deliverStatus(channel, account, { id, type: 'text', edit: DELETED }, element('plaintext'));
  }

  /** Reacts to the channel's status `id` with an emoji. The clients of all readers get the reaction. */
  reactToStatus(account: Account, channel: Channel, id: string, emoji: string): void {
    this.#deliverStatus(channel, account, { id, type: 'reaction' }, element('reaction', { code: emoji }));
  }

  #deliverStatus(channel: Channel, author: Account, attrs: Attributes, content: BinaryNode): void {
    for (const reader of channel.readers()) {
      const statusAttrs = { ...attrs, from: channel.id, is_sender: senderFlagOf(author, reader) };
      for (const companion of reader.companions.values())
        deliverStatus(this.#services.world, companion, statusAttrs, [content]);
    }
  }

  /**
   * Edits a post for a phone. Without a `text`, deletes the post. Throws ChannelError 403 when the account is not
   * allowed to change the post, and 404 for an unknown post.
   */
  change(account: Account, channel: Channel, id: string, text?: string): void {
    const plaintext = text ? proto.Message.encode({ conversation: text }).finish() : Buffer.alloc(0);
    this.#applyChange(channel, account, { id, type: 'text', mediatype: undefined, plaintext });
  }

  #handleReaction(channel: Channel, { account }: Companion, node: BinaryNode): AckAttributes {
    const { code = '' } = getBinaryNodeChild(node, 'reaction')?.attrs ?? {};
    const isRemoval = node.attrs.edit === REACTION_REMOVED;
    const isValidCode = isRemoval ? code === '' : code !== '';
    if (!node.attrs.server_id || !isValidCode) throw malformedError();
    this.#services.channels.react(channel, account, Number(node.attrs.server_id), code);
    return {};
  }

  #handlePost(channel: Channel, sender: Companion, node: BinaryNode): AckAttributes {
    channel.assertMayPost(sender.account);
    const { id = '', type = '', edit } = node.attrs;
    if (edit !== undefined) return this.#handleChange(channel, sender, node, edit);
    // A repeated stanza gets the ack of the first stanza.
    const existing = channel.posts.find((post) => post.id === id);
    if (existing) return { server_id: String(existing.serverId) };
    const plaintext = childBytes(node, 'plaintext');
    const mediatype = getBinaryNodeChild(node, 'plaintext')?.attrs.mediatype;
    if (!plaintext || !this.#isValidPost(plaintext, type, mediatype)) throw malformedError();
    const post = { id, author: sender.account, at: this.#services.world.now(), type, mediatype, plaintext };
    return { server_id: String(this.#publish(channel, post, sender).serverId) };
  }

  #handleChange(channel: Channel, sender: Companion, node: BinaryNode, edit: string): AckAttributes {
    const { id = '', type = '' } = node.attrs;
    const plaintext = childBytes(node, 'plaintext') ?? Buffer.alloc(0);
    const mediatype = getBinaryNodeChild(node, 'plaintext')?.attrs.mediatype;
    const isEdit = edit === EDITED && this.#isValidPost(plaintext, type, mediatype);
    const isDeletion = edit === DELETED && plaintext.length === 0;
    if (!isEdit && !isDeletion) throw malformedError();
    this.#applyChange(channel, sender.account, { id, type, mediatype, plaintext }, sender);
    return {};
  }

  /** Edits a post (only its author can) or, without plaintext, deletes it (every admin can). */
  #applyChange(
    channel: Channel,
    actor: Account,
    { id, ...content }: Pick<Post, 'id' | 'type' | 'mediatype' | 'plaintext'>,
    sender?: Companion,
  ): void {
    channel.assertMayPost(actor);
    const post = channel.posts.find((each) => each.id === id);
    if (!post) throw new ChannelError(404, 'There is no such post');
    const isDeleted = content.plaintext.length === 0;
    if (!isDeleted && post.author !== actor) throw new ChannelError(403, 'Only authors edit');
    if (isDeleted) channel.posts.splice(channel.posts.indexOf(post), 1);
    // For a deletion, the empty content also replaces the old content, because #deliver() sends the content of `post`.
    Object.assign(post, content);
    this.#deliver(channel, post, sender, isDeleted ? DELETED : EDITED);
  }

  /** Whether `type` and `mediatype` match the content. The file of a post, if any, must be stored unencrypted. */
  #isValidPost(plaintext: Uint8Array, type: string, mediatype: string | undefined): boolean {
    const content = decode(plaintext);
    const kind = getContentType(content);
    if (!kind || !POST_KINDS.includes(kind)) return false;
    const attached = findAttachment(content);
    // A text with a link preview has the type media.
    if (!attached) return type === (content.extendedTextMessage?.matchedText ? 'media' : 'text');
    const { mediaKey, directPath, fileSha256 } = attached.file;
    const isPublic = !mediaKey?.length && fileSha256 && this.#services.mediaHost.isPublic(directPath ?? '');
    return type === 'media' && mediatype === mediatypeOf(content) && isPublic === true;
  }

  /** Adds the post to the channel and delivers it. */
  #publish(channel: Channel, content: Parameters<Channel['addPost']>[0], sender?: Companion): Post {
    const post = channel.addPost(content);
    this.#deliver(channel, post, sender);
    return post;
  }

  /** Delivers a post or its change to the phones and clients of all readers, except the client that sent it. */
  #deliver(channel: Channel, post: Post, sender?: Companion, edit?: string): void {
    const { world, phone } = this.#services;
    const { id, type, mediatype, serverId, author, plaintext } = post;
    const content = proto.Message.decode(plaintext);
    // Phones store a change as a separate message with a new id.
    const message = edit ? { id: world.nextId(), content: changeContentOf(id, content, edit) } : { id, content };
    for (const account of channel.readers()) {
      const postAttrs = { type, edit, server_id: String(serverId), is_sender: senderFlagOf(author, account) };
      const attrs = { id, from: channel.id, ...postAttrs };
      for (const companion of account.companions.values()) {
        if (companion !== sender)
          deliverMessage(world, companion, attrs, [element('plaintext', { mediatype }, plaintext)]);
      }
      const from = author === account ? account.number : channel.id;
      phone(account).store({ ...message, chat: channel.id, from, addressing: 'pn' });
    }
  }
}

/** The attribute `is_sender` of a post: `true` for the clients of its author, absent for others. */
export const senderFlagOf = (author: Account, reader: Account): string | undefined =>
  author === reader ? 'true' : undefined;

const { MESSAGE_EDIT, REVOKE } = proto.Message.ProtocolMessage.Type;

/** The edit or deletion of a post as message content: a protocol message, as in direct chats and groups. */
const changeContentOf = (id: string, editedMessage: proto.IMessage, edit: string): proto.IMessage => ({
  protocolMessage: edit === EDITED ? { key: { id }, type: MESSAGE_EDIT, editedMessage } : { key: { id }, type: REVOKE },
});

function decode(plaintext: Uint8Array): proto.Message {
  try {
    return proto.Message.decode(plaintext);
  } catch {
    throw malformedError();
  }
}

const malformedError = () => new ChannelError(MALFORMED, 'malformed');
