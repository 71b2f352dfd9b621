// The whatsmeow source with databases of other programs, including damaged ones.
import { randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, describe, expect, it } from 'vitest';
import { installLibsignalConsole } from '../../../src/whatsapp/baileys/patches/libsignal-console.ts';
import { openWhatsmeow } from '../src/sources/whatsmeow.ts';
import { createMovingSession } from './support/whatsmeow-bundle.ts';
import {
  countDropped,
  createPath,
  executeSql,
  readSession,
  readSessions,
  toComparable,
  writeBundles,
} from './support/whatsmeow-files.ts';

beforeAll(() => void installLibsignalConsole());

describe('the whatsmeow source', () => {
  it('openWhatsmeow() reads name, key, webhook and proxy from the table of wuzapi', async () => {
    const path = createPath();
    await writeBundles(path, (await createMovingSession()).bundle);
    executeSql(
      path,
      'CREATE TABLE users (id TEXT, name TEXT, token TEXT, webhook TEXT, jid TEXT, connected INTEGER, proxy_url TEXT)',
      `INSERT INTO users VALUES ('1', 'Shop', 'key-of-the-shop-of-anna', 'https://hooks.example/wa', '4915112345678:7@s.whatsapp.net', 1,
         'socks5://me:p%40ss@proxy.example')`,
    );
    const { title, sessions } = await readSessions(path);
    expect(title).toBe('wuzapi (SQLite, schema version 15)');
    expect(sessions[0]?.found.name).toBe('Shop');
    expect(sessions[0]?.session?.bundle.instance).toEqual({
      name: 'Shop',
      number: '4915112345678',
      token: 'key-of-the-shop-of-anna',
      webhook: { enabled: false, url: 'https://hooks.example/wa' },
      proxy: { protocol: 'socks5', host: 'proxy.example', port: 1080, username: 'me', password: 'p@ss' },
    });
    expect(sessions[0]?.session?.warnings).toEqual([expect.stringContaining('The webhook is disabled')]);
  });

  it('openWhatsmeow() drops a key, webhook and proxy of wuzapi that the gateway refuses', async () => {
    const path = createPath();
    await writeBundles(path, (await createMovingSession()).bundle);
    executeSql(
      path,
      'CREATE TABLE users (name TEXT, token TEXT, webhook TEXT, jid TEXT, proxy_url TEXT)',
      "INSERT INTO users VALUES ('Shop', 'not a key', 'no URL', '4915112345678:7@s.whatsapp.net', 'ftp://proxy')",
      "INSERT INTO users VALUES (x'00', NULL, 17, '4915112345678:9@s.whatsapp.net', NULL), (NULL, NULL, NULL, NULL, NULL)",
    );
    const contents = await readSession(path);
    expect(contents.bundle.instance).toEqual({ name: 'Shop', number: '4915112345678' });
    expect(countDropped(contents)).toMatchObject({ 'key of the session': 1, webhook: 1, proxy: 1 });
  });

  it('openWhatsmeow() removes control characters from the names of the account', async () => {
    const path = createPath();
    await writeBundles(path, (await createMovingSession()).bundle);
    executeSql(
      path,
      "UPDATE whatsmeow_device SET push_name = 'Shop' || char(7), platform = 'and' || char(1) || 'roid'",
    );
    expect((await readSession(path)).bundle.credentials).toMatchObject({ me: { name: 'Shop' }, platform: 'android' });
  });

  it('openWhatsmeow() changes no file in the folder of a program that has ended', async () => {
    const path = createPath();
    await writeBundles(path, (await createMovingSession()).bundle);
    executeSql(path, 'PRAGMA journal_mode = WAL', "UPDATE whatsmeow_device SET push_name = 'New'");
    const filesBefore = readdirSync(dirname(path));
    expect((await readSession(path)).bundle.credentials.me.name).toBe('New');
    expect(readdirSync(dirname(path))).toEqual(filesBefore);
    expect(filesBefore).toEqual(['whatsapp.db']);
  });

  it('openWhatsmeow() reads tables of older versions', async () => {
    const path = createPath();
    const { bundle } = await createMovingSession();
    // These versions do not support LIDs.
    delete bundle.keys.senderKeys['120363012345678901@g.us::123456789012345_1::7'];
    await writeBundles(path, bundle);
    executeSql(
      path,
      'DROP TABLE whatsmeow_privacy_tokens',
      'DROP TABLE whatsmeow_lid_map',
      'DROP TABLE whatsmeow_nct_salt',
      'DROP TABLE whatsmeow_retry_buffer',
      'ALTER TABLE whatsmeow_device DROP COLUMN lid',
      'ALTER TABLE whatsmeow_device DROP COLUMN companion_meta_nonce',
      'PRAGMA foreign_keys = OFF',
      "UPDATE whatsmeow_device SET jid = '4915112345678.0:7@s.whatsapp.net'",
      ...['pre_keys', 'app_state_sync_keys'].map(
        (table) => `UPDATE whatsmeow_${table} SET jid = '4915112345678.0:7@s.whatsapp.net'`,
      ),
      ...['sessions', 'identity_keys', 'sender_keys'].map(
        (table) => `UPDATE whatsmeow_${table} SET our_jid = '4915112345678.0:7@s.whatsapp.net'`,
      ),
      'UPDATE whatsmeow_version SET version = 3',
    );
    const { bundle: found, warnings } = await readSession(path);
    expect(found.credentials.me).toEqual({ id: '4915112345678:7@s.whatsapp.net', name: 'Shop' });
    expect(found.keys).toMatchObject({ lidMap: {}, privacyTokens: {}, preKeys: bundle.keys.preKeys });
    expect(Object.keys(found.keys.sessions)).toHaveLength(2);
    expect(warnings).toEqual([]);
  });

  it('openWhatsmeow() warns about tables of a newer version', async () => {
    const path = createPath();
    await writeBundles(path, (await createMovingSession()).bundle);
    executeSql(path, 'UPDATE whatsmeow_version SET version = 16');
    const { warnings } = await readSession(path);
    expect(warnings).toEqual([expect.stringContaining('they have version 16')]);
  });

  it('openWhatsmeow() moves tokens of phone numbers to their LIDs and keeps the newer of two tokens', async () => {
    const path = createPath();
    const { bundle } = await createMovingSession();
    await writeBundles(path, bundle);
    executeSql(
      path,
      `INSERT INTO whatsmeow_privacy_tokens VALUES
         ('4915112345678:7@s.whatsapp.net', '4917012345678@s.whatsapp.net', x'01', 1763700000, NULL),
         ('4915112345678:7@s.whatsapp.net', '4916012345678@s.whatsapp.net', x'02', 1763700000, NULL),
         ('4915112345678:7@s.whatsapp.net', '4919012345678@s.whatsapp.net', x'03', 1763700000, NULL)`,
    );
    const { privacyTokens } = (await readSession(path)).bundle.keys;
    expect(privacyTokens).toEqual({
      '223456789012345@lid': { token: 'AQ==', timestamp: '1763700000' },
      '323456789012345@lid': { token: 'Ag==', timestamp: '1763700000' },
      '423456789012345@lid': bundle.keys.privacyTokens['423456789012345@lid'],
      '4919012345678@s.whatsapp.net': { token: 'Aw==', timestamp: '1763700000' },
    });
  });

  it('openWhatsmeow() counts damaged rows as dropped and reads all others', async () => {
    const path = createPath();
    const { bundle } = await createMovingSession();
    await writeBundles(path, bundle);
    const jid = "'4915112345678:7@s.whatsapp.net'";
    executeSql(
      path,
      'PRAGMA ignore_check_constraints = ON',
      `INSERT INTO whatsmeow_sessions VALUES (${jid}, '1:0', x'${randomBytes(300).toString('hex')}'), (${jid}, '2:0', 'text'),
         (${jid}, '3:0', NULL), (${jid}, '4:0', CAST('{"SessionState":{' AS BLOB)), (${jid}, 'no address', x'00'),
         (${jid}, '5:0', CAST('{"SessionState":{"SessionVersion":3}}' AS BLOB)), (${jid}, 17, x''),
         (${jid}, '6:0', CAST('{"a":' || replace(hex(zeroblob(20000)), '00', '[') || '}' AS BLOB)), (${jid}, NULL, x'00')`,
      `INSERT INTO whatsmeow_pre_keys VALUES (${jid}, 99999999, x'00', 1), (${jid}, 40, x'0001', 1), (${jid}, 41, 9223372036854775807, 1)`,
      `INSERT INTO whatsmeow_sender_keys VALUES (${jid}, 'a b', '1:0', x'00'), (${jid}, 'x@g.us', '1:0', x'0a00')`,
      `INSERT INTO whatsmeow_app_state_sync_keys VALUES (${jid}, x'0101', x'01', -5, x''), (${jid}, x'0102', x'01', 5, x'ffffff')`,
      `INSERT INTO whatsmeow_identity_keys VALUES (${jid}, '7:0', x'01')`,
      `INSERT INTO whatsmeow_privacy_tokens VALUES (${jid}, '1@lid', x'', 1, 1), (${jid}, '2@lid', x'01', 'soon', 1)`,
      "INSERT INTO whatsmeow_lid_map VALUES ('no LID', '491'), ('1', 'no number')",
    );
    const contents = await readSession(path);
    expect(toComparable(contents.bundle)).toEqual(toComparable(bundle));
    expect(contents.dropped).toContainEqual({
      type: 'whatsmeow_lid_map',
      count: 2,
      reason: 'The rows are damaged.',
    });
    expect(countDropped(contents)).toEqual({
      whatsmeow_lid_map: 2,
      whatsmeow_sessions: 9,
      whatsmeow_pre_keys: 3,
      whatsmeow_sender_keys: 2,
      whatsmeow_app_state_sync_keys: 2,
      whatsmeow_identity_keys: 1,
      whatsmeow_privacy_tokens: 2,
      'skipped message keys': 1,
    });
  });

  it('openWhatsmeow() names the damaged column of a device and reads the other devices', async () => {
    const path = createPath();
    await writeBundles(
      path,
      (await createMovingSession('4915112345678')).bundle,
      (await createMovingSession('4915187654321')).bundle,
      (await createMovingSession('4915133333333')).bundle,
    );
    executeSql(
      path,
      'PRAGMA ignore_check_constraints = ON',
      'PRAGMA foreign_keys = OFF',
      "UPDATE whatsmeow_device SET noise_key = x'00' WHERE jid LIKE '4915112345678%'",
      "UPDATE whatsmeow_device SET jid = 'no JID' WHERE jid LIKE '4915133333333%'",
    );
    const { sessions } = await readSessions(path);
    expect(sessions.map(({ found, problem }) => [found.name, problem])).toEqual([
      ['4915112345678', expect.stringContaining('whatsmeow_device.noise_key is missing or damaged')],
      ['4915187654321', undefined],
      ['unknown', 'The device has no valid JID.'],
    ]);
  });

  it('openWhatsmeow() rejects a device with more keys than a bundle can have', async () => {
    const path = createPath();
    await writeBundles(path, (await createMovingSession()).bundle);
    const rows = 'WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 150100)';
    executeSql(
      path,
      `${rows} INSERT INTO whatsmeow_pre_keys SELECT (SELECT jid FROM whatsmeow_device), i, randomblob(32), 0 FROM n`,
    );
    await expect(readSession(path)).rejects.toThrow('has more than 100000 keys');
  });

  it('openWhatsmeow() limits LIDs to the size of a bundle and prefers those of contacts with keys', async () => {
    const path = createPath();
    const { bundle } = await createMovingSession();
    await writeBundles(path, bundle);
    const rows = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150000)';
    executeSql(path, `${rows} INSERT INTO whatsmeow_lid_map SELECT 100000000000000 + i, 490000000000 + i FROM n`);
    const contents = await readSession(path);
    expect(contents.bundle.keys.lidMap).toMatchObject(bundle.keys.lidMap);
    const keys = Object.values(contents.bundle.keys).flatMap((value) =>
      typeof value === 'object' ? Object.keys(value) : [],
    );
    expect(keys.length).toBeLessThanOrEqual(100_000);
    expect(Object.keys(contents.bundle.keys.lidMap).length + (countDropped(contents).whatsmeow_lid_map ?? 0)).toBe(
      150_002,
    );
  });

  it('openWhatsmeow() rejects a database of another program, a missing file and a text file', async () => {
    const otherDatabase = createPath();
    executeSql(otherDatabase, 'CREATE TABLE notes (text TEXT)');
    await expect(openWhatsmeow({ database: otherDatabase })).rejects.toThrow('no table whatsmeow_device');
    await expect(openWhatsmeow({ database: `${otherDatabase}.missing` })).rejects.toThrow('does not exist');
    const textFile = createPath();
    writeFileSync(textFile, 'no database');
    await expect(openWhatsmeow({ database: textFile })).rejects.toThrow('no SQLite database');
  });

  it('openWhatsmeow() reads rows in the write-ahead log of a program that was killed', async () => {
    const path = createPath();
    await writeBundles(path, (await createMovingSession()).bundle);
    const program = new DatabaseSync(path);
    program.exec(
      "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; UPDATE whatsmeow_device SET push_name = 'New'",
    );
    const copy = createPath();
    for (const suffix of ['', '-wal']) copyFileSync(`${path}${suffix}`, `${copy}${suffix}`);
    program.close();
    expect((await readSession(copy)).bundle.credentials.me.name).toBe('New');
  });

  it('openWhatsmeow() and its target accept paths in the form of a file: address', async () => {
    const path = createPath();
    await writeBundles(`file:${path}?_foreign_keys=on`, (await createMovingSession()).bundle);
    expect(existsSync(path)).toBe(true);
    expect((await readSession(`file://${path}?_pragma=foreign_keys(1)`)).bundle.credentials.me.name).toBe('Shop');
  });
});
