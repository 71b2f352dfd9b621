// Acquires the instances that this node has claimed, and ends the instances that it gives away or has lost. Calls the
// parts of the gateway (requests in flight, webhooks, sessions, events and caches) in the right order.
import type { Logger } from 'pino';
import type { EventRecorder } from '../events/recorder.ts';
import type { InstanceManager } from '../instances/manager.ts';
import type { Clock } from '../lib/clock.ts';
import type { InFlight } from '../lib/in-flight.ts';
import type { Subscriptions } from '../webhooks/subscriptions.ts';
import type { WebhookService } from '../webhooks/webhook-service.ts';

export interface InstanceHandoverDeps {
  manager: Pick<InstanceManager, 'hide' | 'release' | 'acquire' | 'list'>;
  recorder: Pick<EventRecorder, 'release'>;
  subscriptions: Pick<Subscriptions, 'load' | 'forget'>;
  webhookService: Pick<WebhookService, 'release' | 'loadReaders' | 'acquire' | 'forget'>;
  inFlightRequests: Pick<InFlight, 'open' | 'close'>;
  log: Logger;
  clock: Clock;
  /** ms after the creation of an instance during which it counts as busy. */
  newInstanceMs: number;
}

/** Maximum time for requests in flight and webhooks of an instance to end before it moves to another node. */
const GRACE_MS = 5_000;
/**
 * Phases in which an instance counts as busy: its connection changes, a user may be scanning the QR code, or its rows
 * are being deleted.
 */
const BUSY_PHASES: ReadonlySet<string> = new Set(['connecting', 'pairing', 'closing', 'deleted']);

export interface EvictionCandidate {
  id: string;
  /**
   * Whether the instance is new or being deleted, its connection is changing, or a user may be scanning its QR code.
   * Rebalancing skips busy instances.
   */
  isBusy: boolean;
}

export interface InstanceHandover {
  /**
   * Loads and connects instances whose leases (rights to run an instance) this node holds. When that fails, ends all of
   * them on this node and rejects.
   */
  acquire(ids: readonly string[]): Promise<void>;
  /**
   * Ends an instance on this node and keeps its account linked. `isOwner`: this node still holds the lease. In this
   * case, waits until the requests in flight have ended before it ends the instance.
   */
  release(id: string, options: { isOwner: boolean }): Promise<void>;
  /**
   * The instances of this node in the order in which they are given away: first the instances that are not open, then
   * the open ones. Within both groups, the instance with the oldest activity comes first.
   */
  evictionOrder(): EvictionCandidate[];
  /** Records that the instance is active now. */
  touch(id: string): void;
}

export function createInstanceHandover(deps: InstanceHandoverDeps): InstanceHandover {
  const { manager, recorder, subscriptions, webhookService, inFlightRequests, log, clock, newInstanceMs } = deps;
  /** The value of `activityCount` after the last activity of each instance, by instance id. */
  const lastActivity = new Map<string, number>();
  let activityCount = 0;

  async function release(id: string, { isOwner }: { isOwner: boolean }): Promise<void> {
    manager.hide(id);
    const webhooksStopped = webhookService
      .release(id, GRACE_MS)
      .catch((err: unknown) => log.error({ err, instance: id }, 'cluster.delivery_drain.failed'));
    // When another node owns the instance already, waiting would only lengthen the time with two connections.
    if (isOwner) await inFlightRequests.close(id, GRACE_MS);
    await manager.release(id);
    await recorder.release(id);
    await webhooksStopped;
    subscriptions.forget(id);
    webhookService.forget(id);
    lastActivity.delete(id);
  }

  return {
    release,
    async acquire(ids) {
      if (ids.length === 0) return;
      try {
        // Webhooks and readers of event logs are loaded before the instances, whose first events need them.
        await subscriptions.load(ids);
        await webhookService.loadReaders();
        for (const id of ids) inFlightRequests.open(id);
        await manager.acquire(ids);
        await webhookService.acquire(ids);
        log.info({ instances: ids.length }, 'cluster.instances.acquired');
      } catch (err) {
        log.error({ err, instances: ids.length }, 'cluster.acquire.failed');
        await Promise.all(ids.map((id) => release(id, { isOwner: false })));
        throw err;
      }
    },
    evictionOrder: () =>
      manager
        .list()
        .map((instance) => {
          const { id, row } = instance;
          const { phase } = instance.status();
          // The client that has created an instance may still be sending its webhook and settings.
          const isNew = clock.now() - row.createdAt < newInstanceMs;
          return { id, isBusy: isNew || BUSY_PHASES.has(phase), isOpen: phase === 'open' };
        })
        .sort((a, b) => {
          if (a.isOpen !== b.isOpen) return a.isOpen ? 1 : -1;
          return (lastActivity.get(a.id) ?? 0) - (lastActivity.get(b.id) ?? 0);
        }),
    touch(id) {
      activityCount += 1;
      lastActivity.set(id, activityCount);
    },
  };
}
