// What the settings say about calls: they are refused (`rejectCall`), and the caller is told in words (`msgCall`). Once per call, and
// never for calls that rang while we were away.

import type { InstanceSettings } from '../../storage/instance-row.ts';
import { toBareJid } from '../address/jid.ts';
import type { CallEvent, Socket } from '../baileys/types.ts';
import { sendText } from '../message/text.ts';
import type { Session } from '../session.ts';

/** Calls remembered as answered; a call rings for a minute at most. */
const MAX_ANSWERED_CALLS = 100;

/** `settings` are looked at when a call rings: they may change meanwhile. */
export function installCallRejection(
  socket: Pick<Socket, 'ev' | 'rejectCall'>,
  session: Session,
  settings: Pick<InstanceSettings, 'rejectCall' | 'msgCall' | 'groupsIgnore'>,
): void {
  const answered = new Set<string>();
  const answer = async ({ id, from, callerPn, isGroup }: CallEvent): Promise<void> => {
    const text = settings.msgCall.trim();
    if (settings.rejectCall) await attempt('call.reject.failed', () => socket.rejectCall(id, from));
    // Whoever starts a call of many did not call us.
    if (text && !isGroup) {
      const number = toBareJid(callerPn ?? from);
      await attempt('call.message.failed', () => sendText(session, { number, textMessage: { text } }));
    }
  };
  const attempt = async (failure: string, act: () => Promise<unknown>): Promise<void> => {
    try {
      await act();
    } catch (err) {
      session.log.warn({ err }, failure);
    }
  };
  socket.ev.on('call', (calls) => {
    for (const call of calls) {
      const isOurs = call.status === 'offer' && !call.offline && !(call.isGroup && settings.groupsIgnore);
      if (!isOurs || answered.has(call.id) || session.ended.aborted) continue;
      answered.add(call.id);
      const [oldest] = answered.size > MAX_ANSWERED_CALLS ? answered : [];
      if (oldest !== undefined) answered.delete(oldest);
      void answer(call);
    }
  });
}
