// Messages, their status history, and the one transaction that stores what happened together with its posts.
// A stored message changes only by edits and deletion; its current status is the highest of its own and its history.
import type { Message } from '../events.ts';
import type { Clock } from '../lib/clock.ts';
import { recordChats } from './chats.ts';
import { parseJson } from './columns.ts';
import { recordContacts } from './contacts.ts';
import { applyEdits, applyStars, applyStatuses, applyVotes, chatsOf, eraseContents } from './corrections.ts';
import { batchOf, type Database, each, insertion, type Prepared, rows, type Work } from './database.ts';
import { moveFile } from './files.ts';
import { enqueue } from './outbox.ts';
import { createRetention } from './retention.ts';
import { createSearch, current, histories } from './search.ts';
import { rankOf } from './status.ts';
import type { Messages, NewEvent, Recorded, Recording, StatusChange } from './storage.ts';

const insertMessage = insertion(
  'message',
  {
    ...{ instance: 'text', id: 'text', chat: 'text', status: 'integer', doc: 'text' },
    ...{ sent_at: 'bigint', from_me: 'bigint', type: 'text', participant: 'text' },
  },
  'ON CONFLICT (instance, id, chat) DO NOTHING RETURNING id, chat',
);
const insertStatus = insertion(
  'message_status',
  { instance: 'text', id: 'text', chat: 'text', rank: 'integer', doc: 'text', participant: 'text' },
  'ON CONFLICT (instance, id, chat, rank) DO NOTHING',
);
/** Every rank known of a message id, the message's own marked: chats are compared in JS because a key may name the chat by PN or LID. */
const selectRanks: Prepared = {
  name: 'select_ranks',
  sqlite: `SELECT id, chat, status AS rank, 1 AS stored FROM message WHERE instance = ? AND id = ?
     UNION ALL SELECT id, chat, rank, 0 AS stored FROM message_status WHERE instance = ? AND id = ?`,
  postgres: `WITH k AS (SELECT DISTINCT instance, id FROM ${batchOf({ instance: 'text', id: 'text', again: 'text', same: 'text' })})
     SELECT id, chat, status AS rank, 1 AS stored FROM k JOIN message USING (instance, id)
     UNION ALL SELECT id, chat, rank, 0 AS stored FROM k JOIN message_status USING (instance, id)`,
};

interface RankRow {
  id: string;
  chat: string;
  rank: number | null;
  stored: number;
}

export function createMessages(database: Database, clock: Clock): Messages {
  const { build } = database;

  function* latest(instance: string, id: string): Work<{ message: Message; chat: string }[]> {
    const query = build.selectFrom('message').select(['chat', 'doc']).where('instance', '=', instance);
    const found = yield* rows(query.where('id', '=', id).orderBy('seq', 'desc'));
    return found.map((row) => ({ chat: row.chat, message: parseJson<Message>(row.doc) }));
  }

  return {
    record: (instance, batch) =>
      database.transaction(function* (): Work<Recorded> {
        const events: NewEvent[] = [];
        yield* recordMessages(instance, batch.messages, events);
        yield* recordStatuses(database, instance, batch.statuses, events);
        yield* applyEdits(database, instance, batch.edits ?? []);
        yield* applyVotes(database, instance, batch.votes ?? []);
        yield* applyStars(database, instance, batch.stars ?? []);
        yield* recordContacts(instance, batch.contacts);
        yield* recordChats(database, instance, batch.chats ?? []);
        events.push(...batch.events);
        return yield* enqueue(instance, events, clock.now());
      }, instance),

    async known(instance, ids) {
      if (ids.length === 0) return new Set();
      const query = build.selectFrom('message').select('id').where('instance', '=', instance);
      return new Set((await database.query(query.where('id', 'in', ids))).map(({ id }) => id));
    },

    get: (instance, id, chat) =>
      database.transaction(function* (): Work<Message | null> {
        const candidates = yield* latest(instance, id);
        const found = candidates.find((one) => chat === undefined || chatsOf(one.message.key).includes(chat));
        if (!found) return null;
        return current(found.message, found.chat, yield* histories(instance, [id])).message;
      }),

    moveFile: (instance, key, place) => database.transaction(() => moveFile(database, instance, key, place), instance),

    statuses: (instance, id) =>
      database.transaction(function* (): Work<StatusChange[]> {
        return (yield* histories(instance, [id])).map((row) => parseJson<StatusChange>(row.doc));
      }),

    ...createSearch(database),
    ...createRetention(database),
  };
}

/** Adds the events of the messages that were new. */
function* recordMessages(instance: string, messages: Recording['messages'], events: NewEvent[]): Work<void> {
  if (messages.length === 0) return;
  const parameters = messages.map(({ message }) => {
    const { id, remoteJid, fromMe, participant } = message.key;
    const status = message.status ? rankOf(message.status) : null;
    const { messageTimestamp: sentAt, messageType } = message;
    return [
      ...[instance, id, remoteJid, status, JSON.stringify(message)],
      ...[sentAt, fromMe ? 1 : 0, messageType, participant ?? null],
    ];
  });
  const inserted = yield* each<{ id: string; chat: string }>(insertMessage, parameters);
  const fresh = new Set(inserted.map((row) => `${row.id}\n${row.chat}`));
  for (const { message, events: own } of messages) {
    // `delete`: of two equal messages in one batch only the first was stored.
    if (fresh.delete(`${message.key.id}\n${message.key.remoteJid}`)) events.push(...own);
  }
}

/** Keeps the changes that rise, and adds their events. */
function* recordStatuses(
  database: Database,
  instance: string,
  statuses: Recording['statuses'],
  events: NewEvent[],
): Work<void> {
  if (statuses.length === 0) return;
  const known = new Map<string, RankRow[]>(statuses.map(({ change }) => [change.key.id, []]));
  const parameters = [...known.keys()].map((id) => [instance, id, instance, id]);
  for (const row of yield* each<RankRow>(selectRanks, parameters)) known.get(row.id)?.push(row);
  const risen: (string | number | null)[][] = [];
  const passing: StatusChange[] = [];
  const deleted: StatusChange[] = [];
  for (const { change, events: own, isPassing } of statuses) {
    const { id, remoteJid } = change.key;
    const chats = chatsOf(change.key);
    const ofMessage = (known.get(id) ?? []).filter((row) => chats.includes(row.chat));
    const rank = rankOf(change.status);
    if (ofMessage.some((row) => (row.rank ?? -1) >= rank)) continue;
    const chat = ofMessage.find((row) => row.stored === 1)?.chat ?? remoteJid;
    if (isPassing) passing.push(change);
    else risen.push([instance, id, chat, rank, JSON.stringify(change), change.key.participant ?? null]);
    if (change.status === 'DELETED') deleted.push(change);
    known.get(id)?.push({ id, chat, rank, stored: 0 });
    events.push(...own);
  }
  yield* each(insertStatus, risen);
  yield* applyStatuses(database, instance, passing);
  yield* eraseContents(
    database,
    instance,
    deleted.map(({ key }) => key),
  );
}
