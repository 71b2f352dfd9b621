// Backups with a passphrase: what they hide, what they refuse, and where the passphrase comes from.
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
const none = { update: () => undefined, end: () => undefined };
const common = { clock: systemClock, progress: () => none, encryptionKey: '' };

rememberDerivedKeys({ hasLowCost: true });

/** A store of some chunks, and a backup of it. */
async function backup(passphrase: string) {
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

/** Refused with the sentence before the folder is even made. */
async function expectRefused(file: string, passphrase: string | undefined, sentence: RegExp): Promise<void> {
  const dataDir = join(emptyFolder(), 'new');
  await expect(restore(file, dataDir, passphrase)).rejects.toThrow(sentence);
  expect(existsSync(join(dataDir, 'gateway.db'))).toBe(false);
  expect(existsSync(join(dataDir, 'encryption-key'))).toBe(false);
}

describe('a backup with a passphrase', () => {
  it('is restored with the same passphrase and shows nothing without it', async () => {
    const { file, bytes, dataDir } = await backup(PASSPHRASE);
    expect(bytes.subarray(0, 2)).not.toEqual(Buffer.from([0x1f, 0x8b]));
    expect(bytes.includes(readFileSync(join(dataDir, 'encryption-key'), 'utf8').trim())).toBe(false);
    const other = join(emptyFolder(), 'new');
    await restore(file, other, PASSPHRASE);
    const storage = await openStorage({ dataDir: other, network: 'sandbox' });
    onTestFinished(() => storage.close());
    expect(await storage.metadata.get('name')).toBe('the original');
    const found = await storage.authKeys.get('shop', 'filling', ['1']);
    expect(found.get('1')).toEqual(Buffer.alloc(300_000, 'x'));
  });

  it('never is the same bytes twice', async () => {
    const encrypted = async () => buffer(createEncryption(PASSPHRASE)(Readable.from([Buffer.from('the same')])));
    const [a, b] = await Promise.all([encrypted(), encrypted()]);
    expect(a.subarray(-24, -16)).not.toEqual(b.subarray(-24, -16));
  });

  it('is refused with a wrong passphrase or none, and a plain one with a passphrase; nothing changes', async () => {
    const { file } = await backup(PASSPHRASE);
    await expectRefused(file, 'another one', /passphrase of .* is wrong. Nothing was changed/);
    await expectRefused(file, undefined, /is encrypted: give its passphrase/);
    const plain = await backup('');
    await expectRefused(plain.file, PASSPHRASE, /is not encrypted/);
  });

  it('is refused when it was cut, also between two chunks, changed, reordered or continued', async () => {
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
      continued: Buffer.concat([bytes, Buffer.alloc(100)]),
    };
    for (const [how, content] of Object.entries(damaged)) await expect(read(content), how).rejects.toThrow();
    writeFileSync(file, bytes.subarray(0, 60));
    await expectRefused(file, PASSPHRASE, /is truncated/);
    writeFileSync(file, flipped);
    await expectRefused(file, PASSPHRASE, /is not a backup, or it is damaged/);
  });
});

describe('the programs', () => {
  async function cli(env: Record<string, string>, ...args: string[]) {
    const program = run(['src/backup/cli.ts', ...args], env);
    return { code: await program.ended, output: program.lines.join('\n') };
  }

  it('take the passphrase from a file or the environment, and warn without one', async () => {
    const { dataDir: DATA_DIR } = await backup('');
    const folder = emptyFolder();
    const secret = join(folder, 'passphrase');
    writeFileSync(secret, `${PASSPHRASE}\n`);
    const [encrypted, plain, restored] = ['encrypted', 'plain', 'restored'].map((name) => join(folder, name));
    if (!encrypted || !plain || !restored) throw new Error('three paths');
    const made = await cli({ DATA_DIR }, 'backup', encrypted, '--passphrase-file', secret);
    expect(made).toMatchObject({ code: 0, output: expect.stringContaining('It is encrypted') });
    const env = { DATA_DIR: restored, BACKUP_PASSPHRASE: PASSPHRASE };
    expect(await cli({ ...env, BACKUP_PASSPHRASE: 'wrong' }, 'restore', encrypted)).toMatchObject({
      code: 1,
      output: expect.stringContaining('is wrong. Nothing was changed.'),
    });
    expect(await cli(env, 'restore', encrypted)).toMatchObject({ code: 0 });
    const warned = await cli({ DATA_DIR }, 'backup', plain);
    expect(warned).toMatchObject({
      code: 0,
      output: expect.stringMatching(/Warning: it is not encrypted.*plain text/),
    });
  });

  /** Runs the program and sends SIGTERM while it reads the passphrase from a pipe. */
  async function stoppedCli(env: Record<string, string>, ...args: string[]) {
    const pipe = join(emptyFolder(), 'passphrase');
    execFileSync('mkfifo', [pipe]);
    const program = run(['src/backup/cli.ts', ...args, '--passphrase-file', pipe], env);
    // A pipe opens for writing when the program has opened it for reading.
    const writer = await open(pipe, 'w');
    process.kill(program.pid, 'SIGTERM');
    await writer.writeFile(PASSPHRASE);
    await writer.close();
    return { code: await program.ended, output: program.lines.at(-1) };
  }

  it('stop at a signal, and name another error as it is', async () => {
    const { dataDir, file } = await backup('');
    const target = join(emptyFolder(), 'new');
    expect(await stoppedCli({ DATA_DIR: dataDir }, 'backup', target)).toEqual({
      code: 1,
      output: 'messaging-gateway: stopped; nothing has changed',
    });
    expect(existsSync(target)).toBe(false);
    expect(await stoppedCli({ DATA_DIR: target }, 'restore', file)).toEqual({
      code: 1,
      output: expect.stringContaining('is not encrypted'),
    });
  });

  it('take it neither as an argument nor from a terminal that does not exist', async () => {
    const given = await cli({}, 'backup', 'FILE', `--passphrase=${PASSPHRASE}`);
    expect(given).toMatchObject({ code: 1, output: expect.not.stringContaining(PASSPHRASE) });
    const asked = await cli({}, 'backup', 'FILE', '--passphrase');
    expect(asked).toMatchObject({ code: 1, output: expect.stringContaining('no terminal') });
  });
});

describe('a passphrase that is typed', () => {
  function typing(...entries: string[]) {
    const input = Object.assign(new PassThrough(), { isTTY: true });
    let shown = '';
    const left = [...entries];
    const output = new PassThrough().on('data', (text) => {
      shown += text;
      if (String(text).endsWith(': ')) setImmediate(() => input.write(`${left.shift()}\r`));
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

  it('is no longer asked for after Ctrl-C or a signal', async () => {
    const interrupted = typing(PASSPHRASE);
    const first = interrupted.read(false);
    interrupted.input.write('\u0003');
    await expect(first).rejects.toMatchObject({ name: 'AbortError' });
    const stopped = typing(PASSPHRASE);
    const second = stopped.read(false);
    stopped.stop.abort();
    await expect(second).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('is asked for once to restore, twice to back up, and not shown', async () => {
    const once = typing(PASSPHRASE);
    expect(await once.read(false)).toBe(PASSPHRASE);
    const twice = typing(PASSPHRASE, PASSPHRASE);
    expect(await twice.read(true)).toBe(PASSPHRASE);
    expect(once.shown() + twice.shown()).not.toContain(PASSPHRASE);
    await expect(typing(PASSPHRASE, 'a slip').read(true)).rejects.toThrow('differ');
    await expect(typing('').read(true)).rejects.toThrow('empty');
  });
});
