// Instance rows: creation with credentials and a webhook, updates, counts, and the deletion of all rows of an instance.
import { expect, it } from 'vitest';
import { bytes, change, event, instance, message, text, toEventBatch, webhook } from '../../support/sample-rows.ts';
import { beforeAndAfterRestart, type OpenFixture } from './fixture.ts';

const OWNED_TABLES = [
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

export function instanceTests(open: OpenFixture): void {
  it('instances.list() returns the rows as they were created, oldest first', async () => {
    const { storage } = await open();
    const young = instance('b', { createdAt: 2000, number: '5511999990000', profileName: 'Zoë 🙂 \u0000' });
    const old = instance('c', { createdAt: 500, settings: { ...instance('c').settings, msgCall: 'no \u0000 calls' } });
    await storage.instances.create(young);
    await storage.instances.create(old);
    expect(await storage.instances.list()).toEqual([old, young]);
    expect(await storage.instances.get('nobody')).toBeNull();
  });

  it('instances.identities() returns the names and accounts of all or some instances, oldest first', async () => {
    const { storage } = await open();
    const young = { id: 'b', name: 'name-b', number: '5511999990000', ownerJid: null, profileName: 'Zoë 🙂 \u0000' };
    const old = { id: 'c', name: 'name-c', number: null, ownerJid: '5511@s.whatsapp.net', profileName: null };
    await storage.instances.create(instance('b', { ...young, createdAt: 2000 }));
    await storage.instances.create(instance('c', { ...old, createdAt: 500 }));
    expect(await storage.instances.identities()).toEqual([old, young]);
    expect(await storage.instances.identities(['b', 'absent'])).toEqual([young]);
    expect(await storage.instances.identities([])).toEqual([]);
  });

  it('instances.create() rejects with INSTANCE_NAME_IN_USE when another instance has the name', async () => {
    const { storage } = await open();
    await storage.instances.create(instance('a', { name: 'same' }));
    await expect(storage.instances.create(instance('b', { name: 'same' }))).rejects.toMatchObject({
      code: 'INSTANCE_NAME_IN_USE',
      status: 403,
    });
    expect(await storage.instances.list()).toHaveLength(1);
  });

  it('instances.create() stores the credentials and keys of a linked account together with the instance', async () => {
    const fixture = await open();
    const keys = Array.from({ length: 600 }, (_, n) => ({ type: 'session', id: `${n}`, value: bytes(`value ${n}`) }));
    await fixture.storage.instances.create(instance('a'), { creds: bytes('creds'), keys });
    for await (const { instances, authKeys } of beforeAndAfterRestart(fixture)) {
      expect(await instances.get('a')).toEqual(instance('a'));
      expect(text(await authKeys.creds('a'))).toBe('creds');
      const stored = await authKeys.readAll('a', 'session');
      expect(stored.size).toBe(600);
      expect(text(stored.get('599'))).toBe('value 599');
    }
  });

  it('instances.create() stores a webhook together with the instance', async () => {
    const fixture = await open();
    const hook = webhook('w', { instanceId: 'a' });
    await fixture.storage.instances.create(instance('a'), undefined, hook);
    await fixture.storage.instances.create(
      instance('b'),
      { creds: bytes('creds'), keys: [] },
      webhook('x', { instanceId: 'b', createdAt: 2000 }),
    );
    for await (const { instances, webhooks } of beforeAndAfterRestart(fixture)) {
      expect(await instances.get('a')).toEqual(instance('a'));
      expect((await webhooks.list()).map(({ id, instanceId }) => [id, instanceId])).toEqual([
        ['w', 'a'],
        ['x', 'b'],
      ]);
      expect(await webhooks.list(['a'])).toEqual([hook]);
    }
  });

  it('instances.create() stores neither the instance nor its webhook when one of its keys cannot be stored', async () => {
    const { storage, execute, rejectValue } = await open();
    await rejectValue('auth_key', 'id', 'wrong');
    const keys = ['0', '1', '2', 'wrong'].map((id) => ({ type: 'session', id, value: bytes('value') }));
    const preKeys = Array.from({ length: 600 }, (_, n) => ({ type: 'pre-key', id: `${n}`, value: bytes('value') }));
    const creation = storage.instances.create(
      instance('a'),
      { creds: bytes('creds'), keys: [...preKeys, ...keys] },
      webhook('w', { instanceId: 'a' }),
    );
    await expect(creation).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    expect(await storage.instances.list()).toEqual([]);
    expect(await storage.webhooks.list()).toEqual([]);
    expect(await execute("SELECT id FROM auth_key WHERE instance = 'a'")).toEqual([]);
    await storage.instances.create(instance('a'));
    expect(await storage.authKeys.creds('a')).toBeNull();
  });

  it('a failed instances.create() does not undo concurrent writes of other instances', async () => {
    const { storage, rejectValue } = await open();
    await rejectValue('auth_key', 'id', 'wrong');
    const preKeys = Array.from({ length: 600 }, (_, n) => ({ type: 'pre-key', id: `${n}`, value: bytes('value') }));
    const keys = [...preKeys, { type: 'session', id: 'wrong', value: bytes('value') }];
    const creation = storage.instances.create(instance('a'), { creds: bytes('creds'), keys });
    const refused = expect(creation).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    const other = storage.instances.create(instance('b'), { creds: bytes('creds of b'), keys: preKeys });
    await storage.authKeys.set('c', [{ type: 'session', id: 'x', value: bytes('kept') }]);
    await refused;
    await other;
    expect((await storage.instances.list()).map(({ id }) => id)).toEqual(['b']);
    expect(text((await storage.authKeys.get('c', 'session', ['x'])).get('x'))).toBe('kept');
  });

  it('instances.update() changes only the given columns and the time of the update', async () => {
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

  it('instances.update() stores the WebSocket settings, and a later update of another column keeps them', async () => {
    const { storage, reopen } = await open();
    const websocket = { enabled: true, events: ['CALL'], createdAt: 1, updatedAt: 2 };
    await storage.instances.create(instance('a'));
    expect(await storage.instances.get('a')).not.toHaveProperty('websocket');
    await storage.instances.update('a', { websocket });
    await storage.instances.update('a', { desired: 'stopped' });
    expect(await (await reopen()).instances.get('a')).toMatchObject({ websocket, desired: 'stopped' });
  });

  it('the proxy of an instance is stored encrypted, and an unreadable proxy is neither ignored nor overwritten', async () => {
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
    const reopened = await reopen();
    // An update of another column keeps the unreadable value.
    await reopened.instances.update('b', { desired: 'running' });
    expect(await execute("SELECT id FROM instance WHERE proxy = token AND id = 'b'")).toHaveLength(1);
    await reopened.instances.update('a', { proxy: null });
    expect(await reopened.instances.get('a')).not.toHaveProperty('proxy');
  });

  it('instances.delete() removes every row of the instance and no row of another instance', async () => {
    const { storage, execute } = await open();
    const countRows = async () => {
      const counts: Record<string, number> = {};
      for (const table of OWNED_TABLES) counts[table] = (await execute(`SELECT * FROM ${table}`)).length;
      return counts;
    };
    const fill = async (id: string) => {
      await storage.instances.create(instance(id));
      await storage.authKeys.setCreds(id, bytes('c'));
      await storage.webhooks.put(webhook(`hook-${id}`, { instanceId: id }));
      await storage.contacts.saveRecipient(id, '55', { jid: 'j', lid: null, exists: true, checkedAt: 1 });
      await storage.messages.record(
        id,
        toEventBatch({
          messages: [{ message: message('m'), events: [event('m', { webhookIds: [`hook-${id}`, 'global'] })] }],
          statuses: [{ change: change('m', 'READ'), events: [] }],
          contacts: [{ jid: 'j' }],
        }),
      );
    };
    await fill('a');
    const countsBefore = await countRows();
    expect(Object.values(countsBefore).every((count) => count > 0)).toBe(true);
    await fill('b');
    await storage.instances.delete('b');
    expect(await countRows()).toEqual(countsBefore);
    expect(await storage.authKeys.creds('b')).toBeNull();
    await expect(storage.instances.delete('b')).resolves.toBeUndefined();
  });

  it('authKeys.get() returns no cached key of a deleted instance', async () => {
    const { storage } = await open();
    await storage.authKeys.set('a', [{ type: 'session', id: 'x', value: bytes('1') }]);
    await storage.authKeys.get('a', 'session', ['x']);
    await storage.instances.delete('a');
    expect(await storage.authKeys.get('a', 'session', ['x'])).toEqual(new Map());
  });

  it('instances.counts() returns the numbers of messages, chats and contacts of one instance', async () => {
    const { storage } = await open();
    const keyInOtherChat = { ...message('3').key, remoteJid: 'other@s.whatsapp.net' };
    const messages = [message('1'), message('2'), message('3', { key: keyInOtherChat })].map((one) => ({
      message: one,
      events: [],
    }));
    await storage.messages.record(
      'a',
      toEventBatch({ messages, contacts: [{ jid: 'x' }, { jid: 'x', pushName: 'X' }] }),
    );
    expect(await storage.instances.counts('a')).toEqual({ messages: 3, chats: 2, contacts: 1 });
    expect(await storage.instances.counts('b')).toEqual({ messages: 0, chats: 0, contacts: 0 });
  });

  it('contacts.recipient() returns the last answer that was saved for a phone number, per instance', async () => {
    const { storage } = await open();
    const recipient = { jid: '55@s.whatsapp.net', lid: '1@lid', exists: true, checkedAt: 1_700_000_000_000 };
    await storage.contacts.saveRecipient('a', '5511', recipient);
    expect(await storage.contacts.recipient('a', '5511')).toEqual(recipient);
    await storage.contacts.saveRecipient('a', '5511', { ...recipient, lid: null, exists: false });
    expect(await storage.contacts.recipient('a', '5511')).toEqual({ ...recipient, lid: null, exists: false });
    expect(await storage.contacts.recipient('b', '5511')).toBeNull();
  });
}
