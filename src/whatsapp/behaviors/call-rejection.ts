// Rejects incoming calls (setting `rejectCall`) and sends the caller a text (setting `msgCall`), once per call. Ignores
// calls that rang while the session was offline. Decision D-061.

import { BoundedMap } from '../../lib/bounded-map.ts';
import type { InstanceSettings } from '../../storage/instance-row.ts';
import { toBareJid } from '../address/jid.ts';
import type { CallEvent, Socket } from '../baileys/types.ts';
import { sendText } from '../message/text.ts';
import type { Session } from '../session.ts';

/** Maximum number of remembered call ids. A call rings for at most a minute, so old ids are not needed. */
const MAX_HANDLED_CALLS = 100;

/** Starts to handle calls. Reads `settings` for every call, because settings can change during a session. */
export function installCallRejection(
  socket: Pick<Socket, 'ev' | 'rejectCall'>,
  session: Session,
  settings: Pick<InstanceSettings, 'rejectCall' | 'msgCall' | 'groupsIgnore'>,
): void {
  const handledCalls = new BoundedMap<string, true>(MAX_HANDLED_CALLS);
  /** Runs `action`. Logs an error under `logName` instead of throwing it. */
  const attempt = async (logName: string, action: () => Promise<unknown>): Promise<void> => {
    try {
      await action();
    } catch (err) {
      session.log.warn({ err }, logName);
    }
  };
  const handleCall = async ({ id, from, callerPn, isGroup }: CallEvent): Promise<void> => {
    const text = settings.msgCall.trim();
    if (settings.rejectCall) await attempt('call.reject.failed', () => socket.rejectCall(id, from));
    // The caller of a group call gets no text, because the call was not for this account alone.
    if (text && !isGroup) {
      // `from` can be a LID (an id that hides the phone number). `callerPn` is the address with the phone number.
      const callerJid = toBareJid(callerPn ?? from);
      await attempt('call.message.failed', () => sendText(session, { number: callerJid, textMessage: { text } }));
    }
  };
  socket.ev.on('call', (calls) => {
    for (const call of calls) {
      const isRinging = call.status === 'offer' && !call.offline;
      const isIgnored = call.isGroup && settings.groupsIgnore;
      if (!isRinging || isIgnored || handledCalls.has(call.id) || session.ended.aborted) continue;
      handledCalls.set(call.id, true);
      void handleCall(call);
    }
  });
}
