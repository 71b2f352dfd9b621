// What is posted in channels, by clients and by phones: one text for everybody, not encrypted, files neither.
import { randomBytes } from 'node:crypto';
import { type BinaryNode, getBinaryNodeChild, getContentType, proto } from '@whiskeysockets/baileys';
import { attachedTo, attachPublic, mediatypeOf } from './attachments.ts';
import { type Channel, ChannelError, type Post } from './channel.ts';
import type { Draft } from './content.ts';
import type { Account, Companion } from './model.ts';
import { childBytes, element } from './node.ts';
import { deliverMessage, type Exchange } from './post.ts';

/** What the platform answers to a post that it cannot make sense of, one with an encrypted file among them. */
const MALFORMED = 479;

const KINDS: readonly (keyof proto.IMessage)[] = [
  'conversation',
  'extendedTextMessage',
  'imageMessage',
  'videoMessage',
  'audioMessage',
  'documentMessage',
  'stickerMessage',
];

/** What the ack says. */
export interface Taken {
  error?: string;
  server_id?: string;
}

export class ChannelMail {
  readonly #exchange: Exchange;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  /** A client's `<message>` to a channel: a reaction or a post. */
  take(sender: Companion, node: BinaryNode): Taken {
    try {
      const channel = this.#exchange.channels.get(node.attrs.to ?? '');
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
    const { host, world } = this.#exchange;
    const { text, media } = draft;
    if (text === undefined && !media) throw new RangeError('a post is a text or a file');
    const content = media ? attachPublic(host, media) : { conversation: text };
    channel.mayPost(account);
    return this.#publish(channel, {
      ...{ id: `AC${randomBytes(15).toString('hex').toUpperCase()}`, author: account, at: world.now() },
      ...{ type: media ? 'media' : 'text', mediatype: mediatypeOf(content) },
      plaintext: proto.Message.encode(content).finish(),
    });
  }

  #takeReaction(channel: Channel, { account }: Companion, node: BinaryNode): Taken {
    const { code = '' } = getBinaryNodeChild(node, 'reaction')?.attrs ?? {};
    const isTakenBack = node.attrs.edit === '7';
    if (!node.attrs.server_id || isTakenBack === (code !== '')) throw malformed();
    this.#exchange.channels.react(channel, account, Number(node.attrs.server_id), code);
    return {};
  }

  #takePost(channel: Channel, sender: Companion, node: BinaryNode): Taken {
    channel.mayPost(sender.account);
    const { id = '', type = '', edit } = node.attrs;
    const known = channel.posts.find((post) => post.id === id);
    if (known) return { server_id: String(known.serverId) };
    const plaintext = childBytes(node, 'plaintext');
    const mediatype = getBinaryNodeChild(node, 'plaintext')?.attrs.mediatype;
    if (!plaintext || edit !== undefined || !this.#isPost(plaintext, type, mediatype)) throw malformed();
    const post = { id, author: sender.account, at: this.#exchange.world.now(), type, mediatype, plaintext };
    return { server_id: String(this.#publish(channel, post, sender).serverId) };
  }

  /** The stanza says what is inside, and files lie where everybody can read them. */
  #isPost(plaintext: Uint8Array, type: string, mediatype: string | undefined): boolean {
    const content = proto.Message.decode(plaintext);
    const kind = getContentType(content);
    if (!kind || !KINDS.includes(kind)) return false;
    const attached = attachedTo(content);
    if (!attached) return type === (content.extendedTextMessage?.matchedText ? 'media' : 'text');
    const { mediaKey, directPath, fileSha256 } = attached.file;
    const isPublic = !mediaKey?.length && fileSha256 && this.#exchange.host.isPublic(directPath ?? '');
    return type === 'media' && mediatype === mediatypeOf(content) && isPublic === true;
  }

  /** To everybody's clients, but the one that posted it, and into everybody's phone. */
  #publish(channel: Channel, given: Parameters<Channel['add']>[0], sender?: Companion): Post {
    const { world, phone } = this.#exchange;
    const post = channel.add(given);
    const { id, type, mediatype, serverId, author, plaintext } = post;
    const content = proto.Message.decode(plaintext);
    for (const account of channel.readers()) {
      const attrs = { id, from: channel.id, type, server_id: String(serverId), is_sender: isSender(author, account) };
      for (const companion of account.companions.values()) {
        if (companion !== sender)
          deliverMessage(world, companion, attrs, [element('plaintext', { mediatype }, plaintext)]);
      }
      const from = author === account ? account.number : channel.id;
      phone(account).file({ id, chat: channel.id, from, form: 'pn', content });
    }
    return post;
  }
}

/** Only who posted it is told who did. */
export const isSender = (author: Account, reader: Account): string | undefined =>
  author === reader ? 'true' : undefined;

const malformed = () => new ChannelError(MALFORMED, 'malformed');
