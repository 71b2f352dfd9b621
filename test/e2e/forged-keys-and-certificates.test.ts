import { describe, expect, it, vi } from 'vitest';
import type { KeyBundle } from '../../packages/sandbox/src/world/model.ts';
import { at, textAt } from '../support/api.ts';
import { isEvent, isState, startWorld } from '../support/gateway.ts';
import { bob, createAdasGroup, eve, jid, ownNumber, startLinked } from '../support/group.ts';

const linkedNumber = '15550007001';
const contact = '15550007002';

describe('verification of servers, accounts and devices', () => {
  it.each([
    ['comes from a foreign root', 'certificate'],
    ['is that of another server', 'certifiedKey'],
  ] as const)('the gateway refuses a server whose certificate %s', async (_, violation) => {
    const world = await startWorld();
    world.sandbox.violations[violation] = true;
    world.expectErrors(/./);
    await world.api('POST', '/instance/create', { instanceName: 'shop', webhook: world.receiver.url });
    const connect = await world.api('GET', '/instance/connect/shop');
    expect(connect.status).toBe(502);
    expect(connect.body).toMatchObject({ code: 'CONNECT_FAILED' });
  });

  it('the gateway refuses a link with a forged account signature, and shows a new QR code', async () => {
    const world = await startWorld();
    world.sandbox.violations.accountSignature = true;
    world.expectErrors(/./);
    const created = await world.api('POST', '/instance/create', {
      instanceName: 'shop',
      qrcode: true,
      webhook: world.receiver.url,
    });
    await world.sandbox.pairing.scanQr(linkedNumber, textAt(created.body, 'qrcode.code')).catch(() => undefined);
    await world.receiver.next(
      (post) =>
        isEvent(post.body, 'qrcode.updated') &&
        at(post.body, 'data.qrcode.code') !== textAt(created.body, 'qrcode.code'),
    );
    expect(world.receiver.posts.some((post) => isState(post.body, 'shop', 'open'))).toBe(false);
  });

  it('the gateway does not encrypt for a device with a forged signed prekey, and still reaches other contacts', async () => {
    const world = await startWorld();
    await world.link('shop', linkedNumber);
    world.sandbox.violations.preKeySignature = true;
    const sent = await world.api('POST', '/message/sendText/shop', {
      number: contact,
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
    expect(world.sandbox.phones.phone(contact).messages()).toEqual([]);
    expect(sent).toMatchObject({ status: 400, body: { code: 'SEND_REFUSED', certain: true } });
  });

  it.each([
    [
      'a one-time key of low order',
      (bundle: KeyBundle) => ({ ...bundle, preKey: { id: 7, public: Buffer.alloc(32) } }),
    ],
    [
      'a short signature',
      (bundle: KeyBundle) => ({
        ...bundle,
        signedPreKey: { ...bundle.signedPreKey, signature: bundle.signedPreKey.signature.subarray(0, 60) },
      }),
    ],
  ])('a group message and a status reach the other recipients when one of them has %s', async (_, damage) => {
    const world = await startLinked();
    const { sandbox, api } = world;
    const group = createAdasGroup(world, [ownNumber, bob, eve]);
    const { keyBundle } = sandbox.phones;
    vi.spyOn(sandbox.phones, 'keyBundle').mockImplementation((account) => {
      const bundle = keyBundle.call(sandbox.phones, account);
      return account.number === eve ? damage(bundle) : bundle;
    });
    const toGroup = await api('POST', '/message/sendText/sales', { number: group.id, textMessage: { text: 'all' } });
    expect(toGroup.status, JSON.stringify(toGroup.body)).toBe(201);
    const statusMessage = { type: 'text', content: 'for all', statusJidList: [bob, eve].map(jid) };
    const status = await api('POST', '/message/sendStatus/sales', { statusMessage });
    expect(status.status, JSON.stringify(status.body)).toBe(201);
    const phone = sandbox.phones.phone(bob);
    for (const { body } of [toGroup, status])
      await phone.waitFor(() => phone.messages().some(({ id }) => id === textAt(body, 'key.id')));
  });
});
