// Queries the picture and the business profile of a person. A hidden or missing value is null or undefined. A query
// without an answer throws. Decision D-085.

import { GatewayError } from '../../errors.ts';
import { CONNECTION_CLOSED, statusOf } from '../baileys/connection-update.ts';
import { isUnanswered, requireAnswers } from '../baileys/patches/query-timeout.ts';
import { childOf, childrenOf, type Stanza } from '../baileys/stanza.ts';
import { notOpenError, QueryRefusal, queryWhatsApp } from '../query.ts';
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

/** WhatsApp's error codes for a value that is hidden from this account or does not exist. */
const HIDDEN_CODES = [401, 403, 404];

/**
 * Returns the picture URL of a person or a group, or null. Throws PLATFORM_REFUSED, PLATFORM_TIMEOUT and
 * INSTANCE_NOT_OPEN.
 */
export async function fetchPictureUrl(session: Session, jid: string): Promise<string | null> {
  return (await queryUnlessHidden(session, () => session.socket.profilePictureUrl(jid, 'image'))) ?? null;
}

/**
 * Returns the business profile of a person, or undefined when there is none. Throws PLATFORM_REFUSED and the errors of
 * queryWhatsApp().
 */
export async function queryBusinessProfile(session: Session, jid: string): Promise<BusinessProfile | undefined> {
  const profileNode = { tag: 'profile', attrs: { jid } };
  // `v` is the version of the query in Baileys rc14.
  const content = [{ tag: 'business_profile', attrs: { v: '244' }, content: [profileNode] }];
  const node = { tag: 'iq', attrs: { to: 's.whatsapp.net', type: 'get', xmlns: 'w:biz' }, content };
  const answer = await queryWhatsApp(session, node).catch((error: unknown) => {
    if (error instanceof QueryRefusal && HIDDEN_CODES.includes(error.code)) return undefined;
    throw toGatewayError(error);
  });
  const profile = childOf(childOf(answer, 'business_profile'), 'profile');
  return profile && toBusinessProfile(profile, jid);
}

function toBusinessProfile(profile: Stanza, jid: string): BusinessProfile {
  /** Returns the text of the child `tag`, undefined when it is missing or empty. */
  const textOf = (tag: string, node: Stanza | undefined = profile) => {
    const content = childOf(node, tag)?.content;
    const text = content instanceof Uint8Array ? Buffer.from(content).toString() : content;
    return typeof text === 'string' && text !== '' ? text : undefined;
  };
  const websites = childrenOf(profile, 'website').flatMap(({ content }) => content?.toString() || []);
  const hours = childOf(profile, 'business_hours');
  const address = textOf('address');
  const email = textOf('email');
  const category = textOf('category', childOf(profile, 'categories'));
  const { timezone } = hours?.attrs ?? {};
  return {
    wid: profile.attrs.jid ?? jid,
    description: textOf('description') ?? '',
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

/** Runs a query of Baileys. Returns undefined when the value is hidden or missing, and throws for other refusals. */
async function queryUnlessHidden<T>(session: Session, query: () => Promise<T>): Promise<T | undefined> {
  try {
    return await requireAnswers(query);
  } catch (error) {
    const code: unknown = error instanceof Error ? Reflect.get(error, 'data') : undefined;
    if (isUnanswered(error)) {
      throw new GatewayError('PLATFORM_TIMEOUT', 'The platform did not answer.', { certain: true, cause: error });
    }
    if (typeof code === 'number' && HIDDEN_CODES.includes(code)) return undefined;
    if (session.ended.aborted || typeof error === 'number' || statusOf(error) === CONNECTION_CLOSED) {
      throw notOpenError(error);
    }
    throw toGatewayError(
      error instanceof Error && typeof code === 'number' ? new QueryRefusal(code, error.message, error) : error,
    );
  }
}

/** Converts a refusal of WhatsApp to PLATFORM_REFUSED. Returns any other error unchanged. */
function toGatewayError(error: unknown): unknown {
  if (!(error instanceof QueryRefusal)) return error;
  return new GatewayError('PLATFORM_REFUSED', ['Error fetching profile', `Error: ${error.message}`], {
    certain: true,
    cause: error,
  });
}
