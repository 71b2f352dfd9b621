import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { generate } from 'selfsigned';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createPeers, isUnsent, PEER_HEADER } from '../../src/egress/peers.ts';

const [old, young, other] = [1, 2, 3].map((byte) => Buffer.alloc(32, byte)) as [Buffer, Buffer, Buffer];

function node(keys: Buffer[], at = 1_000_000_000) {
  const peers = createPeers({ keys, node: 'sender', clock: { now: () => at } });
  onTestFinished(() => peers.close());
  return peers;
}

/** The header that a node sends with this request. */
async function proofOf(keys: Buffer[], method: 'GET' | 'POST' = 'POST', path = '/a?b=1'): Promise<string> {
  let proof = '';
  const server = createServer((request, response) => {
    proof = String(request.headers[PEER_HEADER]);
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await node(keys).ask(`http://127.0.0.1:${port}`, { method, path, timeout: 5_000 });
  server.closeAllConnections();
  server.close();
  return proof;
}

describe('the proof of a node', () => {
  it('holds for this request alone, for five minutes, under every key that all nodes have', async () => {
    const proof = await proofOf([old]);
    expect(node([old]).verify(proof, 'POST', '/a?b=1')).toBe('sender');
    expect(node([young, old]).verify(proof, 'POST', '/a?b=1')).toBe('sender');
    expect(node([old]).verify(await proofOf([young, old]), 'POST', '/a?b=1')).toBe(null);
    expect(node([other]).verify(proof, 'POST', '/a?b=1')).toBe(null);
    expect(node([old]).verify(proof, 'GET', '/a?b=1')).toBe(null);
    expect(node([old]).verify(proof, 'POST', '/a?b=2')).toBe(null);
    expect(node([old]).verify(proof.replace('sender', 'friend'), 'POST', '/a?b=1')).toBe(null);
    for (const [seconds, sender] of [
      [300, 'sender'],
      [-300, 'sender'],
      [301, null],
      [-301, null],
    ] as const)
      expect(node([old], 1_000_000_000 + seconds * 1000).verify(proof, 'POST', '/a?b=1'), String(seconds)).toBe(sender);
    for (const nothing of [undefined, ['x'], '', '.', '..', 'sender.1000000.'])
      expect(node([old]).verify(nothing, 'POST', '/')).toBe(null);
  });
});

describe('a request to a node', () => {
  it('that is not there was certainly not read; one that breaks off may have been', async () => {
    const peers = node([old]);
    const server = createServer((request) => request.socket.destroy());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const ask = () => peers.ask(url, { method: 'GET', path: '/', timeout: 5_000 }).catch((error: unknown) => error);
    expect(isUnsent(await ask())).toBe(false);
    await new Promise((resolve) => server.close(resolve));
    expect(isUnsent(await ask())).toBe(true);
  });

  it('whose certificate is not to be trusted was not sent', async () => {
    const { private: key, cert } = await generate([{ name: 'commonName', value: 'somebody' }], { keyType: 'ec' });
    let asked = 0;
    const server = createTlsServer({ key, cert }, () => {
      asked += 1;
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const failure = await node([old])
      .ask(url, { method: 'GET', path: '/', timeout: 5_000 })
      .catch((error: unknown) => error);
    expect([isUnsent(failure), asked]).toEqual([true, 0]);
  });

  it('is given up after its time, and fails for every answer but a success', async () => {
    const peers = node([old]);
    const server = createServer((request, response) => {
      if (request.url === '/no') response.writeHead(503).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await expect(peers.ask(url, { method: 'GET', path: '/', timeout: 50 })).rejects.toThrow(/timeout/);
    await expect(peers.ask(url, { method: 'GET', path: '/no', timeout: 5_000 })).rejects.toThrow('503');
  });
});
