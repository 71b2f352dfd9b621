// What operators see of an instance's posts: what waits, what is dead, what was delivered lately, and how each receiver
// fares.
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
  /** Absent: all. */
  state?: ReportedState | undefined;
  /** Only of this webhook. */
  webhookId?: string | undefined;
  /** Without the global webhook: it is the operator's business. */
  ownOnly?: boolean;
  /** Without the secrets that addresses of webhooks may hold. */
  isMasked?: boolean;
  limit: number;
  /** `next` of the page before. */
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
  /** Epoch ms: of the next try (null: when its turn comes), queued, delivered or given up. */
  nextAt: number | null;
  createdAt: number;
  settledAt: number | null;
}

export interface EndpointReport extends Health {
  webhook: WebhookRow;
  waiting: number;
  dead: number;
  /** Epoch ms at which the oldest waiting post was queued. */
  oldest: number | null;
  shed: ShedReport | null;
}

export interface StatusReport {
  endpoints: EndpointReport[];
  /** Newest event first. */
  deliveries: DeliveryReport[];
  /** Newest first. */
  replays: ReplayRecord[];
  next: string | null;
}

export interface StatusReportDeps {
  outbox: Pick<Outbox, 'list' | 'depth'>;
  subscriptions: Pick<Subscriptions, 'of'>;
  history: Pick<DeliveryLog, 'of'>;
  backlog: Pick<Backlog, 'shedOf'>;
  dispatcher: Pick<Dispatcher, 'health' | 'flush'>;
  replays: Pick<ReplayTracker, 'progressOf'>;
}

interface Row extends DeliveryReport {
  seq: number;
}

/** Throws nothing of its own: `cursor` null is one that was never given. */
export function createStatusReport(
  deps: StatusReportDeps,
): (instanceId: string, query: ReportQuery) => Promise<StatusReport | null> {
  return async (instanceId, { state, webhookId, ownOnly, isMasked = false, limit, cursor }) => {
    const behind = cursor === undefined ? undefined : parse(cursor);
    if (behind === null) return null;
    await deps.dispatcher.flush();
    const isMeant = ({ id, role }: WebhookRow) => (webhookId ?? id) === id && !(ownOnly && role === 'global');
    const shown = (webhook: WebhookRow) => (isMasked ? { ...webhook, url: maskUrl(webhook.url) } : webhook);
    const webhooks = deps.subscriptions.of(instanceId).filter(isMeant).map(shown);
    const endpoints: EndpointReport[] = [];
    const rows: Row[] = [];
    for (const webhook of webhooks) {
      // Rows are in the order of seq and, of one event, of the webhook's id.
      const below = behind && (webhook.id > behind.webhookId ? behind.seq + 1 : behind.seq);
      rows.push(...(await rowsOf(webhook, { instanceId, state, below, limit }, deps)));
      endpoints.push(await endpointOf(webhook, deps));
    }
    rows.sort((a, b) => b.seq - a.seq || (a.webhook.id < b.webhook.id ? -1 : 1));
    const deliveries = rows.slice(0, limit);
    const last = deliveries.at(-1);
    // After what waits was read: a replay is never further than what the list shows of it.
    const replays = deps.replays
      .progressOf(instanceId)
      .filter(({ webhook }) => isMeant(webhook))
      .map((progress) => toRecord(progress, { isMasked }));
    return { endpoints, deliveries, replays, next: rows.length > limit && last ? toText(last) : null };
  };
}

interface RowQuery {
  instanceId: string;
  state: ReportedState | undefined;
  below: number | undefined;
  limit: number;
}

/** One more than the limit, so that it is known whether there are more. */
async function rowsOf(
  webhook: WebhookRow,
  { instanceId, state, below, limit }: RowQuery,
  deps: StatusReportDeps,
): Promise<Row[]> {
  const wanted = (['waiting', 'dead'] as const).filter((each) => (state ?? each) === each);
  const filter = { instance: instanceId, states: wanted, limit: limit + 1 };
  const stored = await deps.outbox.list(webhook.id, below === undefined ? filter : { ...filter, below });
  const rows = stored.map((row) => toRow(webhook, row));
  if (state !== undefined && state !== 'delivered') return rows;
  const known = new Map<number, Row>();
  for (const each of deps.history.of(webhook.id)) {
    if (each.instanceId !== instanceId || each.seq >= (below ?? Number.POSITIVE_INFINITY)) continue;
    const { seq, eventId, type, attempts, status, createdAt, deliveredAt } = each;
    const row = { webhook, seq, eventId, type, state: 'delivered', attempts, lastStatus: status } as const;
    known.set(seq, { ...row, lastError: null, nextAt: null, createdAt, settledAt: deliveredAt });
  }
  // What was replayed is shown as it is now.
  for (const { seq } of rows) known.delete(seq);
  return [...rows, ...known.values()].sort((a, b) => b.seq - a.seq).slice(0, limit + 1);
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

const toText = ({ seq, webhook }: Row): string => Buffer.from(`${seq}.${webhook.id}`).toString('base64url');

function parse(cursor: string): { seq: number; webhookId: string } | null {
  const [, seq, webhookId] = /^(\d{1,16})\.([\w-]{1,64})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  return seq === undefined || webhookId === undefined ? null : { seq: Number(seq), webhookId };
}
