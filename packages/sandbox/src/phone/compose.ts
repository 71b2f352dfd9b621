// Builds the content of a message from a draft. References to other messages of the chat become message keys.
import type { proto } from '@whiskeysockets/baileys';
import type { MediaHost } from '../media/media-host.ts';
import type { Addressing } from '../world/delivery.ts';
import type { Account, World } from '../world/model.ts';
import { type Draft, toContent } from './content.ts';
import type { Mailbox, StoredMessage } from './mailbox.ts';

/** The chat that a message is sent to, and how it addresses accounts. */
export interface ChatAddress {
  /** Number or group JID: the name of the chat in the phone's mailbox. */
  chat: string;
  /** JID of the chat. */
  jid: string;
  /** The JID by which the chat addresses an account: the phone number, or the LID (WhatsApp's second user address). */
  toUserJid(account: Account): string;
}

/** Options of a sent message. */
export interface SendOptions {
  /** Message id. Default: a random id of the form that Android phones use. */
  id?: string | undefined;
  /**
   * Direct chats only: whether the recipient's clients see the author's phone number or LID. Default: the LID when the
   * author's account is migrated to LIDs, else the number. When the author or the recipient hides its number, the
   * clients always see the LID.
   */
  addressing?: Addressing | undefined;
}

/** Creates the content. Throws RangeError when the draft refers to a message that the author's phone does not have. */
export function compose(
  { world, mediaHost }: { world: World; mediaHost: MediaHost },
  author: { account: Account; mailbox: Mailbox },
  draft: Draft,
  { chat, jid, toUserJid }: ChatAddress,
): proto.IMessage {
  // The name of a group chat is its JID. The name of a direct chat is a number.
  const isGroup = jid === chat;
  const find = (id: string) => author.mailbox.find(chat, id);
  // Returns the author of the draft when the phone does not have the message.
  const authorOf = (message: StoredMessage | undefined) =>
    toUserJid(message ? world.account(message.from) : author.account);
  const lookup = (id: string) => {
    const message = find(id);
    if (!message) throw new RangeError(`there is no message ${id} in this chat`);
    const participant = isGroup ? authorOf(message) : undefined;
    return { key: { remoteJid: jid, fromMe: message.fromMe, id, participant }, content: message.content };
  };
  return toContent(draft, {
    lookup,
    jidOf: (number) => toUserJid(world.account(number)),
    authorOf: (key) => authorOf(find(key.id ?? '')),
    ownJid: toUserJid(author.account),
    expiration: author.mailbox.expirationOf(chat),
    nowMs: world.now() * 1000,
    mediaHost,
  });
}
