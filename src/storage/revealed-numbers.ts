// When the phone number of a person becomes known, moves the contact and the settings of the chat from the LID (an id
// that hides the number) to the number. Stored messages stay under the LID, because searches look under both addresses.
// Decision D-170.

import type { Contact } from '../events/events.ts';
import { toChunks } from '../lib/chunks.ts';
import { mergeStoredChats } from './chats.ts';
import { type Database, runQuery, type Work } from './database.ts';

/**
 * Number of people per query. SQLite accepts at most 32,766 parameters, and an address book can contain more people.
 */
const QUERY_SIZE = 1_000;

/** A phone number and the LID of the same person. */
interface RevealedNumber {
  jid: string;
  lid: string;
}

/** Returns the people whose phone number and LID are both known. Without a known number, `jid` is the LID itself. */
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
