import type { SignalDataSet, SignalKeyStore } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { withSenderKeyMemory } from '../../../../src/whatsapp/baileys/auth/sender-key-memory.ts';

const group = '120363000000000001@g.us';
const mine = '15550004001';
const type = 'sender-key-memory';
/** The limits of the wrapper: groups whose key must be replaced, and groups with addresses that no member has. */
const MAX_GROUPS = 32;
const MAX_ACCEPTED = 256;

/** A store that counts what gets through to it. */
function stage(stored: Record<string, Record<string, boolean>> = {}) {
  const lists: Record<string, unknown> = { ...stored };
  const membership = {
    members: new Set(['1@lid', '2@lid', '9@lid']) as ReadonlySet<string> | undefined,
    own: [`${mine}:4@s.whatsapp.net`, '9:4@lid'],
  };
  const calls = { gets: 0, sets: [] as SignalDataSet[] };
  const store = {
    async get(asked: string, ids: string[]) {
      calls.gets += 1;
      if (asked === 'sender-key') return Object.fromEntries(ids.map((id) => [id, Buffer.from('key')]));
      return Object.fromEntries(ids.flatMap((id) => (lists[id] ? [[id, structuredClone(lists[id])]] : [])));
    },
    async set(data: SignalDataSet) {
      calls.sets.push(data);
      Object.assign(lists, data[type]);
    },
  };
  const keys = withSenderKeyMemory(store as Pick<SignalKeyStore, 'get' | 'set'>, {
    members: async () => membership.members,
    ownJids: () => membership.own,
  });
  return { calls, keys, membership };
}

it('reads a list from the store once', async () => {
  const { keys, calls } = stage({ [group]: { '1@lid': true } });
  expect(await keys.get(type, [group])).toEqual({ [group]: { '1@lid': true } });
  expect(await keys.get(type, [group])).toEqual({ [group]: { '1@lid': true } });
  expect(calls.gets).toBe(1);
});

it('returns no list for a group without one', async () => {
  const { keys } = stage();
  expect(await keys.get(type, [group])).toEqual({});
});

it('a device that a failed send added is not in the list', async () => {
  const { keys } = stage({ [group]: { '1@lid': true } });
  const { [group]: list = {} } = await keys.get(type, [group]);
  list['2@lid'] = true;
  expect(await keys.get(type, [group])).toEqual({ [group]: { '1@lid': true } });
});

it('writes lists that changed, and all other keys', async () => {
  const { keys, calls } = stage({ [group]: { '1@lid': true } });
  await keys.get(type, [group]);
  await keys.set({ [type]: { [group]: { '1@lid': true } } });
  expect(calls.sets).toEqual([]);
  await keys.set({ [type]: { [group]: { '1@lid': true } }, 'sender-key': { a: Buffer.from('b') } });
  expect(calls.sets).toEqual([{ 'sender-key': { a: Buffer.from('b') } }]);
  await keys.set({ [type]: { [group]: { '1@lid': true, '2@lid': true } } });
  expect(calls.sets.at(-1)).toEqual({ [type]: { [group]: { '1@lid': true, '2@lid': true } } });
  expect(await keys.get(type, [group])).toEqual({ [group]: { '1@lid': true, '2@lid': true } });
});

it('a removed list is absent, and is written again afterwards', async () => {
  const { keys, calls } = stage({ [group]: { '1@lid': true } });
  await keys.get(type, [group]);
  await keys.set({ [type]: { [group]: null } });
  expect(await keys.get(type, [group])).toEqual({});
  await keys.set({ [type]: { [group]: { '1@lid': true } } });
  expect(calls.sets).toHaveLength(2);
});

it('a list that is written during the read of an older one stays', async () => {
  const { keys } = stage({ [group]: { '1@lid': true } });
  const read = keys.get(type, [group]);
  await keys.set({ [type]: { [group]: null } });
  await read;
  expect(await keys.get(type, [group])).toEqual({});
});

it('other keys are read and written unchanged', async () => {
  const { keys, calls } = stage();
  await keys.get('session', ['a']);
  await keys.set({ session: { a: null } });
  expect(calls).toEqual({ gets: 1, sets: [{ session: { a: null } }] });
});

describe('withSenderKeyMemory() after a member left', () => {
  const old = { '1@lid': true, '2:7@lid': true, '9@lid': true };
  const ours = [`${group}::9_1::4`, `${group}::${mine}::4`];
  const others = [`${group}::1_1::0`, `${group}::9_1::0`, `120363000000000002@g.us::9_1::4`];
  const askKeys = async (keys: ReturnType<typeof stage>['keys']) =>
    Object.keys(await keys.get('sender-key', [...ours, ...others]));

  it('reports neither a list nor an own sender key until a new key is written', async () => {
    const { keys, membership } = stage({ [group]: old });
    expect(await keys.get(type, [group])).toEqual({ [group]: old });
    expect(await askKeys(keys)).toEqual([...ours, ...others]);
    membership.members = new Set(['1@lid', '9@lid']);
    expect(await keys.get(type, [group])).toEqual({});
    expect(await askKeys(keys)).toEqual(others);
    const made = { '1@lid': true, '9@lid': true };
    await keys.set({ 'sender-key': { [ours[0] ?? '']: Buffer.from('new') }, [type]: { [group]: made } });
    expect(await askKeys(keys)).toEqual([...ours, ...others]);
    expect(await keys.get(type, [group])).toEqual({ [group]: made });
  });

  it('replaces the key of a group without a list as well', async () => {
    const { keys } = stage({ [group]: old });
    await keys.set({ [type]: { [group]: null } });
    expect(await keys.get(type, [group])).toEqual({});
    expect(await askKeys(keys)).toEqual(others);
  });

  it('still reports no key when the send that creates the new key fails', async () => {
    const { keys, membership } = stage({ [group]: old });
    membership.members = new Set(['1@lid', '9@lid']);
    await keys.get(type, [group]);
    expect(await keys.get(type, [group])).toEqual({});
    expect(await askKeys(keys)).toEqual(others);
  });

  it('keeps the key when a member joins and when the group cannot be read', async () => {
    const { keys, membership } = stage({ [group]: old });
    membership.members = new Set(['1@lid', '2@lid', '3@lid', '9@lid']);
    expect(await keys.get(type, [group])).toEqual({ [group]: old });
    membership.members = undefined;
    expect(await keys.get(type, [group])).toEqual({ [group]: old });
    expect(await askKeys(keys)).toEqual([...ours, ...others]);
  });

  it('replaces the key once for devices with an address that the members do not have, and again after a member left', async () => {
    const { keys, membership } = stage({ [group]: { '49151@s.whatsapp.net': true } });
    const renew = () =>
      keys.set({
        'sender-key': { [ours[0] ?? '']: Buffer.from('new') },
        [type]: { [group]: { '49151@s.whatsapp.net': true, '49152@s.whatsapp.net': true } },
      });
    expect(await keys.get(type, [group])).toEqual({});
    await renew();
    expect(Object.keys(await keys.get(type, [group]))).toEqual([group]);
    membership.members = new Set(['1@lid', '9@lid']);
    expect(await keys.get(type, [group])).toEqual({});
    await renew();
    expect(Object.keys(await keys.get(type, [group]))).toEqual([group]);
  });

  it('replaces the key after a member left also when the group could not be read for the previous key', async () => {
    const { keys, membership } = stage();
    const all = membership.members;
    membership.members = undefined;
    expect(await keys.get(type, [group])).toEqual({});
    await keys.set({ 'sender-key': { [ours[0] ?? '']: Buffer.from('new') }, [type]: { [group]: old } });
    membership.members = all;
    expect(await keys.get(type, [group])).toEqual({ [group]: old });
    membership.members = new Set(['1@lid', '9@lid']);
    expect(await keys.get(type, [group])).toEqual({});
  });

  const groupAt = (index: number) => `1203630000000${String(index).padStart(5, '0')}@g.us`;
  const ownKeyOf = (name: string) => `${name}::9_1::4`;

  it('forgets the groups of old failed sends, and hides the key again at the next send', async () => {
    const { keys } = stage();
    for (let index = 0; index <= MAX_GROUPS; index++) await keys.get(type, [groupAt(index)]);
    const [first, last] = [ownKeyOf(groupAt(0)), ownKeyOf(groupAt(MAX_GROUPS))];
    expect(Object.keys(await keys.get('sender-key', [first, last]))).toEqual([first]);
    await keys.get(type, [groupAt(0)]);
    expect(Object.keys(await keys.get('sender-key', [first, last]))).toEqual([]);
  });

  it('a send that repeats keeps its group among the newest', async () => {
    const { keys } = stage();
    for (let index = 0; index <= MAX_GROUPS; index++) {
      await keys.get(type, [groupAt(0)]);
      await keys.get(type, [groupAt(index)]);
    }
    expect(await keys.get('sender-key', [ownKeyOf(groupAt(0))])).toEqual({});
  });

  it('replaces the key once more for addresses that it no longer remembers', async () => {
    const { keys } = stage();
    const foreign = { '49151@s.whatsapp.net': true };
    const send = async (name: string, list: Record<string, boolean>) => {
      const { [name]: known } = await keys.get(type, [name]);
      if (known) return false;
      await keys.set({ 'sender-key': { [ownKeyOf(name)]: Buffer.from('new') }, [type]: { [name]: list } });
      return true;
    };
    expect(await send(groupAt(0), foreign)).toBe(true);
    // Lists of members need no memory.
    for (let index = 1; index <= MAX_ACCEPTED; index++) await send(groupAt(index), { '1@lid': true });
    expect(await send(groupAt(0), foreign)).toBe(false);
    for (let index = 1; index <= MAX_ACCEPTED; index++) {
      await keys.set({ [type]: { [groupAt(index)]: null } });
      await send(groupAt(index), foreign);
    }
    expect(await send(groupAt(0), foreign)).toBe(true);
    expect(await send(groupAt(0), foreign)).toBe(false);
  });
});

describe('the devices of a group', () => {
  it('are the same object while they do not change', async () => {
    const { keys } = stage({ [group]: { '1@lid': true } });
    const devices = await keys.devicesOf(group);
    expect(devices).toEqual({ '1@lid': true });
    await keys.set({ [type]: { [group]: { '1@lid': true } } });
    expect(await keys.devicesOf(group)).toBe(devices);
    await keys.set({ [type]: { [group]: { '1@lid': true, '2@lid': true } } });
    expect(await keys.devicesOf(group)).toEqual({ '1@lid': true, '2@lid': true });
  });

  it('are unknown without a list, after a member has left, and when the group cannot be fetched', async () => {
    const { keys, membership } = stage({ [group]: { '1@lid': true, '2@lid': true } });
    expect(await keys.devicesOf('120363000000000002@g.us')).toBeUndefined();
    membership.members = undefined;
    expect(await keys.devicesOf(group)).toBeUndefined();
    membership.members = new Set(['1@lid', '9@lid']);
    expect(await keys.devicesOf(group)).toBeUndefined();
  });

  it('are unknown until the group has its new sender key', async () => {
    const { keys, membership } = stage({ [group]: { '1@lid': true, '2@lid': true } });
    const everyone = membership.members;
    membership.members = new Set(['1@lid', '9@lid']);
    expect(await keys.get(type, [group])).toEqual({});
    // The member is back, but the sender key is still hidden, and the next one must reach all devices.
    membership.members = everyone;
    expect(await keys.devicesOf(group)).toBeUndefined();
    expect(await keys.get(type, [group])).toEqual({});
    await keys.set({
      'sender-key': { [`${group}::9_1::4`]: Buffer.from('new') },
      [type]: { [group]: { '1@lid': true } },
    });
    expect(await keys.devicesOf(group)).toEqual({ '1@lid': true });
  });
});
