import { describe, expect, it } from 'vitest';
import { at, textAt } from '../support/api.ts';
import { isEvent, isState, KEY, startWorld } from '../support/gateway.ts';

const mine = '15550003001';

describe('linking an instance', () => {
  it('shows a QR at create, opens when the phone scans it, and tells the webhook each step', async () => {
    const world = await startWorld();
    const created = await world.api('POST', '/instance/create', {
      instanceName: 'shop',
      qrcode: true,
      webhook: world.receiver.url,
    });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({
      instance: { instanceName: 'shop', instanceId: expect.stringMatching(/^[0-9a-f-]{36}$/) },
      hash: { apikey: expect.stringMatching(/^[0-9A-F-]{36}$/) },
      qrcode: { pairingCode: null, count: 1, base64: expect.stringMatching(/^data:image\/png;base64,/) },
    });
    const shown = await world.receiver.next((post) => isEvent(post.body, 'qrcode.updated', 'shop'));
    expect(at(shown.body, 'data.qrcode.code')).toBe(textAt(created.body, 'qrcode.code'));
    await world.sandbox.pairing.scanQr(mine, textAt(created.body, 'qrcode.code'));
    const open = await world.receiver.next((post) => isState(post.body, 'shop', 'open'));
    expect(open.body).toMatchObject({ sender: `${mine}@s.whatsapp.net`, data: { statusReason: 200 } });
    const state = await world.api('GET', '/instance/connectionState/shop');
    expect(state).toMatchObject({ status: 200, body: { instance: { instanceName: 'shop', state: 'open' } } });
    const [record] = (await world.api('GET', '/instance/fetchInstances?instanceName=shop')).body as unknown[];
    expect(record).toMatchObject({
      instance: { instanceName: 'shop', owner: `${mine}@s.whatsapp.net`, status: 'open' },
      name: 'shop',
      connectionStatus: 'open',
      ownerJid: `${mine}@s.whatsapp.net`,
    });
  });

  it('pairs by code when connect is given a number', async () => {
    const world = await startWorld();
    await world.api('POST', '/instance/create', { instanceName: 'code', webhook: world.receiver.url });
    const connect = await world.api('GET', `/instance/connect/code?number=${mine}`);
    expect(connect.status).toBe(200);
    expect(connect.body).toMatchObject({ pairingCode: expect.stringMatching(/^[0-9A-Z]{8}$/), count: 1 });
    await world.sandbox.pairing.linkWithCode(mine, textAt(connect.body, 'pairingCode'));
    await world.receiver.next((post) => isState(post.body, 'code', 'open'));
  });

  it('leaves no credentials behind when a pairing code is never entered', async () => {
    const world = await startWorld();
    await world.api('POST', '/instance/create', { instanceName: 'again', webhook: world.receiver.url });
    await world.api('GET', `/instance/connect/again?number=${mine}`);
    await world.restart();
    const connect = await world.api('GET', '/instance/connect/again');
    expect(connect.body).toMatchObject({ code: expect.stringContaining('2@') });
    await world.sandbox.pairing.scanQr(mine, textAt(connect.body, 'code'));
    await world.receiver.next((post) => isState(post.body, 'again', 'open'));
  });

  it('answers the current QR to a second connect, and the state once open', async () => {
    const world = await startWorld();
    await world.api('POST', '/instance/create', { instanceName: 'two', webhook: world.receiver.url });
    const first = await world.api('GET', '/instance/connect/two');
    const second = await world.api('GET', '/instance/connect/two');
    expect(second.body).toEqual(first.body);
    await world.sandbox.pairing.scanQr(mine, textAt(first.body, 'code'));
    await world.receiver.next((post) => isState(post.body, 'two', 'open'));
    const third = await world.api('GET', '/instance/connect/two');
    expect(third.body).toEqual({ instance: { instanceName: 'two', state: 'open' } });
  });

  it('restores a linked instance at boot without a new QR', async () => {
    const world = await startWorld();
    await world.link('kept', mine);
    await world.restart();
    await world.receiver.next((post) => isState(post.body, 'kept', 'open'), { after: world.receiver.posts.length });
    expect(world.receiver.posts.filter((post) => isEvent(post.body, 'qrcode.updated', 'kept'))).toHaveLength(1);
  });

  it('shows the platform version it speaks in the instance record', async () => {
    const world = await startWorld();
    await world.api('POST', '/instance/create', { instanceName: 'version' });
    const [record] = (await world.api('GET', '/instance/fetchInstances')).body as unknown[];
    expect(record).toMatchObject({
      platformVersion: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      platformVersionSource: 'baileys',
    });
  });

  it('gives an instance key that opens its own instance and no other', async () => {
    const world = await startWorld();
    const one = await world.api('POST', '/instance/create', { instanceName: 'one' });
    await world.api('POST', '/instance/create', { instanceName: 'other' });
    const apikey = textAt(one.body, 'hash.apikey');
    expect((await world.api('GET', '/instance/connectionState/one', undefined, { apikey })).status).toBe(200);
    const denied = await world.api('GET', '/instance/connectionState/other', undefined, { apikey });
    expect(denied).toMatchObject({
      status: 401,
      body: { status: 401, error: 'Unauthorized', response: { message: 'Unauthorized' } },
    });
    expect((await world.api('POST', '/instance/create', { instanceName: 'x' }, { apikey })).status).toBe(401);
    expect(KEY).not.toBe(apikey);
  });
});
