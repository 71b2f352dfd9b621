import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { generate } from 'selfsigned';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createPeerClient, isUnsent } from '../../src/cluster/peer-client.ts';
import { createVerifier, PEER_HEADER, sign } from '../../src/cluster/peer-signature.ts';

const [oldKey, newKey, otherKey] = [1, 2, 3].map((byte) => Buffer.alloc(32, byte)) as [Buffer, Buffer, Buffer];
const NOW = 1_000_000_000;
const context = { sender: 'sender', receiver: 'receiver', now: NOW };

function createClient(keys: Buffer[]) {
  const peers = createPeerClient({ keys, node: 'sender', clock: { now: () => NOW } });
  onTestFinished(() => peers.close());
  return peers;
}

/** Creates the verifier of a receiver with these keys, `seconds` after the signature. */
function createTestVerifier(keys: Buffer[], seconds = 0, receiver = 'receiver') {
  const isUnforwardedHeader = (name: string) => name === 'host';
  return createVerifier({ keys, receiver, now: () => NOW + seconds * 1000, isUnforwardedHeader });
}

/**
 * Creates a signed request as its receiver gets it: with the headers that the connection adds. `sendBody` sends the
 * body in chunks of `size` bytes.
 */
function createRequest(
  key: Buffer,
  { method = 'POST', path = '/a?b=1', body = '', signer = context } = {},
  size = 10_000,
) {
  const sentHeaders = {
    'content-type': 'text/x',
    'content-length': String(body.length),
    'x-forwarded-for': '192.0.2.1',
  };
  const { headers, tag } = sign(key, signer, { method, path, headers: sentHeaders, hasBody: body !== '' });
  const bytes = body === '' ? Buffer.alloc(0) : Buffer.concat([Buffer.from(body), tag.update(body).digest()]);
  const stream = new Readable({ read: () => undefined });
  const receivedHeaders = { host: 'here', 'x-added': 'on the way', ...headers };
  const request = Object.assign(stream, {
    method,
    url: path,
    headers: receivedHeaders as Record<string, string | string[]>,
  });
  const sendBody = (all: Buffer = bytes) => {
    for (let at = 0; at < all.length; at += size) request.push(all.subarray(at, at + size));
    request.push(null);
  };
  return { request, bytes, sendBody };
}

describe('the signature of a request', () => {
  it('a signature is valid for one request and one receiver, for 60 seconds, under every key of the receiver', () => {
    const accepted = { sender: 'sender' };
    const forgery = { refused: 'signature' };
    expect(createTestVerifier([oldKey])(createRequest(oldKey).request)).toEqual(accepted);
    expect(createTestVerifier([newKey, oldKey])(createRequest(oldKey).request)).toEqual(accepted);
    expect(createTestVerifier([otherKey])(createRequest(oldKey).request)).toEqual(forgery);
    expect(createTestVerifier([oldKey], 0, 'another')(createRequest(oldKey).request)).toEqual(forgery);
    const changes: ((request: ReturnType<typeof createRequest>['request']) => void)[] = [
      (request) => Object.assign(request, { method: 'PUT' }),
      (request) => Object.assign(request, { url: '/a?b=2' }),
      ({ headers }) => Object.assign(headers, { 'x-forwarded-for': '192.0.2.2' }),
      ({ headers }) => delete headers['x-forwarded-for'],
      ({ headers }) => Object.assign(headers, { 'x-gateway-signed': 'content-type' }),
      ({ headers }) =>
        Object.assign(headers, { [PEER_HEADER]: String(headers[PEER_HEADER]).replace('sender', 'friend') }),
      // A body for a request that was signed without one.
      ({ headers }) => Object.assign(headers, { 'content-length': '5' }),
      ({ headers }) => Object.assign(headers, { 'transfer-encoding': 'chunked' }),
    ];
    for (const change of changes) {
      const { request } = createRequest(oldKey);
      change(request);
      expect(createTestVerifier([oldKey])(request), String(change)).toEqual(forgery);
    }
    for (const seconds of [60, -60])
      expect(createTestVerifier([oldKey], seconds)(createRequest(oldKey).request)).toEqual(accepted);
    for (const seconds of [61, -61])
      expect(createTestVerifier([oldKey], seconds)(createRequest(oldKey).request)).toEqual({ refused: 'clock' });
    for (const malformed of ['', '.', '..', 'sender.1000000.AAAA']) {
      const { request } = createRequest(oldKey);
      request.headers[PEER_HEADER] = malformed;
      expect(createTestVerifier([oldKey])(request)).toBe(null);
    }
  });

  it('a verifier accepts a signature once, and remembers its nonce until the signature is too old', () => {
    let now = NOW;
    const verify = createVerifier({
      keys: [oldKey],
      receiver: 'receiver',
      now: () => now,
      isUnforwardedHeader: () => false,
    });
    const copyRequest = () => {
      const { request } = createRequest(oldKey);
      return { ...request, push: () => true, destroy: () => undefined, headers: { ...request.headers } };
    };
    const first = copyRequest();
    const second = { ...first, headers: { ...first.headers } };
    const third = { ...first, headers: { ...first.headers } };
    expect(verify(first)).toEqual({ sender: 'sender' });
    expect(verify(copyRequest())).toEqual({ sender: 'sender' });
    now += 60_000;
    expect(verify(second)).toEqual({ refused: 'replayed' });
    now += 1_000;
    expect(verify(third)).toEqual({ refused: 'clock' });
  });

  it('a verifier with the maximum number of nonces refuses requests until the remembered nonces are too old', () => {
    let now = NOW;
    const verify = createVerifier({
      keys: [oldKey],
      receiver: 'receiver',
      now: () => now,
      isUnforwardedHeader: () => false,
      maxNonces: 2,
    });
    const receive = () => verify(createRequest(oldKey, { signer: { ...context, now } }).request);
    expect([receive(), receive(), receive()]).toEqual([
      { sender: 'sender' },
      { sender: 'sender' },
      { refused: 'too many' },
    ]);
    now += 61_000;
    expect(receive()).toEqual({ sender: 'sender' });
  });

  it('a verifier keeps the signed headers and removes headers that were added on the way', () => {
    const { request } = createRequest(oldKey, { body: '12345' });
    createTestVerifier([oldKey])(request);
    const kept = { 'content-type': 'text/x', 'content-length': '5', 'x-forwarded-for': '192.0.2.1', host: 'here' };
    expect(request.headers).toMatchObject(kept);
    expect(Object.keys(request.headers)).not.toContain('x-added');
  });

  it('a verifier accepts a signed body of any length in chunks of any size', async () => {
    for (const size of [1, 31, 32, 33, 4_096])
      for (const length of [1, 32, 100, 5_000]) {
        const body = 'x'.repeat(length);
        const { request, sendBody } = createRequest(oldKey, { body }, size);
        expect(createTestVerifier([oldKey])(request)).toEqual({ sender: 'sender' });
        sendBody();
        expect(await text(request), `${length} in ${size}`).toBe(body);
      }
  });

  it('a verifier destroys the stream of a body that was changed, truncated or extended', async () => {
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
      const { request, sendBody, bytes } = createRequest(oldKey, { body });
      createTestVerifier([oldKey])(request);
      sendBody(change(bytes));
      await expect(text(request), String(change)).rejects.toThrow('changed or truncated');
    }
  });
});

describe('a request to a node', () => {
  it('isUnsent() is true when the node cannot be reached, and false when the connection breaks off', async () => {
    const peers = createClient([oldKey]);
    const server = createServer((request) => request.socket.destroy());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const sendRequest = () =>
      peers
        .requestJson({ id: 'receiver', url }, { method: 'GET', path: '/', timeout: 5_000 })
        .catch((error: unknown) => error);
    expect(isUnsent(await sendRequest())).toBe(false);
    await new Promise((resolve) => server.close(resolve));
    expect(isUnsent(await sendRequest())).toBe(true);
  });

  it('isUnsent() is true when the certificate of the node is not trusted', async () => {
    const { private: key, cert } = await generate([{ name: 'commonName', value: 'somebody' }], { keyType: 'ec' });
    let requestCount = 0;
    const server = createTlsServer({ key, cert }, () => {
      requestCount += 1;
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const failure = await createClient([oldKey])
      .requestJson({ id: 'receiver', url }, { method: 'GET', path: '/', timeout: 5_000 })
      .catch((error: unknown) => error);
    expect([isUnsent(failure), requestCount]).toEqual([true, 0]);
  });

  it('send() returns 421 for a refused signature, and 403 when the node does not mark the refusal', async () => {
    const peers = createClient([oldKey]);
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

  it('requestJson() rejects after its timeout and for a response that is not a success', async () => {
    const peers = createClient([oldKey]);
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
