import type { SignalDataSet, SignalKeyStore } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { withSenderKeyMemory } from '../../../../src/whatsapp/baileys/auth/sender-key-memory.ts';

const GROUP = '120363000000000001@g.us';
const OWN_NUMBER = '15550004001';
const LIST_TYPE = 'sender-key-memory';
/** The limits of withSenderKeyMemory(): groups that need a new sender key, and groups with accepted devices. */
const MAX_GROUPS = 32;
const MAX_ACCEPTED = 256;

/** Wraps a store with the device lists `stored`, by group. `calls` counts the calls of the store. */
function setUp(stored: Record<string, Record<string, boolean>> = {}) {
  const lists: Record<string, unknown> = { ...stored };
  const membership = {
    members: new Set(['1@lid', '2@lid', '9@lid']) as ReadonlySet<string> | undefined,
    own: [`${OWN_NUMBER}:4@s.whatsapp.net`, '9:4@lid'],
  };
  const calls = { gets: 0, sets: [] as SignalDataSet[] };
  const store = {
    async get(keyType: string, ids: string[]) {
      calls.gets += 1;
      if (keyType === 'sender-key') return Object.fromEntries(ids.map((id) => [id, Buffer.from('key')]));
      return Object.fromEntries(ids.flatMap((id) => (lists[id] ? [[id, structuredClone(lists[id])]] : [])));
    },
    async set(data: SignalDataSet) {
      calls.sets.push(data);
      Object.assign(lists, data[LIST_TYPE]);
    },
  };
  const keys = withSenderKeyMemory(store as Pick<SignalKeyStore, 'get' | 'set'>, {
    members: async () => membership.members,
    ownJids: () => membership.own,
  });
  return { calls, keys, membership };
}

it('withSenderKeyMemory() reads a device list from the store once', async () => {
  const { keys, calls } = setUp({ [GROUP]: { '1@lid': true } });
  expect(await keys.get(LIST_TYPE, [GROUP])).toEqual({ [GROUP]: { '1@lid': true } });
  expect(await keys.get(LIST_TYPE, [GROUP])).toEqual({ [GROUP]: { '1@lid': true } });
  expect(calls.gets).toBe(1);
});

it('withSenderKeyMemory() returns no device list for a group without one', async () => {
  const { keys } = setUp();
  expect(await keys.get(LIST_TYPE, [GROUP])).toEqual({});
});

it('withSenderKeyMemory() ignores a device that a failed send added to the returned list', async () => {
  const { keys } = setUp({ [GROUP]: { '1@lid': true } });
  const { [GROUP]: list = {} } = await keys.get(LIST_TYPE, [GROUP]);
  list['2@lid'] = true;
  expect(await keys.get(LIST_TYPE, [GROUP])).toEqual({ [GROUP]: { '1@lid': true } });
});

it('withSenderKeyMemory() writes device lists only when they change, and all other keys', async () => {
  const { keys, calls } = setUp({ [GROUP]: { '1@lid': true } });
  await keys.get(LIST_TYPE, [GROUP]);
  await keys.set({ [LIST_TYPE]: { [GROUP]: { '1@lid': true } } });
  expect(calls.sets).toEqual([]);
  await keys.set({ [LIST_TYPE]: { [GROUP]: { '1@lid': true } }, 'sender-key': { a: Buffer.from('b') } });
  expect(calls.sets).toEqual([{ 'sender-key': { a: Buffer.from('b') } }]);
  await keys.set({ [LIST_TYPE]: { [GROUP]: { '1@lid': true, '2@lid': true } } });
  expect(calls.sets.at(-1)).toEqual({ [LIST_TYPE]: { [GROUP]: { '1@lid': true, '2@lid': true } } });
  expect(await keys.get(LIST_TYPE, [GROUP])).toEqual({ [GROUP]: { '1@lid': true, '2@lid': true } });
});

it('withSenderKeyMemory() returns no removed device list, and writes the list when it is set again', async () => {
  const { keys, calls } = setUp({ [GROUP]: { '1@lid': true } });
  await keys.get(LIST_TYPE, [GROUP]);
  await keys.set({ [LIST_TYPE]: { [GROUP]: null } });
  expect(await keys.get(LIST_TYPE, [GROUP])).toEqual({});
  await keys.set({ [LIST_TYPE]: { [GROUP]: { '1@lid': true } } });
  expect(calls.sets).toHaveLength(2);
});

it('withSenderKeyMemory() does not restore a device list that is removed during a read', async () => {
  const { keys } = setUp({ [GROUP]: { '1@lid': true } });
  const read = keys.get(LIST_TYPE, [GROUP]);
  await keys.set({ [LIST_TYPE]: { [GROUP]: null } });
  await read;
  expect(await keys.get(LIST_TYPE, [GROUP])).toEqual({});
});

it('withSenderKeyMemory() reads and writes keys of other types unchanged', async () => {
  const { keys, calls } = setUp();
  await keys.get('session', ['a']);
  await keys.set({ session: { a: null } });
  expect(calls).toEqual({ gets: 1, sets: [{ session: { a: null } }] });
});

describe('sender keys of a group after a member left', () => {
  const oldList = { '1@lid': true, '2:7@lid': true, '9@lid': true };
  const ownKeys = [`${GROUP}::9_1::4`, `${GROUP}::${OWN_NUMBER}::4`];
  const otherKeys = [`${GROUP}::1_1::0`, `${GROUP}::9_1::0`, `120363000000000002@g.us::9_1::4`];
  const readVisibleKeys = async (keys: ReturnType<typeof setUp>['keys']) =>
    Object.keys(await keys.get('sender-key', [...ownKeys, ...otherKeys]));

  it('withSenderKeyMemory() hides the list and own key of a group after a member left, until a new key is written', async () => {
    const { keys, membership } = setUp({ [GROUP]: oldList });
    expect(await keys.get(LIST_TYPE, [GROUP])).toEqual({ [GROUP]: oldList });
    expect(await readVisibleKeys(keys)).toEqual([...ownKeys, ...otherKeys]);
    membership.members = new Set(['1@lid', '9@lid']);
    expect(await keys.get(LIST_TYPE, [GROUP])).toEqual({});
    expect(await readVisibleKeys(keys)).toEqual(otherKeys);
    const newList = { '1@lid': true, '9@lid': true };
    await keys.set({ 'sender-key': { [ownKeys[0] ?? '']: Buffer.from('new') }, [LIST_TYPE]: { [GROUP]: newList } });
    expect(await readVisibleKeys(keys)).toEqual([...ownKeys, ...otherKeys]);
    expect(await keys.get(LIST_TYPE, [GROUP])).toEqual({ [GROUP]: newList });
  });

  it('withSenderKeyMemory() hides the own sender key of a group without a device list', async () => {
    const { keys } = setUp({ [GROUP]: oldList });
    await keys.set({ [LIST_TYPE]: { [GROUP]: null } });
    expect(await keys.get(LIST_TYPE, [GROUP])).toEqual({});
    expect(await readVisibleKeys(keys)).toEqual(otherKeys);
  });

  it('withSenderKeyMemory() keeps the own sender key hidden when the send that creates a new key fails', async () => {
    const { keys, membership } = setUp({ [GROUP]: oldList });
    membership.members = new Set(['1@lid', '9@lid']);
    await keys.get(LIST_TYPE, [GROUP]);
    expect(await keys.get(LIST_TYPE, [GROUP])).toEqual({});
    expect(await readVisibleKeys(keys)).toEqual(otherKeys);
  });

  it('withSenderKeyMemory() keeps the sender key when a member joins and when the group cannot be fetched', async () => {
    const { keys, membership } = setUp({ [GROUP]: oldList });
    membership.members = new Set(['1@lid', '2@lid', '3@lid', '9@lid']);
    expect(await keys.get(LIST_TYPE, [GROUP])).toEqual({ [GROUP]: oldList });
    membership.members = undefined;
    expect(await keys.get(LIST_TYPE, [GROUP])).toEqual({ [GROUP]: oldList });
    expect(await readVisibleKeys(keys)).toEqual([...ownKeys, ...otherKeys]);
  });

  it('withSenderKeyMemory() replaces the key once for devices with unknown addresses, and again after a member left', async () => {
    const { keys, membership } = setUp({ [GROUP]: { '49151@s.whatsapp.net': true } });
    const writeNewKey = () =>
      keys.set({
        'sender-key': { [ownKeys[0] ?? '']: Buffer.from('new') },
        [LIST_TYPE]: { [GROUP]: { '49151@s.whatsapp.net': true, '49152@s.whatsapp.net': true } },
      });
    expect(await keys.get(LIST_TYPE, [GROUP])).toEqual({});
    await writeNewKey();
    expect(Object.keys(await keys.get(LIST_TYPE, [GROUP]))).toEqual([GROUP]);
    membership.members = new Set(['1@lid', '9@lid']);
    expect(await keys.get(LIST_TYPE, [GROUP])).toEqual({});
    await writeNewKey();
    expect(Object.keys(await keys.get(LIST_TYPE, [GROUP]))).toEqual([GROUP]);
  });

  it('withSenderKeyMemory() replaces the key after a member left when the group could not be fetched for the last key', async () => {
    const { keys, membership } = setUp();
    const initialMembers = membership.members;
    membership.members = undefined;
    expect(await keys.get(LIST_TYPE, [GROUP])).toEqual({});
    await keys.set({ 'sender-key': { [ownKeys[0] ?? '']: Buffer.from('new') }, [LIST_TYPE]: { [GROUP]: oldList } });
    membership.members = initialMembers;
    expect(await keys.get(LIST_TYPE, [GROUP])).toEqual({ [GROUP]: oldList });
    membership.members = new Set(['1@lid', '9@lid']);
    expect(await keys.get(LIST_TYPE, [GROUP])).toEqual({});
  });

  const groupAt = (index: number) => `1203630000000${String(index).padStart(5, '0')}@g.us`;
  const ownKeyOf = (name: string) => `${name}::9_1::4`;

  it('withSenderKeyMemory() hides the keys of 32 groups after failed sends, and of an evicted group at its next send', async () => {
    const { keys } = setUp();
    for (let index = 0; index <= MAX_GROUPS; index++) await keys.get(LIST_TYPE, [groupAt(index)]);
    const [first, last] = [ownKeyOf(groupAt(0)), ownKeyOf(groupAt(MAX_GROUPS))];
    expect(Object.keys(await keys.get('sender-key', [first, last]))).toEqual([first]);
    await keys.get(LIST_TYPE, [groupAt(0)]);
    expect(Object.keys(await keys.get('sender-key', [first, last]))).toEqual([]);
  });

  it('withSenderKeyMemory() still hides the key of a group whose failed send repeats among 32 other groups', async () => {
    const { keys } = setUp();
    for (let index = 0; index <= MAX_GROUPS; index++) {
      await keys.get(LIST_TYPE, [groupAt(0)]);
      await keys.get(LIST_TYPE, [groupAt(index)]);
    }
    expect(await keys.get('sender-key', [ownKeyOf(groupAt(0))])).toEqual({});
  });

  it('withSenderKeyMemory() replaces the sender key again when it no longer remembers the accepted devices of a group', async () => {
    const { keys } = setUp();
    const foreign = { '49151@s.whatsapp.net': true };
    const send = async (name: string, list: Record<string, boolean>) => {
      const { [name]: storedList } = await keys.get(LIST_TYPE, [name]);
      if (storedList) return false;
      await keys.set({ 'sender-key': { [ownKeyOf(name)]: Buffer.from('new') }, [LIST_TYPE]: { [name]: list } });
      return true;
    };
    expect(await send(groupAt(0), foreign)).toBe(true);
    // Lists that contain only members take no place among the groups with accepted devices.
    for (let index = 1; index <= MAX_ACCEPTED; index++) await send(groupAt(index), { '1@lid': true });
    expect(await send(groupAt(0), foreign)).toBe(false);
    for (let index = 1; index <= MAX_ACCEPTED; index++) {
      await keys.set({ [LIST_TYPE]: { [groupAt(index)]: null } });
      await send(groupAt(index), foreign);
    }
    expect(await send(groupAt(0), foreign)).toBe(true);
    expect(await send(groupAt(0), foreign)).toBe(false);
  });
});

describe('devicesOf', () => {
  it('SenderKeyMemory.devicesOf() returns the same object while the devices of a group do not change', async () => {
    const { keys } = setUp({ [GROUP]: { '1@lid': true } });
    const devices = await keys.devicesOf(GROUP);
    expect(devices).toEqual({ '1@lid': true });
    await keys.set({ [LIST_TYPE]: { [GROUP]: { '1@lid': true } } });
    expect(await keys.devicesOf(GROUP)).toBe(devices);
    await keys.set({ [LIST_TYPE]: { [GROUP]: { '1@lid': true, '2@lid': true } } });
    expect(await keys.devicesOf(GROUP)).toEqual({ '1@lid': true, '2@lid': true });
  });

  it('SenderKeyMemory.devicesOf() returns undefined without a list, without a group, and after a member left', async () => {
    const { keys, membership } = setUp({ [GROUP]: { '1@lid': true, '2@lid': true } });
    expect(await keys.devicesOf('120363000000000002@g.us')).toBeUndefined();
    membership.members = undefined;
    expect(await keys.devicesOf(GROUP)).toBeUndefined();
    membership.members = new Set(['1@lid', '9@lid']);
    expect(await keys.devicesOf(GROUP)).toBeUndefined();
  });

  it('SenderKeyMemory.devicesOf() returns undefined until the group has its new sender key', async () => {
    const { keys, membership } = setUp({ [GROUP]: { '1@lid': true, '2@lid': true } });
    const allMembers = membership.members;
    membership.members = new Set(['1@lid', '9@lid']);
    expect(await keys.get(LIST_TYPE, [GROUP])).toEqual({});
    // The member has joined again. The old sender key stays hidden, and the next sender key must reach all devices.
    membership.members = allMembers;
    expect(await keys.devicesOf(GROUP)).toBeUndefined();
    expect(await keys.get(LIST_TYPE, [GROUP])).toEqual({});
    await keys.set({
      'sender-key': { [`${GROUP}::9_1::4`]: Buffer.from('new') },
      [LIST_TYPE]: { [GROUP]: { '1@lid': true } },
    });
    expect(await keys.devicesOf(GROUP)).toEqual({ '1@lid': true });
  });
});
