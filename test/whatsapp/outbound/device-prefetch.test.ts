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

/** Devices of a socket that knows all accounts but `unlisted`, and what it was asked for. */
function start(unlisted: readonly string[] = [], answer: Stanza[] | Error = []) {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const lists = new Map<string, unknown>();
  const asked: string[][] = [];
  const asserted: string[][] = [];
  const mapped: object[] = [];
  const written: object[] = [];
  const sent: Stanza[] = [];
  const socket = {
    authState: {
      creds: { me: { id: '15550001001:7@s.whatsapp.net', lid: '111:7@lid' } },
      keys: { set: async (write: object) => void written.push(write) },
    },
    signalRepository: { lidMapping: { storeLIDPNMappings: async (pairs: object[]) => void mapped.push(...pairs) } },
    onWhatsApp: async (number: string) => [{ jid: `${number}@s.whatsapp.net`, exists: true }],
    getUSyncDevices: async (jids: string[]) => {
      asked.push(jids);
      const listed = jids.filter((jid) => !unlisted.includes(jid));
      for (const jid of listed) lists.set(jid.replace(/@.*/, ''), []);
      return listed.map((jid) => ({ jid: jid.replace('@', ':1@') }));
    },
    assertSessions: async (jids: string[]) => {
      asserted.push(jids);
      return true;
    },
  } as unknown as WASocket;
  const groups = { get: async () => ({ participants: [{ id: '1@lid' }, { id: '2@lid' }] }) as never };
  const view = {
    get: <T>(key: string) => lists.get(key) as T,
    set: (key: string, list: unknown) => void lists.set(key, list),
    del: (key: string) => void lists.delete(key),
  };
  const sessionSetup = {
    ensure: async (jids: readonly string[]) => {
      asserted.push([...jids]);
      return [];
    },
  };
  const queries = {
    send: async (stanza: Stanza) => {
      sent.push(stanza);
      if (answer instanceof Error) throw answer;
      return { tag: 'iq', attrs: {}, content: [{ tag: 'usync', attrs: {}, content: [list(answer)] }] };
    },
  };
  const devices = new DevicePrefetch({ socket, queries, sessionSetup, deviceLists: view, groups });
  return { devices, asked, asserted, lists, mapped, written, sent };
}

describe('Devices', () => {
  it('DevicePrefetch fetches devices and sessions of a person once, and again when the list expires', async () => {
    const { devices, asked, asserted, lists } = start();
    expect(devices.isPrefetched(ada)).toBe(false);
    await devices.prefetch(ada);
    expect([asked, asserted]).toEqual([[[ada]], [['4915112345678:1@s.whatsapp.net']]]);
    vi.advanceTimersByTime(3_600_000);
    expect(devices.isPrefetched(ada)).toBe(true);
    await devices.prefetch(ada);
    lists.clear();
    expect(devices.isPrefetched(ada)).toBe(false);
    await devices.prefetch(ada);
    expect(asked).toEqual([[ada], [ada]]);
  });

  it('DevicePrefetch fetches the members of a group together', async () => {
    const { devices, asked } = start();
    await devices.prefetch(group);
    vi.advanceTimersByTime(60_000);
    await devices.prefetch(group);
    expect(asked).toEqual([['1@lid', '2@lid']]);
  });

  it('DevicePrefetch does not fetch with every message when a person has no devices', async () => {
    const { devices } = start(['2@lid']);
    await devices.prefetch(group);
    expect(devices.isPrefetched(group)).toBe(true);
    vi.advanceTimersByTime(10_000);
    expect(devices.isPrefetched(group)).toBe(false);
  });

  it('DevicePrefetch fetches again after evict()', async () => {
    const { devices, asked } = start();
    await devices.prefetch(ada);
    devices.evict(ada);
    expect(devices.isPrefetched(ada)).toBe(false);
    await devices.prefetch(ada);
    expect(asked).toHaveLength(2);
  });

  it('DevicePrefetch copies the devices of a person to the other address, and evicts that copy when they change', async () => {
    const { devices, asked, lists } = start();
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
    expect([devices.isPrefetched('222@lid'), asked]).toEqual([true, [[ada]]]);
    const ws = new EventEmitter();
    const looked: string[] = [];
    devices.listen({ ws } as unknown as WASocket, async (jid) => {
      looked.push(jid);
      return '222@lid';
    });
    ws.emit('CB:notification,type:devices', { tag: 'notification', attrs: { from: ada } });
    await waitFor(() => expect(devices.isPrefetched('222@lid')).toBe(false));
    expect([looked, lists.has('222'), lists.has('4915112345678')]).toEqual([[ada], false, true]);
  });

  it('queryNumber asks for registration, LID and devices at once, and the devices need no other query', async () => {
    const { devices, asked, asserted, lists, mapped, written, sent } = start(
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
    const usync = childOf(sent[0], 'usync');
    expect(allChildrenOf(childOf(usync, 'query')).map(({ tag }) => tag)).toEqual(['contact', 'lid', 'devices']);
    expect(allChildrenOf(childOf(usync, 'list')).map((each) => childOf(each, 'contact')?.content)).toEqual([
      '+4915112345678',
      '+49',
    ]);
    expect(mapped).toEqual([{ lid: '222@lid', pn: ada }]);
    expect(written).toEqual([{ 'device-list': { 4915112345678: ['0', '3'] } }]);
    // A companion without a key index is no recipient.
    expect(lists.get('222')).toMatchObject([
      { user: '222', server: 'lid', device: 0 },
      { user: '222', server: 'lid', device: 3 },
    ]);
    expect(lists.get('4915112345678')).toMatchObject([{ server: 's.whatsapp.net' }, { server: 's.whatsapp.net' }]);
    expect([lists.has('49'), devices.isPrefetched('222@lid'), asked, asserted]).toEqual([false, false, [], []]);
  });

  it.each([
    ['no devices', [registered, lid]],
    ['no LID', [registered, phoneAndCompanion]],
    [
      'an error for the devices',
      [registered, lid, { tag: 'devices', attrs: {}, content: [{ tag: 'error', attrs: { code: '500' } }] }],
    ],
    ['no devices for a number without account', [{ tag: 'contact', attrs: { type: 'out' } }, lid, phoneAndCompanion]],
  ])('queryNumber keeps nothing of an answer with %s', async (_, content) => {
    const { devices, lists, mapped, written } = start([], [user(ada, ...content)]);
    expect(await devices.queryNumber(['4915112345678'])).toMatchObject([{ jid: ada }]);
    expect([lists.size, mapped, written]).toEqual([0, [], []]);
  });

  it.each([400, 501])('queryNumber asks for the number alone when the combination is refused with %i', async (data) => {
    const { devices, lists } = start([], Object.assign(new Error('bad-request'), { data }));
    expect(await devices.queryNumber(['4915112345678'])).toEqual([{ jid: ada, exists: true }]);
    expect(lists.size).toBe(0);
  });

  it('queryNumber rejects as its query does', async () => {
    const { devices } = start([], new Error('refused'));
    await expect(devices.queryNumber(['4915112345678'])).rejects.toThrow('refused');
  });
});
