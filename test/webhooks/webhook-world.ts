// The webhook service over the real store, with a clock that only the test advances. For tests of several parts.
import pino from 'pino';
import { onTestFinished } from 'vitest';
import { Condition } from '../../packages/sandbox/src/lib/condition.ts';
import { createEgress } from '../../src/egress/http-client.ts';
import type { DomainEvent } from '../../src/events/events.ts';
import { openStorage } from '../../src/storage/open.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { DEFAULT_DISPATCHER_OPTIONS } from '../../src/webhooks/delivery-limits.ts';
import { createPublisher } from '../../src/webhooks/publisher.ts';
import { createSubscriptions, type Subscriptions } from '../../src/webhooks/subscriptions.ts';
import {
  createWebhookService,
  type WebhookService,
  type WebhookServiceDeps,
} from '../../src/webhooks/webhook-service.ts';
import { countRequests, ManualClock, textMessage } from '../support/dispatcher-world.ts';
import { instance } from '../support/sample-rows.ts';

export interface WebhookWorld {
  readonly clock: ManualClock;
  readonly storage: Storage;
  readonly subscriptions: Subscriptions;
  readonly log: Record<string, unknown>[];
  webhookService: WebhookService;
  /** Creates an instance, and its webhook if there is a URL. Resolves with the id of the instance. */
  create(name: string, url?: string, events?: string[]): Promise<string>;
  /** Publishes and stores the events. Resolves when they are committed. */
  report(instanceId: string, ...events: DomainEvent[]): Promise<void>;
  /** Resolves when the log contains `count` attempts in total. */
  waitForAttempts(count: number): Promise<void>;
  /** Waits until no request is in flight, advances the clock, and waits for the requests that are then due. */
  pass(ms: number): Promise<void>;
  /** Starts a new webhook service over the same store, as after a restart of the process. */
  restart(): Promise<void>;
}

export const text = (chat: string, words: string): DomainEvent => ({
  type: 'messages.upsert',
  message: textMessage(chat, words),
});

/** Creates and starts a webhook service. `global` is the URL of the global webhook, if there is one. */
export async function createWebhookWorld(
  options: Partial<WebhookServiceDeps['options']> = {},
  global?: string,
): Promise<WebhookWorld> {
  const clock = new ManualClock();
  const storage = await openStorage({ dataDir: ':memory:', network: 'sandbox', clock });
  const lines: Record<string, unknown>[] = [];
  const logged = new Condition();
  const write = (line: string): void => {
    lines.push(JSON.parse(line));
    logged.notify();
  };
  const log = pino({ base: undefined }, { write });
  const { egress, waitUntilIdle } = countRequests(createEgress({ allow: [], strict: false }));
  const subscriptions = await createSubscriptions(storage, {
    clock,
    ...(global ? { global: { url: global, events: [], byEvents: false } } : {}),
  });
  const createService = () =>
    createWebhookService({
      ...{ storage, subscriptions, egress, clock, log },
      options: {
        ...DEFAULT_DISPATCHER_OPTIONS,
        timeout: 2_000,
        random: () => 0.5,
        backlog: 0,
        eventLog: 'auto',
        ...options,
      },
    });
  const world: WebhookWorld = {
    ...{ clock, storage, subscriptions, log: lines },
    webhookService: await createService(),
    async create(name, url, events) {
      const id = `id-${name}`;
      await storage.instances.create(instance(id, { name }));
      if (url !== undefined) await subscriptions.setMain(id, { enabled: true, url, ...(events ? { events } : {}) });
      return id;
    },
    async report(instanceId, ...events) {
      const publish = createPublisher({
        subscriptions,
        findInstance: (id) => ({ id, name: id, ownerJid: null }),
        serverUrl: { current: 'http://gateway.test' },
        isWanted: world.webhookService.isLogged,
        clock,
      });
      const published = events.flatMap((event) => {
        const rows = publish(instanceId, event);
        world.webhookService.onPublished(instanceId, event, rows);
        return rows;
      });
      const batch = { messages: [], statuses: [], contacts: [], events: published };
      const { queued } = await storage.messages.record(instanceId, batch);
      world.webhookService.onStored(instanceId, published, queued);
    },
    async waitForAttempts(count) {
      await logged.waitFor(() => lines.filter(({ msg }) => msg === 'webhook.attempted').length >= count);
    },
    async pass(ms) {
      await waitUntilIdle(8);
      clock.advance(ms);
      await waitUntilIdle(8);
    },
    async restart() {
      await world.webhookService.stop();
      world.webhookService = await createService();
      await world.webhookService.start();
    },
  };
  onTestFinished(async () => {
    world.webhookService.closeStreams();
    const stopped = world.webhookService.stop();
    clock.advance(10_000);
    await stopped;
    await egress.close();
    await storage.close();
  });
  await world.webhookService.start();
  return world;
}
