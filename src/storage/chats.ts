// Chats: names, settings and unread counts. The time of the last message comes from the messages, so that an inbound message costs no
// additional write.
import { sql } from 'kysely';
import type { ChatChange } from '../events/event-batch.ts';
import type { Chat } from '../events/events.ts';
import { parseJson } from './columns.ts';
import { type Database, type Prepared, preparedInsert, runPrepared, runQuery, type Work } from './database.ts';
import type { Chats } from './storage.ts';

/** A position in the order of the messages of a chat. */
interface Place {
  /** Seconds. */
  at: number;
  seq: number;
}

/** The column `doc`. The unread count is `unread` plus the messages of others after `unreadFrom`. */
interface StoredChat extends Omit<Chat, 'readTo'> {
  unreadFrom?: Place;
  /** Seconds since the epoch. The chat is hidden until a newer message arrives. */
  deletedAt?: number;
}

/** Message types that do not count as unread. */
const SILENT = new Set(['reactionMessage', 'pinInChatMessage']);

/** Upper limit of the unread count. */
const COUNTED = 1_000;

const upsertChat = preparedInsert(
  'chat',
  { instance: 'text', jid: 'text', doc: 'text' },
  'ON CONFLICT (instance, jid) DO UPDATE SET doc = excluded.doc',
);

/** Read by every send, so it is a prepared statement. */
const selectDoc: Prepared = {
  name: 'select_chat_doc',
  sqlite: 'SELECT doc FROM chat WHERE instance = ? AND jid = ?',
  postgres: 'SELECT doc FROM chat WHERE instance = ($1::text[])[1] AND jid = ($2::text[])[1]',
};

/** Chats with messages and the time of their newest one. Reads one index entry per chat, independent of the number of messages. */
const selectWritten: Prepared = {
  name: 'select_written',
  ...both(
    (instance) => `WITH RECURSIVE c(chat) AS (
       SELECT (SELECT MIN(chat) FROM message WHERE instance = ${instance(1)} AND type <> 'protocolMessage')
       UNION ALL
       SELECT (SELECT MIN(chat) FROM message WHERE instance = ${instance(2)} AND type <> 'protocolMessage' AND chat > c.chat)
         FROM c WHERE c.chat IS NOT NULL)
     SELECT chat, (SELECT MAX(sent_at) FROM message
         WHERE instance = ${instance(3)} AND chat = c.chat AND type <> 'protocolMessage') AS at
       FROM c WHERE chat IS NOT NULL`,
  ),
};

function both(text: (instance: (index: number) => string) => string): Pick<Prepared, 'sqlite' | 'postgres'> {
  return { sqlite: text(() => '?'), postgres: text((index) => `($${index}::text[])[1]`) };
}

/** Must be textually equal to the condition of the index message_by_chat. */
const isListed = sql<boolean>`message.type <> 'protocolMessage'`;

const isAfter = (one: Place, other: Place) => one.at > other.at || (one.at === other.at && one.seq > other.seq);
const latest = (places: readonly (Place | undefined)[]): Place =>
  places.reduce<Place>((last, one) => (one && isAfter(one, last) ? one : last), { at: 0, seq: 0 });

/** Position of the newest message of a chat, or of the message with `id`. */
function* placeOf(
  { build }: Database,
  instance: string,
  jids: readonly string[],
  id?: string,
): Work<Place | undefined> {
  let found: Place | undefined;
  for (const jid of jids) {
    const query = build
      .selectFrom('message')
      .select(['sent_at as at', 'seq'])
      .where('instance', '=', instance)
      .where('chat', '=', jid)
      .where(isListed)
      .$if(id !== undefined, (one) => one.where('id', '=', id ?? ''));
    const [place] = yield* runQuery(query.orderBy('sent_at', 'desc').orderBy('seq', 'desc').limit(1));
    if (place && (!found || isAfter(place, found))) found = place;
  }
  return found;
}

/** The stored chats of `jids`, or all chats. */
function* stored({ build }: Database, instance: string, jids?: readonly string[]): Work<StoredChat[]> {
  if (jids?.length === 0) return [];
  const query = build.selectFrom('chat').select('doc').where('instance', '=', instance);
  const found = yield* runQuery(jids ? query.where('jid', 'in', jids) : query);
  return found.map(({ doc }) => parseJson<StoredChat>(doc));
}

/** Stores changes of chats. Later values win; missing fields keep their value. */
export function* recordChats(database: Database, instance: string, changes: readonly ChatChange[]): Work<void> {
  if (changes.length === 0) return;
  const addressed = changes.map((change) => ('deletedJid' in change ? change.deletedJid : change.chat.jid));
  const known = new Map((yield* stored(database, instance, [...new Set(addressed)])).map((chat) => [chat.jid, chat]));
  for (const change of changes) {
    if ('deletedJid' in change) {
      const jid = change.deletedJid;
      known.set(jid, { ...(known.get(jid) ?? { jid }), deletedAt: change.atSeconds });
      continue;
    }
    const { readTo, ...chat } = change.chat;
    const before = known.get(chat.jid);
    const { deletedAt: _, ...kept } = before ?? {};
    const merged: StoredChat = { ...kept, ...chat };
    if (chat.unread !== undefined) {
      const jids = chat.lid ? [chat.jid, chat.lid] : [chat.jid];
      const read = readTo === undefined ? undefined : yield* placeOf(database, instance, jids, readTo);
      // History sync may report a chat before its messages.
      const past = chat.lastMessageAt ? { at: chat.lastMessageAt, seq: Number.MAX_SAFE_INTEGER } : undefined;
      const place = read ?? latest([past, yield* placeOf(database, instance, jids)]);
      // An older read mark does not make read messages unread.
      const isOlder = read && before?.unreadFrom && isAfter(before.unreadFrom, read);
      merged.unreadFrom = isOlder ? before.unreadFrom : place;
      if (isOlder) merged.unread = before.unread;
      else if (read) merged.unread = 0;
    }
    known.set(chat.jid, merged);
  }
  const parameters = [...known.values()].map((chat) => [instance, chat.jid, JSON.stringify(chat)]);
  yield* runPrepared(upsertChat, parameters);
}

export function createChats(database: Database): Chats {
  const { build } = database;

  /** Chats with messages and the time of the newest. */
  function* written(instance: string, jids: readonly string[] | undefined): Work<{ chat: string; at: number }[]> {
    if (!jids) return yield* runPrepared<{ chat: string; at: number }>(selectWritten, [[instance, instance, instance]]);
    const found: { chat: string; at: number }[] = [];
    for (const chat of jids) {
      const place = yield* placeOf(database, instance, [chat]);
      if (place) found.push({ chat, at: place.at });
    }
    return found;
  }

  /** Newest first, at most COUNTED per address, since unread chats grow without limit. */
  function* newest(instance: string, jids: readonly string[], since: number) {
    const found: (Place & { from_me: number; type: string })[] = [];
    for (const jid of jids) {
      const query = build
        .selectFrom('message')
        .select(['sent_at as at', 'seq', 'from_me', 'type'])
        .where('instance', '=', instance)
        .where('chat', '=', jid)
        .where(isListed)
        .where('sent_at', '>=', since);
      found.push(...(yield* runQuery(query.orderBy('sent_at', 'desc').orderBy('seq', 'desc').limit(COUNTED))));
    }
    return found.sort((one, other) => (isAfter(one, other) ? -1 : 1));
  }

  return {
    list: (instance, jids) =>
      database.transaction(function* (): Work<Chat[]> {
        const known = yield* stored(database, instance, jids);
        const chats = new Map(known.map((chat) => [chat.jid, chat]));
        for (const { chat, at } of yield* written(instance, jids)) {
          const told = chats.get(chat);
          chats.set(chat, { jid: chat, ...told, lastMessageAt: Math.max(at, told?.lastMessageAt ?? 0) });
        }
        const isThere = ({ deletedAt, lastMessageAt = 0 }: StoredChat) =>
          deletedAt === undefined || lastMessageAt > deletedAt;
        const shown = [...chats.values()]
          .filter(isThere)
          .map(({ unread: _, unreadFrom: __, deletedAt: ___, ...chat }) => chat);
        return shown.sort(
          (one, other) => (other.lastMessageAt ?? 0) - (one.lastMessageAt ?? 0) || (one.jid < other.jid ? -1 : 1),
        );
      }),

    firstMessageAt: (instance, jids) =>
      database.transaction(function* (): Work<number | null> {
        let first: number | null = null;
        for (const jid of jids) {
          // One entry of the index message_by_chat per address.
          const query = build
            .selectFrom('message')
            .select('sent_at as at')
            .where('instance', '=', instance)
            .where('chat', '=', jid)
            .where(isListed);
          const [oldest] = yield* runQuery(query.orderBy('sent_at', 'asc').limit(1));
          if (oldest && (first === null || oldest.at < first)) first = oldest.at;
        }
        return first;
      }),

    timer: async (instance, jid) => {
      const [chat] = await database.query<{ doc: string }>({ statement: selectDoc, rows: [[instance, jid]] });
      return (chat && parseJson<StoredChat>(chat.doc).ephemeral) ?? 0;
    },

    unread: (instance, jids, readTo) =>
      database.transaction(function* (): Work<number> {
        const told = (yield* stored(database, instance, jids)).filter(({ unread }) => unread !== undefined);
        const read = readTo === undefined ? undefined : yield* placeOf(database, instance, jids, readTo);
        const from = latest([read, ...told.map(({ unreadFrom }) => unreadFrom)]);
        let count = 0;
        for (const message of yield* newest(instance, jids, from.at)) {
          if (!isAfter(message, from)) break;
          // An own message marks everything before it as read.
          if (message.from_me === 1) return count;
          if (!SILENT.has(message.type) && count < COUNTED) count += 1;
        }
        const last = told.find(({ unreadFrom }) => unreadFrom && !isAfter(from, unreadFrom));
        const base = read && !isAfter(from, read) ? 0 : (last?.unread ?? 0);
        // -1: marked as unread by hand, and nothing arrived since.
        return base === -1 ? count || -1 : base + count;
      }),
  };
}
