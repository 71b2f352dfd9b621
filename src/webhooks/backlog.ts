// Limits the waiting deliveries of each webhook. Above the limit, deliveries of sheddable events (presence, receipts)
// are dropped first, then the oldest deliveries. The events of dropped deliveries stay in the event log and can be
// replayed. Memory holds an upper bound of the number of waiting deliveries. The rows of the store are counted only if
// this bound exceeds the limit. Decision D-082.
import type { Logger } from 'pino';
import { findDescriptor } from '../events/event-descriptors.ts';
import type { Clock } from '../lib/clock.ts';
import { turnEnd } from '../lib/event-loop-turn.ts';
import type { Outbox } from '../storage/webhook-stores.ts';
import { LANES_PER_WEBHOOK } from './receiver-health.ts';

/** Maximum number of rows per read. */
const READ_ROWS = 500;
/** Deliveries are dropped down to this share of the limit, so that the next event does not exceed the limit again. */
const TARGET_SHARE = 0.9;

/** Counts the deliveries of a webhook that were dropped since the start of the process. */
export interface ShedReport {
  /** Number of dropped deliveries of sheddable events. The API calls these events light. */
  light: number;
  /** Number of other dropped deliveries. */
  other: number;
  /** Epoch ms at which deliveries were last dropped. */
  at: number;
}

export interface BacklogDeps {
  outbox: Pick<Outbox, 'depth' | 'summaries' | 'discard'>;
  clock: Clock;
  log: Pick<Logger, 'warn' | 'error'>;
  /** Maximum number of deliveries that wait for one webhook; 0: unlimited. */
  limit: number;
  /** Called with the seqs (positions in the event log) of deliveries that were dropped. */
  onShed?: (webhookId: string, seqs: readonly number[]) => void;
}

export class Backlog {
  readonly #deps: BacklogDeps;
  /**
   * Upper bound of the number of waiting deliveries, by webhook. Absent for a webhook whose rows were never counted.
   */
  readonly #upperBounds = new Map<string, number>();
  /** Deliveries that are about to be stored, by instance: one webhook id per delivery. */
  readonly #expected = new Map<string, string[]>();
  readonly #reports = new Map<string, ShedReport>();
  /** Checks in progress, by webhook. */
  readonly #checks = new Map<string, Promise<void>>();
  #isStopped = false;

  constructor(deps: BacklogDeps) {
    this.#deps = deps;
  }

  /** Call it with the webhook ids of deliveries that are about to be stored, one per delivery. */
  addExpected(instanceId: string, webhookIds: readonly string[]): void {
    if (this.#deps.limit === 0 || webhookIds.length === 0) return;
    const expected = this.#expected.get(instanceId) ?? [];
    if (expected.length === 0) this.#expected.set(instanceId, expected);
    expected.push(...webhookIds);
  }

  /**
   * Counts the deliveries of the instance that addExpected() announced. Call it when these deliveries were committed.
   * Starts a check of each webhook that is possibly above the limit.
   */
  confirmExpected(instanceId: string): void {
    const expected = this.#expected.get(instanceId) ?? [];
    this.#expected.delete(instanceId);
    for (const id of expected) {
      // An unknown number counts as above the limit, so that the check counts the rows.
      const bound = (this.#upperBounds.get(id) ?? Number.POSITIVE_INFINITY) + 1;
      this.#upperBounds.set(id, bound);
      if (bound > this.#deps.limit && !this.#checks.has(id) && !this.#isStopped) this.#checks.set(id, this.#check(id));
    }
  }

  /** Counts deliveries of stored events that were queued again. An unknown upper bound stays unknown. */
  countRequeued(webhookId: string, count: number): void {
    const bound = this.#upperBounds.get(webhookId);
    if (bound !== undefined) this.#upperBounds.set(webhookId, bound + count);
  }

  /** Returns null when no delivery of the webhook was dropped. */
  shedReportOf(webhookId: string): ShedReport | null {
    return this.#reports.get(webhookId) ?? null;
  }

  /**
   * Resolves with the number of deliveries that can be queued before the webhook reaches the limit; Infinity without a
   * limit.
   */
  async capacityOf(webhookId: string): Promise<number> {
    if (this.#deps.limit === 0) return Number.POSITIVE_INFINITY;
    return Math.max(0, this.#deps.limit - (await this.#deps.outbox.depth(webhookId)).waiting);
  }

  forget(webhookId: string): void {
    this.#upperBounds.delete(webhookId);
    this.#reports.delete(webhookId);
  }

  /** Starts no more checks, and resolves when no check is in progress, so that the store can be closed. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#checks.values());
  }

  async #check(webhookId: string): Promise<void> {
    const { outbox, clock, log, limit } = this.#deps;
    try {
      // While the check runs, the bound counts only the deliveries that are confirmed during the check.
      this.#upperBounds.set(webhookId, 0);
      const depth = await outbox.depth(webhookId);
      let waiting = depth.waiting;
      if (waiting > limit) {
        const excess = waiting - Math.floor(limit * TARGET_SHARE);
        const light = await this.#shedSheddable(webhookId, excess);
        const other = await this.#shedOldest(webhookId, excess - light);
        waiting -= light + other;
        const previous = this.#reports.get(webhookId) ?? { light: 0, other: 0 };
        this.#reports.set(webhookId, { light: previous.light + light, other: previous.other + other, at: clock.now() });
        log.warn({ webhook: webhookId, waiting, light, other }, 'webhook.shed');
      }
      this.#upperBounds.set(webhookId, (this.#upperBounds.get(webhookId) ?? 0) + waiting);
    } catch (err) {
      this.#upperBounds.delete(webhookId);
      log.error({ err, webhook: webhookId }, 'webhook.backlog_check.failed');
    } finally {
      this.#checks.delete(webhookId);
    }
  }

  /**
   * Drops at most `excess` deliveries of sheddable events, and returns how many were dropped. Reads one lane (a queue
   * of the webhook) after the other, each from its oldest delivery.
   */
  async #shedSheddable(webhookId: string, excess: number): Promise<number> {
    const { outbox } = this.#deps;
    let shed = 0;
    for (let lane = 0; lane < LANES_PER_WEBHOOK; lane++) {
      let after = 0;
      while (shed < excess && !this.#isStopped) {
        const page = await outbox.summaries(webhookId, { state: 'waiting', lane, after, limit: READ_ROWS });
        const sheddable = page.filter(({ type }) => findDescriptor(type)?.isSheddable).slice(0, excess - shed);
        await this.#discard(webhookId, sheddable);
        shed += sheddable.length;
        if (page.length < READ_ROWS) break;
        after = page.at(-1)?.seq ?? after;
      }
    }
    return shed;
  }

  /** Drops the `excess` oldest deliveries of the webhook, and returns how many were dropped. */
  async #shedOldest(webhookId: string, excess: number): Promise<number> {
    const { outbox } = this.#deps;
    let shed = 0;
    while (shed < excess && !this.#isStopped) {
      const limit = Math.min(READ_ROWS, excess - shed);
      const oldestPerLane = [];
      for (let lane = 0; lane < LANES_PER_WEBHOOK; lane++)
        oldestPerLane.push(...(await outbox.summaries(webhookId, { state: 'waiting', lane, after: 0, limit })));
      const oldest = oldestPerLane.sort((a, b) => a.seq - b.seq).slice(0, limit);
      if (oldest.length === 0) break;
      await this.#discard(webhookId, oldest);
      shed += oldest.length;
    }
    return shed;
  }

  async #discard(webhookId: string, deliveries: readonly { seq: number }[]): Promise<void> {
    if (deliveries.length > 0) {
      const seqs = deliveries.map(({ seq }) => seq);
      await this.#deps.outbox.discard(webhookId, seqs);
      this.#deps.onShed?.(webhookId, seqs);
    }
    // Lets other work run between two parts of a long backlog.
    await turnEnd();
  }
}
