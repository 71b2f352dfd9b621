// Several webhooks over a real store and real receivers: what each of them gets, and what happens to one that is changed or removed.
import { createHmac } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createWorld, is, received, receiver, taken, textOf } from './world.ts';

const config = (url: string) => ({ enabled: true, url });

describe('several webhooks of one instance', () => {
  it('each webhook gets its deliveries, signed with its own secret; one that is down does not delay the others', async () => {
    const [world, main, further] = [await createWorld(), await receiver(), await receiver()];
    const id = await world.subscribe('shop', main.url);
    const { secret } = await world.subscriptions.add(id, config(further.url));
    main.answer(() => 503);
    for (const text of ['one', 'two', 'three']) await world.receive(id, '15550002', text);
    const third = await further.next(({ body }) => textOf(body) === 'three');
    expect(taken(further)).toEqual(['one', 'two', 'three']);
    expect(() => third.verify(secret)).not.toThrow();
    expect(() => third.verify(world.subscriptions.findMain(id)?.secret ?? '')).toThrow();
    expect(main.posts.every(({ body }) => textOf(body) === 'one')).toBe(true);
  });

  it('each webhook gets the chats of its filter, also for queued and replayed events', async () => {
    const [world, hook] = [await createWorld(), await receiver()];
    const id = await world.subscribe('shop', hook.url, { chats: { except: ['15550003'] } });
    await world.receive(id, '15550003', 'unwanted');
    await world.receive(id, '15550002', 'wanted');
    await hook.next();
    hook.answer(() => 503);
    await world.receive(id, '15550002', 'later unwanted');
    await world.attempted(2);
    hook.answer(() => 200);
    const { id: webhook } = await world.subscriptions.setMain(id, {
      ...config(hook.url),
      chats: { only: ['15550004'] },
    });
    await world.receive(id, '15550004', 'last');
    await hook.next(({ body }) => textOf(body) === 'last');
    expect(taken(hook)).toEqual(['wanted', 'last']);
    expect(await world.dispatcher.drain(id, 0)).toBe(true);
    await world.dispatcher.stop();
    expect(await world.storage.outbox.depth(webhook)).toEqual({ waiting: 0, dead: 0, oldestWaitingAt: null });
  });

  it('a removed webhook loses its waiting deliveries, and no other webhook does', async () => {
    const [world, main, further] = [await createWorld(), await receiver(), await receiver()];
    const id = await world.subscribe('shop', main.url);
    const { id: removed } = await world.subscriptions.add(id, config(further.url));
    main.answer(() => 503);
    further.answer(() => 503);
    for (const chat of ['a', 'b', 'c']) await world.receive(id, chat, `in ${chat}`);
    await world.attempted(6);
    expect(await world.subscriptions.remove(id, removed)).toBe(3);
    main.answer(() => 200);
    further.answer(() => 200);
    await world.pass(60_000);
    await main.next(({ status }) => status === 200);
    await world.pass(60_000);
    expect(taken(further)).toEqual([]);
    await world.restart();
    await world.attempted(9);
    expect(taken(main).sort()).toEqual(['in a', 'in b', 'in c']);
    expect(further.posts).toHaveLength(3);
  });
});

describe('a webhook that the gateway disables', () => {
  it('a webhook that is changed while it is disabled for its old URL stays enabled', async () => {
    const world = await createWorld();
    const id = await world.subscribe('shop', 'http://127.0.0.1:9/old');
    const [old] = world.subscriptions.ownOf(id);
    const changed = world.subscriptions.setMain(id, config('http://127.0.0.1:9/new'));
    if (old) await world.subscriptions.disable(old);
    expect(world.subscriptions.findMain(id)).toEqual(await changed);
    await world.subscriptions.disable(await changed);
    expect(world.subscriptions.findMain(id)).toMatchObject({ enabled: false, url: 'http://127.0.0.1:9/new' });
  });
});

describe('the secret of a webhook', () => {
  it('old and new secret sign during a rotation, then only the new one', async () => {
    const [world, hook] = [await createWorld(), await receiver()];
    const id = await world.subscribe('shop', hook.url);
    const { id: webhook, secret: old } = world.subscriptions.findMain(id) ?? { id: '', secret: '' };
    const { secret: fresh } = await world.subscriptions.rotateSecret(id, webhook, { grace: 60_000 });
    await world.receive(id, '15550002', 'during');
    const during = await hook.next();
    expect(during.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
    for (const secret of [old, fresh]) expect(() => during.verify(secret)).not.toThrow();
    await world.pass(61_000);
    await world.receive(id, '15550002', 'after');
    const after = await hook.next(({ body }) => textOf(body) === 'after');
    expect(() => after.verify(fresh)).not.toThrow();
    expect(() => after.verify(old)).toThrow();
  });

  it('jwt_key signs a new token for each delivery and is never sent itself', async () => {
    const [world, hook] = [await createWorld(), await receiver()];
    const headers = { JWT_Key: 'the shared key', Authorization: 'Basic x', 'X-Other': 'y' };
    const id = await world.subscribe('shop', hook.url, { headers });
    await world.receive(id, '15550002', 'hello');
    const post = await hook.next();
    const [head, claims = '', signature] = post.headers.authorization?.replace(/^Bearer /, '').split('.') ?? [];
    const expected = createHmac('sha256', 'the shared key').update(`${head}.${claims}`).digest('base64url');
    expect(signature).toBe(expected);
    const { iat, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString());
    expect([String(iat), exp - iat]).toEqual([post.headers['webhook-timestamp'], 600]);
    expect(post.headers).toMatchObject({ 'x-other': 'y' });
    expect(post.headers).not.toHaveProperty('jwt_key');
  });
});

describe('the global webhook', () => {
  it('the global webhook gets the events of all instances besides their own webhooks', async () => {
    const [own, all] = [await receiver(), await receiver()];
    const world = await createWorld({ global: { url: all.url, events: [], byEvents: false } });
    const shop = await world.subscribe('shop', own.url);
    const other = await world.subscribe('other', '', { enabled: false });
    await world.receive(shop, '15550002', 'to shop');
    await world.receive(other, '15550002', 'to other');
    await Promise.all([own.next(), all.next(({ body }) => textOf(body) === 'to other')]);
    const names = () => all.posts.map(({ body }) => Reflect.get(Object(body), 'instance'));
    expect(taken(own)).toEqual(['to shop']);
    expect(taken(all).sort()).toEqual(['to other', 'to shop']);
    expect(names().sort()).toEqual(['other', 'shop']);
    expect(() => all.posts[0]?.verify(world.subscriptions.global()?.secret ?? '')).not.toThrow();
  });

  it('the global webhook is drained before an instance is deleted, and keeps the events after it', async () => {
    const all = await receiver();
    const world = await createWorld({ global: { url: all.url, events: [], byEvents: false } });
    const shop = await world.subscribe('shop', '', { enabled: false });
    await world.receive(shop, '15550002', 'last');
    expect(await world.dispatcher.drain(shop, 5_000)).toBe(true);
    expect(taken(all)).toEqual(['last']);
    await world.storage.instances.delete(shop);
    world.subscriptions.forget(shop);
    await world.store(shop, [received('afterwards')]);
    world.dispatcher.wake(shop);
    await all.next(({ body }) => textOf(body) === 'afterwards');
  });

  it('the global webhook gets the events of an acquired instance in order', async () => {
    const [all, own] = [await receiver(), await receiver()];
    let isAcquired = false;
    const world = await createWorld({
      global: { url: all.url, events: [], byEvents: false },
      outbox: (real) => ({
        ...real,
        // As in a cluster: the store returns only deliveries of the node's own instances.
        async pending(webhookId, lane, after, limit) {
          const rows = await real.pending(webhookId, lane, after, 100);
          return rows.filter(({ instanceId }) => isAcquired || instanceId !== 'id-moved').slice(0, limit);
        },
      }),
    });
    const [moved, stays] = [await world.subscribe('moved', own.url), await world.subscribe('stays', own.url)];
    await world.store(moved, [received('moved 1'), received('moved 2')]);
    for (let n = 1; n <= 12; n++) await world.store(stays, [received(`stays ${n}`)]);
    const [hasPosted, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<200>()];
    all.answer(() => {
      hasPosted.resolve();
      return answer.promise;
    });
    world.dispatcher.wake(stays);
    await hasPosted.promise;
    isAcquired = true;
    await world.dispatcher.acquire([moved]);
    await world.store(moved, [received('moved 3')]);
    world.dispatcher.wake(moved);
    answer.resolve(200);
    await all.next(is('moved 3'));
    expect(taken(all).filter((text) => text.startsWith('moved'))).toEqual(['moved 1', 'moved 2', 'moved 3']);
  });
});

describe('an instance that moves to another node', () => {
  it('an instance that comes back gets its events in order, if its lanes ran before the acquisition', async () => {
    const hook = await receiver();
    const [hasRead, isAcquired] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const world = await createWorld({
      outbox: (real) => ({
        ...real,
        async pending(webhookId, lane, after, limit) {
          if (after > 0) await isAcquired.promise;
          const rows = await real.pending(webhookId, lane, after, limit);
          if (rows.length > 0) hasRead.resolve();
          return rows;
        },
      }),
    });
    const id = await world.subscribe('moved', hook.url);
    const texts = Array.from({ length: 20 }, (_, n) => `event ${n}`);
    await world.dispatcher.release(id, 0);
    await world.store(id, texts.map(received));
    world.dispatcher.wake(id);
    await hasRead.promise;
    await world.pass(0);
    await world.dispatcher.acquire([id]);
    isAcquired.resolve();
    await hook.next(is('event 19'));
    expect(taken(hook)).toEqual(texts);
  });

  it.each([
    'its own',
    'the global',
  ])('%s webhook reads the store at most once a second while it moves', async (kind) => {
    const hook = await receiver();
    const [ROWS, WINDOW] = [256, 8];
    let reads = 0;
    const hasReadAll = Promise.withResolvers<void>();
    const world = await createWorld({
      ...(kind === 'the global' ? { global: { url: hook.url, events: [], byEvents: false } } : {}),
      outbox: (real) => ({
        ...real,
        async pending(...args) {
          await setImmediate();
          const rows = await real.pending(...args);
          if (rows.length > 0) reads++;
          if (reads === (kind === 'its own' ? 1 : ROWS / WINDOW)) hasReadAll.resolve();
          return rows;
        },
      }),
    });
    const id = await world.subscribe('moved', hook.url, { enabled: kind === 'its own' });
    await world.dispatcher.release(id, 0);
    for (let n = 0; n < ROWS + WINDOW; n++) await world.store(id, [received(`event ${n}`)]);
    world.dispatcher.wake(id);
    await hasReadAll.promise;
    const readsPerPass = reads;
    for (let turn = 0; turn < 50; turn++) await world.pass(0);
    expect(reads).toBe(readsPerPass);
    await world.pass(1_000);
    await world.pass(0);
    expect(reads).toBeGreaterThan(readsPerPass);
    expect(hook.posts).toEqual([]);
    await world.dispatcher.acquire([id]);
    await hook.next(is('event 9'));
    expect(taken(hook)).toEqual(Array.from({ length: 10 }, (_, n) => `event ${n}`));
  });
});

describe('the key of an instance', () => {
  it('the key of an instance is added when a delivery is sent, and is not in the store', async () => {
    const [own, all] = [await receiver(), await receiver()];
    const world = await createWorld({
      global: { url: all.url, events: [], byEvents: false },
      keyOf: (instanceId) => `key of ${instanceId}`,
    });
    const shop = await world.subscribe('shop', own.url);
    await world.receive(shop, '15550002', 'hello');
    for (const { body } of await Promise.all([own.next(), all.next()])) {
      expect(body).toMatchObject({ apikey: `key of ${shop}` });
    }
    const { events } = await world.storage.events.read(shop, { after: 0, limit: 10 });
    expect(events.map(({ body }) => body)).toEqual([expect.not.stringContaining('key of')]);
  });
});
