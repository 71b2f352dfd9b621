// Records domain events: builds one batch from them, stores the batch in one transaction, and informs the listeners.
// Hot path: runs for every event.
import type { Logger } from 'pino';
import type { Clock } from '../lib/clock.ts';
import type { EventBatch, EventRow, QueuedLanes, RecordedBatch } from './event-batch.ts';
import type { BatchDraft } from './event-descriptor.ts';
import { descriptorOf } from './event-descriptors.ts';
import type { DomainEvent, RecordEvents } from './events.ts';
import { FailedBatchBuffer, isLeaseLost } from './failed-batch-buffer.ts';
import { type SaveSettings, savesEverything, withoutExcludedData } from './retention-settings.ts';

/**
 * Reacts to recorded events. The methods run synchronously, in the order in which the listeners were added, and must
 * not throw.
 */
export interface RecorderListener {
  /** The recorder received events, and has not stored any of them yet. Called once per call of `record`. */
  onReceived?(instanceId: string, events: readonly DomainEvent[]): void;
  /**
   * The rows of an event for the event log and the webhooks (`published`) were built, and are not stored yet. Called
   * again when the store rejects the batch, because the rows are then built again.
   */
  onPublished?(instanceId: string, event: DomainEvent, published: readonly EventRow[]): void;
  /**
   * A transaction was committed. `stored` are the rows that it added. `queued` are the lanes (queues of a webhook) that
   * got deliveries; undefined when it is not known which lanes of the instance got deliveries.
   */
  onStored?(instanceId: string, stored: readonly EventRow[], queued: QueuedLanes | undefined): void;
  /** The content of an event cannot be processed: the event was not stored, or stored without rows for webhooks. */
  onSkipped?(instanceId: string, event: DomainEvent): void;
}

export interface EventRecorderDeps {
  store: { record(instanceId: string, batch: EventBatch): Promise<RecordedBatch> };
  /**
   * Returns the rows of an event for the event log and the webhooks; empty when neither a webhook nor a reader of the
   * event log needs the event.
   */
  publish: (instanceId: string, event: DomainEvent) => EventRow[];
  /** The kinds of data to store; all when absent. */
  saveSettings?: SaveSettings;
  /** Whether an error of the store says that it rejects the content of a row. Absent: every error is an outage. */
  isRejected?: (err: unknown) => boolean;
  clock: Clock;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
}

export interface EventRecorder {
  /**
   * Stores events and queues their deliveries, in one transaction. Rejects when the store fails; the recorder then
   * keeps the batch and stores it before newer batches of the instance. It discards the batch when another node owns
   * the instance (LEASE_LOST). An event whose content the store rejects is logged and skipped.
   */
  record: RecordEvents;
  addListener(listener: RecorderListener): void;
  /** Tries once more to store all failed batches, at shutdown. Discards and logs the batches that fail again. */
  flush(): Promise<void>;
  /** Like `flush`, for one instance that moves to another node. */
  release(instanceId: string): Promise<void>;
}

/**
 * A batch, and the events from which it was built. A repeated attempt to store these events uses the same batch, so
 * that the random event ids do not change.
 */
interface BuiltBatch {
  events: readonly DomainEvent[];
  batch: EventBatch;
}

/** Whether a batch is stored for the first time, or again after a failure. */
type Attempt = 'first' | 'retry';

/** Creates the recorder. All events enter the store through the recorder. */
export function createEventRecorder(deps: EventRecorderDeps): EventRecorder {
  const { store, publish, saveSettings, isRejected = () => false, clock, log } = deps;
  const listeners: RecorderListener[] = [];
  const withoutExcluded = (batch: EventBatch): EventBatch =>
    saveSettings === undefined || savesEverything(saveSettings) ? batch : withoutExcludedData(batch, saveSettings);

  const skip = (instanceId: string, event: DomainEvent, err: unknown): void => {
    log.warn({ instance: instanceId, event: event.type, err }, 'event.skipped');
    for (const listener of listeners) listener.onSkipped?.(instanceId, event);
  };
  const publishOrSkip = (instanceId: string, event: DomainEvent): EventRow[] => {
    try {
      const published = publish(instanceId, event);
      if (published.length > 0) for (const listener of listeners) listener.onPublished?.(instanceId, event, published);
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
      // `order` gets the rows of all events. The other lists of the draft get one kind of change each.
      draft.order.push(...published);
      const descriptor = descriptorOf(event);
      if (descriptor.addToBatch) descriptor.addToBatch(event, published, draft, now);
      else draft.events.push(...published);
    }
    return { events, batch: draft };
  };
  const storeBatch = async (instanceId: string, { batch }: BuiltBatch, attempt: Attempt): Promise<void> => {
    // `refused`: number of changes by people who are not allowed to make them.
    const { queued, events, refused } = await store.record(instanceId, withoutExcluded(batch));
    if (refused) log.info({ instance: instanceId, changes: refused }, 'message.change.refused');
    // The first attempt may have been committed although it failed (its response was lost). The retry then queues
    // nothing, but the deliveries of the first attempt wait in lanes that are unknown here.
    const lanes = attempt === 'first' ? queued : undefined;
    for (const listener of listeners) listener.onStored?.(instanceId, events, lanes);
  };
  /**
   * Stores the batch. When the store rejects its content, stores the parts of the events one by one (an event that
   * cannot be split is one part). Skips a single part that the store rejects, and stores the replacement event of the
   * part, if its descriptor has one.
   */
  const storeOrSplit = async (instanceId: string, built: BuiltBatch, attempt: Attempt): Promise<void> => {
    try {
      await storeBatch(instanceId, built, attempt);
    } catch (err) {
      if (!isRejected(err)) throw err;
      const parts = built.events.flatMap((event) => descriptorOf(event).split?.(event) ?? [event]);
      const [onlyPart] = parts;
      if (parts.length > 1) {
        for (const part of parts) await storeOrSplit(instanceId, build(instanceId, [part]), attempt);
      } else if (onlyPart) {
        skip(instanceId, onlyPart, err);
        const replacement = descriptorOf(onlyPart).replacement?.(onlyPart);
        if (replacement) await storeOrSplit(instanceId, build(instanceId, [replacement]), attempt);
      }
    }
  };
  const failed = new FailedBatchBuffer<BuiltBatch>({
    store: (instanceId, built) => storeOrSplit(instanceId, built, 'retry'),
    clock,
    log,
  });
  return {
    async record(instanceId, events) {
      for (const listener of listeners) listener.onReceived?.(instanceId, events);
      const built = build(instanceId, events);
      if (Object.values(built.batch).every((list) => list.length === 0)) return;
      try {
        if (failed.has(instanceId)) await failed.flush(instanceId);
        await storeOrSplit(instanceId, built, 'first');
      } catch (err) {
        if (!isLeaseLost(err)) failed.add(instanceId, built);
        throw err;
      }
    },
    addListener: (listener) => void listeners.push(listener),
    flush: () => failed.flushAndDiscardAll(),
    release: (instanceId) => failed.flushAndDiscard(instanceId),
  };
}

function createDraft(): BatchDraft {
  return {
    messages: [],
    statuses: [],
    edits: [],
    votes: [],
    stars: [],
    contacts: [],
    chats: [],
    events: [],
    order: [],
  };
}
