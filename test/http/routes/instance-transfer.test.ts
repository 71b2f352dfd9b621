// The HTTP interface of imports and exports. Tests of the sessions are in test/whatsapp/session-transfer and test/e2e.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { AppDeps } from '../../../src/http/deps.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { INSTANCE_SCHEMA } from '../../../src/session-bundle/bundle-schema.ts';
import { Field } from '../../../src/session-bundle/schema.ts';
import type { WebhookRow } from '../../../src/storage/webhook-stores.ts';
import { createSubscriptions } from '../../../src/webhooks/subscriptions.ts';
import { encodeCreds } from '../../../src/whatsapp/baileys/auth/codec.ts';
import { type ImportedSession, SessionTransfer } from '../../../src/whatsapp/session-transfer/session-transfer.ts';
import { at } from '../../support/api.ts';
import { PASSPHRASE } from '../../support/bundles.ts';
import { emptyStore, fakeInstance, type Http, KEY, startHttp } from '../../support/http-fixture.ts';

type Transfer = AppDeps['sessionTransfer'];

const importedSession: ImportedSession = {
  instanceName: undefined,
  token: undefined,
  instance: { name: 'moved', token: 'key-of-the-moved-one' },
  account: { deviceJid: '15550001001:3@s.whatsapp.net', lid: null, name: 'Shop' },
  taken: { preKeys: 2 },
  warnings: [],
  session: { creds: new Uint8Array(1), keys: [] },
};

/** A session transfer that records its input and uses no worker thread. */
function fakeTransfer(session: Partial<ImportedSession> = {}) {
  const received: string[] = [];
  const fields: unknown[] = [];
  const heads: Parameters<Transfer['write']>[2][] = [];
  const transfer: Transfer = {
    runInTurn: (work) => work(),
    async receive(text) {
      let content = '';
      for await (const chunk of text) content += Buffer.from(chunk).toString();
      received.push(content);
    },
    async read(formFields) {
      fields.push(formFields);
      return { ...importedSession, ...session };
    },
    async write(_keys, _id, head) {
      heads.push(head);
      return Buffer.from('{"format":"messaging-gateway session bundle","version":1}');
    },
  };
  return { transfer, received, fields, heads };
}

async function startServer(
  session: Partial<ImportedSession> = {},
  env: Record<string, string> = {},
  deps: Partial<AppDeps> = {},
) {
  const fake = fakeTransfer(session);
  const stored: { creds: Uint8Array | null } = { creds: new Uint8Array(1) };
  const authKeys = { ...emptyStore.authKeys, creds: async () => stored.creds };
  const http = await startHttp(env, { sessionTransfer: fake.transfer, store: { ...emptyStore, authKeys }, ...deps });
  return { ...fake, http, stored };
}

const boundary = 'b';
const formType = { 'content-type': `multipart/form-data; boundary=${boundary}` };
const part = (name: string, value: string, more = '') =>
  `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
const formOf = (...parts: string[]) => `${parts.join('')}--${boundary}--\r\n`;
const file = (content: string, name = 'file') => part(name, content, '; filename="shop.session.json"');
const postImport = (http: Http, body: unknown, headers = {}) => http.call('POST', '/instance/import', body, headers);

describe('POST /instance/import', () => {
  it('POST /instance/import creates a closed instance, and reports the data that it has taken', async () => {
    const { http, received } = await startServer();
    const answer = await postImport(http, { bundle: { a: 1 } });
    expect(answer).toMatchObject({
      status: 201,
      body: {
        instance: { instanceName: 'moved', instanceId: 'id-of-moved', status: 'close' },
        hash: 'key-of-the-moved-one',
        account: '15550001001@s.whatsapp.net',
        taken: { preKeys: 2 },
      },
    });
    expect(received).toEqual(['{"bundle":{"a":1}}']);
    expect(http.recorded).toMatchObject([
      { key: 'global', operation: 'importInstance', instance: 'moved', subject: 'id-of-moved', status: 201 },
    ]);
  });

  it('POST /instance/import names the open instance that has the session, and warns that deleting it unlinks the device', async () => {
    const { transfer } = fakeTransfer();
    const creds = encodeCreds({
      ...{ noiseKey: {}, signedIdentityKey: {}, registrationId: 1 },
      me: { id: importedSession.account.deviceJid },
    });
    const owner = fakeInstance('my shop', { ownerJid: '15550001001@s.whatsapp.net' });
    owner.state = 'open';
    const store = {
      ...emptyStore,
      instances: { ...emptyStore.instances, identities: async () => [owner.row] },
      authKeys: { ...emptyStore.authKeys, creds: async () => creds },
    };
    const http = await startHttp({}, { sessionTransfer: transfer, store });
    http.instances.set(owner.name, owner);
    const { status, body } = await postImport(http, { bundle: {} });
    expect(status).toBe(409);
    const text = JSON.stringify(at(body, 'response.message'));
    expect(text).toContain('already in the instance \\"my shop\\". Use that instance.');
    expect(text).toContain('POST /instance/export/my%20shop?stop=true');
    expect(text).toContain('deleting a connected instance unlinks the device');
  });

  it('POST /instance/import accepts the bundle as a file of a form, with fields before and after the file', async () => {
    const { http, received, fields } = await startServer();
    const form = formOf(part('passphrase', PASSPHRASE), file('{"a":1}'), part('instanceName', 'shop-2'));
    expect((await postImport(http, form, formType)).status).toBe(201);
    expect(received).toEqual(['{"a":1}']);
    expect(fields).toEqual([{ passphrase: PASSPHRASE, instanceName: 'shop-2' }]);
  });

  it.each([
    ['no file', formOf(part('passphrase', PASSPHRASE))],
    ['two files', formOf(file('{}'), file('{}'))],
    ['a file in another part', formOf(file('{}', 'bundle'))],
    ['a missing end', part('file', '{}', '; filename="x"')],
  ])('POST /instance/import refuses a form with %s', async (_, form) => {
    const { http } = await startServer();
    expect(await postImport(http, form, formType)).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
    expect(http.instances.has('moved')).toBe(false);
  });

  it.each([
    ['a JSON body', { bundle: 'x'.repeat(5000) }, {}],
    ['a file', formOf(file('x'.repeat(5000))), formType],
  ])('POST /instance/import refuses %s above SESSION_BUNDLE_LIMIT, and names the setting', async (_, body, headers) => {
    const { http } = await startServer({}, { SESSION_BUNDLE_LIMIT: '4096' });
    expect(await postImport(http, body, headers)).toMatchObject({
      status: 413,
      body: { code: 'BODY_TOO_LARGE', response: { message: expect.stringContaining('SESSION_BUNDLE_LIMIT') } },
    });
  });

  it('POST /instance/import prefers the name and the key of the request to those of the bundle', async () => {
    const { http } = await startServer({ instanceName: 'shop-2', token: 'another-key-of-16' });
    expect((await postImport(http, {})).body).toMatchObject({
      instance: { instanceName: 'shop-2' },
      hash: 'another-key-of-16',
    });
  });

  it.each([
    ['a name in use', { instanceName: 'shop' }, 403, 'INSTANCE_NAME_IN_USE'],
    ['a weak key', { token: 'short' }, 400, 'INVALID_REQUEST'],
  ])('POST /instance/import refuses %s', async (_, session, status, code) => {
    const { http } = await startServer(session);
    expect(await postImport(http, {})).toMatchObject({ status, body: { code } });
    expect(http.recorded).toMatchObject([{ operation: 'importInstance', status }]);
  });

  it('POST /instance/import sets the webhook of the bundle, without the events that this gateway does not have', async () => {
    const webhook = { enabled: true, url: 'http://hook.example/', events: ['messages.upsert', 'MADE_UP'] };
    const { http } = await startServer({ instance: { name: 'moved', webhook } });
    const { body } = await postImport(http, {});
    expect(at(body, 'dropped')).toMatchObject([{ type: 'webhook events', count: 1 }]);
    expect([...http.webhooks.values()]).toMatchObject([{ url: 'http://hook.example/', events: ['MESSAGES_UPSERT'] }]);
  });

  it('POST /instance/import disables a webhook whose events are all unknown, instead of sending it all events', async () => {
    const webhook = { enabled: true, url: 'http://hook.example/', events: ['MADE_UP'] };
    const { http } = await startServer({ instance: { name: 'moved', webhook } });
    await postImport(http, {});
    expect([...http.webhooks.values()]).toMatchObject([{ enabled: false }]);
  });

  it('POST /instance/import stores the webhook in the transaction of the instance', async () => {
    const { transfer } = fakeTransfer({
      instance: { name: 'moved', webhook: { enabled: true, url: 'http://hook.example/' } },
    });
    const put = () => Promise.reject(new Error('A second transaction for the webhook.'));
    const webhooks = { list: async () => [], put, delete: async () => 0 };
    const subscriptions = await createSubscriptions({ webhooks }, { clock: systemClock });
    const http = await startHttp({}, { sessionTransfer: transfer, subscriptions });
    expect((await postImport(http, {})).status).toBe(201);
    expect(http.webhooks.get('id-of-moved')).toMatchObject({ url: 'http://hook.example/', enabled: true });
    expect(subscriptions.findMain('id-of-moved')).toMatchObject({ url: 'http://hook.example/' });
  });

  it('POST /instance/import creates no instance when the webhook of the bundle is invalid', async () => {
    const { http } = await startServer({ instance: { name: 'moved', webhook: { enabled: true, url: 'not a URL' } } });
    expect(await postImport(http, {})).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
    expect(http.instances.has('moved')).toBe(false);
  });

  it('POST /instance/import deletes the new instance when another node has imported the session at the same time', async () => {
    const { transfer } = fakeTransfer();
    const elsewhere = fakeInstance('elsewhere', { ownerJid: '15550001001@s.whatsapp.net' }).row;
    const account = { noiseKey: {}, signedIdentityKey: {}, registrationId: 1 };
    const creds = encodeCreds({ ...account, me: { id: importedSession.account.deviceJid } });
    const http: Http = await startHttp(
      {},
      {
        sessionTransfer: transfer,
        store: {
          ...emptyStore,
          instances: {
            ...emptyStore.instances,
            identities: async () => (http.instances.has('moved') ? [elsewhere] : []),
          },
          authKeys: { ...emptyStore.authKeys, creds: async () => creds },
        },
      },
    );
    const answer = await postImport(http, { bundle: {} });
    expect(answer).toMatchObject({ status: 409, body: { code: 'SESSION_IN_USE' } });
    expect(http.instances.has('moved')).toBe(false);
  });

  it('POST /instance/import neither accepts nor returns the key of an instance for a key without all scopes', async () => {
    const { http } = await startServer();
    const { key: apikey } = await http.keys.create({ name: 'k', scopes: ['admin'], instanceId: null, expiresAt: null });
    expect((await postImport(http, { bundle: {} }, { apikey })).body).toMatchObject({
      status: 403,
      code: 'SCOPE_MISSING',
    });
    expect(http.instances.has('moved')).toBe(false);
    const { http: other } = await startServer({ instance: { name: 'moved' } });
    const { key } = await other.keys.create({ name: 'k', scopes: ['admin'], instanceId: null, expiresAt: null });
    const answer = await postImport(other, { bundle: {} }, { apikey: key });
    expect(answer.status).toBe(201);
    expect(answer.body).not.toHaveProperty('hash');
  });

  it('POST /instance/import refuses the key of an instance before it reads the body', async () => {
    const { http, received } = await startServer();
    expect(await postImport(http, { bundle: {} }, { apikey: 'shop-key' })).toMatchObject({ status: 401 });
    expect(received).toEqual([]);
  });
});

describe('callers that hang up while their import waits', () => {
  it.each([
    ['a JSON body', 'application/json', '{"bundle":'],
    ['a form', formType['content-type'], file('{"bundle":').trimEnd()],
  ])('a waiting import whose caller hangs up does not block the next import: %s', async (_, type, content) => {
    const { transfer } = fakeTransfer();
    const turns = new SessionTransfer();
    const importWaits = Promise.withResolvers<void>();
    transfer.runInTurn = (work) => {
      const turn = turns.runInTurn(work);
      importWaits.resolve();
      return turn;
    };
    const http = await startHttp({}, { sessionTransfer: transfer });
    const accepted = once(http.app.server, 'connection');
    const { port } = new URL(await http.app.listen({ host: '127.0.0.1', port: 0 }));
    const firstImport = Promise.withResolvers<void>();
    const running = turns.runInTurn(() => firstImport.promise);
    const caller = connect(Number(port), '127.0.0.1');
    const head = ['POST /instance/import HTTP/1.1', 'host: a', `apikey: ${KEY}`, `content-type: ${type}`];
    caller.write(`${[...head, 'content-length: 1000'].join('\r\n')}\r\n\r\n${content}`);
    await importWaits.promise;
    const [connection]: Socket[] = await accepted;
    const closed = connection && once(connection, 'close');
    caller.destroy();
    await closed;
    firstImport.resolve();
    await running;
    expect((await postImport(http, { bundle: {} })).status).toBe(201);
  });
});

describe('POST /instance/export', () => {
  const exportShop = (http: Http, body: object = { passphrase: PASSPHRASE }, headers = {}, query = '') =>
    http.call('POST', `/instance/export/shop${query}`, body, headers);

  async function startLinked(deps: Partial<AppDeps> = {}) {
    const started = await startServer({}, {}, deps);
    const shop = started.http.instances.get('shop');
    if (!shop) throw new Error('no instance');
    Object.assign(shop.row, {
      ownerJid: '15550001001@s.whatsapp.net',
      proxy: { protocol: 'http', host: 'proxy.example', port: 3128, username: 'u', password: 'secret' },
    });
    return { ...started, shop };
  }

  it('POST /instance/export returns the bundle as a file', async () => {
    const { http, heads } = await startLinked();
    const answer = await exportShop(http);
    expect(answer).toMatchObject({
      status: 200,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'content-disposition': 'attachment; filename="shop.session.json"',
        'cache-control': 'no-store',
      },
      body: { version: 1 },
    });
    expect(heads).toMatchObject([
      { passphrase: PASSPHRASE, instance: { name: 'shop', token: 'shop-key', proxy: { password: 'secret' } } },
    ]);
    expect(http.recorded).toMatchObject([{ operation: 'exportInstance', instance: 'shop', status: 200 }]);
    expect(JSON.stringify(http.log)).not.toContain(PASSPHRASE);
  });

  it('POST /instance/export omits webhook headers that a bundle cannot contain, which older versions accepted', async () => {
    const stored: WebhookRow = {
      ...{ id: 'hook', instanceId: 'id-of-shop', enabled: true, url: 'https://hook.example', events: [], secret: '' },
      ...{ headers: { 'X-Shop': 'caf\u00e9', 'X-Quote': 'a\u00e2\u0080\u0099b' }, byEvents: false, base64: false },
      ...{ createdAt: 1, updatedAt: 1 },
    };
    const webhooks = { list: async () => [stored], put: async () => {}, delete: async () => 0 };
    const subscriptions = await createSubscriptions({ webhooks }, { clock: systemClock });
    const { http, heads } = await startLinked({ subscriptions });
    expect((await exportShop(http)).status).toBe(200);
    const instance = heads[0]?.instance;
    expect(instance?.webhook?.headers).toEqual({ 'X-Shop': 'caf\u00e9' });
    expect(INSTANCE_SCHEMA.read(instance, Field.ROOT)).toMatchObject({ name: 'shop' });
  });

  it.each([
    ['the query', { passphrase: PASSPHRASE }, '?stop=true'],
    ['the body', { passphrase: PASSPHRASE, stop: true }, ''],
  ])('POST /instance/export stops the instance when stop is true in %s', async (_, body, query) => {
    const { http, shop } = await startLinked();
    expect((await exportShop(http, body, {}, query)).status).toBe(200);
    expect(shop.calls).toEqual([['disconnect']]);
  });

  it('POST /instance/export refuses a running instance', async () => {
    const { http, shop, heads } = await startLinked();
    Object.assign(shop, { isStopped: false });
    expect(await exportShop(http)).toMatchObject({ status: 409, body: { code: 'INSTANCE_NOT_STOPPED' } });
    expect(heads).toEqual([]);
  });

  type Started = Awaited<ReturnType<typeof startLinked>>;

  it.each<[string, number, string, (started: Started) => void]>([
    ['started', 409, 'INSTANCE_NOT_STOPPED', ({ shop }) => Object.assign(shop, { isStopped: false })],
    ['started and stopped', 409, 'INSTANCE_NOT_STOPPED', ({ shop }) => Object.assign(shop, { row: { ...shop.row } })],
    ['unlinked', 400, 'INSTANCE_NOT_CONNECTED', ({ stored }) => Object.assign(stored, { creds: null })],
    ['deleted', 404, 'INSTANCE_NOT_FOUND', ({ http }) => http.instances.delete('shop')],
  ])('POST /instance/export returns no bundle of an instance that was %s during the export', async (_, status, code, change) => {
    const started = await startLinked();
    const { write } = started.transfer;
    started.transfer.write = (...args) => {
      change(started);
      return write(...args);
    };
    expect(await exportShop(started.http)).toMatchObject({ status, body: { code } });
  });

  it('POST /instance/export refuses an instance that is not linked', async () => {
    const { http } = await startServer();
    expect(await exportShop(http)).toMatchObject({ status: 400, body: { code: 'INSTANCE_NOT_CONNECTED' } });
  });

  it('POST /instance/export refuses a short passphrase', async () => {
    const { http } = await startLinked();
    expect(await exportShop(http, { passphrase: 'short' })).toMatchObject({ status: 400 });
  });

  it('POST /instance/export omits a proxy with a password for the key of the instance', async () => {
    const { http, heads } = await startLinked();
    expect((await exportShop(http, { passphrase: PASSPHRASE }, { apikey: 'shop-key' })).status).toBe(200);
    expect(heads[0]?.instance).not.toHaveProperty('proxy');
    expect(heads[0]?.instance.token).toBe('shop-key');
  });

  it('POST /instance/export omits the key of the instance for a key without all scopes', async () => {
    const { http, heads } = await startLinked();
    const { key } = await http.keys.create({ name: 'k', scopes: ['admin'], instanceId: null, expiresAt: null });
    expect((await exportShop(http, { passphrase: PASSPHRASE }, { apikey: key })).status).toBe(200);
    expect(heads[0]?.instance).not.toHaveProperty('token');
  });
});
