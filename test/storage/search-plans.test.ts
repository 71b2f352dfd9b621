// Query plans of searches: the index that a search reads, and whether other work runs in between.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import pg from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openStorage } from '../../src/storage/open.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { CHAT, key, message, toEventBatch } from '../support/sample-rows.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';

const LID = '7@lid';
const page = { offset: 0, limit: 10 };

/** Opens a storage. `plansOf` returns the query plans of the statements that a search runs on the table `message`. */
async function setUpPlans() {
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-plans-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const encryptionKey = Buffer.alloc(32, 1).toString('base64');
  const storage = await openStorage({ dataDir, network: 'sandbox', encryptionKey });
  onTestFinished(() => storage.close());
  const messages = [message('m'), message('n', { key: key('n', { remoteJid: LID }) })];
  await storage.messages.record('a', toEventBatch({ messages: messages.map((one) => ({ message: one, events: [] })) }));
  const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare');
  onTestFinished(() => prepare.mockRestore());
  const planDatabase = new DatabaseSync(join(dataDir, 'gateway.db'));
  onTestFinished(() => planDatabase.close());
  async function plansOf(search: (messages: Storage['messages']) => Promise<unknown>): Promise<string[]> {
    prepare.mockClear();
    await search(storage.messages);
    const statements = prepare.mock.calls.map(([sql]) => sql).filter((sql) => /from "?message\b/.test(sql));
    expect(statements).not.toEqual([]);
    return statements.flatMap((sql) =>
      planDatabase
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map(({ detail }) => String(detail)),
    );
  }
  return { plansOf };
}

const searches = (filter: object): [string, (messages: Storage['messages']) => Promise<unknown>][] => [
  ['find', (messages) => messages.find('a', filter, page)],
  ['count', (messages) => messages.count('a', filter)],
  ['findStatuses', (messages) => messages.findStatuses('a', filter, page)],
];

it.each([
  { id: 'm' },
  { id: 'm', fromMe: true },
  { id: 'm', since: 1, until: 2_000_000_000 },
  { id: 'm', chatAddresses: [CHAT, LID], since: 1 },
])('a SQLite search by %o reads the index of message ids', async (filter) => {
  const { plansOf } = await setUpPlans();
  for (const [name, search] of searches(filter)) {
    const plans = (await plansOf(search)).filter((plan) => /\bmessage\b/.test(plan) && !/chat=\?\)$/.test(plan));
    for (const plan of plans) expect(plan, name).toMatch(/sqlite_autoindex_message_1 \(instance=\? AND id=\?/);
  }
});

it.each([
  { chatAddresses: [LID, CHAT] },
  { chatAddresses: [LID, CHAT], fromMe: true },
  { chatAddresses: [LID, CHAT], types: ['conversation', 'extendedTextMessage'], since: 1 },
])('a SQLite search by %o reads the index of chats', async (filter) => {
  const { plansOf } = await setUpPlans();
  for (const [name, search] of searches(filter)) {
    const plans = await plansOf(search);
    expect(plans.join('\n'), name).toContain('message_by_chat (instance=? AND chat=?');
    expect(plans.join('\n'), name).not.toContain('message_by_time');
  }
});

it.each(
  searches({ participants: ['unknown@lid'] }),
)('a SQLite search by %s() without an index lets other work run in between', async (_, search) => {
  const storage = await openStorage({ dataDir: ':memory:', network: 'sandbox' });
  onTestFinished(() => storage.close());
  const messages = Array.from({ length: 30_000 }, (_, n) => ({ message: message(`${n}`), events: [] }));
  await storage.messages.record('a', toEventBatch({ messages }));
  let isDone = false;
  const done = search(storage.messages).finally(() => {
    isDone = true;
  });
  let turns = 0;
  for (; !isDone; turns += 1) await setImmediate();
  await done;
  expect(turns).toBeGreaterThan(15);
});

it('findStatuses() on PostgreSQL does not read messages by chat, also in a table without statistics', async () => {
  const databaseUrl = await sharedPostgres().createMigratedDatabase();
  const encryptionKey = Buffer.alloc(32, 1).toString('base64');
  const storage = await openStorage({ dataDir: ':memory:', databaseUrl, network: 'sandbox', encryptionKey });
  onTestFinished(() => storage.close());
  const query = vi.spyOn(pg.Client.prototype, 'query');
  onTestFinished(() => query.mockRestore());
  await storage.messages.findStatuses('a', { status: 'READ' }, page);
  const configs = query.mock.calls.map(([config]): unknown => config);
  const search = configs.filter(isConfig).find(({ text }) => text.includes('"message_status"'));
  query.mockRestore();
  const client = new pg.Client(databaseUrl);
  await client.connect();
  onTestFinished(() => client.end());
  const { rows } = await client.query(`EXPLAIN ${search?.text}`, search?.values);
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).toContain('message_status');
  expect(plan).not.toContain('message_by_chat');
});

const isConfig = (config: unknown): config is { text: string; values: unknown[] } =>
  typeof config === 'object' && config !== null && 'text' in config && 'values' in config;
