// Moves an instance to or from this node, through all parts in order: requests, webhooks, session, events, caches.
import type { Logger } from 'pino';
import type { EventRecorder } from '../events/recorder.ts';
import type { InstanceManager } from '../instances/manager.ts';
import type { Clock } from '../lib/clock.ts';
import type { InFlight } from '../lib/in-flight.ts';
import type { Leases } from '../storage/cluster-stores.ts';
import type { Subscriptions } from '../webhooks/subscriptions.ts';
import type { WebhookService } from '../webhooks/webhook-service.ts';
import type { EvictionCandidate } from './lease-keeper.ts';

export interface InstanceHandoverDeps {
  manager: Pick<InstanceManager, 'hide' | 'release' | 'acquire' | 'list'>;
  recorder: Pick<EventRecorder, 'release'>;
  subscriptions: Pick<Subscriptions, 'load' | 'forget' | 'refreshGlobal'>;
  webhookService: Pick<WebhookService, 'release' | 'acquire'>;
  leases: Pick<Leases, 'release'>;
  inFlightRequests: Pick<InFlight, 'open' | 'close'>;
  log: Logger;
  clock: Clock;
  /** ms after its creation during which an instance is not moved. */
  newInstanceMs: number;
}

/** ms that requests about an instance and its webhooks may take before it moves to another node. */
const GRACE_MS = 5_000;
/** Phases during which an instance is not moved: a connection changes, or a user may be scanning the QR code. */
const BUSY_PHASES: ReadonlySet<string> = new Set(['connecting', 'pairing', 'closing']);

export interface InstanceHandover {
  /** Loads instances of this node's leases. Gives the leases back when that fails. Does not reject. */
  acquire(ids: readonly string[]): Promise<void>;
  /** Ends an instance here without a logout. With `isOwner`, requests in flight may finish first. */
  release(id: string, isOwner: boolean): Promise<void>;
  /**
   * The instances here in the order in which they are given away: not open first, then those without activity for
   * longest.
   */
  evictionOrder(): EvictionCandidate[];
  /** Records that the instance is active now. */
  touch(id: string): void;
}

export function createInstanceHandover(deps: InstanceHandoverDeps): InstanceHandover {
  const { manager, recorder, subscriptions, webhookService, leases, inFlightRequests, log, clock, newInstanceMs } =
    deps;
  /** Instance id → number of its last activity. Activities are numbered in order. */
  const lastActivity = new Map<string, number>();
  let activities = 0;

  async function release(id: string, isOwner: boolean): Promise<void> {
    manager.hide(id);
    const webhooksStopped = webhookService
      .release(id, GRACE_MS)
      .catch((err: unknown) => log.error({ err, instance: id }, 'cluster.delivery_drain.failed'));
    // When another node owns the instance already, requests in flight are not waited for.
    if (isOwner) await inFlightRequests.close(id, GRACE_MS);
    await manager.release(id);
    await recorder.release(id);
    await webhooksStopped;
    subscriptions.forget(id);
    lastActivity.delete(id);
  }

  return {
    release,
    async acquire(ids) {
      if (ids.length === 0) return;
      try {
        // Before the instances are loaded, so that their first events find the subscriptions.
        await subscriptions.load(ids);
        for (const id of ids) inFlightRequests.open(id);
        await manager.acquire(ids);
        await webhookService.acquire(ids);
        log.info({ instances: ids.length }, 'cluster.instances.acquired');
      } catch (err) {
        log.error({ err, instances: ids.length }, 'cluster.acquire.failed');
        await Promise.all(ids.map((id) => release(id, false)));
        // Another node can claim them then. A failure is repaired when the lease expires.
        await leases.release(ids).catch(() => undefined);
      }
    },
    evictionOrder: () =>
      manager
        .list()
        .map((instance) => {
          const { id, row } = instance;
          const { phase } = instance.status();
          // The client that created a new instance is still setting its webhook and settings.
          const isNew = clock.now() - row.createdAt < newInstanceMs;
          return { id, isBusy: isNew || BUSY_PHASES.has(phase), isOpen: phase === 'open' };
        })
        .sort(
          (a, b) =>
            Number(a.isOpen) - Number(b.isOpen) || (lastActivity.get(a.id) ?? 0) - (lastActivity.get(b.id) ?? 0),
        ),
    touch(id) {
      activities += 1;
      lastActivity.set(id, activities);
    },
  };
}
