import { EventEmitter } from 'node:events';
import type { WASocket } from '@whiskeysockets/baileys';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { DevicePrefetch } from '../../../src/whatsapp/outbound/device-prefetch.ts';

const ada = '4915112345678@s.whatsapp.net';
const group = '120363025246125486@g.us';

/** Devices of a socket that knows all accounts but `unlisted`, and what it was asked for. */
function start(unlisted: readonly string[] = []) {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const lists = new Map<string, unknown>();
  const asked: string[][] = [];
  const asserted: string[][] = [];
  const socket = {
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
  return { devices: new DevicePrefetch({ socket, deviceLists: view, groups }), asked, asserted, lists };
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
    await vi.waitFor(() => expect(devices.isPrefetched('222@lid')).toBe(false));
    expect([looked, lists.has('222'), lists.has('4915112345678')]).toEqual([[ada], false, true]);
  });
});
