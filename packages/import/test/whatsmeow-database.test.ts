// Session bundles in SQLite databases of whatsmeow.
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { installLibsignalConsole } from '../../../src/whatsapp/baileys/patches/libsignal-console.ts';
import { openWhatsmeowTarget } from '../src/targets/whatsmeow.ts';
import { createMovingSession } from './support/whatsmeow-bundle.ts';
import { change, comparable, dropped, dump, newPath, read, readOne, write } from './support/whatsmeow-files.ts';

beforeAll(() => void installLibsignalConsole());

describe('a SQLite database of whatsmeow', () => {
  it('keeps all credentials and keys of a bundle', async () => {
    const path = newPath();
    const { bundle } = await createMovingSession();
    const [report] = await write(path, bundle);
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
    const { title, sessions } = await read(path);
    expect(title).toBe('whatsmeow (SQLite, schema version 15)');
    expect(sessions[0]?.found).toMatchObject({
      name: '4915112345678',
      account: '4915112345678@s.whatsapp.net',
      device: '4915112345678:7@s.whatsapp.net',
      counts: { pre_keys: 3, sessions: 2, sender_keys: 4 },
    });
    const session = sessions[0]?.session;
    expect(session && comparable(session.bundle)).toEqual(comparable(bundle));
    expect(session?.bundle.instance).toEqual({ name: '4915112345678', number: '4915112345678' });
    expect(session?.warnings).toEqual([]);
  });

  it('has the same rows when a session comes from it and goes back', async () => {
    const [first, second, third] = [newPath(), newPath(), newPath()];
    await write(first, (await createMovingSession()).bundle);
    // The first conversion leaves out skipped message keys, which libsignal cannot take.
    await write(second, (await readOne(first)).bundle);
    await write(third, (await readOne(second)).bundle);
    expect(dump(third)).toEqual(dump(second));
    expect(dump(second).whatsmeow_sessions).toHaveLength(2);
  });

  it('has sessions that continue, and reports messages that were out of order', async () => {
    const path = newPath();
    const { device, ben, cleo, late, bundle } = await createMovingSession();
    await write(path, bundle);
    const read = await readOne(path);
    expect(read.dropped).toContainEqual({
      type: 'skipped message keys',
      count: 1,
      reason: expect.stringContaining('requested again'),
    });
    for (const [address, session] of Object.entries(read.bundle.keys.sessions)) device.sessions.set(address, session);
    expect(await ben.send(device, 'answer')).toBe('answer');
    expect(await device.send(ben, 'answered')).toBe('answered');
    expect(await cleo.send(device, 'next')).toBe('next');
    expect(await device.send(cleo, 'answer')).toBe('answer');
    await expect(device.decrypt(cleo, late)).rejects.toThrow();
  });

  it('has records in the JSON form of whatsmeow, with its newest sender key first', async () => {
    const path = newPath();
    await write(path, (await createMovingSession()).bundle);
    const rows = dump(path);
    const session = JSON.parse(String(rows.whatsmeow_sessions?.[0]?.session));
    expect(Object.keys(session)).toEqual(['SessionState', 'PreviousStates']);
    expect(session.SessionState).toMatchObject({ SessionVersion: 3, LocalRegistrationID: 4711, NeedsRefresh: false });
    const senderKeys = rows.whatsmeow_sender_keys?.map(({ sender_key: key }) => JSON.parse(String(key)));
    const ids = senderKeys?.map(({ SenderKeyStates }) => SenderKeyStates.map(({ KeyID }: { KeyID: number }) => KeyID));
    expect(ids).toContainEqual([2, 1]);
  });

  it('is a file that only its owner can read', async () => {
    const path = newPath();
    await write(path, (await createMovingSession()).bundle);
    expect((statSync(path).mode & 0o777).toString(8)).toBe('600');
  });

  it('has several devices, each with the LIDs of the people that it knows', async () => {
    const path = newPath();
    const one = (await createMovingSession('4915112345678')).bundle;
    const two = (await createMovingSession('4915187654321')).bundle;
    two.keys.lidMap['523456789012345'] = '4918012345678';
    two.keys.identities['523456789012345_1.0'] = two.keys.identities['223456789012345_1.2'] ?? '';
    const reports = await write(path, one, two);
    expect(dropped(reports[1] ?? { dropped: [] })).toMatchObject({ lidMap: 2 });
    change(
      path,
      "INSERT INTO whatsmeow_lid_map VALUES ('723456789012345', '4914012345678')",
      "INSERT INTO whatsmeow_contacts (our_jid, their_jid) SELECT jid, '4914012345678@s.whatsapp.net' FROM whatsmeow_device WHERE jid LIKE '49151876%'",
    );
    two.keys.lidMap['723456789012345'] = '4914012345678';
    const { sessions } = await read(path);
    expect(sessions.map(({ found }) => found.name)).toEqual(['4915112345678', '4915187654321']);
    expect(sessions.map(({ session }) => session?.bundle.keys.lidMap)).toEqual([one.keys.lidMap, two.keys.lidMap]);
    expect(sessions.map(({ session }) => session && dropped(session).whatsmeow_lid_map)).toEqual([2, undefined]);
  });

  it('names two devices of one account differently', async () => {
    const path = newPath();
    const one = (await createMovingSession()).bundle;
    const two = (await createMovingSession()).bundle;
    two.credentials.me.id = '4915112345678:8@s.whatsapp.net';
    await write(path, one, two);
    const { sessions } = await read(path);
    expect(sessions.map(({ found }) => found.name)).toEqual(['4915112345678', '4915112345678-2']);
  });
});

describe('the target', () => {
  it('refuses a device that the database has, and changes nothing', async () => {
    const path = newPath();
    const { bundle } = await createMovingSession();
    await write(path, bundle);
    const before = dump(path);
    await expect(write(path, bundle)).rejects.toThrow('has the device 4915112345678:7@s.whatsapp.net already');
    expect(dump(path)).toEqual(before);
  });

  it('leaves no file behind when a bundle cannot be written', async () => {
    const path = newPath();
    const { bundle } = await createMovingSession();
    bundle.credentials.account.deviceSignature = 'AAAA';
    await expect(write(path, bundle)).rejects.toThrow();
    expect(existsSync(path)).toBe(false);
  });

  it('writes a device completely or not at all', async () => {
    const path = newPath();
    await write(path, (await createMovingSession()).bundle);
    const before = dump(path);
    const { bundle } = await createMovingSession('4915187654321');
    bundle.keys.preKeys['1'] = { private: 'AAAA', public: 'AAAA' };
    await expect(write(path, bundle)).rejects.toThrow();
    expect(dump(path)).toEqual(before);
  });

  it('refuses tables of another version, other databases and other files', async () => {
    const older = newPath();
    await write(older, (await createMovingSession()).bundle);
    change(older, 'UPDATE whatsmeow_version SET version = 11');
    await expect(openWhatsmeowTarget({ location: older })).rejects.toThrow('have version 11, but this program writes');
    const other = newPath();
    change(other, 'CREATE TABLE notes (text TEXT)');
    await expect(openWhatsmeowTarget({ location: other })).rejects.toThrow('not empty and has no tables of whatsmeow');
    const text = newPath();
    writeFileSync(text, 'no database, but a file with a text that is needed');
    await expect(openWhatsmeowTarget({ location: text })).rejects.toThrow('no SQLite database');
    const empty = newPath();
    writeFileSync(empty, '');
    await expect(openWhatsmeowTarget({ location: empty })).rejects.toThrow('exists already');
  });

  it('reports what whatsmeow has no place for', async () => {
    const { bundle } = await createMovingSession();
    bundle.instance.token = 'secret';
    bundle.keys.privacyTokens['623456789012345@lid'] = { token: '', senderTimestamp: 1 };
    for (const state of Object.values(bundle.keys.sessions['4916012345678.0']?._sessions ?? {})) {
      state.indexInfo.closed = 1;
    }
    const [report] = await write(newPath(), bundle);
    expect(dropped(report ?? { dropped: [] })).toEqual({
      sessions: 1,
      privacyTokens: 1,
      deviceLists: 1,
      'settings of the instance': 1,
    });
  });

  it('distinguishes closed sessions and empty sender keys from those whose address whatsmeow cannot store', async () => {
    const { bundle } = await createMovingSession();
    const { sessions, senderKeys } = bundle.keys;
    const [session] = Object.values(sessions);
    const [senderKey] = Object.values(senderKeys);
    if (!session || !senderKey) throw new Error('The session has no keys.');
    sessions['49160@other.0'] = session;
    sessions['4917012345678.0'] = { ...session, _sessions: {} };
    senderKeys['1@g.us::49160@other::0'] = senderKey;
    senderKeys['1@g.us::4917012345678::0'] = [];
    const [report] = await write(newPath(), bundle);
    const reasons = report?.dropped.filter(({ type }) => type !== 'deviceLists');
    expect(reasons).toEqual([
      { type: 'sessions', count: 1, reason: 'whatsmeow has no addresses of this form.' },
      { type: 'sessions', count: 1, reason: expect.stringContaining('closed') },
      { type: 'senderKeys', count: 1, reason: 'whatsmeow has no addresses of this form.' },
      { type: 'senderKeys', count: 1, reason: 'They are empty.' },
    ]);
  });
});
