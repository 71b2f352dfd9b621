// Tracks which instances have readers of their event log. For these instances every event is stored, for others only
// events with a webhook subscription. The time of the last read is in the database, so that after a restart the gateway
// still stores all events for a reader that has not connected again yet. Decision D-079.
import type { Clock } from '../lib/clock.ts';

/** Minimum ms between two reads whose times are stored. The times of reads in between are not stored. */
const REFRESH_MS = 3_600_000;

/** The stored times of the last read, by instance, in epoch ms. */
export interface StoredReads {
  lastReads(): Promise<{ instance: string; readAt: number }[]>;
  markRead(instanceId: string, at: number): Promise<void>;
}

export interface LogReadersOptions {
  storedReads: StoredReads;
  clock: Clock;
  /**
   * `always`: every instance counts as one with readers. `auto`: an instance has readers from the first read until
   * `retention` ms after the last one (up to an hour longer, because not every read is stored).
   */
  mode: 'auto' | 'always';
  /** ms for which events are stored. */
  retention: number;
}

export interface LogReaders {
  /** Whether the event log of the instance has readers, so that all events of the instance must be stored. */
  hasReaders(instanceId: string): boolean;
  /** Records that the log was read. Resolves when the time is stored. */
  recordRead(instanceId: string): Promise<void>;
  /** Removes the instance from memory only. */
  forget(instanceId: string): void;
  /** Loads the times that other processes stored. */
  load(): Promise<void>;
}

export async function createLogReaders({
  storedReads,
  clock,
  mode,
  retention,
}: LogReadersOptions): Promise<LogReaders> {
  const lastReads = new Map<string, number>();
  const load = async (): Promise<void> => {
    for (const { instance, readAt } of await storedReads.lastReads()) lastReads.set(instance, readAt);
  };
  await load();
  return {
    load,
    hasReaders(instanceId) {
      if (mode === 'always') return true;
      const readAt = lastReads.get(instanceId);
      return readAt !== undefined && clock.now() - readAt < retention + REFRESH_MS;
    },
    async recordRead(instanceId) {
      const now = clock.now();
      const previous = lastReads.get(instanceId);
      if (previous !== undefined && now - previous < REFRESH_MS) return;
      lastReads.set(instanceId, now);
      try {
        await storedReads.markRead(instanceId, now);
      } catch (err) {
        if (previous === undefined) lastReads.delete(instanceId);
        else lastReads.set(instanceId, previous);
        throw err;
      }
    },
    forget: (instanceId) => void lastReads.delete(instanceId),
  };
}
