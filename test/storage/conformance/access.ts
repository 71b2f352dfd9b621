// Access keys that operators create, and the audit log of the requests with them.
import { expect, it } from 'vitest';
import type { AccessKeyRow, AuditEntry } from '../../../src/storage/access-stores.ts';
import { instance } from '../../support/sample-rows.ts';
import { beforeAndAfterRestart, type OpenFixture } from './fixture.ts';

const row = (id: string, part: Partial<AccessKeyRow> = {}): AccessKeyRow => ({
  ...{ id, name: `name of ${id}`, digest: `digest of ${id}`, hint: 'gwk_abcd', scopes: ['read'], instanceId: null },
  ...{ replacedBy: null, createdAt: 1000, expiresAt: null, lastUsedAt: null, ...part },
});

const entry = (requestId: string, part: Partial<AuditEntry> = {}): AuditEntry => ({
  ...{ at: 1000, key: 'global', operation: 'sendText', scope: 'send', instance: 'shop', subject: null, status: 201 },
  ...{ requestId, address: '127.0.0.1', ...part },
});

export function accessTests(open: OpenFixture): void {
  it('accessKeys.list() returns the inserted keys, oldest first, before and after a restart', async () => {
    const fixture = await open();
    const { accessKeys } = fixture.storage;
    const full = row('b', { scopes: ['read', 'send', 'admin'], instanceId: 'i', expiresAt: 5000, createdAt: 500 });
    for (const accessKey of [row('a'), full]) await accessKeys.insert(accessKey);
    for await (const store of beforeAndAfterRestart(fixture))
      expect(await store.accessKeys.list()).toEqual([full, row('a')]);
  });

  it('accessKeys.replace() changes a key and stores its replacement in one transaction, and only once per key', async () => {
    const { storage } = await open();
    const { accessKeys } = storage;
    await accessKeys.insert(row('a'));
    const [change, next] = [{ replacedBy: 'b', expiresAt: 2000 }, row('b', { createdAt: 2000 })];
    await expect(accessKeys.replace('a', change, { ...next, digest: 'digest of a' })).rejects.toMatchObject({
      code: 'STORAGE_UNAVAILABLE',
    });
    expect(await accessKeys.list()).toEqual([row('a')]);
    expect(await accessKeys.replace('a', change, next)).toBe(true);
    const replaced = [row('a', change), next];
    expect(await accessKeys.list()).toEqual(replaced);
    for (const id of ['a', 'gone'])
      expect(await accessKeys.replace(id, { replacedBy: 'c', expiresAt: 3000 }, row('c'))).toBe(false);
    expect(await accessKeys.list()).toEqual(replaced);
  });

  it('accessKeys.recordUses() keeps the latest time of use, also when the key is replaced later', async () => {
    const { storage } = await open();
    const { accessKeys } = storage;
    for (const accessKey of [row('a'), row('b', { createdAt: 2000 })]) await accessKeys.insert(accessKey);
    await accessKeys.recordUses([
      { id: 'a', at: 50 },
      { id: 'gone', at: 50 },
    ]);
    await accessKeys.recordUses([
      { id: 'a', at: 40 },
      { id: 'b', at: 60 },
    ]);
    await accessKeys.replace('a', { replacedBy: 'c', expiresAt: 9000 }, row('c', { createdAt: 3000 }));
    expect((await accessKeys.list()).map(({ lastUsedAt }) => lastUsedAt)).toEqual([50, 60, null]);
  });

  it('an access key is removed by delete(), by prune() after it expired, and by the deletion of its instance', async () => {
    const { storage } = await open();
    const { accessKeys, instances } = storage;
    await instances.create(instance('i'));
    const rows = [row('a'), row('b', { expiresAt: 99 }), row('c', { expiresAt: 100 }), row('d', { instanceId: 'i' })];
    for (const accessKey of rows) await accessKeys.insert(accessKey);
    await accessKeys.delete('a');
    await accessKeys.delete('a');
    expect(await accessKeys.prune(100)).toBe(1);
    await instances.delete('i');
    expect((await accessKeys.list()).map(({ id }) => id)).toEqual(['c']);
  });

  it('audit.read() returns all entries in order, also after their instance is deleted and after a restart', async () => {
    const fixture = await open();
    const { audit, instances } = fixture.storage;
    await instances.create(instance('i', { name: 'shop' }));
    const first = [entry('1'), entry('2', { scope: 'admin', instance: null, subject: 'x', status: 403 })];
    await audit.append(first);
    await audit.append([entry('3')]);
    await audit.append([]);
    await instances.delete('i');
    for await (const store of beforeAndAfterRestart(fixture)) {
      const [one, two, three] = await store.audit.read(0, 10);
      expect([one, two]).toEqual(first.map((expected) => ({ ...expected, seq: expect.any(Number) })));
      expect(await store.audit.read(one?.seq ?? 0, 1)).toEqual([two]);
      expect(await store.audit.read(three?.seq ?? 0, 1)).toEqual([]);
    }
  });

  it('audit.prune() deletes entries that are too old, and all but the newest entries of each scope', async () => {
    const { storage } = await open();
    const { audit } = storage;
    const sends = Array.from({ length: 502 }, (_, n) => entry(`send ${n}`));
    await audit.append([entry('old', { scope: 'admin', at: 1 }), entry('new', { scope: 'admin' }), ...sends]);
    expect(await audit.prune({ before: 10, keep: 2 })).toBe(501);
    const remaining = (await audit.read(0, 10)).map(({ requestId }) => requestId);
    expect(remaining).toEqual(['new', 'send 500', 'send 501']);
  });

  it('audit.prune() limits requests with status 401, 403 or 429 separately from all other requests', async () => {
    const { storage } = await open();
    const { audit } = storage;
    const refused = [401, 403, 429].map((status) => entry(`refused ${status}`, { scope: 'admin', status }));
    await audit.append([entry('delete', { scope: 'admin' }), entry('failed', { scope: 'admin', status: 404 })]);
    await audit.append([...refused, entry('refused send', { status: 403 }), entry('old', { status: 403, at: 1 })]);
    expect(await audit.prune({ before: 10, keep: 2 })).toBe(4);
    const remaining = (await audit.read(0, 10)).map(({ requestId }) => requestId);
    expect(remaining).toEqual(['delete', 'failed', 'refused send']);
  });
}
