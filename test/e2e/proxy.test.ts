import { describe, expect, it } from 'vitest';
import { at, textAt } from '../support/api.ts';
import { isEvent, isState, isTransition, startWorld } from '../support/gateway.ts';
import { startProxy } from '../support/proxies.ts';

const mine = '15550007201';
const ada = '15550007202';
const noProxy = { enabled: false, host: '', port: '', protocol: '', username: '', hasPassword: false, proxy: null };

describe('proxies of instances', () => {
  it('the proxy of an instance carries its connection and its files as soon as it is set, also after a restart', async () => {
    const world = await startWorld({ sandbox: {} });
    await world.link('shop', mine);
    const { api, sandbox } = world;
    const platform = new URL(sandbox.platformUrl).host;
    const set = (body: object) => api('POST', '/proxy/set/shop', body);
    expect(await api('GET', '/proxy/find/shop')).toMatchObject({ status: 200, body: noProxy });

    const proxy = await startProxy('socks5', { username: 'shop', password: 'secret' });
    const { host, port } = proxy;
    const login = { protocol: 'socks5', host, port: String(port), username: 'shop', password: 'secret' };
    const linesBefore = world.log.length;
    const stored = await set({ enabled: 'true', ...login });
    expect(stored.status, JSON.stringify(stored.body)).toBe(201);
    expect(at(stored.body, 'proxy')).toMatchObject({
      instanceName: 'shop',
      proxy: {
        ...{ enabled: true, host, port: String(port), protocol: 'socks5', username: 'shop', hasPassword: true },
        proxy: { host, port: String(port) },
      },
    });
    expect(JSON.stringify(stored.body)).not.toContain('secret');
    await world.logged((line) => isTransition(line, 'open'), linesBefore);
    // One connection tests the proxy, and one connects the session.
    expect(proxy.targets.filter((target) => target === platform)).toHaveLength(2);

    const text = await api('POST', '/message/sendText/shop', { number: ada, text: 'by proxy' });
    expect(text.status).toBe(201);
    const phone = sandbox.phones.phone(ada);
    await phone.waitFor(() => phone.messages().find((message) => message.text === 'by proxy'));

    const files = () => proxy.targets.filter((target) => target !== platform).length;
    const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const sticker = await api('POST', '/message/sendSticker/shop', { number: ada, sticker: pixel });
    expect(sticker.status, JSON.stringify(sticker.body)).toBe(201);
    const uploads = files();
    expect(uploads).toBeGreaterThan(0);
    const id = textAt(sticker.body, 'key.id');
    const file = await fetch(`${api.url}/media/shop/${id}`, { headers: { apikey: api.key } });
    expect(file.status).toBe(200);
    expect((await file.arrayBuffer()).byteLength).toBeGreaterThan(20);
    expect(files()).toBeGreaterThan(uploads);

    const [record] = (await api('GET', '/instance/fetchInstances')).body as unknown[];
    expect(at(record, 'Proxy')).toMatchObject({ host, username: 'shop', hasPassword: true });
    expect(JSON.stringify([record, world.log])).not.toContain('secret');

    // The same proxy is set again without its password. Then the proxy is removed, and the next connection is direct.
    expect((await set({ enabled: true, proxy: { ...login, password: null } })).status).toBe(201);
    const targetCount = proxy.targets.length;
    const linesBeforeDirect = world.log.length;
    expect((await set({ enabled: false, host: '', port: '', protocol: '' })).body).toMatchObject({
      proxy: { proxy: noProxy },
    });
    await world.logged((line) => isTransition(line, 'open'), linesBeforeDirect);
    expect(proxy.targets).toHaveLength(targetCount);
    expect((await set({ enabled: true, ...login })).status).toBe(201);
    const targetsBeforeRestart = proxy.targets.length;
    // The instance can be open before restart() resolves.
    const linesBeforeRestart = world.log.length;
    await world.restart();
    await world.logged((line) => isTransition(line, 'open'), linesBeforeRestart);
    await phone.send(mine, { text: 'after the restart' });
    await world.receiver.next(
      ({ body }) => isEvent(body, 'messages.upsert') && at(body, 'data.message.conversation') === 'after the restart',
    );
    expect(proxy.targets.length).toBeGreaterThan(targetsBeforeRestart);
  });

  it('a proxy that is unusable, forbidden or invalid is rejected, also in a request to create an instance', async () => {
    const world = await startWorld();
    const { api } = world;
    const proxy = await startProxy('http', { username: 'shop', password: 'secret' });
    const { host, port } = proxy;
    const address = { protocol: 'http', host, port };
    await api('POST', '/instance/create', { instanceName: 'plain' });
    const refusals: [object, string, string][] = [
      [{ enabled: true, ...address }, 'PROXY_UNUSABLE', 'Invalid proxy'],
      [{ enabled: true, proxy: { ...address, port: 1 } }, 'PROXY_UNUSABLE', 'Invalid proxy'],
      [{ enabled: true, ...address, host: '169.254.169.254' }, 'ADDRESS_FORBIDDEN', '169.254.169.254'],
      [{ enabled: true, ...address, protocol: 'ftp' }, 'INVALID_REQUEST', 'protocol is not one of'],
      [{ enabled: true, ...address, port: 70_000 }, 'INVALID_REQUEST', 'port must be'],
      [{ enabled: true }, 'INVALID_REQUEST', 'requires property'],
      [address, 'INVALID_REQUEST', 'requires property'],
      [{ enabled: true, ...address, host: 'a b' }, 'INVALID_REQUEST', 'host does not match'],
    ];
    for (const [body, code, words] of refusals) {
      const refused = await api('POST', '/proxy/set/plain', body);
      expect(refused, JSON.stringify(body)).toMatchObject({ status: 400, body: { code } });
      expect(JSON.stringify(refused.body)).toContain(words);
    }
    expect((await api('GET', '/proxy/find/plain')).body).toMatchObject(noProxy);

    const wrong = await api('POST', '/instance/create', {
      ...{ instanceName: 'wrong', proxyHost: host, proxyPort: String(port), proxyProtocol: 'http' },
      ...{ proxyUsername: 'shop', proxyPassword: 'guess' },
    });
    expect(wrong).toMatchObject({ status: 400, body: { code: 'PROXY_UNUSABLE' } });
    expect(world.gateway.manager.get('wrong')).toBeUndefined();
    expect(proxy.targets).toEqual([]);
    const right = { ...address, username: 'shop', password: 'secret' };
    const created = await api('POST', '/instance/create', {
      ...{ instanceName: 'shop', qrcode: true, proxy: right, webhook: world.receiver.url },
    });
    expect(created.status, JSON.stringify(created.body)).toBe(201);
    expect(proxy.targets).toEqual(Array(2).fill(new URL(world.sandbox.platformUrl).host));
    await world.sandbox.pairing.scanQr(mine, textAt(created.body, 'qrcode.code'));
    await world.receiver.next(({ body }) => isState(body, 'shop', 'open'));
    const empty = {
      instanceName: 'empty',
      proxyHost: '',
      proxyPort: null,
      token: null,
      number: null,
      integration: null,
    };
    expect((await api('POST', '/instance/create', empty)).status).toBe(201);
  });
});
