// When the phone number of a person becomes known, moves the contact and the settings of the chat from the LID (an id
// that hides the number) to the number. Stored messages stay under the LID, because searches look under both addresses.
// Decision D-170.

import type { Contact } from '../events/events.ts';
import { toChunks } from '../lib/chunks.ts';
import { type Database, runQuery, type Work } from './database.ts';
import { BEFORE_ALL, isAfter } from './message-position.ts';
import { readChats, type StoredChat, writeChats } from './stored-chat.ts';

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
  yield* moveChats(database, instance, jidByLid);
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
 * Moves the settings of chats from a LID to the phone number. Settings that the number already has take precedence. A
 * deletion under one of the two addresses hides the messages under both. Stored messages stay under the LID, so after a
 * deletion a hiding record remains there (StoredChat.number).
 */
function* moveChats(database: Database, instance: string, jidByLid: ReadonlyMap<string, string>): Work<void> {
  const jids = new Set([...jidByLid.keys(), ...jidByLid.values()]);
  const stored = new Map((yield* readChats(database, instance, [...jids])).map((chat) => [chat.jid, chat]));
  const changed = new Map<string, StoredChat>();
  const movedLids: string[] = [];
  for (const [lid, jid] of jidByLid) {
    const underLid = stored.get(lid);
    const underNumber = changed.get(jid) ?? stored.get(jid);
    let merged: StoredChat | undefined;
    if (underLid && underLid.number !== jid) {
      merged = mergeRecords(underLid, underNumber);
      movedLids.push(lid);
    } else if ((underNumber?.deletedAt ?? 0) > (underLid?.deletedAt ?? 0)) {
      // The LID has no record with settings. Only the later deletion under the number must apply to the LID too.
      merged = underNumber;
    }
    if (!merged) continue;
    changed.set(jid, { ...merged, jid, lid });
    if (merged.deletedAt !== undefined) changed.set(lid, { jid: lid, number: jid, deletedAt: merged.deletedAt });
  }
  const { build } = database;
  if (movedLids.length > 0)
    yield* runQuery(build.deleteFrom('chat').where('instance', '=', instance).where('jid', 'in', movedLids));
  yield* writeChats(instance, changed.values());
}

/**
 * Merges the record of a chat under its LID with that under its number, whose values take precedence. For `deletedAt`
 * and `changedAt`, the later value applies. `unread` and `unreadFrom` are those of the record with the later position.
 */
function mergeRecords({ number: _, ...underLid }: StoredChat, underNumber: StoredChat | undefined): StoredChat {
  const merged = { ...underLid, ...underNumber };
  if (underLid.deletedAt !== undefined) merged.deletedAt = Math.max(underLid.deletedAt, merged.deletedAt ?? 0);
  if (underLid.changedAt !== undefined) merged.changedAt = Math.max(underLid.changedAt, merged.changedAt ?? 0);
  const { unread, unreadFrom } = underLid;
  if (unread === undefined || !unreadFrom) return merged;
  return isAfter(unreadFrom, underNumber?.unreadFrom ?? BEFORE_ALL) ? { ...merged, unread, unreadFrom } : merged;
}
