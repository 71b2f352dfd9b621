// Typing indicators: parses `<chatstate>` stanzas, and sends them to the connected clients of a chat's other members.
import type { BinaryNode } from '@whiskeysockets/baileys';
import { element } from '../lib/binary-node.ts';
import { type Addressing, type Attributes, shownJidOf } from '../world/delivery.ts';
import type { Account, Typing } from '../world/model.ts';
import type { Services } from './interfaces.ts';

/** The typing state that the child element of a `<chatstate>` stands for. Unknown elements stand for `paused`. */
export function typingOf({ tag, attrs }: BinaryNode): Typing {
  if (tag !== 'composing') return 'paused';
  return attrs.media === 'audio' ? 'recording' : 'composing';
}

const stateNode = (state: Typing) =>
  state === 'recording' ? element('composing', { media: 'audio' }) : element(state);

/**
 * Sends a typing indicator of the author's `device` to an account or, when `to` is a group id, to the group's members.
 * Device 0 is the phone. An account that has blocked the author gets the indicator only in groups. `addressing`:
 * whether a direct chat shows the author's phone number (`pn`) or LID (the address without the number). Throws
 * GroupError when the author is not a member of the group.
 */
export function sendTyping(
  services: Services,
  author: Account,
  to: Account | string,
  state: Typing,
  { device = 0, addressing = 'pn' }: { device?: number; addressing?: Addressing } = {},
): void {
  if (typeof to !== 'string') {
    if (to.blocked.has(author.number)) return;
    showTyping(services, author, to, state, { from: shownJidOf(addressing, author, device) });
    return;
  }
  const group = services.groups.getAsMember(author, to);
  const participant = shownJidOf(group.addressing, author, device);
  for (const account of group.members.keys()) {
    if (account !== author) showTyping(services, author, account, state, { from: group.id, participant });
  }
}

/** Shows the typing indicator on the phone of `to` and on its connected clients. */
function showTyping(services: Services, author: Account, to: Account, state: Typing, attrs: Attributes): void {
  services.phone(to).recordTyping(author, state);
  const node = element('chatstate', attrs, [stateNode(state)]);
  for (const { connection } of to.companions.values()) connection?.send(node);
}
