import { createServer } from 'node:https';
import { createServer as createTcpServer, Socket } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { getTlsIdentity } from '../../packages/sandbox/src/wire/tls.ts';
import { createEgress } from '../../src/egress/http-client.ts';
import { createTunnel } from '../../src/egress/proxy-tunnel.ts';
import { startProxy } from '../support/proxies.ts';

const none = { username: '', password: '' };
const login = { username: 'shop', password: 'sécret:1' };

async function egressFor() {
  const { caPem } = await getTlsIdentity();
  const platform = { isHost: () => true, ca: [caPem] };
  const egress = createEgress({ allow: [], strict: false, isSandbox: true, platform });
  onTestFinished(() => egress.close());
  return egress;
}

/** Port of a server that greets each client and sends back what it gets. */
async function startEcho(): Promise<number> {
  const server = createTcpServer((socket) => {
    socket.write('hello ');
    socket.pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

describe.each(['http', 'https', 'socks5'] as const)('a tunnel through a %s proxy', (protocol) => {
  it.each([
    ['without credentials', undefined],
    ['with credentials', login],
  ])('carries bytes both ways, %s', async (_, credentials) => {
    const proxy = await startProxy(protocol, credentials);
    const port = await startEcho();
    const egress = await egressFor();
    const socket = await egress.tunnel({ ...proxy, ...(credentials ?? none) })('127.0.0.1', port);
    let received = '';
    const all = new Promise<void>((resolve) => {
      socket.on('data', (chunk) => {
        received += chunk;
        if (received === 'hello world') resolve();
      });
    });
    socket.write('world');
    await all;
    socket.destroy();
    expect(proxy.targets).toEqual([`127.0.0.1:${port}`]);
  });

  it('says why it cannot', async () => {
    const egress = await egressFor();
    const guarded = await startProxy(protocol, login);
    const wrong = egress.tunnel({ ...guarded, username: 'shop', password: 'no' })('127.0.0.1', 9);
    await expect(wrong).rejects.toMatchObject({ code: 'EPROXY', message: expect.stringContaining('credentials') });
    await expect(egress.tunnel({ ...guarded, ...none })('127.0.0.1', 9)).rejects.toMatchObject({ code: 'EPROXY' });
    const proxy = await startProxy(protocol);
    await expect(egress.tunnel({ ...proxy, ...none })('forbidden.example', 9)).rejects.toMatchObject({
      code: 'EPROXY',
    });
    await expect(egress.tunnel({ ...proxy, ...none })('127.0.0.1', 1)).rejects.toMatchObject({ code: 'EPROXY' });
    // Something that answers, but is no proxy.
    const port = await startEcho();
    const stranger = egress.tunnel({ ...proxy, port, ...none })('127.0.0.1', 9);
    await expect(stranger).rejects.toThrow();
  });

  it('serves requests to the platform', async () => {
    const proxy = await startProxy(protocol);
    const { key, cert } = await getTlsIdentity();
    const server = createServer({ key, cert }, (_, response) => response.end('file'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const egress = await egressFor();
    const request = { method: 'GET' as const, url: `https://127.0.0.1:${port}/a`, timeout: 5_000, maxBytes: 100 };
    const answer = await egress.request('platform', { ...request, tunnel: egress.tunnel({ ...proxy, ...none }) });
    expect({ status: answer.status, body: answer.body.toString() }).toEqual({ status: 200, body: 'file' });
    expect(proxy.targets).toEqual([`127.0.0.1:${port}`]);
  });
});

describe('a proxy', () => {
  it.each(['169.254.169.254', '100.100.100.200', '0.0.0.0', '[fd00:ec2::254]'])('may not stand at %s', async (host) => {
    const egress = await egressFor();
    const tunnel = egress.tunnel({ protocol: 'http', host, port: 80, ...none });
    await expect(tunnel('127.0.0.1', 80)).rejects.toMatchObject({ code: 'ADDRESS_FORBIDDEN' });
  });

  it('that hangs up is given up', async () => {
    const quiet = createTcpServer((socket) => socket.end());
    await new Promise<void>((resolve) => quiet.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void quiet.close());
    const address = quiet.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const egress = await egressFor();
    const tunnel = egress.tunnel({ protocol: 'http', host: '127.0.0.1', port, ...none });
    await expect(tunnel('127.0.0.1', 80)).rejects.toMatchObject({
      code: 'EPROXY',
      message: 'proxy: it closed the connection',
    });
  });
});

describe('the connection to a proxy', () => {
  it('counts against the time limit, and is closed when it opens later', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const dialed = Promise.withResolvers<Socket>();
    const proxy = { protocol: 'http' as const, host: '127.0.0.1', port: 9, ...none };
    const tunnel = createTunnel(proxy, { dial: () => dialed.promise });
    const opened = expect(tunnel('127.0.0.1', 80)).rejects.toMatchObject({
      code: 'EPROXY',
      message: 'proxy: it did not respond',
    });
    vi.advanceTimersByTime(10_000);
    await opened;
    const socket = new Socket();
    dialed.resolve(socket);
    await dialed.promise;
    expect(socket.destroyed).toBe(true);
  });

  it.each([
    ['192.0.2.1', [1, 192, 0, 2, 1]],
    ['2001:db8::9', [4, 0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9]],
    ['a.example', [3, 9, ...Buffer.from('a.example')]],
  ])('asks a SOCKS5 proxy for %s in the address type of RFC 1928', async (host, address) => {
    const request = Promise.withResolvers<number[]>();
    const server = createTcpServer((socket) => {
      socket.once('data', () => {
        socket.write(Buffer.from([5, 0]));
        socket.once('data', (data) => {
          request.resolve([...Buffer.from(data)]);
          socket.end(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
        });
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const bound = server.address();
    const port = typeof bound === 'object' && bound ? bound.port : 0;
    const egress = await egressFor();
    const socket = await egress.tunnel({ protocol: 'socks5', host: '127.0.0.1', port, ...none })(host, 443);
    onTestFinished(() => void socket.destroy());
    expect(await request.promise).toEqual([5, 1, 0, ...address, 1, 0xbb]);
  });
});
