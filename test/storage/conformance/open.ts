// Opening, closing and losing a database.
import { expect, it } from 'vitest';
import { bytes, instance, text } from '../../support/sample-rows.ts';
import type { OpenFixture } from './fixture.ts';

export function openTests(open: OpenFixture): void {
  it('openStorage() finds all stored data after a restart', async () => {
    const fixture = await open();
    await fixture.storage.instances.create(instance('a'));
    await fixture.storage.authKeys.setCreds('a', bytes('credentials'));
    await fixture.storage.metadata.set('version', '1');
    const storage = await fixture.reopen();
    expect(await storage.instances.get('a')).toEqual(instance('a'));
    expect(text(await storage.authKeys.creds('a'))).toBe('credentials');
    expect(await storage.metadata.get('version')).toBe('1');
  });

  it('openStorage() rejects a database of the other network and names both networks', async () => {
    const fixture = await open();
    await expect(fixture.reopen({ network: 'whatsapp' })).rejects.toThrow(/sandbox network .* whatsapp network/);
  });

  it('openStorage() rejects a wrong encryption key and names ENCRYPTION_KEY', async () => {
    const fixture = await open();
    const encryptionKey = Buffer.alloc(32, 9).toString('base64');
    await expect(fixture.reopen({ encryptionKey })).rejects.toMatchObject({
      code: 'STORAGE_UNREADABLE',
      message: expect.stringContaining('another key: set ENCRYPTION_KEY'),
    });
  });

  it('openStorage() decrypts old values with an old key that follows the new key in ENCRYPTION_KEY', async () => {
    const fixture = await open();
    await fixture.storage.authKeys.setCreds('a', bytes('credentials'));
    const old = Buffer.alloc(32, 1).toString('base64');
    const storage = await fixture.reopen({ encryptionKey: `${Buffer.alloc(32, 9).toString('base64')},${old}` });
    expect(text(await storage.authKeys.creds('a'))).toBe('credentials');
  });

  it('openStorage() requires the first encryption key also after values were written with a new key', async () => {
    const fixture = await open();
    const [old, next] = [1, 9].map((byte) => Buffer.alloc(32, byte).toString('base64'));
    const storage = await fixture.reopen({ encryptionKey: `${next},${old}` });
    await storage.authKeys.setCreds('a', bytes('credentials'));
    await expect(fixture.reopen({ encryptionKey: `${next}` })).rejects.toThrow('was encrypted with another key');
  });

  it('openStorage() rejects an encryption key of the wrong length and explains how to create one', async () => {
    const fixture = await open();
    await expect(fixture.reopen({ encryptionKey: 'c2hvcnQ=' })).rejects.toThrow(
      /ENCRYPTION_KEY must be 32 bytes.*openssl/,
    );
  });

  it('openStorage() rejects a schema that requires a newer release', async () => {
    const fixture = await open();
    await fixture.execute('INSERT INTO schema_version (version, compatible_with, applied_at) VALUES (900, 900, 0)');
    await expect(fixture.reopen()).rejects.toThrow(/schema version 900 .* newer release/);
  });

  it('openStorage() opens a newer schema that is declared compatible with this release', async () => {
    const fixture = await open();
    await fixture.execute('INSERT INTO schema_version (version, compatible_with, applied_at) VALUES (900, 1, 0)');
    const storage = await fixture.reopen();
    await expect(storage.checkWritable()).resolves.toBeUndefined();
  });

  it('openStorage() reports tables of another program, and does not report them with allowForeignTables', async () => {
    const fixture = await open();
    await fixture.execute('CREATE TABLE "_prisma_migrations" (id TEXT)');
    const found: string[] = [];
    const storage = await fixture.reopen({ onForeignTables: (tables) => void found.push(...tables) });
    expect(found).toEqual(['_prisma_migrations']);
    await expect(storage.checkWritable()).resolves.toBeUndefined();
    await fixture.reopen({ onForeignTables: () => expect.unreachable(), allowForeignTables: true });
  });

  it('openStorage() reports no foreign tables in a database of its own', async () => {
    const fixture = await open();
    const found: string[] = [];
    await fixture.reopen({ onForeignTables: (tables) => void found.push(...tables) });
    expect(found).toEqual([]);
  });

  it('the storage rejects calls with STORAGE_UNAVAILABLE and the cause when the database is lost', async () => {
    const fixture = await open();
    await fixture.makeUnavailable();
    const unavailable = { code: 'STORAGE_UNAVAILABLE', status: 503, cause: expect.anything() };
    await expect(fixture.storage.checkWritable()).rejects.toMatchObject(unavailable);
    await expect(fixture.storage.authKeys.get('a', 'session', ['x'])).rejects.toMatchObject(unavailable);
    await expect(fixture.storage.authKeys.set('a', [{ type: 't', id: 'x', value: bytes('v') }])).rejects.toMatchObject(
      unavailable,
    );
    await expect(fixture.storage.instances.list()).rejects.toMatchObject(unavailable);
    await expect(fixture.storage.instances.delete('a')).rejects.toMatchObject(unavailable);
  });

  it('close() resolves when the storage is already closed', async () => {
    const fixture = await open();
    await fixture.storage.close();
    await expect(fixture.storage.close()).resolves.toBeUndefined();
  });
}
