// Session bundles in SQLite databases of whatsmeow.
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { installLibsignalConsole } from '../../../src/whatsapp/baileys/patches/libsignal-console.ts';
import { openWhatsmeowTarget } from '../src/targets/whatsmeow.ts';
import { createMovingSession } from './support/whatsmeow-bundle.ts';
import {
  countDropped,
  createPath,
  dumpTables,
  executeSql,
  readSession,
  readSessions,
  toComparable,
  writeBundles,
} from './support/whatsmeow-files.ts';

beforeAll(() => void installLibsignalConsole());

describe('SQLite databases of whatsmeow', () => {
  it('a whatsmeow database keeps all credentials and keys of a bundle', async () => {
    const path = createPath();
    const { bundle } = await createMovingSession();
    const [report] = await writeBundles(path, bundle);
    expect(report?.written).toEqual({
      device: 1,
      pre_keys: 3,
      identity_keys: 2,
      sessions: 2,
      sender_keys: 4,
      app_state_sync_keys: 2,
      privacy_tokens: 2,
      nct_salt: 1,
      lid_map: 2,
    });
    const { title, sessions } = await readSessions(path);
    expect(title).toBe('whatsmeow (SQLite, schema version 15)');
    expect(sessions[0]?.found).toMatchObject({
      name: '4915112345678',
      account: '4915112345678@s.whatsapp.net',
      device: '4915112345678:7@s.whatsapp.net',
      counts: { pre_keys: 3, sessions: 2, sender_keys: 4 },
    });
    const session = sessions[0]?.session;
    expect(session && toComparable(session.bundle)).toEqual(toComparable(bundle));
    expect(session?.bundle.instance).toEqual({ name: '4915112345678', number: '4915112345678' });
    expect(session?.warnings).toEqual([]);
  });

  it('a whatsmeow database has the same rows after a session is read from it and written again', async () => {
    const [first, second, third] = [createPath(), createPath(), createPath()];
    await writeBundles(first, (await createMovingSession()).bundle);
    // The first conversion drops skipped message keys, which libsignal cannot store.
    await writeBundles(second, (await readSession(first)).bundle);
    await writeBundles(third, (await readSession(second)).bundle);
    expect(dumpTables(third)).toEqual(dumpTables(second));
    expect(dumpTables(second).whatsmeow_sessions).toHaveLength(2);
  });

  it('a session from a whatsmeow database continues, and its skipped message keys are reported as dropped', async () => {
    const path = createPath();
    const { device, ben, cleo, late, bundle } = await createMovingSession();
    await writeBundles(path, bundle);
    const contents = await readSession(path);
    expect(contents.dropped).toContainEqual({
      type: 'skipped message keys',
      count: 1,
      reason: expect.stringContaining('requested again'),
    });
    for (const [address, session] of Object.entries(contents.bundle.keys.sessions))
      device.sessions.set(address, session);
    expect(await ben.send(device, 'answer')).toBe('answer');
    expect(await device.send(ben, 'answered')).toBe('answered');
    expect(await cleo.send(device, 'next')).toBe('next');
    expect(await device.send(cleo, 'answer')).toBe('answer');
    await expect(device.decrypt(cleo, late)).rejects.toThrow();
  });

  it('a whatsmeow database has records in the JSON form of whatsmeow, with the newest sender key first', async () => {
    const path = createPath();
    await writeBundles(path, (await createMovingSession()).bundle);
    const rows = dumpTables(path);
    const session = JSON.parse(String(rows.whatsmeow_sessions?.[0]?.session));
    expect(Object.keys(session)).toEqual(['SessionState', 'PreviousStates']);
    expect(session.SessionState).toMatchObject({ SessionVersion: 3, LocalRegistrationID: 4711, NeedsRefresh: false });
    const senderKeys = rows.whatsmeow_sender_keys?.map(({ sender_key: key }) => JSON.parse(String(key)));
    const ids = senderKeys?.map(({ SenderKeyStates }) => SenderKeyStates.map(({ KeyID }: { KeyID: number }) => KeyID));
    expect(ids).toContainEqual([2, 1]);
  });

  it('a new whatsmeow database is readable by its owner only', async () => {
    const path = createPath();
    await writeBundles(path, (await createMovingSession()).bundle);
    expect((statSync(path).mode & 0o777).toString(8)).toBe('600');
  });

  it('a whatsmeow database returns each device with the LIDs of its own contacts only', async () => {
    const path = createPath();
    const firstBundle = (await createMovingSession('4915112345678')).bundle;
    const secondBundle = (await createMovingSession('4915187654321')).bundle;
    secondBundle.keys.lidMap['523456789012345'] = '4918012345678';
    secondBundle.keys.identities['523456789012345_1.0'] = secondBundle.keys.identities['223456789012345_1.2'] ?? '';
    const reports = await writeBundles(path, firstBundle, secondBundle);
    expect(countDropped(reports[1] ?? { dropped: [] })).toMatchObject({ lidMap: 2 });
    executeSql(
      path,
      "INSERT INTO whatsmeow_lid_map VALUES ('723456789012345', '4914012345678')",
      "INSERT INTO whatsmeow_contacts (our_jid, their_jid) SELECT jid, '4914012345678@s.whatsapp.net' FROM whatsmeow_device WHERE jid LIKE '49151876%'",
    );
    secondBundle.keys.lidMap['723456789012345'] = '4914012345678';
    const { sessions } = await readSessions(path);
    expect(sessions.map(({ found }) => found.name)).toEqual(['4915112345678', '4915187654321']);
    expect(sessions.map(({ session }) => session?.bundle.keys.lidMap)).toEqual([
      firstBundle.keys.lidMap,
      secondBundle.keys.lidMap,
    ]);
    expect(sessions.map(({ session }) => session && countDropped(session).whatsmeow_lid_map)).toEqual([2, undefined]);
  });

  it('openWhatsmeow() gives two devices of one account different names', async () => {
    const path = createPath();
    const firstBundle = (await createMovingSession()).bundle;
    const secondBundle = (await createMovingSession()).bundle;
    secondBundle.credentials.me.id = '4915112345678:8@s.whatsapp.net';
    await writeBundles(path, firstBundle, secondBundle);
    const { sessions } = await readSessions(path);
    expect(sessions.map(({ found }) => found.name)).toEqual(['4915112345678', '4915112345678-2']);
  });
});

describe('the whatsmeow target', () => {
  it('a whatsmeow target refuses a device that the database has already, and changes nothing', async () => {
    const path = createPath();
    const { bundle } = await createMovingSession();
    await writeBundles(path, bundle);
    const rowsBefore = dumpTables(path);
    await expect(writeBundles(path, bundle)).rejects.toThrow('has the device 4915112345678:7@s.whatsapp.net already');
    expect(dumpTables(path)).toEqual(rowsBefore);
  });

  it('a whatsmeow target leaves no file when a bundle cannot be written', async () => {
    const path = createPath();
    const { bundle } = await createMovingSession();
    bundle.credentials.account.deviceSignature = 'AAAA';
    await expect(writeBundles(path, bundle)).rejects.toThrow();
    expect(existsSync(path)).toBe(false);
  });

  it('a whatsmeow target writes a device completely or not at all', async () => {
    const path = createPath();
    await writeBundles(path, (await createMovingSession()).bundle);
    const rowsBefore = dumpTables(path);
    const { bundle } = await createMovingSession('4915187654321');
    bundle.keys.preKeys['1'] = { private: 'AAAA', public: 'AAAA' };
    await expect(writeBundles(path, bundle)).rejects.toThrow();
    expect(dumpTables(path)).toEqual(rowsBefore);
  });

  it('openWhatsmeowTarget() rejects tables of another version, other databases and other files', async () => {
    const older = createPath();
    await writeBundles(older, (await createMovingSession()).bundle);
    executeSql(older, 'UPDATE whatsmeow_version SET version = 11');
    await expect(openWhatsmeowTarget({ location: older })).rejects.toThrow('have version 11, but this program writes');
    const otherDatabase = createPath();
    executeSql(otherDatabase, 'CREATE TABLE notes (text TEXT)');
    await expect(openWhatsmeowTarget({ location: otherDatabase })).rejects.toThrow(
      'not empty and has no tables of whatsmeow',
    );
    const textFile = createPath();
    writeFileSync(textFile, 'no database, but a file with a text that is needed');
    await expect(openWhatsmeowTarget({ location: textFile })).rejects.toThrow('no SQLite database');
    const emptyFile = createPath();
    writeFileSync(emptyFile, '');
    await expect(openWhatsmeowTarget({ location: emptyFile })).rejects.toThrow('exists already');
  });

  it('a whatsmeow target reports the keys and settings that whatsmeow cannot store', async () => {
    const { bundle } = await createMovingSession();
    bundle.instance.token = 'secret';
    bundle.keys.privacyTokens['623456789012345@lid'] = { token: '', senderTimestamp: 1 };
    for (const state of Object.values(bundle.keys.sessions['4916012345678.0']?._sessions ?? {})) {
      state.indexInfo.closed = 1;
    }
    const [report] = await writeBundles(createPath(), bundle);
    expect(countDropped(report ?? { dropped: [] })).toEqual({
      sessions: 1,
      privacyTokens: 1,
      deviceLists: 1,
      'settings of the instance': 1,
    });
  });

  it('a whatsmeow target names separate reasons for closed sessions, empty sender keys and invalid addresses', async () => {
    const { bundle } = await createMovingSession();
    const { sessions, senderKeys } = bundle.keys;
    const [session] = Object.values(sessions);
    const [senderKey] = Object.values(senderKeys);
    if (!session || !senderKey) throw new Error('The session has no keys.');
    sessions['49160@other.0'] = session;
    sessions['4917012345678.0'] = { ...session, _sessions: {} };
    senderKeys['1@g.us::49160@other::0'] = senderKey;
    senderKeys['1@g.us::4917012345678::0'] = [];
    const [report] = await writeBundles(createPath(), bundle);
    const reasons = report?.dropped.filter(({ type }) => type !== 'deviceLists');
    expect(reasons).toEqual([
      { type: 'sessions', count: 1, reason: 'whatsmeow has no addresses of this form.' },
      { type: 'sessions', count: 1, reason: expect.stringContaining('closed') },
      { type: 'senderKeys', count: 1, reason: 'whatsmeow has no addresses of this form.' },
      { type: 'senderKeys', count: 1, reason: 'They are empty.' },
    ]);
  });
});
