// Keys and the record of their use as one part, with what has to be done about them now and then.
import type { Logger } from 'pino';
import type { Clock } from '../lib/clock.ts';
import { Rounds } from '../lib/periodic-task.ts';
import type { Storage } from '../storage/storage.ts';
import { Recorder } from './audit-recorder.ts';
import { Keys } from './keys.ts';

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

export interface Access {
  readonly keys: Keys;
  readonly recorder: Recorder;
  start(): void;
  /** Resolves when everything noted is stored, as far as the store takes it. */
  stop(): Promise<void>;
}

/** Loads the keys. Throws STORAGE_UNAVAILABLE. */
export async function createAccess({ storage, clock, log, limits }: AccessOptions): Promise<Access> {
  const keys = new Keys({ store: storage.accessKeys, clock });
  await keys.load();
  const { auditRetentionDays: days, auditRetentionCount: count } = limits;
  const recorder = new Recorder({ store: storage.audit, clock, log, days, count });
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
    new Rounds({ clock, first: MINUTE, every: MINUTE, work: tick }),
    new Rounds({ clock, first: FIRST_PRUNE, every: HOUR, work: prune }),
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
