import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import * as baileys7 from '@whiskeysockets/baileys';
import * as baileys6 from 'baileys-6';
import { describe, expect, it } from 'vitest';
import { emptyFolder } from '../../../test/support/folder.ts';
import { type KeyFile, listBaileysFolder, readCreds, readKeys, writeBaileysFolder } from '../src/baileys/files.ts';

const GROUP_KEY = '4915550001001-16@g.us::4915550001002::3';
const APP_STATE_KEY = 'AAA/b+c=';
const KEYS = {
  'pre-key': { '17': { public: Buffer.alloc(32, 1), private: Buffer.alloc(32, 2) } },
  'sender-key': { [GROUP_KEY]: Buffer.from('[]') },
  'app-state-sync-key': { [APP_STATE_KEY]: { keyData: Buffer.alloc(32, 3), timestamp: 1 } },
};
const ENTRIES = Object.entries(KEYS).flatMap(([type, values]) =>
  Object.entries(values).map(([id, value]: [string, unknown]) => ({ type, id, value })),
);

/** Writes a folder with the library. */
async function writeWith({ useMultiFileAuthState }: typeof baileys7 | typeof baileys6): Promise<string> {
  const folder = emptyFolder();
  const { state, saveCreds } = await useMultiFileAuthState(folder);
  await state.keys.set(KEYS);
  await saveCreds();
  return folder;
}

const readAll = (folder: string) => {
  const damaged: KeyFile[] = [];
  const keys = [...readKeys(listBaileysFolder(folder), (file) => damaged.push(file))];
  return { keys, damaged: damaged.map(({ type, id }) => `${type} ${id}`) };
};

describe('reading a folder of Baileys', () => {
  it.each([
    { version: '6.7', library: baileys6 },
    { version: '7', library: baileys7 },
  ])('readKeys() reads all keys of a folder of Baileys $version with their ids', async ({ library }) => {
    const folder = await writeWith(library);
    const { hasCreds, counts } = listBaileysFolder(folder);
    expect(hasCreds).toBe(true);
    expect(counts).toEqual({ 'app-state-sync-key': 1, 'pre-key': 1, 'sender-key': 1 });
    const byType = (a: { type: string }, b: { type: string }) => a.type.localeCompare(b.type);
    const expected = JSON.parse(JSON.stringify(ENTRIES.toSorted(byType), baileys7.BufferJSON.replacer));
    expect(readAll(folder).keys.toSorted(byType)).toEqual(expected);
    expect(readCreds({ path: folder })).toHaveProperty('registrationId');
  });

  it('readKeys() reports truncated and empty key files, and reads the others', async () => {
    const folder = await writeWith(baileys7);
    truncateSync(join(folder, 'pre-key-17.json'), 20);
    writeFileSync(join(folder, 'lid-mapping-4915550001001.json'), '');
    const { keys, damaged } = readAll(folder);
    expect(keys).toHaveLength(2);
    expect(damaged.sort()).toEqual(['lid-mapping 4915550001001', 'pre-key 17']);
  });

  it('readCreds() rejects damaged credentials', async () => {
    const folder = await writeWith(baileys7);
    truncateSync(join(folder, 'creds.json'), 100);
    expect(() => readCreds({ path: folder })).toThrow(/creds\.json is no valid JSON: it is damaged or incomplete\.$/);
  });

  it('readKeys() follows a link inside the folder and rejects a link to a file outside', async () => {
    const folder = await writeWith(baileys7);
    const outside = join(emptyFolder(), 'secret.json');
    writeFileSync(outside, '"secret"');
    symlinkSync('pre-key-17.json', join(folder, 'pre-key-18.json'));
    expect(readAll(folder).keys).toHaveLength(4);
    symlinkSync(outside, join(folder, 'pre-key-19.json'));
    expect(() => readAll(folder)).toThrow(
      /pre-key-19\.json cannot be read: it is a link to a file outside of the folder\.$/,
    );
  });

  it('readKeys() rejects a key file of over 16 MiB and a named pipe', async () => {
    const folder = await writeWith(baileys7);
    writeFileSync(join(folder, 'session-1.0.json'), Buffer.alloc(16 * 2 ** 20 + 1));
    expect(() => readAll(folder)).toThrow(/session-1\.0\.json is larger than 16 MiB\.$/);
    const otherFolder = await writeWith(baileys7);
    execFileSync('mkfifo', [join(otherFolder, 'session-1.0.json')]);
    expect(() => readAll(otherFolder)).toThrow(/session-1\.0\.json is no regular file\.$/);
  });

  it('listBaileysFolder() counts other files and warns when other users can read the folder', async () => {
    const folder = await writeWith(baileys7);
    mkdirSync(join(folder, 'session-1.0.json'));
    writeFileSync(join(folder, 'baileys_store.json'), '{}');
    chmodSync(folder, 0o700);
    expect(listBaileysFolder(folder)).toMatchObject({ otherFileCount: 1, warnings: [] });
    chmodSync(join(folder, 'creds.json'), 0o644);
    // With 711, other users cannot list the folder, but they can open creds.json by its name.
    for (const mode of [0o755, 0o711]) {
      chmodSync(folder, mode);
      expect(listBaileysFolder(folder).warnings).toEqual([
        `Other users of this machine can read the keys in ${folder}. Remove the folder after the move, or run chmod 700.`,
      ]);
    }
  });

  it('listBaileysFolder() rejects a folder with too many files', async () => {
    const folder = await writeWith(baileys7);
    expect(listBaileysFolder(folder, { maxFiles: 4 }).keyFiles).toHaveLength(3);
    expect(() => listBaileysFolder(folder, { maxFiles: 3 })).toThrow(`The folder ${folder} has more than 3 files.`);
  });

  it('listBaileysFolder() rejects a missing folder and a file', () => {
    const folder = emptyFolder();
    writeFileSync(join(folder, 'file'), '');
    expect(() => listBaileysFolder(join(folder, 'none'))).toThrow('none cannot be read: it does not exist.');
    expect(() => listBaileysFolder(join(folder, 'file'))).toThrow('file cannot be read: it is no folder.');
  });
});

describe('writing a folder of Baileys', () => {
  const creds = { ...baileys7.initAuthCreds(), registered: true };

  it('writeBaileysFolder() writes credentials and keys for Baileys, readable by their owner only', async () => {
    const folder = join(emptyFolder(), 'sessions', 'shop');
    writeBaileysFolder(folder, { creds, keys: ENTRIES });
    const { state } = await baileys7.useMultiFileAuthState(folder);
    const expected = JSON.parse(JSON.stringify(creds, baileys7.BufferJSON.replacer), baileys7.BufferJSON.reviver);
    expect(state.creds).toEqual(expected);
    expect(Buffer.isBuffer(state.creds.noiseKey.private)).toBe(true);
    expect(await state.keys.get('pre-key', ['17'])).toEqual(KEYS['pre-key']);
    expect(await state.keys.get('sender-key', [GROUP_KEY])).toEqual(KEYS['sender-key']);
    const appStateKeys = await state.keys.get('app-state-sync-key', [APP_STATE_KEY]);
    expect(appStateKeys[APP_STATE_KEY]?.keyData).toEqual(Buffer.alloc(32, 3));
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777)).toEqual(Array(4).fill(0o600));
  });

  it('writeBaileysFolder() rejects an existing folder and leaves it unchanged', () => {
    const folder = emptyFolder();
    writeFileSync(join(folder, 'creds.json'), 'mine');
    expect(() => writeBaileysFolder(folder, { creds, keys: ENTRIES })).toThrow(
      `${folder} exists already. Remove it, or choose another folder.`,
    );
    expect(readdirSync(folder)).toEqual(['creds.json']);
    expect(readFileSync(join(folder, 'creds.json'), 'utf8')).toBe('mine');
  });

  it('writeBaileysFolder() removes all files after a failure', () => {
    const parent = emptyFolder();
    const createFailingKeys = function* () {
      yield { type: 'lid-mapping', id: '1', value: '2' };
      throw new Error('the source broke');
    };
    const write = () => writeBaileysFolder(join(parent, 'shop'), { creds, keys: createFailingKeys() });
    expect(write).toThrow('the source broke');
    expect(existsSync(join(parent, 'shop'))).toBe(false);
    expect(readdirSync(parent)).toEqual([]);
  });
});
