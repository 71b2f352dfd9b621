// What opening, closing and losing a database looks like.
import { expect, it } from 'vitest';
import type { OpenBench } from '../conformance.ts';
import { bytes, instance, text } from '../samples.ts';

export function openTests(open: OpenBench): void {
  it('finds everything again after a restart', async () => {
    const bench = await open();
    await bench.storage.instances.create(instance('a'));
    await bench.storage.authKeys.setCreds('a', bytes('credentials'));
    await bench.storage.metadata.set('version', '1');
    const storage = await bench.reopen();
    expect(await storage.instances.get('a')).toEqual(instance('a'));
    expect(text(await storage.authKeys.creds('a'))).toBe('credentials');
    expect(await storage.metadata.get('version')).toBe('1');
  });

  it('refuses a database of the other network and names both', async () => {
    const bench = await open();
    await expect(bench.reopen({ network: 'whatsapp' })).rejects.toThrow(/sandbox network .* whatsapp network/);
  });

  it('refuses a wrong encryption key at start, in words', async () => {
    const bench = await open();
    const encryptionKey = Buffer.alloc(32, 9).toString('base64');
    await expect(bench.reopen({ encryptionKey })).rejects.toMatchObject({
      code: 'STORAGE_UNREADABLE',
      message: expect.stringContaining('another key: set ENCRYPTION_KEY'),
    });
  });

  it('reads old values with the old key behind a new one', async () => {
    const bench = await open();
    await bench.storage.authKeys.setCreds('a', bytes('credentials'));
    const old = Buffer.alloc(32, 1).toString('base64');
    const storage = await bench.reopen({ encryptionKey: `${Buffer.alloc(32, 9).toString('base64')},${old}` });
    expect(text(await storage.authKeys.creds('a'))).toBe('credentials');
  });

  it('needs the first key as long as the database exists, even after values were written with a new one', async () => {
    const bench = await open();
    const [old, next] = [1, 9].map((byte) => Buffer.alloc(32, byte).toString('base64'));
    const storage = await bench.reopen({ encryptionKey: `${next},${old}` });
    await storage.authKeys.setCreds('a', bytes('credentials'));
    await expect(bench.reopen({ encryptionKey: `${next}` })).rejects.toThrow('was encrypted with another key');
  });

  it('refuses an encryption key of the wrong length and says how to make one', async () => {
    const bench = await open();
    await expect(bench.reopen({ encryptionKey: 'c2hvcnQ=' })).rejects.toThrow(
      /ENCRYPTION_KEY must be 32 bytes.*openssl/,
    );
  });

  it('refuses a schema that only a newer release understands', async () => {
    const bench = await open();
    await bench.execute('INSERT INTO schema_version (version, compatible_with, applied_at) VALUES (900, 900, 0)');
    await expect(bench.reopen()).rejects.toThrow(/schema version 900 .* newer release/);
  });

  it('opens a newer schema that is declared compatible with this one', async () => {
    const bench = await open();
    await bench.execute('INSERT INTO schema_version (version, compatible_with, applied_at) VALUES (900, 1, 0)');
    const storage = await bench.reopen();
    await expect(storage.checkWritable()).resolves.toBeUndefined();
  });

  it('warns of tables of another program beside its own, and works', async () => {
    const bench = await open();
    await bench.execute('CREATE TABLE "_prisma_migrations" (id TEXT)');
    const found: string[] = [];
    const storage = await bench.reopen({ onForeignTables: (tables) => void found.push(...tables) });
    expect(found).toEqual(['_prisma_migrations']);
    await expect(storage.checkWritable()).resolves.toBeUndefined();
    await bench.reopen({ onForeignTables: () => expect.unreachable(), allowForeignTables: true });
  });

  it('finds none in a database of its own', async () => {
    const bench = await open();
    const found: string[] = [];
    await bench.reopen({ onForeignTables: (tables) => void found.push(...tables) });
    expect(found).toEqual([]);
  });

  it('reports a lost database as unavailable, with the cause', async () => {
    const bench = await open();
    await bench.breakDown();
    const unavailable = { code: 'STORAGE_UNAVAILABLE', status: 503, cause: expect.anything() };
    await expect(bench.storage.checkWritable()).rejects.toMatchObject(unavailable);
    await expect(bench.storage.authKeys.get('a', 'session', ['x'])).rejects.toMatchObject(unavailable);
    await expect(bench.storage.authKeys.set('a', [{ type: 't', id: 'x', value: bytes('v') }])).rejects.toMatchObject(
      unavailable,
    );
    await expect(bench.storage.instances.list()).rejects.toMatchObject(unavailable);
    await expect(bench.storage.instances.delete('a')).rejects.toMatchObject(unavailable);
  });

  it('can be closed twice', async () => {
    const bench = await open();
    await bench.storage.close();
    await expect(bench.storage.close()).resolves.toBeUndefined();
  });
}
