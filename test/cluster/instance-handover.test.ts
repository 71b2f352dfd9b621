// InstanceHandover: the order in which a node releases instances, and the event log of an instance that moves.
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createInstanceHandover } from '../../src/cluster/instance-handover.ts';
import { InstanceManager } from '../../src/instances/manager.ts';
import { InFlight } from '../../src/lib/in-flight.ts';
import { FakeWorld } from '../support/instance-fakes.ts';
import { silent } from '../support/session-fakes.ts';
import { createWebhookWorld, text } from '../webhooks/webhook-world.ts';

it('evictionOrder() reports an instance that is being deleted as busy, so that rebalancing does not move it', async () => {
  const world = new FakeWorld();
  for (const [id, desired] of [
    ['deleted', 'deleted'],
    ['other', 'stopped'],
  ] as const) {
    world.rows.set(id, world.row({ id, name: id, token: id, desired }));
  }
  world.hangsOnDelete = true;
  const manager = world.manager();
  await manager.boot();
  await world.reached('deleted');
  const unused = Object.create(null);
  const { evictionOrder } = createInstanceHandover({
    ...{ manager, recorder: unused, subscriptions: unused, webhookService: unused },
    ...{ inFlightRequests: unused, log: silent, clock: world.clock, newInstanceMs: 0 },
  });
  expect(evictionOrder()).toEqual([
    { id: 'deleted', isBusy: true, isOpen: false },
    { id: 'other', isBusy: false, isOpen: false },
  ]);
  await manager.stop();
});

describe('the event log of an instance that moves', () => {
  /** Creates a node with a running instance in its database. The sessions are fakes. */
  async function createMove() {
    const [world, webhooks] = [new FakeWorld(), await createWebhookWorld()];
    const id = await webhooks.create('moved');
    world.rows.set(id, world.row({ id, name: 'moved', desired: 'running', ownerJid: '4915100000001@s.whatsapp.net' }));
    world.linked.add(id);
    const firstEvent = Promise.withResolvers<void>();
    const manager = new InstanceManager({
      ...world.deps(),
      options: {},
      async ingest(instanceId, events) {
        await webhooks.report(instanceId, ...events);
        firstEvent.resolve();
      },
    });
    onTestFinished(() => manager.stop());
    const deliveriesEnded = Promise.withResolvers<void>();
    const inFlightRequests = new InFlight(world.clock);
    const { subscriptions, webhookService } = webhooks;
    const handover = createInstanceHandover({
      ...{ manager, subscriptions, inFlightRequests, log: silent, clock: world.clock, newInstanceMs: 0 },
      recorder: { release: async () => undefined },
      webhookService: {
        ...webhookService,
        async release(instanceId, ms) {
          await webhookService.release(instanceId, ms);
          deliveriesEnded.resolve();
        },
      },
    });
    const readTypes = async () =>
      (await webhooks.storage.events.read(id, { after: 0, limit: 9 })).events.map(({ type }) => type);
    const promises = { firstEvent: firstEvent.promise, deliveriesEnded: deliveriesEnded.promise };
    return { ...{ id, webhooks, handover, inFlightRequests, readTypes }, ...promises };
  }

  it('a moved instance stores its first events on the new node for a reader on the previous node', async () => {
    const { id, webhooks, handover, firstEvent, readTypes } = await createMove();
    const { lastReads } = webhooks.storage.events;
    // A database server answers in a later turn of the event loop than the fakes of the session.
    webhooks.storage.events.lastReads = async () => {
      await setImmediate();
      return lastReads();
    };
    // The previous node stores the read after this node has started.
    await webhooks.storage.events.markRead(id, webhooks.clock.now());
    await handover.acquire([id]);
    await firstEvent;
    expect(await readTypes()).toEqual(['connection.update']);
  });

  it('a moved instance stores the last events on the previous node, which arrive after its deliveries have ended', async () => {
    const { id, webhooks, handover, inFlightRequests, deliveriesEnded, readTypes } = await createMove();
    await webhooks.webhookService.readEvents(id, { limit: 1 });
    inFlightRequests.begin(id);
    const released = handover.release(id, { isOwner: true });
    await deliveriesEnded;
    await setImmediate();
    await webhooks.report(id, text('15550002', 'late'));
    inFlightRequests.end(id);
    await released;
    expect(await readTypes()).toEqual(['messages.upsert']);
  });
});
