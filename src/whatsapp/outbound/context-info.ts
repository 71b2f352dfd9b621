// Builds the contextInfo of a message: quoted message, mentions and the disappearing-messages timer.

import { GatewayError } from '../../errors.ts';
import type { JsonObject, Message } from '../../events/events.ts';
import { isGroup, toJid } from '../address/jid.ts';
import { mentionField, toMentionedJids } from '../address/recipient.ts';
import { storedSessionJidsOf } from '../address/stored-jids.ts';
import { resolveUsernames } from '../address/username-lookup.ts';
import type { proto } from '../baileys/proto.ts';
import type { GroupMetadata } from '../baileys/types.ts';
import { toMemberJid } from '../group/member-jid.ts';
import { getGroup } from '../group/query.ts';
import type { Session } from '../session.ts';
import { toQuotedContent, toStoredQuote } from './quoted-content.ts';
import type { SendWarning } from './send-warnings.ts';
import { findStoredMessage, isInChat } from './target-message.ts';

export interface Quoted {
  key: { id: string; remoteJid?: string; fromMe?: boolean; participant?: string };
  /** Content of the quoted message. Default: the content of the stored message. */
  message?: JsonObject;
}

export interface Mentions {
  /** Mentions all current members of the group by their JIDs (D-022). */
  everyOne?: boolean;
  /** Numbers, JIDs or user names (`@name`) to mention. Ignored with `everyOne`. */
  mentioned?: string[];
  /** Mentions all members of the group at the time of delivery, without a list of JIDs (D-120). */
  all?: boolean;
}

/**
 * Returns the contextInfo for a message to the chat `jid`, or undefined when it would be empty. When neither the
 * request nor the database contains the content of the quoted message, leaves out the quote and calls `onWarning`
 * (D-023). Throws INVALID_REQUEST when `quoted.message` is not a message, STORAGE_UNAVAILABLE (`certain: true`: nothing
 * was sent) when the timer of the chat cannot be read, and the errors of getGroup().
 */
export async function toContextInfo(
  session: Session,
  jid: string,
  { quoted, mentions }: { quoted?: Quoted | undefined; mentions?: Mentions | undefined },
  onWarning: (warning: SendWarning) => void = () => undefined,
): Promise<proto.IContextInfo | undefined> {
  // The group is fetched even without mentions. Sending needs the group anyway, and this query gives a refusal the
  // error text that API clients expect (D-046).
  const group = isGroup(jid)
    ? await getGroup(session, jid, { text: 'Error sending to group', status: 400 })
    : undefined;
  const quote = quoted && (await toQuote(session, jid, quoted, group));
  if (quoted && !quote) onWarning(QUOTE_NOT_FOUND);
  const mentionedJid = group && mentions ? await toMentions(session, group, mentions) : [];
  // With `nonJidMentions: 1`, each phone mentions all members that the group has at the time of delivery.
  const mentionAll = group && mentions?.all ? { nonJidMentions: 1 } : {};
  const expiration = group ? group.ephemeralDuration : await disappearingTimerOf(session, jid);
  const context = {
    ...quote,
    ...(mentionedJid.length > 0 ? { mentionedJid } : {}),
    ...mentionAll,
    ...(expiration ? { expiration } : {}),
  };
  return Object.keys(context).length > 0 ? context : undefined;
}

/**
 * Returns the timer of a chat with one person, in seconds, or 0. Throws when the database fails, because a message
 * without the timer would not disappear.
 */
export function disappearingTimerOf({ storage, instanceId }: Session, jid: string): Promise<number> {
  return storage.chats.disappearingTimer(instanceId, jid).catch((cause: unknown) => {
    throw new GatewayError('STORAGE_UNAVAILABLE', 'The database is not available. Nothing was sent.', {
      certain: true,
      cause,
    });
  });
}

const QUOTE_NOT_FOUND: SendWarning = {
  code: 'QUOTE_NOT_FOUND',
  field: 'options.quoted',
  message:
    'The quoted message is not known or is deleted. The message was sent without a quote. Pass its content in quoted.message.',
};

/** Returns the fields of contextInfo for a quote, or undefined when the content of the quoted message is unknown. */
async function toQuote(
  session: Session,
  jid: string,
  quoted: Quoted,
  group: GroupMetadata | undefined,
): Promise<proto.IContextInfo | undefined> {
  const { key } = quoted;
  const requestedChat = key.remoteJid ? toJid(key.remoteJid, 'options.quoted.key.remoteJid') : jid;
  const chatJids = await storedSessionJidsOf(session, requestedChat);
  // The request can name the chat `jid` by another of its addresses, such as the LID of a person for the number.
  const chat = chatJids.includes(jid) ? jid : requestedChat;
  const isInRequestedChat = (message: Message) => isInChat(message, chatJids);
  // Read even if the request contains the content, because the request often does not name the author.
  const found = await findStoredMessage(session, key.id, isInRequestedChat);
  // When the chat has no message with this id, findStoredMessage() returns a message of another chat.
  const stored = found && isInRequestedChat(found) ? found : null;
  const storedContent = stored?.status === 'DELETED' ? undefined : stored?.message;
  const quotedMessage = quoted.message
    ? toQuotedContent(quoted.message)
    : storedContent && toStoredQuote(storedContent);
  if (!quotedMessage) return undefined;
  const fromMe = key.fromMe ?? stored?.key.fromMe ?? false;
  const participant = key.participant && toJid(key.participant, 'options.quoted.key.participant');
  const me = session.me();
  const knownAuthor = fromMe ? me?.jid : participant || stored?.key.participant;
  // When the author is unknown, the chat counts as the author: a chat with one person has the address of that person.
  const author = knownAuthor ?? chat;
  /** The author's other address: the LID for a phone number, or the reverse. */
  const authorAlternative = fromMe ? me?.lid : stored?.key.participantAlt;
  return {
    stanzaId: key.id,
    participant: group && chat === jid ? await toMemberJid(session, group, author, authorAlternative) : author,
    quotedMessage,
    // WhatsApp expects the chat only when the quoted message is from another chat.
    ...(chat === jid ? {} : { remoteJid: chat }),
  };
}

/** Returns the JIDs to mention: all current members for `everyOne`, otherwise the JIDs of the request. */
async function toMentions(session: Session, { participants }: GroupMetadata, mentions: Mentions): Promise<string[]> {
  if (mentions.everyOne) return participants.map(({ id }) => id);
  return toMentionedJids(await resolveUsernames(session, mentions.mentioned ?? [], mentionField));
}
