import { initAuthCreds } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { turnEnd } from '../../../../src/lib/event-loop-turn.ts';
import { AuthState } from '../../../../src/whatsapp/baileys/auth/auth-state.ts';
import { decodeCreds, encodeCreds } from '../../../../src/whatsapp/baileys/auth/codec.ts';
import { FakeKeys, linkedCreds } from '../../../support/session-fakes.ts';
import { waitFor } from '../../../support/wait-for.ts';

const openAuthState = async (keys: FakeKeys) => {
  const failures: unknown[] = [];
  const damageErrors: unknown[] = [];
  const auth = await AuthState.open({
    keys,
    instanceId: 'one',
    onFailure: (error) => failures.push(error),
    onDamagedKey: (error) => damageErrors.push(error),
  });
  return { auth, failures, damageErrors };
};
const session = { _sessions: {}, version: 'v1' } as never;
describe('credentials', () => {
  it('AuthState.open() creates credentials when there are none, and does not store them', async () => {
    const keys = new FakeKeys();
    const { auth } = await openAuthState(keys);
    expect(auth.isPaired()).toBe(false);
    expect(keys.credsRow).toBeNull();
  });

  it('AuthState.open() reads stored credentials', async () => {
    const keys = new FakeKeys();
    const creds = linkedCreds();
    keys.credsRow = encodeCreds(creds);
    const { auth } = await openAuthState(keys);
    expect(auth.creds.registrationId).toBe(creds.registrationId);
    expect(auth.isPaired()).toBe(true);
  });

  it('AuthState.open() rejects for unreadable credentials and does not replace them', async () => {
    const keys = new FakeKeys();
    keys.credsRow = Buffer.from('{"noise');
    await expect(openAuthState(keys)).rejects.toMatchObject({ code: 'STORAGE_UNREADABLE' });
    expect(keys.credsRow).toEqual(Buffer.from('{"noise'));
  });

  it('AuthState.open() drops a pairing code that was not entered', async () => {
    const keys = new FakeKeys();
    keys.credsRow = encodeCreds({
      ...initAuthCreds(),
      me: { id: '5511900000001@s.whatsapp.net', name: '~' },
      pairingCode: 'ABCD1234',
    });
    const { auth } = await openAuthState(keys);
    expect(auth.creds.me).toBeUndefined();
    expect(auth.creds.pairingCode).toBeUndefined();
    expect(auth.isPaired()).toBe(false);
  });

  it('AuthState.saveCreds() stores the latest credentials after several calls', async () => {
    const keys = new FakeKeys();
    const { auth } = await openAuthState(keys);
    for (const id of [5, 6, 7]) {
      auth.creds.nextPreKeyId = id;
      auth.saveCreds();
    }
    await auth.waitForCreds();
    expect(keys.credsRow && decodeCreds(keys.credsRow).nextPreKeyId).toBe(7);
  });

  it('AuthState.waitForWrites() waits for credentials that are not stored yet', async () => {
    const keys = new FakeKeys();
    const { auth } = await openAuthState(keys);
    const { promise, resolve: commit } = Promise.withResolvers<void>();
    keys.gate = promise;
    auth.creds.nextPreKeyId = 9;
    auth.saveCreds();
    let isFinished = false;
    const writeResult = auth.waitForWrites().then((isStored) => {
      isFinished = true;
      return isStored;
    });
    await turnEnd();
    expect(isFinished).toBe(false);
    commit();
    expect(await writeResult).toBe(true);
    expect(keys.credsRow && decodeCreds(keys.credsRow).nextPreKeyId).toBe(9);
  });

  it('AuthState.waitForWrites() resolves with false when the credentials cannot be stored', async () => {
    const keys = new FakeKeys();
    const { auth } = await openAuthState(keys);
    keys.broken = new Error('disk full');
    auth.saveCreds();
    expect(await auth.waitForWrites()).toBe(false);
  });

  it('AuthState.saveCreds() calls onFailure when the credentials cannot be stored', async () => {
    const keys = new FakeKeys();
    const { auth, failures } = await openAuthState(keys);
    keys.broken = new Error('disk full');
    auth.saveCreds();
    await auth.waitForCreds();
    expect(failures).toEqual([keys.broken]);
  });
});

describe('keys', () => {
  it('AuthState.set() writes keys of all types in one transaction', async () => {
    const keys = new FakeKeys();
    const { auth } = await openAuthState(keys);
    await auth.set({ session: { '1.0': session }, 'lid-mapping': { '5511': '111' }, 'pre-key': { '3': null } });
    expect(keys.transactions.map((writes) => writes.map(({ type, id, value }) => [type, id, value !== null]))).toEqual([
      [
        ['session', '1.0', true],
        ['lid-mapping', '5511', true],
        ['pre-key', '3', false],
      ],
    ]);
  });

  it('AuthState.get() omits absent keys', async () => {
    const { auth } = await openAuthState(new FakeKeys());
    await auth.set({ 'lid-mapping': { '5511': '111' } });
    expect(await auth.get('lid-mapping', ['5511', '5512'])).toEqual({ '5511': '111' });
  });

  it('AuthState.get() returns keys that are set and not stored yet', async () => {
    const keys = new FakeKeys();
    const { auth } = await openAuthState(keys);
    const { promise, resolve: commit } = Promise.withResolvers<void>();
    keys.gate = promise;
    await auth.set({ session: { '1.0': session }, 'lid-mapping': { '5511': '111' }, 'pre-key': { '3': null } });
    expect(await auth.get('session', ['1.0'])).toEqual({ '1.0': session });
    expect(await auth.get('lid-mapping', ['5511'])).toEqual({ '5511': '111' });
    expect(await auth.get('pre-key', ['3'])).toEqual({});
    expect(keys.rows.size).toBe(0);
    commit();
    expect(await auth.waitForWrites()).toBe(true);
    expect([...keys.rows.keys()]).toEqual(['session|1.0', 'lid-mapping|5511']);
  });

  it('AuthState.get() removes only the damaged one of several Signal sessions', async () => {
    const keys = new FakeKeys();
    const { auth, failures, damageErrors } = await openAuthState(keys);
    const whole = Buffer.from(JSON.stringify(session));
    keys.rows.set('session|1.0', whole).set('session|2.0', Buffer.from('{"_ses')).set('session|3.0', whole);
    expect(Object.keys(await auth.get('session', ['1.0', '2.0', '3.0']))).toEqual(['1.0', '3.0']);
    expect(await auth.waitForWrites()).toBe(true);
    expect([...keys.rows.keys()]).toEqual(['session|1.0', 'session|3.0']);
    expect([failures.length, damageErrors.length]).toEqual([0, 1]);
    await auth.set({ session: { '2.0': session } });
    expect(await auth.get('session', ['2.0'])).toEqual({ '2.0': session });
  });

  it.each([
    'sender-key-memory',
    'device-list',
    'pre-key',
    'app-state-sync-key',
    'app-state-sync-version',
  ] as const)('AuthState.get() removes a damaged key of the type %s and calls onDamagedKey', async (type) => {
    const keys = new FakeKeys();
    const { auth, failures, damageErrors } = await openAuthState(keys);
    keys.rows.set(`${type}|A`, Buffer.from('{"half'));
    expect(await auth.get(type, ['A'])).toEqual({});
    expect(await auth.waitForWrites()).toBe(true);
    expect([keys.rows.size, failures.length, damageErrors.length]).toEqual([0, 0, 1]);
  });

  it('AuthState.get() rejects, calls onFailure and keeps the key when the store cannot be read', async () => {
    const keys = new FakeKeys();
    const { auth, failures } = await openAuthState(keys);
    keys.rows.set('session|1.0', Buffer.from(JSON.stringify(session)));
    keys.broken = new Error('disk full');
    await expect(auth.get('session', ['1.0'])).rejects.toBe(keys.broken);
    expect(failures).toEqual([keys.broken]);
    expect(keys.rows.size).toBe(1);
  });

  it('AuthState.set() calls onFailure when a write fails, and rejects all later writes', async () => {
    const keys = new FakeKeys();
    const { auth, failures } = await openAuthState(keys);
    keys.broken = new Error('disk full');
    await auth.set({ session: { '1.0': session } });
    expect(await auth.waitForWrites()).toBe(false);
    expect(failures).toEqual([keys.broken]);
    keys.broken = undefined;
    await expect(auth.set({ session: { '1.0': session } })).rejects.toThrow('sealed');
    expect(keys.rows.size).toBe(0);
  });
});

/** Returns a record with one session. Its sending chain is at `counter`, its receiving chain at `received`. */
const recordAt = (counter: number, received = 0) => ({
  _sessions: {
    base: {
      registrationId: 1,
      currentRatchet: { ephemeralKeyPair: { pubKey: 'own' }, previousCounter: 0 },
      indexInfo: { closed: -1, created: 1, used: 1, baseKeyType: 1, remoteIdentityKey: 'remote' },
      _chains: {
        own: { chainKey: { counter, key: `own ${counter}` }, chainType: 1, messageKeys: {} },
        their: { chainKey: { counter: received, key: `their ${received}` }, chainType: 2, messageKeys: {} },
      },
    },
  },
  version: 'v1',
});

describe('Signal sessions', () => {
  it('AuthState.putSession() writes the last states of all sessions of one turn in one transaction', async () => {
    const keys = new FakeKeys();
    const { auth } = await openAuthState(keys);
    for (const counter of [1, 2, 3]) auth.putSession('1.0', recordAt(counter));
    auth.putSession('2.0', recordAt(1));
    expect(auth.peek('session', '1.0')).toEqual(recordAt(3));
    expect(await auth.get('session', ['1.0', '2.0'])).toEqual({ '1.0': recordAt(3), '2.0': recordAt(1) });
    expect(keys.transactions).toEqual([]);
    expect(await auth.waitForWrites()).toBe(true);
    expect(keys.transactions).toHaveLength(1);
    expect(JSON.parse(Buffer.from(keys.rows.get('session|1.0') ?? []).toString())).toEqual(recordAt(3));
  });

  it('AuthState.putSession() stores the session after the turn of the event loop', async () => {
    const keys = new FakeKeys();
    const { auth } = await openAuthState(keys);
    auth.putSession('1.0', recordAt(1));
    await turnEnd();
    // Not waitForWrites(): it stores the session, too.
    await waitFor(() => expect([...keys.rows.keys()]).toEqual(['session|1.0']));
  });

  it('AuthState.set() keeps the newer sending chain when Baileys writes a session that it read before putSession()', async () => {
    const keys = new FakeKeys();
    const { auth } = await openAuthState(keys);
    const setAsBaileys = (id: string, record: object) => auth.set({ session: { [id]: record } } as never);
    await setAsBaileys('1.0', recordAt(1));
    auth.putSession('1.0', recordAt(4));
    await setAsBaileys('1.0', recordAt(1, 7));
    const merged = recordAt(4, 7);
    expect(await auth.get('session', ['1.0'])).toEqual({ '1.0': merged });
    await auth.waitForWrites();
    expect(JSON.parse(Buffer.from(keys.rows.get('session|1.0') ?? []).toString())).toEqual(merged);
  });

  it('AuthState.set() keeps a new session open when Baileys writes a record that it read before putSession()', async () => {
    const keys = new FakeKeys();
    const { auth } = await openAuthState(keys);
    const setAsBaileys = (record: object) => auth.set({ session: { '1.0': record } } as never);
    await setAsBaileys(recordAt(1));
    const { base } = recordAt(1)._sessions;
    const added = { ...base, indexInfo: { ...base.indexInfo, created: 2 } };
    const closed = { ...base, indexInfo: { ...base.indexInfo, closed: 2 } };
    auth.putSession('1.0', { _sessions: { base: closed, added }, version: 'v1' });
    await setAsBaileys(recordAt(1, 7));
    expect(await auth.get('session', ['1.0'])).toMatchObject({
      '1.0': {
        _sessions: {
          base: { indexInfo: { closed: expect.any(Number) }, _chains: recordAt(1, 7)._sessions.base._chains },
          added,
        },
      },
    });
    const { '1.0': stored } = await auth.get('session', ['1.0']);
    expect(Reflect.get(stored ?? {}, '_sessions').base.indexInfo.closed).toBeGreaterThan(0);
  });

  it('AuthState.set() does not restore a session that Baileys has removed from its record', async () => {
    const { auth } = await openAuthState(new FakeKeys());
    const setAsBaileys = (record: object) => auth.set({ session: { '1.0': record } } as never);
    const { base } = recordAt(1)._sessions;
    const newer = { ...base, indexInfo: { ...base.indexInfo, created: 2 } };
    await setAsBaileys({ _sessions: { base, newer }, version: 'v1' });
    await setAsBaileys({ _sessions: { newer }, version: 'v1' });
    expect(await auth.get('session', ['1.0'])).toEqual({ '1.0': { _sessions: { newer }, version: 'v1' } });
  });

  it('AuthState.set() keeps both sessions when the account and the device start one at the same time', async () => {
    const { auth } = await openAuthState(new FakeKeys());
    const { base } = recordAt(1)._sessions;
    const startedAt = (created: number) => ({ ...base, indexInfo: { ...base.indexInfo, created } });
    const theirs = startedAt(3);
    auth.putSession('1.0', { _sessions: { ours: startedAt(2) }, version: 'v1' });
    await auth.set({ session: { '1.0': { _sessions: { theirs }, version: 'v1' } } } as never);
    const { '1.0': stored } = await auth.get('session', ['1.0']);
    expect(stored).toMatchObject({ _sessions: { theirs, ours: { indexInfo: { created: 2 } } } });
    expect(Reflect.get(stored ?? {}, '_sessions').ours.indexInfo.closed).toBeGreaterThan(0);
  });

  it('AuthState.set() removes a session that putSession() has changed in the same turn of the event loop', async () => {
    const keys = new FakeKeys();
    const { auth } = await openAuthState(keys);
    auth.putSession('1.0', recordAt(1));
    await auth.set({ session: { '1.0': null } } as never);
    expect(await auth.get('session', ['1.0'])).toEqual({});
    await auth.waitForWrites();
    expect(keys.rows.size).toBe(0);
  });

  it('AuthState.waitForWrites() resolves with false when seal() has prevented the write of a session', async () => {
    const keys = new FakeKeys();
    const { auth, failures } = await openAuthState(keys);
    auth.putSession('1.0', recordAt(1));
    auth.seal();
    expect(await auth.waitForWrites()).toBe(false);
    expect(keys.rows.size).toBe(0);
    expect(failures).toEqual([]);
    expect(() => auth.putSession('1.0', recordAt(2))).toThrow('sealed');
  });

  it('AuthState.peek() returns null for an absent LID mapping that was read, and undefined for other absent keys', async () => {
    const { auth } = await openAuthState(new FakeKeys());
    await auth.get('lid-mapping', ['5511']);
    await auth.get('session', ['1.0']);
    expect(auth.peek('lid-mapping', '5511')).toBeNull();
    expect(auth.peek('session', '1.0')).toBeUndefined();
    expect(auth.peek('tctoken', '1@lid')).toBeUndefined();
    await auth.set({ 'lid-mapping': { '5511': '111' } });
    expect(auth.peek('lid-mapping', '5511')).toBe('111');
  });

  it('AuthState.get() returns the value that set() writes during the read instead of the stored value', async () => {
    const keys = new FakeKeys();
    const { auth } = await openAuthState(keys);
    await auth.set({ 'lid-mapping': { '1': 'old' } });
    await auth.waitForWrites();
    const other = await openAuthState(keys);
    const readResult = other.auth.get('lid-mapping', ['1']);
    await other.auth.set({ 'lid-mapping': { '1': 'new' } });
    expect(await readResult).toEqual({ '1': 'new' });
    expect(other.auth.peek('lid-mapping', '1')).toBe('new');
  });
});

describe('seal', () => {
  it('AuthState.seal() blocks reads and writes, so that no late write restores keys that a logout removed', async () => {
    const keys = new FakeKeys();
    const { auth, failures } = await openAuthState(keys);
    await auth.set({ session: { '1.0': session } });
    auth.seal();
    await keys.wipe();
    await expect(auth.set({ session: { '1.0': session } })).rejects.toThrow('sealed');
    await expect(auth.get('session', ['1.0'])).rejects.toThrow('sealed');
    auth.saveCreds();
    await auth.waitForCreds();
    expect(keys.rows.size).toBe(0);
    expect(keys.credsRow).toBeNull();
    expect(failures).toEqual([]);
  });
});
