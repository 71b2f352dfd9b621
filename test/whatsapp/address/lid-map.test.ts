import { randomInt } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { BinaryNode, SignalDataTypeMap, WASocket } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { LidCache, lookupLidPairs } from '../../../src/whatsapp/address/lid-map.ts';

const learnt: Record<string, string> = { '4915112345678': '222', '222_reverse': '4915112345678' };
const keys = {
  asked: [] as string[],
  async get<T extends keyof SignalDataTypeMap>(_type: T, ids: string[]) {
    this.asked.push(...ids);
    return Object.fromEntries(ids.filter((id) => learnt[id]).map((id) => [id, learnt[id]])) as Record<
      string,
      SignalDataTypeMap[T]
    >;
  },
};

/** The entries with these ids. */
const pick = (entries: Record<string, string>, ids: readonly string[]): Record<string, string> =>
  Object.fromEntries(Object.entries(entries).filter(([id]) => ids.includes(id)));

describe('lookupLidPairs', () => {
  it('lookupLidPairs returns the LID of a number and the number of a LID', async () => {
    const pn = '4915112345678@s.whatsapp.net';
    for (const jid of [pn, '4915112345678:3@s.whatsapp.net', '222@lid', '222:3@lid']) {
      const lidPairs = await lookupLidPairs(keys, [jid]);
      expect([lidPairs.get(pn), lidPairs.get('222@lid')]).toEqual(['222@lid', pn]);
    }
  });

  it('lookupLidPairs returns nothing for unknown people, groups and empty input', async () => {
    keys.asked.length = 0;
    expect(await lookupLidPairs(keys, ['333@lid'])).toEqual(new Map());
    expect(await lookupLidPairs(keys, ['1@g.us', 'status@broadcast'])).toEqual(new Map());
    expect(await lookupLidPairs(keys, [])).toEqual(new Map());
    expect(keys.asked).toEqual(['333_reverse']);
  });

  it('lookupLidPairs leaves out the number of a LID when the number belongs to another LID by now', async () => {
    const pn = '4915112345678@s.whatsapp.net';
    const entries = { '4915112345678': '222', '222_reverse': '4915112345678', '111_reverse': '4915112345678' };
    const reader = { get: (_type: 'lid-mapping', ids: string[]) => pick(entries, ids) };
    for (const jids of [['111@lid'], ['111@lid', '222@lid', pn], [pn, '111@lid']]) {
      const lidPairs = await lookupLidPairs(reader, jids);
      expect([lidPairs.get('111@lid'), lidPairs.get(pn)]).toEqual([undefined, '222@lid']);
    }
  });

  it('lookupLidPairs returns the current number of a LID beside an outdated entry of its earlier number', async () => {
    const entries = { '4911': '111', '4922': '111', '111_reverse': '4922' };
    const reader = { get: (_type: 'lid-mapping', ids: string[]) => pick(entries, ids) };
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

  it('it returns the same pairs, in the same order, as from the store', async () => {
    for (let turn = 0; turn < 3_000; turn += 1) {
      const [entries, jids] = [createEntries(), createJids()];
      const get = async (_type: 'lid-mapping', ids: string[]) => pick(entries, ids);
      const stored = await lookupLidPairs({ get }, jids);
      const unread = () => expect.unreachable('read from the store');
      const peek = (_type: 'lid-mapping', id: string) => entries[id] ?? null;
      expect([...(await lookupLidPairs({ get: unread, peek }, jids))]).toEqual([...stored]);
      const some = (type: 'lid-mapping', id: string) => (randomInt(3) === 0 ? undefined : peek(type, id));
      expect([...(await lookupLidPairs({ get, peek: some }, jids))]).toEqual([...stored]);
    }
  });

  it('it rejects when the keys are sealed', async () => {
    const peek = () => {
      throw new Error('sealed');
    };
    const found = lookupLidPairs({ get: async () => ({}), peek }, ['222@lid']);
    await expect(found).rejects.toThrow('sealed');
    expect(await lookupLidPairs({ get: async () => ({}), peek }, ['1@g.us'])).toEqual(new Map());
  });
});

describe('LidCache', () => {
  const [pn, lid] = ['4915112345678@s.whatsapp.net', '222@lid'];

  it('withCachedPairs returns its argument when the cache adds nothing, and never changes it', () => {
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

  const node = (attrs: Record<string, string>, content: BinaryNode[] = []) => ({ tag: 'x', attrs, content });

  /** What is reported, with what was stored of it. */
  function receiveNodes(...nodes: BinaryNode[]) {
    const ws = new EventEmitter();
    const stored: { lid: string; pn: string }[] = [];
    const lidMapping = { storeLIDPNMappings: async (pairs: typeof stored) => void stored.push(...pairs) };
    const cache = new LidCache();
    cache.listen({ ws, signalRepository: { lidMapping } } as unknown as WASocket, () => undefined);
    for (const each of nodes) ws.emit('CB:notification,type:w:gp2', each);
    return { cache, stored };
  }

  it.each([
    ['by LID', node({ participant: lid, participant_pn: pn })],
    ['by number', node({ participant: pn, participant_lid: lid })],
    ['whom it is about', node({}, [node({}, [node({ jid: '222:1@lid', phone_number: pn })])])],
    ['whom it is about, by number', node({}, [node({ jid: pn, lid })])],
  ])('LidCache caches and stores the pairs of a notification: %s', (_, notification) => {
    const { cache, stored } = receiveNodes(notification);
    expect(stored).toEqual([{ lid, pn }]);
    for (const jid of [pn, lid]) expect(cache.withCachedPairs(new Map(), [jid]).get(jid)).toBe(jid === pn ? lid : pn);
  });

  it('LidCache adds to stored pairs and never replaces them', () => {
    const { cache } = receiveNodes(node({ participant: lid, participant_pn: pn }));
    expect(cache.withCachedPairs(new Map([[lid, 'other']]), [lid, '9@lid'])).toEqual(new Map([[lid, 'other']]));
  });

  it('LidCache removes the earlier pairs of a number and of a LID', () => {
    const { cache } = receiveNodes();
    cache.add([
      [lid, pn],
      ['333@lid', '4933@s.whatsapp.net'],
      ['333@lid', pn],
    ]);
    const known = [lid, pn, '333@lid', '4933@s.whatsapp.net'].map((jid) =>
      cache.withCachedPairs(new Map(), [jid]).get(jid),
    );
    expect(known).toEqual([undefined, '333@lid', pn, undefined]);
  });

  it('LidCache does not add the number of a LID to the stored pair of its new owner', () => {
    const { cache } = receiveNodes(node({ participant: lid, participant_pn: pn }));
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
    const known = (jid: string) => cache.withCachedPairs(new Map(), [jid]).get(jid);
    expect([known('0@lid'), known('40@s.whatsapp.net')]).toEqual(['40@s.whatsapp.net', '0@lid']);
    expect([known('1@lid'), known('41@s.whatsapp.net')]).toEqual([undefined, undefined]);
  });

  it('LidCache ignores nodes with one address form or with the same address twice', () => {
    expect(receiveNodes(node({ participant: lid }), node({ jid: lid, phone_number: '3@lid' })).stored).toEqual([]);
  });
});
