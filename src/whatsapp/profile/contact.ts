// Fetches profiles: pictures, visible profiles and business profiles of people. Blocks and unblocks people. Decision
// D-085.

import { COMPATIBILITY_PHRASES } from '../../compatibility-phrases.ts';
import { GatewayError, invalidRequestError } from '../../errors.ts';
import { isGroup, isPhoneNumberJid, toJid } from '../address/jid.ts';
import { queryLids } from '../address/lid-query.ts';
import { type Address, resolveRecipient } from '../address/recipient.ts';
import { looksLikeUsername } from '../address/username-lookup.ts';
import { QueryRefusal, queryWhatsApp } from '../query.ts';
import type { Session } from '../session.ts';
import { type BusinessProfile, fetchPictureUrl, queryBusinessProfile } from './lookup.ts';
import { fetchStatusText } from './status-text.ts';

/**
 * Returns the URL of a person's picture. The URL is null when the picture is hidden or missing, when the query fails,
 * and when `session` is undefined, that is, while the instance is not connected. Throws INVALID_REQUEST for an invalid
 * number. Decision D-053.
 */
export async function fetchProfilePictureUrl(
  session: Session | undefined,
  number: string,
): Promise<{ wuid: string; profilePictureUrl: string | null }> {
  const requestedJid = looksLikeUsername(number) ? number.trim() : toJid(number);
  if (!session) return { wuid: requestedJid, profilePictureUrl: null };
  try {
    const { jid } = await resolveRecipient(session, number);
    const url = await session.socket.profilePictureUrl(jid, 'image').catch((err: unknown) => {
      session.log.debug({ err }, 'profile.picture.failed');
      return undefined;
    });
    return { wuid: jid, profilePictureUrl: url ?? null };
  } catch (err) {
    session.log.debug({ err }, 'profile.picture.failed');
    return { wuid: requestedJid, profilePictureUrl: null };
  }
}

export interface PublicProfile {
  /** JID. */
  wuid: string;
  name: string | null;
  numberExists: true;
  picture: string | null;
  status: string | null;
  isBusiness: boolean;
  description?: string;
  email?: string;
  website?: string;
}

/**
 * Returns the visible profile of a person, or that of this account when `number` is undefined. Hidden and missing
 * values are null or absent. Throws the errors of resolveRecipient(), INVALID_REQUEST for a group, PLATFORM_REFUSED,
 * PLATFORM_TIMEOUT and INSTANCE_NOT_OPEN.
 */
export async function fetchProfile(session: Session, number: string | undefined): Promise<PublicProfile> {
  const me = session.me();
  const { jid } = number === undefined ? { jid: me?.jid ?? '' } : await resolvePerson(session, number);
  const [picture, status, business, name] = await Promise.all([
    fetchPictureUrl(session, jid),
    fetchStatusText(session, jid),
    queryBusinessProfile(session, jid),
    jid === me?.jid ? me.name : pushNameOf(session, jid),
  ]);
  const { description, email, website: websites = [] } = business ?? {};
  const [website] = websites;
  return {
    wuid: jid,
    name,
    numberExists: true,
    picture,
    status,
    isBusiness: business !== undefined,
    ...(description ? { description } : {}),
    ...(email ? { email } : {}),
    ...(website ? { website } : {}),
  };
}

export type BusinessProfileResult =
  | ({ isBusiness: true } & BusinessProfile)
  | { isBusiness: false; message: string; exists: true; jid: string; name?: string; number: string };

/** Returns the business profile of a person, if the person has one. Throws the errors of fetchProfile(). */
export async function fetchBusinessProfile(session: Session, number: string): Promise<BusinessProfileResult> {
  const { jid } = await resolvePerson(session, number);
  const business = await queryBusinessProfile(session, jid);
  if (business) return { isBusiness: true, ...business };
  const name = await pushNameOf(session, jid);
  const person = { exists: true, jid, ...(name ? { name } : {}), number } as const;
  return { isBusiness: false, message: COMPATIBILITY_PHRASES.notBusinessProfile, ...person };
}

/**
 * Blocks or unblocks a person. Throws INVALID_REQUEST for a group, PLATFORM_REFUSED when WhatsApp refuses the change or
 * the person's LID is unknown, the other errors of queryWhatsApp(), and the errors of resolveRecipient().
 */
export async function updateBlockStatus(session: Session, number: string, action: 'block' | 'unblock'): Promise<void> {
  const { jid, lid: knownLid } = await resolvePerson(session, number);
  const lid = knownLid ?? (await fetchLid(session, jid));
  const refusedError = (reason: string, cause?: unknown) =>
    new GatewayError('PLATFORM_REFUSED', ['Error blocking user', `Error: ${reason}`], { certain: true, cause });
  if (!lid) throw refusedError('the LID of the contact is not known');
  const attrs: Record<string, string> = { action, jid: lid };
  if (action === 'block' && isPhoneNumberJid(jid)) attrs.pn_jid = jid;
  const node = {
    tag: 'iq',
    attrs: { to: 's.whatsapp.net', type: 'set', xmlns: 'blocklist' },
    content: [{ tag: 'item', attrs }],
  };
  await queryWhatsApp(session, node).catch((error: unknown) => {
    throw error instanceof QueryRefusal ? refusedError(error.message, error) : error;
  });
}

/** Resolves the address of a person. Throws the errors of resolveRecipient(), and INVALID_REQUEST for a group. */
async function resolvePerson(session: Session, number: string): Promise<Address> {
  if (!looksLikeUsername(number) && isGroup(toJid(number))) throw invalidRequestError('"number" must be a person');
  return resolveRecipient(session, number);
}

/** Returns the name that the person chose, from the stored contact. */
async function pushNameOf(session: Session, jid: string): Promise<string | null> {
  const [contact] = await session.storage.contacts.find(session.instanceId, { jids: [jid] }, { offset: 0, limit: 1 });
  return contact?.pushName ?? null;
}

/**
 * Returns the LID (a person's id that hides the number) of a phone-number JID: the stored LID, or else the LID that
 * WhatsApp returns.
 */
async function fetchLid(session: Session, jid: string): Promise<string | null> {
  return queryLids(session, (lidMapping) => lidMapping.getLIDForPN(jid));
}
