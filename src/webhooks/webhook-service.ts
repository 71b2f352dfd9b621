// The interface of this folder to the rest of the gateway: creates the parts of webhook delivery and connects them.
// Also gives access to the event log, and to the reports and replays of deliveries.
import type { Logger } from 'pino';
import type { Egress } from '../egress/http-client.ts';
import { GatewayError } from '../errors.ts';
import { createEventLogReader, type LogQuery } from '../events/event-log.ts';
import { parseEventType, toSubscriptionName } from '../events/event-names.ts';
import { createLogReaders } from '../events/log-readers.ts';
import type { RecorderListener } from '../events/recorder.ts';
import { EventStreams, type StreamRules } from '../events/server-sent-events.ts';
import type { Clock } from '../lib/clock.ts';
import type { Storage } from '../storage/storage.ts';
import { Backlog } from './backlog.ts';
import type { DispatcherOptions } from './delivery-limits.ts';
import type { HttpSender } from './delivery-request.ts';
import { Dispatcher, type DispatcherDeps } from './dispatcher.ts';
import type { AttachFile } from './file-attachment.ts';
import { createReplay, type ReplayRequest, type ReplayResult } from './replay.ts';
import { REPLAY_PROGRESS, ReplayTracker, toProgressNotice } from './replay-progress.ts';
import { RequestTraces } from './request-traces.ts';
import { createStatusReport, type ReportQuery, type StatusReport } from './status-report.ts';
import type { Subscriptions } from './subscriptions.ts';

export interface WebhookServiceDeps {
  storage: Pick<Storage, 'outbox' | 'events'>;
  subscriptions: Subscriptions;
  egress: Pick<Egress, 'request'>;
  clock: Clock;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  attachFile?: AttachFile;
  /** Returns the API key of an instance when payloads carry it (WEBHOOK_INCLUDE_APIKEY). */
  keyOf?: HttpSender['keyOf'];
  /** Called after every delivery attempt, for metrics. */
  onAttempted?: DispatcherDeps['onAttempted'];
  /** Returns the name of an instance, for logs and notices. */
  nameOf?: DispatcherDeps['nameOf'];
  options: DispatcherOptions & {
    /** Whether events are stored only for instances whose event log has readers (`auto`), or for all instances. */
    eventLog: 'auto' | 'always';
    /** Maximum number of deliveries that wait for one webhook; 0: unlimited. */
    backlog: number;
  };
}

export interface WebhookService extends Required<Pick<RecorderListener, 'onPublished' | 'onStored'>> {
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Whether the event log of the instance has readers. Then events without a delivery must be stored too. */
  isLogged(instanceId: string): boolean;
  /** Call it when an API request sends a message. Log lines of deliveries about the message then have `requestId`. */
  traceMessage(messageId: string, requestId: string): void;
  /** Counts open and half-open circuit breakers. */
  breakers: Dispatcher['breakers'];
  /**
   * Waits, at most `ms`, until all events of an instance are sent to its webhooks and streams. For use before the
   * instance is deleted.
   */
  drain(instanceId: string, ms: number): Promise<void>;
  /** Ends the streams of an instance that was deleted or released, and removes its state from memory. */
  forget(instanceId: string): void;
  /**
   * Loads the times of the last reads of event logs, which other nodes stored. Call it before the sessions of acquired
   * instances start: by these times, `isLogged` decides whether the first events of these instances are stored.
   */
  loadReaders(): Promise<void>;
  /** Starts the deliveries of instances that moved to this node. Call it after Subscriptions.load. */
  acquire(instanceIds: readonly string[]): Promise<void>;
  /**
   * Ends the streams and deliveries of an instance that moves to another node. Waits at most `ms` for attempts in
   * flight. Call `forget` only when the session has ended: until then, `isLogged` needs the readers of the instance.
   */
  release(instanceId: string, ms: number): Promise<void>;
  /** Reads a page of the event log. Throws INVALID_REQUEST (for `after` or `types`) or CURSOR_EXPIRED. */
  readEvents(instanceId: string, query: LogQuery & { limit: number }): Promise<{ events: string[]; next: string }>;
  /**
   * Opens a stream of server-sent events: the event log, and the progress of replays. The stream ends when
   * `rules.signal` is aborted, when the instance is deleted or moves to another node, and by `closeStreams`. Throws the
   * errors of `readEvents`, RATE_LIMITED and SHUTTING_DOWN.
   */
  openStream(instanceId: string, query: LogQuery, rules: StreamRules): Promise<AsyncIterable<string>>;
  /** Ends all streams and refuses new ones. */
  closeStreams(): void;
  /** Throws INVALID_REQUEST (for `cursor` or `endpoint`). */
  reportDeliveries(instanceId: string, query: ReportQuery): Promise<StatusReport>;
  /** Queues stored events again. Throws INVALID_REQUEST (for `endpoint`). */
  replay(instanceId: string, request: ReplayRequest): Promise<ReplayResult>;
}

/** Creates the service; `start` starts the deliveries. */
export async function createWebhookService(deps: WebhookServiceDeps): Promise<WebhookService> {
  const { storage, subscriptions, clock, log: logger, options } = deps;
  const { outbox, events } = storage;
  const { retention } = options;
  const traces = new RequestTraces();
  const readers = await createLogReaders({ storedReads: events, clock, mode: options.eventLog, retention });
  const eventLog = createEventLogReader({ events, readers, clock, retention });
  const streams = new EventStreams({ eventLog, clock, logger });
  const replays = new ReplayTracker({
    clock,
    onProgress(progress) {
      const instance = deps.nameOf?.(progress.instanceId) ?? progress.instanceId;
      streams.notify(progress.instanceId, toProgressNotice(instance, progress, clock.now()));
    },
  });
  const dispatcher = new Dispatcher({
    ...deps,
    requestOf: (eventId) => traces.requestOf(eventId),
    onRecorded: (attempts) => replays.onAttempts(attempts),
    onExpired: (webhookId, seqs) => replays.onEnded(webhookId, seqs, 'dead'),
  });
  const backlog = new Backlog({
    outbox,
    clock,
    log: logger,
    limit: options.backlog,
    onShed: (webhookId, seqs) => replays.onEnded(webhookId, seqs, 'dropped'),
  });
  const { deliveryLog } = dispatcher;
  const report = createStatusReport({ outbox, subscriptions, deliveryLog, backlog, dispatcher, replays });
  const replay = createReplay({ outbox, events, subscriptions, backlog, dispatcher, deliveryLog, replays });
  subscriptions.onChange(({ id }) => {
    // Only a removed webhook has no record.
    if (subscriptions.byId(id)) return;
    backlog.forget(id);
    replays.onWebhookRemoved(id);
  });

  /** Throws INVALID_REQUEST when `webhookId` is not the id of a webhook that receives events of the instance. */
  const assertReceivesEvents = (instanceId: string, webhookId: string | undefined): void => {
    if (webhookId === undefined || subscriptions.listOwnAndGlobal(instanceId).some(({ id }) => id === webhookId))
      return;
    throw new GatewayError('INVALID_REQUEST', ['"endpoint" is not the id of a webhook of this instance']);
  };
  return {
    start: () => dispatcher.start(),
    async stop() {
      await dispatcher.stop();
      await backlog.stop();
    },
    isLogged: (instanceId) => readers.hasReaders(instanceId),
    traceMessage: (messageId, requestId) => traces.addMessage(messageId, requestId),
    onPublished(instanceId, event, published) {
      traces.addEvent(event, published);
      // The backlog counts these deliveries when onStored() confirms that they are stored.
      for (const { webhookIds } of published) backlog.addExpected(instanceId, webhookIds);
    },
    onStored(instanceId, _stored, queued) {
      // Without `queued`, any lane of the instance possibly has new deliveries.
      if (queued) dispatcher.wakeLanes(queued);
      else dispatcher.wake(instanceId);
      backlog.confirmExpected(instanceId);
      streams.wake(instanceId);
    },
    breakers: () => dispatcher.breakers(),
    async drain(instanceId, ms) {
      await Promise.all([dispatcher.drain(instanceId, ms), streams.drain(instanceId, ms)]);
    },
    forget(instanceId) {
      streams.end(instanceId);
      readers.forget(instanceId);
      replays.forget(instanceId);
    },
    loadReaders: () => readers.load(),
    acquire: (instanceIds) => dispatcher.acquire(instanceIds),
    async release(instanceId, ms) {
      streams.end(instanceId);
      await dispatcher.release(instanceId, ms);
    },
    readEvents: async (instanceId, { types, ...range }) =>
      eventLog.read(instanceId, { ...range, types: types && toEventTypes(types) }),
    openStream: async (instanceId, { types, after }, rules) =>
      streams.open(instanceId, { after, types: types && toEventTypes(types) }, rules),
    closeStreams: () => streams.close(),
    async reportDeliveries(instanceId, query) {
      assertReceivesEvents(instanceId, query.webhookId);
      const page = await report(instanceId, query);
      if (!page) throw new GatewayError('INVALID_REQUEST', ['"cursor" is not a cursor that this gateway returned']);
      return page;
    },
    async replay(instanceId, request) {
      assertReceivesEvents(instanceId, request.webhookId);
      return replay(instanceId, request);
    },
  };
}

/**
 * Converts names in any form (`MESSAGES_UPSERT`, `messages.upsert`) to the names in payloads (`messages.upsert`).
 * Throws INVALID_REQUEST for an unknown name, and for an empty list, which PostgreSQL does not accept.
 */
function toEventTypes(names: readonly string[]): string[] {
  if (names.length === 0) throw new GatewayError('INVALID_REQUEST', ['"types" contains no event']);
  return names.map((name) => {
    // Progress notices of replays are not events, but streams contain them.
    const isProgress = toSubscriptionName(name.trim()) === toSubscriptionName(REPLAY_PROGRESS);
    const type = isProgress ? REPLAY_PROGRESS : parseEventType(name);
    if (type === null) throw new GatewayError('INVALID_REQUEST', [`"types" contains "${name}", which is not an event`]);
    return type;
  });
}
