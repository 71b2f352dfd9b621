import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decryptBundle, type EncryptedBundle } from '../../../src/session-bundle/envelope.ts';
import { countKeysByType } from '../../../src/session-bundle/key-counts.ts';
import { emptyFolder } from '../../../test/support/folder.ts';
import { addClosedChains } from '../../../test/support/long-conversation.ts';
import { fullBundle } from '../../../test/support/sample-bundle.ts';
import { rememberDerivedKeys } from '../../../test/support/scrypt.ts';
import { runProgram } from './program.ts';
import { writeSession } from './stored-session.ts';

const env = { BUNDLE_PASSPHRASE: 'correct horse battery staple' };

rememberDerivedKeys({ hasLowCost: true });

/** A folder with the sessions `shop` of Baileys 7 and `old` of Baileys 6, which the tests copy. */
let templates: string;

beforeAll(async () => {
  templates = mkdtempSync(join(tmpdir(), 'import-run-'));
  for (const name of ['shop', 'old']) mkdirSync(join(templates, name), { mode: 0o700 });
  await writeSession(join(templates, 'shop'));
  await writeSession(join(templates, 'old'), 6);
});
afterAll(() => rmSync(templates, { recursive: true, force: true }));

/** Creates a folder with both sessions. */
function createTwoSessions(): string {
  const folder = emptyFolder();
  cpSync(templates, folder, { recursive: true });
  return folder;
}

/** Creates a folder with one session. */
const createOneSession = (): string => join(createTwoSessions(), 'shop');

/** The cells of the first row whose first cell is `name`. */
const rowOf = (text = '', name: string): string[] =>
  text
    .split('\n')
    .map((line) => line.split(/ {2,}/))
    .find(([first]) => first === name) ?? [];

/** The first line that starts with `prefix`. */
const lineOf = (prefix: string, text: string) => text.split('\n').find((line) => line.startsWith(prefix));

const readJsonFiles = (folder: string, pattern: RegExp) =>
  Object.fromEntries(
    readdirSync(folder)
      .filter((name) => pattern.test(name))
      .map((name) => [name, JSON.parse(readFileSync(join(folder, name), 'utf8'))]),
  );

describe('the import program', () => {
  it('the import program lists and checks sessions of Baileys 6 and 7 with --dry-run', async () => {
    const path = createTwoSessions();
    const { code, stdout, stderr } = await runProgram(['--from', 'baileys', '--path', path, '--dry-run']);
    expect(stdout).toContain(`Baileys folder ${path}: 2 sessions`);
    const [, account = '', connected, keys] = rowOf(stdout, 'old');
    expect(account).toMatch(/^\d+@s\.whatsapp\.net$/);
    expect(connected).toBe('unknown');
    expect(keys).toContain('session 4');
    expect(rowOf(stdout, 'shop')[3]).toContain('lid-mapping 2');
    expect(stdout).toMatch(/^2 sessions: 2 checked\.$/m);
    expect(stderr).toContain('2 of 2: shop: checked');
    expect(code).toBe(0);
  });

  it('the import program moves a session to an encrypted bundle and from there to a folder of Baileys', async () => {
    const path = createOneSession();
    const file = join(emptyFolder(), 'new', 'shop.json');
    const out = await runProgram(['--from', 'baileys', '--path', path, '--out', file], { env });
    expect(rowOf(out.stdout.split('\n\n')[1], 'shop')).toMatchObject({ 1: 'written', 4: `file ${file}` });
    expect(out.code).toBe(0);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const folder = join(emptyFolder(), 'exported');
    const back = await runProgram(['--from', 'bundle', '--path', file, '--to-baileys', folder], { env });
    expect(back.stdout).toContain('1 session: 1 written.');
    expect(back.code).toBe(0);
    const sharedFiles = /^(pre-key|session|identity-key|lid-mapping|device-list|tctoken-\d)/;
    expect(readJsonFiles(folder, sharedFiles)).toEqual(readJsonFiles(path, sharedFiles));
    const { noiseKey, signedIdentityKey, me } = readJsonFiles(path, /^creds/)['creds.json'];
    expect(readJsonFiles(folder, /^creds/)['creds.json']).toMatchObject({ noiseKey, signedIdentityKey, me });
  });

  it('the import program reports nctSalt as dropped when it writes a folder of Baileys', async () => {
    const plain = join(emptyFolder(), 'shop.json');
    const bundle = await fullBundle();
    bundle.keys.nctSalt = Buffer.alloc(32, 7).toString('base64');
    writeFileSync(plain, JSON.stringify(bundle), { mode: 0o600 });
    const folder = join(emptyFolder(), 'exported');
    const argv = ['--from', 'bundle', '--path', plain, '--allow-unencrypted', '--to-baileys', folder];
    const { code, stdout } = await runProgram(argv);
    expect(stdout.split('\n')).toContain('Dropped (shop): nctSalt 1: Baileys has no place for it.');
    const total = Object.values(countKeysByType(bundle.keys)).reduce((sum, count) => sum + count, 0);
    expect(rowOf(stdout.split('\n\n')[1], bundle.instance.name)[2]).toBe(String(total - 1));
    expect(code).toBe(0);
  });

  it('the import program writes several sessions to a folder under their names', async () => {
    const path = createTwoSessions();
    const folder = join(emptyFolder(), 'bundles');
    expect((await runProgram(['--from', 'baileys', '--path', path, '--out', folder], { env })).code).toBe(0);
    expect(readdirSync(folder)).toEqual(['old.json', 'shop.json']);
    const back = join(emptyFolder(), 'folders');
    const { code } = await runProgram(['--from', 'bundle', '--path', folder, '--to-baileys', back], { env });
    expect(code).toBe(0);
    expect(readdirSync(back)).toEqual(['old', 'shop']);
  });

  it('the import program creates the folder of a whatsmeow database', async () => {
    const path = createOneSession();
    const file = join(emptyFolder(), 'new', 'whatsmeow.db');
    const { code, stdout } = await runProgram(['--from', 'baileys', '--path', path, '--to-whatsmeow', file]);
    expect(stdout).toContain('1 session: 1 written.');
    expect(code).toBe(0);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('the import program reports a session that the whatsmeow database has already, and writes the others', async () => {
    const path = createTwoSessions();
    const file = join(emptyFolder(), 'whatsmeow.db');
    const argv = ['--from', 'baileys', '--path', path, '--instance', 'shop', '--to-whatsmeow', file];
    expect((await runProgram(argv)).code).toBe(0);
    const second = await runProgram(argv);
    expect(second.stdout).toContain('1 session: 1 already there.');
    expect(second.code).toBe(0);
    const third = await runProgram(['--from', 'baileys', '--path', path, '--to-whatsmeow', file]);
    expect(third.stdout).toContain('2 sessions: 1 written, 1 already there.');
    expect(third.code).toBe(0);
  });

  it('the import program writes one of several sessions under another name', async () => {
    const path = createTwoSessions();
    const folder = join(emptyFolder(), 'bundle.json');
    const line = ['--from', 'baileys', '--path', path, '--instance', 'old', '--name', 'new name', '--out', folder];
    const { code, stdout } = await runProgram(line, { env });
    expect(stdout).toMatch(/^old → new name /m);
    expect(stdout).not.toMatch(/^shop/m);
    expect(code).toBe(0);
    const check = await runProgram(['--from', 'bundle', '--path', folder, '--dry-run'], { env });
    expect(check.stdout).toMatch(/^new name /m);
  });

  it('the import program writes the other sessions when one is damaged, and reports the reason', async () => {
    const path = createTwoSessions();
    truncateSync(join(path, 'old', 'creds.json'), 200);
    const folder = join(emptyFolder(), 'bundles');
    const { code, stdout } = await runProgram(['--from', 'baileys', '--path', path, '--out', folder], { env });
    expect(lineOf('old: ', stdout)).toMatch(/creds\.json is no valid JSON: it is damaged or incomplete\.$/);
    expect(stdout).toContain('2 sessions: 1 refused, 1 written.');
    expect(readdirSync(folder)).toEqual(['shop.json']);
    expect(code).toBe(1);
  });

  it('the import program counts damaged keys as dropped and takes the other keys', async () => {
    const path = createOneSession();
    const [preKey = ''] = readdirSync(path).filter((name) => name.startsWith('pre-key-'));
    truncateSync(join(path, preKey), 10);
    const { code, stdout } = await runProgram(['--from', 'baileys', '--path', path, '--dry-run']);
    expect(stdout).toContain('Dropped (shop): pre-key 1: The file is empty or damaged.');
    expect(code).toBe(0);
  });

  it.each([
    ['empty', 0],
    ['cut off', 20],
  ])('the import program takes a session whose current app state key is %s, and warns about it', async (_, length) => {
    const path = createOneSession();
    const creds = JSON.parse(readFileSync(join(path, 'creds.json'), 'utf8'));
    const [name = ''] = readdirSync(path).filter((fileName) => fileName.startsWith('app-state-sync-key-'));
    // Adds a second key, so that the account also has a key that is not in use.
    cpSync(join(path, name), join(path, 'app-state-sync-key-AAAAAAE=.json'));
    const id = name.slice('app-state-sync-key-'.length, -'.json'.length).replaceAll('__', '/');
    writeFileSync(join(path, 'creds.json'), JSON.stringify({ ...creds, myAppStateKeyId: id }), { mode: 0o600 });
    truncateSync(join(path, name), length);
    const { code, stdout } = await runProgram(['--from', 'baileys', '--path', path, '--dry-run']);
    expect(stdout).toContain('Dropped (shop): app-state-sync-key 1: The file is empty or damaged.');
    expect(stdout.match(/The app state key in use is damaged or missing/g)).toHaveLength(1);
    expect(code).toBe(0);
  });

  it('the import program takes a session of a long conversation with a record larger than 1 MiB', async () => {
    const path = createOneSession();
    const [name = ''] = readdirSync(path).filter((fileName) => fileName.startsWith('session-'));
    const record: unknown = JSON.parse(readFileSync(join(path, name), 'utf8'));
    addClosedChains(record);
    writeFileSync(join(path, name), JSON.stringify(record));
    expect(statSync(join(path, name)).size).toBeGreaterThan(2 ** 20);
    const { code, stdout } = await runProgram(['--from', 'baileys', '--path', path, '--dry-run']);
    expect(stdout).toContain('1 session: 1 checked.');
    expect(stdout).not.toContain('Dropped (shop): session ');
    expect(code).toBe(0);
  });

  it('the import program refuses credentials without keys, and keys without credentials', async () => {
    const path = createTwoSessions();
    for (const name of readdirSync(join(path, 'shop')))
      if (name !== 'creds.json') truncateSync(join(path, 'shop', name), 0);
    writeFileSync(join(path, 'old', 'creds.json'), '');
    const { code, stdout } = await runProgram(['--from', 'baileys', '--path', path, '--dry-run']);
    expect(stdout).toMatch(/^shop: The bundle has credentials without keys\.$/m);
    expect(lineOf('old: ', stdout)).toContain('creds.json is no valid JSON');
    expect(code).toBe(1);
  });

  it('the import program does not overwrite an existing bundle or folder', async () => {
    const path = createOneSession();
    const file = join(emptyFolder(), 'shop.json');
    writeFileSync(file, 'mine');
    const out = await runProgram(['--from', 'baileys', '--path', path, '--out', file], { env });
    expect(out.stderr).toContain(`--out: ${file} exists already. Remove it, or choose another file.`);
    expect(out.code).toBe(2);
    expect(readFileSync(file, 'utf8')).toBe('mine');
    const folder = emptyFolder();
    const toFolder = await runProgram(['--from', 'baileys', '--path', path, '--to-baileys', folder]);
    expect(toFolder.stdout).toContain(`shop: ${folder} exists already. Remove it, or choose another folder.`);
    expect(toFolder.code).toBe(1);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('the import program refuses a bundle with a wrong or missing passphrase, and an unencrypted bundle', async () => {
    const path = createOneSession();
    const file = join(emptyFolder(), 'shop.json');
    await runProgram(['--from', 'baileys', '--path', path, '--out', file], { env });
    const check = ['--from', 'bundle', '--path', file, '--dry-run'];
    const wrongPassphrase = await runProgram(check, { env: { BUNDLE_PASSPHRASE: 'another passphrase' } });
    expect(lineOf('shop: ', wrongPassphrase.stdout)).toMatch(/The passphrase of the bundle is wrong\.$/);
    expect(wrongPassphrase.code).toBe(1);
    const withoutPassphrase = await runProgram(check);
    expect(lineOf('shop: ', withoutPassphrase.stdout)).toContain(
      'It is encrypted: give its passphrase with --passphrase-file FILE',
    );
    expect(withoutPassphrase.code).toBe(1);
    const plain = join(emptyFolder(), 'plain.json');
    const encrypted: EncryptedBundle = JSON.parse(readFileSync(file, 'utf8'));
    const bundle = await decryptBundle(encrypted, env.BUNDLE_PASSPHRASE);
    writeFileSync(plain, JSON.stringify(bundle), { mode: 0o600 });
    const checkPlain = ['--from', 'bundle', '--path', plain, '--dry-run'];
    expect((await runProgram(checkPlain)).stdout).toContain('It is not encrypted: --allow-unencrypted takes it.');
    const allowed = await runProgram([...checkPlain, '--allow-unencrypted']);
    expect(allowed.stdout).toContain('1 session: 1 checked.');
    chmodSync(plain, 0o644);
    const readable = await runProgram([...checkPlain, '--allow-unencrypted']);
    expect(readable.stdout).toContain('other users of this machine can read it: run chmod 600.');
    expect(readable.code).toBe(1);
  });

  it('the import program names the error of a gateway that was saved instead of a bundle', async () => {
    const file = join(emptyFolder(), 'shop.session.json');
    writeFileSync(file, JSON.stringify({ status: 409, error: 'Conflict', code: 'INSTANCE_NOT_STOPPED' }));
    const { code, stdout } = await runProgram(['--from', 'bundle', '--path', file, '--dry-run'], { env });
    expect(stdout).toContain('It is no session bundle, but an error response of a gateway: INSTANCE_NOT_STOPPED.');
    expect(rowOf(stdout, 'shop.session')[1]).toBe('unknown');
    expect(code).toBe(1);
  });

  it('the import program refuses an unencrypted bundle that is nested too deep', async () => {
    const file = join(emptyFolder(), 'deep.json');
    writeFileSync(file, `${'['.repeat(1000)}${']'.repeat(1000)}`, { mode: 0o600 });
    const { stdout } = await runProgram(['--from', 'bundle', '--path', file, '--allow-unencrypted', '--dry-run']);
    expect(stdout).toContain('It is no session bundle: it has too many values, or is nested too deep.');
  });

  it.each([
    ['a short passphrase', 'short', 'at least 12'],
    ['six characters of two UTF-16 units each', '🔑'.repeat(6), 'at least 12'],
    ['a long passphrase', 'x'.repeat(1025), 'at most 1024'],
  ])('the import program refuses %s and leaves no files', async (_, passphrase, limit) => {
    const path = createOneSession();
    const file = join(emptyFolder(), 'bundles', 'shop.json');
    const options = { env: { BUNDLE_PASSPHRASE: passphrase } };
    const { code, stderr } = await runProgram(['--from', 'baileys', '--path', path, '--out', file], options);
    expect(stderr).toContain(`--out: The passphrase must have ${limit} characters.`);
    expect(existsSync(join(file, '..'))).toBe(false);
    expect(code).toBe(2);
  });

  it('the import program prints neither keys nor the passphrase', async () => {
    const path = createOneSession();
    const file = join(emptyFolder(), 'shop.json');
    const { stdout, stderr } = await runProgram(['--from', 'baileys', '--path', path, '--out', file], { env });
    const creds = readJsonFiles(path, /^creds/)['creds.json'];
    const secrets = [creds.noiseKey.private.data, creds.advSecretKey, env.BUNDLE_PASSPHRASE];
    expect(secrets.filter((secret) => (stdout + stderr).includes(secret))).toEqual([]);
    expect(readFileSync(file, 'utf8')).not.toContain(creds.noiseKey.private.data);
  });

  it('the import program ends after the current session when it is interrupted', async () => {
    const path = createTwoSessions();
    const folder = join(emptyFolder(), 'bundles');
    const controller = new AbortController();
    const onReport = (text: string) => {
      if (text.startsWith('1 of 2')) controller.abort();
    };
    const { signal } = controller;
    const line = ['--from', 'baileys', '--path', path, '--out', folder];
    const { code, stdout } = await runProgram(line, { env, onReport, signal });
    expect(stdout).toContain('2 sessions: 1 written, 1 not started.');
    expect(readdirSync(folder)).toEqual(['old.json']);
    expect(code).toBe(1);
  });

  it.each([
    ['an option without a value', ['--from', 'baileys', '--path'], "Option '--path <value>' argument missing"],
    ['a folder that does not exist', ['--from', 'baileys', '--path', '/none', '--dry-run'], '/none cannot be read'],
    ['an unknown session', ['--instance', 'x'], '--instance: the source has no session x.'],
    ['one name for two sessions', ['--name', 'x'], '--name is for one session, but there are 2.'],
  ])('the import program ends with code 2 before it writes when it gets %s', async (_title, argv, message) => {
    const folder = join(emptyFolder(), 'bundles');
    const line = argv.includes('--from') ? argv : ['--from', 'baileys', '--path', createTwoSessions(), ...argv];
    const { code, stderr } = await runProgram([...line, ...(argv.includes('--from') ? [] : ['--out', folder])], {
      env,
    });
    expect(stderr).toContain(message);
    expect(stderr).toContain('See --help.');
    expect(existsSync(folder)).toBe(false);
    expect(code).toBe(2);
  });

  it.each([
    [
      'whatsmeow',
      '--database',
      'host=db user=wuzapi password=hunter2-in-dsn dbname=wuzapi',
      'The database must be a URL',
    ],
    ['whatsmeow', '--database', 'postgres://user:hunter2/in@host/db', 'The URL of the database is malformed'],
    ['whatsmeow', '--database', '/none/main.db', '/none/main.db does not exist'],
    ['whatsmeow', '--database', '/tmp', 'The file /tmp is no SQLite database'],
    ['evolution', '--database', 'user:hunter2@host', '--database is not an address'],
    ['baileys-api', '--redis', 'host:6379', '--redis is not an address'],
    ['evolution-1', '--mongo', 'mongodb://user:hunter2/in@host', '--mongo'],
    ['evolution-1', '--mongo', 'localhost', '--mongo is not an address'],
  ])('the import program ends with code 2 when the source %s cannot open %s %s', async (from, option, value, message) => {
    const { code, stderr } = await runProgram(['--from', from, option, value, '--dry-run']);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('hunter2');
    expect(code).toBe(2);
  });

  it('the import program ends with code 2 for a folder without sessions', async () => {
    const folder = emptyFolder();
    const { code, stderr } = await runProgram(['--from', 'baileys', '--path', folder, '--dry-run']);
    expect(stderr).toContain(`--path: ${folder} has no creds.json, and none of its folders has.`);
    expect(code).toBe(2);
  });
});
