// Settings known from other gateways that apply to the whole gateway: a proxy for all instances, a smaller store,
// client names.
import sharp from 'sharp';
import { describe, expect, it, vi } from 'vitest';
import { at, textAt } from '../support/api.ts';
import { isEvent, startWorld } from '../support/gateway.ts';
import { startProxy } from '../support/proxies.ts';

const mine = '15550009101';
const ada = '15550009102';

describe('PROXY_HOST', () => {
  it('PROXY_HOST sets the proxy of all instances that have no proxy of their own', async () => {
    const [proxy, ownProxy] = await Promise.all([
      startProxy('http', { username: 'all', password: 'secret' }),
      startProxy('http'),
    ]);
    const world = await startWorld({
      env: {
        ...{ PROXY_HOST: proxy.host, PROXY_PORT: String(proxy.port), PROXY_PROTOCOL: 'http' },
        ...{ PROXY_USERNAME: 'all', PROXY_PASSWORD: 'secret' },
      },
    });
    const platform = new URL(world.sandbox.platformUrl).host;
    await world.link('shop', mine);
    expect(proxy.targets).toContain(platform);
    // The proxy belongs to the operator, so the API does not show its address.
    expect((await world.api('GET', '/proxy/find/shop')).body).toMatchObject({ enabled: false, host: '' });
    const targetCount = proxy.targets.length;
    const set = { enabled: true, protocol: 'http', host: ownProxy.host, port: String(ownProxy.port) };
    expect((await world.api('POST', '/proxy/set/shop', set)).status).toBe(201);
    expect(ownProxy.targets).toContain(platform);
    expect(proxy.targets).toHaveLength(targetCount);
    expect(JSON.stringify(world.log)).not.toContain('secret');
  });
});

describe('DATABASE_SAVE_… = false', () => {
  it('DATABASE_SAVE_… = false stores no messages, labels and numbers, and the gateway still posts, sends and resends', async () => {
    const world = await startWorld({
      sandbox: {},
      env: {
        ...{ DATABASE_SAVE_DATA_NEW_MESSAGE: 'false', DATABASE_SAVE_DATA_CONTACTS: 'false' },
        DATABASE_SAVE_DATA_LABELS: 'false',
        ...{ DATABASE_SAVE_DATA_CHATS: 'false', DATABASE_SAVE_IS_ON_WHATSAPP: 'false' },
      },
    });
    await world.link('shop', mine);
    const { api, sandbox, receiver } = world;
    const phone = sandbox.phones.phone(ada);
    await phone.send(mine, { text: 'hello' });
    const received = await receiver.next(({ body }) => isEvent(body, 'messages.upsert'));
    const decrypt = vi.spyOn(phone.signal, 'decrypt').mockRejectedValueOnce(new Error('no session'));
    const sent = await api('POST', '/message/sendText/shop', { number: ada, text: 'once more' });
    expect(sent.status).toBe(201);
    const id = textAt(sent.body, 'key.id');
    await phone.waitFor(() => phone.messages().find((message) => message.id === id));
    expect(decrypt).toHaveBeenCalledTimes(2);
    await receiver.next(
      ({ body }) =>
        isEvent(body, 'messages.update') && at(body, 'data.keyId') === id && at(body, 'data.status') === 'SERVER_ACK',
    );
    await api('POST', '/webhook/set/shop', { url: receiver.url, webhook_base64: true });
    const picture = await sharp({ create: { width: 9, height: 9, channels: 3, background: '#f00' } })
      .png()
      .toBuffer();
    await phone.send(mine, { media: { kind: 'image', bytes: picture } });
    const imagePost = await receiver.next(({ raw }) => raw.includes('"imageMessage"'));
    expect(Buffer.from(textAt(imagePost.body, 'data.message.base64'), 'base64').equals(picture)).toBe(true);
    // A message that is not stored has no URL for a later download.
    expect(at(imagePost.body, 'data.message')).not.toHaveProperty('mediaUrl');
    for (const id of ['7', '8']) {
      const addLabel = { id, name: `Label ${id}`, color: 3, deleted: false };
      await sandbox.phones.phoneAppState.change(sandbox.world.account(mine), { addLabel });
      await receiver.next(({ body, raw }) => isEvent(body, 'labels.edit') && raw.includes(addLabel.name));
    }
    expect((await api('GET', '/label/findLabels/shop')).body).toEqual([]);
    for (const path of ['findMessages', 'findContacts', 'findStatusMessage']) {
      const found = await api('POST', `/chat/${path}/shop`, { where: {} });
      expect([found.status, found.body], path).toEqual([200, []]);
    }
    const quoted = { key: { id: textAt(received.body, 'data.key.id') } };
    const answer = await api('POST', '/message/sendText/shop', { number: ada, text: 'quoting', quoted });
    // The quoted message is unknown, so the text goes out without the quote.
    expect(at(answer.body, 'message')).toEqual({ conversation: 'quoting' });
    // The session caches the answer, so the second request needs no query.
    const numbers = { numbers: [ada] };
    await api('POST', '/chat/whatsappNumbers/shop', numbers);
    expect((await api('POST', '/chat/whatsappNumbers/shop', numbers)).body).toMatchObject([
      { exists: true, cached: true },
    ]);
    const [row] = (await api('GET', '/instance/fetchInstances')).body as unknown[];
    expect(at(row, '_count')).toEqual({ Message: 0, Contact: 0, Chat: 0 });
  });
});

describe('QRCODE_… and CONFIG_SESSION_PHONE_…', () => {
  it('QRCODE_COLOR sets the color of the QR code, and CONFIG_SESSION_PHONE_… the client that the phone shows', async () => {
    const world = await startWorld({
      env: {
        ...{ QRCODE_COLOR: '#aa1122', CONFIG_SESSION_PHONE_CLIENT: 'Acme', CONFIG_SESSION_PHONE_NAME: 'Firefox' },
        CONFIG_SESSION_PHONE_VERSION: '2.3000.77',
      },
    });
    const created = await world.api('POST', '/instance/create', { instanceName: 'shop', qrcode: true });
    const picture = Buffer.from(textAt(created.body, 'qrcode.base64').split(',')[1] ?? '', 'base64');
    const { data } = await sharp(picture).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    expect(data.includes(Buffer.from('aa1122', 'hex'))).toBe(true);
    const companion = await world.sandbox.pairing.scanQr(mine, textAt(created.body, 'qrcode.code'));
    expect(companion.clientInfo).toEqual({ name: 'Acme', platform: 'FIREFOX' });
    const [row] = (await world.api('GET', '/instance/fetchInstances')).body as unknown[];
    expect(row).toMatchObject({ clientName: 'Acme', platformVersion: '2.3000.77', platformVersionSource: 'override' });
  });
});
