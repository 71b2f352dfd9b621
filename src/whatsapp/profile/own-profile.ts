// Changes the own profile: name, status text, picture and privacy settings.

import { GatewayError } from '../../errors.ts';
import { childOf, childrenOf, type Stanza } from '../baileys/stanza.ts';
import type { Media } from '../media/media.ts';
import { toPicture } from '../media/profile-picture.ts';
import { changeAppState } from '../outbound/app-state.ts';
import { QueryRefusal, queryWhatsApp } from '../query.ts';
import type { Session } from '../session.ts';
import { fetchPictureUrl } from './lookup.ts';

const SERVER = 's.whatsapp.net';
const PRIVACY_SETTINGS = ['readreceipts', 'profile', 'status', 'online', 'last', 'groupadd'] as const;
export type Privacy = Partial<Record<(typeof PRIVACY_SETTINGS)[number], string>>;

/** Changes the name. Throws as changeAppState(). */
export async function updateProfileName(session: Session, name: string): Promise<void> {
  await changeAppState(session, { pushNameSetting: name }, '', 'Error updating profile name');
  const { ev, authState } = session.socket;
  const { me } = authState.creds;
  // Baileys handles this like a change by another device, and shows the name with the presence.
  if (me) ev.emit('creds.update', { me: { ...me, name } });
}

/** Changes the status text. Throws PLATFORM_REFUSED and as queryWhatsApp(). */
export async function updateProfileStatus(session: Session, status: string): Promise<void> {
  const text = { tag: 'status', attrs: {}, content: Buffer.from(status, 'utf-8') };
  await change(session, 'status', text, 'Error updating profile status');
  session.reportProfile({ status });
}

/**
 * Changes the picture. `picture` is a URL, base64 or a data URL of a JPEG, PNG, GIF, WebP, TIFF or AVIF. Throws as
 * Media.use() and queryWhatsApp(), INVALID_REQUEST for other data, and PLATFORM_REFUSED.
 */
export async function updateProfilePicture(session: Session, media: Media, picture: string): Promise<void> {
  const content = await media.use(session.instanceId, picture, (bytes) =>
    toPicture(media.images, session.instanceId, bytes, unreadablePicture),
  );
  const node = { tag: 'picture', attrs: { type: 'image' }, content };
  await change(session, 'w:profile:picture', node, 'Error updating profile picture');
  const me = session.me();
  if (!me) return;
  // The picture has changed even if this query fails.
  const pictureUrl = await fetchPictureUrl(session, me.jid).catch((err: unknown) => {
    session.log.debug({ err }, 'profile.picture.failed');
    return undefined;
  });
  if (pictureUrl !== undefined) session.reportProfile({ pictureUrl });
}

const unreadablePicture = () =>
  new GatewayError('INVALID_REQUEST', [['picture is not a picture that can be read']], { certain: true });

/** Throws PLATFORM_REFUSED and as queryWhatsApp(). */
export async function removeProfilePicture(session: Session): Promise<void> {
  await change(session, 'w:profile:picture', undefined, 'Error removing profile picture');
  session.reportProfile({ pictureUrl: null });
}

/** Returns all six settings. Throws PLATFORM_REFUSED and as queryWhatsApp(). */
export function fetchPrivacySettings(session: Session): Promise<Privacy> {
  return readPrivacy(session, 'Error fetching privacy settings');
}

/**
 * Changes the settings in `changes` one after another and returns all six. Throws as queryWhatsApp(), and
 * PLATFORM_REFUSED at the first refusal; the settings before it are changed.
 */
export async function updatePrivacySettings(session: Session, changes: Privacy): Promise<Privacy> {
  const failure = 'Error updating privacy settings';
  for (const name of PRIVACY_SETTINGS) {
    const value = changes[name];
    if (value === undefined) continue;
    const category = { tag: 'category', attrs: { name, value } };
    await change(session, 'privacy', { tag: 'privacy', attrs: {}, content: [category] }, failure);
  }
  return readPrivacy(session, failure);
}

async function readPrivacy(session: Session, failure: string): Promise<Privacy> {
  const answer = await query(session, 'get', 'privacy', { tag: 'privacy', attrs: {} }, failure);
  const current = childrenOf(childOf(answer, 'privacy'), 'category');
  const values = new Map(current.map(({ attrs }) => [attrs.name, attrs.value]));
  return Object.fromEntries(PRIVACY_SETTINGS.map((name) => [name, values.get(name)]));
}

async function change(session: Session, xmlns: string, content: Stanza | undefined, failure: string): Promise<void> {
  await query(session, 'set', xmlns, content, failure);
}

function query(
  session: Session,
  type: 'get' | 'set',
  xmlns: string,
  content: Stanza | undefined,
  failure: string,
): Promise<Stanza> {
  const node = { tag: 'iq', attrs: { to: SERVER, type, xmlns }, ...(content ? { content: [content] } : {}) };
  return queryWhatsApp(session, node).catch((error: unknown) => {
    if (!(error instanceof QueryRefusal)) throw error;
    throw new GatewayError('PLATFORM_REFUSED', [failure, `Error: ${error.message}`], { certain: true, cause: error });
  });
}
