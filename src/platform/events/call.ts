// Calls: what the platform tells of one that rings, is taken, refused, or ends. Pure.
import type { WACallEvent } from '@whiskeysockets/baileys';
import type { DomainEvent } from '../../events.ts';
import { type Names, named } from './key.ts';

/** `now` is epoch ms. */
export function fromCall(call: WACallEvent, names: Names, now: number): Extract<DomainEvent, { type: 'call' }> {
  const { id, status, offline, date, callerPn, isVideo, isGroup, groupJid, latencyMs } = call;
  const from = named(call.from, names, callerPn);
  // Of a direct call the chat is the caller.
  const chat = named(call.chatId, names, call.chatId === call.from ? callerPn : undefined);
  return {
    type: 'call',
    id,
    chatId: chat.jid,
    from: from.jid,
    ...(from.alt ? { fromAlt: from.alt } : {}),
    at: Number.isNaN(date.getTime()) ? now : date.getTime(),
    status,
    offline,
    ...(isVideo === undefined ? {} : { isVideo }),
    ...(isGroup === undefined ? {} : { isGroup }),
    ...(groupJid ? { groupJid } : {}),
    ...(latencyMs === undefined ? {} : { latencyMs }),
  };
}
