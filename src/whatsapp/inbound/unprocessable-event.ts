// Maps a message that could not be processed to the event messages.undecryptable, so that API clients learn that a
// message arrived. No I/O. Decisions D-030 and D-151.

import type { DomainEvent } from '../../events/events.ts';
import { toEpochSeconds } from '../../lib/whole-number.ts';
import { type KnownJids, toMessageKey } from '../address/message-key.ts';
import type { WireMessage } from '../baileys/types.ts';
import { UNPROCESSABLE } from '../content/message.ts';

/** The members of a message that are known without its content. */
export type MessageEnvelope = Pick<WireMessage, 'key' | 'messageTimestamp' | 'pushName'>;

/** Returns the event, or undefined when the envelope cannot be read either. */
export function toUnprocessable(
  { key, messageTimestamp, pushName }: MessageEnvelope,
  knownJids: KnownJids,
): DomainEvent | undefined {
  try {
    const messageKey = toMessageKey(key, knownJids);
    if (!messageKey || typeof messageKey.id !== 'string') return undefined;
    return {
      type: 'messages.undecryptable',
      key: messageKey,
      ...(typeof pushName === 'string' && pushName ? { pushName } : {}),
      messageTimestamp: toEpochSeconds(messageTimestamp) ?? 0,
      reason: UNPROCESSABLE,
    };
  } catch {
    return undefined;
  }
}
