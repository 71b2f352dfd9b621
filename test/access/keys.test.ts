// Keys that operators give out: how long each opens something, and what is known of its use.
import { describe, expect, it } from 'vitest';
import { KeyService, type NewKey } from '../../src/access/keys.ts';
import { openStorage } from '../../src/storage/open.ts';
import { FakeClock } from '../instances/fakes.ts';

const wish = (part: Partial<NewKey> = {}): NewKey => ({
  ...{ name: 'k', scopes: ['read'], instanceId: null, expiresAt: null, ...part },
});

async function open() {
  const clock = new FakeClock();
  const { accessKeys: store } = await openStorage({ dataDir: ':memory:', network: 'sandbox' });
  const keys = new KeyService({ store, clock });
  /** Those of a process that starts now. */
  const again = async () => {
    const later = new KeyService({ store, clock });
    await later.load();
    return later;
  };
  return { clock, store, keys, again };
}

describe('a key', () => {
  it('is long, recognisable, another one each time, and not in the store', async () => {
    const { keys, store } = await open();
    const [one, two] = [await keys.create(wish()), await keys.create(wish())];
    expect(one.key).toMatch(/^gwk_[\w-]{43}$/);
    expect(two.key).not.toBe(one.key);
    expect(one.row.hint).toBe(one.key.slice(0, 10));
    expect(JSON.stringify(await store.list())).not.toContain(one.key.slice(10));
  });

  it('is found as it is and in no other form, also by the next process', async () => {
    const { keys, again } = await open();
    const { key, row } = await keys.create(wish({ scopes: ['send', 'send', 'read'] }));
    for (const each of [keys, await again()]) {
      expect(each.find(key)).toMatchObject({ id: row.id, scopes: ['send', 'read'] });
      for (const wrong of [key.toUpperCase(), key.slice(0, -1), `${key} `, row.digest, 'gwk_', ''])
        expect(each.find(wrong), wrong).toBeUndefined();
    }
  });

  it('opens nothing from its end on, and cannot end in the past', async () => {
    const { keys, clock } = await open();
    const { key } = await keys.create(wish({ expiresAt: clock.now() + 1000 }));
    await clock.advance(999);
    expect(keys.find(key)).toBeDefined();
    await clock.advance(1);
    expect(keys.find(key)).toBeUndefined();
    await expect(keys.create(wish({ expiresAt: clock.now() }))).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  });

  it('is listed for a month after its end', async () => {
    const { keys, clock, again } = await open();
    await keys.create(wish({ expiresAt: clock.now() + 1000 }));
    await clock.advance(30 * 86_400_000);
    await keys.prune();
    expect(keys.list()).toHaveLength(1);
    await clock.advance(1001);
    await keys.prune();
    expect([keys.list(), (await again()).list()]).toEqual([[], []]);
  });

  it('opens nothing once it is revoked, and what depends on it ends at once', async () => {
    const { keys, again } = await open();
    const { key, row } = await keys.create(wish());
    const ended: string[] = [];
    keys.onEnd(row.id, () => ended.push('stream'));
    keys.onEnd(row.id, () => ended.push('left before'))();
    await keys.revoke(row.id);
    expect([keys.find(key), (await again()).find(key), ended]).toEqual([undefined, undefined, ['stream']]);
    await expect(keys.revoke(row.id)).rejects.toMatchObject({ code: 'KEY_NOT_FOUND' });
  });

  it('goes with its instance', async () => {
    const { keys } = await open();
    const [bound, free] = [await keys.create(wish({ instanceId: 'i' })), await keys.create(wish())];
    keys.forget('i');
    expect([keys.find(bound.key), keys.find(free.key)?.id]).toEqual([undefined, free.row.id]);
  });
});

describe('rotation', () => {
  it('leaves the old key for as long as was asked, beside a new one like it', async () => {
    const { keys, clock, again } = await open();
    const old = await keys.create(
      wish({ name: 'shop', scopes: ['send'], instanceId: 'i', expiresAt: 2_000_000_000_000 }),
    );
    const made = await keys.rotate(old.row.id, 5000);
    expect(made.row).toMatchObject({ name: 'shop', scopes: ['send'], instanceId: 'i', expiresAt: 2_000_000_000_000 });
    expect(made.old).toMatchObject({ replacedBy: made.row.id, expiresAt: clock.now() + 5000 });
    await clock.advance(4999);
    for (const each of [keys, await again()])
      expect([each.find(old.key)?.id, each.find(made.key)?.id]).toEqual([old.row.id, made.row.id]);
    await clock.advance(1);
    expect([keys.find(old.key), keys.find(made.key)?.id]).toEqual([undefined, made.row.id]);
  });

  it('never makes a key last longer than it was to, and ends it at once without an overlap', async () => {
    const { keys, clock } = await open();
    const expiresAt = clock.now() + 1000;
    const short = await keys.create(wish({ expiresAt }));
    expect((await keys.rotate(short.row.id, 5000)).old.expiresAt).toBe(expiresAt);
    const other = await keys.create(wish());
    const ended: string[] = [];
    keys.onEnd(other.row.id, () => ended.push('stream'));
    await keys.rotate(other.row.id, 0);
    expect([keys.find(other.key), ended]).toEqual([undefined, ['stream']]);
  });

  it('happens once, of two at the same time too, and to no key that has ended', async () => {
    const { keys, clock, again } = await open();
    const { row } = await keys.create(wish());
    const both = await Promise.allSettled([keys.rotate(row.id, 0), keys.rotate(row.id, 0)]);
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    const ending = await keys.create(wish({ expiresAt: clock.now() + 1 }));
    await clock.advance(1);
    await expect(keys.rotate(ending.row.id, 0)).rejects.toMatchObject({ code: 'KEY_NOT_FOUND' });
    const gone = await keys.create(wish());
    const [, rotated] = await Promise.allSettled([keys.revoke(gone.row.id), keys.rotate(gone.row.id, 1000)]);
    expect(rotated.status).toBe('rejected');
    expect((await again()).find(gone.key)).toBeUndefined();
  });
});

describe('rotation on a node whose list of keys is old', () => {
  it('does not restore a key that another node has revoked', async () => {
    const { keys, store, again } = await open();
    const { key, row } = await keys.create(wish());
    const other = await again();
    await keys.revoke(row.id);
    const ended: string[] = [];
    other.onEnd(row.id, () => ended.push('stream'));
    await expect(other.rotate(row.id, 5000)).rejects.toMatchObject({ code: 'KEY_NOT_FOUND' });
    expect([await store.list(), other.find(key), other.list(), ended]).toEqual([[], undefined, [], ['stream']]);
  });

  it('creates no second replacement', async () => {
    const { keys, clock, store, again } = await open();
    const { row } = await keys.create(wish());
    const other = await again();
    await clock.advance(1);
    const made = await keys.rotate(row.id, 5000);
    await expect(other.rotate(row.id, 0)).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringContaining(made.row.id),
    });
    expect(await store.list()).toMatchObject([{ id: row.id, replacedBy: made.row.id }, { id: made.row.id }]);
    expect(other.find(made.key)).toMatchObject({ id: made.row.id });
  });
});

describe('uses of keys', () => {
  it('are seen at once and stored once a minute, of each key the last', async () => {
    const { keys, clock, store, again } = await open();
    const { key, row } = await keys.create(wish());
    const written: unknown[] = [];
    const { recordUses: used } = store;
    store.recordUses = async (uses) => {
      written.push(uses);
      return used(uses);
    };
    for (let n = 0; n < 3; n++) {
      await clock.advance(10);
      keys.find(key);
    }
    expect(keys.get(row.id).lastUsedAt).toBe(clock.now());
    await keys.storeUsesAndNotifyEnded();
    await keys.storeUsesAndNotifyEnded();
    expect(written).toEqual([[{ id: row.id, at: clock.now() }]]);
    expect((await again()).get(row.id).lastUsedAt).toBe(clock.now());
  });

  it('are stored later when the store fails', async () => {
    const { keys, store, again } = await open();
    const { key, row } = await keys.create(wish());
    keys.find(key);
    const { recordUses: used } = store;
    store.recordUses = async () => {
      throw new Error('down');
    };
    await expect(keys.storeUsesAndNotifyEnded()).rejects.toThrow('down');
    store.recordUses = used;
    await keys.storeUsesAndNotifyEnded();
    expect((await again()).get(row.id).lastUsedAt).not.toBeNull();
  });

  it('end what depends on a key within a minute of its end', async () => {
    const { keys, clock } = await open();
    const { row } = await keys.create(wish({ expiresAt: clock.now() + 1000 }));
    const ended: string[] = [];
    keys.onEnd(row.id, () => ended.push('stream'));
    await keys.storeUsesAndNotifyEnded();
    await clock.advance(1000);
    expect(ended).toEqual([]);
    await keys.storeUsesAndNotifyEnded();
    expect(ended).toEqual(['stream']);
  });
});
