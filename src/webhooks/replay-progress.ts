// How far each replay is: which posts it queued, counted off as they end. In memory and bounded; empty after a start,
// while the posts themselves wait in the store and go on.
import { randomUUID } from 'node:crypto';
import type { StreamNotice } from '../events/event-streams.ts';
import type { Settlement, WebhookRow } from '../storage/webhook-stores.ts';
import { maskUrl } from './mask-url.ts';

/** What one replay queued for one webhook. */
export interface ReplayProgress {
  /** Of the replay: the same for all its webhooks. */
  id: string;
  instanceId: string;
  webhook: WebhookRow;
  /** Epoch ms. */
  startedAt: number;
  queued: number;
  delivered: number;
  dead: number;
  /** Will not be posted: shed for want of room, or their webhook was removed. */
  dropped: number;
  /** Whole percent of what was queued that has ended; 0 while more is being queued. */
  progress: number;
  done: boolean;
}

/** The same as integrators see it. */
export interface ReplayRecord extends Omit<ReplayProgress, 'instanceId' | 'webhook' | 'startedAt'> {
  endpoint: { id: string; url: string };
  /** ISO 8601. */
  startedAt: string;
}

/** Queueing in progress. */
export interface ReplayRun {
  readonly id: string;
  add(webhook: WebhookRow, seqs: readonly number[]): void;
  /** All is queued: from now on percentages mean something. */
  finish(): void;
}

export interface ReplayTrackerOptions {
  clock: { now(): number };
  /** Once all is queued, then at most once per whole percent, and when all has ended. */
  onProgress: (progress: ReplayProgress) => void;
}

/** Progress remembered of one instance's replays that have ended. */
const ENDED_PER_INSTANCE = 10;

interface Entry extends Omit<ReplayProgress, 'progress' | 'done'> {
  isWhole: boolean;
  /** Percent that were told last. */
  told: number;
}

/** The name under which listeners hear of it. */
export const REPLAY_PROGRESS = 'replay.progress';

type End = 'delivered' | 'dead' | 'dropped';

export class ReplayTracker {
  readonly #options: ReplayTrackerOptions;
  /** By instance, oldest first. */
  readonly #entries = new Map<string, Entry[]>();
  /** Posts that have not ended, by webhook and seq. A post belongs to one replay: what waits is not queued again. */
  readonly #open = new Map<string, Map<number, Entry>>();

  constructor(options: ReplayTrackerOptions) {
    this.#options = options;
  }

  start(instanceId: string): ReplayRun {
    const id = `rpl_${randomUUID().replaceAll('-', '')}`;
    const startedAt = this.#options.clock.now();
    const mine = new Map<string, Entry>();
    return {
      id,
      add: (webhook, seqs) => {
        if (seqs.length === 0) return;
        const counts = { queued: 0, delivered: 0, dead: 0, dropped: 0 };
        const entry = mine.get(webhook.id) ?? {
          ...{ id, instanceId, webhook, startedAt, ...counts },
          ...{ isWhole: false, told: -1 },
        };
        if (!mine.has(webhook.id)) this.#entries.set(instanceId, [...(this.#entries.get(instanceId) ?? []), entry]);
        mine.set(webhook.id, entry);
        const open = this.#open.get(webhook.id) ?? new Map<number, Entry>();
        this.#open.set(webhook.id, open);
        for (const seq of seqs) open.set(seq, entry);
        entry.queued += seqs.length;
      },
      finish: () => {
        for (const entry of mine.values()) {
          entry.isWhole = true;
          this.#tell(entry);
        }
      },
    };
  }

  /** Results of attempts that are stored. Costs nothing while no replay runs. */
  onSettled(settlements: readonly Settlement[]): void {
    if (this.#open.size === 0) return;
    const touched = new Set<Entry>();
    for (const { webhookId, seq, outcome } of settlements) {
      const entry = outcome === 'retry' ? undefined : this.#end(webhookId, seq, outcome);
      if (entry) touched.add(entry);
    }
    for (const entry of touched) this.#tell(entry);
  }

  /** Given up without an attempt (`dead`), or removed from the queue (`dropped`). */
  onEnded(webhookId: string, seqs: Iterable<number>, how: 'dead' | 'dropped'): void {
    if (!this.#open.has(webhookId)) return;
    const touched = new Set<Entry>();
    for (const seq of seqs) {
      const entry = this.#end(webhookId, seq, how);
      if (entry) touched.add(entry);
    }
    for (const entry of touched) this.#tell(entry);
  }

  /** The webhook is gone, and what waited for it. */
  onWebhookRemoved(webhookId: string): void {
    this.onEnded(webhookId, [...(this.#open.get(webhookId)?.keys() ?? [])], 'dropped');
  }

  /** The instance is gone. */
  forget(instanceId: string): void {
    for (const entry of this.#entries.get(instanceId) ?? []) {
      const open = this.#open.get(entry.webhook.id) ?? [];
      for (const [seq, each] of open) if (each === entry) this.#close(entry.webhook.id, seq);
    }
    this.#entries.delete(instanceId);
  }

  /** Newest first: all that run, and the last that ended. */
  progressOf(instanceId: string): ReplayProgress[] {
    return (this.#entries.get(instanceId) ?? []).map(toProgress).reverse();
  }

  #end(webhookId: string, seq: number, how: End): Entry | undefined {
    const entry = this.#open.get(webhookId)?.get(seq);
    if (!entry) return undefined;
    entry[how]++;
    this.#close(webhookId, seq);
    return entry;
  }

  #close(webhookId: string, seq: number): void {
    const open = this.#open.get(webhookId);
    open?.delete(seq);
    if (open?.size === 0) this.#open.delete(webhookId);
  }

  #tell(entry: Entry): void {
    if (!entry.isWhole) return;
    const state = toProgress(entry);
    if (state.progress === entry.told) return;
    entry.told = state.progress;
    if (state.done) this.#tidy(entry.instanceId);
    this.#options.onProgress(state);
  }

  #tidy(instanceId: string): void {
    const entries = this.#entries.get(instanceId) ?? [];
    const ended = entries.filter((entry) => toProgress(entry).done);
    const old = new Set(ended.slice(0, -ENDED_PER_INSTANCE));
    if (old.size > 0)
      this.#entries.set(
        instanceId,
        entries.filter((entry) => !old.has(entry)),
      );
  }
}

/** Rounded down, so that 100 means all. */
function toProgress({ isWhole, told: _, ...counts }: Entry): ReplayProgress {
  const { queued, delivered, dead, dropped } = counts;
  const progress = isWhole ? Math.floor(((delivered + dead + dropped) / queued) * 100) : 0;
  return { ...counts, progress, done: progress === 100 };
}

/** `isMasked`: without the secrets that the address of the webhook may hold. */
export function toRecord(progress: ReplayProgress, { isMasked }: { isMasked: boolean }): ReplayRecord {
  const { id, webhook, startedAt, instanceId: _, ...counts } = progress;
  const endpoint = { id: webhook.id, url: isMasked ? maskUrl(webhook.url) : webhook.url };
  return { id, endpoint, startedAt: new Date(startedAt).toISOString(), ...counts };
}

/** What listeners of the instance named `instance` are told at `now` (epoch ms). */
export function toNotice(instance: string, progress: ReplayProgress, now: number): StreamNotice {
  const { id, webhook } = progress;
  const date_time = new Date(now).toISOString();
  const toJson = (isMasked: boolean) =>
    JSON.stringify({ event: REPLAY_PROGRESS, instance, data: toRecord(progress, { isMasked }), date_time });
  return {
    type: REPLAY_PROGRESS,
    subject: `${id} ${webhook.id}`,
    json: toJson(false),
    masked: toJson(true),
    isGlobal: webhook.role === 'global',
  };
}
