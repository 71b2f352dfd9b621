import { describe, expect, it, onTestFinished } from 'vitest';
import { createEgress } from '../../src/egress/client.ts';
import type { Storage, WebhookRow } from '../../src/storage/storage.ts';
import { subscriptionNames } from '../../src/webhooks/catalogue.ts';
import { createSubscriptions, type WebhookConfig } from '../../src/webhooks/subscriptions.ts';
import { ManualClock } from './world.ts';

const URL_ = 'https://hooks.example/in';

function memory(): Pick<Storage, 'webhooks'> {
  const rows = new Map<string, WebhookRow>();
  return {
    webhooks: {
      list: async () => [...rows.values()],
      put: async (row) => void rows.set(row.id, row),
      delete: async (id) => void rows.delete(id),
    },
  };
}

async function open(storage = memory()) {
  const clock = new ManualClock();
  const egress = createEgress({ allow: [], strict: false });
  onTestFinished(() => egress.close());
  const subscriptions = await createSubscriptions(storage, { clock, check: (url) => egress.check('webhook', url) });
  const set = (config: Partial<WebhookConfig> = {}) => subscriptions.set('i', { enabled: true, url: URL_, ...config });
  return { clock, subscriptions, storage, set };
}

describe('a webhook', () => {
  it('is absent until it is set', async () => {
    const { subscriptions } = await open();
    expect(subscriptions.find('i')).toBeNull();
    expect(subscriptions.matching('i', 'messages.upsert')).toEqual([]);
  });

  it('keeps id, secret and time of creation through changes and a restart', async () => {
    const { clock, set, storage, subscriptions } = await open();
    const first = await set();
    expect(first.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    clock.advance(1_000);
    const second = await set({ url: `${URL_}/2`, events: ['CALL'], headers: { a: 'b' }, byEvents: true, base64: true });
    expect(second).toEqual({
      ...first,
      url: `${URL_}/2`,
      events: ['CALL'],
      headers: { a: 'b' },
      byEvents: true,
      base64: true,
      updatedAt: first.updatedAt + 1_000,
    });
    expect(subscriptions.find('i')).toEqual(second);
    expect((await open(storage)).subscriptions.find('i')).toEqual(second);
  });

  it('is one, also when it is set several times at once', async () => {
    const { set, storage, subscriptions } = await open();
    await Promise.all([set(), set({ url: `${URL_}/2` }), set({ url: `${URL_}/3` })]);
    expect(await storage.webhooks.list()).toHaveLength(1);
    expect(subscriptions.find('i')?.url).toBe(`${URL_}/3`);
  });

  it('without a list of events gets all of them', async () => {
    const { set, subscriptions } = await open();
    await set({ events: [] });
    expect(subscriptions.matching('i', 'messages.upsert')).toHaveLength(1);
    await set();
    expect(subscriptions.matching('i', 'presence.update')).toHaveLength(1);
  });

  it('gets the events it named, and no others', async () => {
    const { set, subscriptions } = await open();
    await set({ events: ['MESSAGES_UPSERT', 'group-participants.update'] });
    const got = ['messages.upsert', 'messages.update', 'group-participants.update'].map(
      (event) => subscriptions.matching('i', event).length,
    );
    expect(got).toEqual([1, 0, 1]);
    expect(subscriptions.matching('other', 'messages.upsert')).toEqual([]);
  });

  it.each(['GROUP_UPDATE', 'GROUPS_UPDATE'])('that named %s gets groups.update', async (name) => {
    const { set, subscriptions } = await open();
    await set({ events: [name] });
    expect(subscriptions.matching('i', 'groups.update')).toHaveLength(1);
  });

  it('that is disabled gets nothing, and may have no address', async () => {
    const { set, subscriptions } = await open();
    await set({ enabled: false, url: '' });
    expect(subscriptions.matching('i', 'messages.upsert')).toEqual([]);
    expect(subscriptions.find('i')).toMatchObject({ enabled: false, url: '' });
  });

  it('is gone when its instance was forgotten', async () => {
    const { set, subscriptions } = await open();
    const { id } = await set();
    subscriptions.forget('i');
    expect([subscriptions.find('i'), subscriptions.byId(id)]).toEqual([null, null]);
  });

  it('may name every event of the catalogue', async () => {
    const { set } = await open();
    expect((await set({ events: subscriptionNames })).events).toHaveLength(subscriptionNames.length);
    for (const name of [
      'APPLICATION_STARTUP',
      'MESSAGES_UPSERT',
      'TYPEBOT_CHANGE_STATUS',
      'NEW_JWT_TOKEN',
      'GROUP_UPDATE',
      'MESSAGES_UNDECRYPTABLE',
    ]) {
      expect(subscriptionNames).toContain(name);
    }
  });
});

describe('a configuration', () => {
  it.each([
    '',
    'example',
    'ftp://example.com',
    'javascript:alert(1)',
    'http://',
  ])('with the url "%s" is refused', async (url) => {
    const { set } = await open();
    await expect(set({ url })).rejects.toMatchObject({ code: 'INVALID_REQUEST', body: ['Invalid "url" property'] });
  });

  it.each([
    'http://169.254.169.254/latest',
    'http://0.0.0.0/',
    'http://[fe80::1]/',
    'http://2852039166/',
  ])('with the address %s, which can never be reached, is refused at once', async (url) => {
    const { set } = await open();
    await expect(set({ url })).rejects.toMatchObject({
      code: 'ADDRESS_FORBIDDEN',
      status: 400,
      body: ['Invalid "url" property', expect.any(String)],
    });
  });

  it.each([
    'http://n8n:5678/webhook',
    'http://localhost/x',
    'http://10.0.0.5:3000/',
    'https://a.example/?b=c',
  ])('with the address %s is accepted', async (url) => {
    const { set } = await open();
    expect((await set({ url })).url).toBe(url);
  });

  it('with an unknown event is refused by name', async () => {
    const { set } = await open();
    const refusal = set({ events: ['MESSAGES_UPSERT', 'MESSAGE_UPSERT'] });
    await expect(refusal).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      body: ['Invalid "events" property', expect.stringContaining('MESSAGE_UPSERT')],
    });
  });

  it.each<Record<string, string>>([
    { 'webhook-signature': 'x' },
    { Host: 'x' },
    { 'Content-Type': 'text/plain' },
    { 'transfer-encoding': 'chunked' },
    { 'bad name': 'x' },
    { '': 'x' },
    { a: 'x\r\nb: y' },
    { a: 'ключ' },
    { a: 'x'.repeat(9_000) },
  ])('with the headers %j is refused', async (headers) => {
    const { set } = await open();
    await expect(set({ headers })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      body: ['Invalid "headers" property', expect.any(String)],
    });
  });

  it('that is refused changes nothing', async () => {
    const { set, subscriptions } = await open();
    const before = await set();
    await expect(set({ url: 'nonsense' })).rejects.toThrow();
    expect(subscriptions.find('i')).toEqual(before);
  });
});
