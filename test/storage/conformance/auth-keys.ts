// Credentials and Signal keys. Without them, or with those of another instance, a session is lost.
import { expect, it } from 'vitest';
import type { AuthKeys, Storage } from '../../../src/storage/storage.ts';
import { bytes, text } from '../../support/sample-rows.ts';
import { beforeAndAfterRestart, type OpenFixture } from './fixture.ts';

async function readAll(keys: AuthKeys, type: string, ids: string[]): Promise<Record<string, string | null>> {
  const found = await keys.get('a', type, ids);
  return Object.fromEntries([...found].map(([id, value]) => [id, text(value)]));
}

const session = (id: string, value: string | null) => ({
  type: 'session',
  id,
  value: value === null ? null : bytes(value),
});

export function authKeyTests(open: OpenFixture): void {
  it('authKeys.get() returns the stored values and no entry for an absent key, before and after a restart', async () => {
    const fixture = await open();
    const { storage } = fixture;
    const big = new Uint8Array(200_000).fill(7);
    await storage.authKeys.set('a', [
      session('x', 'one'),
      session('y', ''),
      { type: 'sender-key', id: 'x', value: big },
    ]);
    for await (const { authKeys: keys } of beforeAndAfterRestart(fixture)) {
      expect(await readAll(keys, 'session', ['x', 'y', 'z'])).toEqual({ x: 'one', y: '' });
      expect((await keys.get('a', 'sender-key', ['x'])).get('x')?.byteLength).toBe(200_000);
      expect(await keys.get('b', 'session', ['x'])).toEqual(new Map());
      expect(await keys.creds('a')).toBeNull();
    }
  });

  it('authKeys.set() stores the last value when one call writes a key twice, and null removes a key', async () => {
    const { storage } = await open();
    await storage.authKeys.set('a', [session('x', 'one'), session('x', 'two'), session('y', 'gone')]);
    expect(await readAll(storage.authKeys, 'session', ['x', 'y'])).toEqual({ x: 'two', y: 'gone' });
    await storage.authKeys.set('a', [session('x', 'three'), session('y', null), session('never', null)]);
    expect(await readAll(storage.authKeys, 'session', ['x', 'y', 'never'])).toEqual({ x: 'three' });
    await storage.authKeys.set('a', [session('y', 'back')]);
    expect(await readAll(storage.authKeys, 'session', ['y'])).toEqual({ y: 'back' });
  });

  it('authKeys.set() reads a value when its transaction begins, and not at all when a later call replaces it', async () => {
    const { storage } = await open();
    let content = 'before';
    const createLazyWrite = (id: string) => {
      const write = { type: 'inbound', id, reads: 0 };
      return Object.defineProperty({ ...write, value: bytes('') }, 'value', {
        get() {
          this.reads += 1;
          return bytes(content);
        },
      });
    };
    const [kept, replaced] = [createLazyWrite('x'), createLazyWrite('y')];
    const written = storage.authKeys.set('a', [kept, replaced]);
    const writtenLater = storage.authKeys.set('a', [{ type: 'inbound', id: 'y', value: bytes('newer') }]);
    content = 'after';
    await Promise.all([written, writtenLater]);
    const found = await storage.authKeys.get('a', 'inbound', ['x', 'y']);
    expect(Object.fromEntries([...found].map(([id, value]) => [id, text(value)]))).toEqual({ x: 'after', y: 'newer' });
    expect(kept.reads).toBeGreaterThan(0);
    expect(replaced.reads).toBe(0);
  });

  it('concurrent authKeys.set() calls store the value of the last call, also when it removes the key', async () => {
    const fixture = await open();
    const { authKeys } = fixture.storage;
    await Promise.all([
      authKeys.set('a', [session('x', 'one'), session('y', 'one')]),
      authKeys.setCreds('a', bytes('creds')),
      authKeys.set('a', [session('x', 'two'), session('y', null), session('z', 'one')]),
      authKeys.set('b', [session('x', 'theirs')]),
    ]);
    for await (const { authKeys: keys } of beforeAndAfterRestart(fixture)) {
      expect(await readAll(keys, 'session', ['x', 'y', 'z'])).toEqual({ x: 'two', z: 'one' });
      expect(text((await keys.creds('a')) ?? bytes(''))).toBe('creds');
    }
  });

  it('authKeys.wipe() removes the keys that were written before the call and keeps those written after it', async () => {
    const fixture = await open();
    const { authKeys } = fixture.storage;
    await Promise.all([
      authKeys.set('a', [session('x', 'before'), session('y', 'before')]),
      authKeys.wipe('a'),
      authKeys.set('a', [session('x', 'after')]),
    ]);
    for await (const { authKeys: keys } of beforeAndAfterRestart(fixture))
      expect(await readAll(keys, 'session', ['x', 'y'])).toEqual({ x: 'after' });
  });

  it('authKeys.readAll() and authKeys.ids() return the keys of one type of one instance', async () => {
    const fixture = await open();
    await fixture.storage.authKeys.set('a', [session('x', 'one'), session('y', 'two'), session('z', 'three')]);
    await fixture.storage.authKeys.set('a', [{ type: 'pre-key', id: 'x', value: bytes('other') }, session('z', null)]);
    await fixture.storage.authKeys.set('b', [session('x', 'theirs')]);
    for await (const { authKeys: keys } of beforeAndAfterRestart(fixture)) {
      const all = await keys.readAll('a', 'session');
      expect(Object.fromEntries([...all].map(([id, value]) => [id, text(value)]))).toEqual({ x: 'one', y: 'two' });
      expect(await keys.readAll('a', 'inbound')).toEqual(new Map());
      expect((await keys.ids('a', 'session')).sort()).toEqual(['x', 'y']);
      expect(await keys.ids('a', 'inbound')).toEqual([]);
    }
  });

  it('authKeys.page() returns the keys of one instance page by page, without the credentials', async () => {
    const { storage } = await open();
    const { authKeys: keys } = storage;
    await keys.setCreds('a', bytes('creds'));
    await keys.set('a', [session('y', 'two'), session('x', 'one'), { type: 'pre-key', id: 'z', value: bytes('pre') }]);
    await keys.set('b', [session('x', 'theirs')]);
    const first = await keys.page('a', null, 2);
    expect(first.map(({ type, id, value }) => [type, id, text(value)])).toEqual([
      ['pre-key', 'z', 'pre'],
      ['session', 'x', 'one'],
    ]);
    const second = await keys.page('a', first.at(-1) ?? null, 2);
    expect(second.map(({ id, value }) => [id, text(value)])).toEqual([['y', 'two']]);
    expect(await keys.page('a', second.at(-1) ?? null, 2)).toEqual([]);
  });

  it('authKeys.page() returns an empty value for a key that cannot be decrypted', async () => {
    const { storage, execute } = await open();
    const keys = storage.authKeys;
    await keys.set('a', [session('x', 'one'), session('y', 'two'), session('z', 'three')]);
    await execute("UPDATE auth_key SET value = (SELECT value FROM auth_key WHERE id = 'x') WHERE id = 'y'");
    const page = await keys.page('a', null, 10);
    expect(page.map(({ id, value }) => [id, text(value)])).toEqual([
      ['x', 'one'],
      ['y', ''],
      ['z', 'three'],
    ]);
  });

  it('authKeys.set() stores and caches nothing when one of its writes fails', async () => {
    const { storage, rejectValue } = await open();
    await storage.authKeys.set('a', [session('x', 'before'), session('y', 'before')]);
    await readAll(storage.authKeys, 'session', ['x', 'y', 'new']);
    await rejectValue('auth_key', 'id', 'poison');
    const writes = [session('x', 'after'), session('new', 'after'), session('poison', '!'), session('y', null)];
    await expect(storage.authKeys.set('a', writes)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    expect(await readAll(storage.authKeys, 'session', ['x', 'y', 'new', 'poison'])).toEqual({
      x: 'before',
      y: 'before',
    });
    await storage.authKeys.set('a', [session('x', 'later')]);
    expect(await readAll(storage.authKeys, 'session', ['x'])).toEqual({ x: 'later' });
  });

  it('authKeys.get() and creds() reject with STORAGE_UNREADABLE when the bytes belong to another key', async () => {
    const { storage, execute, reopen } = await open();
    await storage.authKeys.set('a', [session('x', 'of x'), session('y', 'of y'), session('z', 'of z')]);
    await storage.authKeys.setCreds('a', bytes('credentials'));
    await execute("UPDATE auth_key SET value = (SELECT value FROM auth_key WHERE id = 'x') WHERE id IN ('y', '')");
    const reopened: Storage = await reopen();
    await expect(reopened.authKeys.get('a', 'session', ['x', 'y'])).rejects.toMatchObject({
      code: 'STORAGE_UNREADABLE',
    });
    await expect(reopened.authKeys.creds('a')).rejects.toMatchObject({ code: 'STORAGE_UNREADABLE' });
    expect(await readAll(reopened.authKeys, 'session', ['x', 'z'])).toEqual({ x: 'of x', z: 'of z' });
  });

  it('authKeys.wipe() removes the credentials and all keys of one instance, also when it is called twice', async () => {
    const { storage } = await open();
    for (const instanceId of ['a', 'b']) {
      await storage.authKeys.setCreds(instanceId, bytes('credentials'));
      await storage.authKeys.set(instanceId, [session('x', 'key')]);
      await storage.authKeys.get(instanceId, 'session', ['x']);
    }
    await storage.authKeys.wipe('a');
    await storage.authKeys.wipe('a');
    expect(await storage.authKeys.creds('a')).toBeNull();
    expect(await storage.authKeys.get('a', 'session', ['x'])).toEqual(new Map());
    expect(text(await storage.authKeys.creds('b'))).toBe('credentials');
    expect(text((await storage.authKeys.get('b', 'session', ['x'])).get('x'))).toBe('key');
  });

  it('authKeys.get() returns the value of the last of many overlapping writes, also after a restart', async () => {
    const { storage, reopen } = await open();
    await storage.authKeys.get('a', 'session', ['x', 'y']);
    const calls: Promise<unknown>[] = [];
    for (let turn = 0; turn < 100; turn += 1) {
      calls.push(storage.authKeys.set('a', [session('x', `${turn}`), session('y', turn % 2 ? `${turn}` : null)]));
      calls.push(storage.authKeys.set('a', [session('x', `${turn}+`)]));
      calls.push(storage.authKeys.get('a', 'session', ['x', 'y']));
    }
    await Promise.all(calls);
    const expected = { x: '99+', y: '99' };
    expect(await readAll(storage.authKeys, 'session', ['x', 'y'])).toEqual(expected);
    expect(await readAll((await reopen()).authKeys, 'session', ['x', 'y'])).toEqual(expected);
  });

  it('a concurrent authKeys.get() returns both keys of one authKeys.set() call or neither', async () => {
    const { storage } = await open();
    const seen: Record<string, string | null>[] = [];
    const writes = Array.from({ length: 50 }, (_, turn) =>
      storage.authKeys.set('a', [session('x', `${turn}`), session('y', `${turn}`)]),
    );
    const reads = Array.from({ length: 50 }, async () =>
      seen.push(await readAll(storage.authKeys, 'session', ['x', 'y'])),
    );
    await Promise.all([...writes, ...reads]);
    expect(seen.filter(({ x, y }) => x !== y)).toEqual([]);
  });

  it('authKeys.get() returns the stored value after the caller of set() has changed the passed array', async () => {
    const { storage } = await open();
    await storage.authKeys.get('a', 'session', ['x']);
    const value = bytes('value');
    await storage.authKeys.set('a', [{ type: 'session', id: 'x', value }]);
    value.fill(0);
    expect(await readAll(storage.authKeys, 'session', ['x'])).toEqual({ x: 'value' });
  });
}
