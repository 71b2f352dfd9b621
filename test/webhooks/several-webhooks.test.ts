// Several webhooks over a real store and real receivers: the deliveries of each webhook, also after a change or removal
// of a webhook.
import { createHmac } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { acceptedTexts, createReceiver, createWorld, hasText, textEvent, textOf } from '../support/dispatcher-world.ts';

const config = (url: string) => ({ enabled: true, url });

describe('several webhooks of one instance', () => {
  it('each webhook gets its deliveries, signed with its own secret; one that is down does not delay the others', async () => {
    const [world, main, further] = [await createWorld(), await createReceiver(), await createReceiver()];
    const id = await world.subscribe('shop', main.url);
    const { secret } = await world.subscriptions.add(id, config(further.url));
    main.answer(() => 503);
    for (const text of ['one', 'two', 'three']) await world.receive(id, '15550002', text);
    const third = await further.next(({ body }) => textOf(body) === 'three');
    expect(acceptedTexts(further)).toEqual(['one', 'two', 'three']);
    expect(() => third.verify(secret)).not.toThrow();
    expect(() => third.verify(world.subscriptions.findMain(id)?.secret ?? '')).toThrow();
    expect(main.posts.every(({ body }) => textOf(body) === 'one')).toBe(true);
  });

  it('each webhook gets the chats of its filter, also for queued and replayed events', async () => {
    const [world, hook] = [await createWorld(), await createReceiver()];
    const id = await world.subscribe('shop', hook.url, { chats: { except: ['15550003'] } });
    await world.receive(id, '15550003', 'unwanted');
    await world.receive(id, '15550002', 'wanted');
    await hook.next();
    hook.answer(() => 503);
    await world.receive(id, '15550002', 'later unwanted');
    await world.waitForAttempts(2);
    hook.answer(() => 200);
    const { id: webhook } = await world.subscriptions.setMain(id, {
      ...config(hook.url),
      chats: { only: ['15550004'] },
    });
    await world.receive(id, '15550004', 'last');
    await hook.next(({ body }) => textOf(body) === 'last');
    expect(acceptedTexts(hook)).toEqual(['wanted', 'last']);
    expect(await world.dispatcher.drain(id, 0)).toBe(true);
    await world.dispatcher.stop();
    expect(await world.storage.outbox.depth(webhook)).toEqual({ waiting: 0, dead: 0, oldestWaitingAt: null });
  });

  it('a removed webhook loses its waiting deliveries, and no other webhook does', async () => {
    const [world, main, further] = [await createWorld(), await createReceiver(), await createReceiver()];
    const id = await world.subscribe('shop', main.url);
    const { id: removed } = await world.subscriptions.add(id, config(further.url));
    main.answer(() => 503);
    further.answer(() => 503);
    for (const chat of ['a', 'b', 'c']) await world.receive(id, chat, `in ${chat}`);
    await world.waitForAttempts(6);
    expect(await world.subscriptions.remove(id, removed)).toBe(3);
    main.answer(() => 200);
    further.answer(() => 200);
    await world.pass(60_000);
    await main.next(({ status }) => status === 200);
    await world.pass(60_000);
    expect(acceptedTexts(further)).toEqual([]);
    await world.restart();
    await world.waitForAttempts(9);
    expect(acceptedTexts(main).sort()).toEqual(['in a', 'in b', 'in c']);
    expect(further.posts).toHaveLength(3);
  });
});

describe('webhooks that the gateway disables', () => {
  it('a webhook that is changed while it is disabled for its old URL stays enabled', async () => {
    const world = await createWorld();
    const id = await world.subscribe('shop', 'http://127.0.0.1:9/old');
    const [oldRow] = world.subscriptions.listOwn(id);
    const changed = world.subscriptions.setMain(id, config('http://127.0.0.1:9/new'));
    if (oldRow) await world.subscriptions.disable(oldRow);
    expect(world.subscriptions.findMain(id)).toEqual(await changed);
    await world.subscriptions.disable(await changed);
    expect(world.subscriptions.findMain(id)).toMatchObject({ enabled: false, url: 'http://127.0.0.1:9/new' });
  });
});

describe('secrets of webhooks', () => {
  it('a delivery has signatures of the old and the new secret during a rotation, and then only of the new one', async () => {
    const [world, hook] = [await createWorld(), await createReceiver()];
    const id = await world.subscribe('shop', hook.url);
    const { id: webhook, secret: oldSecret } = world.subscriptions.findMain(id) ?? { id: '', secret: '' };
    const { secret: newSecret } = await world.subscriptions.rotateSecret(id, webhook, { grace: 60_000 });
    await world.receive(id, '15550002', 'during');
    const during = await hook.next();
    expect(during.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
    for (const secret of [oldSecret, newSecret]) expect(() => during.verify(secret)).not.toThrow();
    await world.pass(61_000);
    await world.receive(id, '15550002', 'after');
    const after = await hook.next(({ body }) => textOf(body) === 'after');
    expect(() => after.verify(newSecret)).not.toThrow();
    expect(() => after.verify(oldSecret)).toThrow();
  });

  it('the header jwt_key signs a new token for each delivery, and is not sent', async () => {
    const [world, hook] = [await createWorld(), await createReceiver()];
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
    const [ownHook, globalHook] = [await createReceiver(), await createReceiver()];
    const world = await createWorld({ global: { url: globalHook.url, events: [], byEvents: false } });
    const shop = await world.subscribe('shop', ownHook.url);
    const other = await world.subscribe('other', '', { enabled: false });
    await world.receive(shop, '15550002', 'to shop');
    await world.receive(other, '15550002', 'to other');
    await Promise.all([ownHook.next(), globalHook.next(({ body }) => textOf(body) === 'to other')]);
    const names = () => globalHook.posts.map(({ body }) => Reflect.get(Object(body), 'instance'));
    expect(acceptedTexts(ownHook)).toEqual(['to shop']);
    expect(acceptedTexts(globalHook).sort()).toEqual(['to other', 'to shop']);
    expect(names().sort()).toEqual(['other', 'shop']);
    expect(() => globalHook.posts[0]?.verify(world.subscriptions.global()?.secret ?? '')).not.toThrow();
  });

  it('Dispatcher.drain() waits for the global webhook, which gets events also after the instance is deleted', async () => {
    const globalHook = await createReceiver();
    const world = await createWorld({ global: { url: globalHook.url, events: [], byEvents: false } });
    const shop = await world.subscribe('shop', '', { enabled: false });
    await world.receive(shop, '15550002', 'last');
    expect(await world.dispatcher.drain(shop, 5_000)).toBe(true);
    expect(acceptedTexts(globalHook)).toEqual(['last']);
    await world.storage.instances.delete(shop);
    world.subscriptions.forget(shop);
    await world.store(shop, [textEvent('afterwards')]);
    world.dispatcher.wake(shop);
    await globalHook.next(({ body }) => textOf(body) === 'afterwards');
  });

  it('the global webhook gets the events of an acquired instance in order', async () => {
    const [globalHook, ownHook] = [await createReceiver(), await createReceiver()];
    let isAcquired = false;
    const world = await createWorld({
      global: { url: globalHook.url, events: [], byEvents: false },
      outbox: (real) => ({
        ...real,
        // As in a cluster: the store returns only deliveries of the node's own instances.
        async listPending(webhookId, lane, after, limit) {
          const rows = await real.listPending(webhookId, lane, after, 100);
          return rows.filter(({ instanceId }) => isAcquired || instanceId !== 'id-moved').slice(0, limit);
        },
      }),
    });
    const [movedId, otherId] = [
      await world.subscribe('moved', ownHook.url),
      await world.subscribe('stays', ownHook.url),
    ];
    await world.store(movedId, [textEvent('moved 1'), textEvent('moved 2')]);
    for (let n = 1; n <= 12; n++) await world.store(otherId, [textEvent(`stays ${n}`)]);
    const [hasPosted, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<200>()];
    globalHook.answer(() => {
      hasPosted.resolve();
      return answer.promise;
    });
    world.dispatcher.wake(otherId);
    await hasPosted.promise;
    isAcquired = true;
    await world.dispatcher.acquire([movedId]);
    await world.store(movedId, [textEvent('moved 3')]);
    world.dispatcher.wake(movedId);
    answer.resolve(200);
    await globalHook.next(hasText('moved 3'));
    expect(acceptedTexts(globalHook).filter((text) => text.startsWith('moved'))).toEqual([
      'moved 1',
      'moved 2',
      'moved 3',
    ]);
  });
});

describe('instances that move to another node', () => {
  it('an instance that returns to a node has its events delivered in order, also when its lanes ran before acquire()', async () => {
    const hook = await createReceiver();
    const [hasRead, isAcquired] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const world = await createWorld({
      outbox: (real) => ({
        ...real,
        async listPending(webhookId, lane, after, limit) {
          if (after > 0) await isAcquired.promise;
          const rows = await real.listPending(webhookId, lane, after, limit);
          if (rows.length > 0) hasRead.resolve();
          return rows;
        },
      }),
    });
    const id = await world.subscribe('moved', hook.url);
    const texts = Array.from({ length: 20 }, (_, n) => `event ${n}`);
    await world.dispatcher.release(id, 0);
    await world.store(id, texts.map(textEvent));
    world.dispatcher.wake(id);
    await hasRead.promise;
    await world.pass(0);
    await world.dispatcher.acquire([id]);
    isAcquired.resolve();
    await hook.next(hasText('event 19'));
    expect(acceptedTexts(hook)).toEqual(texts);
  });

  it.each([
    'its own',
    'the global',
  ])('the dispatcher reads the store for %s webhook of a moving instance at most once per second', async (kind) => {
    const hook = await createReceiver();
    const [ROWS, WINDOW] = [256, 8];
    let reads = 0;
    const hasReadAll = Promise.withResolvers<void>();
    const world = await createWorld({
      ...(kind === 'the global' ? { global: { url: hook.url, events: [], byEvents: false } } : {}),
      outbox: (real) => ({
        ...real,
        async listPending(...args) {
          await setImmediate();
          const rows = await real.listPending(...args);
          if (rows.length > 0) reads++;
          if (reads === (kind === 'its own' ? 1 : ROWS / WINDOW)) hasReadAll.resolve();
          return rows;
        },
      }),
    });
    const id = await world.subscribe('moved', hook.url, { enabled: kind === 'its own' });
    await world.dispatcher.release(id, 0);
    for (let n = 0; n < ROWS + WINDOW; n++) await world.store(id, [textEvent(`event ${n}`)]);
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
    await hook.next(hasText('event 9'));
    expect(acceptedTexts(hook)).toEqual(Array.from({ length: 10 }, (_, n) => `event ${n}`));
  });
});

describe('keys of instances', () => {
  it('the key of an instance is added when a delivery is sent, and is not in the store', async () => {
    const [ownHook, globalHook] = [await createReceiver(), await createReceiver()];
    const world = await createWorld({
      global: { url: globalHook.url, events: [], byEvents: false },
      keyOf: (instanceId) => `key of ${instanceId}`,
    });
    const shop = await world.subscribe('shop', ownHook.url);
    await world.receive(shop, '15550002', 'hello');
    for (const { body } of await Promise.all([ownHook.next(), globalHook.next()])) {
      expect(body).toMatchObject({ apikey: `key of ${shop}` });
    }
    const { events } = await world.storage.events.read(shop, { after: 0, limit: 10 });
    expect(events.map(({ body }) => body)).toEqual([expect.not.stringContaining('key of')]);
  });
});
