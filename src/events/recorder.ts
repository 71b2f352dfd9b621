// Records domain events: builds one batch, stores it in one transaction, and informs the listeners. Hot path: runs for
// every event.
import type { Logger } from 'pino';
import type { Clock } from '../lib/clock.ts';
import type { EventBatch, NewEvent, RecordedBatch } from './event-batch.ts';
import type { BatchDraft } from './event-descriptor.ts';
import { descriptorOf } from './event-descriptors.ts';
import type { DomainEvent, RecordEvents } from './events.ts';
import { FailedBatchBuffer, isLeaseLost } from './failed-batch-buffer.ts';
import { isEverythingStored, type StoredKinds, toStoredPart } from './retention-settings.ts';

/**
 * Reacts to recorded events. The methods run synchronously, in the order in which the listeners were added, and must
 * not throw.
 */
export interface RecorderListener {
  /** The recorder received events. Called once per call of `record`, before anything is stored. */
  onReceived?(instanceId: string, events: readonly DomainEvent[]): void;
  /**
   * An event became `published`, the rows for event log and webhooks. Called before they are stored, and again when
   * they are rebuilt.
   */
  onPublished?(instanceId: string, event: DomainEvent, published: readonly NewEvent[]): void;
  /**
   * A transaction was committed. `stored` are the rows that are new; with `hasDeliveries` some may be queued for
   * webhooks.
   */
  onStored?(instanceId: string, stored: readonly NewEvent[], hasDeliveries: boolean): void;
  /** An event was skipped, or stored without rows for webhooks, because its content cannot be processed. */
  onSkipped?(instanceId: string, event: DomainEvent): void;
}

export interface EventRecorderDeps {
  store: { record(instanceId: string, batch: EventBatch): Promise<RecordedBatch> };
  /** Returns the rows for event log and webhooks; none without a subscriber. */
  publish: (instanceId: string, event: DomainEvent) => NewEvent[];
  /** The kinds of data to store; all when absent. */
  kinds?: StoredKinds;
  /** Whether the store rejected rows because of their content. Absent: every error is an outage. */
  isRejected?: (err: unknown) => boolean;
  clock: Clock;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
}

export interface EventRecorder {
  /**
   * Stores events and queues their deliveries, in one transaction. Rejects when the store fails. The recorder then
   * keeps the batch and stores it before newer batches of the instance, unless another node owns the instance
   * (LEASE_LOST): that node resumes unfinished work from the database. An event that the store rejects because of its
   * content is logged and skipped.
   */
  record: RecordEvents;
  addListener(listener: RecorderListener): void;
  /** Tries once more to store all failed batches, at shutdown. Logs batches that are lost. */
  flush(): Promise<void>;
  /** The same for an instance that another node takes over. */
  release(instanceId: string): Promise<void>;
}

/**
 * A batch with the events it was built from. It is built once, so that event ids stay the same in every attempt to
 * store it.
 */
interface BuiltBatch {
  events: readonly DomainEvent[];
  batch: EventBatch;
}

/** Creates the only way for events into the store. */
export function createEventRecorder(deps: EventRecorderDeps): EventRecorder {
  const { store, publish, kinds, isRejected = () => false, clock, log } = deps;
  const listeners: RecorderListener[] = [];
  const keepsAll = kinds === undefined || isEverythingStored(kinds);

  const skip = (instanceId: string, event: DomainEvent, err: unknown): void => {
    log.warn({ instance: instanceId, event: event.type, err }, 'event.skipped');
    for (const listener of listeners) listener.onSkipped?.(instanceId, event);
  };
  const publishOrSkip = (instanceId: string, event: DomainEvent): NewEvent[] => {
    try {
      const published = publish(instanceId, event);
      if (published.length > 0) for (const one of listeners) one.onPublished?.(instanceId, event, published);
      return published;
    } catch (err) {
      skip(instanceId, event, err);
      return [];
    }
  };
  const build = (instanceId: string, events: readonly DomainEvent[]): BuiltBatch => {
    const draft = createDraft();
    const now = clock.now();
    for (const event of events) {
      const published = publishOrSkip(instanceId, event);
      const descriptor = descriptorOf(event);
      if (descriptor.store) descriptor.store(event, published, draft, now);
      else draft.events.push(...published);
    }
    return { events, batch: draft };
  };
  const storeBatch = async (instanceId: string, { batch }: BuiltBatch, isRetry: boolean): Promise<void> => {
    const { queued, events, refused } = await store.record(instanceId, keepsAll ? batch : toStoredPart(batch, kinds));
    if (refused) log.info({ instanceId, changes: refused }, 'message.change.refused');
    // A failed transaction may have been committed with only the answer lost: then nothing is new, but deliveries wait.
    for (const listener of listeners) listener.onStored?.(instanceId, events, queued || isRetry);
  };
  /** Stores the batch; event by event when the store rejects something in it. */
  const storeOrSplit = async (instanceId: string, built: BuiltBatch, isRetry: boolean): Promise<void> => {
    try {
      await storeBatch(instanceId, built, isRetry);
    } catch (err) {
      if (!isRejected(err)) throw err;
      const parts = built.events.flatMap((event) => descriptorOf(event).split?.(event) ?? [event]);
      const [only] = parts;
      if (parts.length > 1) {
        for (const part of parts) await storeOrSplit(instanceId, build(instanceId, [part]), isRetry);
      } else if (only) {
        skip(instanceId, only, err);
        const replacement = descriptorOf(only).replacement?.(only);
        if (replacement) await storeOrSplit(instanceId, build(instanceId, [replacement]), isRetry);
      }
    }
  };
  const failed = new FailedBatchBuffer<BuiltBatch>({
    store: (instanceId, built) => storeOrSplit(instanceId, built, true),
    clock,
    log,
  });
  return {
    async record(instanceId, events) {
      for (const listener of listeners) listener.onReceived?.(instanceId, events);
      const built = build(instanceId, events);
      if (Object.values(built.batch).every((part) => part.length === 0)) return;
      try {
        if (failed.has(instanceId)) await failed.flush(instanceId);
        await storeOrSplit(instanceId, built, false);
      } catch (err) {
        if (!isLeaseLost(err)) failed.add(instanceId, built);
        throw err;
      }
    },
    addListener: (listener) => void listeners.push(listener),
    flush: () => failed.flushAll(),
    release: (instanceId) => failed.release(instanceId),
  };
}

function createDraft(): BatchDraft {
  return { messages: [], statuses: [], edits: [], votes: [], stars: [], contacts: [], chats: [], events: [] };
}
