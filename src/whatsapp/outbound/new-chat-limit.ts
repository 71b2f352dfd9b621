// Refuses messages to new contacts while the account is restricted. WhatsApp would refuse each of them and count it
// against the account. People who have written to this account can still be answered.

import { GatewayError } from '../../errors.ts';
import { channelOf, isGroup } from '../address/jid.ts';
import { type Address, resolveRecipient } from '../address/recipient.ts';
import { isPrivacyTokenExpired } from '../baileys/queries.ts';
import type { Session } from '../session.ts';
import { assertMayPost } from './channel-post.ts';

/** Seconds for Retry-After when WhatsApp sent no end of the restriction. */
const DEFAULT_RETRY_AFTER = 3_600;

/**
 * Checks the recipient before a send downloads its file. Throws as resolveRecipient(), assertNewChatAllowed() and, for
 * a channel, assertMayPost().
 */
export async function assertReachable(session: Session, number: string): Promise<void> {
  const channel = channelOf(number);
  if (channel) await assertMayPost(session, channel);
  else await assertNewChatAllowed(session, await resolveRecipient(session, number));
}

/** Throws NEW_CHATS_RESTRICTED, certain that nothing was sent. */
export async function assertNewChatAllowed(session: Session, address: Address): Promise<void> {
  const now = Date.now();
  const restriction = session.restrictions.newChatRestriction(now);
  if (!restriction || isGroup(address.jid) || address.jid === session.me()?.jid) return;
  if (await isEstablished(session, address)) return;
  const { kind, reason, until } = restriction;
  const what = kind === 'new_chats_locked' ? 'locked out of new chats' : 'at the end of its quota of new chats';
  const end = until === undefined ? '' : ` until ${new Date(until).toISOString()}`;
  throw new GatewayError('NEW_CHATS_RESTRICTED', [`This account is ${what}${end}: ${reason}`], {
    certain: true,
    retryAfter: until === undefined ? DEFAULT_RETRY_AFTER : Math.max(1, (until - now) / 1000),
  });
}

/**
 * True when the person has written to this account or given it a privacy token, which WhatsApp counts as an established
 * chat.
 */
async function isEstablished({ instanceId, socket, storage }: Session, { jid, lid }: Address): Promise<boolean> {
  const chats = lid && lid !== jid ? [jid, lid] : [jid];
  const tokens = await socket.authState.keys.get('tctoken', chats);
  if (Object.values(tokens).some(({ token, timestamp }) => token.length > 0 && !isPrivacyTokenExpired(timestamp)))
    return true;
  const [message] = await storage.messages.find(instanceId, { chats, fromMe: false }, { offset: 0, limit: 1 });
  return message !== undefined;
}
