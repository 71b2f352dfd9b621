import { DEFAULT_CONNECTION_CONFIG } from '@whiskeysockets/baileys';
import { addTransactionCapability } from '@whiskeysockets/baileys/lib/Utils/auth-utils.js';
import { beforeEach, expect, it } from 'vitest';
import { AuthState } from '../../../../src/whatsapp/baileys/auth/auth-state.ts';
import { encodeCreds, encodeKey } from '../../../../src/whatsapp/baileys/auth/codec.ts';
import { KnownPairs, withLidMappings } from '../../../../src/whatsapp/baileys/patches/lid-mapping.ts';
import { FakeKeys, linkedCreds, silent } from '../../../support/session-fakes.ts';

const [number, otherNumber] = ['4915112345678', '4915100000000'];
const [pn, otherPn] = [`${number}@s.whatsapp.net`, `${otherNumber}@s.whatsapp.net`];

let stored: FakeKeys;

/** Opens Baileys' LID mappings in a new session with the stored keys. */
async function openMapping() {
  stored.credsRow = encodeCreds(linkedCreds());
  const onFailure = (error: unknown) => expect.unreachable(String(error));
  const auth = await AuthState.open({ keys: stored, instanceId: 'one', onFailure });
  const keys = addTransactionCapability(auth.state.keys, silent, { maxCommitRetries: 1, delayBetweenTriesMs: 0 });
  const create = withLidMappings(DEFAULT_CONNECTION_CONFIG.makeSignalRepository, auth, new KnownPairs());
  const { lidMapping, migrateSession } = create({ creds: auth.creds, keys }, silent, async () => undefined);
  return { lidMapping, migrateSession, auth };
}

/** Stores pairs one after another in a new session. */
async function store(...pairs: [lid: string, pn: string][]): Promise<void> {
  const { lidMapping, auth } = await openMapping();
  for (const [lid, numberJid] of pairs) await lidMapping.storeLIDPNMappings([{ lid, pn: numberJid }]);
  await auth.waitForWrites();
}

function storedMappings(): Record<string, string> {
  const rows = [...stored.rows].filter(([id]) => id.startsWith('lid-mapping|'));
  return Object.fromEntries(rows.map(([id, value]) => [id.replace('lid-mapping|', ''), Buffer.from(value).toString()]));
}

beforeEach(() => {
  stored = new FakeKeys();
});

it.each([
  ['in one session', async () => store(['111@lid', pn], ['222@lid', pn])],
  [
    'in two sessions',
    async () => {
      await store(['111@lid', pn]);
      await store(['222@lid', pn]);
    },
  ],
])('withLidMappings() removes a number from its earlier LID when the number gets another LID: %s', async (_, change) => {
  await change();
  expect(storedMappings()).toEqual({ [number]: '222', '222_reverse': number });
  const { lidMapping } = await openMapping();
  expect(await lidMapping.getPNForLID('111@lid')).toBeNull();
  expect(await lidMapping.getPNForLID('222@lid')).toBe(`${number}:0@s.whatsapp.net`);
});

it('withLidMappings() keeps the new number of a LID when the former number of the LID gets another LID', async () => {
  await store(['111@lid', pn], ['111@lid', otherPn], ['222@lid', pn]);
  expect(storedMappings()).toMatchObject({ '111_reverse': otherNumber, [number]: '222' });
});

it('withLidMappings() returns no number for a LID when the stored number belongs to another LID', async () => {
  const mappings = { [number]: '222', '222_reverse': number, '111_reverse': number };
  for (const [id, value] of Object.entries(mappings)) {
    stored.rows.set(`lid-mapping|${id}`, encodeKey('lid-mapping', value));
  }
  const { lidMapping } = await openMapping();
  expect(await lidMapping.getPNForLID('111@lid')).toBeNull();
  expect(await lidMapping.getLIDForPN(pn)).toBe('222@lid');
});

it('withLidMappings() returns the new values after a mapping changes', async () => {
  const { lidMapping } = await openMapping();
  await lidMapping.storeLIDPNMappings([{ lid: '111@lid', pn }]);
  await lidMapping.storeLIDPNMappings([{ lid: '222@lid', pn }]);
  expect(await lidMapping.getLIDForPN(pn)).toBe('222@lid');
  expect(await lidMapping.getPNForLID('111@lid')).toBeNull();
});

it('withLidMappings() reads mappings from the key store after their eviction from the cache', async () => {
  const { lidMapping } = await openMapping();
  const pairs = Array.from({ length: 11_000 }, (_, n) => ({
    lid: `${n + 1}@lid`,
    pn: `${49_000_000 + n}@s.whatsapp.net`,
  }));
  await lidMapping.storeLIDPNMappings(pairs);
  const cache: unknown = Reflect.get(lidMapping, 'mappingCache');
  const isCached = (key: string) => Reflect.get(Object(cache), 'get').call(cache, key) !== undefined;
  expect(pairs.filter(({ lid }) => isCached(`lid:${lid.replace('@lid', '')}`))).toHaveLength(10_000);
  expect(await lidMapping.getLIDForPN('49000000@s.whatsapp.net')).toBe('1@lid');
  expect(await lidMapping.getPNForLID('2@lid')).toBe('49000001:0@s.whatsapp.net');
});

interface StoredSession {
  created: number;
  closed?: number;
}

/** Stores a record with these sessions, by base key. */
function storeSessions(address: string, sessions: Record<string, StoredSession>): void {
  const entries = Object.entries(sessions).map(([baseKey, { created, closed = -1 }]) => [
    baseKey,
    { indexInfo: { created, closed, used: created }, _chains: {} },
  ]);
  const record = { version: 'v1', _sessions: Object.fromEntries(entries) };
  stored.rows.set(`session|${address}`, encodeKey('session', record));
}

/** Returns the base keys of the stored sessions by address. The value of a base key is true for an open session. */
function storedSessions(): Record<string, Record<string, boolean>> {
  const rows = [...stored.rows].filter(([id]) => id.startsWith('session|'));
  return Object.fromEntries(
    rows.map(([id, value]) => {
      const { _sessions: sessions } = JSON.parse(Buffer.from(value).toString());
      const states = Object.entries<{ indexInfo: { closed: number } }>(sessions);
      const isOpen = states.map(([baseKey, { indexInfo }]) => [baseKey, indexInfo.closed === -1]);
      return [id.replace('session|', ''), Object.fromEntries(isOpen)];
    }),
  );
}

it('withLidMappings() moves the sessions of a number to its LID when the pair is stored', async () => {
  storeSessions(`${number}.0`, { old: { created: 1 } });
  storeSessions(`${number}.7`, { oldOfSeven: { created: 1 } });
  storeSessions(`${number}_128.99`, { oldOfHosted: { created: 1 } });
  stored.rows.set(`device-list|${number}`, encodeKey('device-list', ['0', '7', '99']));
  await store(['111@lid', pn]);
  expect(storedSessions()).toEqual({
    '111_1.0': { old: true },
    '111_1.7': { oldOfSeven: true },
    '111_129.99': { oldOfHosted: true },
  });
});

it('migrateSession() keeps the sessions of the number and of the LID, and leaves only the newest one open', async () => {
  const { lidMapping, migrateSession, auth } = await openMapping();
  await lidMapping.storeLIDPNMappings([{ lid: '111@lid', pn }]);
  storeSessions(`${number}.3`, { older: { created: 1, closed: 2 }, old: { created: 2 } });
  storeSessions('111_1.3', { ours: { created: 3 } });
  const moved = await migrateSession(`${number}:3@s.whatsapp.net`, '111:3@lid');
  expect(moved.migrated).toBe(1);
  await auth.waitForWrites();
  expect(storedSessions()).toEqual({ '111_1.3': { older: false, old: false, ours: true } });
});

it('migrateSession() looks for the sessions of a number in the store only once', async () => {
  const { migrateSession } = await openMapping();
  const reads: string[] = [];
  const { get } = stored;
  stored.get = (instance, type, ids) => {
    reads.push(type);
    return get.call(stored, instance, type, ids);
  };
  for (let count = 0; count < 3; count++) await migrateSession(pn, '111@lid');
  expect(reads).toEqual(['device-list', 'session']);
});

it('migrateSession() moves no session from a LID, and none from one number to another', async () => {
  storeSessions(`${number}.0`, { old: { created: 1 } });
  const { migrateSession, auth } = await openMapping();
  expect(await migrateSession('111@lid', pn)).toMatchObject({ migrated: 0 });
  expect(await migrateSession(pn, otherPn)).toMatchObject({ migrated: 0 });
  await auth.waitForWrites();
  expect(storedSessions()).toEqual({ [`${number}.0`]: { old: true } });
});
