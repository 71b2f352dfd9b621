import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { getHttpStream } from '@whiskeysockets/baileys';
import { describe, expect, it, onTestFinished } from 'vitest';
import { getTlsIdentity } from '../../../packages/sandbox/src/wire/tls.ts';
import {
  createProxyTrust,
  createTrust,
  type PlatformEndpoint,
} from '../../../src/whatsapp/baileys/platform-endpoint.ts';
import { SYNC_DOWNLOAD_LIMITS } from '../../../src/whatsapp/baileys/sync-downloads.ts';
import { isTransportError } from '../../../src/whatsapp/baileys/transport-error.ts';

/** Starts a media host that answers with `answer`. Returns it with the endpoint to which it belongs. */
async function startHost(answer: (response: ServerResponse) => void) {
  const { cert, key, caPem } = await getTlsIdentity();
  let requestCount = 0;
  const listener: RequestListener = (_, response) => {
    requestCount++;
    answer(response);
  };
  const server = createServer({ cert, key }, listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const endpoint: PlatformEndpoint = { network: 'sandbox', url: 'wss://127.0.0.1:1', ca: caPem };
  return { url: `https://127.0.0.1:${port}/file`, endpoint, requestCount: () => requestCount };
}

/** Downloads a file as Baileys downloads history and app state: the body is piped without a listener for errors. */
async function download(url: string, endpoint: PlatformEndpoint, limits: Partial<typeof SYNC_DOWNLOAD_LIMITS> = {}) {
  const { options } = createTrust(endpoint, { ...SYNC_DOWNLOAD_LIMITS, ...limits });
  return buffer((await getHttpStream(url, options)).pipe(new PassThrough()));
}

const writeStart = (response: ServerResponse) => void response.writeHead(200).write('start');

describe('downloads of Baileys', () => {
  it('a download of Baileys returns a file of the maximum size', async () => {
    const { url, endpoint } = await startHost((response) => void response.end('file'));
    expect(await download(url, endpoint, { maxBytes: 4 })).toEqual(Buffer.from('file'));
  });

  it('a download of Baileys through a proxy returns the file', async () => {
    const { url, endpoint } = await startHost((response) => void response.end('file'));
    const { options } = createProxyTrust(endpoint, async (host, port) => connect(port, host));
    expect(await buffer(await getHttpStream(url, options))).toEqual(Buffer.from('file'));
  });

  it.each<[string, (response: ServerResponse) => void, Partial<typeof SYNC_DOWNLOAD_LIMITS>, string]>([
    ['does not answer', () => undefined, { idleTimeout: 50 }, 'no data for 50 ms'],
    ['stops in the middle of the file', writeStart, { idleTimeout: 50 }, 'no data for 50 ms'],
    ['takes too long', writeStart, { timeout: 50 }, 'longer than 50 ms'],
    ['closes the connection', (response) => response.write('start', () => response.destroy()), {}, ''],
    [
      'sends a larger file',
      (response) => void response.end(Buffer.alloc(1_000_000)),
      { maxBytes: 500_000 },
      'more than 500000 bytes',
    ],
  ])('a download of Baileys fails when the host %s', async (_, answer, limits, message) => {
    const { url, endpoint } = await startHost(answer);
    const error = await download(url, endpoint, limits).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(TypeError);
    expect(String(Reflect.get(Object(error), 'cause'))).toContain(message);
    expect(isTransportError(error)).toBe(limits.maxBytes === undefined);
  });

  it('a download of Baileys from another host fails before the request', async () => {
    const { url, endpoint, requestCount } = await startHost((response) => void response.end('secret'));
    await expect(download(url, { ...endpoint, url: 'wss://platform.example' })).rejects.toThrow();
    expect(requestCount()).toBe(0);
  });
});
