// Sends requests to other nodes, signed with a key that all nodes of one database share (peer-signature.ts), and
// verifies received ones. A signature header from a client is worthless without that key (D-145).
import { Readable } from 'node:stream';
import { Agent } from 'undici';
import type { Clock } from '../lib/clock.ts';
import { createVerifier, PEER_HEADER, type ReceivedRequest, sign, tagBody, type Verdict } from './peer-signature.ts';

export { PEER_HEADER, type Refusal } from './peer-signature.ts';

/** Headers of one connection. A node that forwards a request sets them itself. `expect` was answered already. */
export const CONNECTION_HEADERS: ReadonlySet<string> = new Set(
  `connection keep-alive proxy-connection proxy-authenticate proxy-authorization te trailer transfer-encoding upgrade expect host`.split(
    ' ',
  ),
);

/** ms. A running node accepts a connection at once. */
const CONNECT_TIMEOUT_MS = 3_000;
/** The status of a node of a release without tagged bodies. It has not read the body. */
const UNSUPPORTED_MEDIA_TYPE = 415;
const MISDIRECTED = 421;

/** Another node. */
export interface PeerNode {
  id: string;
  url: string;
}

export interface PeerRequest {
  method: string;
  /** With the query. */
  path: string;
  headers: Record<string, string | string[]>;
  body: Readable | null;
  signal: AbortSignal;
}

export interface PeerResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** Fails when the connection fails. */
  body: Readable;
}

export interface PeerCall {
  method: 'GET' | 'POST';
  path: string;
  body?: unknown;
  /** ms until the response. */
  timeout: number;
}

export interface PeerClient {
  /**
   * Verifies a received request: the sender, or the reason for a refusal; null for a request that no node sent. Returns
   * the same verdict for repeated calls. Removes unsigned headers from a request of a node. Its body fails when it was
   * changed.
   */
  verify(request: ReceivedRequest): Verdict;
  /**
   * Sends the request once, signed by this node, without a timeout. Resolves with status 421 for a node of a release
   * with other signatures. Rejects with the error of the connection (see `isUnsent`) or the reason of the signal.
   */
  send(to: PeerNode, request: PeerRequest): Promise<PeerResponse>;
  /** Sends JSON and resolves with the JSON of the response. Rejects for a status of 300 or above. */
  call(to: PeerNode, question: PeerCall): Promise<unknown>;
  /** Closes all connections. */
  close(): Promise<void>;
}

export interface PeerClientOptions {
  /** 32 bytes each, the newest first. The newest one signs; all of them verify. */
  keys: readonly Buffer[];
  /** Id of this node, without dots. */
  node: string;
  /** Must be about the same on all nodes. */
  clock: Pick<Clock, 'now'>;
}

export function createPeerClient({ keys, node, clock }: PeerClientOptions): PeerClient {
  const [newest = Buffer.alloc(0)] = keys;
  // No limit of connections, because event streams hold them for hours. No timeouts, because callers set their own.
  const agent = new Agent({
    pipelining: 1,
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: CONNECT_TIMEOUT_MS },
  });
  const verdicts = new WeakMap<ReceivedRequest, Verdict>();
  const verifyOnce = createVerifier({
    keys,
    receiver: node,
    now: () => clock.now(),
    isConnectionHeader: (name) => CONNECTION_HEADERS.has(name),
  });
  const signFor = (to: PeerNode, { method, path, headers }: Omit<PeerRequest, 'body' | 'signal'>, hasBody: boolean) =>
    sign(newest, { sender: node, receiver: to.id, now: clock.now() }, { method, path, headers, hasBody });
  return {
    verify(request) {
      const earlier = verdicts.get(request);
      if (earlier !== undefined) return earlier;
      const verdict = verifyOnce(request);
      verdicts.set(request, verdict);
      return verdict;
    },
    async send(to, { method, path, headers: unsigned, body, signal }) {
      const { headers, tag } = signFor(to, { method, path, headers: unsigned }, body !== null);
      const response = await agent.request({
        origin: new URL(to.url).origin,
        method,
        path,
        headers,
        signal,
        body: body && Readable.from(tagBody(body, tag), { objectMode: false }),
      });
      // A canceled read emits an error, which must have a listener.
      response.body.on('error', () => undefined);
      const isOtherRelease = response.headers[PEER_HEADER] === undefined;
      const status =
        body && isOtherRelease && response.statusCode === UNSUPPORTED_MEDIA_TYPE ? MISDIRECTED : response.statusCode;
      return { status, headers: response.headers, body: response.body };
    },
    async call(to, { method, path, body, timeout }) {
      const text = body === undefined ? null : Buffer.from(JSON.stringify(body));
      const unsigned: Record<string, string> = text ? { 'content-type': 'application/json' } : {};
      const { headers, tag } = signFor(to, { method, path, headers: unsigned }, text !== null);
      const response = await agent.request({
        origin: new URL(to.url).origin,
        method,
        path,
        headers,
        signal: AbortSignal.timeout(timeout),
        body: text && Buffer.concat([text, tag.update(text).digest()]),
      });
      if (response.statusCode < 300) return response.body.json();
      await response.body.dump();
      throw new Error(`${method} ${path} at ${to.url}: ${response.statusCode}`);
    },
    close: () => agent.destroy(),
  };
}

const CONNECT_ERROR_CODES = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Error codes of untrusted certificates, which are rejected before anything is sent. */
const isCertificateError = (code: string) => /^ERR_TLS_CERT|^CERT_|_CERT(_|$)|_LEAF_SIGNATURE$/.test(code);

/** Whether the other node has certainly not received the request, because there was no connection. */
export function isUnsent(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  const code = String(error.code);
  return (
    CONNECT_ERROR_CODES.has(code) || isCertificateError(code) || ('syscall' in error && error.syscall === 'connect')
  );
}
