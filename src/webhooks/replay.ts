// Queues kept events again, for the webhooks that want them now: under the id they had, in their order, a portion at a
// time.
import type { DeliveryHead, EventHead, EventLog, Outbox, WebhookRow } from '../storage/webhook-stores.ts';
import type { Backlog } from './backlog.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { ReplayRun, ReplayTracker } from './replay-progress.ts';
import type { Subscriptions } from './subscriptions.ts';

const PORTION = 500;
const LANES = 8;

/** What to queue; all conditions hold together. */
export interface ReplayRequest {
  /** Event ids (`webhook-id`). */
  ids?: readonly string[] | undefined;
  /** Epoch ms at which they happened, both inclusive. */
  since?: number | undefined;
  until?: number | undefined;
  /** Only what is dead. */
  dead?: boolean | undefined;
  /** Only for this webhook. */
  webhookId?: string | undefined;
  /** Not for the global webhook: it is the operator's business. */
  ownOnly?: boolean;
}

export interface ReplayResult {
  /** Under which its progress is told; absent when nothing was queued. */
  id?: string;
  queued: number;
  /** Epoch ms of the first event that found no room: a replay since then goes on. */
  resumeAt?: number;
}

export interface ReplayDeps {
  outbox: Pick<Outbox, 'heads' | 'requeue'>;
  events: Pick<EventLog, 'heads' | 'find'>;
  subscriptions: Pick<Subscriptions, 'of' | 'matching'>;
  backlog: Pick<Backlog, 'capacityOf'>;
  dispatcher: Pick<Dispatcher, 'readAgain' | 'flush'>;
  replays: Pick<ReplayTracker, 'start'>;
}

type Head = Pick<EventHead, 'seq' | 'type' | 'createdAt'>;

/** One replay: how much room each webhook has left, and what was done. */
interface Run {
  instanceId: string;
  request: ReplayRequest;
  webhooks: Map<string, WebhookRow>;
  room: Map<string, number>;
  open: ReplayRun;
  queued: number;
  resumeAt: number | undefined;
}

export function createReplay(deps: ReplayDeps): (instanceId: string, request: ReplayRequest) => Promise<ReplayResult> {
  const { subscriptions, backlog, dispatcher, replays } = deps;
  return async (instanceId, request) => {
    // What was just delivered would still look as if it waited.
    await dispatcher.flush();
    const isMeant = ({ id, enabled, role }: WebhookRow) =>
      enabled && (request.webhookId ?? id) === id && !(request.ownOnly && role === 'global');
    const webhooks = subscriptions.of(instanceId).filter(isMeant);
    const room = new Map<string, number>();
    for (const { id } of webhooks) room.set(id, await backlog.capacityOf(id));
    const known = new Map(webhooks.map((webhook) => [webhook.id, webhook]));
    const open = replays.start(instanceId);
    const run: Run = { instanceId, request, webhooks: known, room, open, queued: 0, resumeAt: undefined };
    try {
      if (request.dead) await replayDead(run, deps);
      else await replayEvents(run, deps);
    } finally {
      // What was queued before a failure is posted all the same.
      open.finish();
      if (run.queued > 0) dispatcher.readAgain([...room.keys()]);
    }
    const { queued, resumeAt } = run;
    return { ...(queued > 0 ? { id: open.id } : {}), queued, ...(resumeAt === undefined ? {} : { resumeAt }) };
  };
}

async function replayEvents(run: Run, deps: ReplayDeps): Promise<void> {
  const { instanceId, request, room } = run;
  if (request.ids) {
    const found = await deps.events.find(instanceId, request.ids);
    for (const id of room.keys()) await queue(run, id, found.filter(isWithin(request)), deps);
    return;
  }
  for (let after = 0, isEnd = false; !isEnd && hasRoom(run); ) {
    const page = await deps.events.heads(instanceId, { after, limit: PORTION });
    for (const id of room.keys()) await queue(run, id, page.events.filter(isWithin(request)), deps);
    ({ upTo: after, isEnd } = page);
  }
}

async function replayDead(run: Run, deps: ReplayDeps): Promise<void> {
  const { instanceId, request, room } = run;
  const ids = request.ids && new Set(request.ids);
  const isWanted = (head: DeliveryHead) => head.instance === instanceId && (!ids || ids.has(head.eventId));
  for (const id of room.keys()) {
    for (let lane = 0; lane < LANES; lane++) {
      let isEnd = false;
      for (let after = 0; !isEnd && (room.get(id) ?? 0) > 0; ) {
        const heads = await deps.outbox.heads(id, 'dead', lane, after, PORTION);
        await queue(run, id, heads.filter(isWanted).filter(isWithin(request)), deps);
        isEnd = heads.length < PORTION;
        after = heads.at(-1)?.seq ?? after;
      }
    }
  }
}

/** Queues those that the webhook wants, as far as there is room. */
async function queue(
  run: Run,
  webhookId: string,
  heads: readonly Head[],
  { outbox, subscriptions }: ReplayDeps,
): Promise<void> {
  const { instanceId, room, open } = run;
  const webhook = run.webhooks.get(webhookId);
  if (!webhook) return;
  const wanted = heads.filter(({ type }) =>
    subscriptions.matching(instanceId, type).some(({ id }) => id === webhookId),
  );
  const left = room.get(webhookId) ?? 0;
  const [refused] = wanted.slice(left);
  if (refused) run.resumeAt = Math.min(run.resumeAt ?? refused.createdAt, refused.createdAt);
  const fitting = wanted.slice(0, left);
  if (fitting.length === 0) return;
  const seqs = fitting.map(({ seq }) => seq);
  const queued = await outbox.requeue(webhookId, seqs);
  open.add(webhook, queued);
  room.set(webhookId, left - queued.length);
  run.queued += queued.length;
}

const hasRoom = ({ room }: Run): boolean => [...room.values()].some((left) => left > 0);

const isWithin =
  ({ since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY }: ReplayRequest) =>
  ({ createdAt }: Head): boolean =>
    createdAt >= since && createdAt <= until;
