// Searching one chat in a full store against the same chat in a store that holds nothing else (SQLite, 100,000 messages in 1,000 chats).
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStorage } from '../../src/storage/open.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { findMessages, findStatuses } from '../../src/whatsapp/message/find.ts';
import { percentile, table } from './figures.ts';

const instance = { id: 'bench', name: 'bench' };
const perChat = 100;
const rounds = 2_000;
const numberOf = (chat: number) => `1555${String(1_000_000 + chat)}`;

/** The chat's messages, one second apart, each delivered; all chats in turn, as real ones mix. */
async function fill(storage: Storage, chats: number): Promise<void> {
  for (let turn = 0; turn < perChat; turn++) {
    const keys = Array.from({ length: chats }, (_, chat) => ({
      remoteJid: `${numberOf(chat)}@s.whatsapp.net`,
      fromMe: turn % 2 === 0,
      id: `3EB0${chat}X${turn}`,
    }));
    await storage.messages.record(instance.id, {
      messages: keys.map((key) => ({
        message: {
          key,
          message: { conversation: `message ${turn}` },
          messageType: 'conversation',
          messageTimestamp: 1_700_000_000 + turn,
          source: 'web',
        },
        events: [],
      })),
      statuses: keys.map((key) => ({ change: { key, status: 'DELIVERY_ACK', at: 1_700_000_000_000 }, events: [] })),
      contacts: [],
      events: [],
    });
  }
}

async function measure(search: () => Promise<unknown>): Promise<number[]> {
  for (let round = 0; round < 200; round++) await search();
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const started = performance.now();
    await search();
    times.push(performance.now() - started);
  }
  return times;
}

async function measureStore(chats: number) {
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
  const storage = await openStorage({ dataDir, network: 'sandbox' });
  await fill(storage, chats);
  const archive = { instance, messages: storage.messages, authKeys: storage.authKeys, contacts: storage.contacts };
  const remoteJid = numberOf(0);
  const list = () => findMessages(archive, { where: { key: { remoteJid } }, limit: 20 }, { isCounted: false });
  const page = () => findMessages(archive, { where: { key: { remoteJid } }, page: 3, offset: 20 }, { isCounted: true });
  const status = () => findStatuses(archive, { where: { remoteJid }, limit: 20 });
  const rows = [];
  for (const [search, run] of Object.entries({ list, page, status })) {
    const times = await measure(run);
    rows.push({
      search,
      messages: chats * perChat,
      'median ms': percentile(times, 0.5),
      'p99 ms': percentile(times, 0.99),
    });
  }
  await storage.close();
  rmSync(dataDir, { recursive: true, force: true });
  return rows;
}

export async function benchFind() {
  const alone = await measureStore(1);
  const full = await measureStore(1_000);
  const rows = full.map((row, index) => ({
    search: row.search,
    messages: row.messages,
    'median ms': Number(row['median ms'].toFixed(3)),
    'p99 ms': Number(row['p99 ms'].toFixed(3)),
    'chat alone, median ms': Number((alone[index]?.['median ms'] ?? 0).toFixed(3)),
    ratio: Number((row['median ms'] / (alone[index]?.['median ms'] ?? 1)).toFixed(2)),
  }));
  table('search of one chat of 100 messages among 1,000 chats', rows);
  return rows;
}
