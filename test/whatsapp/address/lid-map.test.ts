import { randomInt } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { BinaryNode, SignalDataTypeMap, WASocket } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { LidCache, lookupLidPairs } from '../../../src/whatsapp/address/lid-map.ts';

const STORED_PAIRS: Record<string, string> = { '4915112345678': '222', '222_reverse': '4915112345678' };
const keys = {
  requestedIds: [] as string[],
  async get<T extends keyof SignalDataTypeMap>(_type: T, ids: string[]) {
    this.requestedIds.push(...ids);
    return Object.fromEntries(ids.filter((id) => STORED_PAIRS[id]).map((id) => [id, STORED_PAIRS[id]])) as Record<
      string,
      SignalDataTypeMap[T]
    >;
  },
};

/** Returns the entries with these ids. */
const pickEntries = (entries: Record<string, string>, ids: readonly string[]): Record<string, string> =>
  Object.fromEntries(Object.entries(entries).filter(([id]) => ids.includes(id)));

describe('lookupLidPairs', () => {
  it('lookupLidPairs() returns the LID of a number and the number of a LID', async () => {
    const pn = '4915112345678@s.whatsapp.net';
    for (const jid of [pn, '4915112345678:3@s.whatsapp.net', '222@lid', '222:3@lid']) {
      const lidPairs = await lookupLidPairs(keys, [jid]);
      expect([lidPairs.get(pn), lidPairs.get('222@lid')]).toEqual(['222@lid', pn]);
    }
  });

  it('lookupLidPairs() returns no pairs for unknown people, groups and empty input', async () => {
    keys.requestedIds.length = 0;
    expect(await lookupLidPairs(keys, ['333@lid'])).toEqual(new Map());
    expect(await lookupLidPairs(keys, ['1@g.us', 'status@broadcast'])).toEqual(new Map());
    expect(await lookupLidPairs(keys, [])).toEqual(new Map());
    expect(keys.requestedIds).toEqual(['333_reverse']);
  });

  it('lookupLidPairs() leaves out the number of a LID when the number now belongs to another LID', async () => {
    const pn = '4915112345678@s.whatsapp.net';
    const entries = { '4915112345678': '222', '222_reverse': '4915112345678', '111_reverse': '4915112345678' };
    const reader = { get: (_type: 'lid-mapping', ids: string[]) => pickEntries(entries, ids) };
    for (const jids of [['111@lid'], ['111@lid', '222@lid', pn], [pn, '111@lid']]) {
      const lidPairs = await lookupLidPairs(reader, jids);
      expect([lidPairs.get('111@lid'), lidPairs.get(pn)]).toEqual([undefined, '222@lid']);
    }
  });

  it('lookupLidPairs() returns the current number of a LID beside an outdated entry of its earlier number', async () => {
    const entries = { '4911': '111', '4922': '111', '111_reverse': '4922' };
    const reader = { get: (_type: 'lid-mapping', ids: string[]) => pickEntries(entries, ids) };
    const jids = ['4911@s.whatsapp.net', '111@lid', '4922@s.whatsapp.net'];
    for (const order of [jids, jids.toReversed()])
      expect((await lookupLidPairs(reader, order)).get('111@lid')).toBe('4922@s.whatsapp.net');
  });
});

describe('lookupLidPairs with entries in memory', () => {
  const users = ['11', '22', '33', '44'];
  const pickUser = () => users[randomInt(users.length)] ?? '';
  const createEntries = (): Record<string, string> =>
    Object.fromEntries(
      Array.from({ length: randomInt(8) }, () => {
        const [number, lid] = [`49${pickUser()}`, pickUser()];
        return randomInt(2) === 0 ? [number, lid] : [`${lid}_reverse`, number];
      }),
    );
  const createJids = () =>
    Array.from({ length: randomInt(5) }, () =>
      randomInt(2) === 0 ? `${pickUser()}@lid` : `49${pickUser()}@s.whatsapp.net`,
    );

  it('lookupLidPairs() returns the same pairs in the same order from memory as from the store', async () => {
    for (let turn = 0; turn < 3_000; turn += 1) {
      const [entries, jids] = [createEntries(), createJids()];
      const get = async (_type: 'lid-mapping', ids: string[]) => pickEntries(entries, ids);
      const stored = await lookupLidPairs({ get }, jids);
      const failRead = () => expect.unreachable('read from the store');
      const peek = (_type: 'lid-mapping', id: string) => entries[id] ?? null;
      expect([...(await lookupLidPairs({ get: failRead, peek }, jids))]).toEqual([...stored]);
      const peekSometimes = (type: 'lid-mapping', id: string) => (randomInt(3) === 0 ? undefined : peek(type, id));
      expect([...(await lookupLidPairs({ get, peek: peekSometimes }, jids))]).toEqual([...stored]);
    }
  });

  it('lookupLidPairs() rejects when the keys are sealed', async () => {
    const peek = () => {
      throw new Error('sealed');
    };
    const lookup = lookupLidPairs({ get: async () => ({}), peek }, ['222@lid']);
    await expect(lookup).rejects.toThrow('sealed');
    expect(await lookupLidPairs({ get: async () => ({}), peek }, ['1@g.us'])).toEqual(new Map());
  });
});

describe('LidCache', () => {
  const [pn, lid] = ['4915112345678@s.whatsapp.net', '222@lid'];

  it('LidCache.withCachedPairs() returns its argument when the cache adds nothing, and never changes it', () => {
    const cache = new LidCache();
    cache.add([[lid, pn]]);
    const complete = new Map([
      [lid, pn],
      [pn, lid],
    ]);
    expect(cache.withCachedPairs(complete, [lid, pn, '9@lid'])).toBe(complete);
    const empty = new Map<string, string>();
    expect(cache.withCachedPairs(empty, ['9@lid'])).toBe(empty);
    expect(cache.withCachedPairs(empty, [lid])).toEqual(complete);
    expect(empty.size).toBe(0);
  });

  const createNode = (attrs: Record<string, string>, content: BinaryNode[] = []) => ({ tag: 'x', attrs, content });

  /** Passes group notifications to a LidCache. `stored` contains the pairs that the cache stores. */
  function receiveNodes(...nodes: BinaryNode[]) {
    const ws = new EventEmitter();
    const stored: { lid: string; pn: string }[] = [];
    const lidMapping = { storeLIDPNMappings: async (pairs: typeof stored) => void stored.push(...pairs) };
    const cache = new LidCache();
    cache.listen({ ws, signalRepository: { lidMapping } } as unknown as WASocket, () => undefined);
    for (const notification of nodes) ws.emit('CB:notification,type:w:gp2', notification);
    return { cache, stored };
  }

  it.each([
    ['the author by LID', createNode({ participant: lid, participant_pn: pn })],
    ['the author by number', createNode({ participant: pn, participant_lid: lid })],
    ['a member by LID', createNode({}, [createNode({}, [createNode({ jid: '222:1@lid', phone_number: pn })])])],
    ['a member by number', createNode({}, [createNode({ jid: pn, lid })])],
  ])('LidCache caches and stores the pairs of a notification: %s', (_, notification) => {
    const { cache, stored } = receiveNodes(notification);
    expect(stored).toEqual([{ lid, pn }]);
    for (const jid of [pn, lid]) expect(cache.withCachedPairs(new Map(), [jid]).get(jid)).toBe(jid === pn ? lid : pn);
  });

  it('LidCache adds to stored pairs and never replaces them', () => {
    const { cache } = receiveNodes(createNode({ participant: lid, participant_pn: pn }));
    expect(cache.withCachedPairs(new Map([[lid, 'other']]), [lid, '9@lid'])).toEqual(new Map([[lid, 'other']]));
  });

  it('LidCache removes the earlier pairs of a number and of a LID', () => {
    const { cache } = receiveNodes();
    cache.add([
      [lid, pn],
      ['333@lid', '4933@s.whatsapp.net'],
      ['333@lid', pn],
    ]);
    const alternates = [lid, pn, '333@lid', '4933@s.whatsapp.net'].map((jid) =>
      cache.withCachedPairs(new Map(), [jid]).get(jid),
    );
    expect(alternates).toEqual([undefined, '333@lid', pn, undefined]);
  });

  it('LidCache does not add the number of a LID to the stored pair of its new owner', () => {
    const { cache } = receiveNodes(createNode({ participant: lid, participant_pn: pn }));
    const stored = new Map([
      [pn, '333@lid'],
      ['333@lid', pn],
    ]);
    expect(cache.withCachedPairs(stored, [lid])).toEqual(stored);
  });

  it('LidCache caches the members of a fetched group', () => {
    const { cache, stored } = receiveNodes();
    cache.add([
      [lid, pn],
      [pn, lid],
      ['9@lid', undefined],
    ]);
    expect(stored).toEqual(Array(2).fill({ lid, pn }));
    expect(cache.withCachedPairs(new Map(), ['222:7@lid']).get(lid)).toBe(pn);
  });

  it('LidCache keeps a renewed pair in both directions when older pairs are evicted', () => {
    const { cache } = receiveNodes();
    const pairs = Array.from({ length: 10_000 }, (_, index) => [`${index}@lid`, `4${index}@s.whatsapp.net`] as const);
    cache.add(pairs);
    cache.add([['0@lid', '40@s.whatsapp.net']]);
    cache.add([['new@lid', '5@s.whatsapp.net']]);
    const alternateOf = (jid: string) => cache.withCachedPairs(new Map(), [jid]).get(jid);
    expect([alternateOf('0@lid'), alternateOf('40@s.whatsapp.net')]).toEqual(['40@s.whatsapp.net', '0@lid']);
    expect([alternateOf('1@lid'), alternateOf('41@s.whatsapp.net')]).toEqual([undefined, undefined]);
  });

  it('LidCache ignores nodes with one address form or with the same address twice', () => {
    expect(
      receiveNodes(createNode({ participant: lid }), createNode({ jid: lid, phone_number: '3@lid' })).stored,
    ).toEqual([]);
  });
});
