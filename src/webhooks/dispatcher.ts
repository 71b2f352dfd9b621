// Delivers the outbox: in order per lane, at least once, without letting a slow or dead receiver cost another one anything.
// Reads and settles rows, never creates any. What follows from an attempt is decided in outcome.ts.
import type { Logger } from 'pino';
import type { Egress } from '../egress/http-client.ts';
import type { Clock, Timer } from '../lib/clock.ts';
import { Condition } from '../lib/condition.ts';
import { InFlight } from '../lib/in-flight.ts';
import { atTurnEnd } from '../lib/turn-end.ts';
import type { Storage } from '../storage/storage.ts';
import type { Delivery, WebhookRow } from '../storage/webhook-stores.ts';
import { type AttemptDeps, attemptDelivery, writeUnsavedResults } from './delivery-attempt.ts';
import { DEFAULT_DISPATCHER_OPTIONS, type DispatcherOptions } from './delivery-limits.ts';
import { DeliveryLog } from './delivery-log.ts';
import { DeliveryWriter, type DeliveryWriterDeps } from './delivery-writer.ts';
import { FailingWebhooks, type Health } from './failing-since.ts';
import { FairScheduler } from './fair-scheduler.ts';
import { type Lane, windowSize } from './lane.ts';
import { OutboxMaintenance, type OutboxMaintenanceDeps } from './outbox-maintenance.ts';
import { OutboxScan } from './outbox-scan.ts';
import { countBreakers, LANES, ReceiverHealth } from './receiver-health.ts';
import type { Subscriptions } from './subscriptions.ts';

export interface DispatcherDeps
  extends Pick<AttemptDeps, 'attachFile' | 'keyOf' | 'onPosted' | 'requestOf' | 'nameOf'> {
  storage: Pick<Storage, 'outbox'>;
  subscriptions: Pick<Subscriptions, 'byId' | 'of' | 'disable' | 'onChange'>;
  egress: Pick<Egress, 'request'>;
  clock: Clock;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  onSettled?: DeliveryWriterDeps['onSettled'];
  onExpired?: OutboxMaintenanceDeps['onExpired'];
  options?: Partial<DispatcherOptions>;
}

/** Posts at once: in all, and to one origin. */
const MAX_IN_FLIGHT = { total: 256, perKey: 16 };
/** After the store failed. */
const RETRY_MS = 1_000;

/** One per process. `start` once, `wake` after every commit that queued something, `stop` once. */
export class Dispatcher {
  readonly #deps: DispatcherDeps;
  /** What was delivered lately. */
  readonly deliveryLog = new DeliveryLog();
  readonly #endpoints = new Map<string, ReceiverHealth>();
  readonly #timers = new Map<ReceiverHealth, Timer>();
  readonly #turns = new FairScheduler(MAX_IN_FLIGHT);
  readonly #settler: DeliveryWriter;
  readonly #changes = new Condition();
  readonly #abort = new AbortController();
  readonly #attempting: AttemptDeps;
  readonly #failures: FailingWebhooks;
  readonly #underway: InFlight;
  readonly #scan: OutboxScan;
  readonly #upkeep: OutboxMaintenance;
  readonly #woken = new Set<string>();
  #stopping = false;

  constructor(deps: DispatcherDeps) {
    this.#deps = deps;
    const options: DispatcherOptions = { ...DEFAULT_DISPATCHER_OPTIONS, ...deps.options };
    const { timeout, expiry, retention, disableAfter: limit, random = Math.random } = options;
    const { outbox } = deps.storage;
    this.#underway = new InFlight(deps.clock);
    this.#scan = new OutboxScan({ ...deps, outbox, onLane: (webhookId, lane) => this.#found(webhookId, lane) });
    this.#settler = new DeliveryWriter({ ...deps, outbox });
    this.#failures = new FailingWebhooks({ ...deps, outbox, limit });
    this.#upkeep = new OutboxMaintenance({ ...deps, outbox, retention, expiry });
    this.#attempting = {
      ...deps,
      writer: this.#settler,
      deliveryLog: this.deliveryLog,
      failures: this.#failures,
      signal: this.#abort.signal,
      timeout,
      rules: options,
      random,
    };
  }

  /** Takes up what was left when the process ended. Rejects when the store cannot be read. */
  async start(): Promise<void> {
    this.#deps.subscriptions.onChange((row) => this.#changed(row));
    await this.#failures.load();
    this.#upkeep.start();
    await this.#scan.run();
  }

  /** There may be new deliveries: of this instance, or of any when absent (dearer: reads the whole backlog's lanes). */
  wake(instanceId?: string): void {
    if (this.#stopping) return;
    if (instanceId === undefined) {
      this.#scan.request();
      return;
    }
    // Everything that was stored during one tick is looked for once.
    if (this.#woken.size === 0) atTurnEnd('collect', () => this.#lookForWoken());
    this.#woken.add(instanceId);
  }

  /** Older events than those read ahead may wait for these webhooks again. */
  readAgain(webhookIds: readonly string[]): void {
    for (const id of webhookIds) {
      this.#save();
      for (const lane of this.#endpoints.get(id)?.lanes.values() ?? []) lane.readAgain();
      const webhook = this.#deps.subscriptions.byId(id);
      if (webhook?.enabled && !this.#stopping) this.#lookAll(webhook);
    }
  }

  /** Resolves when the results of all attempts so far are stored. */
  flush(): Promise<void> {
    this.#save();
    return this.#settler.flush();
  }

  /** How the receiver of a webhook fares. */
  health(webhookId: string): Health {
    const { probeAt: pausedUntil = null, failures = 0 } = this.#endpoints.get(webhookId) ?? {};
    const [failingSince, lastFailure] = [this.#failures.since(webhookId), this.#failures.last(webhookId)];
    return { pausedUntil, failures, failingSince, lastFailure };
  }

  /** Breakers that are not closed: those that let nothing through, and those that try whether they may. */
  breakers(): { open: number; halfOpen: number } {
    return countBreakers(this.#endpoints.values());
  }

  /** Resolves true when nothing of the instance, nor for all instances, waits any more, false after `ms`: for a last event before its rows are deleted. */
  async drain(instanceId: string, ms: number): Promise<boolean> {
    this.#lookForWoken();
    const isOf = (each: ReceiverHealth) => each.instanceId === '' || each.instanceId === instanceId;
    const none = () => ([...this.#endpoints.values()].some(isOf) ? undefined : true);
    return (await this.#changes.waitFor(none, { clock: this.#deps.clock, ms })) ?? false;
  }

  /** Posts of these instances are this process's from now on. */
  async acquire(instanceIds: readonly string[]): Promise<void> {
    await this.#failures.load();
    for (const id of instanceIds) {
      this.#underway.open(id);
      this.wake(id);
    }
  }

  /** No new attempts for the instance, whose posts are another's; resolves when those in flight are done and stored, at most after `ms`. */
  async release(instanceId: string, ms: number): Promise<void> {
    await this.#underway.close(instanceId, ms);
    await this.flush();
  }

  /** No new attempts; those in flight may finish within `grace` ms, then they are broken off and do not count. Results are stored. */
  async stop(grace = 5_000): Promise<void> {
    this.#stopping = true;
    for (const timer of this.#timers.values()) timer.cancel();
    const bound = this.#deps.clock.after(grace, () => this.#abort.abort(new Error('shutting down')));
    await this.#turns.close();
    bound.cancel();
    await this.#upkeep.stop();
    await this.flush().catch((err: unknown) => this.#deps.log.error({ err }, 'webhook.settle_failed'));
  }

  #save(): void {
    for (const { lanes } of this.#endpoints.values()) writeUnsavedResults(lanes.values(), this.#settler);
  }

  #found(webhookId: string, lane: number): void {
    const webhook = this.#deps.subscriptions.byId(webhookId);
    if (webhook?.enabled && !this.#stopping) this.#look(webhook, lane);
  }

  #lookForWoken(): void {
    const instances = [...this.#woken];
    this.#woken.clear();
    if (this.#stopping) return;
    for (const instance of instances) {
      for (const webhook of this.#deps.subscriptions.of(instance)) if (webhook.enabled) this.#lookAll(webhook);
    }
  }

  #lookAll(webhook: WebhookRow, isChanged = false): void {
    for (let lane = 0; lane < LANES; lane++) this.#look(webhook, lane, isChanged);
  }

  #look(webhook: WebhookRow, number: number, isChanged = false): void {
    const takenAt = this.deliveryLog.of(webhook.id).at(-1)?.deliveredAt;
    const endpoint = this.#endpoints.get(webhook.id) ?? new ReceiverHealth(webhook.id, webhook.instanceId, takenAt);
    this.#endpoints.set(webhook.id, endpoint);
    const lane = endpoint.laneOf(number);
    lane.mayHaveMore = true;
    if (isChanged) lane.makeDue();
    this.#proceed(endpoint, lane);
  }

  #changed({ id }: WebhookRow): void {
    const webhook = this.#deps.subscriptions.byId(id);
    const endpoint = this.#endpoints.get(id);
    endpoint?.reset();
    if (webhook) this.#failures.clear(id);
    else {
      this.#failures.forget(id);
      this.deliveryLog.forget(id);
    }
    if (webhook?.enabled && !this.#stopping) this.#lookAll(webhook, true);
    else if (endpoint) this.#proceedAll(endpoint);
  }

  #proceedAll(endpoint: ReceiverHealth): void {
    for (const lane of [...endpoint.lanes.values()]) this.#proceed(endpoint, lane);
  }

  /** What a lane does next: its turn, waiting for its time, or nothing. */
  #proceed(endpoint: ReceiverHealth, lane: Lane): void {
    if (lane.isBusy || this.#stopping) return;
    const webhook = this.#deps.subscriptions.byId(endpoint.id);
    if (!webhook?.enabled || lane.isEmpty) {
      writeUnsavedResults([lane], this.#settler);
      endpoint.lanes.delete(lane.number);
      if (endpoint.probeLane === lane) endpoint.probeLane = null;
    } else if (endpoint.mayAttempt(lane) && (lane.dueAt <= this.#deps.clock.now() || endpoint.probeLane === lane)) {
      lane.isBusy = true;
      this.#turns.add(URL.parse(webhook.url)?.origin ?? webhook.url, () => this.#turn(endpoint, lane));
    }
    this.#arm(endpoint);
  }

  async #turn(endpoint: ReceiverHealth, lane: Lane): Promise<void> {
    try {
      const delivery = await this.#head(endpoint, lane);
      const webhook = this.#deps.subscriptions.byId(endpoint.id);
      if (delivery && webhook?.enabled) {
        const post = () => attemptDelivery({ webhook, receiver: endpoint, lane, delivery }, this.#attempting);
        // Another node's by now: it goes on as it waits in the store.
        if (!(await this.#underway.run(delivery.instanceId, post))) lane.removeHead(delivery);
      }
    } catch (err) {
      this.#deps.log.error({ err, webhook: endpoint.id }, 'webhook.turn_failed');
      lane.mayHaveMore = true;
      lane.dueAt = this.#deps.clock.now() + RETRY_MS;
      if (endpoint.probeLane === lane) endpoint.probeAt = lane.dueAt;
    }
    lane.isBusy = false;
    if (endpoint.probeLane === lane) endpoint.probeLane = null;
    if (endpoint.consumeRecovered()) this.#proceedAll(endpoint);
    else this.#proceed(endpoint, lane);
  }

  /** The lane's oldest waiting event, if its time has come. */
  async #head(endpoint: ReceiverHealth, lane: Lane): Promise<Delivery | null> {
    if (this.#stopping || !endpoint.mayAttempt(lane)) return null;
    if (lane.window.length === 0) await this.#read(endpoint, lane);
    if (!endpoint.mayAttempt(lane)) lane.dropWindow();
    const head = lane.window[0];
    if (head === undefined) return null;
    if (lane.respectsNextAt && head.nextAt > this.#deps.clock.now() && endpoint.probeLane !== lane) {
      lane.dueAt = head.nextAt;
      return null;
    }
    return head;
  }

  async #read(endpoint: ReceiverHealth, lane: Lane): Promise<void> {
    const limit = windowSize(this.#endpoints.size * LANES);
    lane.mayHaveMore = false;
    // From the beginning once what was done is settled and gone, else from where the last full window ended.
    if (lane.cursor === 0) await this.#settler.flush();
    const { epoch } = lane;
    const rows = await this.#deps.storage.outbox.pending(endpoint.id, lane.number, lane.cursor, limit);
    if (lane.epoch === epoch) lane.fill(rows, limit);
    else lane.mayHaveMore = true;
  }

  /** One timer per endpoint: for its breaker, or for the lane that is due first. An endpoint without lanes is forgotten. */
  #arm(endpoint: ReceiverHealth): void {
    this.#timers.get(endpoint)?.cancel();
    this.#timers.delete(endpoint);
    if (endpoint.lanes.size === 0) {
      this.#endpoints.delete(endpoint.id);
      this.#changes.notify();
      return;
    }
    const at = endpoint.nextActionAt();
    if (at === null || this.#stopping) return;
    const timer = this.#deps.clock.after(Math.max(0, at - this.#deps.clock.now()), () => this.#due(endpoint));
    this.#timers.set(endpoint, timer);
  }

  #due(endpoint: ReceiverHealth): void {
    if (endpoint.probeAt === null) {
      this.#proceedAll(endpoint);
    } else if (endpoint.probeAt > this.#deps.clock.now()) {
      this.#arm(endpoint);
    } else {
      endpoint.probeLane = endpoint.pickProbeLane();
      if (endpoint.probeLane) this.#proceed(endpoint, endpoint.probeLane);
    }
  }
}
