import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import { fakeInstance, type Http, KEY, QR, startHttp } from '../../support/http-fixture.ts';
import { schemaViolations } from '../../support/openapi-document.ts';

const create = (http: Http, body: object) => http.call('POST', '/instance/create', body);

describe('POST /instance/create', () => {
  it('POST /instance/create responds in dialect v1 to a body in dialect v1', async () => {
    const http = await startHttp();
    const answer = await create(http, {
      ...{ instanceName: 'new', token: 'a-key-of-16-char', qrcode: true, reject_call: true, read_channels: true },
      ...{ webhook: 'http://hook.example', webhook_by_events: true, events: ['MESSAGES_UPSERT'] },
    });
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({
      instance: { instanceName: 'new', instanceId: 'id-of-new', status: 'created' },
      hash: { apikey: 'a-key-of-16-char' },
      webhook: { webhook: 'http://hook.example', webhook_by_events: true, events: ['MESSAGES_UPSERT'] },
      settings: { reject_call: true, read_channels: true },
      qrcode: QR,
    });
    expect(schemaViolations('CreatedInstanceV1', answer.body)).toBeUndefined();
    const { body } = await http.call('GET', '/instance/fetchInstances?instanceName=new');
    expect(body).toMatchObject([{ Setting: { rejectCall: true, readChannels: true } }]);
  });

  it('POST /instance/create responds in dialect v2 to a body in dialect v2', async () => {
    const http = await startHttp();
    const webhook = { url: 'http://hook.example', byEvents: true, headers: { 'x-a': 'b' } };
    const answer = await create(http, {
      instanceName: 'new',
      integration: 'WHATSAPP-BAILEYS',
      webhook,
      rejectCall: true,
    });
    expect(answer.body).toMatchObject({
      instance: { instanceName: 'new', status: 'close' },
      hash: 'MADE',
      webhook: { webhookUrl: 'http://hook.example', webhookByEvents: true, webhookHeaders: { 'x-a': 'b' } },
      settings: { rejectCall: true },
    });
    expect(answer.body).not.toHaveProperty('qrcode');
    expect(schemaViolations('CreatedInstanceV2', answer.body)).toBeUndefined();
  });

  it.each([
    ['a', {}, 400],
    ['fifteen-letters', {}, 400],
    ['sixteen-letters!', {}, 201],
    ['a', { WEAK_TOKENS: 'true' }, 201],
    ['', {}, 201],
  ])('POST /instance/create with the key %j and the settings %j responds with %i', async (token, env: Record<
    string,
    string
  >, status) => {
    const http = await startHttp(env);
    const answer = await create(http, { instanceName: 'new', token });
    expect(answer.status).toBe(status);
    if (status === 201) return;
    const message = [['token must have at least 16 characters. WEAK_TOKENS=true allows shorter tokens.']];
    expect(answer.body).toMatchObject({ code: 'INVALID_REQUEST', response: { message } });
    expect(http.instances.has('new')).toBe(false);
  });

  it('POST /instance/create reports a name in use before it checks the length of the key', async () => {
    const http = await startHttp();
    expect(await create(http, { instanceName: 'shop', token: 'a' })).toMatchObject({
      status: 403,
      body: { code: 'INSTANCE_NAME_IN_USE' },
    });
  });

  it('POST /instance/create responds in the dialect of RESPONSE_DIALECT', async () => {
    const v1Server = await startHttp({ RESPONSE_DIALECT: 'v1' });
    const answer = await create(v1Server, { instanceName: 'new', integration: 'WHATSAPP-BAILEYS' });
    expect(answer.body).toMatchObject({ hash: { apikey: 'MADE' } });
    const v2Server = await startHttp({ RESPONSE_DIALECT: 'v2' });
    expect((await create(v2Server, { instanceName: 'new', webhook: 'http://h.example' })).body).toMatchObject({
      hash: 'MADE',
    });
  });

  it('POST /instance/create sets the webhook before it connects, so that the webhook gets the first QR code', async () => {
    const http = await startHttp();
    const order: string[] = [];
    const { register } = http.subscriptions;
    Object.assign(http.subscriptions, {
      register: (...args: Parameters<typeof register>) => {
        order.push(`webhook, ${http.instances.get('new')?.calls.length} calls`);
        register(...args);
      },
    });
    await create(http, { instanceName: 'new', qrcode: true, number: '15551234567', webhook: 'http://hook.example' });
    expect(order).toEqual(['webhook, 0 calls']);
    expect(http.instances.get('new')?.calls).toEqual([['connect', '15551234567']]);
  });

  it('POST /instance/create leaves no instance when its webhook is invalid or its first connection fails', async () => {
    const http = await startHttp();
    const refused = await create(http, { instanceName: 'new', webhook: 'not a url' });
    expect(refused.body).toMatchObject({
      status: 400,
      response: { message: expect.arrayContaining(['Invalid "url" property']) },
    });
    expect(http.instances.has('new')).toBe(false);
    Object.assign(http.manager, {
      create: async () => {
        const instance = fakeInstance('new');
        http.instances.set('new', instance);
        instance.connect = async () => {
          throw new GatewayError('CONNECT_FAILED', 'The platform is closed.');
        };
        return instance;
      },
    });
    const failed = await create(http, { instanceName: 'new', qrcode: true });
    expect(failed.body).toMatchObject({ status: 502, response: { message: 'The platform is closed.' } });
    expect(http.instances.has('new')).toBe(false);
  });

  it.each([
    [{}, 'instance requires property "instanceName"'],
    [{ instanceName: '' }, 'The "instanceName" cannot be empty'],
    [{ instanceName: 'x', qrcode: 'maybe' }, 'qrcode is not of a type(s) boolean'],
    [{ instanceName: 'x', reject_call: 'maybe' }, 'reject_call is not of a type(s) boolean'],
    [
      { instanceName: 'x', webhook: { url: 'http://h', byEvents: 'maybe' } },
      'webhook.byEvents is not of a type(s) boolean',
    ],
    [{ instanceName: 'x', webhookUrl: {} }, 'webhookUrl is not of a type(s) string'],
  ])('POST /instance/create names the invalid field of %j', async (body, message) => {
    const http = await startHttp();
    expect((await create(http, body)).body).toMatchObject({ status: 400, response: { message: [[message]] } });
  });

  it('POST /instance/create refuses other integrations with the error text that clients expect', async () => {
    const http = await startHttp();
    const answer = await create(http, { instanceName: 'x', integration: 'WHATSAPP-BUSINESS' });
    expect(answer.body).toMatchObject({ status: 400, response: { message: ['Invalid integration'] } });
  });
});

describe('GET /instance/connect', () => {
  it('GET /instance/connect returns the QR code, and passes the number to the instance', async () => {
    const http = await startHttp();
    const answer = await http.call('GET', '/instance/connect/shop?number=15551234567');
    expect(answer).toMatchObject({ status: 200, body: QR });
    expect(http.instances.get('shop')?.calls).toEqual([['connect', '15551234567']]);
  });

  it('GET /instance/connect returns the state of an open instance', async () => {
    const http = await startHttp();
    const state = { instance: { instanceName: 'shop', state: 'open' } };
    Object.assign(http.instances.get('shop') ?? {}, { connect: async () => state });
    expect((await http.call('GET', '/instance/connect/shop')).body).toEqual(state);
  });

  it('GET /instance/connect aborts its signal to the instance when the caller hangs up', async () => {
    const http = await startHttp();
    const connectCalled = Promise.withResolvers<AbortSignal>();
    const aborted = Promise.withResolvers<void>();
    Object.assign(http.instances.get('shop') ?? {}, {
      connect: ({ signal }: { signal: AbortSignal }) => {
        signal.addEventListener('abort', () => aborted.resolve());
        connectCalled.resolve(signal);
        return aborted.promise.then(() => QR);
      },
    });
    const url = await http.app.listen({ host: '127.0.0.1', port: 0 });
    const caller = new AbortController();
    const call = fetch(`${url}/instance/connect/shop`, { headers: { apikey: 'shop-key' }, signal: caller.signal });
    const signal = await connectCalled.promise;
    expect(signal.aborted).toBe(false);
    caller.abort();
    await expect(call).rejects.toThrow();
    await aborted.promise;
    expect(signal.aborted).toBe(true);
  });
});

describe('GET /instance/fetchInstances', () => {
  it('GET /instance/fetchInstances returns records with the fields of both dialects', async () => {
    const http = await startHttp({ SERVER_URL: 'https://gate.example' });
    const { body } = await http.call('GET', '/instance/fetchInstances');
    expect(body).toMatchObject([
      {
        instance: { instanceName: 'shop', status: 'open', serverUrl: 'https://gate.example', apikey: 'shop-key' },
        ...{ id: 'id-of-shop', name: 'shop', connectionStatus: 'open', token: 'shop-key', platformVersion: '2.3000.1' },
        _count: { Message: 1, Contact: 2, Chat: 3 },
      },
      { name: 'other' },
    ]);
    for (const record of [body].flat()) expect(schemaViolations('InstanceRecord', record)).toBeUndefined();
  });

  it('GET /instance/fetchInstances returns a long list as the same text as the pages of the list', async () => {
    const http = await startHttp();
    for (let n = 0; n < 118; n++) http.instances.set(`i${n}`, fakeInstance(`i${n}`));
    for (const fields of ['', 'fields=summary']) {
      const getText = async (query: string) => {
        const url = `/instance/fetchInstances?${fields}&${query}`;
        return (await http.app.inject({ url, headers: { apikey: KEY } })).payload;
      };
      const partOf = (page: string) => page.slice(page.indexOf('[') + 1, page.lastIndexOf(']'));
      const pages = await Promise.all([1, 2, 3].map((page) => getText(`page=${page}&offset=40`)));
      const records = pages.map(partOf).join(',');
      expect(await getText('')).toBe(`[${records}]`);
      const head = pages[0]?.split('[', 1)[0]?.replace('"pages":3', '"pages":1');
      expect(await getText('page=1&offset=120')).toBe(`${head}[${records}]}}`);
    }
  });

  it.each([
    [0, 503],
    [110, 200],
  ])('GET /instance/fetchInstances reports the failure of record %i by an error status, or by an incomplete body', async (failing, status) => {
    const counts = async (id: string) => {
      if (id === `id-of-i${failing}`) throw new GatewayError('STORAGE_UNAVAILABLE', 'The database is not available');
      return { messages: 1, contacts: 2, chats: 3 };
    };
    const http = await startHttp({}, { counts });
    for (let n = 0; n < 118; n++) http.instances.set(`i${n}`, fakeInstance(`i${n}`));
    const url = await http.app.listen({ host: '127.0.0.1', port: 0 });
    const response = await fetch(`${url}/instance/fetchInstances`, { headers: { apikey: KEY } });
    expect(response.status).toBe(status);
    if (status === 200) await expect(response.text()).rejects.toThrow();
    else expect(await response.json()).toMatchObject({ status, code: 'STORAGE_UNAVAILABLE' });
  });

  it.each([
    ['instanceName=shop', 'shop'],
    ['instanceId=id-of-other', 'other'],
    ['number=%2B1555%20000', 'phone'],
    ['number=1555111', 'owner'],
    ['instanceName=phone&number=1555000', 'phone'],
  ])('GET /instance/fetchInstances filters by %s', async (query, name) => {
    const http = await startHttp();
    http.instances.set('phone', fakeInstance('phone', { number: '1555000' }));
    http.instances.set('owner', fakeInstance('owner', { ownerJid: '1555111@s.whatsapp.net' }));
    expect((await http.call('GET', `/instance/fetchInstances?${query}`)).body).toMatchObject([{ name }]);
  });

  it.each([
    ['search=HO', ['shop', 'phone']],
    ['search=%2B1555', ['phone', 'owner']],
    ['search=zoë', ['owner']],
    ['state=close', ['other']],
    ['search=o&state=open', ['shop', 'phone', 'owner']],
    ['search=absent', []],
    ['state=connecting', []],
  ])('GET /instance/fetchInstances returns a list for %s', async (query, names) => {
    const http = await startHttp();
    http.instances.set('phone', fakeInstance('phone', { number: '1555000' }));
    const owner = fakeInstance('owner', { ownerJid: '1555111:7@s.whatsapp.net', profileName: 'ZOË' });
    http.instances.set('owner', owner);
    Object.assign(http.instances.get('other') ?? {}, { state: 'close' });
    const { status, body } = await http.call('GET', `/instance/fetchInstances?${query}`);
    expect(status).toBe(200);
    expect([body].flat()).toMatchObject(names.map((name) => ({ name, instance: { instanceName: name } })));
  });

  it('GET /instance/fetchInstances responds with 404 to an unknown name, regardless of the state', async () => {
    const http = await startHttp();
    expect((await http.call('GET', '/instance/fetchInstances?instanceName=absent&state=open')).status).toBe(404);
    expect((await http.call('GET', '/instance/fetchInstances?instanceName=shop&state=close')).body).toEqual([]);
  });

  it('GET /instance/fetchInstances returns pages with totals, and counts no data of instances on other pages', async () => {
    const counted: string[] = [];
    const http = await startHttp(
      {},
      {
        counts: async (id) => {
          counted.push(id);
          return { messages: 1, contacts: 2, chats: 3 };
        },
      },
    );
    http.instances.set('third', fakeInstance('third'));
    Object.assign(http.instances.get('other') ?? {}, { state: 'close' });
    expect((await http.call('GET', '/instance/fetchInstances?page=2&offset=2')).body).toMatchObject({
      instances: {
        ...{ total: 3, pages: 2, currentPage: 2, states: { open: 2, connecting: 0, close: 1 } },
        records: [{ name: 'third', instance: { instanceName: 'third' }, _count: { Message: 1 } }],
      },
    });
    expect(counted).toEqual(['id-of-third']);
    expect((await http.call('GET', '/instance/fetchInstances?page=9')).body).toMatchObject({
      instances: { total: 3, pages: 1, currentPage: 9, records: [] },
    });
    expect((await http.call('GET', '/instance/fetchInstances?offset=1&state=close')).body).toMatchObject({
      instances: { total: 1, pages: 1, states: { open: 2, close: 1 }, records: [{ name: 'other' }] },
    });
  });

  it('GET /instance/fetchInstances with fields=summary returns no keys, settings and counts', async () => {
    const counts = () => Promise.reject(new Error('not needed'));
    const http = await startHttp({}, { counts });
    const summary = {
      ...{ id: 'id-of-shop', name: 'shop', connectionStatus: 'open', ownerJid: null, profileName: null, number: null },
      ...{ phase: 'open', cause: null, message: null, userAction: null, retryAt: null },
    };
    const query = '/instance/fetchInstances?fields=summary&instanceName=shop';
    expect((await http.call('GET', query)).body).toEqual([summary]);
    expect((await http.call('GET', `${query}&page=1`)).body).toMatchObject({ instances: { records: [summary] } });
    const ownPage = await http.call('GET', '/instance/fetchInstances?fields=summary&page=1', undefined, {
      apikey: 'shop-key',
    });
    expect(ownPage.body).toMatchObject({ instances: { total: 1, pages: 1, records: [summary] } });
  });

  it.each([
    'page=0',
    'offset=0',
    'offset=1001',
    'state=lost',
    'fields=token',
  ])('GET /instance/fetchInstances refuses %s', async (query) => {
    const http = await startHttp();
    expect((await http.call('GET', `/instance/fetchInstances?${query}`)).status).toBe(400);
  });

  it('EXPOSE_INSTANCE_KEYS=false hides the keys in GET /instance/fetchInstances', async () => {
    const http = await startHttp({ EXPOSE_INSTANCE_KEYS: 'false' });
    const answer = await http.call('GET', '/instance/fetchInstances');
    expect(answer.status).toBe(200);
    expect(answer.text).not.toMatch(/shop-key|other-key/);
  });
});

describe('operations of one instance', () => {
  it.each([
    'PUT',
    'POST',
  ] as const)('%s /instance/restart restarts the instance and returns its state', async (method) => {
    const http = await startHttp();
    Object.assign(http.instances.get('shop') ?? {}, { state: 'connecting' });
    const answer = await http.call(method, '/instance/restart/shop');
    expect(answer).toMatchObject({ status: 200, body: { instance: { instanceName: 'shop', state: 'connecting' } } });
    expect(http.instances.get('shop')?.calls).toEqual([['restart']]);
  });

  it('GET /instance/connectionState ignores the case of its path and a slash at the end, but not the case of the name', async () => {
    const http = await startHttp();
    for (const path of [
      '/instance/connectionState/shop',
      '/INSTANCE/ConnectionState/shop/',
      '/instance/connectionstate/shop',
    ]) {
      expect((await http.call('GET', path)).body).toEqual({ instance: { instanceName: 'shop', state: 'open' } });
    }
    expect((await http.call('GET', '/instance/connectionState/SHOP')).status).toBe(404);
  });

  it('an instance name can contain spaces, slashes and letters with accents', async () => {
    const http = await startHttp();
    http.instances.set('my shop/é', fakeInstance('my shop/é'));
    const answer = await http.call('GET', `/instance/connectionState/${encodeURIComponent('my shop/é')}`);
    expect(answer.body).toMatchObject({ instance: { instanceName: 'my shop/é' } });
  });

  it('DELETE /instance/logout reports when the phone has not confirmed the logout', async () => {
    const http = await startHttp();
    const success = (message: string) => ({ status: 'SUCCESS', error: false, response: { message } });
    expect((await http.call('DELETE', '/instance/logout/shop')).body).toEqual(success('Instance logged out'));
    Object.assign(http.instances.get('shop') ?? {}, { logout: async () => ({ isConfirmed: false }) });
    const { body } = await http.call('DELETE', '/instance/logout/shop');
    expect(body).toEqual(success('Instance logged out; the phone may still list the device'));
  });

  it('DELETE /instance/delete removes the instance', async () => {
    const http = await startHttp();
    const { body } = await http.call('DELETE', '/instance/delete/shop');
    expect(body).toEqual({ status: 'SUCCESS', error: false, response: { message: 'Instance deleted' } });
    expect((await http.call('GET', '/instance/connectionState/shop')).status).toBe(404);
  });
});
