// Keys and the record of their use as one part, with what has to be done about them now and then.
import type { Logger } from 'pino';
import type { Clock } from '../lib/clock.ts';
import { PeriodicTask } from '../lib/periodic-task.ts';
import type { Storage } from '../storage/storage.ts';
import { AuditRecorder } from './audit-recorder.ts';
import { KeyService } from './keys.ts';

const MINUTE = 60_000;
/** Soon after a start, but not while everybody connects. */
const FIRST_PRUNE = 100_000;
const HOUR = 3_600_000;

export interface AccessOptions {
  storage: Pick<Storage, 'accessKeys' | 'audit' | 'leases'>;
  clock: Clock;
  log: Pick<Logger, 'error'>;
  limits: { auditRetentionDays: number; auditRetentionCount: number };
}

export interface AccessControl {
  readonly keys: KeyService;
  readonly recorder: AuditRecorder;
  start(): void;
  /** Resolves when everything noted is stored, as far as the store takes it. */
  stop(): Promise<void>;
}

/** Loads the keys. Throws STORAGE_UNAVAILABLE. */
export async function createAccessControl({ storage, clock, log, limits }: AccessOptions): Promise<AccessControl> {
  const keys = new KeyService({ store: storage.accessKeys, clock });
  await keys.load();
  const { auditRetentionDays: days, auditRetentionCount: count } = limits;
  const recorder = new AuditRecorder({ store: storage.audit, clock, log, days, count });
  const attempt = (work: () => Promise<void>, failure: string) => () =>
    work().catch((err: unknown) => log.error({ err }, failure));
  const tick = attempt(async () => {
    await keys.tick();
    // Other processes change keys as well, and what they say of it may be lost.
    if (storage.leases) await keys.load();
  }, 'keys.unwritten');
  const prune = attempt(async () => {
    await keys.prune();
    await recorder.prune();
  }, 'audit.prune_failed');
  const rounds = [
    new PeriodicTask({ clock, first: MINUTE, every: MINUTE, work: tick }),
    new PeriodicTask({ clock, first: FIRST_PRUNE, every: HOUR, work: prune }),
  ];
  return {
    keys,
    recorder,
    start: () => rounds.forEach((each) => void each.start()),
    async stop() {
      await Promise.all(rounds.map((each) => each.stop()));
      await tick();
      await recorder.settle();
    },
  };
}
