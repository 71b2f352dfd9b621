// The choice between several stores of Evolution API that have the keys of a session.
import { describe, expect, it } from 'vitest';
import { chooseSession, type StoredKeys } from '../src/evolution/stored-session.ts';

const creds = { me: { id: '4915550001001:3@s.whatsapp.net' }, signedIdentityKey: { public: 'a' } };

const store = (label: string, counts: Record<string, number>): StoredKeys => ({
  label,
  counts,
  removal: `remove the keys from ${label}`,
  read: async () => ({ keys: [], dropped: () => [] }),
});
const choose = (...possibleKeys: StoredKeys[]) =>
  chooseSession([{ label: 'the table Session', creds, possibleKeys }], () => 'missing');

describe('the keys of a session', () => {
  it('in two stores are refused, because one of them can be of an earlier link', () => {
    const { problem } = choose(store('Redis', { session: 2 }), store('/instances/shop', { session: 3, 'pre-key': 1 }));
    expect(problem).toBe(
      'Keys are in Redis (2) and in /instances/shop (4). Only one of these stores is in use, and the other one can have ' +
        'keys of an earlier link. Leave the store that is not in use out of the command.',
    );
  });

  it('in two stores are refused, also when each store has the same credentials', () => {
    const [redis, files] = [store('Redis', { session: 2 }), store('/instances/shop', { session: 3 })];
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

  it('in one store are taken when two stores have the same credentials', () => {
    const redis = store('Redis', { session: 2 });
    const stored = ['Redis', 'the table Session'].map((label) => ({ label, creds, possibleKeys: [redis] }));
    const { problem, keys, warnings } = chooseSession(stored, () => 'missing');
    expect({ problem, keys }).toEqual({ problem: undefined, keys: redis });
    expect(warnings).toHaveLength(1);
  });

  it('are taken from the only store that has any', () => {
    const { problem, keys, warnings } = choose(store('Redis', {}), store('/instances/shop', { session: 3 }));
    expect({ problem, store: keys?.label, warnings }).toEqual({
      problem: undefined,
      store: '/instances/shop',
      warnings: [],
    });
  });
});
