// Maps Baileys' call events (ringing, accepted, rejected, ended) to domain events. No I/O. Decision D-061.

import type { DomainEvent } from '../../events/events.ts';
import { toEpochMilliseconds } from '../../lib/whole-number.ts';
import { type KnownJids, toJidAndAlt } from '../address/message-key.ts';
import type { CallEvent } from '../baileys/types.ts';

/**
 * Maps a call event. Returns undefined when the id, the caller or the chat is missing. `now` (epoch ms) replaces an
 * invalid time.
 */
export function fromCall(
  call: CallEvent,
  knownJids: KnownJids,
  now: number,
): Extract<DomainEvent, { type: 'call' }> | undefined {
  const { id, status, offline, date, callerPn, isVideo, isGroup, groupJid, latencyMs } = call;
  if (!id || !call.from || !call.chatId) return undefined;
  // `alt` is the LID (an id that hides the phone number), when both addresses are known.
  const from = toJidAndAlt(call.from, knownJids, callerPn);
  // In a direct call the chat is the caller, whose phone-number JID is `callerPn`.
  const chat = toJidAndAlt(call.chatId, knownJids, call.chatId === call.from ? callerPn : undefined);
  return {
    type: 'call',
    id,
    chatId: chat.jid,
    from: from.jid,
    ...(from.alt ? { fromAlt: from.alt } : {}),
    at: toEpochMilliseconds(date.getTime()) ?? now,
    status,
    offline,
    ...(isVideo === undefined ? {} : { isVideo }),
    ...(isGroup === undefined ? {} : { isGroup }),
    ...(groupJid ? { groupJid } : {}),
    ...(Number.isFinite(latencyMs) ? { latencyMs } : {}),
  };
}
