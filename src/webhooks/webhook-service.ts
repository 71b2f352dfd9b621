// Everything about posts, put together: what is queued and delivered, what is kept and read, and what operators see and
// change.
import type { Logger } from 'pino';
import type { Egress } from '../egress/http-client.ts';
import { GatewayError } from '../errors.ts';
import { createEventLogReader, type LogQuery } from '../events/event-log.ts';
import { parseEventType, toSubscriptionName } from '../events/event-names.ts';
import { EventStreams, type StreamRules } from '../events/event-streams.ts';
import { createLogReaders } from '../events/log-readers.ts';
import type { RecorderListener } from '../events/recorder.ts';
import type { Clock } from '../lib/clock.ts';
import type { Storage } from '../storage/storage.ts';
import { Backlog } from './backlog.ts';
import type { DispatcherOptions } from './delivery-limits.ts';
import type { HttpSender } from './delivery-request.ts';
import { Dispatcher, type DispatcherDeps } from './dispatcher.ts';
import type { AttachFile } from './file-attachment.ts';
import { createReplay, type ReplayRequest, type ReplayResult } from './replay.ts';
import { REPLAY_PROGRESS, ReplayTracker, toNotice } from './replay-progress.ts';
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
  /** The key of an instance, where posts are to carry it. */
  keyOf?: HttpSender['keyOf'];
  onPosted?: DispatcherDeps['onPosted'];
  nameOf?: DispatcherDeps['nameOf'];
  options: DispatcherOptions & {
    eventLog: 'auto' | 'always';
    /** Posts that may wait for one webhook; 0: any number. */
    backlog: number;
  };
}

export interface WebhookService extends Required<Pick<RecorderListener, 'onPublished' | 'onStored'>> {
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Whether every event of the instance is kept. */
  isLogged(instanceId: string): boolean;
  /** The message goes out for this request: posts about it say so in the log. */
  traceMessage(messageId: string, request: string): void;
  breakers: Dispatcher['breakers'];
  /** Before an instance is deleted: lets out what waits, within `ms`. */
  drain(instanceId: string, ms: number): Promise<void>;
  forget(instanceId: string): void;
  /** These instances are this process's now, with what of theirs waits. Their webhooks are known. */
  acquire(instanceIds: readonly string[]): Promise<void>;
  /**
   * Another process is to have the instance: streams end, no more posts are made. Resolves when those under way are
   * done, at most after `ms`.
   */
  release(instanceId: string, ms: number): Promise<void>;
  /** Throws INVALID_REQUEST (`after`, `types`) or CURSOR_EXPIRED. */
  readEvents(instanceId: string, from: LogQuery & { limit: number }): Promise<{ events: string[]; next: string }>;
  /**
   * The same as server-sent events, with the progress of replays, until `signal`, deletion or `closeStreams`; also
   * RATE_LIMITED. `field` names the cursor in refusals; `ownOnly`: without what is of the global webhook; `isMasked`:
   * without the secrets in addresses.
   */
  openStream(instanceId: string, from: LogQuery, rules: StreamRules): Promise<AsyncIterable<string>>;
  closeStreams(): void;
  /** Throws INVALID_REQUEST (`cursor`, `endpoint`). */
  reportDeliveries(instanceId: string, query: ReportQuery): Promise<StatusReport>;
  /** Throws INVALID_REQUEST (`endpoint`). */
  replay(instanceId: string, request: ReplayRequest): Promise<ReplayResult>;
}

export async function createWebhookService(deps: WebhookServiceDeps): Promise<WebhookService> {
  const { storage, subscriptions, clock, log: logger, options } = deps;
  const { outbox, events } = storage;
  const { retention } = options;
  const traces = new RequestTraces();
  const replays = new ReplayTracker({
    clock,
    onProgress(progress) {
      const instance = deps.nameOf?.(progress.instanceId) ?? progress.instanceId;
      streams.notify(progress.instanceId, toNotice(instance, progress, clock.now()));
    },
  });
  const dispatcher = new Dispatcher({
    ...deps,
    requestOf: (eventId) => traces.requestOf(eventId),
    onSettled: (settlements) => replays.onSettled(settlements),
    onExpired: (webhookId, seqs) => replays.onEnded(webhookId, seqs, 'dead'),
  });
  const onShed = (webhookId: string, seqs: readonly number[]) => replays.onEnded(webhookId, seqs, 'dropped');
  const backlog = new Backlog({ outbox, clock, log: logger, limit: options.backlog, onShed });
  const readers = await createLogReaders({ events, clock, mode: options.eventLog, retention });
  const log = createEventLogReader({ events, readers, clock, retention });
  const streams = new EventStreams({ log, readers, clock, logger });
  const report = createStatusReport({
    outbox,
    subscriptions,
    history: dispatcher.deliveryLog,
    backlog,
    dispatcher,
    replays,
  });
  const replay = createReplay({ outbox, events, subscriptions, backlog, dispatcher, replays });
  subscriptions.onChange(({ id }) => {
    if (subscriptions.byId(id)) return;
    backlog.forget(id);
    replays.onWebhookRemoved(id);
  });

  const mustServe = (instanceId: string, webhookId: string | undefined): void => {
    if (webhookId === undefined || subscriptions.of(instanceId).some(({ id }) => id === webhookId)) return;
    throw new GatewayError('INVALID_REQUEST', ['"endpoint" is not the id of a webhook of this instance']);
  };
  return {
    start: () => dispatcher.start(),
    async stop() {
      await dispatcher.stop();
      await backlog.stop();
    },
    isLogged: (instanceId) => readers.isRead(instanceId),
    traceMessage: (messageId, request) => traces.addMessage(messageId, request),
    onPublished(instanceId, event, published) {
      traces.addEvent(event, published);
      for (const { webhooks } of published) backlog.expect(instanceId, webhooks);
    },
    onStored(instanceId, _stored, hasDeliveries) {
      if (hasDeliveries) dispatcher.wake(instanceId);
      backlog.confirm(instanceId);
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
    async acquire(instanceIds) {
      await readers.load();
      await dispatcher.acquire(instanceIds);
    },
    async release(instanceId, ms) {
      streams.end(instanceId);
      await dispatcher.release(instanceId, ms);
      readers.forget(instanceId);
      replays.forget(instanceId);
    },
    readEvents: async (instanceId, { types, ...from }) =>
      log.read(instanceId, { ...from, types: types && toTypes(types) }),
    openStream: async (instanceId, { types, ...from }, how) =>
      streams.open(instanceId, { ...from, types: types && toTypes(types) }, how),
    closeStreams: () => streams.close(),
    async reportDeliveries(instanceId, query) {
      mustServe(instanceId, query.webhookId);
      const found = await report(instanceId, query);
      if (!found) throw new GatewayError('INVALID_REQUEST', ['"cursor" is not a cursor that this gateway returned']);
      return found;
    },
    async replay(instanceId, request) {
      mustServe(instanceId, request.webhookId);
      return replay(instanceId, request);
    },
  };
}

function toTypes(names: readonly string[]): string[] {
  return names.map((name) => {
    const type = toSubscriptionName(name.trim()) === 'REPLAY_PROGRESS' ? REPLAY_PROGRESS : parseEventType(name);
    if (type === null) throw new GatewayError('INVALID_REQUEST', [`"types" names "${name}", which is not an event`]);
    return type;
  });
}
