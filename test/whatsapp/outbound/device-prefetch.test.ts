import { EventEmitter } from 'node:events';
import type { WASocket } from '@whiskeysockets/baileys';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { allChildrenOf, childOf, type Stanza } from '../../../src/whatsapp/baileys/stanza.ts';
import { DevicePrefetch } from '../../../src/whatsapp/outbound/device-prefetch.ts';
import { waitFor } from '../../support/wait-for.ts';

const ada = '4915112345678@s.whatsapp.net';
const group = '120363025246125486@g.us';

const list = (users: Stanza[]): Stanza => ({ tag: 'list', attrs: {}, content: users });

/** The answer about one number. */
const user = (jid: string, ...content: Stanza[]): Stanza => ({ tag: 'user', attrs: { jid }, content });
const registered: Stanza = { tag: 'contact', attrs: { type: 'in' } };
const lid: Stanza = { tag: 'lid', attrs: { val: '222@lid' } };
const phoneAndCompanion: Stanza = {
  tag: 'devices',
  attrs: {},
  content: [
    {
      tag: 'device-list',
      attrs: {},
      content: [
        { tag: 'device', attrs: { id: '0' } },
        { tag: 'device', attrs: { id: '3', 'key-index': '2' } },
        { tag: 'device', attrs: { id: '4' } },
      ],
    },
  ],
};

/**
 * Creates a DevicePrefetch. Its socket has the devices of all accounts except `unlisted`. `answer` answers
 * queryNumber().
 */
function createPrefetch(unlisted: readonly string[] = [], answer: Stanza[] | Error = []) {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const lists = new Map<string, unknown>();
  const deviceQueries: string[][] = [];
  const assertedSessions: string[][] = [];
  const storedPairs: object[] = [];
  const writtenKeys: object[] = [];
  const sentStanzas: Stanza[] = [];
  const socket = {
    authState: {
      creds: { me: { id: '15550001001:7@s.whatsapp.net', lid: '111:7@lid' } },
      keys: { set: async (write: object) => void writtenKeys.push(write) },
    },
    signalRepository: {
      lidMapping: { storeLIDPNMappings: async (pairs: object[]) => void storedPairs.push(...pairs) },
    },
    onWhatsApp: async (number: string) => [{ jid: `${number}@s.whatsapp.net`, exists: true }],
    getUSyncDevices: async (jids: string[]) => {
      deviceQueries.push(jids);
      const listed = jids.filter((jid) => !unlisted.includes(jid));
      for (const jid of listed) lists.set(jid.replace(/@.*/, ''), []);
      return listed.map((jid) => ({ jid: jid.replace('@', ':1@') }));
    },
    assertSessions: async (jids: string[]) => {
      assertedSessions.push(jids);
      return true;
    },
  } as unknown as WASocket;
  const groups = { get: async () => ({ participants: [{ id: '1@lid' }, { id: '2@lid' }] }) as never };
  const deviceLists = {
    get: <T>(key: string) => lists.get(key) as T,
    set: (key: string, list: unknown) => void lists.set(key, list),
    del: (key: string) => void lists.delete(key),
  };
  const sessionSetup = {
    ensure: async (jids: readonly string[]) => {
      assertedSessions.push([...jids]);
      return [];
    },
  };
  const queries = {
    send: async (stanza: Stanza) => {
      sentStanzas.push(stanza);
      if (answer instanceof Error) throw answer;
      return { tag: 'iq', attrs: {}, content: [{ tag: 'usync', attrs: {}, content: [list(answer)] }] };
    },
  };
  const devices = new DevicePrefetch({ socket, queries, sessionSetup, deviceLists, groups });
  return { devices, deviceQueries, assertedSessions, lists, storedPairs, writtenKeys, sentStanzas };
}

describe('DevicePrefetch', () => {
  it('DevicePrefetch fetches devices and sessions of a person once, and again when the list expires', async () => {
    const { devices, deviceQueries, assertedSessions, lists } = createPrefetch();
    expect(devices.isPrefetched(ada)).toBe(false);
    await devices.prefetch(ada);
    expect([deviceQueries, assertedSessions]).toEqual([[[ada]], [['4915112345678:1@s.whatsapp.net']]]);
    vi.advanceTimersByTime(3_600_000);
    expect(devices.isPrefetched(ada)).toBe(true);
    await devices.prefetch(ada);
    lists.clear();
    expect(devices.isPrefetched(ada)).toBe(false);
    await devices.prefetch(ada);
    expect(deviceQueries).toEqual([[ada], [ada]]);
  });

  it('DevicePrefetch fetches the devices of all members of a group in one query', async () => {
    const { devices, deviceQueries } = createPrefetch();
    await devices.prefetch(group);
    vi.advanceTimersByTime(60_000);
    await devices.prefetch(group);
    expect(deviceQueries).toEqual([['1@lid', '2@lid']]);
  });

  it.each([
    ['a person', ada, [ada], ada],
    ['a member of a group', group, ['1@lid', '2@lid'], '2@lid'],
  ])('DevicePrefetch fetches devices again only after ten seconds when %s has none', async (_who, chat, query, unlisted) => {
    const { devices, deviceQueries } = createPrefetch([unlisted]);
    // Callers fetch only for a chat that is not prefetched.
    const prefetchIfNeeded = async () => {
      if (!devices.isPrefetched(chat)) await devices.prefetch(chat);
    };
    await prefetchIfNeeded();
    vi.advanceTimersByTime(9_999);
    await prefetchIfNeeded();
    expect(deviceQueries).toEqual([query]);
    vi.advanceTimersByTime(1);
    await prefetchIfNeeded();
    expect(deviceQueries).toEqual([query, query]);
  });

  it('DevicePrefetch fetches the devices of a person again after evict()', async () => {
    const { devices, deviceQueries } = createPrefetch();
    await devices.prefetch(ada);
    devices.evict(ada);
    expect(devices.isPrefetched(ada)).toBe(false);
    await devices.prefetch(ada);
    expect(deviceQueries).toHaveLength(2);
  });

  it('DevicePrefetch copies the devices of a person to the other address and evicts the copy when they change', async () => {
    const { devices, deviceQueries, lists } = createPrefetch();
    lists.set('4915112345678', [{ user: '4915112345678', device: 0, server: 's.whatsapp.net' }]);
    await devices.copy(ada, '222@lid');
    expect(devices.isPrefetched('222@lid')).toBe(false);
    await devices.prefetch(ada);
    lists.set('4915112345678', [
      { user: '4915112345678', device: 0, server: 's.whatsapp.net' },
      { user: '4915112345678', device: 99, server: 'hosted' },
    ]);
    await devices.copy(ada, '222@lid');
    expect(lists.get('222')).toEqual([
      { user: '222', device: 0, server: 'lid' },
      { user: '222', device: 99, server: 'hosted.lid' },
    ]);
    expect([devices.isPrefetched('222@lid'), deviceQueries]).toEqual([true, [[ada]]]);
    const ws = new EventEmitter();
    const lookedUpJids: string[] = [];
    devices.listen({ ws } as unknown as WASocket, async (jid) => {
      lookedUpJids.push(jid);
      return '222@lid';
    });
    ws.emit('CB:notification,type:devices', { tag: 'notification', attrs: { from: ada } });
    await waitFor(() => expect(devices.isPrefetched('222@lid')).toBe(false));
    expect([lookedUpJids, lists.has('222'), lists.has('4915112345678')]).toEqual([[ada], false, true]);
  });

  it('queryNumber() queries registration, LID and devices at once, and the devices need no other query', async () => {
    const { devices, deviceQueries, assertedSessions, lists, storedPairs, writtenKeys, sentStanzas } = createPrefetch(
      [],
      [
        user(ada, registered, lid, phoneAndCompanion),
        user('49@s.whatsapp.net', { tag: 'contact', attrs: { type: 'out' } }),
      ],
    );
    expect(await devices.queryNumber(['4915112345678', '49'])).toMatchObject([
      { jid: ada, exists: true },
      { jid: '49@s.whatsapp.net', exists: false },
    ]);
    const usync = childOf(sentStanzas[0], 'usync');
    expect(allChildrenOf(childOf(usync, 'query')).map(({ tag }) => tag)).toEqual(['contact', 'lid', 'devices']);
    expect(allChildrenOf(childOf(usync, 'list')).map((userNode) => childOf(userNode, 'contact')?.content)).toEqual([
      '+4915112345678',
      '+49',
    ]);
    expect(storedPairs).toEqual([{ lid: '222@lid', pn: ada }]);
    expect(writtenKeys).toEqual([{ 'device-list': { 4915112345678: ['0', '3'] } }]);
    // A companion without a key index is not a recipient.
    expect(lists.get('222')).toMatchObject([
      { user: '222', server: 'lid', device: 0 },
      { user: '222', server: 'lid', device: 3 },
    ]);
    expect(lists.get('4915112345678')).toMatchObject([{ server: 's.whatsapp.net' }, { server: 's.whatsapp.net' }]);
    expect([lists.has('49'), devices.isPrefetched('222@lid'), deviceQueries, assertedSessions]).toEqual([
      false,
      false,
      [],
      [],
    ]);
  });

  it.each([
    ['no devices', [registered, lid]],
    ['no LID', [registered, phoneAndCompanion]],
    [
      'an error for the devices',
      [registered, lid, { tag: 'devices', attrs: {}, content: [{ tag: 'error', attrs: { code: '500' } }] }],
    ],
    ['a number that is not on WhatsApp', [{ tag: 'contact', attrs: { type: 'out' } }, lid, phoneAndCompanion]],
  ])('queryNumber() stores nothing of an answer with %s', async (_, content) => {
    const { devices, lists, storedPairs, writtenKeys } = createPrefetch([], [user(ada, ...content)]);
    expect(await devices.queryNumber(['4915112345678'])).toMatchObject([{ jid: ada }]);
    expect([lists.size, storedPairs, writtenKeys]).toEqual([0, [], []]);
  });

  it.each([
    400, 501,
  ])('queryNumber() queries the number alone when WhatsApp refuses the combined query with error %i', async (data) => {
    const { devices, lists } = createPrefetch([], Object.assign(new Error('bad-request'), { data }));
    expect(await devices.queryNumber(['4915112345678'])).toEqual([{ jid: ada, exists: true }]);
    expect(lists.size).toBe(0);
  });

  it('queryNumber() rejects with the error of its query', async () => {
    const { devices } = createPrefetch([], new Error('refused'));
    await expect(devices.queryNumber(['4915112345678'])).rejects.toThrow('refused');
  });
});
