// Instance rows, their webhooks, and the removal of everything that belongs to one.
import { expect, it } from 'vitest';
import { beforeAndAfterRestart, type OpenBench } from '../conformance.ts';
import { bytes, change, event, instance, message, recording, text, webhook } from '../samples.ts';

const ownedTables = [
  'instance',
  'auth_key',
  'message',
  'message_status',
  'contact',
  'recipient',
  'webhook',
  'event',
  'delivery',
];

export function instanceTests(open: OpenBench): void {
  it('lists the rows as they were created, oldest first', async () => {
    const { storage } = await open();
    const young = instance('b', { createdAt: 2000, number: '5511999990000', profileName: 'Zoë 🙂 \u0000' });
    const old = instance('c', { createdAt: 500, settings: { ...instance('c').settings, msgCall: 'no \u0000 calls' } });
    await storage.instances.create(young);
    await storage.instances.create(old);
    expect(await storage.instances.list()).toEqual([old, young]);
    expect(await storage.instances.get('nobody')).toBeNull();
  });

  it('lists names and accounts in the same order, of all instances or of some', async () => {
    const { storage } = await open();
    const young = { id: 'b', name: 'name-b', number: '5511999990000', ownerJid: null, profileName: 'Zoë 🙂 \u0000' };
    const old = { id: 'c', name: 'name-c', number: null, ownerJid: '5511@s.whatsapp.net', profileName: null };
    await storage.instances.create(instance('b', { ...young, createdAt: 2000 }));
    await storage.instances.create(instance('c', { ...old, createdAt: 500 }));
    expect(await storage.instances.identities()).toEqual([old, young]);
    expect(await storage.instances.identities(['b', 'absent'])).toEqual([young]);
    expect(await storage.instances.identities([])).toEqual([]);
  });

  it('refuses a name that is taken', async () => {
    const { storage } = await open();
    await storage.instances.create(instance('a', { name: 'same' }));
    await expect(storage.instances.create(instance('b', { name: 'same' }))).rejects.toMatchObject({
      code: 'INSTANCE_NAME_IN_USE',
      status: 403,
    });
    expect(await storage.instances.list()).toHaveLength(1);
  });

  it('stores an instance together with the credentials and keys of its account', async () => {
    const bench = await open();
    const keys = Array.from({ length: 600 }, (_, n) => ({ type: 'session', id: `${n}`, value: bytes(`value ${n}`) }));
    await bench.storage.instances.create(instance('a'), { creds: bytes('creds'), keys });
    for await (const { instances, authKeys } of beforeAndAfterRestart(bench)) {
      expect(await instances.get('a')).toEqual(instance('a'));
      expect(text(await authKeys.creds('a'))).toBe('creds');
      const stored = await authKeys.all('a', 'session');
      expect(stored.size).toBe(600);
      expect(text(stored.get('599'))).toBe('value 599');
    }
  });

  it('stores an instance together with its webhook', async () => {
    const bench = await open();
    const hook = webhook('w', { instanceId: 'a' });
    await bench.storage.instances.create(instance('a'), undefined, hook);
    await bench.storage.instances.create(
      instance('b'),
      { creds: bytes('creds'), keys: [] },
      webhook('x', { instanceId: 'b', createdAt: 2000 }),
    );
    for await (const { instances, webhooks } of beforeAndAfterRestart(bench)) {
      expect(await instances.get('a')).toEqual(instance('a'));
      expect((await webhooks.list()).map(({ id, instanceId }) => [id, instanceId])).toEqual([
        ['w', 'a'],
        ['x', 'b'],
      ]);
      expect(await webhooks.list(['a'])).toEqual([hook]);
    }
  });

  it('stores nothing of an instance whose last key cannot be stored, and no webhook', async () => {
    const { storage, execute, poison } = await open();
    await poison('auth_key', 'id', 'wrong');
    const keys = ['0', '1', '2', 'wrong'].map((id) => ({ type: 'session', id, value: bytes('value') }));
    const many = Array.from({ length: 600 }, (_, n) => ({ type: 'pre-key', id: `${n}`, value: bytes('value') }));
    const creation = storage.instances.create(
      instance('a'),
      { creds: bytes('creds'), keys: [...many, ...keys] },
      webhook('w', { instanceId: 'a' }),
    );
    await expect(creation).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    expect(await storage.instances.list()).toEqual([]);
    expect(await storage.webhooks.list()).toEqual([]);
    expect(await execute("SELECT id FROM auth_key WHERE instance = 'a'")).toEqual([]);
    await storage.instances.create(instance('a'));
    expect(await storage.authKeys.creds('a')).toBeNull();
  });

  it('does not mix other writes with a creation that fails', async () => {
    const { storage, poison } = await open();
    await poison('auth_key', 'id', 'wrong');
    const many = Array.from({ length: 600 }, (_, n) => ({ type: 'pre-key', id: `${n}`, value: bytes('value') }));
    const keys = [...many, { type: 'session', id: 'wrong', value: bytes('value') }];
    const creation = storage.instances.create(instance('a'), { creds: bytes('creds'), keys });
    const refused = expect(creation).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    const other = storage.instances.create(instance('b'), { creds: bytes('creds of b'), keys: many });
    await storage.authKeys.set('c', [{ type: 'session', id: 'x', value: bytes('kept') }]);
    await refused;
    await other;
    expect((await storage.instances.list()).map(({ id }) => id)).toEqual(['b']);
    expect(text((await storage.authKeys.get('c', 'session', ['x'])).get('x'))).toBe('kept');
  });

  it('updates the given columns, the time of the update, and nothing else', async () => {
    const { storage } = await open();
    await storage.instances.create(instance('a', { ownerJid: 'old@s.whatsapp.net' }));
    await storage.instances.update('a', {
      token: 'rotated',
      desired: 'stopped',
      ownerJid: null,
      profileName: undefined,
    });
    const updated = await storage.instances.get('a');
    expect(updated).toEqual(
      instance('a', { token: 'rotated', desired: 'stopped', updatedAt: expect.any(Number) as unknown as number }),
    );
    expect(updated?.updatedAt).toBeGreaterThan(1000);
    await expect(storage.instances.update('nobody', { desired: 'stopped' })).resolves.toBeUndefined();
  });

  it('keeps what goes to sockets', async () => {
    const { storage, reopen } = await open();
    const websocket = { enabled: true, events: ['CALL'], createdAt: 1, updatedAt: 2 };
    await storage.instances.create(instance('a'));
    expect(await storage.instances.get('a')).not.toHaveProperty('websocket');
    await storage.instances.update('a', { websocket });
    await storage.instances.update('a', { desired: 'stopped' });
    expect(await (await reopen()).instances.get('a')).toMatchObject({ websocket, desired: 'stopped' });
  });

  it('keeps proxies encrypted, and never takes one that it cannot read for none', async () => {
    const { storage, execute, reopen } = await open();
    const proxy = {
      protocol: 'socks5',
      host: 'proxy.example',
      port: 1080,
      username: 'shop',
      password: 'p-secret',
    } as const;
    await storage.instances.create(instance('a', { proxy }));
    await storage.instances.update('a', { desired: 'stopped' });
    expect(await storage.instances.get('a')).toMatchObject({ proxy, desired: 'stopped' });
    const [row] = await execute('SELECT proxy FROM instance');
    const stored = Buffer.from(Object.values(row as Record<string, Uint8Array>)[0] ?? []).toString('latin1');
    expect(stored.length).toBeGreaterThan(30);
    expect(stored).not.toMatch(/secret|example/);
    await storage.instances.create(instance('b', { proxy, createdAt: 2000 }));
    await execute("UPDATE instance SET proxy = token WHERE id = 'b'");
    const [, damaged] = await (await reopen()).instances.list();
    expect(damaged?.proxy).toEqual({ protocol: 'http', host: '', port: 0, username: '', password: '' });
    const again = await reopen();
    // What could not be read was not written over.
    await again.instances.update('b', { desired: 'running' });
    expect(await execute("SELECT id FROM instance WHERE proxy = token AND id = 'b'")).toHaveLength(1);
    await again.instances.update('a', { proxy: null });
    expect(await again.instances.get('a')).not.toHaveProperty('proxy');
  });

  it('removes every row of a deleted instance and leaves other instances alone', async () => {
    const { storage, execute } = await open();
    const rowsIn = async () => {
      const counts: Record<string, number> = {};
      for (const table of ownedTables) counts[table] = (await execute(`SELECT * FROM ${table}`)).length;
      return counts;
    };
    const fill = async (id: string) => {
      await storage.instances.create(instance(id));
      await storage.authKeys.setCreds(id, bytes('c'));
      await storage.webhooks.put(webhook(`hook-${id}`, { instanceId: id }));
      await storage.contacts.saveRecipient(id, '55', { jid: 'j', lid: null, exists: true, checkedAt: 1 });
      await storage.messages.record(
        id,
        recording({
          messages: [{ message: message('m'), events: [event('m', { webhookIds: [`hook-${id}`, 'global'] })] }],
          statuses: [{ change: change('m', 'READ'), events: [] }],
          contacts: [{ jid: 'j' }],
        }),
      );
    };
    await fill('a');
    const alone = await rowsIn();
    expect(Object.values(alone).every((count) => count > 0)).toBe(true);
    await fill('b');
    await storage.instances.delete('b');
    expect(await rowsIn()).toEqual(alone);
    expect(await storage.authKeys.creds('b')).toBeNull();
    await expect(storage.instances.delete('b')).resolves.toBeUndefined();
  });

  it('serves no cached key of a deleted instance', async () => {
    const { storage } = await open();
    await storage.authKeys.set('a', [{ type: 'session', id: 'x', value: bytes('1') }]);
    await storage.authKeys.get('a', 'session', ['x']);
    await storage.instances.delete('a');
    expect(await storage.authKeys.get('a', 'session', ['x'])).toEqual(new Map());
  });

  it('counts messages, chats and contacts of one instance', async () => {
    const { storage } = await open();
    const elsewhere = { ...message('3').key, remoteJid: 'other@s.whatsapp.net' };
    const messages = [message('1'), message('2'), message('3', { key: elsewhere })].map((one) => ({
      message: one,
      events: [],
    }));
    await storage.messages.record('a', recording({ messages, contacts: [{ jid: 'x' }, { jid: 'x', pushName: 'X' }] }));
    expect(await storage.instances.counts('a')).toEqual({ messages: 3, chats: 2, contacts: 1 });
    expect(await storage.instances.counts('b')).toEqual({ messages: 0, chats: 0, contacts: 0 });
  });

  it('keeps what the platform said about a number', async () => {
    const { storage } = await open();
    const recipient = { jid: '55@s.whatsapp.net', lid: '1@lid', exists: true, checkedAt: 1_700_000_000_000 };
    await storage.contacts.saveRecipient('a', '5511', recipient);
    expect(await storage.contacts.recipient('a', '5511')).toEqual(recipient);
    await storage.contacts.saveRecipient('a', '5511', { ...recipient, lid: null, exists: false });
    expect(await storage.contacts.recipient('a', '5511')).toEqual({ ...recipient, lid: null, exists: false });
    expect(await storage.contacts.recipient('b', '5511')).toBeNull();
  });
}
