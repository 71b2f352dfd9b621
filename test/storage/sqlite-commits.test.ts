// Transactions of SQLite, counted in its write-ahead log. The writes of one turn of the event loop are one transaction.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { turnEnd } from '../../src/lib/event-loop-turn.ts';
import { openStorage } from '../../src/storage/open.ts';
import { EventQueue } from '../../src/whatsapp/inbound/event-queue.ts';
import { event, instance, toEventBatch } from '../support/sample-rows.ts';

async function openFile() {
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-commits-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const storage = await openStorage({ dataDir, network: 'sandbox' });
  onTestFinished(() => storage.close());
  await storage.instances.create(instance('i'));
  /** Counts the frames of the log that end a transaction. Such a frame contains the size of the database. */
  const countCommits = (): number => {
    const log = readFileSync(join(dataDir, 'gateway.db-wal'));
    const frame = 24 + log.readUInt32BE(8);
    let count = 0;
    for (let at = 32; at + frame <= log.length; at += frame) if (log.readUInt32BE(at + 4) > 0) count++;
    return count;
  };
  const queue = new EventQueue(async (events) => {
    await storage.messages.record('i', toEventBatch({ events: events.map(({ type }) => event(type)) }));
  });
  return { storage, queue, countCommits };
}

describe('the SQLite store', () => {
  it('the SQLite store commits the batch of an event queue together with direct writes of the same turn', async () => {
    const { storage, queue, countCommits } = await openFile();
    const before = countCommits();
    const update = storage.instances.update('i', { profileName: 'Shop' });
    const pushed = queue.push([{ type: 'logout.instance' }]);
    const later = queue.push([{ type: 'remove.instance' }]);
    await Promise.all([update, pushed, later]);
    expect(countCommits() - before).toBe(1);
  });

  it('the SQLite store commits a direct write that starts at the end of a turn together with the batch of the turn', async () => {
    const { storage, queue, countCommits } = await openFile();
    const before = countCommits();
    const pushed = queue.push([{ type: 'logout.instance' }]);
    const update = turnEnd().then(() => storage.instances.update('i', { profileName: 'Shop' }));
    await Promise.all([pushed, update]);
    expect(countCommits() - before).toBe(1);
  });

  it('the SQLite store commits writes of different turns separately', async () => {
    const { storage, countCommits } = await openFile();
    const before = countCommits();
    await storage.instances.update('i', { profileName: 'Shop' });
    await storage.instances.update('i', { profileName: 'Shop 2' });
    expect(countCommits() - before).toBe(2);
  });
});
