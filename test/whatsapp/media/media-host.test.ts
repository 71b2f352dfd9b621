import { Agent, createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { getTlsIdentity } from '../../../packages/sandbox/src/wire/tls.ts';
import { uploadToHosts } from '../../../src/whatsapp/media/media-host.ts';

it('uploadToHosts() repeats an upload when the host closes the kept-alive connection that the upload uses', async () => {
  const { cert, key, caPem } = await getTlsIdentity();
  const usedSockets = new WeakSet<object>();
  const outcomes: string[] = [];
  const server = createServer({ cert, key }, ({ socket }, response) => {
    if (usedSockets.has(socket)) {
      outcomes.push('closed');
      socket.destroy();
      return;
    }
    usedSockets.add(socket);
    outcomes.push('stored');
    response.end('stored');
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  const agent = new Agent({ ca: caPem, keepAlive: true });
  onTestFinished(() => agent.destroy());
  const { port } = server.address() as AddressInfo;
  const fetchHosts = async () => ({ hosts: [{ hostname: `127.0.0.1:${port}` }], auth: 'token' });
  const upload = async () => {
    const request = { path: '/file', query: {}, parse: (answer: string) => answer };
    const stored = await uploadToHosts(Buffer.alloc(10), request, { fetchHosts, agent, timeout: 60_000 });
    // The agent keeps the connection for reuse only after the turn in which the answer ends.
    await nextTurn();
    return stored;
  };
  expect([await upload(), await upload()]).toEqual(['stored', 'stored']);
  expect(outcomes).toEqual(['stored', 'closed', 'stored']);
});
