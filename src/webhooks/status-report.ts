// The delivery report of an instance: waiting, dead and recently successful deliveries, and the health of each
// webhook's receiver. Decision D-081.
import type { ListedDelivery, Outbox, WebhookRow } from '../storage/webhook-stores.ts';
import type { Backlog, ShedReport } from './backlog.ts';
import type { DeliveryLog } from './delivery-log.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { HealthReport } from './failing-webhooks.ts';
import { maskUrl } from './mask-url.ts';
import { type ReplayRecord, type ReplayTracker, toReplayRecord } from './replay-progress.ts';
import type { Subscriptions } from './subscriptions.ts';

export type ReportedState = 'waiting' | 'delivered' | 'dead';

export interface ReportQuery {
  /** Only deliveries in this state. */
  state?: ReportedState | undefined;
  /** Only this webhook. */
  webhookId?: string | undefined;
  /** Leaves out the global webhook. */
  ownWebhooksOnly?: boolean;
  /** Replaces the secrets in URLs of webhooks. */
  masksUrls?: boolean;
  /** Maximum number of deliveries in the page. */
  limit: number;
  /** `next` of the previous page; absent for the first page. */
  cursor?: string | undefined;
}

export interface DeliveryReport {
  webhook: WebhookRow;
  eventId: string;
  type: string;
  state: ReportedState;
  attempts: number;
  lastStatus: number | null;
  lastError: string | null;
  /** Epoch ms of the next attempt; null when it is due now, or when there is none. */
  nextAt: number | null;
  /** Epoch ms at which the delivery was queued. */
  createdAt: number;
  /** Epoch ms at which the delivery succeeded or became dead; null while it waits. */
  settledAt: number | null;
}

/** The health and the queue of one webhook. The API calls a webhook an endpoint. */
export interface EndpointReport extends HealthReport {
  webhook: WebhookRow;
  /** Numbers of waiting and dead (given up) deliveries. */
  waiting: number;
  dead: number;
  /** Epoch ms at which the oldest waiting delivery was queued; null when none waits. */
  oldestWaitingAt: number | null;
  /** Deliveries that were dropped because too many waited; null when none were. */
  shed: ShedReport | null;
}

export interface StatusReport {
  endpoints: EndpointReport[];
  /** One page, newest event first. */
  deliveries: DeliveryReport[];
  /** Newest first. */
  replays: ReplayRecord[];
  /** Cursor of the next page; null on the last page. */
  next: string | null;
}

export interface StatusReportDeps {
  outbox: Pick<Outbox, 'list' | 'depth'>;
  subscriptions: Pick<Subscriptions, 'listOwnAndGlobal'>;
  deliveryLog: Pick<DeliveryLog, 'of'>;
  backlog: Pick<Backlog, 'shedReportOf'>;
  dispatcher: Pick<Dispatcher, 'healthOf' | 'flush'>;
  replays: Pick<ReplayTracker, 'progressOf'>;
}

interface Row extends DeliveryReport {
  /** Position of the event in the event log. */
  seq: number;
}

/** Creates a function that resolves with a page of the report, or with null for an invalid cursor. */
export function createStatusReport(
  deps: StatusReportDeps,
): (instanceId: string, query: ReportQuery) => Promise<StatusReport | null> {
  return async (instanceId, { state, webhookId, ownWebhooksOnly, masksUrls = false, limit, cursor }) => {
    const position = cursor === undefined ? undefined : parseCursor(cursor);
    if (position === null) return null;
    // Stores the results of all attempts so far, so that the report contains them.
    await deps.dispatcher.flush();
    const isSelected = ({ id, role }: WebhookRow) =>
      (webhookId === undefined || id === webhookId) && !(ownWebhooksOnly && role === 'global');
    const toVisible = (webhook: WebhookRow) => (masksUrls ? { ...webhook, url: maskUrl(webhook.url) } : webhook);
    const webhooks = deps.subscriptions.listOwnAndGlobal(instanceId).filter(isSelected).map(toVisible);
    const endpoints: EndpointReport[] = [];
    const rows: Row[] = [];
    for (const webhook of webhooks) {
      // Rows are sorted by descending seq, and the rows of one event by ascending webhook id. The event of the cursor
      // can therefore have further rows after the cursor: those of webhooks with a higher id.
      const below = position && (webhook.id > position.webhookId ? position.seq + 1 : position.seq);
      rows.push(...(await rowsOf(webhook, { instanceId, state, below, limit }, deps)));
      endpoints.push(await endpointOf(webhook, deps));
    }
    rows.sort((a, b) => b.seq - a.seq || (a.webhook.id < b.webhook.id ? -1 : 1));
    const deliveries = rows.slice(0, limit);
    const last = deliveries.at(-1);
    // The progress of the replays is read after the rows, so that no row shows an ended delivery that the progress
    // lacks.
    const replays = deps.replays
      .progressOf(instanceId)
      .filter(({ webhook }) => isSelected(webhook))
      .map((progress) => toReplayRecord(progress, { masksUrls }));
    return { endpoints, deliveries, replays, next: rows.length > limit && last ? toCursor(last) : null };
  };
}

interface RowQuery {
  instanceId: string;
  state: ReportedState | undefined;
  /** Only rows with a lower seq; undefined for all. */
  below: number | undefined;
  limit: number;
}

/** Returns the newest rows of a webhook, up to one more than the limit, which shows whether a next page exists. */
async function rowsOf(
  webhook: WebhookRow,
  { instanceId, state, below, limit }: RowQuery,
  deps: StatusReportDeps,
): Promise<Row[]> {
  const states = (['waiting', 'dead'] as const).filter((each) => state === undefined || each === state);
  const filter = { instance: instanceId, states, limit: limit + 1 };
  const stored = await deps.outbox.list(webhook.id, below === undefined ? filter : { ...filter, below });
  const rows = stored.map((row) => toRow(webhook, row));
  if (state !== undefined && state !== 'delivered') return rows;
  const delivered = new Map<number, Row>();
  for (const each of deps.deliveryLog.of(webhook.id)) {
    if (each.instanceId !== instanceId || each.seq >= (below ?? Number.POSITIVE_INFINITY)) continue;
    const { seq, eventId, type, attempts, status, createdAt, deliveredAt } = each;
    const row = { webhook, seq, eventId, type, state: 'delivered', attempts, lastStatus: status } as const;
    delivered.set(seq, { ...row, lastError: null, nextAt: null, createdAt, settledAt: deliveredAt });
  }
  // A delivery that succeeded after its row was read is listed once, in the state of the row.
  for (const { seq } of rows) delivered.delete(seq);
  return [...rows, ...delivered.values()].sort((a, b) => b.seq - a.seq).slice(0, limit + 1);
}

/** Returns the row of a stored delivery. In the store 0 stands for no time. */
function toRow(webhook: WebhookRow, { nextAt, diedAt, webhookId: _, ...row }: ListedDelivery): Row {
  return { ...row, webhook, nextAt: nextAt || null, settledAt: diedAt || null };
}

async function endpointOf(
  webhook: WebhookRow,
  { outbox, backlog, dispatcher }: StatusReportDeps,
): Promise<EndpointReport> {
  const depth = await outbox.depth(webhook.id);
  return { webhook, ...depth, ...dispatcher.healthOf(webhook.id), shed: backlog.shedReportOf(webhook.id) };
}

const toCursor = ({ seq, webhook }: Row): string => Buffer.from(`${seq}.${webhook.id}`).toString('base64url');

function parseCursor(cursor: string): { seq: number; webhookId: string } | null {
  const [, seq, webhookId] = /^(\d{1,16})\.([\w-]{1,64})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  return seq === undefined || webhookId === undefined ? null : { seq: Number(seq), webhookId };
}
