// LeaseKeeper: the keepers of several nodes on one database in memory, with a fake clock.
import { describe, expect, it } from 'vitest';
import { FakeCluster, FakeMember, TTL } from './fake-cluster.ts';

const HEARTBEAT_MS = TTL / 5;
const countRunning = (...members: FakeMember[]) => members.map(({ running }) => running.size);
/** Expects that every instance with a lease runs on exactly one of the nodes. */
const expectEachRunsOnce = (cluster: FakeCluster, ...members: FakeMember[]) =>
  expect(members.flatMap(({ running }) => [...running]).sort()).toEqual([...cluster.leases.keys()].sort());

describe('a node', () => {
  it('a node that is alone claims all instances at once', async () => {
    const cluster = new FakeCluster();
    cluster.add(20);
    expectEachRunsOnce(cluster, await cluster.join('a'));
  });

  it('a node claims no more instances than its capacity', async () => {
    const cluster = new FakeCluster();
    cluster.add(20);
    const a = await cluster.join('a', 5);
    await cluster.clock.advance(TTL * 10);
    expect(countRunning(a)).toEqual([5]);
    const b = await cluster.join('b');
    await cluster.clock.advance(TTL * 3);
    expectEachRunsOnce(cluster, a, b);
  });

  it('a node that joins gets its share of the instances from the other nodes, a few at a time', async () => {
    const cluster = new FakeCluster();
    cluster.add(20);
    const a = await cluster.join('a');
    const b = await cluster.join('b');
    await cluster.clock.advance(HEARTBEAT_MS);
    expect(countRunning(b)[0]).toBeLessThan(5);
    await cluster.clock.advance(HEARTBEAT_MS * 10);
    expect(Math.min(...countRunning(a, b))).toBeGreaterThanOrEqual(9);
    expectEachRunsOnce(cluster, a, b);
    const endedCount = a.ended.length;
    await cluster.clock.advance(TTL * 10);
    expect(a.ended).toHaveLength(endedCount);
    expect(b.ended).toEqual([]);
  });

  it('a busy instance moves to another node only when its node drains', async () => {
    const cluster = new FakeCluster();
    cluster.add(4);
    const a = await cluster.join('a');
    for (const id of ['i0', 'i1', 'i2']) a.busy.add(id);
    const b = await cluster.join('b');
    await cluster.clock.advance(TTL * 3);
    expect([...b.running]).toEqual(['i3']);
    await a.keeper.drain(10_000);
    expectEachRunsOnce(cluster, b);
  });

  it('a node keeps sending heartbeats while the promise of onHeartbeat does not resolve', async () => {
    const cluster = new FakeCluster();
    const a = await cluster.join('a');
    a.afterHeartbeat = new Promise(() => undefined);
    await cluster.clock.advance(TTL * 3);
    expect(cluster.now() - (cluster.nodes.get(a.id)?.heartbeatAt ?? 0)).toBeLessThanOrEqual(HEARTBEAT_MS);
  });

  it('a node claims nothing before join()', async () => {
    const cluster = new FakeCluster();
    cluster.add(1);
    const a = new FakeMember(cluster);
    expect(await a.keeper.claim('i0')).toBe(false);
    expect([a.acquired, cluster.leases.get('i0')]).toEqual([[], { owner: null, epoch: 0 }]);
  });

  it('a node takes the instances of an earlier node with its name, and join() rejects while that node is alive', async () => {
    const cluster = new FakeCluster();
    cluster.add(3);
    const first = await cluster.join('a');
    await expect(cluster.join('a')).rejects.toThrow('A gateway named a runs at http://a');
    first.isAlive = false;
    const second = await cluster.join('a');
    expectEachRunsOnce(cluster, second);
    await cluster.clock.advance(HEARTBEAT_MS);
    expect(first.isReplaced).toBe(true);
    expect(countRunning(first)).toEqual([0]);
  });
});

describe('a silent node', () => {
  it('the other nodes share the instances of a silent node after the TTL', async () => {
    const cluster = new FakeCluster();
    cluster.add(30);
    const [a, b, c] = [await cluster.join('a'), await cluster.join('b'), await cluster.join('c')];
    await cluster.clock.advance(TTL * 4);
    expectEachRunsOnce(cluster, a, b, c);
    a.freeze();
    await cluster.clock.advance(TTL - HEARTBEAT_MS);
    expect(countRunning(b, c).reduce((sum, n) => sum + n)).toBeLessThan(30);
    await cluster.clock.advance(HEARTBEAT_MS * 2);
    expectEachRunsOnce(cluster, b, c);
    expect(Math.max(...countRunning(b, c))).toBeLessThanOrEqual(16);
  });

  it('a node that was silent ends the instances that other nodes have claimed', async () => {
    const cluster = new FakeCluster();
    cluster.add(10);
    const [a, b] = [await cluster.join('a'), await cluster.join('b')];
    await cluster.clock.advance(TTL * 4);
    a.freeze();
    await cluster.clock.advance(TTL * 2);
    expect(countRunning(b)).toEqual([10]);
    a.resume();
    await cluster.clock.advance(HEARTBEAT_MS);
    expect(a.ended.filter(({ isOwner }) => !isOwner).length).toBeGreaterThanOrEqual(4);
    await cluster.clock.advance(TTL * 4);
    expectEachRunsOnce(cluster, a, b);
  });
});

describe('a node clock that is set back', () => {
  it('a node whose clock is set back claims the instances of a silent node after the TTL', async () => {
    const cluster = new FakeCluster();
    cluster.add(10);
    const [a, b] = [await cluster.join('a'), await cluster.join('b')];
    await cluster.clock.advance(TTL * 4);
    b.clockError = -7_200_000;
    a.freeze();
    await cluster.clock.advance(TTL + HEARTBEAT_MS * 2);
    expectEachRunsOnce(cluster, b);
  });

  it('a node whose clock is set back claims more than its share when the other nodes do not claim theirs', async () => {
    const cluster = new FakeCluster();
    const [a, b] = [await cluster.join('a', 1), await cluster.join('b')];
    await cluster.clock.advance(TTL * 2);
    cluster.add(6);
    await cluster.clock.advance(HEARTBEAT_MS);
    b.clockError = -7_200_000;
    await cluster.clock.advance(TTL * 3);
    expect(countRunning(a, b)).toEqual([1, 5]);
  });
});

describe('a database clock that is set back', () => {
  it('nodes keep their instances, and claim those of a silent node, when the clock of the database is set back', async () => {
    const cluster = new FakeCluster();
    cluster.add(10);
    const [a, b] = [await cluster.join('a'), await cluster.join('b')];
    await cluster.clock.advance(TTL * 4);
    cluster.clockError = -7_200_000;
    await cluster.clock.advance(TTL * 2);
    expect(countRunning(a, b)).toEqual([5, 5]);
    a.freeze();
    await cluster.clock.advance(TTL + HEARTBEAT_MS * 2);
    expectEachRunsOnce(cluster, b);
  });
});

describe('a database outage that is longer than the TTL', () => {
  it('no node claims instances of another live node after a database outage that is longer than the TTL', async () => {
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

  it('LeaseKeeper.claim() takes no instance from a node that had no time for a heartbeat after a database outage', async () => {
    const cluster = new FakeCluster();
    cluster.add(1);
    const [a, b] = [await cluster.join('a'), await cluster.join('b')];
    await cluster.clock.advance(TTL * 2);
    cluster.isDown = true;
    await cluster.clock.advance(TTL * 3);
    cluster.isDown = false;
    expect(await b.keeper.claim('i0')).toBe(false);
    await cluster.clock.advance(HEARTBEAT_MS);
    expectEachRunsOnce(cluster, a);
  });
});

describe('a node that stops', () => {
  it('LeaseKeeper.drain() moves the instances of a node to the other nodes before the node leaves', async () => {
    const cluster = new FakeCluster();
    cluster.add(12);
    const [a, b, c] = [await cluster.join('a'), await cluster.join('b'), await cluster.join('c')];
    await cluster.clock.advance(TTL * 3);
    await a.keeper.drain(10_000);
    expectEachRunsOnce(cluster, b, c);
    await a.keeper.leave();
    await cluster.clock.advance(TTL * 3);
    expectEachRunsOnce(cluster, b, c);
    expect(Math.max(...countRunning(b, c)) - Math.min(...countRunning(b, c))).toBeLessThanOrEqual(1);
  });

  it('a node that joins claims at once the instances of the last node, which has stopped', async () => {
    const cluster = new FakeCluster();
    cluster.add(5);
    const a = await cluster.join('a');
    await a.keeper.drain(10_000);
    await a.keeper.leave();
    expectEachRunsOnce(cluster, await cluster.join('b'));
  });

  it('LeaseKeeper.claim() returns false on a node that drains', async () => {
    const cluster = new FakeCluster();
    cluster.add(2);
    const a = await cluster.join('a');
    await a.keeper.drain(10_000);
    cluster.add(1);
    expect(await a.keeper.claim('i2')).toBe(false);
  });
});

describe('an instance', () => {
  it('an instance ends at once when a write to it was refused', async () => {
    const cluster = new FakeCluster();
    cluster.add(2);
    const a = await cluster.join('a');
    a.refuseWrite('i1');
    await cluster.clock.advance(0);
    expect(a.ended).toEqual([{ id: 'i1', isOwner: false }]);
  });

  it('an instance without a lease goes to the first of two nodes that claim it at the same time', async () => {
    const cluster = new FakeCluster();
    const [a, b] = [await cluster.join('a'), await cluster.join('b')];
    cluster.add(1);
    expect(await Promise.all([a.keeper.claim('i0'), b.keeper.claim('i0')])).toEqual([true, false]);
    expectEachRunsOnce(cluster, a, b);
  });

  it('LeaseKeeper.claim() during drain() waits until the instance has moved, and does not take it back', async () => {
    const cluster = new FakeCluster();
    cluster.add(4);
    const a = await cluster.join('a');
    const b = await cluster.join('b');
    const { promise, resolve } = Promise.withResolvers<void>();
    a.endGate = promise;
    const draining = a.keeper.drain(10_000);
    await cluster.clock.advance(0);
    const claiming = a.keeper.claim('i0');
    resolve();
    await draining;
    expect(await claiming).toBe(false);
    expectEachRunsOnce(cluster, b);
  });

  it('LeaseKeeper.claim() resolves only when the instance is loaded, also for a second caller', async () => {
    const cluster = new FakeCluster();
    const a = await cluster.join('a');
    cluster.add(1);
    const { promise, resolve } = Promise.withResolvers<void>();
    a.acquireGate = promise;
    const claiming = [a.keeper.claim('i0'), a.keeper.claim('i0')];
    await cluster.clock.advance(0);
    expect(a.running.size).toBe(0);
    resolve();
    expect(await Promise.all(claiming)).toEqual([true, true]);
    expectEachRunsOnce(cluster, a);
  });

  it('an instance whose lease is lost while it loads does not keep running', async () => {
    const cluster = new FakeCluster();
    const [a, b] = [await cluster.join('a'), await cluster.join('b')];
    cluster.add(1);
    const { promise, resolve } = Promise.withResolvers<void>();
    a.acquireGate = promise;
    const claiming = a.keeper.claim('i0');
    await cluster.clock.advance(0);
    b.holdInDatabase('i0');
    await cluster.clock.advance(HEARTBEAT_MS);
    resolve();
    expect(await claiming).toBe(false);
    await cluster.clock.advance(0);
    expectEachRunsOnce(cluster, b);
    expect(countRunning(a)).toEqual([0]);
  });

  it('a node releases the lease of an instance that it cannot load', async () => {
    const cluster = new FakeCluster();
    const a = await cluster.join('a');
    cluster.add(1);
    a.failsToAcquire = true;
    expect(await a.keeper.claim('i0')).toBe(false);
    expect(cluster.leases.get('i0')).toMatchObject({ owner: null });
  });

  it('LeaseKeeper.verifyLease() returns false and ends the instance when another node holds the lease', async () => {
    const cluster = new FakeCluster();
    cluster.add(1);
    const [a, b] = [await cluster.join('a'), await cluster.join('b')];
    expect(await a.keeper.verifyLease('i0')).toBe(true);
    Object.assign(cluster.leases.get('i0') ?? {}, { owner: b.id, epoch: 9 });
    expect(await a.keeper.verifyLease('i0')).toBe(false);
    expect(a.ended).toEqual([{ id: 'i0', isOwner: false }]);
  });
});

describe('a lease that a node holds only in the database', () => {
  it('a node loads an instance at the next heartbeat when it holds the lease only in the database', async () => {
    const cluster = new FakeCluster();
    const a = await cluster.join('a');
    cluster.add(1);
    a.holdInDatabase('i0');
    await cluster.clock.advance(HEARTBEAT_MS);
    expectEachRunsOnce(cluster, a);
  });

  it('a draining node releases a lease that it holds only in the database, and another node loads the instance', async () => {
    const cluster = new FakeCluster();
    const [a, b] = [await cluster.join('a'), await cluster.join('b')];
    await a.keeper.drain(10_000);
    cluster.add(1);
    a.holdInDatabase('i0');
    await cluster.clock.advance(HEARTBEAT_MS * 3);
    expect(a.acquired).toEqual([]);
    expectEachRunsOnce(cluster, b);
  });

  it('a node loads an instance again when the release of its lease has failed', async () => {
    const cluster = new FakeCluster();
    cluster.add(4);
    const [a, b] = [await cluster.join('a'), await cluster.join('b')];
    const ended = Promise.withResolvers<void>();
    a.endGate = ended.promise;
    await cluster.clock.advance(HEARTBEAT_MS);
    cluster.isDown = true;
    ended.resolve();
    await cluster.clock.advance(0);
    expect(countRunning(a, b)).toEqual([3, 0]);
    cluster.isDown = false;
    await cluster.clock.advance(HEARTBEAT_MS);
    expect(a.acquired.length).toBe(5);
    expectEachRunsOnce(cluster, a, b);
  });

  it('a node loads an instance whose lease it recovers only after the old instance has ended', async () => {
    const cluster = new FakeCluster();
    cluster.add(1);
    const a = await cluster.join('a');
    const ended = Promise.withResolvers<void>();
    a.endGate = ended.promise;
    a.refuseWrite('i0');
    a.holdInDatabase('i0');
    await cluster.clock.advance(HEARTBEAT_MS);
    expect(a.acquired).toEqual(['i0']);
    ended.resolve();
    await cluster.clock.advance(0);
    expect(a.acquired).toEqual(['i0', 'i0']);
    expectEachRunsOnce(cluster, a);
  });
});

describe('a node that moves an instance', () => {
  it('a draining node does not offer an instance whose lease it lost meanwhile', async () => {
    const cluster = new FakeCluster();
    cluster.add(1);
    const [a, b] = [await cluster.join('a'), await cluster.join('b')];
    const ended = Promise.withResolvers<void>();
    a.endGate = ended.promise;
    Object.assign(cluster.leases.get('i0') ?? {}, { owner: b.id, epoch: 9 });
    a.refuseWrite('i0');
    const draining = a.keeper.drain(10_000);
    await cluster.clock.advance(0);
    ended.resolve();
    await draining;
    expect(a.ended).toEqual([{ id: 'i0', isOwner: false }]);
    expect(a.offers).toEqual([]);
  });
});

describe('a claim that waits for another claim', () => {
  it.each([
    'drain',
    'leave',
  ] as const)('a claim that waits for another claim claims nothing after %s()', async (method) => {
    const cluster = new FakeCluster();
    const a = await cluster.join('a');
    cluster.add(2);
    const reply = Promise.withResolvers<void>();
    cluster.delay = reply.promise;
    const claims = [a.keeper.claim('i0'), a.keeper.claim('i1')];
    await cluster.clock.advance(0);
    const stopped = a.keeper[method](10_000);
    cluster.delay = undefined;
    reply.resolve();
    expect((await Promise.all(claims))[1]).toBe(false);
    await stopped;
    expect(cluster.leases.get('i1')?.owner).toBe(null);
    expect(a.acquired).not.toContain('i1');
  });
});
