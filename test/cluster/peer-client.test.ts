import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { generate } from 'selfsigned';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createPeerClient, isUnsent } from '../../src/cluster/peer-client.ts';
import { createVerifier, PEER_HEADER, sign } from '../../src/cluster/peer-signature.ts';

const [old, young, other] = [1, 2, 3].map((byte) => Buffer.alloc(32, byte)) as [Buffer, Buffer, Buffer];
const NOW = 1_000_000_000;
const to = { sender: 'sender', receiver: 'receiver', now: NOW };

function node(keys: Buffer[]) {
  const peers = createPeerClient({ keys, node: 'sender', clock: { now: () => NOW } });
  onTestFinished(() => peers.close());
  return peers;
}

/** What the receiver with these keys says at this time. */
function verifier(keys: Buffer[], seconds = 0, receiver = 'receiver') {
  const isUnforwardedHeader = (name: string) => name === 'host';
  return createVerifier({ keys, receiver, now: () => NOW + seconds * 1000, isUnforwardedHeader });
}

/** A request as the node sends it, on arrival: with what the connection adds, and a body that arrives in pieces of `size`. */
function arrived(key: Buffer, { method = 'POST', path = '/a?b=1', body = '', by = to } = {}, size = 10_000) {
  const given = { 'content-type': 'text/x', 'content-length': String(body.length), 'x-forwarded-for': '192.0.2.1' };
  const { headers, tag } = sign(key, by, { method, path, headers: given, hasBody: body !== '' });
  const bytes = body === '' ? Buffer.alloc(0) : Buffer.concat([Buffer.from(body), tag.update(body).digest()]);
  const stream = new Readable({ read: () => undefined });
  const came = { host: 'here', 'x-added': 'on the way', ...headers };
  const request = Object.assign(stream, { method, url: path, headers: came as Record<string, string | string[]> });
  const arrive = (all: Buffer = bytes) => {
    for (let at = 0; at < all.length; at += size) request.push(all.subarray(at, at + size));
    request.push(null);
  };
  return { request, bytes, arrive };
}

describe('the proof of a node', () => {
  it('holds for this request alone, for a minute, under every key that all nodes have', () => {
    const good = { sender: 'sender' };
    const forged = { refused: 'signature' };
    expect(verifier([old])(arrived(old).request)).toEqual(good);
    expect(verifier([young, old])(arrived(old).request)).toEqual(good);
    expect(verifier([other])(arrived(old).request)).toEqual(forged);
    expect(verifier([old], 0, 'another')(arrived(old).request)).toEqual(forged);
    const changes: ((request: ReturnType<typeof arrived>['request']) => void)[] = [
      (request) => Object.assign(request, { method: 'PUT' }),
      (request) => Object.assign(request, { url: '/a?b=2' }),
      ({ headers }) => Object.assign(headers, { 'x-forwarded-for': '192.0.2.2' }),
      ({ headers }) => delete headers['x-forwarded-for'],
      ({ headers }) => Object.assign(headers, { 'x-gateway-signed': 'content-type' }),
      ({ headers }) =>
        Object.assign(headers, { [PEER_HEADER]: String(headers[PEER_HEADER]).replace('sender', 'friend') }),
      // A body where there was none.
      ({ headers }) => Object.assign(headers, { 'content-length': '5' }),
      ({ headers }) => Object.assign(headers, { 'transfer-encoding': 'chunked' }),
    ];
    for (const change of changes) {
      const { request } = arrived(old);
      change(request);
      expect(verifier([old])(request), String(change)).toEqual(forged);
    }
    for (const seconds of [60, -60]) expect(verifier([old], seconds)(arrived(old).request)).toEqual(good);
    for (const seconds of [61, -61])
      expect(verifier([old], seconds)(arrived(old).request)).toEqual({ refused: 'clock' });
    for (const nothing of ['', '.', '..', 'sender.1000000.AAAA']) {
      const { request } = arrived(old);
      request.headers[PEER_HEADER] = nothing;
      expect(verifier([old])(request)).toBe(null);
    }
  });

  it('holds once: the nonce is remembered until the proof is too old', () => {
    let now = NOW;
    const verify = createVerifier({
      keys: [old],
      receiver: 'receiver',
      now: () => now,
      isUnforwardedHeader: () => false,
    });
    const copy = () => {
      const { request } = arrived(old);
      return { ...request, push: () => true, destroy: () => undefined, headers: { ...request.headers } };
    };
    const first = copy();
    const second = { ...first, headers: { ...first.headers } };
    const third = { ...first, headers: { ...first.headers } };
    expect(verify(first)).toEqual({ sender: 'sender' });
    expect(verify(copy())).toEqual({ sender: 'sender' });
    now += 60_000;
    expect(verify(second)).toEqual({ refused: 'replayed' });
    now += 1_000;
    expect(verify(third)).toEqual({ refused: 'clock' });
  });

  it('a verifier that remembers the maximum number of nonces accepts requests again when these are too old', () => {
    let now = NOW;
    const verify = createVerifier({
      keys: [old],
      receiver: 'receiver',
      now: () => now,
      isUnforwardedHeader: () => false,
      maxNonces: 2,
    });
    const receive = () => verify(arrived(old, { by: { ...to, now } }).request);
    expect([receive(), receive(), receive()]).toEqual([
      { sender: 'sender' },
      { sender: 'sender' },
      { refused: 'too many' },
    ]);
    now += 61_000;
    expect(receive()).toEqual({ sender: 'sender' });
  });

  it('leaves the headers that it covers, and nothing that was added on the way', () => {
    const { request } = arrived(old, { body: '12345' });
    verifier([old])(request);
    const kept = { 'content-type': 'text/x', 'content-length': '5', 'x-forwarded-for': '192.0.2.1', host: 'here' };
    expect(request.headers).toMatchObject(kept);
    expect(Object.keys(request.headers)).not.toContain('x-added');
  });

  it('covers a body of any length, however it is cut into pieces', async () => {
    for (const size of [1, 31, 32, 33, 4_096])
      for (const length of [1, 32, 100, 5_000]) {
        const body = 'x'.repeat(length);
        const { request, arrive } = arrived(old, { body }, size);
        expect(verifier([old])(request)).toEqual({ sender: 'sender' });
        arrive();
        expect(await text(request), `${length} in ${size}`).toBe(body);
      }
  });

  it('lets no reader come to the end of a body that was changed, cut off or continued', async () => {
    const body = 'x'.repeat(100);
    const changes: ((bytes: Buffer) => Buffer)[] = [
      (bytes) => Buffer.concat([Buffer.from('y'), bytes.subarray(1)]),
      (bytes) => bytes.subarray(0, -1),
      (bytes) => bytes.subarray(1),
      (bytes) => bytes.subarray(0, -32),
      (bytes) => Buffer.concat([bytes, bytes]),
      () => Buffer.alloc(0),
    ];
    for (const change of changes) {
      const { request, arrive, bytes } = arrived(old, { body });
      verifier([old])(request);
      arrive(change(bytes));
      await expect(text(request), String(change)).rejects.toThrow('changed or truncated');
    }
  });
});

describe('a request to a node', () => {
  it('that does not exist was certainly not read; one that breaks off may have been', async () => {
    const peers = node([old]);
    const server = createServer((request) => request.socket.destroy());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const ask = () =>
      peers
        .requestJson({ id: 'receiver', url }, { method: 'GET', path: '/', timeout: 5_000 })
        .catch((error: unknown) => error);
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
      .requestJson({ id: 'receiver', url }, { method: 'GET', path: '/', timeout: 5_000 })
      .catch((error: unknown) => error);
    expect([isUnsent(failure), asked]).toEqual([true, 0]);
  });

  it('whose signature the node refused counts as misdirected, unless the node is of a release that does not say so', async () => {
    const peers = node([old]);
    const server = createServer((request, response) => {
      const mark = request.url === '/marked' ? { [PEER_HEADER]: 'refused' } : {};
      response.writeHead(403, mark).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const statusOf = async (path: string) => {
      const request = { method: 'GET', path, headers: {}, body: null, signal: new AbortController().signal };
      const { status, body } = await peers.send({ id: 'receiver', url }, request);
      body.resume();
      return status;
    };
    expect([await statusOf('/marked'), await statusOf('/unmarked')]).toEqual([421, 403]);
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
    await expect(peers.requestJson({ id: 'receiver', url }, { method: 'GET', path: '/', timeout: 50 })).rejects.toThrow(
      /timeout/,
    );
    await expect(
      peers.requestJson({ id: 'receiver', url }, { method: 'GET', path: '/no', timeout: 5_000 }),
    ).rejects.toThrow('503');
  });
});
