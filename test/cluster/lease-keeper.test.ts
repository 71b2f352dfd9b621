// Which node takes what when: many keepers on one database in memory, in made-up time.
import { describe, expect, it } from 'vitest';
import { FakeCluster, FakeMember, TTL } from './leasing.ts';

const BEAT = TTL / 5;
const counts = (...members: FakeMember[]) => members.map(({ running }) => running.size);
/** No instance runs twice, and every one that should runs. */
const each = (cluster: FakeCluster, ...members: FakeMember[]) =>
  expect(members.flatMap(({ running }) => [...running]).sort()).toEqual([...cluster.leases.keys()].sort());

describe('a node', () => {
  it('that is alone takes everything at once', async () => {
    const cluster = new FakeCluster();
    cluster.add(20);
    each(cluster, await cluster.join('a'));
  });

  it('takes no more than its capacity', async () => {
    const cluster = new FakeCluster();
    cluster.add(20);
    const a = await cluster.join('a', 5);
    await cluster.clock.advance(TTL * 10);
    expect(counts(a)).toEqual([5]);
    const b = await cluster.join('b');
    await cluster.clock.advance(TTL * 3);
    each(cluster, a, b);
  });

  it('gets its share from the others when it joins, a few at a time', async () => {
    const cluster = new FakeCluster();
    cluster.add(20);
    const a = await cluster.join('a');
    const b = await cluster.join('b');
    await cluster.clock.advance(BEAT);
    expect(counts(b)[0]).toBeLessThan(5);
    await cluster.clock.advance(BEAT * 10);
    expect(Math.min(...counts(a, b))).toBeGreaterThanOrEqual(9);
    each(cluster, a, b);
    const moved = a.ended.length;
    await cluster.clock.advance(TTL * 10);
    expect(a.ended).toHaveLength(moved);
    expect(b.ended).toEqual([]);
  });

  it('gets none that is just connecting, unless the other stops', async () => {
    const cluster = new FakeCluster();
    cluster.add(4);
    const a = await cluster.join('a');
    for (const id of ['i0', 'i1', 'i2']) a.busy.add(id);
    const b = await cluster.join('b');
    await cluster.clock.advance(TTL * 3);
    expect([...b.running]).toEqual(['i3']);
    await a.keeper.drain(10_000);
    each(cluster, b);
  });

  it('keeps sending heartbeats while the work of other parts after one does not end', async () => {
    const cluster = new FakeCluster();
    const a = await cluster.join('a');
    a.afterHeartbeat = new Promise(() => undefined);
    await cluster.clock.advance(TTL * 3);
    expect(cluster.now() - (cluster.nodes.get(a.id)?.heardAt ?? 0)).toBeLessThanOrEqual(BEAT);
  });

  it('claims nothing before it has joined', async () => {
    const cluster = new FakeCluster();
    cluster.add(1);
    const a = new FakeMember(cluster);
    expect(await a.keeper.claim('i0')).toBe(false);
    expect([a.acquired, cluster.leases.get('i0')]).toEqual([[], { owner: null, epoch: 0 }]);
  });

  it('of the same name takes over what its predecessor left, unless that one still answers', async () => {
    const cluster = new FakeCluster();
    cluster.add(3);
    const first = await cluster.join('a');
    await expect(cluster.join('a')).rejects.toThrow('A gateway named a runs at http://a');
    first.isAlive = false;
    const second = await cluster.join('a');
    each(cluster, second);
    await cluster.clock.advance(BEAT);
    expect(first.isReplaced).toBe(true);
    expect(counts(first)).toEqual([0]);
  });
});

describe('when a node falls silent', () => {
  it('the others share what it had, after the TTL', async () => {
    const cluster = new FakeCluster();
    cluster.add(30);
    const [a, b, c] = [await cluster.join('a'), await cluster.join('b'), await cluster.join('c')];
    await cluster.clock.advance(TTL * 4);
    each(cluster, a, b, c);
    a.freeze();
    await cluster.clock.advance(TTL - BEAT);
    expect(counts(b, c).reduce((sum, n) => sum + n)).toBeLessThan(30);
    await cluster.clock.advance(BEAT * 2);
    each(cluster, b, c);
    expect(Math.max(...counts(b, c))).toBeLessThanOrEqual(16);
  });

  it('and speaks again, it ends what is no longer its own', async () => {
    const cluster = new FakeCluster();
    cluster.add(10);
    const [a, b] = [await cluster.join('a'), await cluster.join('b')];
    await cluster.clock.advance(TTL * 4);
    a.freeze();
    await cluster.clock.advance(TTL * 2);
    expect(counts(b)).toEqual([10]);
    a.resume();
    await cluster.clock.advance(BEAT);
    expect(a.ended.filter(({ isOwner }) => !isOwner).length).toBeGreaterThanOrEqual(4);
    await cluster.clock.advance(TTL * 4);
    each(cluster, a, b);
  });
});

describe('when the clock of a node is set back', () => {
  it('the node still takes what a silent node had, after the TTL', async () => {
    const cluster = new FakeCluster();
    cluster.add(10);
    const [a, b] = [await cluster.join('a'), await cluster.join('b')];
    await cluster.clock.advance(TTL * 4);
    b.clockError = -7_200_000;
    a.freeze();
    await cluster.clock.advance(TTL + BEAT * 2);
    each(cluster, b);
  });

  it('the node still takes more than its share when the others do not take theirs', async () => {
    const cluster = new FakeCluster();
    const [a, b] = [await cluster.join('a', 1), await cluster.join('b')];
    await cluster.clock.advance(TTL * 2);
    cluster.add(6);
    await cluster.clock.advance(BEAT);
    b.clockError = -7_200_000;
    await cluster.clock.advance(TTL * 3);
    expect(counts(a, b)).toEqual([1, 5]);
  });
});

describe('when the clock of the database is set back', () => {
  it('the nodes keep what they have, and take what a silent node had', async () => {
    const cluster = new FakeCluster();
    cluster.add(10);
    const [a, b] = [await cluster.join('a'), await cluster.join('b')];
    await cluster.clock.advance(TTL * 4);
    cluster.clockError = -7_200_000;
    await cluster.clock.advance(TTL * 2);
    expect(counts(a, b)).toEqual([5, 5]);
    a.freeze();
    await cluster.clock.advance(TTL + BEAT * 2);
    each(cluster, b);
  });
});

describe('when the database was away for longer than the TTL', () => {
  it('no node takes instances from those that were there all the time', async () => {
    const cluster = new FakeCluster();
    cluster.add(20);
    const [a, b] = [await cluster.join('a'), await cluster.join('b')];
    await cluster.clock.advance(TTL * 5);
    const before = [new Set(a.running), new Set(b.running)];
    cluster.isDown = true;
    await cluster.clock.advance(TTL * 3);
    cluster.isDown = false;
    await cluster.clock.advance(TTL * 3);
    expect([a.running, b.running]).toEqual(before);
    expect([...a.ended.slice(-1), ...b.ended].filter(({ isOwner }) => !isOwner)).toEqual([]);
  });

  it('no request takes an instance from a node before that could send a heartbeat', async () => {
    const cluster = new FakeCluster();
    cluster.add(1);
    const [a, b] = [await cluster.join('a'), await cluster.join('b')];
    await cluster.clock.advance(TTL * 2);
    cluster.isDown = true;
    await cluster.clock.advance(TTL * 3);
    cluster.isDown = false;
    expect(await b.keeper.claim('i0')).toBe(false);
    await cluster.clock.advance(BEAT);
    each(cluster, a);
  });
});

describe('a node that stops', () => {
  it('gives what it has to the others one by one, and they have it before it is gone', async () => {
    const cluster = new FakeCluster();
    cluster.add(12);
    const [a, b, c] = [await cluster.join('a'), await cluster.join('b'), await cluster.join('c')];
    await cluster.clock.advance(TTL * 3);
    await a.keeper.drain(10_000);
    each(cluster, b, c);
    await a.keeper.leave();
    await cluster.clock.advance(TTL * 3);
    each(cluster, b, c);
    expect(Math.max(...counts(b, c)) - Math.min(...counts(b, c))).toBeLessThanOrEqual(1);
  });

  it('and is the last leaves what it had to the next one, at once', async () => {
    const cluster = new FakeCluster();
    cluster.add(5);
    const a = await cluster.join('a');
    await a.keeper.drain(10_000);
    await a.keeper.leave();
    each(cluster, await cluster.join('b'));
  });

  it('takes nothing meanwhile', async () => {
    const cluster = new FakeCluster();
    cluster.add(2);
    const a = await cluster.join('a');
    await a.keeper.drain(10_000);
    cluster.add(1);
    expect(await a.keeper.claim('i2')).toBe(false);
  });
});

describe('an instance', () => {
  it('whose write was refused ends at once', async () => {
    const cluster = new FakeCluster();
    cluster.add(2);
    const a = await cluster.join('a');
    a.refuse('i1');
    await cluster.clock.advance(0);
    expect(a.ended).toEqual([{ id: 'i1', isOwner: false }]);
  });

  it('without a lease goes to the node whose request comes first', async () => {
    const cluster = new FakeCluster();
    const [a, b] = [await cluster.join('a'), await cluster.join('b')];
    cluster.add(1);
    expect(await Promise.all([a.keeper.claim('i0'), b.keeper.claim('i0')])).toEqual([true, false]);
    each(cluster, a, b);
  });

  it('that is leaving has left when a request for it comes, and is not taken back', async () => {
    const cluster = new FakeCluster();
    cluster.add(4);
    const a = await cluster.join('a');
    const b = await cluster.join('b');
    const { promise, resolve } = Promise.withResolvers<void>();
    a.untilEnded = promise;
    const draining = a.keeper.drain(10_000);
    await cluster.clock.advance(0);
    const asked = a.keeper.claim('i0');
    resolve();
    await draining;
    expect(await asked).toBe(false);
    each(cluster, b);
  });

  it('that is coming has come when a request for it comes', async () => {
    const cluster = new FakeCluster();
    const a = await cluster.join('a');
    cluster.add(1);
    const { promise, resolve } = Promise.withResolvers<void>();
    a.untilAcquired = promise;
    const asked = [a.keeper.claim('i0'), a.keeper.claim('i0')];
    await cluster.clock.advance(0);
    expect(a.running.size).toBe(0);
    resolve();
    expect(await Promise.all(asked)).toEqual([true, true]);
    each(cluster, a);
  });

  it('whose lease is lost while it is loaded does not run on', async () => {
    const cluster = new FakeCluster();
    const [a, b] = [await cluster.join('a'), await cluster.join('b')];
    cluster.add(1);
    const { promise, resolve } = Promise.withResolvers<void>();
    a.untilAcquired = promise;
    const asked = a.keeper.claim('i0');
    await cluster.clock.advance(0);
    b.own('i0');
    await cluster.clock.advance(BEAT);
    resolve();
    expect(await asked).toBe(false);
    await cluster.clock.advance(0);
    each(cluster, b);
    expect(counts(a)).toEqual([0]);
  });

  it('that cannot be loaded has no lease any more', async () => {
    const cluster = new FakeCluster();
    const a = await cluster.join('a');
    cluster.add(1);
    a.failsToAcquire = true;
    expect(await a.keeper.claim('i0')).toBe(false);
    expect(cluster.leases.get('i0')).toMatchObject({ owner: null });
  });

  it("is verified before it connects, and ends when it is another node's", async () => {
    const cluster = new FakeCluster();
    cluster.add(1);
    const [a, b] = [await cluster.join('a'), await cluster.join('b')];
    expect(await a.keeper.verifyLease('i0')).toBe(true);
    Object.assign(cluster.leases.get('i0') ?? {}, { owner: b.id, epoch: 9 });
    expect(await a.keeper.verifyLease('i0')).toBe(false);
    expect(a.ended).toEqual([{ id: 'i0', isOwner: false }]);
  });
});

describe('a lease that the node holds in the database but does not know of', () => {
  it('makes the node load the instance at the next heartbeat', async () => {
    const cluster = new FakeCluster();
    const a = await cluster.join('a');
    cluster.add(1);
    a.own('i0');
    await cluster.clock.advance(BEAT);
    each(cluster, a);
  });

  it('is released when the node stops, so that another node loads the instance', async () => {
    const cluster = new FakeCluster();
    const [a, b] = [await cluster.join('a'), await cluster.join('b')];
    await a.keeper.drain(10_000);
    cluster.add(1);
    a.own('i0');
    await cluster.clock.advance(BEAT * 3);
    expect(a.acquired).toEqual([]);
    each(cluster, b);
  });

  it('remains after a failed release, and makes the node load the instance again', async () => {
    const cluster = new FakeCluster();
    cluster.add(4);
    const [a, b] = [await cluster.join('a'), await cluster.join('b')];
    const ended = Promise.withResolvers<void>();
    a.untilEnded = ended.promise;
    await cluster.clock.advance(BEAT);
    cluster.isDown = true;
    ended.resolve();
    await cluster.clock.advance(0);
    expect(counts(a, b)).toEqual([3, 0]);
    cluster.isDown = false;
    await cluster.clock.advance(BEAT);
    expect(a.acquired.length).toBe(5);
    each(cluster, a, b);
  });

  it('makes the node load the instance only after the old one has ended', async () => {
    const cluster = new FakeCluster();
    cluster.add(1);
    const a = await cluster.join('a');
    const ended = Promise.withResolvers<void>();
    a.untilEnded = ended.promise;
    a.refuse('i0');
    a.own('i0');
    await cluster.clock.advance(BEAT);
    expect(a.acquired).toEqual(['i0']);
    ended.resolve();
    await cluster.clock.advance(0);
    expect(a.acquired).toEqual(['i0', 'i0']);
    each(cluster, a);
  });
});

describe('a node that gives an instance away', () => {
  it('leaves it to the new owner when it lost the lease meanwhile', async () => {
    const cluster = new FakeCluster();
    cluster.add(1);
    const [a, b] = [await cluster.join('a'), await cluster.join('b')];
    const ended = Promise.withResolvers<void>();
    a.untilEnded = ended.promise;
    Object.assign(cluster.leases.get('i0') ?? {}, { owner: b.id, epoch: 9 });
    a.refuse('i0');
    const draining = a.keeper.drain(10_000);
    await cluster.clock.advance(0);
    ended.resolve();
    await draining;
    expect(a.ended).toEqual([{ id: 'i0', isOwner: false }]);
    expect(a.offers).toEqual([]);
  });
});

describe('a claim that waits for another one', () => {
  it.each(['drain', 'leave'] as const)('claims nothing after %s()', async (method) => {
    const cluster = new FakeCluster();
    const a = await cluster.join('a');
    cluster.add(2);
    const answer = Promise.withResolvers<void>();
    cluster.delay = answer.promise;
    const claims = [a.keeper.claim('i0'), a.keeper.claim('i1')];
    await cluster.clock.advance(0);
    const stopped = a.keeper[method](10_000);
    cluster.delay = undefined;
    answer.resolve();
    expect((await Promise.all(claims))[1]).toBe(false);
    await stopped;
    expect(cluster.leases.get('i1')?.owner).toBe(null);
    expect(a.acquired).not.toContain('i1');
  });
});
