import { describe, expect, it } from 'vitest';
import { laneOf } from '../../src/storage/outbox.ts';
import {
  acceptedTexts,
  createReceiver,
  createWorld,
  hasText,
  passUntilAccepted,
  textEvent,
} from '../support/dispatcher-world.ts';
import type { Answer } from '../support/receiver.ts';
import { waitFor } from '../support/wait-for.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

describe('deliveries', () => {
  it('a delivery is posted once, signed, with the stored id and the configured headers', async () => {
    const [world, hook] = [await createWorld(), await createReceiver()];
    const id = await world.subscribe('shop', hook.url, { headers: { 'X-Token': 'abc' } });
    await world.receive(id, '15550002', 'hello');
    const post = await hook.next();
    expect(post.headers).toMatchObject({
      'x-token': 'abc',
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/./),
    });
    expect(post.headers['webhook-id']).toMatch(/^evt_[0-9a-f]{32}$/);
    expect(post.body).toMatchObject({ event: 'messages.upsert', instance: 'shop', destination: hook.url });
    expect(() => post.verify(world.subscriptions.findMain(id)?.secret ?? '')).not.toThrow();
    expect(() => post.verify(`whsec_${Buffer.from('another secret').toString('base64')}`)).toThrow();
    await world.waitForAttempts(1);
    await world.dispatcher.stop();
    expect(await world.storage.outbox.listWaitingLanes()).toEqual([]);
    expect(hook.posts).toHaveLength(1);
  });

  it('a delivery has connection and content headers of the gateway, not those that the webhook configures', async () => {
    const [world, hook] = [await createWorld(), await createReceiver()];
    const { host } = new URL(hook.url);
    const headers = {
      ...{ 'Content-Type': 'application/json; charset=latin1', 'Content-Length': '1', Host: host, Connection: 'close' },
      ...{ 'Transfer-Encoding': 'chunked', TE: 'trailers', Expect: '100-continue', Upgrade: 'h2c', 'X-Token': 'abc' },
    };
    const id = await world.subscribe('shop', hook.url, { headers });
    await world.receive(id, '15550002', 'hello');
    const post = await hook.next();
    expect(post.headers).toMatchObject({ 'content-type': 'application/json', host, 'x-token': 'abc' });
    expect(post.headers['content-length']).toBe(String(Buffer.byteLength(post.raw)));
    for (const name of ['te', 'expect', 'upgrade', 'transfer-encoding']) expect(post.headers).not.toHaveProperty(name);
    expect(() => post.verify(world.subscriptions.findMain(id)?.secret ?? '')).not.toThrow();
  });

  it('a delivery with byEvents goes to the path of its event and names the base URL as destination', async () => {
    const [world, hook] = [await createWorld(), await createReceiver()];
    const id = await world.subscribe('shop', `${hook.url}/in/?k=1`, { byEvents: true });
    await world.receive(id, '15550002', 'hello');
    const post = await hook.next();
    expect(post.path).toBe('/in/messages-upsert?k=1');
    expect(post.body).toMatchObject({ destination: `${hook.url}/in/?k=1` });
  });

  it('deliveries keep the order of each chat while many chats are served at once', async () => {
    const [world, hook] = [await createWorld(), await createReceiver()];
    const id = await world.subscribe('shop', hook.url);
    let openRequests = 0;
    let maxOpenRequests = 0;
    hook.answer(async () => {
      maxOpenRequests = Math.max(maxOpenRequests, ++openRequests);
      await new Promise(setImmediate);
      openRequests--;
      return 200;
    });
    for (let n = 0; n < 30; n++)
      await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((chat) => world.receive(id, chat, `${chat}${n}`)));
    await world.waitForAttempts(180);
    for (const chat of ['a', 'b', 'c', 'd', 'e', 'f']) {
      const texts = acceptedTexts(hook).filter((text) => text.startsWith(chat));
      expect(texts).toEqual(Array.from({ length: 30 }, (_, n) => `${chat}${n}`));
    }
    expect(maxOpenRequests).toBeGreaterThan(1);
  });

  it('deliveries keep order and ids through failures of every kind', async () => {
    const [world, hook] = [await createWorld(), await createReceiver()];
    const id = await world.subscribe('shop', hook.url);
    const failures = [500, 'close', 503, 429, 408, 'close', 502] as const;
    let count = 0;
    hook.answer((post) => (post.attempt < 3 ? (failures[count++ % failures.length] ?? 500) : 200));
    const texts = Array.from({ length: 6 }, (_, n) => `text ${n}`);
    for (const text of texts) await world.receive(id, '15550002', text);
    await passUntilAccepted(world, hook, 'text 5');
    expect(acceptedTexts(hook)).toEqual(texts);
    const ids = new Set(hook.posts.map((post) => post.headers['webhook-id']));
    expect(ids.size).toBe(6);
    const bodies = new Set(hook.posts.map((post) => post.raw));
    expect(bodies.size).toBe(6);
  });

  it('webhook-seq rises with every event of an instance and is the same in every attempt', async () => {
    const [world, hook] = [await createWorld(), await createReceiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer((post) => (post.attempt < 2 ? 503 : 200));
    const texts = Array.from({ length: 6 }, (_, n) => `text ${n}`);
    for (const [n, text] of texts.entries()) await world.receive(id, `chat ${n % 3}`, text);
    await Promise.all(texts.map((text) => passUntilAccepted(world, hook, text)));
    const numbers = texts.map(
      (text) => new Set(hook.posts.filter(hasText(text)).map((post) => post.headers['webhook-seq'])),
    );
    expect(numbers.map(({ size }) => size)).toEqual([1, 1, 1, 1, 1, 1]);
    const first = numbers.map(([seq]) => Number(seq));
    expect(first).toEqual(first.toSorted((a, b) => a - b));
    expect(new Set(first).size).toBe(6);
  });

  it('a restart keeps ids and order, and repeats no successful delivery', async () => {
    const [world, hook] = [await createWorld(), await createReceiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer((post) => (hasText('first')(post) ? 200 : 503));
    for (const text of ['first', 'second', 'third']) await world.receive(id, '15550002', text);
    const refused = await hook.next(hasText('second'));
    await world.waitForAttempts(2);
    await world.restart();
    hook.answer(() => 200);
    await world.pass(6 * SECOND);
    await hook.next(hasText('third'));
    expect(acceptedTexts(hook)).toEqual(['first', 'second', 'third']);
    const repeated = hook.posts.filter(hasText('second')).at(-1);
    expect(repeated?.headers['webhook-id']).toBe(refused.headers['webhook-id']);
    expect(repeated?.attempt).toBe(2);
  });

  it('an attempt that the shutdown aborts does not count', async () => {
    const [world, hook] = [await createWorld(), await createReceiver()];
    const id = await world.subscribe('shop', hook.url);
    const arrived = Promise.withResolvers<void>();
    hook.answer(() => {
      arrived.resolve();
      return new Promise(() => {});
    });
    await world.receive(id, '15550002', 'hello');
    await arrived.promise;
    const stopped = world.dispatcher.stop(3 * SECOND);
    world.clock.advance(3 * SECOND);
    await stopped;
    const [row] = await world.storage.outbox.listWaitingLanes();
    const [waiting] = await world.storage.outbox.listPending(row?.webhookId ?? '', row?.lane ?? 0, 0, 10);
    expect(waiting).toMatchObject({ attempts: 0 });
    expect(world.attempts()).toEqual([]);
  });

  it('an attempt in flight at shutdown is awaited and counts', async () => {
    const [world, hook] = [await createWorld(), await createReceiver()];
    const id = await world.subscribe('shop', hook.url);
    const gate = Promise.withResolvers<number>();
    const arrived = Promise.withResolvers<void>();
    hook.answer(() => {
      arrived.resolve();
      return gate.promise;
    });
    await world.receive(id, '15550002', 'hello');
    await arrived.promise;
    const stopped = world.dispatcher.stop(3 * SECOND);
    gate.resolve(200);
    await stopped;
    expect(await world.storage.outbox.listWaitingLanes()).toEqual([]);
  });
});

describe('changed webhooks with waiting deliveries', () => {
  it('a changed URL gets the waiting deliveries immediately, signed with the same secret', async () => {
    const [world, oldHook, newHook] = [await createWorld(), await createReceiver(), await createReceiver()];
    const id = await world.subscribe('shop', oldHook.url);
    oldHook.answer(() => 503);
    for (const text of ['one', 'two', 'three']) await world.receive(id, '15550002', text);
    await world.waitForAttempts(1);
    await world.pass(0);
    const secret = world.subscriptions.findMain(id)?.secret ?? '';
    await world.subscriptions.setMain(id, { enabled: true, url: newHook.url });
    const last = await newHook.next(hasText('three'));
    expect(acceptedTexts(newHook)).toEqual(['one', 'two', 'three']);
    expect(last.body).toMatchObject({ destination: newHook.url });
    expect(() => last.verify(secret)).not.toThrow();
  });

  it('a change of the webhook makes a delayed delivery due immediately, also after a restart', async () => {
    const [world, oldHook, newHook] = [await createWorld(), await createReceiver(), await createReceiver()];
    const id = await world.subscribe('shop', oldHook.url);
    oldHook.answer(() => ({ status: 503, headers: { 'retry-after': '3000' } }));
    await world.receive(id, '15550002', 'one');
    await world.waitForAttempts(1);
    await world.restart();
    await world.subscriptions.setMain(id, { enabled: true, url: newHook.url });
    expect(await newHook.next()).toMatchObject({ attempt: 1, status: 200 });
  });

  it.each([
    ['the end of the webhook (410)', 410],
    ['a pause of an hour', { status: 503, headers: { 'retry-after': '3600' } }],
    ['a refusal that is not retried', 422],
  ])('a changed URL gets the delivery in flight immediately when the old receiver responds with %s', async (_, answer) => {
    const [world, oldHook, newHook] = [
      await createWorld({ options: { noRetry: [422] } }),
      await createReceiver(),
      await createReceiver(),
    ];
    const id = await world.subscribe('shop', oldHook.url);
    const arrived = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<Answer>();
    oldHook.answer(() => {
      arrived.resolve();
      return gate.promise;
    });
    await world.receive(id, '15550002', 'one');
    await arrived.promise;
    await world.subscriptions.setMain(id, { enabled: true, url: newHook.url });
    gate.resolve(answer);
    await newHook.next(hasText('one'));
    expect(world.subscriptions.findMain(id)).toMatchObject({ enabled: true, url: newHook.url });
  });

  it('a disabled webhook keeps its deliveries, and sends them when it is enabled', async () => {
    const [world, hook] = [await createWorld(), await createReceiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer(() => 503);
    await world.receive(id, '15550002', 'one');
    await world.waitForAttempts(1);
    await world.subscriptions.setMain(id, { enabled: false, url: hook.url });
    hook.answer(() => 200);
    await world.pass(10 * MINUTE);
    await world.pass(0);
    expect(world.attempts()).toHaveLength(1);
    expect(world.clock.timers).toBe(1);
    await world.subscriptions.setMain(id, { enabled: true, url: hook.url });
    await hook.next((post) => post.status === 200);
    expect(acceptedTexts(hook)).toEqual(['one']);
  });

  it('the deletion of an instance stops its deliveries', async () => {
    const [world, hook] = [await createWorld(), await createReceiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer(() => 503);
    await world.receive(id, '15550002', 'one');
    await world.waitForAttempts(1);
    await world.pass(0);
    await world.storage.instances.delete(id);
    world.subscriptions.forget(id);
    await world.pass(10 * MINUTE);
    await world.pass(0);
    expect(world.attempts()).toHaveLength(1);
    expect(await world.dispatcher.drain(id, SECOND)).toBe(true);
  });
});

describe('Dispatcher', () => {
  it('Dispatcher.wake() without an instance finds the deliveries of every webhook', async () => {
    const [world, hook] = [await createWorld(), await createReceiver()];
    const [a, b] = [await world.subscribe('a', hook.url), await world.subscribe('b', hook.url)];
    await world.store(a, [textEvent('one')]);
    await world.store(b, [textEvent('two')]);
    world.dispatcher.wake();
    await world.waitForAttempts(2);
    expect(acceptedTexts(hook).sort()).toEqual(['one', 'two']);
  });

  it('a commit causes reads of the store only for the lanes of its deliveries', async () => {
    const reads: string[] = [];
    const world = await createWorld({
      outbox: (real) => ({
        ...real,
        listPending(webhookId, lane, ...rest) {
          reads.push(`${webhookId} ${lane}`);
          return real.listPending(webhookId, lane, ...rest);
        },
      }),
    });
    const hook = await createReceiver();
    const id = await world.subscribe('shop', hook.url);
    const idleId = await world.subscribe('other', hook.url);
    await world.pass(0);
    reads.length = 0;
    await world.receive(id, '15550002', 'one');
    await world.waitForAttempts(1);
    await world.pass(0);
    expect(new Set(reads)).toEqual(
      new Set([`${world.subscriptions.findMain(id)?.id} ${laneOf('15550002@s.whatsapp.net')}`]),
    );
    reads.length = 0;
    world.dispatcher.wake(idleId);
    expect(await world.dispatcher.drain(idleId, SECOND)).toBe(true);
    expect(new Set(reads).size).toBe(8);
  });

  it('deliveries of a webhook that was disabled after their commit wait until it is enabled', async () => {
    const [world, hook] = [await createWorld(), await createReceiver()];
    const id = await world.subscribe('shop', hook.url);
    const { queued } = await world.store(id, [textEvent('one')]);
    await world.subscriptions.setMain(id, { enabled: false, url: hook.url });
    world.dispatcher.wakeLanes(queued);
    expect(await world.dispatcher.drain(id, SECOND)).toBe(true);
    expect(hook.posts).toEqual([]);
    await world.subscriptions.setMain(id, { enabled: true, url: hook.url });
    await world.waitForAttempts(1);
    expect(acceptedTexts(hook)).toEqual(['one']);
  });

  it('Dispatcher.drain() waits for deliveries that were committed in the same turn', async () => {
    const [world, hook] = [await createWorld(), await createReceiver()];
    const id = await world.subscribe('shop', hook.url);
    const { queued } = await world.store(id, [textEvent('one')]);
    world.dispatcher.wakeLanes(queued);
    expect(await world.dispatcher.drain(id, SECOND)).toBe(true);
    expect(acceptedTexts(hook)).toEqual(['one']);
  });

  it('Dispatcher.drain() resolves with true when no delivery of the instance waits, and with false at the timeout', async () => {
    const [world, hook] = [await createWorld(), await createReceiver()];
    const id = await world.subscribe('shop', hook.url);
    const gate = Promise.withResolvers<number>();
    hook.answer(() => gate.promise);
    await world.receive(id, '15550002', 'last words');
    const drained = world.dispatcher.drain(id, MINUTE);
    gate.resolve(200);
    expect(await drained).toBe(true);
    hook.answer(() => 503);
    await world.receive(id, '15550002', 'never taken');
    await world.waitForAttempts(2);
    const timedOut = world.dispatcher.drain(id, SECOND);
    await world.pass(SECOND);
    expect(await timedOut).toBe(false);
  });

  it('the dispatcher continues after the store failed for a while', async () => {
    let isStoreBroken = true;
    const world = await createWorld({
      outbox: (real) => ({
        ...real,
        listPending: (...args) => (isStoreBroken ? Promise.reject(new Error('no store')) : real.listPending(...args)),
        recordAttempts: (rows) => (isStoreBroken ? Promise.reject(new Error('no store')) : real.recordAttempts(rows)),
      }),
    });
    const hook = await createReceiver();
    const id = await world.subscribe('shop', hook.url);
    await world.receive(id, '15550002', 'hello');
    await world.pass(0);
    expect(hook.posts).toHaveLength(0);
    isStoreBroken = false;
    await world.pass(SECOND);
    await world.waitForAttempts(1);
    await world.dispatcher.stop();
    expect(await world.storage.outbox.listWaitingLanes()).toEqual([]);
  });

  it('an event is delivered once, also when the first writes of its result fail', async () => {
    let failures = 2;
    const world = await createWorld({
      outbox: (real) => ({
        ...real,
        recordAttempts: (rows) => (failures-- > 0 ? Promise.reject(new Error('no store')) : real.recordAttempts(rows)),
      }),
    });
    const hook = await createReceiver();
    const id = await world.subscribe('shop', hook.url);
    await world.receive(id, '15550002', 'one');
    await world.waitForAttempts(1);
    for (let n = 0; n < 3; n++) await world.pass(SECOND);
    await world.receive(id, '15550002', 'two');
    await world.waitForAttempts(2);
    expect(acceptedTexts(hook)).toEqual(['one', 'two']);
  });

  it('attempts are logged without body, URL, key or phone number', async () => {
    const [world, hook] = [await createWorld(), await createReceiver()];
    const id = await world.subscribe('shop', `${hook.url}/hook?token=sesame`, {
      headers: { authorization: 'Bearer key' },
    });
    await world.receive(id, '4917012345678', 'private words');
    await world.waitForAttempts(1);
    const text = JSON.stringify(world.log);
    for (const secret of ['private words', '4917012345678', 'sesame', 'Bearer', 'whsec_', 'TOKEN'])
      expect(text).not.toContain(secret);
    expect(world.attempts()[0]).toMatchObject({
      instance: id,
      event: 'messages.upsert',
      attempt: 1,
      code: 200,
      next: 'delivered',
    });
  });

  it('delivered events are pruned after the retention', async () => {
    const [world, hook] = [await createWorld(), await createReceiver()];
    const id = await world.subscribe('shop', hook.url);
    await world.receive(id, '15550002', 'hello');
    await world.waitForAttempts(1);
    await world.pass(74 * 60 * MINUTE);
    await waitFor(() => expect(world.log.reduce((sum, line) => sum + Number(line.rows ?? 0), 0)).toBe(1));
  });
});
