// Bounds what waits for one webhook. Above the bound, presence and receipts go first, then the oldest; their events
// stay in the log and can be replayed. Counts only when the bound may be reached, so that a healthy webhook costs an
// addition per event.
import type { Logger } from 'pino';
import { findDescriptor } from '../events/event-descriptors.ts';
import type { Clock } from '../lib/clock.ts';
import { turnEnd } from '../lib/turn-end.ts';
import type { Outbox } from '../storage/webhook-stores.ts';

/** Rows looked at in one transaction. */
const SLICE = 500;
/** Shedding goes down to this share of the bound, so that it does not begin again with the next event. */
const TARGET = 0.9;
const LANES = 8;

export interface ShedReport {
  /** Presence and receipts; others. */
  light: number;
  other: number;
  /** Epoch ms of the last time. */
  at: number;
}

export interface BacklogDeps {
  outbox: Pick<Outbox, 'depth' | 'heads' | 'discard'>;
  clock: Clock;
  log: Pick<Logger, 'warn' | 'error'>;
  /** Deliveries that may wait for one webhook; 0: any number. */
  limit: number;
  /** Hears of what was shed. */
  onShed?: (webhookId: string, seqs: readonly number[]) => void;
}

export class Backlog {
  readonly #deps: BacklogDeps;
  /** No webhook has more waiting than this; absent while nobody counted. */
  readonly #atMost = new Map<string, number>();
  /** Webhooks, once per event, by instance. */
  readonly #announced = new Map<string, string[]>();
  readonly #shed = new Map<string, ShedReport>();
  /** Counting or shedding, by webhook. */
  readonly #busy = new Map<string, Promise<void>>();
  #isStopped = false;

  constructor(deps: BacklogDeps) {
    this.#deps = deps;
  }

  /** An event of the instance is about to be queued for these webhooks. */
  expect(instanceId: string, webhookIds: readonly string[]): void {
    if (this.#deps.limit === 0 || webhookIds.length === 0) return;
    const announced = this.#announced.get(instanceId) ?? [];
    if (announced.length === 0) this.#announced.set(instanceId, announced);
    announced.push(...webhookIds);
  }

  /** What was announced is in the store. */
  confirm(instanceId: string): void {
    const announced = this.#announced.get(instanceId) ?? [];
    this.#announced.delete(instanceId);
    for (const id of announced) {
      const atMost = (this.#atMost.get(id) ?? Number.POSITIVE_INFINITY) + 1;
      this.#atMost.set(id, atMost);
      if (atMost > this.#deps.limit && !this.#busy.has(id) && !this.#isStopped) this.#busy.set(id, this.#check(id));
    }
  }

  /** What was shed of a webhook since the start of the process. */
  shedOf(webhookId: string): ShedReport | null {
    return this.#shed.get(webhookId) ?? null;
  }

  /** How many more may be queued. */
  async capacityOf(webhookId: string): Promise<number> {
    if (this.#deps.limit === 0) return Number.POSITIVE_INFINITY;
    return Math.max(0, this.#deps.limit - (await this.#deps.outbox.depth(webhookId)).waiting);
  }

  forget(webhookId: string): void {
    this.#atMost.delete(webhookId);
    this.#shed.delete(webhookId);
  }

  /** Resolves when nothing is counted or shed any more: the store may be closed then. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#busy.values());
  }

  async #check(webhookId: string): Promise<void> {
    const { outbox, clock, log, limit } = this.#deps;
    try {
      this.#atMost.set(webhookId, 0);
      const { waiting } = await outbox.depth(webhookId);
      let left = waiting;
      if (waiting > limit) {
        const excess = waiting - Math.floor(limit * TARGET);
        const light = await this.#shedLight(webhookId, excess);
        const other = await this.#shedOldest(webhookId, excess - light);
        left -= light + other;
        const before = this.#shed.get(webhookId) ?? { light: 0, other: 0 };
        this.#shed.set(webhookId, {
          light: before.light + light,
          other: before.other + other,
          at: clock.now(),
        });
        log.warn({ webhook: webhookId, waiting: left, light, other }, 'webhook.shed');
      }
      this.#atMost.set(webhookId, (this.#atMost.get(webhookId) ?? 0) + left);
    } catch (err) {
      this.#atMost.delete(webhookId);
      log.error({ err, webhook: webhookId }, 'webhook.shed_failed');
    } finally {
      this.#busy.delete(webhookId);
    }
  }

  async #shedLight(webhookId: string, excess: number): Promise<number> {
    const { outbox } = this.#deps;
    let shed = 0;
    for (let lane = 0; lane < LANES; lane++) {
      for (let after = 0; shed < excess && !this.#isStopped; ) {
        const heads = await outbox.heads(webhookId, 'waiting', lane, after, SLICE);
        const light = heads.filter(({ type }) => findDescriptor(type)?.isSheddable).slice(0, excess - shed);
        await this.#discard(webhookId, light);
        shed += light.length;
        if (heads.length < SLICE) break;
        after = heads.at(-1)?.seq ?? after;
      }
    }
    return shed;
  }

  /** The oldest of all lanes: of each lane as many as are wanted at most, in the order of all. */
  async #shedOldest(webhookId: string, excess: number): Promise<number> {
    const { outbox } = this.#deps;
    let shed = 0;
    while (shed < excess && !this.#isStopped) {
      const wanted = Math.min(SLICE, excess - shed);
      const lanes = [];
      for (let lane = 0; lane < LANES; lane++) lanes.push(await outbox.heads(webhookId, 'waiting', lane, 0, wanted));
      const oldest = lanes
        .flat()
        .sort((a, b) => a.seq - b.seq)
        .slice(0, wanted);
      if (oldest.length === 0) break;
      await this.#discard(webhookId, oldest);
      shed += oldest.length;
    }
    return shed;
  }

  async #discard(webhookId: string, heads: readonly { seq: number }[]): Promise<void> {
    if (heads.length > 0) {
      const seqs = heads.map(({ seq }) => seq);
      await this.#deps.outbox.discard(webhookId, seqs);
      this.#deps.onShed?.(webhookId, seqs);
    }
    // Other work runs between two slices of a long backlog.
    await turnEnd();
  }
}
