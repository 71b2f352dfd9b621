// Creates the key service and the audit recorder, and runs their periodic tasks.
import type { Logger } from 'pino';
import type { Clock } from '../lib/clock.ts';
import { PeriodicTask } from '../lib/periodic-task.ts';
import type { Storage } from '../storage/storage.ts';
import { AuditRecorder } from './audit-recorder.ts';
import { KeyService } from './keys.ts';

const MINUTE_MS = 60_000;
/** Delay of the first pruning, so that it does not compete with the instances that connect at startup. */
const FIRST_PRUNE_MS = 100_000;
const HOUR_MS = 3_600_000;

export interface AccessOptions {
  storage: Pick<Storage, 'accessKeys' | 'audit' | 'leases'>;
  clock: Clock;
  /** Whether the database failed with `err` because it rejects the content of a row. False for an outage. */
  isRejected: (err: unknown) => boolean;
  log: Pick<Logger, 'error'>;
  limits: { auditRetentionDays: number; auditRetentionCount: number };
}

export interface AccessControl {
  readonly keys: KeyService;
  readonly auditRecorder: AuditRecorder;
  start(): void;
  /** Ends the periodic tasks. Then stores the pending audit entries and key uses, and resolves also when this fails. */
  stop(): Promise<void>;
}

/** Creates the key service and the audit recorder, and loads the keys. Rejects with STORAGE_UNAVAILABLE. */
export async function createAccessControl({
  storage,
  clock,
  isRejected,
  log,
  limits,
}: AccessOptions): Promise<AccessControl> {
  const keys = new KeyService({ store: storage.accessKeys, clock });
  await keys.load();
  const auditRecorder = new AuditRecorder({
    store: storage.audit,
    clock,
    isRejected,
    log,
    retentionDays: limits.auditRetentionDays,
    retentionCount: limits.auditRetentionCount,
  });
  /** Returns a function that runs `work` and logs its failure as `event`. */
  const withFailureLog = (work: (signal?: AbortSignal) => Promise<void>, event: string) => (signal?: AbortSignal) =>
    work(signal).catch((err: unknown) => log.error({ err }, event));
  const storeKeyUses = withFailureLog(async () => {
    await keys.storeUsesAndNotifyEnded();
    // With leases, other nodes can use the same database and change keys. The broadcast that announces a change can be
    // lost, so the keys are read again.
    if (storage.leases) await keys.load();
  }, 'key.use.failed');
  const prune = withFailureLog(async (signal) => {
    await keys.prune();
    await auditRecorder.prune(signal);
  }, 'audit.prune.failed');
  const tasks = [
    new PeriodicTask({ clock, first: MINUTE_MS, every: MINUTE_MS, work: storeKeyUses }),
    new PeriodicTask({ clock, first: FIRST_PRUNE_MS, every: HOUR_MS, work: prune }),
  ];
  return {
    keys,
    auditRecorder,
    start() {
      for (const task of tasks) task.start();
    },
    async stop() {
      await Promise.all(tasks.map((task) => task.stop()));
      await storeKeyUses();
      await auditRecorder.flush();
    },
  };
}
