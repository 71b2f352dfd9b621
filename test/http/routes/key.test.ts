// What keys with scopes open over HTTP, and what is noted of it.
import { describe, expect, it, onTestFinished } from 'vitest';
import { AuditRecorder } from '../../../src/access/audit-recorder.ts';
import { GatewayError } from '../../../src/errors.ts';
import type { AppDeps } from '../../../src/http/deps.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import type { AccessScope } from '../../../src/storage/access-stores.ts';
import { openStorage } from '../../../src/storage/open.ts';
import { textAt } from '../../support/api.ts';
import { type Http, startHttp } from './fixture.ts';

const state = (instance: string) => `/instance/connectionState/${instance}`;

/** The header of a key with these scopes. */
async function keyFor({ keys }: Http, scopes: AccessScope[], instanceId: string | null = null) {
  const { key, row } = await keys.create({ name: 'k', scopes, instanceId, expiresAt: null });
  return { apikey: key, id: row.id };
}
const missing = (scope: string) => ({
  ...{ status: 403, error: 'Forbidden', code: 'SCOPE_MISSING' },
  response: { message: [`This operation needs a key with the scope "${scope}".`] },
});

describe('a key with scopes', () => {
  it('opens what its scopes say, on every instance', async () => {
    const http = await startHttp();
    const { apikey } = await keyFor(http, ['read']);
    for (const name of ['shop', 'other'])
      expect((await http.call('GET', state(name), undefined, { apikey })).status).toBe(200);
    expect((await http.call('GET', state('nobody'), undefined, { apikey })).status).toBe(404);
    const sent = await http.call('POST', '/message/sendText/shop', { number: '1', text: 'x' }, { apikey });
    expect(sent.body).toMatchObject({ ...missing('send'), certain: true });
    expect((await http.call('DELETE', '/instance/delete/shop', undefined, { apikey })).body).toMatchObject(
      missing('admin'),
    );
    expect((await http.call('GET', '/webhook/find/shop', undefined, { apikey })).body).toMatchObject(missing('admin'));
    expect(http.instances.has('shop')).toBe(true);
    const creds = await http.call('POST', '/verify-creds', {}, { apikey: (await keyFor(http, ['send'])).apikey });
    expect(creds.body).toMatchObject({ status: 200, scopes: ['send'], instance: null });
  });

  it('is a wrong key on every instance but the one it is bound to, and for what is of no instance', async () => {
    const http = await startHttp();
    const { apikey } = await keyFor(http, ['read', 'send', 'admin'], 'id-of-shop');
    expect((await http.call('GET', state('shop'), undefined, { apikey })).status).toBe(200);
    for (const path of [state('other'), state('nobody'), '/keys', '/audit', '/webhook/global'])
      expect((await http.call('GET', path, undefined, { apikey })).body, path).toMatchObject({ code: 'UNAUTHORIZED' });
    const list = await http.call('GET', '/instance/fetchInstances?instanceName=other', undefined, { apikey });
    expect(list.body).toMatchObject([{ name: 'shop', instance: { apikey: 'shop-key' } }]);
    const creds = await http.call('POST', '/verify-creds', {}, { apikey });
    expect(creds.body).toMatchObject({ scopes: ['read', 'send', 'admin'], instance: 'shop' });
    http.instances.delete('shop');
    expect((await http.call('GET', state('shop'), undefined, { apikey })).status).toBe(401);
  });

  it('never learns keys with which more could be done', async () => {
    const http = await startHttp();
    for (const scopes of [['read'], ['read', 'send'], ['read', 'admin']] satisfies AccessScope[][]) {
      const { apikey } = await keyFor(http, scopes);
      const list = await http.call('GET', '/instance/fetchInstances', undefined, { apikey });
      expect(list.status).toBe(200);
      expect(list.text).not.toMatch(/shop-key|other-key/);
    }
    const { apikey } = await keyFor(http, ['admin']);
    const made = await http.call('POST', '/keys', { name: 'x', scopes: ['admin', 'send'] }, { apikey });
    expect(made.body).toMatchObject(missing('send'));
    const { id } = await keyFor(http, ['read']);
    expect((await http.call('POST', `/keys/${id}/rotate`, {}, { apikey })).body).toMatchObject(missing('read'));
    expect((await http.call('POST', '/keys', { name: 'x', scopes: ['admin'] }, { apikey })).status).toBe(201);
  });

  it.each([[['admin']], [['read', 'admin']]] satisfies [
    AccessScope[],
  ][])('creates instances without their keys, which have more scopes than %j', async (scopes) => {
    const http = await startHttp();
    const { apikey } = await keyFor(http, scopes);
    const create = (body: object) => http.call('POST', '/instance/create', body, { apikey });
    const made = await create({ instanceName: 'new' });
    expect(made.status).toBe(201);
    expect(made.body).not.toHaveProperty('hash');
    expect(made.text).not.toContain(http.instances.get('new')?.row.token);
    const older = await create({ instanceName: 'old form', webhook: 'https://a.test' });
    expect(older).toMatchObject({ status: 201, body: { instance: { status: 'created' } } });
    expect(older.body).not.toHaveProperty('hash');
    const chosen = await create({ instanceName: 'chosen', token: 'a-key-that-is-known' });
    expect(chosen.body).toMatchObject({ status: 403, code: 'SCOPE_MISSING' });
    expect(http.instances.has('chosen')).toBe(false);
  });

  it('sets no receiver of bodies with the keys of instances, unless it has all scopes', async () => {
    const http = await startHttp({ WEBHOOK_INCLUDE_APIKEY: 'true' });
    const admin = await keyFor(http, ['admin'], 'id-of-shop');
    const service = await keyFor(http, ['admin', 'read']);
    const whole = await keyFor(http, ['read', 'send', 'admin'], 'id-of-shop');
    const webhook = { url: 'https://receiver.test', enabled: true };
    const set = ({ apikey }: typeof admin) => http.call('POST', '/webhook/set/shop', { webhook }, { apikey });
    const added = await http.call('POST', '/webhook/endpoints/shop', webhook, { apikey: whole.apikey });
    expect(added.status).toBe(201);
    const requests = [
      set(admin),
      http.call('POST', '/webhook/endpoints/shop', webhook, { apikey: admin.apikey }),
      http.call('PUT', `/webhook/endpoints/shop/${textAt(added.body, 'id')}`, webhook, { apikey: admin.apikey }),
      http.call('POST', '/instance/create', { instanceName: 'new', webhook }, { apikey: service.apikey }),
    ];
    for (const { body } of await Promise.all(requests))
      expect(body).toMatchObject({ status: 403, code: 'SCOPE_MISSING' });
    expect((await set(whole)).status).toBe(201);
    const usual = await startHttp();
    const { apikey } = await keyFor(usual, ['admin'], 'id-of-shop');
    expect((await usual.call('POST', '/webhook/set/shop', { webhook }, { apikey })).status).toBe(201);
  });

  it('has a limit of requests of its own', async () => {
    const http = await startHttp({ RATE_LIMIT: '1' });
    const [one, two] = [await keyFor(http, ['read']), await keyFor(http, ['read'])];
    const statuses = [];
    for (const { apikey } of [one, one, two])
      statuses.push((await http.call('GET', state('shop'), undefined, { apikey })).status);
    expect(statuses).toEqual([200, 429, 200]);
  });
});

describe('/keys', () => {
  it('shows a key once, when it is made', async () => {
    const http = await startHttp();
    const wish = { name: 'backend', scopes: ['send'], instance: 'shop', expiresAt: '2099-01-01T00:00:00Z' };
    const made = await http.call('POST', '/keys', wish);
    expect(made).toMatchObject({
      status: 201,
      body: { ...wish, expiresAt: '2099-01-01T00:00:00.000Z', lastUsedAt: null },
    });
    const apikey = textAt(made.body, 'key');
    expect((await http.call('GET', state('shop'), undefined, { apikey })).status).toBe(403);
    const list = await http.call('GET', '/keys');
    expect(list.body).toMatchObject({
      keys: [{ id: textAt(made.body, 'id'), instance: 'shop', lastUsedAt: expect.any(String) }],
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
  ])('refuses %j', async (body, code) => {
    const http = await startHttp();
    expect((await http.call('POST', '/keys', body)).body).toMatchObject({ code });
    expect(http.keys.list()).toEqual([]);
  });

  it('rotates with and without a body, and revokes', async () => {
    const http = await startHttp();
    const old = await keyFor(http, ['read']);
    const made = await http.call('POST', `/keys/${old.id}/rotate`);
    expect(made).toMatchObject({ status: 201, body: { scopes: ['read'], replaces: { id: old.id } } });
    const day = Date.parse(textAt(made.body, 'replaces.expiresAt')) - Date.now();
    expect(Math.round(day / 60_000)).toBe(1440);
    const [id, apikey] = [textAt(made.body, 'id'), textAt(made.body, 'key')];
    const next = await http.call('POST', `/keys/${id}/rotate`, { overlap: 0 });
    const statuses = [];
    for (const each of [old.apikey, apikey, textAt(next.body, 'key')])
      statuses.push((await http.call('GET', state('shop'), undefined, { apikey: each })).status);
    expect(statuses).toEqual([200, 401, 200]);
    expect((await http.call('DELETE', `/keys/${old.id}`)).body).toEqual({ id: old.id });
    expect((await http.call('GET', state('shop'), undefined, { apikey: old.apikey })).status).toBe(401);
    for (const method of ['DELETE', 'POST'] as const) {
      const again = await http.call(method, `/keys/${old.id}${method === 'POST' ? '/rotate' : ''}`);
      expect(again.body).toMatchObject({ status: 404, code: 'KEY_NOT_FOUND' });
    }
  });
});

describe('the record', () => {
  it.each([
    'NEW_CHATS_RESTRICTED',
    'GROUP_FORBIDDEN',
    'RATE_LIMITED',
  ] as const)('has all operations that failed with %s, and ten requests in a minute that a key was refused', async (code) => {
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

  it('has who did what to which instance, and was refused what, without reading and without bodies', async () => {
    const http = await startHttp();
    const { apikey, id } = await keyFor(http, ['read']);
    await http.call('GET', state('shop'));
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
