// Whose log of events is read: for these instances every event is kept, for the others only what webhooks want. Remembered by the store,
// because a reader that is away for a day must not find that nobody wrote meanwhile.
import type { Clock } from '../lib/clock.ts';
import type { EventLog } from '../storage/webhook-stores.ts';

/** A read is written down again only after so long, ms. */
const REFRESH = 3_600_000;

export interface ReadersOptions {
  events: Pick<EventLog, 'readers' | 'markRead'>;
  clock: Clock;
  /** always: of every instance. auto: from the first read on, until nobody has read for `retention` ms. */
  mode: 'auto' | 'always';
  retention: number;
}

export interface Readers {
  isRead(instanceId: string): boolean;
  /** Somebody reads now. Resolves when a kill would not forget it. */
  touch(instanceId: string): Promise<void>;
  forget(instanceId: string): void;
  /** Reads what other processes wrote down. */
  load(): Promise<void>;
}

export async function createReaders({ events, clock, mode, retention }: ReadersOptions): Promise<Readers> {
  const readAt = new Map<string, number>();
  const load = async (): Promise<void> => {
    for (const { instance, readAt: at } of await events.readers()) readAt.set(instance, at);
  };
  await load();
  return {
    load,
    isRead(instanceId) {
      if (mode === 'always') return true;
      const at = readAt.get(instanceId);
      return at !== undefined && clock.now() - at < retention + REFRESH;
    },
    async touch(instanceId) {
      const now = clock.now();
      const before = readAt.get(instanceId);
      if (before !== undefined && now - before < REFRESH) return;
      readAt.set(instanceId, now);
      try {
        await events.markRead(instanceId, now);
      } catch (err) {
        if (before === undefined) readAt.delete(instanceId);
        else readAt.set(instanceId, before);
        throw err;
      }
    },
    forget: (instanceId) => void readAt.delete(instanceId),
  };
}
