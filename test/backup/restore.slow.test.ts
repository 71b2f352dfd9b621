import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { writeArchive } from '../../src/backup/archive.ts';
import { makeBackup } from '../../src/backup/backup.ts';
import { encodeManifest, type Manifest } from '../../src/backup/manifest.ts';
import { restoreBackup } from '../../src/backup/restore.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { openStorage } from '../../src/storage/open.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { emptyFolder } from '../support/folder.ts';
import { event, toEventBatch } from '../support/sample-rows.ts';

const KEY = Buffer.alloc(32, 1).toString('base64');
const OTHER_KEY = Buffer.alloc(32, 2).toString('base64');
const noProgress = { update: () => undefined, end: () => undefined };
const common = { clock: systemClock, progress: () => noProgress, encryptionKey: '' };
const newFile = () => join(emptyFolder(), 'backup.tar.gz');

/** Opens a storage with 10 MB of values. It stays open until the test ends. */
async function createStorage(encryptionKey?: string) {
  const dataDir = emptyFolder();
  const storage = await openStorage({ dataDir, network: 'sandbox', encryptionKey });
  onTestFinished(() => storage.close());
  const writes = Array.from({ length: 10 }, (_, n) => ({
    type: 'filling',
    id: `${n}`,
    value: Buffer.alloc(10 ** 6, n),
  }));
  await storage.authKeys.set('shop', writes);
  return { dataDir, storage };
}

/** Creates a database that was used with its key file, and then with `keys` in ENCRYPTION_KEY. */
async function rotatedStore({ isFilled = true } = {}) {
  const dataDir = emptyFolder();
  const before = await openStorage({ dataDir, network: 'sandbox' });
  if (isFilled) await before.authKeys.setCreds('other', Buffer.from('old'));
  await before.close();
  const fileKey = readFileSync(join(dataDir, 'encryption-key'), 'utf8').trim();
  const keys = `${KEY},${fileKey}`;
  const storage = await openStorage({ dataDir, network: 'sandbox', encryptionKey: keys });
  await storage.authKeys.setCreds('shop', Buffer.from('new'));
  await storage.close();
  return { dataDir, keys, fileKey };
}

async function backupOf(dataDir: string, encryptionKey = ''): Promise<string> {
  const file = newFile();
  await makeBackup({ ...common, dataDir, file, encryptionKey });
  return file;
}

const restore = (file: string, dataDir: string, options: { force?: boolean; encryptionKey?: string } = {}) =>
  restoreBackup({ ...common, force: false, file, dataDir, ...options });

/** Expects that `attempt` rejects with `sentence` and does not change the folder. */
async function expectRefused(attempt: Promise<unknown>, sentence: string, dataDir: string): Promise<void> {
  const before = readdirSync(dataDir).filter((name) => !name.startsWith('lock') && !name.startsWith('restore-'));
  await expect(attempt).rejects.toThrow(sentence);
  expect(readdirSync(dataDir).filter((name) => !name.startsWith('lock'))).toEqual(before);
}

describe('a backup', () => {
  it('a backup contains a consistent state of a database that changes meanwhile, with its keys, and can be opened', async () => {
    const { dataDir, storage } = await createStorage();
    writeFileSync(join(dataDir, 'api-key'), 'the key of the api\n');
    await storage.metadata.set('first', 'before');
    await storage.metadata.set('second', 'before');
    let writeCount = 0;
    const writingProgress = {
      update: () => void storage.metadata.set('second', `during ${++writeCount}`),
      end: () => undefined,
    };
    const file = newFile();
    const { hasKey, manifest } = await makeBackup({ ...common, dataDir, file, progress: () => writingProgress });
    expect(writeCount).toBeGreaterThan(2);
    expect(hasKey).toBe(true);
    expect(manifest).toMatchObject({ network: 'sandbox', instances: 0 });

    const other = join(emptyFolder(), 'new');
    await restore(file, other);
    expect(readdirSync(other).sort()).toEqual(['api-key', 'encryption-key', 'gateway.db', 'lock.db']);
    for (const name of readdirSync(other)) expect(statSync(join(other, name)).mode & 0o777, name).toBe(0o600);
    expect(readFileSync(join(other, 'api-key'), 'utf8')).toBe('the key of the api\n');
    const restored = await openStorage({ dataDir: other, network: 'sandbox' });
    onTestFinished(() => restored.close());
    expect([await restored.metadata.get('first'), await restored.metadata.get('second')]).toEqual(['before', 'before']);
    expect((await restored.authKeys.get('shop', 'filling', ['9'])).get('9')).toEqual(Buffer.alloc(10 ** 6, 9));
  });

  it('makeBackup() returns hasAllKeys false when ENCRYPTION_KEY has a newer key than the key file', async () => {
    const { dataDir, storage } = await createStorage();
    await storage.close();
    const fileKey = readFileSync(join(dataDir, 'encryption-key'), 'utf8').trim();
    const keysIn = async (encryptionKey: string) => {
      const { hasKey, hasAllKeys } = await makeBackup({ ...common, dataDir, file: newFile(), encryptionKey });
      return { hasKey, hasAllKeys };
    };
    expect(await keysIn(`${KEY},${fileKey}`)).toEqual({ hasKey: true, hasAllKeys: false });
    expect(await keysIn(fileKey)).toEqual({ hasKey: true, hasAllKeys: true });
    expect(await keysIn(OTHER_KEY)).toEqual({ hasKey: true, hasAllKeys: true });
  });

  it('makeBackup() needs no valid key file when ENCRYPTION_KEY contains the key', async () => {
    const { dataDir } = await createStorage(KEY);
    writeFileSync(join(dataDir, 'encryption-key'), 'changeme\n');
    const file = newFile();
    expect((await makeBackup({ ...common, dataDir, file, encryptionKey: KEY })).hasKey).toBe(false);
    await restore(file, emptyFolder(), { encryptionKey: KEY });
    await expect(makeBackup({ ...common, dataDir, file: newFile() })).rejects.toThrow('must be 32 bytes in base64');
  });

  it('makeBackup() leaves no file when it is aborted or when the key or the database is missing', async () => {
    const { dataDir } = await createStorage(KEY);
    const file = newFile();
    const stopped = makeBackup({ ...common, dataDir, file, encryptionKey: KEY, signal: AbortSignal.abort() });
    await expect(stopped).rejects.toThrow('aborted');
    await expect(makeBackup({ ...common, dataDir, file })).rejects.toThrow('neither in DATA_DIR nor in ENCRYPTION_KEY');
    await expect(makeBackup({ ...common, dataDir: emptyFolder(), file })).rejects.toThrow('no database');
    expect(readdirSync(join(file, '..'))).toEqual([]);
    await makeBackup({ ...common, dataDir, file, encryptionKey: KEY });
    await expect(makeBackup({ ...common, dataDir, file, encryptionKey: KEY })).rejects.toThrow('exists already');
  });
});

describe('a restore', () => {
  it('restoreBackup() replaces a database only with force and without a running gateway, and keeps the old files', async () => {
    const { dataDir, storage } = await createStorage();
    const file = await backupOf(dataDir);
    await expectRefused(restore(file, dataDir), '--force', dataDir);
    await expectRefused(restore(file, dataDir, { force: true }), 'in use by another gateway', dataDir);
    await storage.metadata.set('later', 'yes');
    await storage.close();
    const { oldFilesDir } = await restore(file, dataDir, { force: true });
    const old = await openStorage({ dataDir: oldFilesDir ?? '', network: 'sandbox' });
    expect(await old.metadata.get('later')).toBe('yes');
    await old.close();
    const restored = await openStorage({ dataDir, network: 'sandbox' });
    expect(await restored.metadata.get('later')).toBeNull();
    await restored.close();
    rmSync(join(dataDir, 'gateway.db'));
    await expectRefused(restore(file, dataDir), '--force', dataDir);
  });

  it('readers of the event log and the audit log continue with new entries after a restore', async () => {
    const { dataDir, storage } = await createStorage();
    const write = async ({ messages, audit }: Storage, id: string) => {
      await messages.record('a', toEventBatch({ events: [event(id)] }));
      await audit.append([
        {
          ...{ requestId: id, at: 1, key: 'global', operation: 'sendText', scope: 'send', instance: null },
          ...{ subject: null, status: 201, address: '127.0.0.1' },
        },
      ]);
    };
    const backups = [await backupOf(dataDir)];
    await write(storage, 'first');
    backups.push(await backupOf(dataDir));
    for (const id of ['second', 'third']) await write(storage, id);
    const cursor = await storage.events.findNewestSeq('a');
    const lastEntry = (await storage.audit.read(0, 10)).at(-1)?.seq ?? 0;
    for (const file of backups) {
      const other = emptyFolder();
      await restore(file, other);
      const restored = await openStorage({ dataDir: other, network: 'sandbox' });
      onTestFinished(() => restored.close());
      await write(restored, 'new');
      const page = await restored.events.read('a', { after: cursor, limit: 10 });
      expect(page.events).toMatchObject([{ id: 'new' }]);
      expect(await restored.audit.read(lastEntry, 10)).toMatchObject([{ requestId: 'new' }]);
    }
  });

  it('a reader of the event log continues with new events when the same backup is restored twice', async () => {
    const { dataDir } = await createStorage();
    const file = await backupOf(dataDir);
    const restoreAndWrite = async (after: number) => {
      const other = emptyFolder();
      await restore(file, other);
      const restored = await openStorage({ dataDir: other, network: 'sandbox' });
      onTestFinished(() => restored.close());
      await restored.messages.record('a', toEventBatch({ events: [event('one'), event('two')] }));
      return (await restored.events.read('a', { after, limit: 10 })).events;
    };
    const cursor = (await restoreAndWrite(0)).at(-1)?.seq ?? 0;
    expect(await restoreAndWrite(cursor)).toMatchObject([{ id: 'one' }, { id: 'two' }]);
  });

  it('restoreBackup() changes nothing when it is aborted before or while it reads the backup', async () => {
    const { dataDir } = await createStorage();
    const file = await backupOf(dataDir);
    const other = emptyFolder();
    for (const when of ['before', 'while']) {
      const stop = new AbortController();
      const progress = () => ({ update: () => stop.abort(), end: () => undefined });
      if (when === 'before') stop.abort();
      const options = { ...common, force: false, file, dataDir: other, progress, signal: stop.signal };
      await expect(restoreBackup(options), when).rejects.toMatchObject({ name: 'AbortError' });
      expect(readdirSync(other)).toEqual(['lock.db']);
    }
  });

  it('restoreBackup() gives the files to the owner of the folder', async () => {
    const { dataDir } = await createStorage();
    const file = await backupOf(dataDir);
    const owner = process.getuid?.() === 0 ? 65_534 : process.getuid?.();
    const other = emptyFolder();
    if (owner !== process.getuid?.()) chownSync(other, owner ?? 0, owner ?? 0);
    const foreign = newFile();
    writeFileSync(foreign, 'not a backup');
    await expect(restore(foreign, other)).rejects.toThrow();
    expect(statSync(join(other, 'lock.db')).uid, 'the owner after a refused restore').toBe(owner);
    await restore(file, other);
    for (const name of readdirSync(other)) expect(statSync(join(other, name)).uid, name).toBe(owner);
  });

  it('restoreBackup() requires the encryption key of the backup', async () => {
    const { dataDir } = await createStorage(KEY);
    const file = await backupOf(dataDir, KEY);
    const other = emptyFolder();
    await expectRefused(restore(file, other), 'Set ENCRYPTION_KEY', other);
    await expectRefused(restore(file, other, { encryptionKey: OTHER_KEY }), 'another key than ENCRYPTION_KEY', other);
    await restore(file, other, { encryptionKey: `${OTHER_KEY},${KEY}` });

    const own = await createStorage();
    const complete = await backupOf(own.dataDir);
    const third = emptyFolder();
    await expectRefused(restore(complete, third, { encryptionKey: KEY }), 'Leave ENCRYPTION_KEY out', third);
  });

  it('restoreBackup() returns hasAllKeys false when the key decrypts only some of the values', async () => {
    const { dataDir, keys } = await rotatedStore();
    const file = await backupOf(dataDir, keys);
    expect(await restore(file, emptyFolder(), { encryptionKey: keys })).toMatchObject({ hasAllKeys: true });
    const other = emptyFolder();
    expect(await restore(file, other)).toMatchObject({ hasAllKeys: false });
    const readCreds = async (encryptionKey?: string) => {
      const restored = await openStorage({ dataDir: other, network: 'sandbox', encryptionKey });
      onTestFinished(() => restored.close());
      return restored.authKeys.creds('shop').finally(() => restored.close());
    };
    await expect(readCreds()).rejects.toMatchObject({ code: 'STORAGE_UNREADABLE' });
    expect(await readCreds(keys)).toEqual(Buffer.from('new'));
  });

  it('restoreBackup() requires a key that decrypts at least one value', async () => {
    const { dataDir, keys, fileKey } = await rotatedStore({ isFilled: false });
    const file = await backupOf(dataDir, keys);
    const other = emptyFolder();
    await expectRefused(restore(file, other), 'None of the values', other);
    await expectRefused(restore(file, other, { encryptionKey: fileKey }), 'None of the values', other);
    await restore(file, other, { encryptionKey: keys });
  });

  it('restoreBackup() rejects a backup of an incompatible release, a file that is not a backup and a missing file', async () => {
    const { dataDir, storage } = await createStorage();
    await storage.close();
    const database = new DatabaseSync(join(dataDir, 'gateway.db'));
    database.exec('INSERT INTO schema_version VALUES (900, 1, 0)');
    const compatible = await backupOf(dataDir);
    database.exec('INSERT INTO schema_version VALUES (901, 900, 0)');
    const newer = await backupOf(dataDir);
    database.close();
    await restore(compatible, emptyFolder());
    const other = emptyFolder();
    await expectRefused(restore(newer, other), 'newer release', other);
    const foreign = newFile();
    writeFileSync(foreign, 'not a backup');
    await expectRefused(restore(foreign, other), 'is not a backup', other);
    await expectRefused(restore('/nowhere/at-all', other), 'does not exist', other);
  });

  it('restoreBackup() rejects a backup whose files do not match its manifest or do not belong to a backup', async () => {
    const content = Buffer.from('not a database');
    const file = { name: 'gateway.db', size: content.length, sha256: '0'.repeat(64) };
    const manifest = { madeAt: 0, schema: 1, compatibleWith: 1, network: 'sandbox', instances: 0, files: [file] };
    const other = emptyFolder();
    const archive = async (described: Manifest, name: string) => {
      const path = newFile();
      const head = encodeManifest(described);
      await writeArchive(path, [
        { name: 'manifest.json', size: head.length, content: Readable.from([head]) },
        { name, size: content.length, content: Readable.from([content]) },
      ]);
      return path;
    };
    const wrong = [
      await archive(manifest, 'gateway.db'),
      await archive({ ...manifest, files: [{ ...file, name: '../gateway.db' }] }, '../gateway.db'),
      await archive(manifest, '../gateway.db'),
      await archive({ ...manifest, files: [{ ...file, name: 'api-key' }] }, 'api-key'),
    ];
    for (const path of wrong) await expectRefused(restore(path, other), 'is not a backup, or it is damaged', other);
    expect(existsSync(join(other, '..', 'gateway.db'))).toBe(false);
  });
});

describe('the commands backup and restore', () => {
  const run = (...args: string[]) =>
    spawnSync(process.execPath, ['src/backup/cli.ts', ...args], {
      env: { PATH: process.env.PATH, DATABASE_URL: 'postgres://db/gateway' },
      encoding: 'utf8',
    });

  it('the commands mention ENCRYPTION_KEY only when it is set or required', async () => {
    const { dataDir, keys } = await rotatedStore();
    const runCommand = (folder: string, args: string[], env: Record<string, string> = {}) => {
      const command = ['src/backup/cli.ts', ...args];
      const options = { env: { PATH: process.env.PATH, DATA_DIR: folder, ...env }, encoding: 'utf8' as const };
      const { status, stdout, stderr } = spawnSync(process.execPath, command, options);
      expect(status, stderr).toBe(0);
      return stdout;
    };
    const [withKey, withoutKey] = [newFile(), newFile()];
    expect(runCommand(dataDir, ['backup', withKey], { ENCRYPTION_KEY: keys })).toContain(
      'It does not contain ENCRYPTION_KEY',
    );
    const report = runCommand(dataDir, ['backup', withoutKey]);
    expect(report).toContain('a key that it does not contain');
    expect(report).not.toContain('ENCRYPTION_KEY');
    expect(runCommand(emptyFolder(), ['restore', withoutKey])).toContain('Set ENCRYPTION_KEY');
    expect(runCommand(emptyFolder(), ['restore', withoutKey], { ENCRYPTION_KEY: keys })).not.toContain(
      'ENCRYPTION_KEY',
    );
  });

  it('the command backup refuses a PostgreSQL database and names pg_dump', () => {
    const { status, stdout, stderr } = run('backup', '/tmp/never');
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^messaging-gateway: The database is PostgreSQL.*pg_dump.*ENCRYPTION_KEY.*\n$/);
    for (const args of [['backup'], ['other', 'a']]) {
      const wrong = run(...args);
      expect(wrong.status, args.join(' ')).toBe(1);
      expect(wrong.stderr.split('\n')).toHaveLength(2);
    }
  });
});
