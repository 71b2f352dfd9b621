// Builds the content of a message from a draft. References to other messages of the chat become message keys.
import type { proto } from '@whiskeysockets/baileys';
import { type Draft, toContent } from './content.ts';
import type { Form } from './delivery.ts';
import type { Mailbox, StoredMessage } from './mailbox.ts';
import type { MediaHost } from './media-host.ts';
import type { Account, World } from './model.ts';

/** Where a message goes: how the phone files that chat, its JID, and how people are addressed in it. */
export interface ChatAddress {
  chat: string;
  jid: string;
  address(account: Account): string;
}

/** How a message is sent. */
export interface SendOptions {
  /** Chosen by the caller; default 32 hex digits as Android phones make them. */
  id?: string | undefined;
  /** Address form that the recipient's companions see; default phone number. */
  form?: Form | undefined;
}

/** Throws RangeError when the draft refers to a message that the author's phone does not have. */
export function compose(
  { world, host }: { world: World; host: MediaHost },
  author: { account: Account; mailbox: Mailbox },
  draft: Draft,
  { chat, jid, address }: ChatAddress,
): proto.IMessage {
  const isGroup = jid === chat;
  const find = (id: string) => author.mailbox.find(chat, id);
  const authorOf = (letter: StoredMessage | undefined) => address(letter ? world.account(letter.from) : author.account);
  const lookup = (id: string) => {
    const letter = find(id);
    if (!letter) throw new RangeError(`there is no message ${id} in this chat`);
    const participant = isGroup ? authorOf(letter) : undefined;
    return { key: { remoteJid: jid, fromMe: letter.fromMe, id, participant }, content: letter.content };
  };
  return toContent(draft, {
    lookup,
    jidOf: (number) => address(world.account(number)),
    authorOf: (key) => authorOf(find(key.id ?? '')),
    me: address(author.account),
    expiration: author.mailbox.timer(chat),
    now: world.now() * 1000,
    host,
  });
}
