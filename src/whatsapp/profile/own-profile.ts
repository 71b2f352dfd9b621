// Changes the profile of this account: name and picture. Reads and changes its privacy settings. Decision D-083.

import { GatewayError, invalidRequestError } from '../../errors.ts';
import { childOf, childrenOf, type Stanza } from '../baileys/stanza.ts';
import type { Media } from '../media/media.ts';
import { toProfilePicture } from '../media/profile-picture.ts';
import { changeAppState } from '../outbound/app-state.ts';
import { QueryRefusal, queryAfterChange, queryWhatsApp, withAnswers } from '../query.ts';
import type { Session } from '../session.ts';
import { fetchPictureUrl } from './lookup.ts';

const SERVER = 's.whatsapp.net';
/** The privacy settings of the API, under WhatsApp's names. */
const PRIVACY_SETTINGS = ['readreceipts', 'profile', 'status', 'online', 'last', 'groupadd'] as const;
export type Privacy = Partial<Record<(typeof PRIVACY_SETTINGS)[number], string>>;

/** Changes the name. Throws the errors of changeAppState(). */
export async function updateProfileName(session: Session, requestedName: string): Promise<void> {
  const noChat = '';
  // Half of a surrogate pair cannot be encoded as UTF-8, and other devices could not read the change.
  const name = requestedName.toWellFormed();
  await changeAppState(session, { pushNameSetting: name }, noChat, 'Error updating profile name');
  const { ev, authState } = session.socket;
  const { me } = authState.creds;
  // Baileys stores the name that this event contains, and patches/text-encoding.ts sends the name to WhatsApp.
  if (me) ev.emit('creds.update', { me: { ...me, name } });
}

/**
 * Changes the picture. `picture` is a URL, base64 or a data URL of a JPEG, PNG, GIF, WebP, TIFF or AVIF. Throws
 * INVALID_REQUEST for other data, PLATFORM_REFUSED for a refusal, the other errors of queryWhatsApp(), and those of
 * Media.withFile().
 */
export async function updateProfilePicture(session: Session, media: Media, picture: string): Promise<void> {
  const content = await media.withFile(session.instanceId, picture, (bytes) =>
    toProfilePicture(media.images, session.instanceId, bytes, unreadablePictureError),
  );
  const node = { tag: 'picture', attrs: { type: 'image' }, content };
  await sendChange(session, 'w:profile:picture', node, 'Error updating profile picture');
  const me = session.me();
  if (!me) return;
  // An error of this query is not thrown, because the picture has been changed.
  const pictureUrl = await fetchPictureUrl(session, me.jid).catch((err: unknown) => {
    session.log.debug({ err }, 'profile.picture.failed');
    return undefined;
  });
  if (pictureUrl !== undefined) session.reportProfile({ pictureUrl });
}

const unreadablePictureError = () => invalidRequestError('picture is not a picture that can be read');

/** Removes the picture. Throws PLATFORM_REFUSED for a refusal, and the other errors of queryWhatsApp(). */
export async function removeProfilePicture(session: Session): Promise<void> {
  await sendChange(session, 'w:profile:picture', undefined, 'Error removing profile picture');
  session.reportProfile({ pictureUrl: null });
}

/** Returns all six privacy settings. Throws PLATFORM_REFUSED for a refusal, and the other errors of queryWhatsApp(). */
export function fetchPrivacySettings(session: Session): Promise<Privacy> {
  return readPrivacy(session, 'Error fetching privacy settings');
}

/**
 * Changes the privacy settings in `changes` one after another and returns all six. Throws PLATFORM_REFUSED at the first
 * refusal, and the other errors of queryWhatsApp(). Settings that were changed before an error stay changed; the error
 * then has `certain: false`. Decisions D-035 and D-054.
 */
export async function updatePrivacySettings(session: Session, changes: Privacy): Promise<Privacy> {
  const failure = 'Error updating privacy settings';
  let isChanged = false;
  for (const name of PRIVACY_SETTINGS) {
    const value = changes[name];
    if (value === undefined) continue;
    const category = { tag: 'category', attrs: { name, value } };
    const change = () => sendChange(session, 'privacy', { tag: 'privacy', attrs: {}, content: [category] }, failure);
    await (isChanged ? queryAfterChange(change) : change());
    isChanged = true;
  }
  const read = () => readPrivacy(session, failure);
  if (!isChanged) return read();
  if (changes.readreceipts !== undefined) await queryAfterChange(() => refreshReceiptType(session));
  return queryAfterChange(read);
}

/**
 * Makes Baileys fetch the privacy settings again, because it otherwise keeps the settings of the login. The setting
 * `readreceipts` decides whether `readMessages` of Baileys sends read receipts to the author, or only to this account's
 * own devices. Throws the errors of withAnswers().
 */
export async function refreshReceiptType(session: Pick<Session, 'ended' | 'socket'>): Promise<void> {
  const ignoreCache = true;
  await withAnswers(session, () => session.socket.fetchPrivacySettings(ignoreCache));
}

async function readPrivacy(session: Session, failure: string): Promise<Privacy> {
  const answer = await sendQuery(session, 'get', 'privacy', { tag: 'privacy', attrs: {} }, failure);
  const current = childrenOf(childOf(answer, 'privacy'), 'category');
  const values = new Map(current.map(({ attrs }) => [attrs.name, attrs.value]));
  return Object.fromEntries(PRIVACY_SETTINGS.map((name) => [name, values.get(name)]));
}

/** Sends a query that makes a change. */
async function sendChange(
  session: Session,
  xmlns: string,
  content: Stanza | undefined,
  failure: string,
): Promise<void> {
  await sendQuery(session, 'set', xmlns, content, failure);
}

/** Sends a query and returns the answer. The text of PLATFORM_REFUSED starts with `failure`. */
function sendQuery(
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
