// Queries picture, status text and business profile of a person. Hidden and missing values are null; a missing answer
// of WhatsApp is an error.

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

/** Refusal codes for hidden values, for missing ones, and for values that only group members see. */
const HIDDEN_CODES = [401, 403, 404];

/** Returns the picture URL of a person or a group. Throws PLATFORM_REFUSED and as queryWhatsApp(). */
export async function fetchPictureUrl(session: Session, jid: string): Promise<string | null> {
  return (await queryVisible(session, () => session.socket.profilePictureUrl(jid, 'image'))) ?? null;
}

/** Returns the status text of a person. Throws as fetchPictureUrl(). */
export async function fetchStatusText(session: Session, jid: string): Promise<string | null> {
  const list = await queryVisible(session, () => session.socket.fetchStatus(jid));
  const entry: unknown = list?.[0]?.status;
  const text: unknown = typeof entry === 'object' && entry !== null ? Reflect.get(entry, 'status') : undefined;
  return typeof text === 'string' && text !== '' ? text : null;
}

/** Returns undefined when the person has no business profile. Throws as queryWhatsApp(). */
export async function fetchBusiness(session: Session, jid: string): Promise<BusinessProfile | undefined> {
  const wanted = { tag: 'profile', attrs: { jid } };
  const content = [{ tag: 'business_profile', attrs: { v: '244' }, content: [wanted] }];
  const node = { tag: 'iq', attrs: { to: 's.whatsapp.net', type: 'get', xmlns: 'w:biz' }, content };
  const answer = await queryWhatsApp(session, node).catch((error: unknown) => {
    if (error instanceof QueryRefusal && HIDDEN_CODES.includes(error.code)) return undefined;
    throw toError(error);
  });
  const profile = childOf(childOf(answer, 'business_profile'), 'profile');
  return profile && toBusiness(profile, jid);
}

function toBusiness(profile: Stanza, jid: string): BusinessProfile {
  const textOf = (tag: string, node: Stanza | undefined = profile) => {
    const content = childOf(node, tag)?.content;
    const text = content instanceof Uint8Array ? Buffer.from(content).toString() : content;
    return typeof text === 'string' && text !== '' ? text : undefined;
  };
  const websites = childrenOf(profile, 'website').flatMap(({ content }) => content?.toString() || []);
  const hours = childOf(profile, 'business_hours');
  const [address, email] = [textOf('address'), textOf('email')];
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

/** Runs a query of Baileys. Returns undefined when the value is hidden or missing. */
async function queryVisible<T>(session: Session, question: () => Promise<T>): Promise<T | undefined> {
  try {
    return await requireAnswers(question);
  } catch (error) {
    const code: unknown = error instanceof Error ? Reflect.get(error, 'data') : undefined;
    if (isUnanswered(error)) {
      throw new GatewayError('PLATFORM_TIMEOUT', 'the platform did not answer', { certain: true, cause: error });
    }
    if (typeof code === 'number' && HIDDEN_CODES.includes(code)) return undefined;
    if (session.ended.aborted || typeof error === 'number' || statusOf(error) === CONNECTION_CLOSED) {
      throw notOpenError(error);
    }
    throw toError(
      error instanceof Error && typeof code === 'number' ? new QueryRefusal(code, error.message, error) : error,
    );
  }
}

function toError(error: unknown): unknown {
  if (!(error instanceof QueryRefusal)) return error;
  return new GatewayError('PLATFORM_REFUSED', ['Error fetching profile', `Error: ${error.message}`], {
    certain: true,
    cause: error,
  });
}
