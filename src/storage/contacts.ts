// Stores the contacts that WhatsApp reported, and caches which phone numbers are on WhatsApp (recipients). A candidate
// is the JID of a phone number before WhatsApp has confirmed it.
import { sql } from 'kysely';
import type { Contact } from '../events/events.ts';
import { toChunks } from '../lib/chunks.ts';
import {
  type Database,
  type Prepared,
  prepareInsert,
  runPrepared,
  runQuery,
  unnestColumns,
  type Work,
} from './database.ts';
import type { ContactFilter, Contacts, PageRange, Recipient } from './storage.ts';
import type { Tables } from './tables.ts';

type ContactTable = Tables['contact'];

const UPSERT_CONTACT = prepareInsert(
  'contact',
  { instance: 'text', jid: 'text', lid: 'text', push_name: 'text', username: 'text' },
  `ON CONFLICT (instance, jid) DO UPDATE
     SET lid = COALESCE(excluded.lid, contact.lid), push_name = COALESCE(excluded.push_name, contact.push_name),
       username = COALESCE(excluded.username, contact.username)`,
);
const UPSERT_RECIPIENT = prepareInsert(
  'recipient',
  { instance: 'text', candidate: 'text', jid: 'text', lid: 'text', found: 'integer', checked_at: 'bigint' },
  `ON CONFLICT (instance, candidate) DO UPDATE
     SET jid = excluded.jid, lid = excluded.lid, found = excluded.found, checked_at = excluded.checked_at`,
);
/** PostgreSQL gets one array per column (Prepared). Here each array has one value. */
const SELECT_RECIPIENT: Prepared = {
  name: 'select_recipient',
  sqlite: 'SELECT jid, lid, found, checked_at FROM recipient WHERE instance = ? AND candidate = ?',
  postgres:
    'SELECT jid, lid, found, checked_at FROM recipient WHERE instance = ($1::text[])[1] AND candidate = ($2::text[])[1]',
};
/**
 * SQL condition: a contact, a chat or a message is stored under the LID `k.lid` (an id that hides the number). Protocol
 * messages, such as edits and deletions, do not count. `k` is the row of parameters, as in unnestColumns().
 */
const LID_IS_STORED = `EXISTS (SELECT 1 FROM contact WHERE contact.instance = k.instance AND contact.jid = k.lid)
   OR EXISTS (SELECT 1 FROM chat WHERE chat.instance = k.instance AND chat.jid = k.lid)
   OR EXISTS (SELECT 1 FROM message
     WHERE message.instance = k.instance AND message.chat = k.lid AND message.type <> 'protocolMessage')`;
/** This query runs for the first message to or from each person, so it is a prepared statement. */
const SELECT_STORED_LIDS: Prepared = {
  name: 'select_stored_lids',
  sqlite: `SELECT k.lid FROM (SELECT ? AS instance, ? AS lid) k WHERE ${LID_IS_STORED}`,
  postgres: `SELECT k.lid FROM ${unnestColumns({ instance: 'text', lid: 'text' })} WHERE ${LID_IS_STORED}`,
};

/** Number of addresses per query. SQLite accepts at most 32,766 parameters. */
const QUERY_SIZE = 1_000;

/** Inserts or updates contacts. Fields that a contact does not have keep their value. */
export function* recordContacts(instance: string, contacts: readonly Contact[]): Work<void> {
  const byJid = new Map<string, Contact>();
  // PostgreSQL rejects an upsert that changes a row twice in one statement.
  for (const contact of contacts) byJid.set(contact.jid, { ...byJid.get(contact.jid), ...contact });
  const parameters = Array.from(byJid.values(), ({ jid, lid = null, pushName = null, username = null }) => [
    instance,
    jid,
    lid,
    pushName,
    username,
  ]);
  yield* runPrepared(UPSERT_CONTACT, parameters);
}

/**
 * Starts a query of contacts. On SQLite the query uses `index`, if given: without statistics, SQLite would read all
 * contacts of the instance instead.
 */
function selectContacts({ build, dialect }: Database, index?: string) {
  const alias = sql.raw(dialect === 'sqlite' && index ? `contact INDEXED BY ${index}` : 'contact');
  return build
    .selectFrom(sql<ContactTable>`contact`.as<'contact'>(alias))
    .select(['contact.jid', 'contact.lid', 'contact.push_name', 'contact.username']);
}

/** The contacts that have both a phone number and a LID, if one of the two is among `jids`. */
export function* contactsWithBothAddresses(
  database: Database,
  instance: string,
  jids: readonly string[],
): Work<{ jid: string; lid: string }[]> {
  const found: { jid: string; lid: string }[] = [];
  for (const chunk of toChunks(jids, QUERY_SIZE)) {
    const byNumber = selectContacts(database).where('contact.jid', 'in', chunk).where('contact.lid', 'is not', null);
    const byLid = selectContacts(database, 'contact_by_lid').where('contact.lid', 'in', chunk);
    for (const query of [byNumber, byLid]) {
      for (const { jid, lid } of yield* runQuery(query.where('contact.instance', '=', instance)))
        if (lid !== null) found.push({ jid, lid });
    }
  }
  return found;
}

export function createContacts(database: Database): Contacts {
  return {
    async find(instance, { jids, pushName, username }: ContactFilter, range?: PageRange): Promise<Contact[]> {
      if (jids?.length === 0) return [];
      const selectMatching = (index?: string) =>
        selectContacts(database, index)
          .where('contact.instance', '=', instance)
          .$if(pushName !== undefined, (contacts) => contacts.where('contact.push_name', '=', pushName ?? ''))
          .$if(username !== undefined, (contacts) => contacts.where('contact.username', '=', username ?? ''));
      const usernameIndex = username === undefined ? undefined : 'contact_by_username';
      const query = jids
        ? selectMatching()
            .where('contact.jid', 'in', jids)
            .union(selectMatching('contact_by_lid').where('contact.lid', 'in', jids))
        : selectMatching(pushName === undefined ? usernameIndex : 'contact_by_name');
      const ordered = query.orderBy('jid');
      const found = await database.query(range ? ordered.limit(range.limit).offset(range.offset) : ordered);
      return found.map(({ jid, lid, push_name: name, username: stored }) => ({
        jid,
        ...(lid ? { lid } : {}),
        ...(name ? { pushName: name } : {}),
        ...(stored ? { username: stored } : {}),
      }));
    },
    async findStoredLids(instance, lids) {
      if (lids.length === 0) return [];
      const rows = lids.map((lid) => [instance, lid]);
      const found = await database.query<{ lid: string }>({ statement: SELECT_STORED_LIDS, rows });
      return found.map(({ lid }) => lid);
    },
    async recipient(instance, candidate): Promise<Recipient | null> {
      const [row] = await database.query<{ jid: string; lid: string | null; found: number; checked_at: number }>({
        statement: SELECT_RECIPIENT,
        rows: [[instance, candidate]],
      });
      return row ? { jid: row.jid, lid: row.lid, exists: row.found === 1, checkedAt: row.checked_at } : null;
    },
    async saveRecipient(instance, candidate, { jid, lid, exists, checkedAt }) {
      const found = exists ? 1 : 0;
      await database.query({ statement: UPSERT_RECIPIENT, rows: [[instance, candidate, jid, lid, found, checkedAt]] });
    },
  };
}
