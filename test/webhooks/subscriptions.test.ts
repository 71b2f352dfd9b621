import { describe, expect, it, onTestFinished } from 'vitest';
import { createEgress } from '../../src/egress/http-client.ts';
import { SUBSCRIPTION_NAMES } from '../../src/events/event-names.ts';
import type { Storage } from '../../src/storage/storage.ts';
import type { WebhookRow } from '../../src/storage/webhook-stores.ts';
import { createSubscriptions, MAX_WEBHOOKS, type SubscriptionOptions } from '../../src/webhooks/subscriptions.ts';
import type { WebhookConfig } from '../../src/webhooks/webhook-settings.ts';
import { ManualClock } from '../support/dispatcher-world.ts';

const HOOK = 'https://hooks.example/in';

function createStore(): Pick<Storage, 'webhooks'> {
  const rows = new Map<string, WebhookRow>();
  return {
    webhooks: {
      list: async () => [...rows.values()],
      put: async (row) => void rows.set(row.id, row),
      delete: async ({ id }) => (rows.delete(id) ? 3 : 0),
    },
  };
}

type OpenOptions = Partial<Omit<SubscriptionOptions, 'clock'>> & { clock?: ManualClock };

async function open(storage = createStore(), { clock = new ManualClock(), ...options }: OpenOptions = {}) {
  const egress = createEgress({ allow: [], strict: false });
  onTestFinished(() => egress.close());
  const subscriptions = await createSubscriptions(storage, {
    clock,
    check: (url) => egress.check('webhook', url),
    ...options,
  });
  const set = (config: Partial<WebhookConfig> = {}) =>
    subscriptions.setMain('i', { enabled: true, url: HOOK, ...config });
  return { clock, subscriptions, storage, set };
}

describe('webhooks', () => {
  it('an instance has no webhook before webhook/set', async () => {
    const { subscriptions } = await open();
    expect(subscriptions.findMain('i')).toBeNull();
    expect(subscriptions.findSubscribed('i', 'messages.upsert')).toEqual([]);
  });

  it('a webhook keeps id, secret and time of creation through changes and a restart', async () => {
    const { clock, set, storage, subscriptions } = await open();
    const first = await set();
    expect(first.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    clock.advance(1_000);
    const second = await set({ url: `${HOOK}/2`, events: ['CALL'], headers: { a: 'b' }, byEvents: true, base64: true });
    expect(second).toEqual({
      ...first,
      url: `${HOOK}/2`,
      events: ['CALL'],
      headers: { a: 'b' },
      byEvents: true,
      base64: true,
      updatedAt: first.updatedAt + 1_000,
    });
    expect(subscriptions.findMain('i')).toEqual(second);
    expect((await open(storage)).subscriptions.findMain('i')).toEqual(second);
  });

  it('concurrent calls of setMain() create one webhook', async () => {
    const { set, storage, subscriptions } = await open();
    await Promise.all([set(), set({ url: `${HOOK}/2` }), set({ url: `${HOOK}/3` })]);
    expect(await storage.webhooks.list()).toHaveLength(1);
    expect(subscriptions.findMain('i')?.url).toBe(`${HOOK}/3`);
  });

  it('a webhook without a list of events gets all events', async () => {
    const { set, subscriptions } = await open();
    await set({ events: [] });
    expect(subscriptions.findSubscribed('i', 'messages.upsert')).toHaveLength(1);
    await set();
    expect(subscriptions.findSubscribed('i', 'presence.update')).toHaveLength(1);
  });

  it('a webhook gets its listed events and no others', async () => {
    const { set, subscriptions } = await open();
    await set({ events: ['MESSAGES_UPSERT', 'group-participants.update'] });
    const matches = ['messages.upsert', 'messages.update', 'group-participants.update'].map(
      (event) => subscriptions.findSubscribed('i', event).length,
    );
    expect(matches).toEqual([1, 0, 1]);
    expect(subscriptions.findSubscribed('other', 'messages.upsert')).toEqual([]);
  });

  it.each(['GROUP_UPDATE', 'GROUPS_UPDATE'])('a webhook with %s gets groups.update', async (name) => {
    const { set, subscriptions } = await open();
    await set({ events: [name] });
    expect(subscriptions.findSubscribed('i', 'groups.update')).toHaveLength(1);
  });

  it('a disabled webhook gets no events, and can have no URL', async () => {
    const { set, subscriptions } = await open();
    await set({ enabled: false, url: '' });
    expect(subscriptions.findSubscribed('i', 'messages.upsert')).toEqual([]);
    expect(subscriptions.findMain('i')).toMatchObject({ enabled: false, url: '' });
  });

  it('a webhook is forgotten together with its instance', async () => {
    const { set, subscriptions } = await open();
    const { id } = await set();
    subscriptions.forget('i');
    expect([subscriptions.findMain('i'), subscriptions.byId(id)]).toEqual([null, null]);
  });

  it('a webhook can list every event name', async () => {
    const { set } = await open();
    expect((await set({ events: SUBSCRIPTION_NAMES })).events).toHaveLength(SUBSCRIPTION_NAMES.length);
    for (const name of [
      'APPLICATION_STARTUP',
      'MESSAGES_UPSERT',
      'TYPEBOT_CHANGE_STATUS',
      'NEW_JWT_TOKEN',
      'GROUP_UPDATE',
      'MESSAGES_UNDECRYPTABLE',
    ]) {
      expect(SUBSCRIPTION_NAMES).toContain(name);
    }
  });
});

describe('configurations', () => {
  it.each([
    '',
    'example',
    'ftp://example.com',
    'javascript:alert(1)',
    'http://',
  ])('a webhook configuration with the URL "%s" is refused', async (url) => {
    const { set } = await open();
    await expect(set({ url })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      responseMessage: expect.arrayContaining(['Invalid "url" property']),
    });
  });

  it.each([
    'http://169.254.169.254/latest',
    'http://0.0.0.0/',
    'http://[fe80::1]/',
    'http://2852039166/',
  ])('a webhook configuration with the forbidden URL %s is refused', async (url) => {
    const { set } = await open();
    await expect(set({ url })).rejects.toMatchObject({
      code: 'ADDRESS_FORBIDDEN',
      status: 400,
      responseMessage: ['Invalid "url" property', expect.any(String)],
    });
  });

  it.each([
    'http://n8n:5678/webhook',
    'http://localhost/x',
    'http://10.0.0.5:3000/',
    'https://a.example/?b=c',
  ])('a webhook configuration with the URL %s is accepted', async (url) => {
    const { set } = await open();
    expect((await set({ url })).url).toBe(url);
  });

  it('a webhook configuration with an unknown event is refused by the name of the event', async () => {
    const { set } = await open();
    const refusal = set({ events: ['MESSAGES_UPSERT', 'MESSAGE_UPSERT'] });
    await expect(refusal).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      responseMessage: ['Invalid "events" property', expect.stringContaining('MESSAGE_UPSERT')],
    });
  });

  it.each<Record<string, string>>([
    { 'webhook-signature': 'x' },
    { 'X-Quote': 'a\u00e2\u0080\u0099b' },
    { 'Webhook-Id': 'x' },
    { Host: 'x' },
    { 'Content-Type': 'text/plain' },
    { 'content-type': 'application/json5' },
    { 'content-type': '' },
    { 'content-encoding': 'gzip' },
    { 'proxy-authorization': 'Basic x' },
    { 'bad name': 'x' },
    { '': 'x' },
    { a: 'x\r\nb: y' },
    { a: 'ключ' },
    { a: 'x'.repeat(9_000) },
  ])('a webhook configuration with the headers %j is refused', async (headers) => {
    const { set } = await open();
    await expect(set({ headers })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      responseMessage: ['Invalid "headers" property', expect.any(String)],
    });
  });

  it.each<Record<string, string>>([
    { autorization: 'Bearer TOKEN', 'Content-Type': 'application/json' },
    { 'content-type': 'Application/JSON; charset=utf-8' },
    { Host: new URL(HOOK).host },
    { host: new URL(HOOK).hostname },
    { 'Content-Length': '12', Connection: 'keep-alive', 'Transfer-Encoding': 'chunked', 'Keep-Alive': 'timeout=5' },
    {
      'content-encoding': 'identity',
      'Proxy-Connection': 'keep-alive',
      TE: 'trailers',
      Trailer: 'x',
      Upgrade: 'h2c',
      Expect: '100-continue',
    },
  ])('a webhook configuration with the headers %j is accepted and returned unchanged', async (headers) => {
    const { set, subscriptions } = await open();
    expect(await set({ headers })).toMatchObject({ headers });
    expect(subscriptions.findMain('i')?.headers).toEqual(headers);
  });

  it('the error for a header that the gateway sets to another value names the header', async () => {
    const { set } = await open();
    const sentences = {
      'Content-Type': ['text/plain', '"Content-Type" must be application/json: posts are JSON'],
      HOST: ['other.example', '"HOST" must be the host of "url"'],
      'Webhook-Id': ['1', '"Webhook-Id" cannot be set'],
    };
    for (const [name, [value = '', sentence]] of Object.entries(sentences))
      await expect(set({ headers: { [name]: value } })).rejects.toMatchObject({
        responseMessage: ['Invalid "headers" property', sentence],
      });
  });

  it('a refused webhook configuration changes nothing', async () => {
    const { set, subscriptions } = await open();
    const before = await set();
    await expect(set({ url: 'nonsense' })).rejects.toThrow();
    expect(subscriptions.findMain('i')).toEqual(before);
  });
});

const config = (path: string, options: Partial<WebhookConfig> = {}) => ({
  enabled: true,
  url: `${HOOK}/${path}`,
  ...options,
});

describe('several webhooks of an instance', () => {
  it('each webhook gets its own events, and setMain() changes only the main webhook', async () => {
    const { set, storage, subscriptions } = await open();
    const further = await subscriptions.add('i', config('further', { events: ['CALL'] }));
    expect(subscriptions.findMain('i')).toBeNull();
    const main = await set();
    expect(main.id).not.toBe(further.id);
    const idsOf = (event: string) => subscriptions.findSubscribed('i', event).map(({ id }) => id);
    expect(idsOf('messages.upsert')).toEqual([main.id]);
    expect(idsOf('call').sort()).toEqual([main.id, further.id].sort());
    expect(subscriptions.listOwn('i').map(({ id }) => id)).toEqual([main.id, further.id]);
    const reloaded = (await open(storage)).subscriptions;
    expect(reloaded.findMain('i')).toEqual(main);
    expect(reloaded.get('i', further.id)).toEqual(further);
  });

  it('a change of one webhook keeps its secret and does not affect the others', async () => {
    const { set, subscriptions } = await open();
    const main = await set();
    const further = await subscriptions.add('i', config('further', { chats: { except: ['group'] } }));
    const changed = await subscriptions.change('i', further.id, config('other'));
    expect(changed).toMatchObject({ id: further.id, secret: further.secret, url: `${HOOK}/other`, role: 'further' });
    expect(changed.chats).toBeUndefined();
    expect(subscriptions.findMain('i')).toEqual(main);
    await expect(subscriptions.change('i', further.id, config('x', { url: 'no' }))).rejects.toThrow('url');
  });

  it('setMain() without a chat filter keeps the filter, and change() without a chat filter removes it', async () => {
    const { set, subscriptions } = await open();
    const { id } = await set({ chats: { except: ['group'] } });
    expect((await set({ events: ['CALL'] })).chats).toEqual({ only: [], except: ['group'] });
    expect((await subscriptions.change('i', id, config('x'))).chats).toBeUndefined();
  });

  it('an instance has at most MAX_WEBHOOKS webhooks, also after concurrent requests', async () => {
    const { set, subscriptions } = await open();
    const requests = Array.from({ length: MAX_WEBHOOKS + 3 }, (_, n) => subscriptions.add('i', config(String(n))));
    const refused = (await Promise.allSettled(requests)).filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(3);
    await expect(set()).rejects.toMatchObject({ code: 'TOO_MANY_WEBHOOKS' });
    expect(subscriptions.listOwn('i')).toHaveLength(MAX_WEBHOOKS);
  });

  it('remove() removes a webhook and returns the number of its waiting deliveries', async () => {
    const { set, storage, subscriptions } = await open();
    const main = await set();
    const further = await subscriptions.add('i', config('further'));
    const ids: string[] = [];
    subscriptions.onChange(({ id }) => ids.push(id));
    expect(await subscriptions.remove('i', further.id)).toBe(3);
    expect(ids).toEqual([further.id]);
    expect(subscriptions.byId(further.id)).toBeNull();
    expect(await storage.webhooks.list()).toEqual([main]);
    await expect(subscriptions.remove('i', further.id)).rejects.toMatchObject({ code: 'WEBHOOK_NOT_FOUND' });
  });

  it('a webhook stays when the store cannot remove it', async () => {
    const storage = createStore();
    const { set, subscriptions } = await open(storage);
    const main = await set();
    storage.webhooks.delete = () => Promise.reject(new Error('disk'));
    await expect(subscriptions.remove('i', main.id)).rejects.toThrow('disk');
    expect(subscriptions.findMain('i')).toEqual(main);
    expect(subscriptions.byId(main.id)).toEqual(main);
  });

  it('a webhook of another instance is not found', async () => {
    const { set, subscriptions } = await open();
    const { id } = await set();
    for (const work of [
      () => subscriptions.change('other', id, config('x')),
      () => subscriptions.remove('other', id),
      () => subscriptions.rotateSecret('other', id, { grace: 0 }),
    ]) {
      await expect(work()).rejects.toMatchObject({ code: 'WEBHOOK_NOT_FOUND' });
    }
  });
});

describe('rotations of secrets', () => {
  it('a rotation creates a secret and keeps the old one for its grace period, also through a change and a restart', async () => {
    const { clock, set, storage, subscriptions } = await open();
    const { id, secret } = await set();
    const rotated = await subscriptions.rotateSecret('i', id, { grace: 1_000 });
    expect(rotated.secret).not.toBe(secret);
    expect(rotated.oldSecrets).toEqual([{ secret, until: clock.now() + 1_000 }]);
    await set({ url: `${HOOK}/2` });
    const found = (await open(storage)).subscriptions.findMain('i');
    expect(found).toMatchObject({ url: `${HOOK}/2`, secret: rotated.secret, oldSecrets: rotated.oldSecrets });
  });

  it('a rotation accepts a valid secret of the caller', async () => {
    const { set, subscriptions } = await open();
    const { id } = await set();
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    expect(await subscriptions.rotateSecret('i', id, { secret, grace: 0 })).toMatchObject({ secret, oldSecrets: [] });
    const refused = subscriptions.rotateSecret('i', id, { secret: 'secret', grace: 0 });
    await expect(refused).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      responseMessage: ['Invalid "secret" property', expect.any(String)],
    });
    expect(subscriptions.findMain('i')?.secret).toBe(secret);
  });
});

describe('the global webhook', () => {
  const global = { url: `${HOOK}/all`, events: ['CALL'], byEvents: true };

  it('the global webhook gets the events of every instance, and belongs to none', async () => {
    const { set, subscriptions } = await open(createStore(), { global });
    const main = await set();
    const idsOf = (instance: string, event: string) =>
      subscriptions.findSubscribed(instance, event).map(({ id }) => id);
    expect(idsOf('i', 'call')).toEqual([main.id, 'global']);
    expect(idsOf('other', 'call')).toEqual(['global']);
    expect(idsOf('other', 'messages.upsert')).toEqual([]);
    expect(subscriptions.listOwnAndGlobal('other').map(({ id }) => id)).toEqual(['global']);
    expect([subscriptions.listOwn('other'), subscriptions.findMain('other')]).toEqual([[], null]);
    await expect(subscriptions.remove('', 'global')).rejects.toMatchObject({ code: 'WEBHOOK_NOT_FOUND' });
  });

  it('the global webhook keeps its generated secret across starts, and uses the URL in the environment of each start', async () => {
    const storage = createStore();
    const first = (await open(storage, { global })).subscriptions;
    for (const row of first.listOwnAndGlobal('i')) await first.disable(row);
    expect(first.findSubscribed('i', 'call')).toEqual([]);
    const off = (await open(storage)).subscriptions;
    expect([off.global(), off.byId('global'), off.findSubscribed('i', 'call')]).toEqual([null, null, []]);
    const next = (await open(storage, { global: { ...global, url: `${HOOK}/else` } })).subscriptions;
    expect(next.global()).toMatchObject({ enabled: true, url: `${HOOK}/else`, secret: first.global()?.secret });
  });

  it('the global webhook signs with the secret of the environment, and for a day also with the previous secret', async () => {
    const storage = createStore();
    const createdSecret = (await open(storage, { global })).subscriptions.global()?.secret ?? '';
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const clock = new ManualClock();
    const configured = await open(storage, { clock, global: { ...global, secret } });
    expect(configured.subscriptions.global()).toMatchObject({
      secret,
      oldSecrets: [{ secret: createdSecret, until: clock.now() + 86_400_000 }],
    });
    clock.advance(3_600_000);
    const restarted = (await open(storage, { clock, global: { ...global, secret } })).subscriptions.global();
    expect(restarted?.oldSecrets).toEqual(configured.subscriptions.global()?.oldSecrets);
  });

  it.each([
    'nonsense',
    'ftp://example.com',
    'http://169.254.169.254/',
  ])('a global webhook with the URL %s is refused at the start', async (url) => {
    await expect(open(createStore(), { global: { ...global, url } })).rejects.toThrow('WEBHOOK_GLOBAL_URL');
  });
});
