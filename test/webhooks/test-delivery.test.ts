import { describe, expect, it, onTestFinished } from 'vitest';
import { createEgress } from '../../src/egress/http-client.ts';
import { createTestDelivery, type TestDeliveryOptions } from '../../src/webhooks/test-delivery.ts';
import { postViolations } from '../support/conforms.ts';
import { createReceiver, ManualClock } from '../support/dispatcher-world.ts';
import { webhook } from '../support/sample-rows.ts';

const shop = { id: 'i', name: 'shop', ownerJid: '15550001@s.whatsapp.net' };

function createDelivery(options: Partial<TestDeliveryOptions> = {}) {
  const egress = createEgress({ allow: [], strict: false });
  onTestFinished(() => egress.close());
  const check = (url: string) => egress.check('webhook', url);
  return createTestDelivery({
    ...{ egress, check, clock: new ManualClock(), timeout: 2_000, serverUrl: { current: 'http://gateway.test' } },
    ...options,
  });
}

describe('test deliveries', () => {
  it('a test delivery is posted like an event, and returns the response of the receiver', async () => {
    const hook = await createReceiver();
    hook.answer(() => ({ status: 202, headers: { 'content-type': 'text/plain' }, body: 'thanks, grüße\n' }));
    const row = webhook('w', { url: `${hook.url}/in/`, byEvents: true, headers: { 'X-Key': 'k' } });
    const result = await createDelivery()(row, shop);
    const [post] = hook.posts;
    expect(result).toEqual({
      ...{ id: post?.headers['webhook-id'], delivered: true, status: 202, body: 'thanks, grüße\n', error: null },
      ms: expect.any(Number),
    });
    expect(post?.path).toBe('/in/webhook-test');
    expect(post?.headers).toMatchObject({ 'x-key': 'k', 'content-type': 'application/json' });
    expect(() => post?.verify(row.secret)).not.toThrow();
    expect(post?.body).toMatchObject({ event: 'webhook.test', instance: 'shop', destination: row.url });
    expect(post?.body).not.toHaveProperty('apikey');
    expect(postViolations(post?.body)).toBeUndefined();
  });

  it('a test delivery has the key of its instance with WEBHOOK_INCLUDE_APIKEY, and no key without an instance', async () => {
    const hook = await createReceiver();
    const keyOf = (id: string) => `key of ${id}`;
    await createDelivery({ keyOf })(webhook('w', { url: hook.url }), shop);
    await createDelivery({ keyOf })(webhook('w', { url: hook.url }), undefined);
    expect(hook.posts.map(({ body }) => Reflect.get(Object(body), 'apikey'))).toEqual(['key of i', undefined]);
    expect(hook.posts.map(({ body }) => postViolations(body))).toEqual([undefined, undefined]);
  });

  it.each([
    [500, { delivered: false, status: 500, error: null }],
    ['close', { delivered: false, status: null, body: null, error: 'UND_ERR_SOCKET' }],
  ] as const)('a test delivery reports the failure of a receiver that responds with %s', async (answer, expected) => {
    const hook = await createReceiver();
    hook.answer(() => answer);
    expect(await createDelivery()(webhook('w', { url: hook.url }), shop)).toMatchObject(expected);
  });

  it('a test delivery without a response returns the error', async () => {
    const hook = await createReceiver();
    hook.answer(() => new Promise(() => {}));
    expect(await createDelivery({ timeout: 50 })(webhook('w', { url: hook.url }), shop)).toMatchObject({
      error: 'ETIMEDOUT',
    });
    await hook.stop();
    const result = await createDelivery()(webhook('w', { url: hook.url }), shop);
    expect(result).toMatchObject({ delivered: false, status: null, body: null, error: 'ECONNREFUSED' });
  });

  it('a test delivery returns the start of a long response, and no binary response', async () => {
    const hook = await createReceiver();
    const bodyOf = async (body: string) => {
      hook.answer(() => ({ status: 200, body }));
      return (await createDelivery()(webhook('w', { url: hook.url }), shop)).body;
    };
    // The limit of 2,048 bytes is in the middle of the last character, which is omitted.
    expect(await bodyOf(`x${'ü'.repeat(3_000)}`)).toBe(`x${'ü'.repeat(1_023)}`);
    expect(await bodyOf('a\u0000b')).toBeNull();
    expect(await bodyOf('\u001b[2J')).toBeNull();
    expect(await bodyOf('')).toBe('');
  });

  it.each([
    ['', 'INVALID_REQUEST'],
    ['http://169.254.169.254/latest', 'ADDRESS_FORBIDDEN'],
    ['http://0x7f.1@[fe80::1]/', 'ADDRESS_FORBIDDEN'],
  ])('a test delivery to "%s" is refused', async (url, code) => {
    await expect(createDelivery()(webhook('w', { url }), shop)).rejects.toMatchObject({
      ...{ code, status: 400 },
      responseMessage: expect.arrayContaining(['Invalid "url" property']),
    });
  });

  it('a test delivery to a name that resolves to a forbidden address is refused', async () => {
    const egress = createEgress({
      ...{ allow: [], strict: false },
      lookup: (_, __, callback) => callback(null, [{ address: '169.254.169.254', family: 4 }]),
    });
    onTestFinished(() => egress.close());
    const result = createDelivery({ egress })(webhook('w', { url: 'http://metadata.example/' }), shop);
    await expect(result).rejects.toMatchObject({ code: 'ADDRESS_FORBIDDEN', status: 400 });
  });
});
