// Posts a status: a text, picture, video or voice note that selected contacts can see for 24 hours. Decision D-104.

import { COMPATIBILITY_PHRASES } from '../../compatibility-phrases.ts';
import { GatewayError, invalidRequestError } from '../../errors.ts';
import type { Message } from '../../events/events.ts';
import type { TokenBucket } from '../../lib/token-bucket.ts';
import { isLid, isPersonJid, STATUS_JID } from '../address/jid.ts';
import { lookupSessionLidPairs } from '../address/lid-map.ts';
import { resolveRecipients } from '../address/recipient.ts';
import type { proto } from '../baileys/proto.ts';
import type { Media } from '../media/media.ts';
import { send } from '../outbound/send.ts';
import { runPreparation } from '../outbound/send-log.ts';
import { takeLookupTokens } from '../profile/lookup-limit.ts';
import type { Session } from '../session.ts';
import { prepareMedia, withContext } from './media.ts';

export interface StatusInput {
  statusMessage: {
    type: 'text' | 'image' | 'video' | 'audio';
    /** The text of a text status. Otherwise the file: URL, base64, data URL, or reference to an upload (`upload:…`). */
    content: string;
    caption?: string;
    /** `#rrggbb`, for texts and voice notes. */
    backgroundColor?: string;
    /** WhatsApp's number of a font, for texts. Default: 0. */
    font?: number;
    /** Numbers or JIDs of the people who can see the status. */
    statusJidList?: string[];
    /** True shows the status to all contacts whose name is known, and ignores `statusJidList`. */
    allContacts?: boolean;
  };
}

const DEFAULT_BACKGROUND = '#1f7a6d';
const WHITE_ARGB = 0xffffffff;
/** Maximum length of the text, characters. `content` can be longer for base64. */
const MAX_TEXT = 65_536;
/** Number of contacts in one database query. */
const PAGE_SIZE = 1_000;

/**
 * Resolves with the sent message. Each lookup of a number of `statusJidList` takes a token from `lookupBucket`, unless
 * an earlier lookup found the number on WhatsApp. Throws:
 * - the errors of send(), Media.withFile(), prepareMedia(), Media.toVoice(), Media.upload() and takeLookupTokens();
 * - INVALID_REQUEST without an audience, and for a text that is empty or too long;
 * - NUMBER_NOT_ON_PLATFORM with those numbers of `statusJidList` that are not on WhatsApp.
 */
export async function sendStatus(
  session: Session,
  media: Media,
  { statusMessage }: StatusInput,
  lookupBucket: TokenBucket,
): Promise<Message> {
  if (statusMessage.type === 'text') assertStatusText(statusMessage.content);
  const kind = statusMessage.type === 'text' ? 'extendedTextMessage' : `${statusMessage.type}Message`;
  const { people, content } = await runPreparation(session, kind, async () => ({
    people: statusMessage.allContacts
      ? await listNamedContacts(session)
      : await resolveAudience(session, statusMessage, lookupBucket),
    content: await toContent(session, media, statusMessage),
  }));
  const ownJid = session.me()?.jid;
  return send(session, {
    number: STATUS_JID,
    // The account itself is in the audience, so that its phone shows the status too.
    audience: [...new Set([...(ownJid ? [ownJid] : []), ...people])],
    kind,
    // Required by send(), but not shown: only a message with a delay shows a presence.
    presence: 'composing',
    content: () => content,
  });
}

/** Throws INVALID_REQUEST for a text that is empty or too long. */
function assertStatusText(text: string): void {
  if (text.trim() === '') throw invalidRequestError('The "content" cannot be empty');
  // A character has one or two UTF-16 code units, so only some texts need an exact count.
  if (text.length > MAX_TEXT && (text.length > 2 * MAX_TEXT || [...text].length > MAX_TEXT))
    throw invalidRequestError(`The "content" of a text must have at most ${MAX_TEXT} characters`);
}

/**
 * Returns the JIDs of the contacts whose name is known, without this account: phone numbers, and the LIDs of people who
 * hide the number. Throws INVALID_REQUEST when there are none.
 */
async function listNamedContacts(session: Session): Promise<string[]> {
  const { storage, instanceId } = session;
  const me = session.me();
  const people: string[] = [];
  for (let offset = 0; ; offset += PAGE_SIZE) {
    const contacts = await storage.contacts.find(instanceId, {}, { offset, limit: PAGE_SIZE });
    const named = contacts.filter(({ jid, pushName }) => isPersonJid(jid) && pushName);
    const jids = named.map(({ jid }) => jid).filter((jid) => jid !== me?.jid && jid !== me?.lid);
    // A contact that an older release of the gateway stored under the LID can have a known number.
    const lidPairs = await lookupSessionLidPairs(session, jids.filter(isLid));
    people.push(...jids.map((jid) => (isLid(jid) ? (lidPairs.get(jid) ?? jid) : jid)));
    if (contacts.length < PAGE_SIZE) break;
  }
  if (people.length === 0)
    throw invalidRequestError(
      `${COMPATIBILITY_PHRASES.contactsNotFound}: allContacts is true, but no named contact is known`,
    );
  return people;
}

/**
 * Returns the JIDs of `statusJidList`. Throws INVALID_REQUEST for an empty list and for an entry that is not a person,
 * NUMBER_NOT_ON_PLATFORM, and the errors of takeLookupTokens().
 */
async function resolveAudience(
  session: Session,
  { statusJidList = [] }: StatusInput['statusMessage'],
  lookupBucket: TokenBucket,
): Promise<string[]> {
  if (statusJidList.length === 0) throw invalidRequestError(COMPATIBILITY_PHRASES.statusJidList);
  const field = (index: number) => `statusMessage.statusJidList[${index}]`;
  const people = await resolveRecipients(session, statusJidList, {
    field,
    // Tokens limit bulk checks of unknown numbers. Numbers that an earlier query found on WhatsApp need no token.
    beforeQuery: (count, _known, registeredCount) => takeLookupTokens(session, lookupBucket, count - registeredCount),
  });
  const index = people.findIndex(({ jid }) => !isPersonJid(jid));
  if (index >= 0) throw invalidRequestError(`${field(index)} must be a person`);
  const absent = people.filter(({ exists }) => !exists);
  if (absent.length > 0) {
    const details = absent.map(({ jid, number }) => ({ exists: false, jid, number }));
    throw new GatewayError('NUMBER_NOT_ON_PLATFORM', details, { certain: true });
  }
  return people.map(({ jid }) => jid);
}

async function toContent(
  session: Session,
  media: Media,
  { type, content, caption, backgroundColor, font = 0 }: StatusInput['statusMessage'],
): Promise<proto.IMessage> {
  if (type === 'text') {
    const backgroundArgb = toArgb(backgroundColor ?? DEFAULT_BACKGROUND);
    return { extendedTextMessage: { text: content, backgroundArgb, textArgb: WHITE_ARGB, font } };
  }
  const uploaded = await media.withFile(session.instanceId, content, async (file) => {
    if (type !== 'audio')
      return media.upload(session, await prepareMedia(session, media, file, { mediatype: type, caption }));
    const { bytes, ...metadata } = await media.toVoice(session.instanceId, file, { encode: true });
    const background = backgroundColor ? { backgroundArgb: toArgb(backgroundColor) } : {};
    return media.upload(session, { audio: bytes, ptt: true, ...metadata, ...background });
  });
  // A status has no context (quote, mentions). withContext() only removes an empty thumbnail here.
  return withContext(uploaded, undefined);
}

/** Converts `#rrggbb` to opaque ARGB. */
const toArgb = (color: string): number => Number.parseInt(`ff${color.replace('#', '')}`, 16);
