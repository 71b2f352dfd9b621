import { describe, expect, it } from 'vitest';
import { at, textAt } from '../support/api.ts';
import { isEvent, isState, KEY, startWorld } from '../support/gateway.ts';

const mine = '15550003001';

describe('linking an instance', () => {
  it('a new instance shows a QR code, opens after the scan, and posts each step to the webhook', async () => {
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
    const qrPost = await world.receiver.next((post) => isEvent(post.body, 'qrcode.updated', 'shop'));
    expect(at(qrPost.body, 'data.qrcode.code')).toBe(textAt(created.body, 'qrcode.code'));
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

  it('GET /instance/connect with a number answers a pairing code that links the instance', async () => {
    const world = await startWorld();
    await world.api('POST', '/instance/create', { instanceName: 'code', webhook: world.receiver.url });
    const connect = await world.api('GET', `/instance/connect/code?number=${mine}`);
    expect(connect.status).toBe(200);
    expect(connect.body).toMatchObject({ pairingCode: expect.stringMatching(/^[0-9A-Z]{8}$/), count: 1 });
    await world.sandbox.pairing.linkWithCode(mine, textAt(connect.body, 'pairingCode'));
    await world.receiver.next((post) => isState(post.body, 'code', 'open'));
  });

  it('an unused pairing code leaves no credentials, and a QR code links the instance after a restart', async () => {
    const world = await startWorld();
    await world.api('POST', '/instance/create', { instanceName: 'again', webhook: world.receiver.url });
    await world.api('GET', `/instance/connect/again?number=${mine}`);
    await world.restart();
    const connect = await world.api('GET', '/instance/connect/again');
    expect(connect.body).toMatchObject({ code: expect.stringContaining('2@') });
    await world.sandbox.pairing.scanQr(mine, textAt(connect.body, 'code'));
    await world.receiver.next((post) => isState(post.body, 'again', 'open'));
  });

  it('a second GET /instance/connect answers the current QR code, and the state once the instance is open', async () => {
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

  it('a restart of the gateway reopens a linked instance without a new QR code', async () => {
    const world = await startWorld();
    await world.link('kept', mine);
    // The instance can be open before restart() resolves.
    const after = world.receiver.posts.length;
    await world.restart();
    await world.receiver.next((post) => isState(post.body, 'kept', 'open'), { after });
    expect(world.receiver.posts.filter((post) => isEvent(post.body, 'qrcode.updated', 'kept'))).toHaveLength(1);
  });

  it('the record of an instance shows its platform version and the source of the version', async () => {
    const world = await startWorld();
    await world.api('POST', '/instance/create', { instanceName: 'version' });
    const [record] = (await world.api('GET', '/instance/fetchInstances')).body as unknown[];
    expect(record).toMatchObject({
      platformVersion: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      platformVersionSource: 'baileys',
    });
  });

  it('an instance key gives access to its own instance and to no other', async () => {
    const world = await startWorld();
    const created = await world.api('POST', '/instance/create', { instanceName: 'one' });
    await world.api('POST', '/instance/create', { instanceName: 'other' });
    const apikey = textAt(created.body, 'hash.apikey');
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
