// Keys with scopes over HTTP: the operations that they give access to, and the entries of the audit log.
import { describe, expect, it, onTestFinished } from 'vitest';
import { AuditRecorder } from '../../../src/access/audit-recorder.ts';
import { GatewayError } from '../../../src/errors.ts';
import type { AppDeps } from '../../../src/http/deps.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import type { AccessScope } from '../../../src/storage/access-stores.ts';
import { openStorage } from '../../../src/storage/open.ts';
import { textAt } from '../../support/api.ts';
import { type Http, startHttp } from '../../support/http-fixture.ts';

const statePath = (instance: string) => `/instance/connectionState/${instance}`;

/** Creates a key with these scopes. Returns its header and its id. */
async function keyFor({ keys }: Http, scopes: AccessScope[], instanceId: string | null = null) {
  const { key, row } = await keys.create({ name: 'k', scopes, instanceId, expiresAt: null });
  return { apikey: key, id: row.id };
}
const scopeError = (scope: string) => ({
  ...{ status: 403, error: 'Forbidden', code: 'SCOPE_MISSING' },
  response: { message: [`This operation needs a key with the scope "${scope}".`] },
});

describe('keys with scopes', () => {
  it('a key gives access to the operations of its scopes, on every instance', async () => {
    const http = await startHttp();
    const { apikey } = await keyFor(http, ['read']);
    for (const name of ['shop', 'other'])
      expect((await http.call('GET', statePath(name), undefined, { apikey })).status).toBe(200);
    expect((await http.call('GET', statePath('nobody'), undefined, { apikey })).status).toBe(404);
    const sent = await http.call('POST', '/message/sendText/shop', { number: '1', text: 'x' }, { apikey });
    expect(sent.body).toMatchObject({ ...scopeError('send'), certain: true });
    expect((await http.call('DELETE', '/instance/delete/shop', undefined, { apikey })).body).toMatchObject(
      scopeError('admin'),
    );
    expect((await http.call('GET', '/webhook/find/shop', undefined, { apikey })).body).toMatchObject(
      scopeError('admin'),
    );
    expect(http.instances.has('shop')).toBe(true);
    const creds = await http.call('POST', '/verify-creds', {}, { apikey: (await keyFor(http, ['send'])).apikey });
    expect(creds.body).toMatchObject({ status: 200, scopes: ['send'], instance: null });
  });

  it('a key of one instance gets UNAUTHORIZED for other instances and for operations of the whole gateway', async () => {
    const http = await startHttp();
    const { apikey } = await keyFor(http, ['read', 'send', 'admin'], 'id-of-shop');
    expect((await http.call('GET', statePath('shop'), undefined, { apikey })).status).toBe(200);
    for (const path of [statePath('other'), statePath('nobody'), '/keys', '/audit', '/webhook/global'])
      expect((await http.call('GET', path, undefined, { apikey })).body, path).toMatchObject({ code: 'UNAUTHORIZED' });
    const list = await http.call('GET', '/instance/fetchInstances?instanceName=other', undefined, { apikey });
    expect(list.body).toMatchObject([{ name: 'shop', instance: { apikey: 'shop-key' } }]);
    const creds = await http.call('POST', '/verify-creds', {}, { apikey });
    expect(creds.body).toMatchObject({ scopes: ['read', 'send', 'admin'], instance: 'shop' });
    http.instances.delete('shop');
    expect((await http.call('GET', statePath('shop'), undefined, { apikey })).status).toBe(401);
  });

  it('a key with scopes gets no key that has other scopes', async () => {
    const http = await startHttp();
    for (const scopes of [['read'], ['read', 'send'], ['read', 'admin']] satisfies AccessScope[][]) {
      const { apikey } = await keyFor(http, scopes);
      const list = await http.call('GET', '/instance/fetchInstances', undefined, { apikey });
      expect(list.status).toBe(200);
      expect(list.text).not.toMatch(/shop-key|other-key/);
    }
    const { apikey } = await keyFor(http, ['admin']);
    const created = await http.call('POST', '/keys', { name: 'x', scopes: ['admin', 'send'] }, { apikey });
    expect(created.body).toMatchObject(scopeError('send'));
    const { id } = await keyFor(http, ['read']);
    expect((await http.call('POST', `/keys/${id}/rotate`, {}, { apikey })).body).toMatchObject(scopeError('read'));
    expect((await http.call('POST', '/keys', { name: 'x', scopes: ['admin'] }, { apikey })).status).toBe(201);
  });

  it.each([[['admin']], [['read', 'admin']]] satisfies [
    AccessScope[],
  ][])('a key with the scopes %j creates an instance, but neither gets nor chooses the key of the instance', async (scopes) => {
    const http = await startHttp();
    const { apikey } = await keyFor(http, scopes);
    const create = (body: object) => http.call('POST', '/instance/create', body, { apikey });
    const created = await create({ instanceName: 'new' });
    expect(created.status).toBe(201);
    expect(created.body).not.toHaveProperty('hash');
    expect(created.text).not.toContain(http.instances.get('new')?.row.token);
    const createdInV1 = await create({ instanceName: 'old form', webhook: 'https://a.test' });
    expect(createdInV1).toMatchObject({ status: 201, body: { instance: { status: 'created' } } });
    expect(createdInV1.body).not.toHaveProperty('hash');
    const withChosenKey = await create({ instanceName: 'chosen', token: 'a-key-that-is-known' });
    expect(withChosenKey.body).toMatchObject({ status: 403, code: 'SCOPE_MISSING' });
    expect(http.instances.has('chosen')).toBe(false);
  });

  it('a key without all scopes cannot set a webhook while WEBHOOK_INCLUDE_APIKEY is true', async () => {
    const http = await startHttp({ WEBHOOK_INCLUDE_APIKEY: 'true' });
    const admin = await keyFor(http, ['admin'], 'id-of-shop');
    const service = await keyFor(http, ['admin', 'read']);
    const fullKey = await keyFor(http, ['read', 'send', 'admin'], 'id-of-shop');
    const webhook = { url: 'https://receiver.test', enabled: true };
    const setWebhook = ({ apikey }: typeof admin) => http.call('POST', '/webhook/set/shop', { webhook }, { apikey });
    const added = await http.call('POST', '/webhook/endpoints/shop', webhook, { apikey: fullKey.apikey });
    expect(added.status).toBe(201);
    const requests = [
      setWebhook(admin),
      http.call('POST', '/webhook/endpoints/shop', webhook, { apikey: admin.apikey }),
      http.call('PUT', `/webhook/endpoints/shop/${textAt(added.body, 'id')}`, webhook, { apikey: admin.apikey }),
      http.call('POST', '/instance/create', { instanceName: 'new', webhook }, { apikey: service.apikey }),
    ];
    for (const { body } of await Promise.all(requests))
      expect(body).toMatchObject({ status: 403, code: 'SCOPE_MISSING' });
    expect((await setWebhook(fullKey)).status).toBe(201);
    const defaultServer = await startHttp();
    const { apikey } = await keyFor(defaultServer, ['admin'], 'id-of-shop');
    expect((await defaultServer.call('POST', '/webhook/set/shop', { webhook }, { apikey })).status).toBe(201);
  });

  it('each key has its own RATE_LIMIT', async () => {
    const http = await startHttp({ RATE_LIMIT: '1' });
    const [one, two] = [await keyFor(http, ['read']), await keyFor(http, ['read'])];
    const statuses = [];
    for (const { apikey } of [one, one, two])
      statuses.push((await http.call('GET', statePath('shop'), undefined, { apikey })).status);
    expect(statuses).toEqual([200, 429, 200]);
  });
});

describe('operations on keys', () => {
  it('POST /keys returns a new key, which GET /keys and the log do not contain', async () => {
    const http = await startHttp();
    const newKey = { name: 'backend', scopes: ['send'], instance: 'shop', expiresAt: '2099-01-01T00:00:00Z' };
    const created = await http.call('POST', '/keys', newKey);
    expect(created).toMatchObject({
      status: 201,
      body: { ...newKey, expiresAt: '2099-01-01T00:00:00.000Z', lastUsedAt: null },
    });
    const apikey = textAt(created.body, 'key');
    expect((await http.call('GET', statePath('shop'), undefined, { apikey })).status).toBe(403);
    const list = await http.call('GET', '/keys');
    expect(list.body).toMatchObject({
      keys: [{ id: textAt(created.body, 'id'), instance: 'shop', lastUsedAt: expect.any(String) }],
    });
    expect(list.text).not.toContain(apikey);
    expect(JSON.stringify(http.log)).not.toContain(apikey.slice(0, 12));
  });

  it.each([
    [{}, 'INVALID_REQUEST'],
    [{ name: 'x', scopes: [] }, 'INVALID_REQUEST'],
    [{ name: 'x', scopes: ['write'] }, 'INVALID_REQUEST'],
    [{ name: 'x', scopes: ['read'], expiresAt: 'tomorrow' }, 'INVALID_REQUEST'],
    [{ name: 'x', scopes: ['read'], expiresAt: '2001-01-01T00:00:00Z' }, 'INVALID_REQUEST'],
    [{ name: 'x', scopes: ['read'], instance: 'nobody' }, 'INSTANCE_NOT_FOUND'],
  ])('POST /keys refuses %j', async (body, code) => {
    const http = await startHttp();
    expect((await http.call('POST', '/keys', body)).body).toMatchObject({ code });
    expect(http.keys.list()).toEqual([]);
  });

  it('POST /keys/:id/rotate accepts a request with and without a body, and DELETE /keys/:id revokes the old key', async () => {
    const http = await startHttp();
    const old = await keyFor(http, ['read']);
    const created = await http.call('POST', `/keys/${old.id}/rotate`);
    expect(created).toMatchObject({ status: 201, body: { scopes: ['read'], replaces: { id: old.id } } });
    const overlap = Date.parse(textAt(created.body, 'replaces.expiresAt')) - Date.now();
    expect(Math.round(overlap / 60_000)).toBe(1440);
    const [id, apikey] = [textAt(created.body, 'id'), textAt(created.body, 'key')];
    const next = await http.call('POST', `/keys/${id}/rotate`, { overlap: 0 });
    const statuses = [];
    for (const candidate of [old.apikey, apikey, textAt(next.body, 'key')])
      statuses.push((await http.call('GET', statePath('shop'), undefined, { apikey: candidate })).status);
    expect(statuses).toEqual([200, 401, 200]);
    expect((await http.call('DELETE', `/keys/${old.id}`)).body).toEqual({ id: old.id });
    expect((await http.call('GET', statePath('shop'), undefined, { apikey: old.apikey })).status).toBe(401);
    for (const method of ['DELETE', 'POST'] as const) {
      const repeated = await http.call(method, `/keys/${old.id}${method === 'POST' ? '/rotate' : ''}`);
      expect(repeated.body).toMatchObject({ status: 404, code: 'KEY_NOT_FOUND' });
    }
  });
});

describe('the audit log', () => {
  it.each([
    'NEW_CHATS_RESTRICTED',
    'GROUP_FORBIDDEN',
    'RATE_LIMITED',
  ] as const)('the audit log has every operation that failed with %s, and at most ten refused requests of a key per minute', async (code) => {
    const operations: AppDeps['operations'] = {
      sendText: async () => {
        throw new GatewayError(code, ['WhatsApp refuses it.']);
      },
    };
    const { audit: store, close } = await openStorage({ dataDir: ':memory:', network: 'sandbox' });
    onTestFinished(close);
    const auditRecorder = new AuditRecorder({
      ...{ store, clock: systemClock, isRejected: () => false, log: { error: () => {} } },
      ...{ retentionDays: 1, retentionCount: 100 },
    });
    const http = await startHttp({}, { operations, auditRecorder });
    Object.assign(http.instances.get('shop') ?? {}, { session: () => ({}) });
    const { apikey, id } = await keyFor(http, ['read']);
    const send = (key: string) =>
      http.call('POST', '/message/sendText/shop', { number: '15551234567', text: 'x' }, { apikey: key });
    for (let n = 0; n < 11; n++) {
      expect((await send('shop-key')).body).toMatchObject({ code });
      expect((await send(apikey)).body).toMatchObject({ code: 'SCOPE_MISSING' });
      const refused = await http.call('DELETE', '/instance/delete/shop', undefined, { apikey: 'other-key' });
      expect(refused.body).toMatchObject({ code: 'UNAUTHORIZED' });
    }
    const entries = await auditRecorder.read(0, 100);
    expect(entries.filter((entry) => entry.status === 401)).toHaveLength(10);
    expect(entries.filter((entry) => entry.key === id)).toHaveLength(10);
    expect(entries.filter((entry) => entry.key === 'instance' && entry.operation === 'sendText')).toHaveLength(11);
  });

  it('the audit log has key, operation, instance and status of changes and refusals, but no reads and no bodies', async () => {
    const http = await startHttp();
    const { apikey, id } = await keyFor(http, ['read']);
    await http.call('GET', statePath('shop'));
    await http.call('POST', '/message/sendText/shop', { number: '15551234567', text: 'a secret' });
    await http.call('DELETE', '/webhook/endpoints/shop/hook', undefined, { apikey: 'shop-key' });
    await http.call('POST', '/message/sendText/shop', { number: '1', text: 'x' }, { apikey });
    await http.call('DELETE', '/instance/delete/other', undefined, { apikey: 'shop-key' });
    await http.call('DELETE', '/instance/delete/other', undefined, { apikey: 'nobodys' });
    await http.call('POST', '/instance/create', { instanceName: 'made' });
    await http.call('DELETE', `/keys/${id}`);
    const common = { requestId: expect.stringMatching(/^[\da-f-]{36}$/), address: '127.0.0.1' };
    const [send, admin] = [
      { ...common, scope: 'send' },
      { ...common, scope: 'admin' },
    ];
    expect(http.recorded).toEqual([
      { ...send, key: 'global', operation: 'sendText', instance: 'shop', subject: null, status: 400 },
      { ...admin, key: 'instance', operation: 'removeWebhook', instance: 'shop', subject: 'hook', status: 404 },
      { ...send, key: id, operation: 'sendText', instance: 'shop', subject: null, status: 403 },
      { ...admin, key: 'instance', operation: 'deleteInstance', instance: 'other', subject: null, status: 401 },
      { ...admin, key: 'global', operation: 'createInstance', instance: 'made', subject: null, status: 201 },
      { ...admin, key: 'global', operation: 'revokeKey', instance: null, subject: id, status: 200 },
    ]);
  });
});
