// The choice between several stores of Evolution API that have the keys of a session.
import { describe, expect, it } from 'vitest';
import { chooseSession, type StoredKeys } from '../src/evolution/stored-session.ts';

const creds = { me: { id: '4915550001001:3@s.whatsapp.net' }, signedIdentityKey: { public: 'a' } };

const createStore = (label: string, counts: Record<string, number>): StoredKeys => ({
  label,
  counts,
  removal: `remove the keys from ${label}`,
  read: async () => ({ keys: [], listDropped: () => [] }),
});
const choose = (...possibleKeys: StoredKeys[]) =>
  chooseSession([{ label: 'the table Session', creds, possibleKeys }], () => 'missing');

describe('stores with the keys of a session', () => {
  it('chooseSession() refuses keys in two stores, because one can have keys of an earlier link', () => {
    const { problem } = choose(
      createStore('Redis', { session: 2 }),
      createStore('/instances/shop', { session: 3, 'pre-key': 1 }),
    );
    expect(problem).toBe(
      'Keys are in Redis (2) and in /instances/shop (4). Only one of these stores is in use, and the other one can have ' +
        'keys of an earlier link. Leave the store that is not in use out of the command.',
    );
  });

  it('chooseSession() refuses keys in two stores even if both stores have the same credentials', () => {
    const [redis, files] = [createStore('Redis', { session: 2 }), createStore('/instances/shop', { session: 3 })];
    const { problem, warnings } = chooseSession(
      [
        { label: 'Redis', creds, possibleKeys: [redis] },
        { label: 'the table Session', creds, possibleKeys: [redis, files] },
      ],
      () => 'missing',
    );
    expect(problem).toContain('Keys are in Redis (2) and in /instances/shop (3).');
    expect(warnings).toEqual([]);
  });

  it('chooseSession() takes keys in one store when two stores have the same credentials', () => {
    const redis = createStore('Redis', { session: 2 });
    const stored = ['Redis', 'the table Session'].map((label) => ({ label, creds, possibleKeys: [redis] }));
    const { problem, keys, warnings } = chooseSession(stored, () => 'missing');
    expect({ problem, keys }).toEqual({ problem: undefined, keys: redis });
    expect(warnings).toHaveLength(1);
  });

  it('chooseSession() takes the keys from the only store with keys', () => {
    const { problem, keys, warnings } = choose(
      createStore('Redis', {}),
      createStore('/instances/shop', { session: 3 }),
    );
    expect({ problem, store: keys?.label, warnings }).toEqual({
      problem: undefined,
      store: '/instances/shop',
      warnings: [],
    });
  });
});
