// What the account shows of itself: name, status text, picture, and to whom (interface §4.4).

import { GatewayError } from '../../errors.ts';
import { childOf, childrenOf, type Stanza } from '../baileys/stanza.ts';
import type { Media } from '../media/media.ts';
import { toPicture } from '../media/profile-picture.ts';
import { changeAppState } from '../outbound/app-state.ts';
import { QueryRefusal, queryPlatform } from '../query.ts';
import type { Session } from '../session.ts';
import { fetchPictureUrl } from './lookup.ts';

const SERVER = 's.whatsapp.net';
const PRIVACY_SETTINGS = ['readreceipts', 'profile', 'status', 'online', 'last', 'groupadd'] as const;
export type Privacy = Partial<Record<(typeof PRIVACY_SETTINGS)[number], string>>;

/** Changes the own name. Throws as changeState(). */
export async function updateProfileName(session: Session, name: string): Promise<void> {
  await changeAppState(session, { pushNameSetting: name }, '', 'Error updating profile name');
  const { ev, authState } = session.socket;
  const { me } = authState.creds;
  // The library learns it, and shows it with its presence, as if another device had changed it.
  if (me) ev.emit('creds.update', { me: { ...me, name } });
}

/** Changes the text under the own name. Throws PLATFORM_REFUSED and what ask() throws. */
export async function updateProfileStatus(session: Session, status: string): Promise<void> {
  const text = { tag: 'status', attrs: {}, content: Buffer.from(status, 'utf-8') };
  await change(session, 'status', text, 'Error updating profile status');
  session.reportProfile({ status });
}

/**
 * `picture` is the address, base64 or data URL of a picture: JPEG, PNG, GIF, WebP, TIFF or AVIF. Throws as Media.use(), INVALID_REQUEST for what is no picture,
 * PLATFORM_REFUSED and what ask() throws.
 */
export async function updateProfilePicture(session: Session, media: Media, picture: string): Promise<void> {
  const content = await media.use(session.instanceId, picture, (bytes) =>
    toPicture(media.images, session.instanceId, bytes, unreadablePicture),
  );
  const node = { tag: 'picture', attrs: { type: 'image' }, content };
  await change(session, 'w:profile:picture', node, 'Error updating profile picture');
  const me = session.me();
  if (!me) return;
  // It is changed, whatever becomes of this question.
  const pictureUrl = await fetchPictureUrl(session, me.jid).catch((err: unknown) => {
    session.log.debug({ err }, 'picture.unknown');
    return undefined;
  });
  if (pictureUrl !== undefined) session.reportProfile({ pictureUrl });
}

const unreadablePicture = () =>
  new GatewayError('INVALID_REQUEST', [['picture is not a picture that can be read']], { certain: true });

/** Throws PLATFORM_REFUSED and what ask() throws. */
export async function removeProfilePicture(session: Session): Promise<void> {
  await change(session, 'w:profile:picture', undefined, 'Error removing profile picture');
  session.reportProfile({ pictureUrl: null });
}

/** All six as the platform has them. Throws PLATFORM_REFUSED and what ask() throws. */
export function fetchPrivacySettings(session: Session): Promise<Privacy> {
  return readPrivacy(session, 'Error fetching privacy settings');
}

/**
 * Changes the settings that are given, one after the other, and resolves with all six as the platform has them then. Throws
 * PLATFORM_REFUSED at the first that the platform refuses (those before it are changed) and what ask() throws.
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
  return queryPlatform(session, node).catch((error: unknown) => {
    if (!(error instanceof QueryRefusal)) throw error;
    throw new GatewayError('PLATFORM_REFUSED', [failure, `Error: ${error.message}`], { certain: true, cause: error });
  });
}
