// Sends requests to other cluster nodes and verifies requests from them. Both are signed (peer-signature.ts) with a key
// that only the nodes of one database have, so that no client can pose as a node (D-145).
import { Readable } from 'node:stream';
import { Agent } from '../egress/undici.ts';
import type { Clock } from '../lib/clock.ts';
import { createVerifier, PEER_HEADER, type ReceivedRequest, sign, tagBody, type Verdict } from './peer-signature.ts';

export { PEER_HEADER, type SignatureRefusal } from './peer-signature.ts';

/** Headers that are not forwarded: hop-by-hop headers, which belong to one connection, and `expect` and `host`. */
export const UNFORWARDED_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  // This node has answered `expect` itself.
  'expect',
  // The HTTP client sets `host`.
  'host',
]);

/** Maximum wait for the reply of another node to a small request. */
export const PEER_REPLY_TIMEOUT_MS = 2_000;
/** Short, because a running node accepts a connection at once. */
const CONNECT_TIMEOUT_MS = 3_000;
/**
 * Status with which a node of an earlier release refuses a body that ends with a tag (an HMAC of the body, see
 * peer-signature.ts). The node does not read the body.
 */
const UNSUPPORTED_MEDIA_TYPE = 415;
/** Status with which `send` reports that the node did nothing because it does not accept the signature. */
const MISDIRECTED_REQUEST = 421;
/**
 * Value of PEER_HEADER in the response of a node that refused a signature and did nothing. Nodes of earlier releases do
 * not set it.
 */
export const REFUSED_MARK = 'refused';

/** Another node. */
export interface PeerNode {
  id: string;
  url: string;
}

export interface PeerRequest {
  method: string;
  /** Path with the query. */
  path: string;
  headers: Record<string, string | string[]>;
  body: Readable | null;
  signal: AbortSignal;
}

export interface PeerResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** The stream fails when the connection fails. */
  body: Readable;
}

export interface PeerJsonRequest {
  method: 'GET' | 'POST';
  path: string;
  /** Sent as JSON. Undefined: no body. */
  body?: unknown;
  /** ms that the request may take, including the response body. */
  timeout: number;
}

export interface PeerClient {
  /**
   * Verifies a received request, and removes unsigned headers that need a signature. When the body was changed, the
   * request stream fails at its end. Each signature is accepted once. Repeated calls with the same request return the
   * same verdict.
   */
  verify(request: ReceivedRequest): Verdict;
  /**
   * Sends a signed request, without retries and without a timeout. Resolves with status 421 when the node has refused
   * the signature, for example because another process runs at its address now. Also resolves with 421 when the node
   * belongs to a release with other signatures. Rejects with the error of the connection (see `isUnsent`) or the reason
   * of the signal. The signal also ends the body of the response.
   */
  send(to: PeerNode, request: PeerRequest): Promise<PeerResponse>;
  /** Sends a signed JSON request. Resolves with the JSON of the response. Rejects for a status of 300 or above. */
  requestJson(to: PeerNode, request: PeerJsonRequest): Promise<unknown>;
  /** Closes all connections. */
  close(): Promise<void>;
}

export interface PeerClientOptions {
  /** Keys of 32 bytes, the newest first. The newest key signs. Received signatures may use any of the keys. */
  keys: readonly Buffer[];
  /** Id of this node, without dots. */
  node: string;
  /** The clocks of all nodes must agree to within a minute. */
  clock: Pick<Clock, 'now'>;
}

export function createPeerClient({ keys, node, clock }: PeerClientOptions): PeerClient {
  const [newest] = keys;
  if (!newest) throw new Error('the peer client needs a key');
  // The number of connections has no limit, because event streams keep them open for hours. Callers set their own
  // timeouts.
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
    isUnforwardedHeader: (name) => UNFORWARDED_HEADERS.has(name),
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
      // Without a listener, the error of a canceled read would be an uncaught exception.
      response.body.on('error', () => undefined);
      const mark = response.headers[PEER_HEADER];
      const isOtherRelease = body && mark === undefined && response.statusCode === UNSUPPORTED_MEDIA_TYPE;
      const status = isOtherRelease || mark === REFUSED_MARK ? MISDIRECTED_REQUEST : response.statusCode;
      return { status, headers: response.headers, body: response.body };
    },
    async requestJson(to, { method, path, body, timeout }) {
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

/** Whether the request failed before there was a connection, so that the other node has certainly not received it. */
export function isUnsent(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  const code = String(error.code);
  return (
    CONNECT_ERROR_CODES.has(code) || isCertificateError(code) || ('syscall' in error && error.syscall === 'connect')
  );
}
