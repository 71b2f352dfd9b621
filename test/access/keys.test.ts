// Keys that operators create: their validity, their rotation, and the records of their use.
import { describe, expect, it } from 'vitest';
import { KeyService, type NewKey } from '../../src/access/keys.ts';
import { openStorage } from '../../src/storage/open.ts';
import { FakeClock } from '../support/instance-fakes.ts';

const newKey = (part: Partial<NewKey> = {}): NewKey => ({
  ...{ name: 'k', scopes: ['read'], instanceId: null, expiresAt: null, ...part },
});

async function openKeys() {
  const clock = new FakeClock();
  const { accessKeys: store } = await openStorage({ dataDir: ':memory:', network: 'sandbox' });
  const keys = new KeyService({ store, clock });
  /** Creates a service over the same store and loads its keys, as a process does at its start. */
  const restart = async () => {
    const restarted = new KeyService({ store, clock });
    await restarted.load();
    return restarted;
  };
  return { clock, store, keys, restart };
}

describe('keys', () => {
  it('a key is long, recognizable and unique, and is not in the store', async () => {
    const { keys, store } = await openKeys();
    const [one, two] = [await keys.create(newKey()), await keys.create(newKey())];
    expect(one.key).toMatch(/^gwk_[\w-]{43}$/);
    expect(two.key).not.toBe(one.key);
    expect(one.row.hint).toBe(one.key.slice(0, 10));
    expect(JSON.stringify(await store.list())).not.toContain(one.key.slice(10));
  });

  it('KeyService.find() finds a key only by its exact text, also after a restart', async () => {
    const { keys, restart } = await openKeys();
    const { key, row } = await keys.create(newKey({ scopes: ['send', 'send', 'read'] }));
    for (const service of [keys, await restart()]) {
      expect(service.find(key)).toMatchObject({ id: row.id, scopes: ['send', 'read'] });
      for (const wrong of [key.toUpperCase(), key.slice(0, -1), `${key} `, row.digest, 'gwk_', ''])
        expect(service.find(wrong), wrong).toBeUndefined();
    }
  });

  it('a key is invalid from its expiry on, and cannot expire in the past', async () => {
    const { keys, clock } = await openKeys();
    const { key } = await keys.create(newKey({ expiresAt: clock.now() + 1000 }));
    await clock.advance(999);
    expect(keys.find(key)).toBeDefined();
    await clock.advance(1);
    expect(keys.find(key)).toBeUndefined();
    await expect(keys.create(newKey({ expiresAt: clock.now() }))).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  });

  it('KeyService.prune() deletes a key 30 days after its expiry and not before', async () => {
    const { keys, clock, restart } = await openKeys();
    await keys.create(newKey({ expiresAt: clock.now() + 1000 }));
    await clock.advance(30 * 86_400_000);
    await keys.prune();
    expect(keys.list()).toHaveLength(1);
    await clock.advance(1001);
    await keys.prune();
    expect([keys.list(), (await restart()).list()]).toEqual([[], []]);
  });

  it('a revoked key is invalid immediately, and its end listeners are called', async () => {
    const { keys, restart } = await openKeys();
    const { key, row } = await keys.create(newKey());
    const endedUses: string[] = [];
    keys.onEnd(row.id, () => endedUses.push('stream'));
    keys.onEnd(row.id, () => endedUses.push('left before'))();
    await keys.revoke(row.id);
    expect([keys.find(key), (await restart()).find(key), endedUses]).toEqual([undefined, undefined, ['stream']]);
    await expect(keys.revoke(row.id)).rejects.toMatchObject({ code: 'KEY_NOT_FOUND' });
  });

  it('a key is forgotten together with its instance', async () => {
    const { keys } = await openKeys();
    const [instanceKey, generalKey] = [await keys.create(newKey({ instanceId: 'i' })), await keys.create(newKey())];
    keys.forget('i');
    expect([keys.find(instanceKey.key), keys.find(generalKey.key)?.id]).toEqual([undefined, generalKey.row.id]);
  });
});

describe('rotations of keys', () => {
  it('a rotation creates a key with the same properties, and keeps the old key valid for the overlap', async () => {
    const { keys, clock, restart } = await openKeys();
    const old = await keys.create(
      newKey({ name: 'shop', scopes: ['send'], instanceId: 'i', expiresAt: 2_000_000_000_000 }),
    );
    const rotated = await keys.rotate(old.row.id, 5000);
    expect(rotated.row).toMatchObject({
      name: 'shop',
      scopes: ['send'],
      instanceId: 'i',
      expiresAt: 2_000_000_000_000,
    });
    expect(rotated.old).toMatchObject({ replacedBy: rotated.row.id, expiresAt: clock.now() + 5000 });
    await clock.advance(4999);
    for (const service of [keys, await restart()])
      expect([service.find(old.key)?.id, service.find(rotated.key)?.id]).toEqual([old.row.id, rotated.row.id]);
    await clock.advance(1);
    expect([keys.find(old.key), keys.find(rotated.key)?.id]).toEqual([undefined, rotated.row.id]);
  });

  it('a rotation does not extend a key beyond its expiry, and without an overlap ends the old key immediately', async () => {
    const { keys, clock } = await openKeys();
    const expiresAt = clock.now() + 1000;
    const short = await keys.create(newKey({ expiresAt }));
    expect((await keys.rotate(short.row.id, 5000)).old.expiresAt).toBe(expiresAt);
    const other = await keys.create(newKey());
    const endedUses: string[] = [];
    keys.onEnd(other.row.id, () => endedUses.push('stream'));
    await keys.rotate(other.row.id, 0);
    expect([keys.find(other.key), endedUses]).toEqual([undefined, ['stream']]);
  });

  it('a key can be rotated once, also by concurrent calls, and not after its end', async () => {
    const { keys, clock, restart } = await openKeys();
    const { row } = await keys.create(newKey());
    const both = await Promise.allSettled([keys.rotate(row.id, 0), keys.rotate(row.id, 0)]);
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    const ending = await keys.create(newKey({ expiresAt: clock.now() + 1 }));
    await clock.advance(1);
    await expect(keys.rotate(ending.row.id, 0)).rejects.toMatchObject({ code: 'KEY_NOT_FOUND' });
    const revoked = await keys.create(newKey());
    const [, rotated] = await Promise.allSettled([keys.revoke(revoked.row.id), keys.rotate(revoked.row.id, 1000)]);
    expect(rotated.status).toBe('rejected');
    expect((await restart()).find(revoked.key)).toBeUndefined();
  });
});

describe('rotations on a node with an outdated list of keys', () => {
  it('a rotation does not restore a key that another node has revoked', async () => {
    const { keys, store, restart } = await openKeys();
    const { key, row } = await keys.create(newKey());
    const other = await restart();
    await keys.revoke(row.id);
    const endedUses: string[] = [];
    other.onEnd(row.id, () => endedUses.push('stream'));
    await expect(other.rotate(row.id, 5000)).rejects.toMatchObject({ code: 'KEY_NOT_FOUND' });
    expect([await store.list(), other.find(key), other.list(), endedUses]).toEqual([[], undefined, [], ['stream']]);
  });

  it('a rotation creates no second replacement of a key that another node has rotated', async () => {
    const { keys, clock, store, restart } = await openKeys();
    const { row } = await keys.create(newKey());
    const other = await restart();
    await clock.advance(1);
    const rotated = await keys.rotate(row.id, 5000);
    await expect(other.rotate(row.id, 0)).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringContaining(rotated.row.id),
    });
    expect(await store.list()).toMatchObject([{ id: row.id, replacedBy: rotated.row.id }, { id: rotated.row.id }]);
    expect(other.find(rotated.key)).toMatchObject({ id: rotated.row.id });
  });
});

describe('uses of keys', () => {
  it('the last use of a key is visible immediately, and storeUsesAndNotifyEnded() stores it once', async () => {
    const { keys, clock, store, restart } = await openKeys();
    const { key, row } = await keys.create(newKey());
    const written: unknown[] = [];
    const { recordUses: writeUses } = store;
    store.recordUses = async (uses) => {
      written.push(uses);
      return writeUses(uses);
    };
    for (let n = 0; n < 3; n++) {
      await clock.advance(10);
      keys.find(key);
    }
    expect(keys.get(row.id).lastUsedAt).toBe(clock.now());
    await keys.storeUsesAndNotifyEnded();
    await keys.storeUsesAndNotifyEnded();
    expect(written).toEqual([[{ id: row.id, at: clock.now() }]]);
    expect((await restart()).get(row.id).lastUsedAt).toBe(clock.now());
  });

  it('storeUsesAndNotifyEnded() stores the uses of keys later when the store fails', async () => {
    const { keys, store, restart } = await openKeys();
    const { key, row } = await keys.create(newKey());
    keys.find(key);
    const { recordUses: writeUses } = store;
    store.recordUses = async () => {
      throw new Error('down');
    };
    await expect(keys.storeUsesAndNotifyEnded()).rejects.toThrow('down');
    store.recordUses = writeUses;
    await keys.storeUsesAndNotifyEnded();
    expect((await restart()).get(row.id).lastUsedAt).not.toBeNull();
  });

  it('storeUsesAndNotifyEnded() calls the end listeners of expired keys', async () => {
    const { keys, clock } = await openKeys();
    const { row } = await keys.create(newKey({ expiresAt: clock.now() + 1000 }));
    const endedUses: string[] = [];
    keys.onEnd(row.id, () => endedUses.push('stream'));
    await keys.storeUsesAndNotifyEnded();
    await clock.advance(1000);
    expect(endedUses).toEqual([]);
    await keys.storeUsesAndNotifyEnded();
    expect(endedUses).toEqual(['stream']);
  });
});
