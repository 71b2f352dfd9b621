// Nodes and leases on a real PostgreSQL: who holds what, and what a process that lost it can no longer write.
import pg from 'pg';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Leases } from '../../src/storage/cluster-stores.ts';
import { openStorage } from '../../src/storage/open.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';
import { bytes, change, event, instance, itemsOf, message, recording, text, webhook } from './samples.ts';

const TTL = 15_000;

const server = sharedPostgres();

type Member = Storage & { leases: Leases };

interface Cluster {
  databaseUrl: string;
  /** A process that joined under this name. */
  join(name: string): Promise<Member & { joined: string[] }>;
  /** As if the node had sent nothing for so long, ms. */
  silence(name: string, ms: number): Promise<unknown>;
}

async function cluster(): Promise<Cluster> {
  const databaseUrl = await server.createMigratedDatabase();
  return {
    databaseUrl,
    async join(name) {
      const storage = await openStorage({
        ...{ dataDir: ':memory:', databaseUrl, network: 'sandbox' },
        encryptionKey: Buffer.alloc(32, 1).toString('base64'),
      });
      onTestFinished(() => storage.close());
      const { leases } = storage;
      if (!leases) throw new Error('PostgreSQL has leases');
      const joined = await leases.join({ name, url: `http://${name}:8080`, version: '1', capacity: 0 });
      return { ...storage, leases, joined };
    },
    silence: (name, ms) =>
      server.execute(databaseUrl, `UPDATE node SET heartbeat_at = heartbeat_at - ${ms} WHERE name = '${name}'`),
  };
}

const claim = (member: Member, limit = 100) => member.leases.claim({ limit, silenceLimit: TTL });

describe('the clock of the database', () => {
  it('is what nodes follow, not their own clocks', async () => {
    const { join } = await cluster();
    const one = await join('one');
    const real = Date.now;
    onTestFinished(() => void vi.restoreAllMocks());
    for (const wrong of [-3_600_000, 3_600_000]) {
      vi.spyOn(Date, 'now').mockImplementation(() => real() + wrong);
      // Also before the next answer of the database.
      expect(Math.abs(one.leases.databaseTime() - real())).toBeLessThan(10_000);
      for (const ask of [() => one.leases.heartbeat({ isDraining: false }), () => one.leases.findNodeByName('one')]) {
        const answer = await ask();
        if (answer && 'at' in answer) expect(Math.abs((answer.at ?? 0) - real())).toBeLessThan(10_000);
        expect(Math.abs(one.leases.databaseTime() - real())).toBeLessThan(10_000);
      }
    }
  });
});

describe('leases', () => {
  it('belong to the node that creates the instance', async () => {
    const { join } = await cluster();
    const [one, two] = [await join('one'), await join('two')];
    await one.instances.create(instance('a'));
    expect(await claim(two)).toEqual([]);
    expect(await two.leases.locate({ name: 'name of a' }, TTL)).toMatchObject({
      instanceId: 'a',
      owner: { id: one.leases.joinedId, url: 'http://one:8080', isLive: true },
    });
    expect(await two.leases.locate({ key: 'token-of-a' }, TTL)).toMatchObject({ name: 'name of a' });
    expect(await two.leases.locate({ key: 'token-of-b' }, TTL)).toBeNull();
    expect(await two.leases.locate({ id: 'b' }, TTL)).toBeNull();
  });

  it('go to one of those who want them, once they were given back', async () => {
    const { join } = await cluster();
    const [one, two, three] = [await join('one'), await join('two'), await join('three')];
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    for (const id of ids) await one.instances.create(instance(id));
    await one.leases.release(ids.slice(1));
    const [second, third] = await Promise.all([claim(two, 3), claim(three, 3)]);
    expect([...second, ...third].sort()).toEqual(ids.slice(1));
    expect(await two.leases.countOrphans(TTL)).toBe(0);
    expect(await one.leases.countsByNode()).toEqual(
      new Map([one, two, three].map((each) => [each.leases.id, each.leases.heldCount])),
    );
    for (const each of [one, two, three]) await each.leases.heartbeat({ isDraining: false });
    const nodes = await one.leases.nodes();
    expect(nodes.map(({ name, instances }) => [name, instances])).toEqual([
      ['one', 1],
      ['two', second.length],
      ['three', third.length],
    ]);
  });

  it('can be claimed when their node is silent for longer than the TTL, and not before', async () => {
    const { join, silence } = await cluster();
    const [one, two] = [await join('one'), await join('two')];
    await one.instances.create(instance('a'));
    await silence('one', TTL - 5_000);
    expect(await claim(two)).toEqual([]);
    expect(await two.leases.countOrphans(TTL)).toBe(0);
    await silence('one', TTL);
    expect(await two.leases.locate({ id: 'a' }, TTL)).toMatchObject({ owner: { isLive: false } });
    expect(await claim(two)).toEqual(['a']);
  });

  it('of a silent node cannot be claimed by a node that could send no heartbeat itself, as after an outage', async () => {
    const { join, silence } = await cluster();
    const [one, two] = [await join('one'), await join('two')];
    await one.instances.create(instance('a'));
    await two.instances.create(instance('b'));
    await two.leases.release(['b']);
    await silence('one', TTL);
    await silence('two', TTL);
    expect(await claim(two)).toEqual(['b']);
    await two.leases.heartbeat({ isDraining: false });
    expect(await claim(two)).toEqual(['a']);
  });

  it('are renewed while lookups of instances wait for the database', async () => {
    const { databaseUrl, join } = await cluster();
    const one = await join('one');
    const other = new pg.Client(databaseUrl);
    await other.connect();
    onTestFinished(() => other.end());
    await other.query('BEGIN; LOCK TABLE instance');
    const lookups = Promise.all(['a', 'b', 'c'].map((id) => one.leases.locate({ id }, TTL)));
    expect(await one.leases.heartbeat({ isDraining: false })).toMatchObject({ at: expect.any(Number) });
    await other.query('COMMIT');
    expect(await lookups).toEqual([null, null, null]);
  });

  it('are found lost by the next sign of life', async () => {
    const { join, silence } = await cluster();
    const [one, two] = [await join('one'), await join('two')];
    await one.instances.create(instance('a'));
    await one.instances.create(instance('b'));
    await silence('one', TTL + 1);
    await two.leases.claim({ limit: 1, silenceLimit: TTL, only: 'a' });
    expect(await one.leases.heartbeat({ isDraining: false })).toEqual({
      ...{ at: expect.any(Number), lost: ['a'], recovered: [] },
    });
    expect(await claim(two)).toEqual([]);
    expect(await one.leases.isHeldInDatabase('b')).toBe(true);
    expect(await one.leases.isHeldInDatabase('a')).toBe(false);
  });

  it("are the next process's of the same name, at once, and no longer the last one's", async () => {
    const { join } = await cluster();
    const first = await join('one');
    await first.instances.create(instance('a'));
    await first.authKeys.setCreds('a', bytes('first'));
    const second = await join('one');
    expect(second.joined).toEqual(['a']);
    await expect(first.authKeys.setCreds('a', bytes('late'))).rejects.toMatchObject({ code: 'LEASE_LOST' });
    await second.authKeys.setCreds('a', bytes('second'));
    expect(text(await second.authKeys.creds('a'))).toBe('second');
    expect(await first.leases.heartbeat({ isDraining: false })).toMatchObject({ at: null });
  });

  it('that come back bring the keys that the other node has changed', async () => {
    const { join } = await cluster();
    const [one, two] = [await join('one'), await join('two')];
    const write = (node: Member, value: string) =>
      node.authKeys.set('a', [{ type: 'session', id: '1', value: bytes(value) }]);
    const read = async (node: Member) => text((await node.authKeys.get('a', 'session', ['1'])).get('1'));
    await one.instances.create(instance('a'));
    await write(one, 'before');
    expect(await read(one)).toBe('before');
    await one.leases.release(['a']);
    expect(await claim(two)).toEqual(['a']);
    await write(two, 'after');
    await two.leases.release(['a']);
    expect(await claim(one)).toEqual(['a']);
    expect(await read(one)).toBe('after');
  });

  it('that a claim took whose answer was lost are found', async () => {
    const { join, databaseUrl } = await cluster();
    const one = await join('one');
    await one.instances.create(instance('a'));
    await one.leases.release(['a']);
    await server.execute(databaseUrl, `UPDATE lease SET owner = '${one.leases.joinedId}', epoch = epoch + 1`);
    expect(await one.leases.heartbeat({ isDraining: false })).toMatchObject({ recovered: ['a'] });
    await one.authKeys.setCreds('a', bytes('mine'));
  });

  it('of instances that are just being created are neither lost nor found', async () => {
    const { join } = await cluster();
    const one = await join('one');
    const beats: ReturnType<Leases['heartbeat']>[] = [];
    for (let n = 0; n < 40; n++) {
      const created = one.instances.create(instance(`i${n}`));
      beats.push(one.leases.heartbeat({ isDraining: false }));
      await created;
      await one.instances.update(`i${n}`, { profileName: 'written at once' });
    }
    for (const beat of await Promise.all(beats))
      expect(beat).toEqual({ at: expect.any(Number), lost: [], recovered: [] });
  });

  it('are given back by a node that leaves, which is then no node any more', async () => {
    const { join } = await cluster();
    const [one, two] = [await join('one'), await join('two')];
    await one.instances.create(instance('a'));
    await one.leases.leave();
    expect(await claim(two)).toEqual(['a']);
    expect((await two.leases.nodes()).map(({ name }) => name)).toEqual(['two']);
  });

  it('of a deleted instance stay until nothing of it waits, and go then', async () => {
    const { join, silence } = await cluster();
    const [one, two] = [await join('one'), await join('two')];
    await one.instances.create(instance('a'));
    await one.instances.delete('a');
    await one.messages.record('a', recording({ events: [event('removed', { webhookIds: ['global'], lane: '' })] }));
    await two.leases.deleteStale(TTL);
    await silence('one', TTL + 1);
    expect(await claim(two)).toEqual(['a']);
    const [delivery] = await two.outbox.pending('global', 0, 0, 10);
    expect(delivery).toMatchObject({ eventId: 'removed' });
    await two.outbox.recordAttempts([{ webhookId: 'global', lane: 0, seq: delivery?.seq ?? 0, outcome: 'delivered' }]);
    await two.leases.deleteStale(TTL);
    expect((await two.leases.heartbeat({ isDraining: false })).lost).toEqual(['a']);
  });
});

describe('a process that lost a lease', () => {
  /** `one` had the instance, `two` has it. */
  async function taken() {
    const { join, silence } = await cluster();
    const [one, two] = [await join('one'), await join('two')];
    await one.instances.create(instance('a'));
    await one.webhooks.put(webhook('hook', { instanceId: 'a' }));
    await one.authKeys.set('a', [{ type: 'session', id: '1', value: bytes('before') }]);
    await one.messages.record('a', recording({ messages: [{ message: message('m'), events: [event('e')] }] }));
    await silence('one', TTL + 1);
    const refused: string[] = [];
    one.leases.onWriteRefused((id) => refused.push(id));
    return { one, two, refused, take: () => claim(two) };
  }
  const writes: Record<string, (one: Storage) => Promise<unknown>> = {
    'one key': (one) => one.authKeys.set('a', [{ type: 'session', id: '1', value: bytes('late') }]),
    'several keys': (one) =>
      one.authKeys.set('a', [
        { type: 'session', id: '1', value: null },
        { type: 'session', id: '2', value: bytes('late') },
      ]),
    credentials: (one) => one.authKeys.setCreds('a', bytes('late')),
    'a wipe': (one) => one.authKeys.wipe('a'),
    'a message with its post': (one) =>
      one.messages.record('a', recording({ messages: [{ message: message('late'), events: [event('late')] }] })),
    'a status': (one) =>
      one.messages.record('a', recording({ statuses: [{ change: change('m', 'READ'), events: [] }] })),
    'the instance': (one) => one.instances.update('a', { profileName: 'late' }),
    'its deletion': (one) => one.instances.delete('a'),
    'a webhook': (one) => one.webhooks.put(webhook('hook', { instanceId: 'a', url: 'http://late' })),
    'the removal of a webhook': (one) => one.webhooks.delete(webhook('hook')),
    'the answer to a request': (one) =>
      one.requests.claim('a', 'r', { digest: '', messageId: 'm', now: 0, expiresAt: 1 }),
  };
  it.each(Object.entries(writes))('cannot write %s', async (_, write) => {
    const { one, refused, take } = await taken();
    expect(await take()).toEqual(['a']);
    await expect(write(one)).rejects.toMatchObject({ code: 'LEASE_LOST' });
    expect(refused).toEqual(['a']);
    // Neither does it have to ask any more.
    await expect(write(one)).rejects.toMatchObject({ code: 'LEASE_LOST' });
    expect(refused).toEqual(['a']);
  });

  it('leaves everything as the other one knows it', async () => {
    const { one, two, take } = await taken();
    await take();
    await Promise.allSettled(Object.values(writes).map((write) => write(one)));
    expect(text((await two.authKeys.get('a', 'session', ['1'])).get('1'))).toBe('before');
    expect(await two.authKeys.creds('a')).toBeNull();
    expect(await two.messages.get('a', 'late')).toBeNull();
    expect(await two.instances.get('a')).toMatchObject({ profileName: instance('a').profileName });
    expect(await two.webhooks.list(['a'])).toEqual([webhook('hook')]);
  });

  it('neither reads nor settles its posts', async () => {
    const { one, two, take } = await taken();
    const lanes = await one.outbox.waitingLanes();
    const read = async (member: Storage) =>
      (await Promise.all(lanes.map(({ webhookId, lane }) => member.outbox.pending(webhookId, lane, 0, 10)))).flat();
    const [post] = await read(one);
    await take();
    expect(await read(one)).toEqual([]);
    const settled = { webhookId: 'hook', lane: post?.lane ?? 0, seq: post?.seq ?? 0 };
    await one.outbox.recordAttempts([{ ...settled, outcome: 'delivered' }]);
    await one.outbox.recordAttempts([{ ...settled, outcome: 'dead', attempts: 1, status: 500, error: null }]);
    expect(await read(two)).toMatchObject([{ eventId: 'e', attempts: 0 }]);
    await two.outbox.recordAttempts([
      { ...settled, outcome: 'retry', attempts: 1, nextAt: 5, status: 500, error: null },
    ]);
    expect(await read(two)).toMatchObject([{ eventId: 'e', attempts: 1 }]);
    await two.outbox.recordAttempts([{ ...settled, outcome: 'delivered' }]);
    expect(await read(two)).toEqual([]);
  });

  it('does not expire its posts', async () => {
    const { one, two, take } = await taken();
    await take();
    const before = Date.now() + 60_000;
    expect(await itemsOf(one.outbox.expire('hook', before))).toEqual([]);
    expect(await itemsOf(two.outbox.expire('hook', before))).toHaveLength(1);
  });

  it('finishes what it began before, and the claim waits for that', async () => {
    const { one, two, take } = await taken();
    const slow = one.messages.record(
      'a',
      recording({ messages: Array.from({ length: 500 }, (_, n) => ({ message: message(`m${n}`), events: [] })) }),
    );
    const [, claimed] = await Promise.allSettled([slow, take()]);
    const isStored = (await two.messages.get('a', 'm499')) !== null;
    // In any order: never a lease at the other one and a batch that is stored after it was taken.
    if (isStored) await slow;
    else await expect(slow).rejects.toMatchObject({ code: 'LEASE_LOST' });
    expect(claimed?.status).toBe('fulfilled');
  });
});
