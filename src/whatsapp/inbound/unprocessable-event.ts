// Maps a message that could not be processed to messages.undecryptable, so that receivers learn that it arrived. No
// I/O.

import type { DomainEvent } from '../../events/events.ts';
import { toEpochSeconds } from '../../lib/whole-number.ts';
import { type KnownJids, toMessageKey } from '../address/message-key.ts';
import type { WireMessage } from '../baileys/types.ts';

/** `reason` of messages.undecryptable for a message that was decrypted but not processed. */
export const UNPROCESSABLE = 'unprocessable';

/** The fields of a message that its envelope contains. */
export type Envelope = Pick<WireMessage, 'key' | 'messageTimestamp' | 'pushName'>;

/** Returns undefined when the envelope cannot be read either. */
export function toUnprocessable(
  { key, messageTimestamp, pushName }: Envelope,
  knownJids: KnownJids,
): DomainEvent | undefined {
  try {
    const own = toMessageKey(key, knownJids);
    if (!own || typeof own.id !== 'string') return undefined;
    return {
      type: 'messages.undecryptable',
      key: own,
      ...(typeof pushName === 'string' && pushName ? { pushName } : {}),
      messageTimestamp: toEpochSeconds(messageTimestamp) ?? 0,
      reason: UNPROCESSABLE,
    };
  } catch {
    return undefined;
  }
}
