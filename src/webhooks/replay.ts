// Replay: queues stored events again, for the webhooks that are subscribed to them now. Events keep their ids and
// order. Decision D-081.
import type { DeliverySummary, EventLog, EventSummary, Outbox, WebhookRow } from '../storage/webhook-stores.ts';
import type { Backlog } from './backlog.ts';
import type { DeliveryLog } from './delivery-log.ts';
import type { Dispatcher } from './dispatcher.ts';
import { LANES_PER_WEBHOOK } from './receiver-health.ts';
import type { ReplayTracker, ReplayTracking } from './replay-progress.ts';
import type { Subscriptions } from './subscriptions.ts';

/** Maximum number of rows per read. */
const PAGE_ROWS = 500;

/** Selects the events to queue, and the webhooks. An event must meet all conditions. */
export interface ReplayRequest {
  /** Only events with these ids (`webhook-id`). */
  ids?: readonly string[] | undefined;
  /** Only events from `since` to `until`, epoch ms, both inclusive. */
  since?: number | undefined;
  until?: number | undefined;
  /** Only dead letters: deliveries that the gateway no longer retries. */
  dead?: boolean | undefined;
  /** Only for this webhook. */
  webhookId?: string | undefined;
  /** Not for the global webhook. */
  ownWebhooksOnly?: boolean;
}

export interface ReplayResult {
  /** The id of this replay in reports of its progress; absent when nothing was queued. */
  id?: string;
  /** Number of queued deliveries. */
  queued: number;
  /**
   * Epoch ms of the first event that was not queued, because the backlog of a webhook was full. A new replay with this
   * time as `since` queues the rest. It also repeats the events from that time on for webhooks whose backlog was not
   * full. Absent when everything was queued.
   */
  resumeAt?: number;
}

export interface ReplayDeps {
  outbox: Pick<Outbox, 'summaries' | 'requeue'>;
  events: Pick<EventLog, 'summaries' | 'find' | 'findNewestSeq'>;
  subscriptions: Pick<Subscriptions, 'listOwnAndGlobal' | 'findSubscribed'>;
  backlog: Pick<Backlog, 'capacityOf' | 'countRequeued'>;
  dispatcher: Pick<Dispatcher, 'rereadLanes' | 'flush'>;
  deliveryLog: Pick<DeliveryLog, 'remove'>;
  replays: Pick<ReplayTracker, 'start'>;
}

type StoredEvent = Pick<EventSummary, 'seq' | 'type' | 'createdAt'>;

/** What a replay needs and counts while it queues events. */
interface ReplayState {
  instanceId: string;
  request: ReplayRequest;
  /** By id. */
  webhooks: Map<string, WebhookRow>;
  /** Number of deliveries that can still be queued, by webhook id. */
  capacity: Map<string, number>;
  /** Epoch ms of the last event that was queued or waits already, by webhook id. */
  lastCreatedAt: Map<string, number>;
  tracking: ReplayTracking;
  /** Number of queued deliveries. */
  queued: number;
  resumeAt: number | undefined;
}

/**
 * Creates a function that queues the events of a request and resolves with the result. Rejects when the store fails.
 */
export function createReplay(deps: ReplayDeps): (instanceId: string, request: ReplayRequest) => Promise<ReplayResult> {
  const { subscriptions, backlog, dispatcher, replays } = deps;
  return async (instanceId, request) => {
    // A delivery whose result is only in memory is still `waiting` in the store, and requeue() skips such deliveries.
    await dispatcher.flush();
    const { webhookId, ownWebhooksOnly } = request;
    const isSelected = ({ id, enabled, role }: WebhookRow) =>
      enabled && (webhookId === undefined || id === webhookId) && !(ownWebhooksOnly && role === 'global');
    const selected = subscriptions.listOwnAndGlobal(instanceId).filter(isSelected);
    const capacity = new Map<string, number>();
    for (const { id } of selected) capacity.set(id, await backlog.capacityOf(id));
    const webhooks = new Map(selected.map((webhook) => [webhook.id, webhook]));
    const tracking = replays.start(instanceId);
    const state: ReplayState = {
      instanceId,
      request,
      webhooks,
      capacity,
      lastCreatedAt: new Map(),
      tracking,
      queued: 0,
      resumeAt: undefined,
    };
    try {
      if (request.dead) await replayDead(state, deps);
      else await replayEvents(state, deps);
    } finally {
      tracking.finish();
      // If the store failed, the events that were queued before the failure are delivered anyway.
      if (state.queued > 0) dispatcher.rereadLanes([...webhooks.keys()]);
    }
    const { queued, resumeAt } = state;
    return { ...(queued > 0 ? { id: tracking.id } : {}), queued, ...(resumeAt === undefined ? {} : { resumeAt }) };
  };
}

async function replayEvents(state: ReplayState, deps: ReplayDeps): Promise<void> {
  const { instanceId, request, webhooks } = state;
  if (request.ids) {
    const found = await deps.events.find(instanceId, request.ids);
    for (const id of webhooks.keys()) await queueForWebhook(state, id, found.filter(isInPeriod(request)), deps);
    return;
  }
  /** Ids of the webhooks that take further events: none of their events so far exceeded the capacity. */
  const unfinished = new Set(webhooks.keys());
  // The replay leaves out events that are stored while it runs: these events are delivered anyway.
  const newestSeq = await deps.events.findNewestSeq(instanceId);
  let after = 0;
  while (unfinished.size > 0) {
    const { events, upTo, isEndOfLog } = await deps.events.summaries(instanceId, { after, limit: PAGE_ROWS });
    const selected = events.filter(({ seq }) => seq <= newestSeq).filter(isInPeriod(request));
    for (const id of unfinished) {
      const hasExcess = await queueForWebhook(state, id, selected, deps);
      if (hasExcess) unfinished.delete(id);
    }
    if (isEndOfLog || upTo >= newestSeq) return;
    after = upTo;
  }
}

async function replayDead(state: ReplayState, deps: ReplayDeps): Promise<void> {
  const { instanceId, request, webhooks } = state;
  const ids = request.ids && new Set(request.ids);
  const isSelected = ({ instance, eventId }: DeliverySummary) => instance === instanceId && (!ids || ids.has(eventId));
  for (const id of webhooks.keys()) {
    for await (const deliveries of readDead(id, deps)) {
      const selected = deliveries.filter(isSelected).filter(isInPeriod(request));
      const hasExcess = await queueForWebhook(state, id, selected, deps);
      if (hasExcess) break;
    }
  }
}

/** How far the dead letters of a lane (a queue of the webhook) are read. */
interface DeadLane {
  lane: number;
  /** The seq (position in the event log) of the last dead letter that was read. */
  after: number;
  /** The dead letters that were read and not yet returned. */
  rows: DeliverySummary[];
  mayHaveMore: boolean;
}

/**
 * Reads the dead letters of a webhook in parts, merged from all lanes in the order of their events. If the lanes
 * were read one after another, dead letters of the first lanes that fail again would use up the capacity of every
 * replay, and no replay would reach the later lanes.
 */
async function* readDead(webhookId: string, { outbox }: ReplayDeps): AsyncGenerator<DeliverySummary[]> {
  const lanes = Array.from(
    { length: LANES_PER_WEBHOOK },
    (_, lane): DeadLane => ({
      lane,
      after: 0,
      rows: [],
      mayHaveMore: true,
    }),
  );
  while (lanes.some(({ rows, mayHaveMore }) => mayHaveMore || rows.length > 0)) {
    for (const each of lanes.filter(({ rows, mayHaveMore }) => mayHaveMore && rows.length === 0)) {
      const { lane, after } = each;
      each.rows = await outbox.summaries(webhookId, { state: 'dead', lane, after, limit: PAGE_ROWS });
      each.mayHaveMore = each.rows.length === PAGE_ROWS;
      each.after = each.rows.at(-1)?.seq ?? after;
    }
    // All lanes were read up to this seq; Infinity when all lanes were read to their end.
    const upTo = Math.min(...lanes.filter(({ mayHaveMore }) => mayHaveMore).map(({ after }) => after));
    const part = lanes.flatMap(({ rows }) => rows.filter(({ seq }) => seq <= upTo));
    for (const each of lanes) each.rows = each.rows.filter(({ seq }) => seq > upTo);
    yield part.sort((a, b) => a.seq - b.seq);
  }
}

/**
 * Queues those of `events` that the webhook is subscribed to, until the webhook's capacity is used up. Events of one
 * millisecond are queued together, even above the capacity: `resumeAt` cannot divide them, so the next replay would
 * begin with the same events again. If the capacity does not suffice for all events, sets `resumeAt` and returns true.
 */
async function queueForWebhook(
  state: ReplayState,
  webhookId: string,
  events: readonly StoredEvent[],
  { outbox, subscriptions, backlog, deliveryLog }: ReplayDeps,
): Promise<boolean> {
  const { instanceId, capacity, lastCreatedAt, tracking } = state;
  const webhook = state.webhooks.get(webhookId);
  if (!webhook) return false;
  let rest = events.filter(({ type }) =>
    subscriptions.findSubscribed(instanceId, type).some(({ id }) => id === webhookId),
  );
  while (rest.length > 0) {
    const limit = capacity.get(webhookId) ?? 0;
    // The part consists of the events up to the limit, and of further events of the same millisecond as the last one.
    const lastAt = rest.slice(0, limit).at(-1)?.createdAt ?? lastCreatedAt.get(webhookId);
    const end = rest.findIndex(({ createdAt }, index) => index >= limit && createdAt !== lastAt);
    const part = end === -1 ? rest : rest.slice(0, end);
    if (part.length === 0 || lastAt === undefined) break;
    const queued = await outbox.requeue(
      webhookId,
      part.map(({ seq }) => seq),
    );
    tracking.add(webhook, queued);
    backlog.countRequeued(webhookId, queued.length);
    // deliveryLog contains successful deliveries only, and these deliveries wait again.
    deliveryLog.remove(webhookId, queued);
    state.queued += queued.length;
    // Events whose delivery already waits are not queued, and use no capacity.
    capacity.set(webhookId, Math.max(0, limit - queued.length));
    lastCreatedAt.set(webhookId, lastAt);
    rest = rest.slice(part.length);
  }
  const [firstExcess] = rest;
  if (!firstExcess) return false;
  state.resumeAt = Math.min(state.resumeAt ?? firstExcess.createdAt, firstExcess.createdAt);
  return true;
}

/** Returns a function that tests whether an event is in the period of the request. */
const isInPeriod =
  ({ since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY }: ReplayRequest) =>
  ({ createdAt }: StoredEvent): boolean =>
    createdAt >= since && createdAt <= until;
