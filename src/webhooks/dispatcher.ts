// Delivers the rows of the outbox to webhooks, at least once. A slow or dead receiver does not delay other receivers.
// Each webhook has eight queues, the lanes; deliveries of one lane are sent in order. The dispatcher decides when a
// lane runs; retry-policy.ts decides what follows an attempt. Decisions D-029, D-149 and D-155.
import type { Logger } from 'pino';
import type { Egress } from '../egress/http-client.ts';
import type { QueuedLanes } from '../events/event-batch.ts';
import type { Clock, Timer } from '../lib/clock.ts';
import { Condition } from '../lib/condition.ts';
import { InFlight } from '../lib/in-flight.ts';
import type { Storage } from '../storage/storage.ts';
import type { Delivery, WebhookRow } from '../storage/webhook-stores.ts';
import { type AttemptDeps, attemptDelivery, writeUnsavedResults } from './delivery-attempt.ts';
import { type Lane, windowSize } from './delivery-lane.ts';
import { DEFAULT_DISPATCHER_OPTIONS, type DispatcherOptions } from './delivery-limits.ts';
import { DeliveryLog } from './delivery-log.ts';
import { DeliveryWriter, type DeliveryWriterDeps } from './delivery-writer.ts';
import { FailingWebhooks, type HealthReport } from './failing-webhooks.ts';
import { FairScheduler } from './fair-scheduler.ts';
import { OutboxMaintenance, type OutboxMaintenanceDeps } from './outbox-maintenance.ts';
import { OutboxScan } from './outbox-scan.ts';
import { countBreakers, LANES_PER_WEBHOOK, ReceiverHealth } from './receiver-health.ts';
import { msUntilDue } from './retry-policy.ts';
import type { Subscriptions } from './subscriptions.ts';
import { WokenLanes } from './woken-lanes.ts';

export interface DispatcherDeps
  extends Pick<AttemptDeps, 'attachFile' | 'keyOf' | 'onAttempted' | 'requestOf' | 'nameOf'> {
  storage: Pick<Storage, 'outbox'>;
  subscriptions: Pick<Subscriptions, 'byId' | 'listOwnAndGlobal' | 'disable' | 'onChange'>;
  egress: Pick<Egress, 'request'>;
  clock: Clock;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  onRecorded?: DeliveryWriterDeps['onRecorded'];
  onExpired?: OutboxMaintenanceDeps['onExpired'];
  options?: Partial<DispatcherOptions>;
}

/** Maximum number of concurrent requests: in all, and to one origin. */
const MAX_IN_FLIGHT = { total: 256, perKey: 16 };
/** ms until a lane runs again when the store failed, or when the instance of its first delivery moves between nodes. */
const LANE_RETRY_MS = 1_000;
/** ms after which a shutdown aborts the requests in flight. */
const STOP_GRACE_MS = 5_000;

/** Caches the origin of each webhook's URL, so that the URL is not parsed for each delivery. */
const origins = new WeakMap<WebhookRow, string>();

function originOf(webhook: WebhookRow): string {
  const origin = origins.get(webhook) ?? URL.parse(webhook.url)?.origin ?? webhook.url;
  origins.set(webhook, origin);
  return origin;
}

/** One per process. Call `start` once, `wakeLanes` after every commit that queued deliveries, and `stop` once. */
export class Dispatcher {
  readonly #deps: DispatcherDeps;
  readonly deliveryLog = new DeliveryLog();
  /** State of the webhooks with waiting deliveries, by webhook id. */
  readonly #receivers = new Map<string, ReceiverHealth>();
  /** The timer of each receiver: for its next due lane or, while the receiver is paused, for a probe (one attempt). */
  readonly #timers = new Map<ReceiverHealth, Timer>();
  readonly #scheduler = new FairScheduler(MAX_IN_FLIGHT);
  readonly #writer: DeliveryWriter;
  /** Notified when a webhook has no more waiting deliveries. */
  readonly #drained = new Condition();
  readonly #abort = new AbortController();
  readonly #attemptDeps: AttemptDeps;
  readonly #failures: FailingWebhooks;
  /** Attempts in progress, by instance. */
  readonly #inFlight: InFlight;
  readonly #scan: OutboxScan;
  readonly #maintenance: OutboxMaintenance;
  /** Lanes to check at the end of the turn of the event loop. */
  readonly #wokenLanes = new WokenLanes(() => this.#checkWokenLanes());
  #isStopping = false;

  constructor(deps: DispatcherDeps) {
    this.#deps = deps;
    const options: DispatcherOptions = { ...DEFAULT_DISPATCHER_OPTIONS, ...deps.options };
    const { timeout, maxAge, retention, disableAfter, random = Math.random } = options;
    const { outbox } = deps.storage;
    this.#inFlight = new InFlight(deps.clock);
    this.#scan = new OutboxScan({
      ...deps,
      outbox,
      onLane: (webhookId, laneNumber) => this.#onLaneFound(webhookId, laneNumber),
    });
    this.#writer = new DeliveryWriter({ ...deps, outbox, isBusy: () => this.#scheduler.activeCount > 0 });
    const isOwn = (webhookId: string) => deps.subscriptions.byId(webhookId) !== null;
    // The global webhook has the instance id ''.
    const isShared = (webhookId: string) => deps.subscriptions.byId(webhookId)?.instanceId === '';
    this.#failures = new FailingWebhooks({ ...deps, outbox, disableAfter, isOwn, isShared });
    this.#maintenance = new OutboxMaintenance({ ...deps, outbox, retention, maxAge });
    this.#attemptDeps = {
      ...deps,
      writer: this.#writer,
      deliveryLog: this.deliveryLog,
      failures: this.#failures,
      signal: this.#abort.signal,
      timeout,
      rules: options,
      random,
    };
  }

  /** Starts to deliver what waits in the store. Rejects when the store cannot be read. */
  async start(): Promise<void> {
    this.#deps.subscriptions.onChange((row) => this.#onWebhookChanged(row));
    await this.#failures.load();
    this.#maintenance.start();
    await this.#scan.run();
  }

  /**
   * Checks all lanes of an instance for new deliveries. Without an id, scans the whole outbox for lanes that have
   * deliveries.
   */
  wake(instanceId?: string): void {
    if (this.#isStopping) return;
    if (instanceId === undefined) this.#scan.request();
    else this.#wokenLanes.addInstance(instanceId);
  }

  /**
   * Checks these lanes for new deliveries. Each lane that is checked costs a read of the store, so a commit wakes only
   * the lanes in which it queued deliveries.
   */
  wakeLanes(queued: QueuedLanes): void {
    if (!this.#isStopping) this.#wokenLanes.addLanes(queued);
  }

  /** Makes the lanes of these webhooks read the store from the start. Call it when old deliveries were queued again. */
  rereadLanes(webhookIds: readonly string[]): void {
    for (const id of webhookIds) {
      this.#writeUnsavedResults();
      for (const lane of this.#receivers.get(id)?.lanes.values() ?? []) lane.rereadFromStart();
      const webhook = this.#deps.subscriptions.byId(id);
      if (webhook?.enabled && !this.#isStopping) this.#wakeAllLanes(webhook);
    }
  }

  /** Resolves when the results of all attempts so far are stored. */
  flush(): Promise<void> {
    this.#writeUnsavedResults();
    return this.#writer.flush();
  }

  healthOf(webhookId: string): HealthReport {
    const receiver = this.#receivers.get(webhookId);
    return {
      pausedUntil: receiver?.probeAt ?? null,
      failures: receiver?.failures ?? 0,
      failingSince: this.#failures.failingSince(webhookId),
      lastFailure: this.#failures.lastFailure(webhookId),
    };
  }

  /** Counts open and half-open circuit breakers. */
  breakers(): { open: number; halfOpen: number } {
    return countBreakers(this.#receivers.values());
  }

  /**
   * Resolves with true when no delivery waits for the instance's own webhooks or for the global webhook, or with false
   * after `ms`.
   */
  async drain(instanceId: string, ms: number): Promise<boolean> {
    this.#checkWokenLanes();
    // The global webhook has the instance id ''.
    const servesInstance = (each: ReceiverHealth) => each.instanceId === '' || each.instanceId === instanceId;
    const isDrained = () => ([...this.#receivers.values()].some(servesInstance) ? undefined : true);
    return (await this.#drained.waitFor(isDrained, { clock: this.#deps.clock, ms })) ?? false;
  }

  /** Starts the deliveries of instances that this node acquired. */
  async acquire(instanceIds: readonly string[]): Promise<void> {
    await this.#failures.load();
    // The lanes continue to read the store after their cursors, but deliveries of these instances possibly wait before
    // the cursors. The global webhook has the instance id ''.
    this.#writeUnsavedResults();
    const ids = new Set(['', ...instanceIds]);
    for (const receiver of this.#receivers.values())
      if (ids.has(receiver.instanceId)) for (const lane of receiver.lanes.values()) lane.rereadKeepingFailures();
    for (const id of instanceIds) {
      this.#inFlight.open(id);
      this.wake(id);
    }
  }

  /**
   * Stops the deliveries of an instance that moves to another node. Waits at most `ms` for attempts in flight, and
   * stores their results.
   */
  async release(instanceId: string, ms: number): Promise<void> {
    await this.#inFlight.close(instanceId, ms);
    await this.flush();
  }

  /**
   * Stops all deliveries and stores the results. Attempts in flight are aborted after `graceMs`; an aborted attempt is
   * not recorded.
   */
  async stop(graceMs = STOP_GRACE_MS): Promise<void> {
    this.#isStopping = true;
    for (const timer of this.#timers.values()) timer.cancel();
    const timer = this.#deps.clock.after(graceMs, () => this.#abort.abort(new Error('shutting down')));
    await this.#scheduler.close();
    timer.cancel();
    await this.#maintenance.stop();
    await this.flush().catch((err: unknown) => this.#deps.log.error({ err }, 'webhook.result_write.failed'));
  }

  #writeUnsavedResults(): void {
    for (const { lanes } of this.#receivers.values()) writeUnsavedResults(lanes.values(), this.#writer);
  }

  #onLaneFound(webhookId: string, laneNumber: number): void {
    const webhook = this.#deps.subscriptions.byId(webhookId);
    if (webhook?.enabled && !this.#isStopping) this.#wakeLane(webhook, laneNumber);
  }

  #checkWokenLanes(): void {
    const { instances, lanes } = this.#wokenLanes.take();
    if (this.#isStopping) return;
    for (const instance of instances) {
      for (const webhook of this.#deps.subscriptions.listOwnAndGlobal(instance))
        if (webhook.enabled) this.#wakeAllLanes(webhook);
    }
    for (const [webhookId, numbers] of lanes) {
      const webhook = this.#deps.subscriptions.byId(webhookId);
      if (webhook?.enabled) for (const number of numbers) this.#wakeLane(webhook, number);
    }
  }

  #wakeAllLanes(webhook: WebhookRow, options: { isWebhookChanged?: boolean } = {}): void {
    for (let number = 0; number < LANES_PER_WEBHOOK; number++) this.#wakeLane(webhook, number, options);
  }

  /**
   * Makes the lane read the store. When the configuration of the webhook changed, the head (the first delivery of the
   * lane) is due at once.
   */
  #wakeLane(webhook: WebhookRow, number: number, { isWebhookChanged = false } = {}): void {
    const lastSuccessAt = this.deliveryLog.of(webhook.id).at(-1)?.deliveredAt;
    const receiver =
      this.#receivers.get(webhook.id) ?? new ReceiverHealth(webhook.id, webhook.instanceId, lastSuccessAt);
    this.#receivers.set(webhook.id, receiver);
    const lane = receiver.laneOf(number);
    lane.mayHaveMore = true;
    if (isWebhookChanged) lane.makeDue();
    this.#scheduleLane(receiver, lane);
  }

  #onWebhookChanged({ id }: WebhookRow): void {
    const webhook = this.#deps.subscriptions.byId(id);
    const receiver = this.#receivers.get(id);
    receiver?.reset();
    if (webhook) this.#failures.clear(id);
    else {
      this.#failures.forget(id);
      this.deliveryLog.forget(id);
    }
    if (webhook?.enabled && !this.#isStopping) this.#wakeAllLanes(webhook, { isWebhookChanged: true });
    else if (receiver) this.#scheduleLanes(receiver);
  }

  #scheduleLanes(receiver: ReceiverHealth): void {
    for (const lane of [...receiver.lanes.values()]) this.#scheduleLane(receiver, lane);
  }

  /**
   * Removes the lane if it is empty or its webhook is disabled, or schedules a run of the lane if it is due. Then sets
   * the timer for the next action of the receiver. Does nothing for a lane that is queued or running.
   */
  #scheduleLane(receiver: ReceiverHealth, lane: Lane): void {
    if (lane.isBusy || this.#isStopping) return;
    const webhook = this.#deps.subscriptions.byId(receiver.webhookId);
    if (!webhook?.enabled || lane.isEmpty) {
      writeUnsavedResults([lane], this.#writer);
      receiver.lanes.delete(lane.number);
      if (receiver.probeLane === lane) receiver.probeLane = null;
    } else if (receiver.mayAttempt(lane) && (this.#msUntil(lane.dueAt) === 0 || receiver.probeLane === lane)) {
      lane.isBusy = true;
      this.#scheduler.add(originOf(webhook), () => this.#runLane(receiver, lane));
    }
    this.#setTimer(receiver);
  }

  /** Attempts the head of the lane, once. */
  async #runLane(receiver: ReceiverHealth, lane: Lane): Promise<void> {
    try {
      const delivery = await this.#dueHead(receiver, lane);
      const webhook = this.#deps.subscriptions.byId(receiver.webhookId);
      if (delivery && webhook?.enabled) {
        const attempt = () => attemptDelivery({ webhook, receiver, lane, delivery }, this.#attemptDeps);
        const hasRun = await this.#inFlight.run(delivery.instanceId, attempt);
        if (!hasRun) this.#skipMovingHead(receiver, lane, delivery);
      }
    } catch (err) {
      this.#deps.log.error({ err, webhook: receiver.webhookId }, 'webhook.lane.failed');
      this.#delayRead(receiver, lane);
    }
    lane.isBusy = false;
    if (receiver.probeLane === lane) receiver.probeLane = null;
    if (receiver.takeRecovered()) this.#scheduleLanes(receiver);
    else this.#scheduleLane(receiver, lane);
  }

  /**
   * Skips a head whose instance moves between nodes. If the instance moves away, the other node reads the delivery from
   * the store. If it moves to this node and acquire() has not finished, later deliveries must not overtake the head.
   */
  #skipMovingHead(receiver: ReceiverHealth, lane: Lane, head: Delivery): void {
    // The global webhook also has deliveries of other instances, which must not wait.
    if (receiver.instanceId === '') {
      lane.skipHead(head);
      return;
    }
    writeUnsavedResults([lane], this.#writer);
    lane.dropWindow();
    this.#delayRead(receiver, lane);
  }

  /** Makes the lane, which is running, read the store again after LANE_RETRY_MS. */
  #delayRead(receiver: ReceiverHealth, lane: Lane): void {
    lane.mayHaveMore = true;
    lane.dueAt = this.#deps.clock.now() + LANE_RETRY_MS;
    if (receiver.probeLane === lane) receiver.probeAt = lane.dueAt;
  }

  /** Returns the head of the lane (its oldest delivery) if it is due, else null. */
  async #dueHead(receiver: ReceiverHealth, lane: Lane): Promise<Delivery | null> {
    if (this.#isStopping || !receiver.mayAttempt(lane)) return null;
    if (lane.window.length === 0) {
      // A read now would return the deliveries again that #skipMovingHead() has skipped.
      if (lane.takeSkippedPass()) {
        this.#delayRead(receiver, lane);
        return null;
      }
      await this.#fillWindow(receiver, lane);
    }
    // The circuit breaker possibly opened while the store was read.
    if (!receiver.mayAttempt(lane)) lane.dropWindow();
    const head = lane.window[0];
    if (head === undefined) return null;
    if (lane.respectsNextAt && this.#msUntil(head.nextAt) > 0 && receiver.probeLane !== lane) {
      lane.dueAt = head.nextAt;
      return null;
    }
    return head;
  }

  /** Reads the next deliveries of the lane from the store into its window. */
  async #fillWindow(receiver: ReceiverHealth, lane: Lane): Promise<void> {
    const limit = windowSize(this.#receivers.size * LANES_PER_WEBHOOK);
    lane.mayHaveMore = false;
    // A read from the start must not return deliveries whose results are still in memory.
    if (lane.cursor === 0) {
      writeUnsavedResults([lane], this.#writer);
      await this.#writer.flush();
    }
    const { windowVersion } = lane;
    const rows = await this.#deps.storage.outbox.listPending(receiver.webhookId, lane.number, lane.cursor, limit);
    // With another version, the window became stale during the read.
    if (lane.windowVersion === windowVersion) lane.fill(rows, limit);
    else lane.mayHaveMore = true;
  }

  /** Sets the timer of a receiver, for its probe or its next due lane. Removes a receiver that has no lanes. */
  #setTimer(receiver: ReceiverHealth): void {
    this.#timers.get(receiver)?.cancel();
    this.#timers.delete(receiver);
    if (receiver.lanes.size === 0) {
      this.#receivers.delete(receiver.webhookId);
      this.#drained.notify();
      return;
    }
    const at = receiver.nextActionAt();
    if (at === null || this.#isStopping) return;
    this.#timers.set(
      receiver,
      this.#deps.clock.after(this.#msUntil(at), () => this.#onTimer(receiver)),
    );
  }

  #msUntil(at: number): number {
    return msUntilDue(at, this.#deps.clock.now(), this.#attemptDeps.rules);
  }

  #onTimer(receiver: ReceiverHealth): void {
    if (receiver.probeAt === null) {
      this.#scheduleLanes(receiver);
    } else if (this.#msUntil(receiver.probeAt) > 0) {
      this.#setTimer(receiver);
    } else {
      receiver.probeLane = receiver.pickProbeLane();
      if (receiver.probeLane) this.#scheduleLane(receiver, receiver.probeLane);
    }
  }
}
