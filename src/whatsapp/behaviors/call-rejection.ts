// Rejects incoming calls (setting `rejectCall`) and replies with a text (setting `msgCall`), once per call. Calls that
// rang while the session was offline are ignored.

import { BoundedMap } from '../../lib/bounded-map.ts';
import type { InstanceSettings } from '../../storage/instance-row.ts';
import { toBareJid } from '../address/jid.ts';
import type { CallEvent, Socket } from '../baileys/types.ts';
import { sendText } from '../message/text.ts';
import type { Session } from '../session.ts';

/** Answered call ids to remember. A call rings for at most a minute. */
const MAX_ANSWERED_CALLS = 100;

/** `settings` is read when a call arrives, because settings change during a session. */
export function installCallRejection(
  socket: Pick<Socket, 'ev' | 'rejectCall'>,
  session: Session,
  settings: Pick<InstanceSettings, 'rejectCall' | 'msgCall' | 'groupsIgnore'>,
): void {
  const answered = new BoundedMap<string, true>(MAX_ANSWERED_CALLS);
  const answer = async ({ id, from, callerPn, isGroup }: CallEvent): Promise<void> => {
    const text = settings.msgCall.trim();
    if (settings.rejectCall) await attempt('call.reject.failed', () => socket.rejectCall(id, from));
    // A group call was not addressed to this account alone, so it gets no text.
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
      answered.set(call.id, true);
      void answer(call);
    }
  });
}
