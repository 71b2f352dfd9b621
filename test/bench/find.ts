// Pages of messages, statuses, chats and contacts of one instance on SQLite, in stores of 10,000, 100,000 and 1,000,000
// messages. Each chat has 100 messages in every store, so only the numbers of chats, contacts and other messages grow.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openStorage } from '../../src/storage/open.ts';
import { DATABASE_FILE } from '../../src/storage/sqlite.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { findChat, findChats, findContacts } from '../../src/whatsapp/chat/list.ts';
import { findMessages, findStatuses } from '../../src/whatsapp/message/find.ts';
import { atMost, type BenchResult } from './goals.ts';
import { median, percentile, printTable } from './statistics.ts';

const instance = { id: crypto.randomUUID(), name: 'bench' };
const SIZES = [10_000, 100_000, 1_000_000];
const PER_CHAT = 100;
const ROUNDS = 300;
const WARM_UP = 20;
const numberOf = (chat: number) => `1555${String(1_000_000 + chat)}`;

/**
 * Writes `count` messages with one status each, and a contact for each chat, in the form of Messages.record(). The
 * chats are interleaved as in real stores. SQL creates the rows in seconds, because the indexes are dropped during the
 * insert.
 */
export function fillMessages(dataDir: string, count: number, id: string): void {
  const file = new DatabaseSync(join(dataDir, DATABASE_FILE));
  const indexQuery =
    "SELECT sql, name FROM sqlite_master WHERE type = 'index' AND tbl_name IN ('message', 'contact') AND sql <> ''";
  const indexes = file.prepare(indexQuery).all();
  file.exec('PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000');
  for (const { name } of indexes) file.exec(`DROP INDEX ${String(name)}`);
  const chats = count / PER_CHAT;
  file.exec(`
    BEGIN;
    CREATE TEMP TABLE n AS WITH RECURSIVE n(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < ${count - 1})
      SELECT n, printf('3EB0%012X%04X', n * 2654435761 % 281474976710656, n % 65536) AS id,
        (1555 * 10000000 + 1000000 + n % ${chats}) || '@s.whatsapp.net' AS chat, n / ${chats} % 2 AS mine, 1700000000 + n / 20 AS at FROM n;
    INSERT INTO message (instance, id, chat, status, doc, sent_at, from_me, type)
      SELECT '${id}', id, chat, 1, '{"key":{"remoteJid":"' || chat || '","fromMe":' || iif(mine, 'true', 'false') || ',"id":"' || id
        || '"},"message":{"conversation":"message ' || n || '"},"messageType":"conversation","messageTimestamp":' || at
        || ',"source":"web","pushName":"Ada"}', at, mine, 'conversation' FROM n;
    INSERT INTO message_status (instance, id, chat, rank, doc)
      SELECT '${id}', id, chat, 3, '{"key":{"remoteJid":"' || chat || '","fromMe":' || iif(mine, 'true', 'false') || ',"id":"' || id
        || '"},"status":"DELIVERY_ACK","at":1700000000000}' FROM n ORDER BY id;
    INSERT INTO contact (instance, jid, lid, push_name)
      SELECT '${id}', chat, (2 * n + 777000000000) || '@lid', 'Person ' || n FROM n WHERE n < ${chats};
    INSERT INTO chat (instance, jid, doc)
      SELECT '${id}', chat, '{"jid":"' || chat || '","unread":0,"unreadFrom":{"at":1700000000,"seq":0}}' FROM n WHERE n < ${chats};
    COMMIT`);
  for (const { sql } of indexes) file.exec(String(sql));
  file.close();
}

/** The searches for each kind of page. `n` is the index of the chat or contact. */
function searchesIn(storage: Storage): Record<string, (n: number) => Promise<unknown>> {
  const { messages, authKeys, contacts, chats } = storage;
  const directory = { instance, messages, authKeys, contacts, chats };
  const inChat = (n: number) => ({ key: { remoteJid: numberOf(n) } });
  const counted = { isCounted: true };
  const uncounted = { isCounted: false };
  return {
    'messages of a chat': (n) => findMessages(directory, { where: inChat(n), limit: 20 }, uncounted),
    'messages of a chat, page 3, counted': (n) =>
      findMessages(directory, { where: inChat(n), page: 3, offset: 20 }, counted),
    'statuses of a chat': (n) => findStatuses(directory, { where: { remoteJid: numberOf(n) }, limit: 20 }),
    'messages of all chats': () => findMessages(directory, { limit: 20 }, uncounted),
    'messages of all chats, page 3, counted': () => findMessages(directory, { page: 3, offset: 20 }, counted),
    'chats, page 1': () => findChats(directory, { page: 1, offset: 20 }),
    'chats, page 3': () => findChats(directory, { page: 3, offset: 20 }),
    'one chat': (n) => findChat(directory, numberOf(n)),
    'contacts, page 3': () => findContacts(directory, { page: 3, offset: 20 }),
    'contact by number': (n) => findContacts(directory, { where: { remoteJid: numberOf(n) } }),
    'contact by name': (n) => findContacts(directory, { where: { pushName: `Person ${n}` } }),
  };
}

/** Durations of one kind of search, ms. The chat or contact differs between calls. */
async function measure(search: (n: number) => Promise<unknown>, chats: number): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    const startedAt = performance.now();
    await search((round * 7919) % chats);
    if (round >= WARM_UP) times.push(performance.now() - startedAt);
    // A slow search needs fewer rounds.
    if (times.length >= 20 && times.reduce((sum, time) => sum + time, 0) > 3_000) break;
  }
  return times;
}

async function measureStore(count: number): Promise<Map<string, number[]>> {
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
  await (await openStorage({ dataDir, network: 'sandbox' })).close();
  fillMessages(dataDir, count, instance.id);
  const storage = await openStorage({ dataDir, network: 'sandbox' });
  const times = new Map<string, number[]>();
  for (const [name, search] of Object.entries(searchesIn(storage))) {
    times.set(name, await measure(search, count / PER_CHAT));
  }
  await storage.close();
  rmSync(dataDir, { recursive: true, force: true });
  return times;
}

export async function benchFind(): Promise<BenchResult> {
  const stores = [];
  for (const size of SIZES) stores.push({ size, times: await measureStore(size) });
  const [small, , large] = stores;
  const rows = [];
  const goals = [];
  for (const search of small?.times.keys() ?? []) {
    const timesOf = (store: typeof small) => store?.times.get(search) ?? [];
    const ratio = median(timesOf(large)) / median(timesOf(small));
    const medians = stores.map((store) => [`p50 ms at ${store.size}`, median(timesOf(store))]);
    const p99 = percentile(timesOf(large), 0.99);
    rows.push({ search, ...Object.fromEntries(medians), 'p99 ms': p99, 'largest ÷ smallest': ratio });
    goals.push(
      atMost(`find, ${search}, 1,000,000 messages: p99, ms`, p99, 20),
      atMost(`find, ${search}: p50 with 1,000,000 ÷ 10,000 messages`, ratio, 2),
    );
  }
  printTable('pages of one instance by the number of stored messages', rows);
  return { rows, goals };
}
