// SANDBOX_HOST and SANDBOX_PLATFORM_PORT: the listen addresses of the sandbox, and the addresses that it gives to
// clients.
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { request as requestTls } from 'node:https';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { emptyFolder } from '../../../test/support/folder.ts';
import { freePort } from '../../../test/support/port.ts';
import { run } from '../../../test/support/process.ts';
import { isHost, listenAddressOf, toAuthority } from '../src/wire/address.ts';

interface Addresses {
  platformUrl: string;
  caFile: string;
  control: string;
}

/** Starts `bin.ts` with these settings and resolves with the parsed line that it prints. */
async function start(env: Record<string, string>): Promise<Addresses> {
  const program = run(['packages/sandbox/src/process/bin.ts'], { DATA_DIR: emptyFolder(), SANDBOX_PORT: '0', ...env });
  onTestFinished(() => void program.stop('SIGTERM'));
  return JSON.parse(await program.line(/^\{"platformUrl"/));
}

/** Sends GET to `url` on a loopback connection, for any host name in the URL, and resolves with the status. */
function statusOf(url: string, ca?: Buffer): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const open = url.startsWith('https:') ? requestTls : request;
    const { hostname: servername, host } = new URL(url);
    open(url.replace(servername, '127.0.0.1'), { ca, servername, headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}

describe('settings of the host', () => {
  it('SANDBOX_HOST appears in every URL and in the certificate, and the control API accepts requests to it', {
    timeout: 30_000,
  }, async () => {
    const platformPort = await freePort();
    const settings = { SANDBOX_HOST: 'sandbox.test', SANDBOX_PLATFORM_PORT: String(platformPort) };
    const { platformUrl, control, caFile } = await start(settings);
    expect(platformUrl).toBe(`wss://sandbox.test:${platformPort}/ws/chat`);
    expect(control).toMatch(/^http:\/\/sandbox\.test:\d+$/);
    const ca = readFileSync(caFile);
    expect(await statusOf(platformUrl.replace('wss:', 'https:'), ca)).toBe(404);
    await expect(statusOf(`https://other.test:${platformPort}/`, ca)).rejects.toThrow(/other\.test/);
    expect(await statusOf(control)).toBe(200);
    expect(await statusOf(control.replace('sandbox.test', 'evil.test'))).toBe(403);
  });

  it('the sandbox opens every port on loopback only by default', async () => {
    const { platformUrl, control } = await start({});
    for (const url of [platformUrl, control]) {
      const { hostname, port } = new URL(url);
      expect(hostname).toBe('127.0.0.1');
      // 127.0.0.2 is loopback too: a port that is open on every interface would accept this connection.
      await expect(
        new Promise((resolve, reject) => connect(Number(port), '127.0.0.2', () => resolve(port)).on('error', reject)),
      ).rejects.toThrow('ECONNREFUSED');
    }
  });

  it('the sandbox process ends with 78 when SANDBOX_HOST or SANDBOX_PLATFORM_PORT is invalid', {
    timeout: 30_000,
  }, async () => {
    const wrong: [string, string, string][] = [
      ['SANDBOX_HOST', 'a b', 'must be an IP address or a DNS name'],
      ['SANDBOX_PLATFORM_PORT', '70000', 'must be integer from 0 to 65535'],
    ];
    for (const [name, value, message] of wrong) {
      const program = run(['packages/sandbox/src/process/bin.ts'], { DATA_DIR: emptyFolder(), [name]: value });
      expect(await program.ended).toBe(78);
      expect(program.lines.join('\n')).toContain(`${name} ${message}`);
    }
  });
});

describe('addresses', () => {
  it.each([
    ['127.0.0.1', '127.0.0.1', '127.0.0.1:1'],
    ['localhost', 'localhost', 'localhost:1'],
    ['::1', '::1', '[::1]:1'],
    ['192.0.2.1', '0.0.0.0', '192.0.2.1:1'],
    ['2001:db8::1', '::', '[2001:db8::1]:1'],
    ['sandbox', '0.0.0.0', 'sandbox:1'],
  ])('the host %s is valid, listens on %s and is %s in URLs', (host, listening, authority) => {
    expect([isHost(host), listenAddressOf(host), toAuthority(host, 1)]).toEqual([true, listening, authority]);
  });

  it.each(['', 'a b', 'http://a', 'a:1', '.a', 'a..b'])('isHost() rejects %o', (host) => {
    expect(isHost(host)).toBe(false);
  });
});
