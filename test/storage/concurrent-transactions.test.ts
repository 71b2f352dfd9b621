// Concurrent transactions on a real PostgreSQL server, such as those of two nodes.
import { Client } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AuditEntry } from '../../src/storage/access-stores.ts';
import { createAudit } from '../../src/storage/audit.ts';
import { LeaseFence } from '../../src/storage/lease-fence.ts';
import { openStorage } from '../../src/storage/open.ts';
import { openPostgres } from '../../src/storage/postgres.ts';
import { event, instance, toEventBatch } from '../support/sample-rows.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';
import { waitUntil } from '../support/wait-for.ts';

const server = sharedPostgres();

async function setUp() {
  const databaseUrl = await server.createMigratedDatabase();
  const encryptionKey = Buffer.alloc(32, 1).toString('base64');
  const storage = await openStorage({ dataDir: ':memory:', databaseUrl, network: 'sandbox', encryptionKey });
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  onTestFinished(async () => {
    await client.end();
    await storage.close();
  });
  /** Resolves once this many transactions wait for a lock, or `isDone` returns true. */
  const untilWaiting = (count: number, isDone = () => false) =>
    waitUntil(async () => {
      const waiting = await server.execute(
        databaseUrl,
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return waiting.length >= count || isDone();
    });
  return { storage, databaseUrl, client, untilWaiting };
}

const auditEntry = (requestId: string): AuditEntry => ({
  ...{ requestId, at: 1, key: 'global', operation: 'sendText', scope: 'send', instance: null, subject: null },
  ...{ status: 201, address: '127.0.0.1' },
});

describe('two nodes on one database', () => {
  it('outbox.requeue() returns exactly the events that get a delivery when prune() runs at the same time', async () => {
    const { storage, client, untilWaiting } = await setUp();
    const { outbox, events } = storage;
    await storage.messages.record('a', toEventBatch({ events: ['e', 'f'].map((id) => event(id, { webhookIds: [] })) }));
    const seqs = (await events.find('a', ['e', 'f'])).map(({ seq }) => seq);
    // requeue() waits between its events, because another transaction queues the second event.
    await client.query(
      `BEGIN; INSERT INTO delivery (webhook, state, lane, seq, created_at)
       SELECT 'hook', 0, lane, seq, 0 FROM event WHERE id = 'f'`,
    );
    const queued = outbox.requeue('hook', seqs);
    await untilWaiting(1);
    let isPruned = false;
    const pruned = outbox.prune(Date.now() + 60_000).then(() => {
      isPruned = true;
    });
    await untilWaiting(2, () => isPruned);
    await client.query('ROLLBACK');
    await pruned;
    const lanes = await outbox.listWaitingLanes();
    const pending = (await Promise.all(lanes.map(({ lane }) => outbox.listPending('hook', lane, 0, 10)))).flat();
    expect(pending.map(({ seq }) => seq).sort()).toEqual((await queued).sort());
  });

  it('outbox.requeue() leaves no delivery when the instance of the event is deleted at the same time', async () => {
    const { storage, databaseUrl, client, untilWaiting } = await setUp();
    const { outbox, events } = storage;
    await storage.instances.create(instance('a'));
    await storage.messages.record('a', toEventBatch({ events: [event('e', { webhookIds: ['global'] })] }));
    const seqs = (await events.find('a', ['e'])).map(({ seq }) => seq);
    // The deletion waits after it has deleted the delivery and before it deletes the event.
    await server.execute(
      databaseUrl,
      `CREATE FUNCTION pause() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
         PERFORM pg_advisory_xact_lock(1); RETURN OLD; END $$;
       CREATE TRIGGER pause AFTER DELETE ON delivery FOR EACH ROW EXECUTE FUNCTION pause()`,
    );
    await client.query('BEGIN; SELECT pg_advisory_xact_lock(1)');
    const deleted = storage.instances.delete('a');
    await untilWaiting(1);
    let isQueued = false;
    const queued = outbox.requeue('global', seqs).then(() => {
      isQueued = true;
    });
    await untilWaiting(2, () => isQueued);
    await client.query('COMMIT');
    await Promise.all([deleted, queued]);
    expect(await outbox.depth('global')).toMatchObject({ waiting: 0 });
  });

  it('a reader that pages through the audit log misses no entry of concurrent appends', async () => {
    const { storage, databaseUrl, client, untilWaiting } = await setUp();
    const { audit } = storage;
    await server.execute(
      databaseUrl,
      `CREATE FUNCTION pause() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
         PERFORM pg_advisory_xact_lock(1); RETURN NEW; END $$;
       CREATE TRIGGER pause AFTER INSERT ON audit FOR EACH ROW WHEN (NEW.request_id = 'slow') EXECUTE FUNCTION pause()`,
    );
    const append = (requestId: string) => audit.append([auditEntry(requestId)]);
    await client.query('BEGIN; SELECT pg_advisory_xact_lock(1)');
    const slow = append('slow');
    await untilWaiting(1);
    let isAppended = false;
    const fast = append('fast').then(() => {
      isAppended = true;
    });
    await untilWaiting(2, () => isAppended);
    const first = await audit.read(0, 10);
    await client.query('COMMIT');
    await Promise.all([slow, fast]);
    const rest = await audit.read(first.at(-1)?.seq ?? 0, 10);
    expect([...first, ...rest].map(({ requestId }) => requestId).sort()).toEqual(['fast', 'slow']);
  });
});

describe('a node that holds the lock of the audit log', () => {
  it('audit.append() rejects when another node holds the lock of the audit log for longer than the query timeout', async () => {
    const { databaseUrl, client } = await setUp();
    const [timeoutMs, idleTimeoutMs] = [100, 10_000];
    const database = openPostgres({ url: databaseUrl, poolSize: 1, timeoutMs, idleTimeoutMs, fence: new LeaseFence() });
    onTestFinished(() => database.close());
    await client.query('SELECT pg_advisory_lock(7224162)');
    await expect(createAudit(database).append([auditEntry('r')])).rejects.toMatchObject({
      code: 'STORAGE_UNAVAILABLE',
    });
  });
});

describe('two transactions that change one row', () => {
  async function setUpCommit() {
    const { storage, client, untilWaiting } = await setUp();
    /** Runs `sql`, and commits it when `work` waits for the row that it changed. Resolves with the result of `work`. */
    async function commitDuring<R>(sql: string, work: () => Promise<R>): Promise<R> {
      await client.query(`BEGIN; ${sql}`);
      const result = work();
      await untilWaiting(1);
      await client.query('COMMIT');
      return result;
    }
    return { storage, commitDuring };
  }

  it('a delivery that becomes a dead letter during requeue() waits for delivery again', async () => {
    const { storage, commitDuring } = await setUpCommit();
    const { outbox } = storage;
    await storage.messages.record('a', toEventBatch({ events: [event('e')] }));
    const [lane = { webhookId: '', lane: 0 }] = await outbox.listWaitingLanes();
    const [delivery] = await outbox.listPending(lane.webhookId, lane.lane, 0, 1);
    const seqs = [delivery?.seq ?? 0];
    const queued = await commitDuring('UPDATE delivery SET state = 1', () => outbox.requeue('hook', seqs));
    expect(queued).toEqual(seqs);
    expect(await outbox.depth('hook')).toMatchObject({ waiting: 1, dead: 0 });
  });

  it('requests.prune() keeps an expired request that another transaction renews at the same time', async () => {
    const { storage, commitDuring } = await setUpCommit();
    const claim = { digest: 'd', messageId: 'm', now: 0, expiresAt: 10 };
    await storage.requests.claim('a', 'r', claim);
    await commitDuring('UPDATE request SET expires_at = 100', () => storage.requests.prune(50));
    expect(await storage.requests.claim('a', 'r', { ...claim, now: 51 })).toMatchObject({ messageId: 'm' });
  });
});
