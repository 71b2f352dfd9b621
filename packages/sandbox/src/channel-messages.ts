// Posts, reactions and edits in channels, from clients and from phones. Posts and their files are not encrypted.
import { randomBytes } from 'node:crypto';
import { type BinaryNode, getBinaryNodeChild, getContentType, proto } from '@whiskeysockets/baileys';
import { findAttachment, mediatypeOf, uploadPublic } from './attachments.ts';
import { type Channel, ChannelError, type Post } from './channel.ts';
import type { Draft } from './content.ts';
import { deliverMessage } from './delivery.ts';
import type { Account, Companion } from './model.ts';
import { childBytes, element } from './node.ts';
import type { ChannelMessagesPort, Services } from './services.ts';

/** What the platform answers to a post that it cannot make sense of, one with an encrypted file among them. */
const MALFORMED = 479;

const POST_KINDS: readonly (keyof proto.IMessage)[] = [
  'conversation',
  'extendedTextMessage',
  'imageMessage',
  'videoMessage',
  'audioMessage',
  'documentMessage',
  'stickerMessage',
];

/** What the ack says. */
export interface AckAttributes {
  error?: string;
  server_id?: string;
}

export class ChannelMessages implements ChannelMessagesPort {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  /** A client's `<message>` to a channel: a reaction or a post. */
  receive(sender: Companion, node: BinaryNode): AckAttributes {
    try {
      const channel = this.#services.channels.get(node.attrs.to ?? '');
      return node.attrs.type === 'reaction'
        ? this.#takeReaction(channel, sender, node)
        : this.#takePost(channel, sender, node);
    } catch (error) {
      if (error instanceof ChannelError) return { error: String(error.code) };
      throw error;
    }
  }

  /** A phone posts a text or a file. Throws ChannelError 403 when its owner may not, RangeError for any other draft. */
  post(account: Account, channel: Channel, draft: Draft): Post {
    const { host, world } = this.#services;
    const { text, media } = draft;
    if (text === undefined && !media) throw new RangeError('a post is a text or a file');
    const content = media ? uploadPublic(host, media) : { conversation: text };
    channel.assertMayPost(account);
    return this.#publish(channel, {
      ...{ id: `AC${randomBytes(15).toString('hex').toUpperCase()}`, author: account, at: world.now() },
      ...{ type: media ? 'media' : 'text', mediatype: mediatypeOf(content) },
      plaintext: proto.Message.encode(content).finish(),
    });
  }

  /**
   * A phone edits a post, or deletes it when there is no `text`. Throws ChannelError 403 when its owner may not, 404
   * for an unknown post.
   */
  change(account: Account, channel: Channel, id: string, text?: string): void {
    const plaintext = text ? proto.Message.encode({ conversation: text }).finish() : Buffer.alloc(0);
    this.#change(channel, account, { id, type: 'text', mediatype: undefined, plaintext });
  }

  #takeReaction(channel: Channel, { account }: Companion, node: BinaryNode): AckAttributes {
    const { code = '' } = getBinaryNodeChild(node, 'reaction')?.attrs ?? {};
    const isTakenBack = node.attrs.edit === '7';
    if (!node.attrs.server_id || isTakenBack === (code !== '')) throw malformed();
    this.#services.channels.react(channel, account, Number(node.attrs.server_id), code);
    return {};
  }

  #takePost(channel: Channel, sender: Companion, node: BinaryNode): AckAttributes {
    channel.assertMayPost(sender.account);
    const { id = '', type = '', edit } = node.attrs;
    if (edit !== undefined) return this.#takeChange(channel, sender, node, edit);
    const existing = channel.posts.find((post) => post.id === id);
    if (existing) return { server_id: String(existing.serverId) };
    const plaintext = childBytes(node, 'plaintext');
    const mediatype = getBinaryNodeChild(node, 'plaintext')?.attrs.mediatype;
    if (!plaintext || !this.#isPost(plaintext, type, mediatype)) throw malformed();
    const post = { id, author: sender.account, at: this.#services.world.now(), type, mediatype, plaintext };
    return { server_id: String(this.#publish(channel, post, sender).serverId) };
  }

  #takeChange(channel: Channel, sender: Companion, node: BinaryNode, edit: string): AckAttributes {
    const { id = '', type = '' } = node.attrs;
    const plaintext = childBytes(node, 'plaintext') ?? Buffer.alloc(0);
    const mediatype = getBinaryNodeChild(node, 'plaintext')?.attrs.mediatype;
    const isEdit = edit === EDITED && this.#isPost(plaintext, type, mediatype);
    if (!isEdit && (edit !== DELETED || plaintext.length > 0)) throw malformed();
    this.#change(channel, sender.account, { id, type, mediatype, plaintext }, sender);
    return {};
  }

  /** Authors edit posts; every account that may post deletes them: a change without content. */
  #change(
    channel: Channel,
    actor: Account,
    { id, ...content }: Pick<Post, 'id' | 'type' | 'mediatype' | 'plaintext'>,
    sender?: Companion,
  ): void {
    channel.assertMayPost(actor);
    const post = channel.posts.find((one) => one.id === id);
    if (!post) throw new ChannelError(404, 'There is no such post');
    const isDeleted = content.plaintext.length === 0;
    if (!isDeleted && post.author !== actor) throw new ChannelError(403, 'Only authors edit');
    if (isDeleted) channel.posts.splice(channel.posts.indexOf(post), 1);
    Object.assign(post, content);
    this.#spread(channel, post, sender, isDeleted ? DELETED : EDITED);
  }

  /** Whether the stanza describes its content correctly and its file is stored unencrypted. */
  #isPost(plaintext: Uint8Array, type: string, mediatype: string | undefined): boolean {
    const content = decode(plaintext);
    const kind = getContentType(content);
    if (!kind || !POST_KINDS.includes(kind)) return false;
    const attached = findAttachment(content);
    if (!attached) return type === (content.extendedTextMessage?.matchedText ? 'media' : 'text');
    const { mediaKey, directPath, fileSha256 } = attached.file;
    const isPublic = !mediaKey?.length && fileSha256 && this.#services.host.isPublic(directPath ?? '');
    return type === 'media' && mediatype === mediatypeOf(content) && isPublic === true;
  }

  /** Delivers the post to all readers' clients, except the one that posted it, and to their phones. */
  #publish(channel: Channel, given: Parameters<Channel['addPost']>[0], sender?: Companion): Post {
    const post = channel.addPost(given);
    this.#spread(channel, post, sender);
    return post;
  }

  #spread(channel: Channel, post: Post, sender?: Companion, edit?: string): void {
    const { world, phone } = this.#services;
    const { id, type, mediatype, serverId, author, plaintext } = post;
    const content = proto.Message.decode(plaintext);
    const message = edit ? { id: world.id(), content: changeContentOf(id, content, edit) } : { id, content };
    for (const account of channel.readers()) {
      const postAttrs = { type, edit, server_id: String(serverId), is_sender: isSenderAttribute(author, account) };
      const attrs = { id, from: channel.id, ...postAttrs };
      for (const companion of account.companions.values()) {
        if (companion !== sender)
          deliverMessage(world, companion, attrs, [element('plaintext', { mediatype }, plaintext)]);
      }
      const from = author === account ? account.number : channel.id;
      phone(account).store({ ...message, chat: channel.id, from, form: 'pn' });
    }
  }
}

/** Only who posted it is postAttrs who did. */
export const isSenderAttribute = (author: Account, reader: Account): string | undefined =>
  author === reader ? 'true' : undefined;

/** `edit` of a stanza that changes a post. */
const EDITED = '3';
const DELETED = '8';
const { MESSAGE_EDIT, REVOKE } = proto.Message.ProtocolMessage.Type;

/** As a phone files it, as in other chats. */
const changeContentOf = (id: string, editedMessage: proto.IMessage, edit: string): proto.IMessage => ({
  protocolMessage: edit === EDITED ? { key: { id }, type: MESSAGE_EDIT, editedMessage } : { key: { id }, type: REVOKE },
});

function decode(plaintext: Uint8Array): proto.Message {
  try {
    return proto.Message.decode(plaintext);
  } catch {
    throw malformed();
  }
}

const malformed = () => new ChannelError(MALFORMED, 'malformed');
