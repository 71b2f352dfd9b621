import { describe, expect, it } from 'vitest';
import { at, textAt } from '../support/api.ts';
import { isEvent, isState, startWorld } from '../support/gateway.ts';

const mine = '15550007001';
const theirs = '15550007002';

describe('whom the gateway trusts', () => {
  it.each([
    ['comes from a foreign root', 'certificate'],
    ['is that of another server', 'certifiedKey'],
  ] as const)('refuses a server whose certificate %s', async (_, violation) => {
    const world = await startWorld();
    world.sandbox.violations[violation] = true;
    world.expectErrors(/./);
    await world.api('POST', '/instance/create', { instanceName: 'shop', webhook: world.receiver.url });
    const connect = await world.api('GET', '/instance/connect/shop');
    expect(connect.status).toBe(502);
    expect(connect.body).toMatchObject({ code: 'CONNECT_FAILED' });
  });

  it('refuses to be linked with a forged account signature', async () => {
    const world = await startWorld();
    world.sandbox.violations.accountSignature = true;
    world.expectErrors(/./);
    const created = await world.api('POST', '/instance/create', {
      instanceName: 'shop',
      qrcode: true,
      webhook: world.receiver.url,
    });
    await world.sandbox.pairing.scanQr(mine, textAt(created.body, 'qrcode.code')).catch(() => undefined);
    await world.receiver.next(
      (post) =>
        isEvent(post.body, 'qrcode.updated') &&
        at(post.body, 'data.qrcode.code') !== textAt(created.body, 'qrcode.code'),
    );
    expect(world.receiver.posts.some((post) => isState(post.body, 'shop', 'open'))).toBe(false);
  });

  it('does not encrypt for a device whose signed pre-key is forged, and still reaches the others', async () => {
    const world = await startWorld();
    await world.link('shop', mine);
    world.sandbox.violations.preKeySignature = true;
    const sent = await world.api('POST', '/message/sendText/shop', {
      number: theirs,
      textMessage: { text: 'not for you' },
    });
    world.sandbox.violations.preKeySignature = false;
    const other = await world.api('POST', '/message/sendText/shop', {
      number: '15550007003',
      textMessage: { text: 'for you' },
    });
    await world.receiver.next(
      (post) =>
        isEvent(post.body, 'messages.update') &&
        at(post.body, 'data.keyId') === textAt(other.body, 'key.id') &&
        at(post.body, 'data.status') === 'DELIVERY_ACK',
    );
    expect(world.sandbox.phones.phone(theirs).messages()).toEqual([]);
    expect(sent.status).toBeGreaterThanOrEqual(200);
  });
});
