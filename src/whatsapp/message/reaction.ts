// Reacts to a message, or removes a reaction. Decision D-094.

import { COMPATIBILITY_PHRASES } from '../../compatibility-phrases.ts';
import { GatewayError } from '../../errors.ts';
import type { Message } from '../../events/events.ts';
import { channelJidOf } from '../address/jid.ts';
import { type SendOptions, send } from '../outbound/send.ts';
import { findTarget } from '../outbound/target-message.ts';
import type { Session } from '../session.ts';
import { reactToPost } from './channel-post-reaction.ts';

export interface ReactionInput {
  reactionMessage: {
    key: { id: string; remoteJid: string; fromMe?: boolean; participant?: string };
    /** One emoji. An empty text removes the reaction. */
    reaction: string;
  };
  options?: Pick<SendOptions, 'delay' | 'presence'>;
}

/**
 * Resolves with the sent message. Throws the errors of send(), findTarget() and, in a channel, reactToPost(). Throws
 * INVALID_REQUEST when `reaction` is neither one emoji nor empty.
 */
export async function sendReaction(session: Session, { reactionMessage, options }: ReactionInput): Promise<Message> {
  const { reaction, key: target } = reactionMessage;
  if (!isValidReaction(reaction)) {
    throw new GatewayError('INVALID_REQUEST', [COMPATIBILITY_PHRASES.reaction], { certain: true });
  }
  const channel = channelJidOf(target.remoteJid);
  if (channel) return reactToPost(session, { channel, id: target.id }, reaction, { delay: options?.delay });
  const { address, key } = await findTarget(session, target, 'reactionMessage.key');
  return send(session, {
    number: address.jid,
    options: { delay: options?.delay, presence: options?.presence },
    kind: 'reactionMessage',
    // The default for `options.presence`.
    presence: 'composing',
    content: () => ({ reactionMessage: { key, text: reaction, senderTimestampMs: Date.now() } }),
  });
}

/** Created at the first reaction, because the creation takes 1 to 2 % of the startup time. */
let graphemes: Intl.Segmenter | undefined;

/** True for an empty text, which removes a reaction, and for a single emoji: a pictograph, a flag or a keycap. */
export function isValidReaction(text: string): boolean {
  if (text === '') return true;
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return (
    [...graphemes.segment(text)].length === 1 && /\p{Extended_Pictographic}|\p{RI}|[\d#*]\ufe0f?\u20e3/u.test(text)
  );
}
