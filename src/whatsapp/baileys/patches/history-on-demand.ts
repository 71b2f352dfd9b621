// Emits the phone's answer to a request for older messages of a chat as a separate event with all its contents.
// Why: Baileys' event buffer merges the answer with other history. It also drops each chat and each message that it has
//   emitted before on this connection. Dropping the chat loses the mark that its history is complete. Dropping messages
//   loses those that the gateway has deleted from its database since then.
// Upstream: not reported.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: `append` of event-buffer.js keeps history with a `peerDataRequestSessionId` separate.
import { type BaileysEventMap, proto, type WASocket } from '../library.ts';

const { ON_DEMAND } = proto.HistorySync.HistorySyncType;

/** Flushes the event buffer before an answer. The flush ends buffering, so Baileys emits the answer directly. */
export function patchHistoryOnDemand({ ev }: { ev: Pick<WASocket['ev'], 'emit' | 'flush'> }): void {
  const { emit } = ev;
  ev.emit = (event, data) => {
    if (isHistory(event, data) && data.syncType === ON_DEMAND) ev.flush();
    return emit(event, data);
  };
}

const isHistory = (event: keyof BaileysEventMap, _data: unknown): _data is BaileysEventMap['messaging-history.set'] =>
  event === 'messaging-history.set';
