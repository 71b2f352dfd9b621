// The delivery report of an instance: waiting, dead and recently delivered events, and the health of each webhook's
// receiver.
import type { ListedDelivery, Outbox, WebhookRow } from '../storage/webhook-stores.ts';
import type { Backlog, ShedReport } from './backlog.ts';
import type { DeliveryLog } from './delivery-log.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { Health } from './failing-since.ts';
import { maskUrl } from './mask-url.ts';
import { type ReplayRecord, type ReplayTracker, toRecord } from './replay-progress.ts';
import type { Subscriptions } from './subscriptions.ts';

export type ReportedState = 'waiting' | 'delivered' | 'dead';

export interface ReportQuery {
  /** Absent: deliveries in every state. */
  state?: ReportedState | undefined;
  /** Of this webhook only. */
  webhookId?: string | undefined;
  /** Without the global webhook. */
  ownWebhooksOnly?: boolean;
  /** Without the secrets in URLs of webhooks. */
  masksUrls?: boolean;
  limit: number;
  /** `next` of the previous page. */
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
  /** Epoch ms of the next attempt; null: as soon as possible, or none. */
  nextAt: number | null;
  /** Epoch ms. */
  createdAt: number;
  /** Epoch ms at which it was delivered or became dead. */
  settledAt: number | null;
}

export interface EndpointReport extends Health {
  webhook: WebhookRow;
  waiting: number;
  dead: number;
  /** Epoch ms at which the oldest waiting delivery was queued. */
  oldest: number | null;
  shed: ShedReport | null;
}

export interface StatusReport {
  endpoints: EndpointReport[];
  /** Newest event first; a page. */
  deliveries: DeliveryReport[];
  /** Newest first. */
  replays: ReplayRecord[];
  next: string | null;
}

export interface StatusReportDeps {
  outbox: Pick<Outbox, 'list' | 'depth'>;
  subscriptions: Pick<Subscriptions, 'of'>;
  deliveryLog: Pick<DeliveryLog, 'of'>;
  backlog: Pick<Backlog, 'shedOf'>;
  dispatcher: Pick<Dispatcher, 'health' | 'flush'>;
  replays: Pick<ReplayTracker, 'progressOf'>;
}

interface Row extends DeliveryReport {
  seq: number;
}

/** Creates a function that resolves with a page of the report, or with null for an invalid cursor. */
export function createStatusReport(
  deps: StatusReportDeps,
): (instanceId: string, query: ReportQuery) => Promise<StatusReport | null> {
  return async (instanceId, { state, webhookId, ownWebhooksOnly, masksUrls = false, limit, cursor }) => {
    const position = cursor === undefined ? undefined : parseCursor(cursor);
    if (position === null) return null;
    await deps.dispatcher.flush();
    const isSelected = ({ id, role }: WebhookRow) =>
      (webhookId ?? id) === id && !(ownWebhooksOnly && role === 'global');
    const toVisible = (webhook: WebhookRow) => (masksUrls ? { ...webhook, url: maskUrl(webhook.url) } : webhook);
    const webhooks = deps.subscriptions.of(instanceId).filter(isSelected).map(toVisible);
    const endpoints: EndpointReport[] = [];
    const rows: Row[] = [];
    for (const webhook of webhooks) {
      // Rows are sorted by seq, and by the webhook's id for one event.
      const below = position && (webhook.id > position.webhookId ? position.seq + 1 : position.seq);
      rows.push(...(await rowsOf(webhook, { instanceId, state, below, limit }, deps)));
      endpoints.push(await endpointOf(webhook, deps));
    }
    rows.sort((a, b) => b.seq - a.seq || (a.webhook.id < b.webhook.id ? -1 : 1));
    const deliveries = rows.slice(0, limit);
    const last = deliveries.at(-1);
    // Read after the rows: a replay must not look more advanced than the listed deliveries.
    const replays = deps.replays
      .progressOf(instanceId)
      .filter(({ webhook }) => isSelected(webhook))
      .map((progress) => toRecord(progress, { masksUrls }));
    return { endpoints, deliveries, replays, next: rows.length > limit && last ? toCursor(last) : null };
  };
}

interface RowQuery {
  instanceId: string;
  state: ReportedState | undefined;
  below: number | undefined;
  limit: number;
}

/** Returns the newest rows of a webhook: one more than the limit, which tells whether a next page exists. */
async function rowsOf(
  webhook: WebhookRow,
  { instanceId, state, below, limit }: RowQuery,
  deps: StatusReportDeps,
): Promise<Row[]> {
  const states = (['waiting', 'dead'] as const).filter((each) => (state ?? each) === each);
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
  // A delivery that was replayed is listed in its current state.
  for (const { seq } of rows) delivered.delete(seq);
  return [...rows, ...delivered.values()].sort((a, b) => b.seq - a.seq).slice(0, limit + 1);
}

function toRow(webhook: WebhookRow, { nextAt, diedAt, webhookId: _, ...row }: ListedDelivery): Row {
  return { ...row, webhook, nextAt: nextAt || null, settledAt: diedAt || null };
}

async function endpointOf(
  webhook: WebhookRow,
  { outbox, backlog, dispatcher }: StatusReportDeps,
): Promise<EndpointReport> {
  const depth = await outbox.depth(webhook.id);
  return { webhook, ...depth, ...dispatcher.health(webhook.id), shed: backlog.shedOf(webhook.id) };
}

const toCursor = ({ seq, webhook }: Row): string => Buffer.from(`${seq}.${webhook.id}`).toString('base64url');

function parseCursor(cursor: string): { seq: number; webhookId: string } | null {
  const [, seq, webhookId] = /^(\d{1,16})\.([\w-]{1,64})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  return seq === undefined || webhookId === undefined ? null : { seq: Number(seq), webhookId };
}
