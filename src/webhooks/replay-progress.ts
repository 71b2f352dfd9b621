// Tracks the progress of replays. A replay queues stored events again; its progress is the number of the queued
// deliveries that have ended. The counts are in memory only. After a restart the deliveries continue, because they are
// in the store, but they are not counted. Decision D-141.
import { randomUUID } from 'node:crypto';
import type { StreamNotice } from '../events/server-sent-events.ts';
import type { AttemptRecord, WebhookRow } from '../storage/webhook-stores.ts';
import { maskUrl } from './mask-url.ts';

/** Progress of one replay at one webhook. All counts are numbers of deliveries. */
export interface ReplayProgress {
  /** Id of the replay, the same for all its webhooks. */
  id: string;
  instanceId: string;
  webhook: WebhookRow;
  /** Epoch ms. */
  startedAt: number;
  queued: number;
  delivered: number;
  /** Deliveries whose last attempt failed, or that expired. */
  dead: number;
  /** Deliveries that were removed from the queue, because the backlog was full or the webhook was removed. */
  dropped: number;
  /** Percentage of the queued deliveries that have ended, rounded down; 0 while the replay still queues deliveries. */
  percent: number;
  /** Whether all deliveries have ended. */
  done: boolean;
}

/** ReplayProgress as the API returns it. */
export interface ReplayRecord extends Omit<ReplayProgress, 'instanceId' | 'webhook' | 'startedAt' | 'percent'> {
  /** ReplayProgress.percent. */
  progress: number;
  endpoint: { id: string; url: string };
  /** ISO 8601. */
  startedAt: string;
}

/** Through this object a replay tells the tracker which deliveries it queues. */
export interface ReplayTracking {
  readonly id: string;
  /** Adds deliveries that were queued for a webhook, by their sequence numbers. */
  add(webhook: WebhookRow, seqs: readonly number[]): void;
  /** Call it when the replay has queued all its deliveries. From then on, progress is reported. */
  finish(): void;
}

export interface ReplayTrackerOptions {
  clock: { now(): number };
  /** Called for each webhook when the replay has queued all its deliveries, and then when the percentage changes. */
  onProgress: (progress: ReplayProgress) => void;
}

/** Maximum number of ended replays that are kept per instance, each with all its webhooks. */
const MAX_ENDED_PER_INSTANCE = 10;

/** The part of a replay that concerns one webhook. */
interface WebhookReplay extends Omit<ReplayProgress, 'percent' | 'done'> {
  /** Whether the replay has queued all its deliveries. */
  isFullyQueued: boolean;
  /** The last reported percentage; -1 when none was reported. */
  reportedPercent: number;
}

/** Name of the progress notices in event streams. */
export const REPLAY_PROGRESS = 'replay.progress';

/** How a delivery ended. */
type EndState = 'delivered' | 'dead' | 'dropped';

export class ReplayTracker {
  readonly #options: ReplayTrackerOptions;
  /** The replays of each instance, one entry per webhook, oldest first. */
  readonly #byInstance = new Map<string, WebhookReplay[]>();
  /**
   * The replay of each delivery that has not ended, by webhook id and seq. A delivery belongs to one replay only,
   * because a replay does not queue a delivery that waits already.
   */
  readonly #pending = new Map<string, Map<number, WebhookReplay>>();
  /**
   * One object for each replay that still queues deliveries. forget() removes the objects of an instance; deliveries
   * that its replays queue later are not counted.
   */
  readonly #runs = new Set<{ instanceId: string }>();

  constructor(options: ReplayTrackerOptions) {
    this.#options = options;
  }

  /** Starts to track a replay, which can have several webhooks. */
  start(instanceId: string): ReplayTracking {
    const id = `rpl_${randomUUID().replaceAll('-', '')}`;
    const startedAt = this.#options.clock.now();
    const byWebhook = new Map<string, WebhookReplay>();
    const run = { instanceId };
    this.#runs.add(run);
    return {
      id,
      add: (webhook, seqs) => {
        if (seqs.length === 0 || !this.#runs.has(run)) return;
        const replay = byWebhook.get(webhook.id) ?? {
          id,
          instanceId,
          webhook,
          startedAt,
          queued: 0,
          delivered: 0,
          dead: 0,
          dropped: 0,
          isFullyQueued: false,
          reportedPercent: -1,
        };
        if (!byWebhook.has(webhook.id))
          this.#byInstance.set(instanceId, [...(this.#byInstance.get(instanceId) ?? []), replay]);
        byWebhook.set(webhook.id, replay);
        const pending = this.#pending.get(webhook.id) ?? new Map<number, WebhookReplay>();
        this.#pending.set(webhook.id, pending);
        for (const seq of seqs) pending.set(seq, replay);
        replay.queued += seqs.length;
      },
      finish: () => {
        if (!this.#runs.delete(run)) return;
        for (const replay of byWebhook.values()) {
          replay.isFullyQueued = true;
          this.#report(replay);
        }
      },
    };
  }

  /** Counts the deliveries that ended with an attempt. Call it after the attempts were stored. */
  onAttempts(attempts: readonly AttemptRecord[]): void {
    if (this.#pending.size === 0) return;
    const changed = new Set<WebhookReplay>();
    for (const { webhookId, seq, outcome } of attempts) {
      const replay = outcome === 'retry' ? undefined : this.#countEnd(webhookId, seq, outcome);
      if (replay) changed.add(replay);
    }
    for (const replay of changed) this.#report(replay);
  }

  /**
   * Counts deliveries that ended without an attempt: they expired (`dead`) or were removed from the queue (`dropped`).
   */
  onEnded(webhookId: string, seqs: Iterable<number>, end: 'dead' | 'dropped'): void {
    if (!this.#pending.has(webhookId)) return;
    const changed = new Set<WebhookReplay>();
    for (const seq of seqs) {
      const replay = this.#countEnd(webhookId, seq, end);
      if (replay) changed.add(replay);
    }
    for (const replay of changed) this.#report(replay);
  }

  /** Counts all deliveries of a removed webhook as dropped. */
  onWebhookRemoved(webhookId: string): void {
    this.onEnded(webhookId, [...(this.#pending.get(webhookId)?.keys() ?? [])], 'dropped');
  }

  /** Removes the replays of an instance that was deleted or moved to another node. */
  forget(instanceId: string): void {
    for (const run of this.#runs) if (run.instanceId === instanceId) this.#runs.delete(run);
    for (const replay of this.#byInstance.get(instanceId) ?? []) {
      const pending = this.#pending.get(replay.webhook.id) ?? [];
      for (const [seq, each] of pending) if (each === replay) this.#removePending(replay.webhook.id, seq);
    }
    this.#byInstance.delete(instanceId);
  }

  /** Returns the running replays of an instance and up to MAX_ENDED_PER_INSTANCE ended ones, newest first. */
  progressOf(instanceId: string): ReplayProgress[] {
    return (this.#byInstance.get(instanceId) ?? []).map(toProgress).reverse();
  }

  /** Counts the end of a delivery. Returns its replay; undefined for a delivery that no replay queued. */
  #countEnd(webhookId: string, seq: number, end: EndState): WebhookReplay | undefined {
    const replay = this.#pending.get(webhookId)?.get(seq);
    if (!replay) return undefined;
    replay[end]++;
    this.#removePending(webhookId, seq);
    return replay;
  }

  #removePending(webhookId: string, seq: number): void {
    const pending = this.#pending.get(webhookId);
    pending?.delete(seq);
    if (pending?.size === 0) this.#pending.delete(webhookId);
  }

  #report(replay: WebhookReplay): void {
    if (!replay.isFullyQueued) return;
    const report = toProgress(replay);
    if (report.percent === replay.reportedPercent) return;
    replay.reportedPercent = report.percent;
    if (report.done) this.#removeOldReplays(replay.instanceId);
    this.#options.onProgress(report);
  }

  #removeOldReplays(instanceId: string): void {
    const replays = this.#byInstance.get(instanceId) ?? [];
    const runningIds = new Set(replays.filter((replay) => !toProgress(replay).done).map(({ id }) => id));
    const endedIds = new Set(replays.map(({ id }) => id).filter((id) => !runningIds.has(id)));
    if (endedIds.size <= MAX_ENDED_PER_INSTANCE) return;
    const oldIds = new Set([...endedIds].slice(0, -MAX_ENDED_PER_INSTANCE));
    this.#byInstance.set(
      instanceId,
      replays.filter(({ id }) => !oldIds.has(id)),
    );
  }
}

function toProgress({ isFullyQueued, reportedPercent: _, ...rest }: WebhookReplay): ReplayProgress {
  const { queued, delivered, dead, dropped } = rest;
  // The division comes last, because 29 / 100 * 100 is less than 29 in floating-point numbers.
  const percent = isFullyQueued ? Math.floor((100 * (delivered + dead + dropped)) / queued) : 0;
  return { ...rest, percent, done: percent === 100 };
}

/** Returns the progress as the API returns it. With `masksUrls` the secrets in the webhook's URL are masked. */
export function toReplayRecord(progress: ReplayProgress, { masksUrls }: { masksUrls: boolean }): ReplayRecord {
  const { id, webhook, startedAt, percent, done, instanceId: _, ...counts } = progress;
  const endpoint = { id: webhook.id, url: masksUrls ? maskUrl(webhook.url) : webhook.url };
  return { id, endpoint, startedAt: new Date(startedAt).toISOString(), ...counts, progress: percent, done };
}

/** Returns the notice for clients of event streams. `instance` is the name of the instance, `now` is epoch ms. */
export function toProgressNotice(instance: string, progress: ReplayProgress, now: number): StreamNotice {
  const { id, webhook } = progress;
  const date_time = new Date(now).toISOString();
  const toJson = (masksUrls: boolean) =>
    JSON.stringify({ event: REPLAY_PROGRESS, instance, data: toReplayRecord(progress, { masksUrls }), date_time });
  return {
    type: REPLAY_PROGRESS,
    // A newer notice replaces an older one about the same replay at the same webhook.
    subject: `${id} ${webhook.id}`,
    json: toJson(false),
    maskedJson: toJson(true),
    isGlobal: webhook.role === 'global',
  };
}
