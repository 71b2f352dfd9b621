// Refuses messages to new contacts while WhatsApp restricts the account: WhatsApp would refuse each of these messages
// and count it against the account. Messages to people who have written to this account stay allowed. Decision D-078.

import { GatewayError } from '../../errors.ts';
import { channelJidOf, isGroup } from '../address/jid.ts';
import { type Address, resolveRecipient } from '../address/recipient.ts';
import { isPrivacyTokenExpired } from '../baileys/queries.ts';
import { withOpenKeys } from '../query.ts';
import type { Session } from '../session.ts';
import { assertMayPost } from './channel-post.ts';

/** Value of Retry-After when WhatsApp sent no end of the restriction. */
const DEFAULT_RETRY_AFTER_SECONDS = 3_600;

/**
 * Checks that a message to `number`, the recipient in the request, is allowed. Operations with a file call this before
 * they download the file. Throws the errors of assertMayPost() for a channel, and otherwise those of resolveRecipient()
 * and assertNewChatAllowed(). With `channels: false`, for messages that cannot be posted in channels, a channel is
 * refused with an error of resolveRecipient().
 */
export async function assertRecipientAllowed(
  session: Session,
  number: string,
  { channels = true } = {},
): Promise<void> {
  const channel = channels ? channelJidOf(number) : undefined;
  if (channel) await assertMayPost(session, channel);
  else await assertNewChatAllowed(session, await resolveRecipient(session, number));
}

/**
 * Throws NEW_CHATS_RESTRICTED (`certain: true`: nothing was sent) when the account is restricted and `address` belongs
 * to a person without an established chat. Throws INSTANCE_NOT_OPEN when the session ends meanwhile.
 */
export async function assertNewChatAllowed(session: Session, address: Address): Promise<void> {
  const now = Date.now();
  const restriction = session.restrictions.newChatRestriction(now);
  if (!restriction || isGroup(address.jid) || address.jid === session.me()?.jid) return;
  if (await isEstablished(session, address)) return;
  const { kind, reason, until } = restriction;
  const state = kind === 'new_chats_locked' ? 'locked out of new chats' : 'at the end of its quota of new chats';
  const end = until === undefined ? '' : ` until ${new Date(until).toISOString()}`;
  throw new GatewayError('NEW_CHATS_RESTRICTED', [`This account is ${state}${end}: ${reason}`], {
    certain: true,
    retryAfter: until === undefined ? DEFAULT_RETRY_AFTER_SECONDS : Math.max(1, (until - now) / 1000),
  });
}

/**
 * True when the person has written to this account or has given this account a privacy token that is still valid.
 * WhatsApp does not count such a chat as new.
 */
async function isEstablished(session: Session, { jid, lid }: Address): Promise<boolean> {
  const { instanceId, socket, storage } = session;
  const chatAddresses = lid && lid !== jid ? [jid, lid] : [jid];
  // `tctoken` is the key type of privacy tokens.
  const tokens = await withOpenKeys(session, socket.authState.keys.get('tctoken', chatAddresses));
  if (Object.values(tokens).some(({ token, timestamp }) => token.length > 0 && !isPrivacyTokenExpired(timestamp)))
    return true;
  const [message] = await storage.messages.find(instanceId, { chatAddresses, fromMe: false }, { offset: 0, limit: 1 });
  return message !== undefined;
}
