// Flushes the event buffer within a second, and keeps no change of a chat in it.
// Why: Baileys leaves events in the buffer in two cases. First, after a planned flush found the buffer empty, Baileys
//   plans no further flush (`flushPendingTimeout` stays set). The events of a stanza with the attribute `offline` are
//   flushed in no other way, so they stay in the buffer for 30 s. Second, during the first sync of the app state, each
//   change of a chat has a condition, which Baileys can evaluate only while the chat's history is in the buffer. A
//   change that arrives after the history has left the buffer, and all later changes of its chat, stay in the buffer.
// Upstream: related to WhiskeySockets/Baileys issue #2810 (open); neither case is reported.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: `flush` of event-buffer.js resets `flushPendingTimeout` before it returns false, and emits changes whose
//   `conditional` returns undefined.
import { BoundedMap } from '../../../lib/bounded-map.ts';
import type { BaileysEventMap, ChatUpdate, WASocket } from '../library.ts';

/** ms after which an event leaves the buffer at the latest. Baileys plans a flush after 100 ms. */
const MAX_DELAY = 1_000;

/** Maximum number of chats of the history to remember, as in Baileys. */
const MAX_CHATS = 10_000;

type History = BaileysEventMap['messaging-history.set'];
/** The fields of a chat that the condition of a change (`ChatUpdate.conditional`) reads. */
type HistoryChat = Pick<History['chats'][number], 'id' | 'lastMessageRecvTimestamp'>;

/**
 * Flushes the buffer when it has held an event for a second. Checks the condition of each change of a chat when the
 * change arrives, because a change without a condition does not stay in the buffer.
 */
export function patchEventBuffer({ ev }: { ev: Pick<WASocket['ev'], 'emit' | 'flush' | 'isBuffering'> }): void {
  const { emit } = ev;
  /** The chats of the history, also after the history has left the buffer. */
  const historyChats = new BoundedMap<string, HistoryChat>(MAX_CHATS);
  let timer: NodeJS.Timeout | undefined;
  ev.emit = (event, data) => {
    if (isHistory(event, data)) {
      for (const { id, lastMessageRecvTimestamp } of data.chats)
        if (id) historyChats.set(id, { id, lastMessageRecvTimestamp });
    }
    const updates = isChatsUpdate(event, data)
      ? data.filter((update) => checkAndRemoveCondition(update, historyChats))
      : undefined;
    const result = updates ? emit('chats.update', updates) : emit(event, data);
    if (timer === undefined && ev.isBuffering()) timer = setTimeout(flush, MAX_DELAY).unref();
    return result;
  };
  function flush(): void {
    timer = undefined;
    ev.flush();
  }
}

/**
 * Evaluates the condition of a change, and removes the condition from the change. Returns false when the history shows
 * that the change is outdated: the chat has a message that is newer than the change.
 */
function checkAndRemoveCondition(update: ChatUpdate, historyChats: BoundedMap<string, HistoryChat>): boolean {
  const { id, conditional } = update;
  delete update.conditional;
  const chat = id ? historyChats.get(id) : undefined;
  return !conditional || !id || !chat || conditional(toBufferedHistory(id, chat)) !== false;
}

/** The argument of the condition: the content of an event buffer that contains only this chat of the history. */
function toBufferedHistory(id: string, chat: HistoryChat): Parameters<NonNullable<ChatUpdate['conditional']>>[0] {
  return {
    historySets: { chats: { [id]: chat }, contacts: {}, messages: {}, empty: false, isLatest: false },
    chatUpserts: {},
    chatUpdates: {},
    chatDeletes: new Set(),
    contactUpserts: {},
    contactUpdates: {},
    messageUpserts: {},
    messageUpdates: {},
    messageDeletes: {},
    messageReactions: {},
    messageReceipts: {},
    groupUpdates: {},
  };
}

const isHistory = (event: keyof BaileysEventMap, _data: unknown): _data is History => event === 'messaging-history.set';

const isChatsUpdate = (event: keyof BaileysEventMap, _data: unknown): _data is ChatUpdate[] => event === 'chats.update';
