// Reacts to a message, or takes a reaction back (contract §5.3.8).
import type { proto } from '@whiskeysockets/baileys';
import { GatewayError } from '../../errors.ts';
import type { Message } from '../../events.ts';
import { groupOf } from '../group/ask.ts';
import { isGroup, isLid, toJid } from '../jid.ts';
import { type Address, resolve } from '../recipient.ts';
import type { Session } from '../session.ts';
import { findTwins } from '../twins.ts';
import { type SendOptions, send } from './send.ts';

export interface ReactionInput {
  reactionMessage: {
    key: { id: string; remoteJid: string; fromMe?: boolean; participant?: string };
    /** One emoji; empty takes the reaction back. */
    reaction: string;
  };
  options?: Pick<SendOptions, 'delay' | 'presence'>;
}

/**
 * Resolves with the recorded message; errors as send(), INVALID_REQUEST for anything but one emoji, and MESSAGE_NOT_FOUND for a message
 * that is deleted, or one of a group when neither the store nor the caller knows its author.
 */
export async function sendReaction(session: Session, { reactionMessage, options }: ReactionInput): Promise<Message> {
  const { reaction, key: given } = reactionMessage;
  if (!isEmoji(reaction)) {
    throw new GatewayError('INVALID_REQUEST', ['Reaction must be a single emoji or empty string'], { certain: true });
  }
  const address = await resolve(session, given.remoteJid);
  const key = await toKey(session, address, given);
  return send(session, {
    number: address.jid,
    options: { delay: options?.delay, presence: options?.presence },
    presence: 'composing',
    content: () => ({ reactionMessage: { key, text: reaction, senderTimestampMs: Date.now() } }),
  });
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Nothing, or one character as people see it that is a picture, a flag or a key. */
export function isEmoji(text: string): boolean {
  if (text === '') return true;
  return (
    [...graphemes.segment(text)].length === 1 && /\p{Extended_Pictographic}|\p{RI}|[\d#*]\ufe0f?\u20e3/u.test(text)
  );
}

/** The message as the phones of the chat know it: the store knows better than the caller whose it is. */
async function toKey(
  session: Session,
  { jid, lid }: Address,
  given: ReactionInput['reactionMessage']['key'],
): Promise<proto.IMessageKey> {
  const { messages } = session.storage;
  const find = (chat: string) => messages.get(session.instanceId, given.id, chat);
  const stored = (await find(jid)) ?? (lid ? await find(lid) : null);
  const unknown = new GatewayError('MESSAGE_NOT_FOUND', ['Message not found'], { certain: true });
  if (stored?.status === 'DELETED') throw unknown;
  const key = { remoteJid: jid, fromMe: stored?.key.fromMe ?? given.fromMe ?? false, id: given.id };
  if (!isGroup(jid) || key.fromMe) return key;
  const author = stored?.key.participant ?? (given.participant && toJid(given.participant, 'key.participant'));
  if (!author) throw unknown;
  const group = await groupOf(session, jid, { text: 'Error sending to group', status: 400 });
  if (isLid(author) === (group.addressingMode === 'lid')) return { ...key, participant: author };
  // Members know each other by the addresses of the group's own form.
  const twins = await findTwins(session.socket.authState.keys, [author]);
  return { ...key, participant: stored?.key.participantAlt ?? twins.get(author) ?? author };
}
