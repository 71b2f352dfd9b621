// Reports the answer to a request for older messages on its own and completely.
// Why: the event buffer merges the answer with other history, and drops each chat and each message that an earlier
//   history of the connection contained. This loses the mark of the end of the chat's history, and messages that were
//   deleted from the store.
// Upstream: not reported.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: `append` of event-buffer.js keeps history with a `peerDataRequestSessionId` apart.
import { type BaileysEventMap, proto, type WASocket } from '../library.ts';

const { ON_DEMAND } = proto.HistorySync.HistorySyncType;

/** Empties the event buffer before an answer, so that the answer does not pass through it. */
export function patchHistoryOnDemand({ ev }: { ev: Pick<WASocket['ev'], 'emit' | 'flush'> }): void {
  const { emit } = ev;
  ev.emit = (event, data) => {
    if (isHistory(event, data) && data.syncType === ON_DEMAND) ev.flush();
    return emit(event, data);
  };
}

const isHistory = (event: keyof BaileysEventMap, _data: unknown): _data is BaileysEventMap['messaging-history.set'] =>
  event === 'messaging-history.set';
