import { describe, expect, it, onTestFinished } from 'vitest';
import { type Post, type Receiver, startReceiver } from '../support/receiver.ts';
import { createWorld, textOf, type World } from './world.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

async function receiver(): Promise<Receiver> {
  const started = await startReceiver();
  onTestFinished(() => started.stop());
  return started;
}

const taken = (posts: readonly Post[]) => posts.filter((post) => post.status === 200).map((post) => textOf(post.body));
const is = (text: string) => (post: Post) => textOf(post.body) === text;

/** Lets time pass until the receiver took `text`; every pause is followed by the attempt it leads to. */
async function until(world: World, hook: Receiver, text: string): Promise<void> {
  let done = false;
  const arrived = hook
    .next((post) => post.status === 200 && is(text)(post))
    .then(() => {
      done = true;
    });
  while (!done) {
    await world.pass(MINUTE);
    await Promise.race([arrived, world.attempted(world.attempts().length + 1)]);
  }
}

describe('a delivery', () => {
  it('is posted once, signed, with the stored id and the configured headers', async () => {
    const [world, hook] = [await createWorld(), await receiver()];
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
    expect(() => post.verify(world.subscriptions.find(id)?.secret ?? '')).not.toThrow();
    expect(() => post.verify(`whsec_${Buffer.from('another secret').toString('base64')}`)).toThrow();
    await world.attempted(1);
    await world.dispatcher.stop();
    expect(await world.storage.outbox.backlog()).toEqual([]);
    expect(hook.posts).toHaveLength(1);
  });

  it('goes to the path of its event when asked for, and names the base as destination', async () => {
    const [world, hook] = [await createWorld(), await receiver()];
    const id = await world.subscribe('shop', `${hook.url}/in/?k=1`, { byEvents: true });
    await world.receive(id, '15550002', 'hello');
    const post = await hook.next();
    expect(post.path).toBe('/in/messages-upsert?k=1');
    expect(post.body).toMatchObject({ destination: `${hook.url}/in/?k=1` });
  });

  it('keeps the order of a chat while many chats are served at once', async () => {
    const [world, hook] = [await createWorld(), await receiver()];
    const id = await world.subscribe('shop', hook.url);
    let open = 0;
    let widest = 0;
    hook.answer(async () => {
      widest = Math.max(widest, ++open);
      await new Promise(setImmediate);
      open--;
      return 200;
    });
    for (let n = 0; n < 30; n++)
      for (const chat of ['a', 'b', 'c', 'd', 'e', 'f']) await world.receive(id, chat, `${chat}${n}`);
    await world.attempted(180);
    for (const chat of ['a', 'b', 'c', 'd', 'e', 'f']) {
      const texts = taken(hook.posts).filter((text) => text.startsWith(chat));
      expect(texts).toEqual(Array.from({ length: 30 }, (_, n) => `${chat}${n}`));
    }
    expect(widest).toBeGreaterThan(1);
  });

  it('keeps the order of a chat, and every id, through failures of every kind', async () => {
    const [world, hook] = [await createWorld(), await receiver()];
    const id = await world.subscribe('shop', hook.url);
    const failures = [500, 'close', 503, 429, 408, 'close', 502] as const;
    let count = 0;
    hook.answer((post) => (post.attempt < 3 ? (failures[count++ % failures.length] ?? 500) : 200));
    const texts = Array.from({ length: 6 }, (_, n) => `text ${n}`);
    for (const text of texts) await world.receive(id, '15550002', text);
    await until(world, hook, 'text 5');
    expect(taken(hook.posts)).toEqual(texts);
    const ids = new Set(hook.posts.map((post) => post.headers['webhook-id']));
    expect(ids.size).toBe(6);
    const bodies = new Set(hook.posts.map((post) => post.raw));
    expect(bodies.size).toBe(6);
  });

  it('survives a restart in the middle: same id, same order, nothing twice after it was taken', async () => {
    const [world, hook] = [await createWorld(), await receiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer((post) => (is('first')(post) ? 200 : 503));
    for (const text of ['first', 'second', 'third']) await world.receive(id, '15550002', text);
    const refused = await hook.next(is('second'));
    await world.attempted(2);
    await world.restart();
    hook.answer(() => 200);
    await world.pass(6 * SECOND);
    await hook.next(is('third'));
    expect(taken(hook.posts)).toEqual(['first', 'second', 'third']);
    const again = hook.posts.filter(is('second')).at(-1);
    expect(again?.headers['webhook-id']).toBe(refused.headers['webhook-id']);
    expect(again?.attempt).toBe(2);
  });

  it('that our own shutdown broke off does not count as an attempt', async () => {
    const [world, hook] = [await createWorld(), await receiver()];
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
    const [row] = await world.storage.outbox.backlog();
    const [waiting] = await world.storage.outbox.pending(row?.webhookId ?? '', row?.lane ?? 0, 0, 10);
    expect(waiting).toMatchObject({ attempts: 0 });
    expect(world.attempts()).toEqual([]);
  });

  it('that is still being answered when we stop is waited for and counts', async () => {
    const [world, hook] = [await createWorld(), await receiver()];
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
    expect(await world.storage.outbox.backlog()).toEqual([]);
  });
});

describe('a failing receiver', () => {
  it('is tried again after 5 s, 15 s, 30 s, 1 m, 2 m and then every 5 m, until it answers', async () => {
    const [world, hook] = [await createWorld(), await receiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer(() => 500);
    await world.receive(id, '15550002', 'hello');
    for (const [n, pause] of [5, 15, 30, 60, 120, 300, 300].entries()) {
      await world.attempted(n + 1);
      await world.pass(pause * SECOND - 1);
      expect(world.attempts()).toHaveLength(n + 1);
      await world.pass(1);
    }
    // The eighth attempt is on its way: this decides its answer.
    hook.answer(() => 200);
    const attempts = await world.attempted(8);
    expect(attempts.map((attempt) => attempt.attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(attempts.at(-1)).toMatchObject({ code: 200, next: 'delivered' });
  });

  it('that names a time is left alone until then', async () => {
    const [world, hook] = [await createWorld(), await receiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer((post) =>
      post.attempt === 1 && is('one')(post) ? { status: 429, headers: { 'retry-after': '120' } } : 200,
    );
    await world.receive(id, 'chat 1', 'one');
    await world.attempted(1);
    for (const chat of ['chat 1', 'chat 2', 'chat 3', 'chat 4']) await world.receive(id, chat, `later in ${chat}`);
    await world.pass(120 * SECOND - 1);
    await world.pass(0);
    expect(hook.posts).toHaveLength(1);
    await world.pass(1);
    await world.attempted(6);
    expect(taken(hook.posts)).toHaveLength(5);
  });

  it('costs no memory once it counts as dead, and everything comes in order when it is back', async () => {
    let held = 0;
    const world = await createWorld({
      outbox: (real) => ({
        ...real,
        async pending(...args) {
          const rows = await real.pending(...args);
          held += rows.length;
          return rows;
        },
      }),
    });
    const hook = await receiver();
    const id = await world.subscribe('shop', hook.url);
    hook.answer(() => 503);
    for (let n = 0; n < 5; n++) {
      await world.receive(id, `chat ${n}`, `${n}`);
      await world.attempted(n + 1);
    }
    expect(world.log.filter((line) => line.msg === 'webhook.paused')).toHaveLength(1);
    held = 0;
    for (let n = 5; n < 500; n++) await world.receive(id, `chat ${n % 5}`, `${n}`);
    await world.pass(0);
    expect(held).toBe(0);
    expect(world.attempts()).toHaveLength(5);
    expect(world.clock.timers).toBeLessThanOrEqual(2);
    hook.answer(() => 200);
    await until(world, hook, '499');
    await world.attempted(505);
    for (let chat = 0; chat < 5; chat++) {
      const texts = taken(hook.posts).filter((text) => Number(text) % 5 === chat);
      expect(texts).toEqual(Array.from({ length: 100 }, (_, n) => `${n * 5 + chat}`));
    }
  });

  it('is probed with one event at a time, not with all that wait', async () => {
    const [world, hook] = [await createWorld(), await receiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer(() => 'close');
    for (let n = 0; n < 5; n++) {
      await world.receive(id, `chat ${n}`, `${n}`);
      await world.attempted(n + 1);
    }
    for (const [n, pause] of [5, 15, 30].entries()) {
      await world.pass(pause * SECOND);
      await world.attempted(6 + n);
    }
    await world.pass(0);
    expect(world.attempts()).toHaveLength(8);
  });

  it('does not delay the webhook of another instance, dead or slow', async () => {
    const [world, dead, slow, hook] = [await createWorld(), await receiver(), await receiver(), await receiver()];
    await dead.stop();
    slow.answer(() => new Promise(() => {}));
    const [a, b, c] = [
      await world.subscribe('dead', dead.url),
      await world.subscribe('slow', slow.url),
      await world.subscribe('shop', hook.url),
    ];
    for (let n = 0; n < 20; n++) for (const id of [a, b, c]) await world.receive(id, `chat ${n}`, `${n}`);
    await hook.next(() => taken(hook.posts).length === 20);
    expect(slow.posts.length).toBeLessThanOrEqual(8);
  });

  it('that takes too long is broken off and tried again', async () => {
    const world = await createWorld({ options: { timeout: 30 } });
    const hook = await receiver();
    const id = await world.subscribe('shop', hook.url);
    hook.answer((post) => (post.attempt === 1 ? new Promise(() => {}) : 200));
    await world.receive(id, '15550002', 'hello');
    expect(await world.attempted(1)).toMatchObject([{ code: 'ETIMEDOUT' }]);
    await world.pass(5 * SECOND);
    expect(await world.attempted(2)).toMatchObject([{}, { code: 200, next: 'delivered' }]);
  });

  it('loses an event only when it is older than the expiry, and then as a dead letter', async () => {
    const world = await createWorld({ options: { expiry: 60 * MINUTE } });
    const hook = await receiver();
    const id = await world.subscribe('shop', hook.url);
    hook.answer(() => 503);
    await world.receive(id, '15550002', 'old');
    await world.attempted(1);
    hook.answer(() => 200);
    world.clock.advance(1);
    await world.dispatcher.stop();
    world.clock.advance(61 * MINUTE);
    await world.restart();
    await world.receive(id, '15550002', 'new');
    await hook.next(is('new'));
    expect(taken(hook.posts)).toEqual(['new']);
    await world.attempted(2);
    await world.dispatcher.stop();
    expect(await world.storage.outbox.depth(world.subscriptions.find(id)?.id ?? '')).toEqual({ waiting: 0, dead: 1 });
  });
});

describe('a refused event', () => {
  it('is tried three times, now, after 5 s and after 5 m, then the chat goes on without it', async () => {
    const [world, hook] = [await createWorld(), await receiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer((post) => (is('poison')(post) ? 422 : 200));
    for (const text of ['before', 'poison', 'after']) await world.receive(id, '15550002', text);
    await world.attempted(2);
    await world.pass(5 * SECOND);
    await world.attempted(3);
    await world.pass(5 * MINUTE);
    const attempts = await world.attempted(5);
    expect(attempts.map(({ code, next }) => [code, next === 'delivered' || next === 'dead' ? next : 'retry'])).toEqual([
      [200, 'delivered'],
      [422, 'retry'],
      [422, 'retry'],
      [422, 'dead'],
      [200, 'delivered'],
    ]);
    expect(taken(hook.posts)).toEqual(['before', 'after']);
  });

  it('holds only its own lane meanwhile', async () => {
    const [world, hook] = [await createWorld(), await receiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer((post) => (is('poison')(post) ? 400 : 200));
    await world.receive(id, 'chat 0', 'poison');
    await world.attempted(1);
    for (let n = 1; n < 8; n++) await world.receive(id, `chat ${n}`, `${n}`);
    await hook.next(() => taken(hook.posts).length >= 6);
    expect(world.attempts().filter((attempt) => attempt.code === 400)).toHaveLength(1);
  });

  it('is given up when the receiver fails on it for long while it takes all others', async () => {
    const [world, hook] = [await createWorld(), await receiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer((post) => (is('poison')(post) ? 500 : 200));
    await world.receive(id, 'chat 0', 'poison');
    await world.receive(id, 'chat 0', 'after');
    let others = 0;
    while (!taken(hook.posts).includes('after')) {
      const made = world.attempts().length;
      await world.receive(id, 'chat 1', `other ${others++}`);
      await world.attempted(made + 1);
      await world.pass(MINUTE);
    }
    const poison = world.attempts().filter((attempt) => attempt.code === 500);
    expect(poison.at(-1)?.next).toBe('dead');
    expect(poison.length).toBeGreaterThanOrEqual(8);
  });
});

describe('a webhook whose receiver answers 410', () => {
  it('is switched off; what waits is kept and comes when it is switched on again', async () => {
    const [world, hook] = [await createWorld(), await receiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer(() => 410);
    for (const text of ['gone', 'kept']) await world.store(id, [received(text)]);
    world.dispatcher.wake(id);
    await world.attempted(1);
    await world.pass(0);
    expect(world.subscriptions.find(id)?.enabled).toBe(false);
    expect((await world.storage.webhooks.list())[0]?.enabled).toBe(false);
    hook.answer(() => 200);
    await world.subscriptions.set(id, { enabled: true, url: hook.url });
    await hook.next(is('kept'));
    expect(taken(hook.posts)).toEqual(['kept']);
  });
});

describe('a change of the webhook while events wait', () => {
  it('sends them to the new address at once, signed with the same secret', async () => {
    const [world, old, fresh] = [await createWorld(), await receiver(), await receiver()];
    const id = await world.subscribe('shop', old.url);
    old.answer(() => 503);
    for (const text of ['one', 'two', 'three']) await world.receive(id, '15550002', text);
    await world.attempted(1);
    await world.pass(0);
    const secret = world.subscriptions.find(id)?.secret ?? '';
    await world.subscriptions.set(id, { enabled: true, url: fresh.url });
    const last = await fresh.next(is('three'));
    expect(taken(fresh.posts)).toEqual(['one', 'two', 'three']);
    expect(last.body).toMatchObject({ destination: fresh.url });
    expect(() => last.verify(secret)).not.toThrow();
  });

  it('to disabled keeps them, and enabling posts them', async () => {
    const [world, hook] = [await createWorld(), await receiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer(() => 503);
    await world.receive(id, '15550002', 'one');
    await world.attempted(1);
    await world.subscriptions.set(id, { enabled: false, url: hook.url });
    hook.answer(() => 200);
    await world.pass(10 * MINUTE);
    expect(world.attempts()).toHaveLength(1);
    expect(world.clock.timers).toBe(1);
    await world.subscriptions.set(id, { enabled: true, url: hook.url });
    await hook.next((post) => post.status === 200);
    expect(taken(hook.posts)).toEqual(['one']);
  });

  it('by deleting the instance stops its posts', async () => {
    const [world, hook] = [await createWorld(), await receiver()];
    const id = await world.subscribe('shop', hook.url);
    hook.answer(() => 503);
    await world.receive(id, '15550002', 'one');
    await world.attempted(1);
    await world.pass(0);
    await world.storage.instances.delete(id);
    world.subscriptions.forget(id);
    await world.pass(10 * MINUTE);
    expect(world.attempts()).toHaveLength(1);
    expect(await world.dispatcher.drained(id, SECOND)).toBe(true);
  });
});

describe('the dispatcher', () => {
  it('finds work of every webhook when it is woken without a name', async () => {
    const [world, hook] = [await createWorld(), await receiver()];
    const [a, b] = [await world.subscribe('a', hook.url), await world.subscribe('b', hook.url)];
    await world.store(a, [received('one')]);
    await world.store(b, [received('two')]);
    world.dispatcher.wake();
    await world.attempted(2);
    expect(taken(hook.posts).sort()).toEqual(['one', 'two']);
  });

  it('tells when nothing of an instance waits any more', async () => {
    const [world, hook] = [await createWorld(), await receiver()];
    const id = await world.subscribe('shop', hook.url);
    const gate = Promise.withResolvers<number>();
    hook.answer(() => gate.promise);
    await world.receive(id, '15550002', 'last words');
    const drained = world.dispatcher.drained(id, MINUTE);
    gate.resolve(200);
    expect(await drained).toBe(true);
    hook.answer(() => 503);
    await world.receive(id, '15550002', 'never taken');
    await world.attempted(2);
    const never = world.dispatcher.drained(id, SECOND);
    await world.pass(SECOND);
    expect(await never).toBe(false);
  });

  it('goes on when the store failed for a while', async () => {
    let broken = true;
    const world = await createWorld({
      outbox: (real) => ({
        ...real,
        pending: (...args) => (broken ? Promise.reject(new Error('no store')) : real.pending(...args)),
        settle: (rows) => (broken ? Promise.reject(new Error('no store')) : real.settle(rows)),
      }),
    });
    const hook = await receiver();
    const id = await world.subscribe('shop', hook.url);
    await world.receive(id, '15550002', 'hello');
    await world.pass(0);
    expect(hook.posts).toHaveLength(0);
    broken = false;
    await world.pass(SECOND);
    await world.attempted(1);
    await world.dispatcher.stop();
    expect(await world.storage.outbox.backlog()).toEqual([]);
  });

  it('delivers an event once although storing its result failed at first', async () => {
    let failures = 2;
    const world = await createWorld({
      outbox: (real) => ({
        ...real,
        settle: (rows) => (failures-- > 0 ? Promise.reject(new Error('no store')) : real.settle(rows)),
      }),
    });
    const hook = await receiver();
    const id = await world.subscribe('shop', hook.url);
    await world.receive(id, '15550002', 'one');
    await world.attempted(1);
    for (let n = 0; n < 3; n++) await world.pass(SECOND);
    await world.receive(id, '15550002', 'two');
    await world.attempted(2);
    expect(taken(hook.posts)).toEqual(['one', 'two']);
  });

  it('logs attempts without body, address, key or phone number', async () => {
    const [world, hook] = [await createWorld(), await receiver()];
    const id = await world.subscribe('shop', `${hook.url}/hook?token=sesame`, {
      headers: { authorization: 'Bearer key' },
    });
    await world.receive(id, '4917012345678', 'private words');
    await world.attempted(1);
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

  it('removes what was delivered once it is older than the expiry', async () => {
    const [world, hook] = [await createWorld(), await receiver()];
    const id = await world.subscribe('shop', hook.url);
    await world.receive(id, '15550002', 'hello');
    await world.attempted(1);
    await world.pass(74 * 60 * MINUTE);
    await new Promise(setImmediate);
    expect(world.log.filter((line) => line.msg === 'webhook.pruned')).not.toEqual([]);
    expect(world.log.reduce((sum, line) => sum + Number(line.rows ?? 0), 0)).toBe(1);
  });
});

function received(text: string) {
  const message = {
    key: { remoteJid: '15550002@s.whatsapp.net', fromMe: false, id: `R-${text}` },
    message: { conversation: text },
    messageType: 'conversation',
    messageTimestamp: 1_700_000_000,
    source: 'android' as const,
  };
  return { type: 'messages.upsert' as const, message };
}
