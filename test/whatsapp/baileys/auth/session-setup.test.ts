import { describe, expect, it, vi } from 'vitest';
import { AuthState } from '../../../../src/whatsapp/baileys/auth/auth-state.ts';
import { encodeCreds, encodeKey } from '../../../../src/whatsapp/baileys/auth/codec.ts';
import { DeviceSessions } from '../../../../src/whatsapp/baileys/auth/device-sessions.ts';
import { isSessionRecord, sendingSessionIn } from '../../../../src/whatsapp/baileys/auth/session-record.ts';
import { SessionSetup, type SessionSetupDeps } from '../../../../src/whatsapp/baileys/auth/session-setup.ts';
import { allChildrenOf, childOf, type Stanza } from '../../../../src/whatsapp/baileys/stanza.ts';
import { FakeKeys, linkedCreds } from '../../../support/session-fakes.ts';

/** A stored session that can encrypt. */
const OPEN_SESSION = {
  version: 'v1',
  _sessions: {
    base: {
      registrationId: 1,
      currentRatchet: { ephemeralKeyPair: { pubKey: 'ratchet' } },
      indexInfo: { closed: -1 },
      _chains: { ratchet: { chainKey: { counter: 0, key: 'key' }, chainType: 1, messageKeys: {} } },
    },
  },
};

interface StartOptions {
  ready?: string[];
  unloaded?: string[];
  /** Replaces the sessions that `ready` and `unloaded` describe. */
  sessions?: DeviceSessions;
}

/** Creates a SessionSetup. The sessions of the devices `ready` are in memory, those of `unloaded` only in the store. */
function setUp({ ready = [], unloaded = [], sessions }: StartOptions) {
  const devicesWithSession = new Set(ready);
  const queriedJids: (string | undefined)[][] = [];
  const lids: Record<string, string> = { '49:3@s.whatsapp.net': '222:3@lid' };
  const deps = {
    socket: {
      signalRepository: {
        lidMapping: {
          getLIDForPN: async () => null,
          getLIDsForPNs: async (pns: string[]) => pns.flatMap((pn) => (lids[pn] ? [{ pn, lid: lids[pn] }] : [])),
        },
        injectE2ESession: async ({ jid }: { jid: string }) => void devicesWithSession.add(jid),
      },
    },
    queries: {
      send: async (query: Stanza): Promise<Stanza> => {
        const users = allChildrenOf(childOf(query, 'key'));
        queriedJids.push(users.map(({ attrs }) => attrs.jid));
        const bytes = (tag: string, length: number): Stanza => ({ tag, attrs: {}, content: Buffer.alloc(length) });
        const skey: Stanza = {
          tag: 'skey',
          attrs: {},
          content: [bytes('id', 3), bytes('value', 32), bytes('signature', 64)],
        };
        const content = [bytes('registration', 4), bytes('identity', 32), skey];
        const list = users.map(({ attrs }): Stanza => ({ tag: 'user', attrs, content }));
        return { tag: 'iq', attrs: {}, content: [{ tag: 'list', attrs: {}, content: list }] };
      },
    },
    sessions: sessions ?? {
      isReady: (jid: string) => devicesWithSession.has(jid),
      load: async (jids: readonly string[]) => {
        for (const jid of jids) if (unloaded.includes(jid)) devicesWithSession.add(jid);
        return jids.filter((jid) => !devicesWithSession.has(jid));
      },
    },
  } as unknown as SessionSetupDeps;
  return { setup: new SessionSetup(deps), queriedJids, devicesWithSession };
}

describe('SessionSetup', () => {
  it('SessionSetup.ensure() queries the keys of all devices without a session once, by LID', async () => {
    const { setup, queriedJids, devicesWithSession } = setUp({ ready: ['222@lid'], unloaded: ['222:1@lid'] });
    await setup.ensure(['222@lid', '222:1@lid', '222:2@lid', '49:3@s.whatsapp.net']);
    expect(queriedJids).toEqual([['222:2@lid', '222:3@lid']]);
    expect([...devicesWithSession]).toEqual(['222@lid', '222:1@lid', '222:2@lid', '222:3@lid']);
  });

  it.each([
    ['all devices have sessions', { ready: ['222@lid'], unloaded: ['49:3@s.whatsapp.net'] }],
    ['the LID of the other devices is unknown', { ready: ['222@lid'], unloaded: [] }, '50@s.whatsapp.net'],
  ])('SessionSetup.ensure() sends no query when %s', async (_, state, other = '49:3@s.whatsapp.net') => {
    const { setup, queriedJids } = setUp(state);
    await setup.ensure(['222@lid', other]);
    expect(queriedJids).toEqual([]);
  });

  it('SessionSetup.ensure() sends no query when more sessions are read at the same time than fit in memory', async () => {
    const people = Array.from({ length: 200 }, (_, index) => `333${index}`);
    const keys = new FakeKeys();
    keys.credsRow = encodeCreds(linkedCreds());
    for (const user of people) keys.rows.set(`session|${user}_1.0`, encodeKey('session', OPEN_SESSION));
    const onFailure = (error: unknown) => expect.unreachable(String(error));
    const sessions = new DeviceSessions(await AuthState.open({ keys, instanceId: 'one', onFailure }));
    const { setup, queriedJids } = setUp({ sessions });
    const withoutKeys = await Promise.all(people.map((user) => setup.ensure([`${user}@lid`])));
    expect(withoutKeys.flat()).toEqual([]);
    expect(queriedJids).toEqual([]);
  });

  it('DeviceSessions.add() opens the new session even when the clock was set back since the older session', async () => {
    const keys = new FakeKeys();
    keys.credsRow = encodeCreds(linkedCreds());
    const onFailure = (error: unknown) => expect.unreachable(String(error));
    const auth = await AuthState.open({ keys, instanceId: 'one', onFailure });
    const createdAt = (created: number) => {
      const { base } = OPEN_SESSION._sessions;
      return { ...base, indexInfo: { ...base.indexInfo, created } };
    };
    const sessions = new DeviceSessions(auth);
    keys.rows.set('session|222_1.0', encodeKey('session', { version: 'v1', _sessions: { before: createdAt(2) } }));
    await sessions.add('222_1.0', { version: 'v1', _sessions: { added: createdAt(1) } } as never);
    const record = auth.peek('session', '222_1.0');
    expect(isSessionRecord(record) && sendingSessionIn(record)?.baseKey).toBe('added');
  });

  it('DeviceSessions.load() reads LIDs for phone numbers, and none for LIDs', async () => {
    const keys = new FakeKeys();
    keys.credsRow = encodeCreds(linkedCreds());
    const onFailure = (error: unknown) => expect.unreachable(String(error));
    const auth = await AuthState.open({ keys, instanceId: 'one', onFailure });
    const read = vi.spyOn(keys, 'get');
    await new DeviceSessions(auth).load(['222:1@lid', '49:3@s.whatsapp.net'], async () => undefined);
    expect(read.mock.calls.map(([_instance, type, ids]) => [type, ids])).toEqual([
      ['lid-mapping', ['49']],
      ['session', ['222_1.1', '49.3']],
    ]);
  });
});
