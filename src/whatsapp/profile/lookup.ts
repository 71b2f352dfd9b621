// Queries the picture and the business profile of a person. A hidden or missing value is null or undefined. A query
// without an answer throws. Decision D-085.

import { GatewayError } from '../../errors.ts';
import { isRefusal } from '../baileys/errors.ts';
import { childOf, childrenOf, type Stanza } from '../baileys/stanza.ts';
import { HIDDEN_CODES, QueryRefusal, queryWhatsApp, withAnswers } from '../query.ts';
import type { Session } from '../session.ts';

export interface BusinessProfile {
  wid: string;
  description: string;
  website: string[];
  address?: string;
  email?: string;
  category?: string;
  business_hours: { timezone?: string; business_config?: Record<string, string>[] };
}

/**
 * Returns the picture URL of a person or a group, or null. Throws PLATFORM_REFUSED, PLATFORM_TIMEOUT and
 * INSTANCE_NOT_OPEN.
 */
export async function fetchPictureUrl(session: Session, jid: string): Promise<string | null> {
  return (await queryUnlessHidden(session, () => session.socket.profilePictureUrl(jid, 'image'))) ?? null;
}

/**
 * Returns the business profile of a person, or undefined when there is none. Throws PLATFORM_REFUSED for a refusal, and
 * the other errors of queryWhatsApp().
 */
export async function queryBusinessProfile(session: Session, jid: string): Promise<BusinessProfile | undefined> {
  const profileNode = { tag: 'profile', attrs: { jid } };
  // `v` is the version of the query in Baileys rc14.
  const content = [{ tag: 'business_profile', attrs: { v: '244' }, content: [profileNode] }];
  const node = { tag: 'iq', attrs: { to: 's.whatsapp.net', type: 'get', xmlns: 'w:biz' }, content };
  const answer = await queryWhatsApp(session, node).catch((error: unknown) => {
    if (!(error instanceof QueryRefusal)) throw error;
    if (HIDDEN_CODES.includes(error.code)) return undefined;
    throw refusedError(error);
  });
  const profile = childOf(childOf(answer, 'business_profile'), 'profile');
  return profile && toBusinessProfile(profile, jid);
}

function toBusinessProfile(profile: Stanza, jid: string): BusinessProfile {
  const websites = childrenOf(profile, 'website').flatMap((website) => textOf(website) ?? []);
  const hours = childOf(profile, 'business_hours');
  const address = textOf(childOf(profile, 'address'));
  const email = textOf(childOf(profile, 'email'));
  const category = textOf(childOf(childOf(profile, 'categories'), 'category'));
  const { timezone } = hours?.attrs ?? {};
  return {
    wid: profile.attrs.jid ?? jid,
    description: textOf(childOf(profile, 'description')) ?? '',
    website: websites,
    ...(address ? { address } : {}),
    ...(email ? { email } : {}),
    ...(category ? { category } : {}),
    business_hours: {
      ...(timezone ? { timezone } : {}),
      ...(hours ? { business_config: childrenOf(hours, 'business_hours_config').map(({ attrs }) => attrs) } : {}),
    },
  };
}

/** Returns the text in a stanza; undefined when it is missing or empty. */
function textOf(stanza: Stanza | undefined): string | undefined {
  const content = stanza?.content;
  const text = content instanceof Uint8Array ? Buffer.from(content).toString() : content;
  return typeof text === 'string' && text !== '' ? text : undefined;
}

/** Runs a query of Baileys. Returns undefined when the value is hidden or missing, and throws for other refusals. */
async function queryUnlessHidden<T>(session: Session, query: () => Promise<T>): Promise<T | undefined> {
  try {
    return await withAnswers(session, query);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    if (HIDDEN_CODES.includes(error.data)) return undefined;
    throw refusedError(error);
  }
}

/** The error for a refused query, for the picture as well as for the business profile. */
const refusedError = (refusal: Error) =>
  new GatewayError('PLATFORM_REFUSED', ['Error fetching profile', `Error: ${refusal.message}`], {
    certain: true,
    cause: refusal,
  });
