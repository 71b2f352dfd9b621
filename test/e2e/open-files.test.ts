// A gateway with a low limit of open files refuses connections before it reaches the limit, and continues to work.
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSandbox } from '../../packages/sandbox/src/sandbox.ts';
import { at, createApi, textAt } from '../support/api.ts';
import { KEY } from '../support/gateway.ts';
import { freePort } from '../support/port.ts';
import { runShell } from '../support/process.ts';

const mine = '15550007001';
const contact = '15550007002';
const OPEN_FILES = 96;

/** Starts a gateway with a limit of `OPEN_FILES` open files, and links an instance to the phone `mine`. */
async function startGateway() {
  const sandbox = await createSandbox({ tlsPort: false });
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-files-'));
  const port = await freePort();
  const program = runShell(`ulimit -n ${OPEN_FILES}; exec "${process.execPath}" src/server.ts`, {
    ...{ HOST: '127.0.0.1', PORT: String(port), DATA_DIR: dataDir, API_KEY: KEY },
    ...{ PLATFORM_URL: sandbox.platformUrl, PLATFORM_ROOT_KEY: sandbox.rootKey.toString('base64') },
  });
  onTestFinished(async () => {
    await program.stop();
    await sandbox.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  await program.line(/gateway\.ready/);
  const api = createApi(`http://127.0.0.1:${port}`, KEY);
  const created = await api('POST', '/instance/create', { instanceName: 'sales', qrcode: true });
  await sandbox.pairing.scanQr(mine, textAt(created.body, 'qrcode.code'));
  return { program, api, port };
}

const stateOf = async (api: ReturnType<typeof createApi>) =>
  at((await api('GET', '/instance/connectionState/sales')).body, 'instance.state');

describe('gateways with a low limit of open files', () => {
  it('a gateway with a low limit of open files warns at the start, refuses connections, and keeps its instances', async () => {
    const { program, api, port } = await startGateway();
    const warning: unknown = JSON.parse(await program.line(/server\.connections\.limited/));
    expect(warning).toMatchObject({ level: 40, maxConnections: 10_000, openFiles: OPEN_FILES, connections: 48 });
    expect(at(warning, 'hint')).toMatch(/^MAX_CONNECTIONS is 10000, but this process can open only 96 files/);
    await expect.poll(() => stateOf(api)).toBe('open');

    const sockets: Socket[] = [];
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
    });
    const closings: Promise<unknown>[] = [];
    for (let count = 0; count < 300; count++) {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      closings.push(new Promise((resolve) => socket.once('close', resolve)));
      sockets.push(socket);
    }
    // The gateway closes at least the connections beyond the limit.
    let closed = 0;
    for (const closing of closings) void closing.then(() => closed++);
    await expect.poll(() => closed).toBeGreaterThanOrEqual(300 - 48);
    expect(await program.line(/server\.connections\.refused/)).toMatch(/"level":40/);

    // An accepted connection can still use an operation that needs further files and connections.
    const acceptedSocket = sockets.find((socket) => !socket.destroyed && socket.readyState === 'open');
    if (!acceptedSocket) throw new Error('no connection was accepted');
    const body = JSON.stringify({ number: contact, textMessage: { text: 'still here' } });
    acceptedSocket.write(
      `POST /message/sendText/sales HTTP/1.1\r\nhost: x\r\nconnection: close\r\napikey: ${KEY}\r\n` +
        `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    expect(await text(acceptedSocket)).toMatch(/^HTTP\/1\.1 201 /);

    for (const socket of sockets) socket.destroy();
    await expect
      .poll(async () => (await api('GET', '/livez').catch(() => undefined))?.status, { timeout: 30_000 })
      .toBe(200);
    expect(await stateOf(api)).toBe('open');
    expect(await program.stop()).toBe(0);
  });
});
