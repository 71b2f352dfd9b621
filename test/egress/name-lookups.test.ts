import type { LookupFunction } from 'node:net';
import { describe, expect, it } from 'vitest';
import { limitLookups, shareLookups } from '../../src/egress/name-lookups.ts';

/** Creates a lookup that answers when the test calls `answer()`. */
function createNameServer() {
  const pendingLookups: { name: string; answer: () => void }[] = [];
  const lookedUpNames: string[] = [];
  const lookup: LookupFunction = (name, _options, callback) => {
    lookedUpNames.push(name);
    pendingLookups.push({ name, answer: () => callback(null, [{ address: '192.0.2.1', family: 4 }]) });
  };
  return {
    lookup,
    lookedUpNames,
    answer(name: string) {
      const index = pendingLookups.findIndex((pending) => pending.name === name);
      expect(index, `a lookup of ${name}`).toBeGreaterThanOrEqual(0);
      pendingLookups.splice(index, 1)[0]?.answer();
    },
  };
}

/** Resolves with the code of the error, or with the first address. */
const resolve = (lookup: LookupFunction, name: string) =>
  new Promise<string | undefined>((settle) =>
    lookup(name, { all: true }, (err, addresses) =>
      settle(err ? err.code : Array.isArray(addresses) ? addresses[0]?.address : addresses),
    ),
  );

describe('shareLookups', () => {
  it('shareLookups() shares one lookup between requests for one name until the lookup is answered', async () => {
    const server = createNameServer();
    const lookup = shareLookups(server.lookup);
    const results = Array.from({ length: 20 }, () => resolve(lookup, 'one.test'));
    expect(server.lookedUpNames).toEqual(['one.test']);
    server.answer('one.test');
    expect(new Set(await Promise.all(results))).toEqual(new Set(['192.0.2.1']));
    void resolve(lookup, 'one.test');
    expect(server.lookedUpNames).toEqual(['one.test', 'one.test']);
  });
});

describe('limitLookups', () => {
  it('limitLookups() makes two lookups at the same time, and the next ones in their order', async () => {
    const server = createNameServer();
    const lookup = limitLookups(server.lookup);
    const results = ['one.test', 'two.test', 'three.test', 'four.test'].map((name) => resolve(lookup, name));
    expect(server.lookedUpNames).toEqual(['one.test', 'two.test']);
    server.answer('two.test');
    expect(server.lookedUpNames).toEqual(['one.test', 'two.test', 'three.test']);
    for (const name of ['one.test', 'three.test', 'four.test']) server.answer(name);
    expect(await Promise.all(results)).toEqual(Array(4).fill('192.0.2.1'));
  });

  it('limitLookups() makes one lookup at a time for names whose last lookup was slow, and others meanwhile', async () => {
    let now = 0;
    const server = createNameServer();
    const lookup = limitLookups(server.lookup, () => now);
    for (const name of ['slow.test', 'slower.test']) {
      const answered = resolve(lookup, name);
      now += 5_000;
      server.answer(name);
      expect(await answered).toBe('192.0.2.1');
    }
    const [slow, slower] = [resolve(lookup, 'slow.test'), resolve(lookup, 'slower.test')];
    const other = resolve(lookup, 'other.test');
    server.answer('other.test');
    expect(await other).toBe('192.0.2.1');
    server.answer('slow.test');
    expect(await slow).toBe('192.0.2.1');
    server.answer('slower.test');
    expect(await slower).toBe('192.0.2.1');
    // After a fast answer, the name no longer counts as slow.
    const [first, second] = [resolve(lookup, 'slower.test'), resolve(lookup, 'slow.test')];
    server.answer('slower.test');
    server.answer('slow.test');
    expect(await Promise.all([first, second])).toEqual(['192.0.2.1', '192.0.2.1']);
  });

  it('limitLookups() rejects a lookup that has waited for more than ten seconds', async () => {
    let now = 0;
    const server = createNameServer();
    const lookup = limitLookups(server.lookup, () => now);
    for (const name of ['silent.test', 'silent too.test']) void resolve(lookup, name);
    const late = resolve(lookup, 'late.test');
    now += 20_000;
    const recent = resolve(lookup, 'recent.test');
    server.answer('silent.test');
    expect(await late).toBe('EAI_AGAIN');
    server.answer('recent.test');
    expect(await recent).toBe('192.0.2.1');
  });
});
