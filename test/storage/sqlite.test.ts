// The conformance suite on SQLite, and tests of its memory, its data folder and work on many rows.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openStorage } from '../../src/storage/open.ts';
import { bytes, event, instance, itemsOf, message, text, toEventBatch, webhook } from '../support/sample-rows.ts';
import { conformance } from './conformance.ts';

function folder(): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-storage-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  return dataDir;
}

conformance('SQLite', async () => {
  const dataDir = folder();
  const base = { dataDir, network: 'sandbox', encryptionKey: Buffer.alloc(32, 1).toString('base64') } as const;
  let storage = await openStorage(base);
  onTestFinished(() => storage.close());
  const execute = async (sql: string) => {
    const sideConnection = new DatabaseSync(join(dataDir, 'gateway.db'));
    const found = sideConnection.prepare(sql).all();
    sideConnection.close();
    return found;
  };
  return {
    storage,
    async reopen(options) {
      await storage.close();
      storage = await openStorage({ ...base, ...options });
      return storage;
    },
    execute,
    rejectValue: async (table, column, value) => {
      await execute(
        `CREATE TRIGGER poison BEFORE INSERT ON ${table} WHEN NEW.${column} = '${value}' BEGIN SELECT RAISE(ABORT, 'poison'); END`,
      );
    },
    makeUnavailable: () => storage.close(),
  };
});

describe('work on many rows', () => {
  const COUNT = 2_500;
  const numbers = Array.from({ length: COUNT }, (_, n) => `${n}`);

  /** An instance with a webhook, COUNT deliveries and COUNT keys. */
  async function createFilledStorage() {
    const storage = await openStorage({ dataDir: ':memory:', network: 'sandbox' });
    onTestFinished(() => storage.close());
    await storage.webhooks.put(webhook('hook', { instanceId: 'a' }));
    await storage.messages.record(
      'a',
      toEventBatch({ events: numbers.map((id) => event(id, { webhookIds: ['hook'] })) }),
    );
    await storage.authKeys.setCreds('a', bytes('creds'));
    await storage.authKeys.set(
      'a',
      numbers.map((id) => ({ type: 'session', id, value: bytes(id) })),
    );
    return storage;
  }
  type FilledStorage = Awaited<ReturnType<typeof createFilledStorage>>;
  const countWaiting = async ({ outbox }: FilledStorage) => (await outbox.depth('hook')).waiting;
  const countKeys = async ({ authKeys }: FilledStorage) => (await authKeys.ids('a', 'session')).length;

  it.each<[string, (storage: FilledStorage) => Promise<unknown>, (storage: FilledStorage) => Promise<number>]>([
    ['the expiry of deliveries', ({ outbox }) => itemsOf(outbox.expire('hook', Date.now() + 60_000)), countWaiting],
    ['the deletion of a webhook', ({ webhooks }) => webhooks.delete({ id: 'hook', instanceId: 'a' }), countWaiting],
    ['the removal of keys', ({ authKeys }) => authKeys.wipe('a'), countKeys],
    ['the deletion of an instance', ({ instances }) => instances.delete('a'), countKeys],
  ])('%s on SQLite lets other work run in between', async (_, work, countRows) => {
    const storage = await createFilledStorage();
    const done = work(storage);
    let count = COUNT;
    while (count === COUNT) {
      await setImmediate();
      count = await countRows(storage);
    }
    expect(count).toBeGreaterThan(0);
    await done;
    expect(await countRows(storage)).toBe(0);
  });

  it('authKeys.wipe() removes the credentials first, and later writes wait for its end', async () => {
    const storage = await createFilledStorage();
    const done = storage.authKeys.wipe('a');
    const written = storage.authKeys.set('a', [{ type: 'session', id: '1', value: bytes('new') }]);
    while ((await countKeys(storage)) === COUNT) await setImmediate();
    expect(await storage.authKeys.creds('a')).toBeNull();
    await Promise.all([done, written]);
    expect(await storage.authKeys.ids('a', 'session')).toEqual(['1']);
    expect(text((await storage.authKeys.get('a', 'session', ['1'])).get('1'))).toBe('new');
  });
});

describe('searches for lists of addresses', () => {
  it('contacts.find() keeps no memory for each length of its address list', () => {
    const program = `
      import { openStorage } from ${JSON.stringify(resolve('src/storage/open.ts'))};
      const residentMiB = () => {
        gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
        return process.memoryUsage.rss() / 2 ** 20;
      };
      const storage = await openStorage({ dataDir: ':memory:', network: 'sandbox' });
      const find = (length) => {
        const jids = Array.from({ length }, (_, n) => n + '@lid');
        return storage.contacts.find('a', { jids }, { offset: 0, limit: length });
      };
      await find(1000);
      const before = residentMiB();
      for (let length = 501; length <= 1000; length += 1) await find(length);
      process.stdout.write(String(residentMiB() - before));`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', '--input-type=module', '-e', program]);
    // With a cached statement for each length, the growth is about 170 MiB.
    expect(Number(stdout), `${stdout} ${stderr}`).toBeLessThan(80);
  });
});

describe('releaseMemory()', () => {
  it('releaseMemory() returns the memory of cached pages to the operating system, and stored data stays readable', () => {
    const program = `
      import { openStorage } from ${JSON.stringify(resolve('src/storage/open.ts'))};
      import { loadCFunctions } from ${JSON.stringify(resolve('src/lib/c-library.ts'))};
      const library = await loadCFunctions({ malloc_trim: { arguments: ['u64'], return: 'i32' } });
      const residentMiB = () => {
        gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
        library.malloc_trim(0n);
        return process.memoryUsage.rss() / 2 ** 20;
      };
      const storage = await openStorage({ dataDir: ${JSON.stringify(folder())}, network: 'sandbox' });
      const value = new Uint8Array(2000);
      const ids = Array.from({ length: 5000 }, (_, id) => String(id));
      await storage.authKeys.set('a', ids.map((id) => ({ type: 'session', id, value })));
      const before = residentMiB();
      storage.releaseMemory();
      const released = before - residentMiB();
      const read = await storage.authKeys.get('a', 'session', ids);
      await storage.close();
      process.stdout.write(JSON.stringify({ released, read: read.size }));`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', '--input-type=module', '--eval', program], {
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    const { released, read } = JSON.parse(stdout);
    expect(read).toBe(5_000);
    expect(released, 'released memory in MiB').toBeGreaterThan(5);
  });
});

describe('the deletion of an instance with many messages', () => {
  it('instances.delete() lets messages of other instances be stored while it deletes many messages', async () => {
    const storage = await openStorage({ dataDir: ':memory:', network: 'sandbox' });
    onTestFinished(() => storage.close());
    await storage.instances.create(instance('a'));
    const messages = Array.from({ length: 1_000 }, (_, n) => ({
      message: message(`m${n}`),
      events: [event(`m${n}`)],
    }));
    await storage.messages.record('a', toEventBatch({ messages }));
    const deletion = storage.instances.delete('a');
    await storage.messages.record('b', toEventBatch({ messages: [{ message: message('other'), events: [] }] }));
    expect(await storage.instances.get('a')).not.toBeNull();
    await deletion;
    expect(await storage.instances.get('a')).toBeNull();
    expect(await storage.instances.counts('a')).toEqual({ messages: 0, chats: 0, contacts: 0 });
    expect(await storage.messages.get('b', 'other')).not.toBeNull();
  });

  it('instances.delete() ends after the current transaction when its signal is aborted, and can be repeated', async () => {
    const storage = await openStorage({ dataDir: ':memory:', network: 'sandbox' });
    onTestFinished(() => storage.close());
    await storage.instances.create(instance('a', { ownerJid: '5511@s.whatsapp.net' }));
    const messages = Array.from({ length: 1_000 }, (_, n) => ({ message: message(`m${n}`), events: [] }));
    await storage.messages.record('a', toEventBatch({ messages }));
    const controller = new AbortController();
    const deletion = storage.instances.delete('a', controller.signal);
    controller.abort(new Error('the process stops'));
    await expect(deletion).rejects.toThrow('the process stops');
    expect(await storage.instances.get('a')).toMatchObject({ desired: 'deleted', ownerJid: null });
    expect((await storage.instances.counts('a')).messages).toBeGreaterThan(500);
    await storage.instances.delete('a');
    expect(await storage.instances.get('a')).toBeNull();
  });
});

describe('a deletion that fails', () => {
  it('a failed instances.delete() leaves a deleted instance without account and credentials, and can be repeated', async () => {
    const dataDir = folder();
    const storage = await openStorage({ dataDir, network: 'sandbox' });
    onTestFinished(() => storage.close());
    await storage.instances.create(instance('a', { ownerJid: '5511@s.whatsapp.net' }));
    await storage.authKeys.setCreds('a', bytes('c'));
    await storage.messages.record('a', toEventBatch({ messages: [{ message: message('m'), events: [] }] }));
    const sideConnection = new DatabaseSync(join(dataDir, 'gateway.db'));
    onTestFinished(() => sideConnection.close());
    sideConnection.exec(`CREATE TRIGGER fail BEFORE DELETE ON message BEGIN SELECT RAISE(ABORT, 'damaged'); END`);
    await expect(storage.instances.delete('a')).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    expect(await storage.instances.get('a')).toMatchObject({ desired: 'deleted', ownerJid: null });
    expect(await storage.authKeys.creds('a')).toBeNull();
    sideConnection.exec('DROP TRIGGER fail');
    await storage.instances.delete('a');
    expect(await storage.instances.get('a')).toBeNull();
  });
});

describe('the data folder', () => {
  const inFolder = (dataDir: string) => openStorage({ dataDir, network: 'sandbox' });

  it('openStorage() creates the data folder and its files with access for their owner only', async () => {
    const dataDir = join(folder(), 'new', 'data');
    const storage = await inFolder(dataDir);
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
    for (const file of readdirSync(dataDir))
      expect([file, statSync(join(dataDir, file)).mode & 0o077]).toEqual([file, 0]);
    await storage.close();
  });

  it('openStorage() rejects a data folder that is in use by another process, until that process closes it', async () => {
    const dataDir = folder();
    const storage = await inFolder(dataDir);
    const script = `import { openStorage } from ${JSON.stringify(join(import.meta.dirname, '../../src/storage/open.ts'))};
      const s = await openStorage({ dataDir: ${JSON.stringify(dataDir)}, network: 'sandbox' }).catch((e) => e);
      console.log(s instanceof Error ? s.message : 'opened');`;
    const other = () =>
      spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }).stdout.trim();
    expect(other()).toBe(
      `The data folder ${dataDir} is in use by another gateway process. Stop that process, or choose another DATA_DIR.`,
    );
    await expect(inFolder(dataDir)).rejects.toThrow('is in use by another gateway process');
    await storage.close();
    expect(other()).toBe('opened');
  });

  it('the data folder contains no token, secret, webhook URL, header or key in plain text', async () => {
    const dataDir = folder();
    const storage = await inFolder(dataDir);
    await storage.instances.create(instance('a', { token: 'plain-token' }));
    const oldSecrets = [{ secret: 'whsec_plain-secret-before', until: 5000 }];
    const url = 'https://hooks.example/?key=plain-address';
    const secrets = { secret: 'whsec_plain-secret', oldSecrets, url, headers: { 'x-key': 'plain-header' } };
    await storage.webhooks.put(webhook('w', secrets));
    await storage.authKeys.setCreds('a', bytes('plain-creds'));
    await storage.authKeys.set('a', [{ type: 'session', id: 'x', value: bytes('plain-session') }]);
    const search = () =>
      readdirSync(dataDir).filter((file) =>
        /plain-(token|secret|header|address|creds|session)/.test(readFileSync(join(dataDir, file), 'latin1')),
      );
    expect(readdirSync(dataDir)).toContain('gateway.db-wal');
    expect(search()).toEqual([]);
    await storage.close();
    expect(search()).toEqual([]);
  });

  it('openStorage() keeps the generated encryption key, and rejects when its file is missing', async () => {
    const dataDir = folder();
    const storage = await inFolder(dataDir);
    await storage.authKeys.setCreds('a', bytes('credentials'));
    await storage.close();
    const reopened = await inFolder(dataDir);
    expect(text(await reopened.authKeys.creds('a'))).toBe('credentials');
    await reopened.close();
    rmSync(join(dataDir, 'encryption-key'));
    await expect(inFolder(dataDir)).rejects.toMatchObject({
      code: 'STORAGE_UNREADABLE',
      message: expect.stringContaining('Restore that file, or set ENCRYPTION_KEY'),
    });
    expect(readdirSync(dataDir)).not.toContain('encryption-key');
  });

  it('openStorage() needs no data folder in memory, and rejects a DATABASE_URL that is not PostgreSQL', async () => {
    const storage = await openStorage({ dataDir: ':memory:', network: 'sandbox', synchronous: 'full' });
    await storage.metadata.set('x', 'y');
    expect(await storage.metadata.get('x')).toBe('y');
    await storage.close();
    const unsupported = openStorage({ dataDir: ':memory:', network: 'sandbox', databaseUrl: 'mysql://x' });
    await expect(unsupported).rejects.toThrow('DATABASE_URL must start with postgres://');
  });
});

describe('a full disk', () => {
  it('authKeys.set() on a full disk rejects with STORAGE_UNAVAILABLE and stores nothing, and reads still work', () => {
    const dataDir = folder();
    // A limit on file size stands for the full disk: both fail the write system call.
    const script = `import { openStorage } from ${JSON.stringify(join(import.meta.dirname, '../../src/storage/open.ts'))};
      const { authKeys } = await openStorage({ dataDir: ${JSON.stringify(dataDir)}, network: 'sandbox' });
      const write = (id, size) => ({ type: 't', id, value: new Uint8Array(size) });
      await authKeys.set('a', [write('small', 1)]);
      const failure = await authKeys.set('a', [write('new', 1), write('big', 4_000_000)]).catch((error) => error.code);
      console.log(failure, [...(await authKeys.get('a', 't', ['small', 'new', 'big'])).keys()].join());`;
    const limited = ['-c', 'ulimit -f 2000; exec "$0" "$@"', process.execPath, '--input-type=module', '-e', script];
    const { stdout, stderr } = spawnSync('sh', limited, { encoding: 'utf8' });
    expect([stdout.trim(), stderr]).toEqual(['STORAGE_UNAVAILABLE small', '']);
  });
});
