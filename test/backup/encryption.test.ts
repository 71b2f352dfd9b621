// Encrypted backups: their content, the restores that are rejected, and the sources of the passphrase.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeBackup } from '../../src/backup/backup.ts';
import { createDecryption, createEncryption } from '../../src/backup/encryption.ts';
import { readPassphrase } from '../../src/backup/passphrase.ts';
import { restoreBackup } from '../../src/backup/restore.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { openStorage } from '../../src/storage/open.ts';
import { emptyFolder } from '../support/folder.ts';
import { run } from '../support/process.ts';
import { rememberDerivedKeys } from '../support/scrypt.ts';

const PASSPHRASE = 'correct horse battery staple';
const noProgress = { update: () => undefined, end: () => undefined };
const common = { clock: systemClock, progress: () => noProgress, encryptionKey: '' };

rememberDerivedKeys({ hasLowCost: true });

/** Creates a database that fills several chunks of a backup, and a backup of it. */
async function createBackup(passphrase: string) {
  const dataDir = emptyFolder();
  const storage = await openStorage({ dataDir, network: 'sandbox' });
  await storage.metadata.set('name', 'the original');
  await storage.authKeys.set('shop', [{ type: 'filling', id: '1', value: Buffer.alloc(300_000, 'x') }]);
  await storage.close();
  const file = join(emptyFolder(), 'gateway.backup');
  await makeBackup({ ...common, dataDir, file, passphrase });
  return { dataDir, file, bytes: readFileSync(file) };
}

const restore = (file: string, dataDir: string, passphrase?: string) =>
  restoreBackup({ ...common, force: false, file, dataDir, ...(passphrase === undefined ? {} : { passphrase }) });

/** Expects that the restore rejects with `sentence` and writes neither the database nor the key. */
async function expectRefused(file: string, passphrase: string | undefined, sentence: RegExp): Promise<void> {
  const dataDir = join(emptyFolder(), 'new');
  await expect(restore(file, dataDir, passphrase)).rejects.toThrow(sentence);
  expect(existsSync(join(dataDir, 'gateway.db'))).toBe(false);
  expect(existsSync(join(dataDir, 'encryption-key'))).toBe(false);
}

describe('a backup with a passphrase', () => {
  it('a backup with a passphrase is restored with it, and does not contain the encryption key in plain text', async () => {
    const { file, bytes, dataDir } = await createBackup(PASSPHRASE);
    expect(bytes.subarray(0, 2)).not.toEqual(Buffer.from([0x1f, 0x8b]));
    expect(bytes.includes(readFileSync(join(dataDir, 'encryption-key'), 'utf8').trim())).toBe(false);
    const restoreDir = join(emptyFolder(), 'new');
    await restore(file, restoreDir, PASSPHRASE);
    const storage = await openStorage({ dataDir: restoreDir, network: 'sandbox' });
    onTestFinished(() => storage.close());
    expect(await storage.metadata.get('name')).toBe('the original');
    const found = await storage.authKeys.get('shop', 'filling', ['1']);
    expect(found.get('1')).toEqual(Buffer.alloc(300_000, 'x'));
  });

  it('createEncryption() encrypts the same content to different bytes each time', async () => {
    const encrypted = async () => buffer(createEncryption(PASSPHRASE)(Readable.from([Buffer.from('the same')])));
    const [a, b] = await Promise.all([encrypted(), encrypted()]);
    expect(a.subarray(-24, -16)).not.toEqual(b.subarray(-24, -16));
  });

  it('restoreBackup() rejects a wrong or missing passphrase, and a passphrase for a backup that is not encrypted', async () => {
    const { file } = await createBackup(PASSPHRASE);
    await expectRefused(file, 'another one', /passphrase of .* is wrong. Nothing was changed/);
    await expectRefused(file, undefined, /is encrypted: give its passphrase/);
    const plain = await createBackup('');
    await expectRefused(plain.file, PASSPHRASE, /is not encrypted/);
  });

  it('an encrypted backup is rejected when it was truncated, changed, reordered or extended', async () => {
    const bytes = await buffer(createEncryption(PASSPHRASE)(Readable.from([randomBytes(200_000)])));
    const file = join(emptyFolder(), 'gateway.backup');
    writeFileSync(file, bytes);
    const decrypt = await createDecryption(file, PASSPHRASE);
    if (!decrypt) throw new Error('not encrypted');
    const read = (content: Buffer) => buffer(decrypt(Readable.from([content])));
    expect(await read(bytes)).toHaveLength(200_000);
    const header = 37 + 16 + 32;
    const chunk = 64 * 1024 + 16;
    const at = (n: number) => header + n * chunk;
    const [start, first, second, rest] = [
      bytes.subarray(0, header),
      bytes.subarray(header, at(1)),
      bytes.subarray(at(1), at(2)),
      bytes.subarray(at(2)),
    ];
    const flipped = Buffer.from(bytes);
    flipped.writeUInt8(flipped.readUInt8(at(1) + 5) ^ 1, at(1) + 5);
    const damaged = {
      'cut by a byte': bytes.subarray(0, -1),
      'cut after the second chunk': Buffer.concat([start, first, second]),
      'cut after the header': start,
      'a bit changed': flipped,
      'a chunk missing': Buffer.concat([start, second, rest]),
      'a chunk twice': Buffer.concat([start, first, first, second, rest]),
      'two chunks swapped': Buffer.concat([start, second, first, rest]),
      'with bytes after the end': Buffer.concat([bytes, Buffer.alloc(100)]),
    };
    for (const [how, content] of Object.entries(damaged)) await expect(read(content), how).rejects.toThrow();
    writeFileSync(file, bytes.subarray(0, 60));
    await expectRefused(file, PASSPHRASE, /is truncated/);
    writeFileSync(file, flipped);
    await expectRefused(file, PASSPHRASE, /is not a backup, or it is damaged/);
  });
});

describe('the commands backup and restore', () => {
  async function runCommand(env: Record<string, string>, ...args: string[]) {
    const program = run(['src/backup/cli.ts', ...args], env);
    return { code: await program.ended, output: program.lines.join('\n') };
  }

  it('the commands read the passphrase from a file or from BACKUP_PASSPHRASE, and backup warns without one', async () => {
    const { dataDir: DATA_DIR } = await createBackup('');
    const folder = emptyFolder();
    const secret = join(folder, 'passphrase');
    writeFileSync(secret, `${PASSPHRASE}\n`);
    const [encrypted, plain, restored] = ['encrypted', 'plain', 'restored'].map((name) => join(folder, name));
    if (!encrypted || !plain || !restored) throw new Error('three paths');
    const backupResult = await runCommand({ DATA_DIR }, 'backup', encrypted, '--passphrase-file', secret);
    expect(backupResult).toMatchObject({ code: 0, output: expect.stringContaining('It is encrypted') });
    const env = { DATA_DIR: restored, BACKUP_PASSPHRASE: PASSPHRASE };
    expect(await runCommand({ ...env, BACKUP_PASSPHRASE: 'wrong' }, 'restore', encrypted)).toMatchObject({
      code: 1,
      output: expect.stringContaining('is wrong. Nothing was changed.'),
    });
    expect(await runCommand(env, 'restore', encrypted)).toMatchObject({ code: 0 });
    const warned = await runCommand({ DATA_DIR }, 'backup', plain);
    expect(warned).toMatchObject({
      code: 0,
      output: expect.stringMatching(/Warning: it is not encrypted.*plain text/),
    });
  });

  /** Runs the command and sends SIGTERM while it reads the passphrase from a pipe. */
  async function runStoppedCommand(env: Record<string, string>, ...args: string[]) {
    const pipe = join(emptyFolder(), 'passphrase');
    execFileSync('mkfifo', [pipe]);
    const program = run(['src/backup/cli.ts', ...args, '--passphrase-file', pipe], env);
    // The pipe opens for writing when the command has opened it for reading.
    const writer = await open(pipe, 'w');
    process.kill(program.pid, 'SIGTERM');
    await writer.writeFile(PASSPHRASE);
    await writer.close();
    return { code: await program.ended, output: program.lines.at(-1) };
  }

  it('the command backup stops at SIGTERM and leaves no file, and restore still reports another error', async () => {
    const { dataDir, file } = await createBackup('');
    const target = join(emptyFolder(), 'new');
    expect(await runStoppedCommand({ DATA_DIR: dataDir }, 'backup', target)).toEqual({
      code: 1,
      output: 'messaging-gateway: stopped; nothing has changed',
    });
    expect(existsSync(target)).toBe(false);
    expect(await runStoppedCommand({ DATA_DIR: target }, 'restore', file)).toEqual({
      code: 1,
      output: expect.stringContaining('is not encrypted'),
    });
  });

  it('the command backup accepts no passphrase as an argument, and fails to prompt without a terminal', async () => {
    const argumentResult = await runCommand({}, 'backup', 'FILE', `--passphrase=${PASSPHRASE}`);
    expect(argumentResult).toMatchObject({ code: 1, output: expect.not.stringContaining(PASSPHRASE) });
    const promptResult = await runCommand({}, 'backup', 'FILE', '--passphrase');
    expect(promptResult).toMatchObject({ code: 1, output: expect.stringContaining('no terminal') });
  });
});

describe('a passphrase that is typed', () => {
  function createTerminal(...entries: string[]) {
    const input = Object.assign(new PassThrough(), { isTTY: true });
    let shown = '';
    const remainingEntries = [...entries];
    const output = new PassThrough().on('data', (text) => {
      shown += text;
      if (String(text).endsWith(': ')) setImmediate(() => input.write(`${remainingEntries.shift()}\r`));
    });
    const stop = new AbortController();
    const read = (isNew: boolean) =>
      readPassphrase({
        file: undefined,
        environment: '',
        shouldPrompt: true,
        shouldConfirm: isNew,
        terminal: { input, output },
        signal: stop.signal,
      });
    return { read, input, stop, shown: () => shown };
  }

  it('readPassphrase() rejects with AbortError after Ctrl-C and when its signal is aborted', async () => {
    const interrupted = createTerminal(PASSPHRASE);
    const first = interrupted.read(false);
    interrupted.input.write('\u0003');
    await expect(first).rejects.toMatchObject({ name: 'AbortError' });
    const stopped = createTerminal(PASSPHRASE);
    const second = stopped.read(false);
    stopped.stop.abort();
    await expect(second).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('readPassphrase() prompts once, or twice for a new passphrase, and does not show the passphrase', async () => {
    const once = createTerminal(PASSPHRASE);
    expect(await once.read(false)).toBe(PASSPHRASE);
    const twice = createTerminal(PASSPHRASE, PASSPHRASE);
    expect(await twice.read(true)).toBe(PASSPHRASE);
    expect(once.shown() + twice.shown()).not.toContain(PASSPHRASE);
    await expect(createTerminal(PASSPHRASE, 'a slip').read(true)).rejects.toThrow('differ');
    await expect(createTerminal('').read(true)).rejects.toThrow('empty');
  });
});
