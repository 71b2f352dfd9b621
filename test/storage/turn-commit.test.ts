// Transactions of SQLite, counted in its write-ahead log: what one turn of the event loop writes is one transaction.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { turnEnd } from '../../src/lib/event-loop-turn.ts';
import { openStorage } from '../../src/storage/open.ts';
import { EventQueue } from '../../src/whatsapp/inbound/event-queue.ts';
import { event, instance, recording } from './samples.ts';

async function openFile() {
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-commits-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const storage = await openStorage({ dataDir, network: 'sandbox' });
  onTestFinished(() => storage.close());
  await storage.instances.create(instance('i'));
  /** Frames of the log that end a transaction: those that state the size of the database. */
  const commits = (): number => {
    const log = readFileSync(join(dataDir, 'gateway.db-wal'));
    const frame = 24 + log.readUInt32BE(8);
    let count = 0;
    for (let at = 32; at + frame <= log.length; at += frame) if (log.readUInt32BE(at + 4) > 0) count++;
    return count;
  };
  const queue = new EventQueue(async (events) => {
    await storage.messages.record('i', recording({ events: events.map(({ type }) => event(type)) }));
  });
  return { storage, queue, commits };
}

describe('the SQLite store', () => {
  it('commits the batch that a queue collects in a turn together with direct writes of the turn', async () => {
    const { storage, queue, commits } = await openFile();
    const before = commits();
    const update = storage.instances.update('i', { profileName: 'Shop' });
    const pushed = queue.push([{ type: 'logout.instance' }]);
    const later = queue.push([{ type: 'remove.instance' }]);
    await Promise.all([update, pushed, later]);
    expect(commits() - before).toBe(1);
  });

  it('commits a batch that is collected after a direct write of the same turn was started, in one transaction too', async () => {
    const { storage, queue, commits } = await openFile();
    const before = commits();
    const pushed = queue.push([{ type: 'logout.instance' }]);
    const update = turnEnd().then(() => storage.instances.update('i', { profileName: 'Shop' }));
    await Promise.all([pushed, update]);
    expect(commits() - before).toBe(1);
  });

  it('commits writes of different turns apart', async () => {
    const { storage, commits } = await openFile();
    const before = commits();
    await storage.instances.update('i', { profileName: 'Shop' });
    await storage.instances.update('i', { profileName: 'Shop 2' });
    expect(commits() - before).toBe(2);
  });
});
