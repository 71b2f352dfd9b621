// Tracks which instances have readers of their event log. For these instances every event is stored, for others only
// events with a webhook subscription. Stored in the database, so that a reader that is away for a day misses nothing.
import type { Clock } from '../lib/clock.ts';

/** ms after which a further read of the same log is stored again. */
const REFRESH_MS = 3_600_000;

/** The table of instances whose log was read, with the time of the last read in epoch ms. */
export interface ReadMarks {
  readers(): Promise<{ instance: string; readAt: number }[]>;
  markRead(instanceId: string, at: number): Promise<void>;
}

export interface LogReadersOptions {
  events: ReadMarks;
  clock: Clock;
  /** `always`: every instance has readers. `auto`: from the first read until `retention` ms after the last one. */
  mode: 'auto' | 'always';
  retention: number;
}

export interface LogReaders {
  /** Whether all events of the instance are to be stored. */
  isRead(instanceId: string): boolean;
  /** Notes a read of the log. Resolves when the note is stored. */
  touch(instanceId: string): Promise<void>;
  forget(instanceId: string): void;
  /** Loads the reads that other processes stored. */
  load(): Promise<void>;
}

export async function createLogReaders({ events, clock, mode, retention }: LogReadersOptions): Promise<LogReaders> {
  const lastReads = new Map<string, number>();
  const load = async (): Promise<void> => {
    for (const { instance, readAt } of await events.readers()) lastReads.set(instance, readAt);
  };
  await load();
  return {
    load,
    isRead(instanceId) {
      if (mode === 'always') return true;
      const readAt = lastReads.get(instanceId);
      return readAt !== undefined && clock.now() - readAt < retention + REFRESH_MS;
    },
    async touch(instanceId) {
      const now = clock.now();
      const previous = lastReads.get(instanceId);
      if (previous !== undefined && now - previous < REFRESH_MS) return;
      lastReads.set(instanceId, now);
      try {
        await events.markRead(instanceId, now);
      } catch (err) {
        if (previous === undefined) lastReads.delete(instanceId);
        else lastReads.set(instanceId, previous);
        throw err;
      }
    },
    forget: (instanceId) => void lastReads.delete(instanceId),
  };
}
