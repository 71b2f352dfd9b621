// Progress of replays: the deliveries that each replay queued, counted as they end. Kept in memory, bounded, and empty
// after a start; the deliveries themselves wait in the store and continue.
import { randomUUID } from 'node:crypto';
import type { StreamNotice } from '../events/server-sent-events.ts';
import type { Settlement, WebhookRow } from '../storage/webhook-stores.ts';
import { maskUrl } from './mask-url.ts';

/** Progress of one replay at one webhook. */
export interface ReplayProgress {
  /** Id of the replay, the same for all its webhooks. */
  id: string;
  instanceId: string;
  webhook: WebhookRow;
  /** Epoch ms. */
  startedAt: number;
  queued: number;
  delivered: number;
  dead: number;
  /** Not delivered because the backlog was full or the webhook was removed. */
  dropped: number;
  /** Percent of the queued deliveries that have ended, rounded down; 0 while the replay still queues. */
  progress: number;
  done: boolean;
}

/** Progress as the API returns it. */
export interface ReplayRecord extends Omit<ReplayProgress, 'instanceId' | 'webhook' | 'startedAt'> {
  endpoint: { id: string; url: string };
  /** ISO 8601. */
  startedAt: string;
}

/** A replay that still queues deliveries. */
export interface ReplayRun {
  readonly id: string;
  add(webhook: WebhookRow, seqs: readonly number[]): void;
  /** Ends the queueing: progress is reported from here. */
  finish(): void;
}

export interface ReplayTrackerOptions {
  clock: { now(): number };
  /** Called when everything is queued, then at most once per percent, and when everything has ended. */
  onProgress: (progress: ReplayProgress) => void;
}

/** Ended replays to keep per instance. */
const MAX_ENDED_PER_INSTANCE = 10;

interface TrackedReplay extends Omit<ReplayProgress, 'progress' | 'done'> {
  /** Everything is queued. */
  isComplete: boolean;
  /** The last reported percentage; -1: none. */
  reported: number;
}

/** Name of the progress notices in event streams. */
export const REPLAY_PROGRESS = 'replay.progress';

type End = 'delivered' | 'dead' | 'dropped';

export class ReplayTracker {
  readonly #options: ReplayTrackerOptions;
  /** By instance, oldest first. */
  readonly #byInstance = new Map<string, TrackedReplay[]>();
  /**
   * Deliveries that have not ended, by webhook and seq. A delivery belongs to one replay: waiting ones are not queued
   * again.
   */
  readonly #pending = new Map<string, Map<number, TrackedReplay>>();

  constructor(options: ReplayTrackerOptions) {
    this.#options = options;
  }

  start(instanceId: string): ReplayRun {
    const id = `rpl_${randomUUID().replaceAll('-', '')}`;
    const startedAt = this.#options.clock.now();
    const byWebhook = new Map<string, TrackedReplay>();
    return {
      id,
      add: (webhook, seqs) => {
        if (seqs.length === 0) return;
        const replay = byWebhook.get(webhook.id) ?? {
          id,
          instanceId,
          webhook,
          startedAt,
          queued: 0,
          delivered: 0,
          dead: 0,
          dropped: 0,
          isComplete: false,
          reported: -1,
        };
        if (!byWebhook.has(webhook.id))
          this.#byInstance.set(instanceId, [...(this.#byInstance.get(instanceId) ?? []), replay]);
        byWebhook.set(webhook.id, replay);
        const pending = this.#pending.get(webhook.id) ?? new Map<number, TrackedReplay>();
        this.#pending.set(webhook.id, pending);
        for (const seq of seqs) pending.set(seq, replay);
        replay.queued += seqs.length;
      },
      finish: () => {
        for (const replay of byWebhook.values()) {
          replay.isComplete = true;
          this.#report(replay);
        }
      },
    };
  }

  /** Counts stored results of attempts. Costs nothing while no replay runs. */
  onSettled(settlements: readonly Settlement[]): void {
    if (this.#pending.size === 0) return;
    const changed = new Set<TrackedReplay>();
    for (const { webhookId, seq, outcome } of settlements) {
      const replay = outcome === 'retry' ? undefined : this.#end(webhookId, seq, outcome);
      if (replay) changed.add(replay);
    }
    for (const replay of changed) this.#report(replay);
  }

  /** Counts deliveries that ended without an attempt: expired (`dead`) or removed from the queue (`dropped`). */
  onEnded(webhookId: string, seqs: Iterable<number>, end: 'dead' | 'dropped'): void {
    if (!this.#pending.has(webhookId)) return;
    const changed = new Set<TrackedReplay>();
    for (const seq of seqs) {
      const replay = this.#end(webhookId, seq, end);
      if (replay) changed.add(replay);
    }
    for (const replay of changed) this.#report(replay);
  }

  /** Counts all deliveries of a removed webhook as dropped. */
  onWebhookRemoved(webhookId: string): void {
    this.onEnded(webhookId, [...(this.#pending.get(webhookId)?.keys() ?? [])], 'dropped');
  }

  /** Forgets the replays of an instance that was deleted or belongs to another node. */
  forget(instanceId: string): void {
    for (const replay of this.#byInstance.get(instanceId) ?? []) {
      const pending = this.#pending.get(replay.webhook.id) ?? [];
      for (const [seq, each] of pending) if (each === replay) this.#removePending(replay.webhook.id, seq);
    }
    this.#byInstance.delete(instanceId);
  }

  /** Returns the running and the last ended replays of an instance, newest first. */
  progressOf(instanceId: string): ReplayProgress[] {
    return (this.#byInstance.get(instanceId) ?? []).map(toProgress).reverse();
  }

  #end(webhookId: string, seq: number, end: End): TrackedReplay | undefined {
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

  #report(replay: TrackedReplay): void {
    if (!replay.isComplete) return;
    const progress = toProgress(replay);
    if (progress.progress === replay.reported) return;
    replay.reported = progress.progress;
    if (progress.done) this.#dropOldReplays(replay.instanceId);
    this.#options.onProgress(progress);
  }

  #dropOldReplays(instanceId: string): void {
    const replays = this.#byInstance.get(instanceId) ?? [];
    const ended = replays.filter((replay) => toProgress(replay).done);
    const old = new Set(ended.slice(0, -MAX_ENDED_PER_INSTANCE));
    if (old.size > 0)
      this.#byInstance.set(
        instanceId,
        replays.filter((replay) => !old.has(replay)),
      );
  }
}

function toProgress({ isComplete, reported: _, ...counts }: TrackedReplay): ReplayProgress {
  const { queued, delivered, dead, dropped } = counts;
  const progress = isComplete ? Math.floor(((delivered + dead + dropped) / queued) * 100) : 0;
  return { ...counts, progress, done: progress === 100 };
}

/** Returns the API form. `masksUrls` replaces the secrets in its URL by `***`. */
export function toRecord(progress: ReplayProgress, { masksUrls }: { masksUrls: boolean }): ReplayRecord {
  const { id, webhook, startedAt, instanceId: _, ...counts } = progress;
  const endpoint = { id: webhook.id, url: masksUrls ? maskUrl(webhook.url) : webhook.url };
  return { id, endpoint, startedAt: new Date(startedAt).toISOString(), ...counts };
}

/** Returns the notice for event streams. `instance` is the name of the instance, `now` epoch ms. */
export function toNotice(instance: string, progress: ReplayProgress, now: number): StreamNotice {
  const { id, webhook } = progress;
  const date_time = new Date(now).toISOString();
  const toJson = (masksUrls: boolean) =>
    JSON.stringify({ event: REPLAY_PROGRESS, instance, data: toRecord(progress, { masksUrls }), date_time });
  return {
    type: REPLAY_PROGRESS,
    subject: `${id} ${webhook.id}`,
    json: toJson(false),
    maskedJson: toJson(true),
    isGlobal: webhook.role === 'global',
  };
}
