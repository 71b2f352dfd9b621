// When the phone number of a person becomes known, moves the contact and the settings of the chat from the LID to the
// number. Messages keep their key; searches find them under both addresses. A message that arrives again under the
// other address is removed. Decision D-170.

import type { Contact, MessageKey } from '../events/events.ts';
import { toChunks } from '../lib/chunks.ts';
import { isSameChat } from './change-permissions.ts';
import { mergeStoredChats } from './chats.ts';
import { type Database, runQuery, type Work } from './database.ts';
import { messagesWithId } from './message-changes.ts';

/**
 * Number of people per query. SQLite accepts at most 32,766 parameters, and an address book can contain more people.
 */
const QUERY_SIZE = 1_000;

/** A phone number and the LID of the same person. */
interface RevealedNumber {
  jid: string;
  lid: string;
}

/** Returns the people whose phone number and LID are both known. */
export const revealedNumbersIn = (people: readonly { jid: string; lid?: string | undefined }[]): RevealedNumber[] =>
  people.flatMap(({ jid, lid }) => (lid !== undefined && lid !== jid ? [{ jid, lid }] : []));

/**
 * Moves the settings of the chats from the LIDs to the numbers. Deletes the contacts that are stored under the LIDs,
 * and returns them under their numbers; the caller must store the returned contacts.
 */
export function* moveToNumbers(
  database: Database,
  instance: string,
  revealed: readonly RevealedNumber[],
): Work<Contact[]> {
  const moved: Contact[] = [];
  for (const chunk of toChunks(revealed, QUERY_SIZE)) {
    moved.push(...(yield* moveChunk(database, instance, new Map(chunk.map(({ jid, lid }) => [lid, jid])))));
  }
  return moved;
}

/** Like moveToNumbers(), for at most QUERY_SIZE people. `jidByLid` contains their numbers by LID. */
function* moveChunk(database: Database, instance: string, jidByLid: ReadonlyMap<string, string>): Work<Contact[]> {
  const { build } = database;
  const lids = [...jidByLid.keys()];
  yield* mergeStoredChats(database, instance, jidByLid);
  const found = yield* runQuery(
    build
      .selectFrom('contact')
      .select(['jid', 'push_name', 'username'])
      .where('instance', '=', instance)
      .where('jid', 'in', lids),
  );
  if (found.length === 0) return [];
  const stored = found.map(({ jid }) => jid);
  yield* runQuery(build.deleteFrom('contact').where('instance', '=', instance).where('jid', 'in', stored));
  return found.map(({ jid: lid, push_name: pushName, username }) => ({
    jid: jidByLid.get(lid) ?? lid,
    lid,
    ...(pushName ? { pushName } : {}),
    ...(username ? { username } : {}),
  }));
}

/**
 * When the message is also stored under the other address of its chat, removes the row under `key`, which was just
 * stored. Returns whether it removed the row.
 */
export function* removeIfRepeated(database: Database, instance: string, key: MessageKey): Work<boolean> {
  const stored = (yield* messagesWithId(database, instance, key)).map(({ message }) => message.key);
  const isRepeated = stored.some((other) => other.remoteJid !== key.remoteJid && isSameChat(other, key));
  if (!isRepeated) return false;
  const { build } = database;
  yield* runQuery(
    build
      .deleteFrom('message')
      .where('instance', '=', instance)
      .where('id', '=', key.id)
      .where('chat', '=', key.remoteJid),
  );
  return true;
}
