// Stores message statuses. A status is stored when it is higher than the stored one (READ, for example, is higher than
// DELIVERY_ACK) and its sender is allowed to set it (change-permissions.ts). The rank of a status is its position in
// this order (status-rank.ts).

import type { EventBatch, EventRow, StatusChange } from '../events/event-batch.ts';
import type { MessageKey } from '../events/events.ts';
import {
  canBeReceiptFor,
  chatAddressesOf,
  isSameChat,
  mayChange,
  mayChangeById,
  messagesToDelete,
} from './change-permissions.ts';
import { parseJson } from './columns.ts';
import {
  type Database,
  type Prepared,
  prepareInsert,
  runPrepared,
  runQuery,
  unnestColumns,
  type Work,
} from './database.ts';
import { applyStatuses, eraseContents, messagesWithId, type StoredMessage } from './message-changes.ts';
import { rankOf } from './status-rank.ts';

const INSERT_STATUS = prepareInsert(
  'message_status',
  { instance: 'text', id: 'text', chat: 'text', rank: 'integer', doc: 'text', participant: 'text' },
  'ON CONFLICT (instance, id, chat, rank) DO NOTHING',
);
/**
 * Selects the ranks of a message id from the messages (`stored` is 1) and from the status history, which is the table
 * message_status (`stored` is 0). `own` is 1 for a message that this account sent. Chats are compared in JavaScript,
 * because a key can name the chat by phone number or LID. SQLite takes instance and id twice, once per part of the
 * UNION; PostgreSQL ignores the second pair.
 */
const SELECT_RANKS: Prepared = {
  name: 'select_ranks',
  sqlite: `SELECT id, chat, status AS rank, 1 AS stored, CASE WHEN from_me = 1 THEN 1 ELSE 0 END AS own
       FROM message WHERE instance = ? AND id = ?
     UNION ALL SELECT id, chat, rank, 0 AS stored, 0 AS own FROM message_status WHERE instance = ? AND id = ?`,
  postgres: `WITH k AS (SELECT DISTINCT instance, id FROM ${unnestColumns({ instance: 'text', id: 'text', instance_again: 'text', id_again: 'text' })})
     SELECT id, chat, status AS rank, 1 AS stored, CASE WHEN from_me = 1 THEN 1 ELSE 0 END AS own
       FROM k JOIN message USING (instance, id)
     UNION ALL SELECT id, chat, rank, 0 AS stored, 0 AS own FROM k JOIN message_status USING (instance, id)`,
};

interface RankRow {
  id: string;
  chat: string;
  rank: number | null;
  stored: number;
  own: number;
}

/** A change of a status, with its events and the permissions of its author (`authority`). */
type StatusEntry = EventBatch['statuses'][number];

/** Stores the changes that raise a status and adds their events to `events`. Returns the number of refused changes. */
export function* recordStatuses(
  database: Database,
  instance: string,
  statuses: EventBatch['statuses'],
  events: EventRow[],
): Work<number> {
  if (statuses.length === 0) return 0;
  const rowsById = new Map<string, RankRow[]>(statuses.map(({ change }) => [change.key.id, []]));
  const parameters = [...rowsById.keys()].map((id) => [instance, id, instance, id]);
  for (const row of yield* runPrepared<RankRow>(SELECT_RANKS, parameters)) rowsById.get(row.id)?.push(row);
  const newRows: (string | number | null)[][] = [];
  const withoutHistory: StatusEntry[] = [];
  const deleted: StatusEntry[] = [];
  let refused = 0;
  for (const status of statuses) {
    const { change, events: eventsOfChange, isTransient, authority } = status;
    const { id, remoteJid } = change.key;
    const rowsWithId = rowsById.get(id) ?? [];
    const messages = yield* messagesToCheck(database, instance, change, rowsWithId);
    const storedKeys = messages.map(({ message }) => message.key);
    if (!isAllowed(status, storedKeys)) {
      refused += 1;
      continue;
    }
    const targets = change.status === 'DELETED' ? messagesToDelete(messages, change.key, authority) : [];
    // A message that reuses the id of another message has no status history. Only the message itself changes.
    if (targets.length > 0 && targets.every(({ isReused }) => isReused)) {
      if (targets.every(({ message }) => message.status === 'DELETED')) continue;
      yield* eraseContents(database, instance, [status]);
      events.push(...eventsOfChange);
      continue;
    }
    const keysInChat = [change.key, ...storedKeys.filter((key) => isSameChat(key, change.key))];
    const addresses = keysInChat.flatMap(chatAddressesOf);
    const rowsOfMessage = rowsWithId.filter((row) => addresses.includes(row.chat));
    const rank = rankOf(change.status);
    if (rowsOfMessage.some((row) => (row.rank ?? -1) >= rank)) continue;
    const chat = rowsOfMessage.find((row) => row.stored === 1)?.chat ?? remoteJid;
    // applyEarlierDeletions() needs `byModerator`, if the message arrives after its deletion.
    const doc: StatusChange = authority?.mayModerate ? { ...change, byModerator: true } : change;
    // A transient status is written to the message only, not to the status history.
    if (isTransient) withoutHistory.push(status);
    else newRows.push([instance, id, chat, rank, JSON.stringify(doc), change.key.participant ?? null]);
    if (change.status === 'DELETED') deleted.push(status);
    // Later changes of this batch are compared with this one.
    rowsById.get(id)?.push({ id, chat, rank, stored: 0, own: 0 });
    events.push(...eventsOfChange);
  }
  yield* runPrepared(INSERT_STATUS, newRows);
  yield* applyStatuses(database, instance, withoutHistory);
  yield* eraseContents(database, instance, deleted);
  return refused;
}

/**
 * The stored messages that decide whether a change is allowed: those with its message id, in any chat. `rowsWithId` are
 * the stored rows with this id. Usually the change is a receipt, and this account sent all of these messages to the
 * chat of the receipt. Such a receipt is allowed, so the result is empty and no query runs.
 */
function* messagesToCheck(
  database: Database,
  instance: string,
  { key, status }: StatusChange,
  rowsWithId: readonly RankRow[],
): Work<StoredMessage[]> {
  const messages = rowsWithId.filter(({ stored }) => stored === 1);
  const addresses = chatAddressesOf(key);
  if (status !== 'DELETED' && messages.every(({ chat, own }) => own === 1 && addresses.includes(chat))) return [];
  return yield* messagesWithId(database, instance, key);
}

/** Whether a change is allowed. `storedKeys` are the keys of messagesToCheck(). */
const isAllowed = ({ change: { key, status }, authority }: StatusEntry, storedKeys: readonly MessageKey[]): boolean =>
  status === 'DELETED' ? mayChangeById(storedKeys, key, authority) : canBeReceiptFor(storedKeys, key);

/**
 * Moves statuses of the message `key` from the chat address `remoteJidAlt` to `remoteJid`. They are stored under
 * `remoteJidAlt` because they arrived before the message. A status that is stored under both addresses remains once.
 */
export function* moveEarlierStatuses({ build }: Database, instance: string, key: MessageKey): Work<void> {
  const { id, remoteJid, remoteJidAlt } = key;
  if (remoteJidAlt === undefined) return;
  const ranks = build
    .selectFrom('message_status')
    .select('rank')
    .where('instance', '=', instance)
    .where('id', '=', id)
    .where('chat', '=', remoteJid);
  yield* runQuery(
    build
      .updateTable('message_status')
      .set({ chat: remoteJid })
      .where('instance', '=', instance)
      .where('id', '=', id)
      .where('chat', '=', remoteJidAlt)
      .where('rank', 'not in', ranks),
  );
  yield* runQuery(
    build
      .deleteFrom('message_status')
      .where('instance', '=', instance)
      .where('id', '=', id)
      .where('chat', '=', remoteJidAlt),
  );
}

/**
 * Applies deletions that arrived before the message `key`: erases the content of the message, or removes the deletion
 * when it does not come from the author of the message or from an admin. The deletion could not be checked earlier,
 * because only the message shows who its author is.
 */
export function* applyEarlierDeletions(database: Database, instance: string, key: MessageKey): Work<void> {
  const { build } = database;
  const deletions = build
    .selectFrom('message_status')
    .select(['chat', 'doc'])
    .where('instance', '=', instance)
    .where('id', '=', key.id)
    .where('rank', '=', rankOf('DELETED'));
  for (const { chat, doc } of yield* runQuery(deletions)) {
    const change = parseJson<StatusChange>(doc);
    if (!isSameChat(change.key, key)) continue;
    const authority = { mayModerate: change.byModerator ?? false };
    if (mayChange(key, change.key, authority)) {
      yield* eraseContents(database, instance, [{ change, events: [], authority }]);
      continue;
    }
    yield* runQuery(
      build
        .deleteFrom('message_status')
        .where('instance', '=', instance)
        .where('id', '=', key.id)
        .where('chat', '=', chat)
        .where('rank', '=', rankOf('DELETED')),
    );
  }
}
