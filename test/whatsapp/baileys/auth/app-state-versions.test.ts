import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LTHashState, SignalDataSet, SignalDataTypeMap } from '@whiskeysockets/baileys';
import { expect, it } from 'vitest';
import { withLateVersions } from '../../../../src/whatsapp/baileys/auth/app-state-versions.ts';

const TYPE = 'app-state-sync-version';
const version = (number: number): LTHashState => ({ version: number, hash: Buffer.alloc(128), indexValueMap: {} });

/** Wraps a key store. `stored` contains the keys that survive a crash. `storeEvents()` resolves waitForEvents(). */
function setUp() {
  const stored = new Map<string, unknown>();
  const waits: (() => void)[] = [];
  const keys = withLateVersions(
    {
      async get<T extends keyof SignalDataTypeMap>(type: T, ids: string[]) {
        const found: { [id: string]: SignalDataTypeMap[T] } = {};
        for (const id of ids) {
          const value = stored.get(`${type}|${id}`);
          if (value) found[id] = value as SignalDataTypeMap[T];
        }
        return found;
      },
      set(data: SignalDataSet) {
        for (const [type, values] of Object.entries(data))
          for (const [id, value] of Object.entries(values ?? {})) stored.set(`${type}|${id}`, value);
      },
    },
    () => new Promise((resolve) => waits.push(resolve)),
  );
  const storeEvents = async () => {
    for (const resolve of waits.splice(0)) resolve();
    await nextTurn();
  };
  return { stored, keys, storeEvents };
}

it('withLateVersions() reads a new version at once, and stores it after the changes up to it are stored', async () => {
  const { stored, keys, storeEvents } = setUp();
  await keys.set({ [TYPE]: { regular: version(3) }, 'device-list': { 1: ['2'] } });
  await nextTurn();
  expect([...stored.keys()]).toEqual(['device-list|1']);
  expect(await keys.get(TYPE, ['regular', 'regular_low'])).toEqual({ regular: version(3) });
  await storeEvents();
  expect(stored.get(`${TYPE}|regular`)).toEqual(version(3));
  expect(await keys.get(TYPE, ['regular'])).toEqual({ regular: version(3) });
});

it('withLateVersions() stores only the newer of two versions that wait for their events', async () => {
  const { stored, keys, storeEvents } = setUp();
  await keys.set({ [TYPE]: { regular: version(3) } });
  await nextTurn();
  await keys.set({ [TYPE]: { regular: version(4) } });
  await storeEvents();
  expect([...stored.keys()]).toEqual([]);
  expect(await keys.get(TYPE, ['regular'])).toEqual({ regular: version(4) });
  await storeEvents();
  expect(stored.get(`${TYPE}|regular`)).toEqual(version(4));
});

it('withLateVersions() hides a removed version at once, and removes it after the events are stored', async () => {
  const { stored, keys, storeEvents } = setUp();
  stored.set(`${TYPE}|regular`, version(3));
  await keys.set({ [TYPE]: { regular: null } });
  await nextTurn();
  expect(await keys.get(TYPE, ['regular'])).toEqual({});
  expect(stored.get(`${TYPE}|regular`)).toEqual(version(3));
  await storeEvents();
  expect(stored.get(`${TYPE}|regular`)).toBeNull();
});
