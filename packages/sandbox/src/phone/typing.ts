// Typing indicators: parses `<chatstate>`, and sends it to the connected clients of the other members of a chat.
import type { BinaryNode } from '@whiskeysockets/baileys';
import { element } from '../lib/binary-node.ts';
import { type AddressForm, shownJidOf } from '../world/delivery.ts';
import type { Account, Typing } from '../world/model.ts';
import type { Services } from './interfaces.ts';

/** The state that a child element of `<chatstate>` stands for. */
export function typingOf({ tag, attrs }: BinaryNode): Typing {
  if (tag !== 'composing') return 'paused';
  return attrs.media === 'audio' ? 'recording' : 'composing';
}

const stateNode = (state: Typing) =>
  state === 'recording' ? element('composing', { media: 'audio' }) : element(state);

/**
 * Sends a typing indicator of the author's `device` to an account or, when `to` is a group id, to the group's members.
 * `form` is the author's address form in direct chats. Throws GroupError when the author is not a member of the group.
 */
export function sendTyping(
  services: Services,
  author: Account,
  to: Account | string,
  state: Typing,
  { device = 0, form = 'pn' }: { device?: number; form?: AddressForm } = {},
): void {
  const group = typeof to === 'string' ? services.groups.getAsMember(author, to) : undefined;
  const members = typeof to === 'string' ? [...(group?.members.keys() ?? [])] : [to];
  const jid = shownJidOf(group?.mode ?? form, author, device);
  const node = element('chatstate', { from: group?.id ?? jid, participant: group && jid }, [stateNode(state)]);
  for (const account of members) {
    if (account === author && group) continue;
    services.phone(account).recordTyping(author, state);
    for (const { connection } of account.companions.values()) connection?.send(node);
  }
}
