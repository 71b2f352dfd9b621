// Stores the contacts that WhatsApp reported, and caches which phone numbers are on WhatsApp (recipients).
import type { Contact } from '../events/events.ts';
import { type Database, type Prepared, preparedInsert, runPrepared, type Work } from './database.ts';
import type { ContactFilter, Contacts, PageRange, Recipient } from './storage.ts';

const upsertContact = preparedInsert(
  'contact',
  { instance: 'text', jid: 'text', lid: 'text', push_name: 'text', username: 'text' },
  `ON CONFLICT (instance, jid) DO UPDATE
     SET lid = COALESCE(excluded.lid, contact.lid), push_name = COALESCE(excluded.push_name, contact.push_name),
       username = COALESCE(excluded.username, contact.username)`,
);
const upsertRecipient = preparedInsert(
  'recipient',
  { instance: 'text', candidate: 'text', jid: 'text', lid: 'text', found: 'integer', checked_at: 'bigint' },
  `ON CONFLICT (instance, candidate) DO UPDATE
     SET jid = excluded.jid, lid = excluded.lid, found = excluded.found, checked_at = excluded.checked_at`,
);
const selectRecipient: Prepared = {
  name: 'select_recipient',
  sqlite: 'SELECT jid, lid, found, checked_at FROM recipient WHERE instance = ? AND candidate = ?',
  postgres:
    'SELECT jid, lid, found, checked_at FROM recipient WHERE instance = ($1::text[])[1] AND candidate = ($2::text[])[1]',
};

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
  yield* runPrepared(upsertContact, parameters);
}

export function createContacts(database: Database): Contacts {
  const { build } = database;
  return {
    async find(
      instance,
      { jids, pushName, username }: ContactFilter,
      { offset, limit }: PageRange,
    ): Promise<Contact[]> {
      if (jids?.length === 0) return [];
      let query = build
        .selectFrom('contact')
        .select(['jid', 'lid', 'push_name', 'username'])
        .where('instance', '=', instance);
      if (jids) query = query.where((eb) => eb.or([eb('jid', 'in', jids), eb('lid', 'in', jids)]));
      if (pushName !== undefined) query = query.where('push_name', '=', pushName);
      if (username !== undefined) query = query.where('username', '=', username);
      const found = await database.query(query.orderBy('jid').limit(limit).offset(offset));
      return found.map(({ jid, lid, push_name: name, username: stored }) => ({
        jid,
        ...(lid ? { lid } : {}),
        ...(name ? { pushName: name } : {}),
        ...(stored ? { username: stored } : {}),
      }));
    },
    async recipient(instance, candidate): Promise<Recipient | null> {
      const [row] = await database.query<{ jid: string; lid: string | null; found: number; checked_at: number }>({
        statement: selectRecipient,
        rows: [[instance, candidate]],
      });
      return row ? { jid: row.jid, lid: row.lid, exists: row.found === 1, checkedAt: row.checked_at } : null;
    },
    async saveRecipient(instance, candidate, { jid, lid, exists, checkedAt }) {
      const found = exists ? 1 : 0;
      await database.query({ statement: upsertRecipient, rows: [[instance, candidate, jid, lid, found, checkedAt]] });
    },
  };
}
