import { describe, expect, it } from 'vitest';
import { FailingWebhooks } from '../../src/webhooks/failing-webhooks.ts';
import { acceptedTexts, createReceiver, createWorld, hasText, ManualClock } from '../support/dispatcher-world.ts';
import { tick } from '../support/instance-fakes.ts';
import { silent } from '../support/session-fakes.ts';
import { createWebhookWorld, text } from './webhook-world.ts';

const SECOND = 1_000;
const HOUR = 3_600_000;

describe('webhooks without a successful delivery', () => {
  it('a failing webhook is disabled after five days, restarts included, and gets its events when it is set again', async () => {
    const [world, hook] = [await createWebhookWorld({ maxAge: 1_000 * HOUR }), await createReceiver()];
    const id = await world.create('shop', hook.url);
    hook.answer(() => 503);
    await world.report(id, text('a', 'never taken'));
    const disabled = () => world.log.find(({ msg }) => msg === 'webhook.disabled');
    for (let hour = 0; hour < 119; hour++) {
      await world.pass(HOUR);
      if (hour % 40 === 39) await world.restart();
    }
    expect(disabled()).toBeUndefined();
    expect((await world.webhookService.reportDeliveries(id, { limit: 1 })).endpoints).toMatchObject([
      { failingSince: expect.any(Number) },
    ]);
    while (!disabled()) await world.pass(HOUR);
    expect(disabled()).toMatchObject({ instance: id, reason: 'failing' });
    expect(world.subscriptions.findMain(id)?.enabled).toBe(false);
    const { endpoints } = await world.webhookService.reportDeliveries(id, { limit: 1 });
    expect(endpoints).toMatchObject([{ waiting: 1, failingSince: null }]);
    hook.answer(() => 200);
    await world.subscriptions.setMain(id, { enabled: true, url: hook.url });
    await hook.next((post) => post.status === 200);
    expect(acceptedTexts(hook)).toEqual(['never taken']);
  });

  it('a failing webhook is not disabled when disableAfter is 0, nor while some deliveries succeed', async () => {
    const [patient, flaky] = [
      await createWebhookWorld({ maxAge: 1_000 * HOUR, disableAfter: 0 }),
      await createWebhookWorld({ maxAge: 1_000 * HOUR, disableAfter: 5 * HOUR }),
    ];
    const [down, unsteady] = [await createReceiver(), await createReceiver()];
    down.answer(() => 503);
    let count = 0;
    unsteady.answer(() => (++count % 4 ? 503 : 200));
    const [a, b] = [await patient.create('a', down.url), await flaky.create('b', unsteady.url)];
    await patient.report(a, text('a', 'x'));
    for (let hour = 0; hour < 130; hour++) {
      await patient.pass(HOUR);
      if (hour % 2 === 0) await flaky.report(b, text('a', `${hour}`));
      await flaky.pass(HOUR);
    }
    expect(patient.subscriptions.findMain(a)?.enabled).toBe(true);
    expect(flaky.subscriptions.findMain(b)?.enabled).toBe(true);
    expect(acceptedTexts(unsteady).length).toBeGreaterThan(10);
  });
});

describe('webhooks that move to this node', () => {
  it('a webhook that failed and recovered on another node is not disabled at its first failure on this node', async () => {
    const stored = [{ webhookId: 'hook', since: 0 }];
    const own = new Set<string>();
    const clock = new ManualClock();
    const failures = new FailingWebhooks({
      outbox: { listFailing: async () => stored, setFailing: async () => undefined },
      isOwn: (webhookId) => own.has(webhookId),
      isShared: () => false,
      disableAfter: HOUR,
      clock,
      log: silent,
    });
    await failures.load();
    stored.length = 0;
    own.add('hook');
    await failures.load();
    expect(failures.failingSince('hook')).toBeNull();
    expect(await failures.recordFailure('hook', { status: 503, error: null })).toBe(false);
  });
});

describe('the global webhook in a cluster', () => {
  const failure = { status: 503, error: null };

  /** Two nodes with one store. `writes` contains the stored values in order. */
  function twoNodes() {
    const clock = new ManualClock();
    const stored = new Map<string, number>();
    const writes: (number | null)[] = [];
    const node = () =>
      new FailingWebhooks({
        outbox: {
          listFailing: async () => [...stored].map(([webhookId, since]) => ({ webhookId, since })),
          setFailing: async (webhookId, since) => {
            writes.push(since);
            if (since === null) stored.delete(webhookId);
            else stored.set(webhookId, since);
          },
        },
        isOwn: () => true,
        isShared: () => true,
        disableAfter: 120 * HOUR,
        clock,
        log: silent,
      });
    return { clock, writes, a: node(), b: node() };
  }

  it('the global webhook is not disabled while one of two nodes delivers to it', async () => {
    const { clock, a, b } = twoNodes();
    for (let hour = 0; hour < 130; hour++) {
      expect(await a.recordFailure('global', failure), `hour ${hour}`).toBe(false);
      b.clear('global');
      await tick();
      clock.advance(HOUR);
    }
  });

  it('the global webhook is not disabled by a second failure after five days when another node has delivered to it', async () => {
    const { clock, a, b } = twoNodes();
    await a.recordFailure('global', failure);
    clock.advance(HOUR);
    b.clear('global');
    clock.advance(120 * HOUR);
    expect(await a.recordFailure('global', failure)).toBe(false);
    expect(a.failingSince('global')).toBe(clock.now());
  });

  it('the global webhook causes one write per five minutes while all its deliveries succeed', async () => {
    const { clock, writes, a } = twoNodes();
    for (let second = 0; second < 600; second++) {
      a.clear('global');
      clock.advance(SECOND);
    }
    await tick();
    expect(writes).toEqual([null, null]);
  });

  it('the global webhook is not disabled at its first failure on a node that did not see its recovery', async () => {
    const { clock, a, b } = twoNodes();
    await a.recordFailure('global', failure);
    clock.advance(HOUR);
    await a.recordFailure('global', failure);
    await tick();
    await b.load();
    expect(b.failingSince('global')).toBe(a.failingSince('global'));
    a.clear('global');
    await tick();
    clock.advance(121 * HOUR);
    expect(await b.recordFailure('global', failure)).toBe(false);
    expect(b.failingSince('global')).toBe(clock.now());
    for (let hour = 0; hour < 119; hour++) {
      clock.advance(HOUR);
      expect(await b.recordFailure('global', failure)).toBe(false);
    }
    clock.advance(HOUR);
    expect(await b.recordFailure('global', failure)).toBe(true);
  });
});

describe('webhooks that recover while the start of their failures is stored', () => {
  it('a webhook that recovers while the start of its failures is stored is not stored as failing', async () => {
    const clock = new ManualClock();
    const gate = Promise.withResolvers<void>();
    const recovered = Promise.withResolvers<void>();
    let stored: number | null = null;
    const failures = new FailingWebhooks({
      outbox: {
        listFailing: async () => [],
        setFailing: async (_, since) => {
          if (since !== null) await gate.promise;
          stored = since;
          if (since === null) recovered.resolve();
        },
      },
      isOwn: () => true,
      isShared: () => false,
      disableAfter: HOUR,
      clock,
      log: silent,
    });
    await failures.recordFailure('hook', { status: 503, error: null });
    clock.advance(HOUR / 2);
    await failures.recordFailure('hook', { status: 503, error: null });
    failures.clear('hook');
    await tick();
    gate.resolve();
    await recovered.promise;
    await tick();
    expect(stored).toBeNull();
  });
});

describe('events that waited for their receiver', () => {
  it('an event that is rejected after an outage continues to wait while no other event is delivered', async () => {
    const [world, hook] = [await createWorld(), await createReceiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer(() => 503);
    await world.receive(id, '15550002', 'waited');
    for (let n = 1; n <= 4; n++) {
      await world.waitForAttempts(n);
      await world.pass(300 * SECOND);
    }
    await world.waitForAttempts(5);
    hook.answer(() => 404);
    await world.pass(300 * SECOND);
    for (let n = 6; n <= 9; n++) {
      await world.waitForAttempts(n);
      await world.pass(300 * SECOND);
    }
    hook.answer((post) => (hasText('waited')(post) ? 200 : 404));
    await world.waitForAttempts(10);
    await world.pass(300 * SECOND);
    await hook.next((post) => post.status === 200);
    expect(acceptedTexts(hook)).toEqual(['waited']);
  });
});
