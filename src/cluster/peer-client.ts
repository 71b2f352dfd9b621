// Requests from one node of the gateway to another, signed (peer-signature.ts) with a key that all nodes of one database have. What callers
// send with a header of that name counts for nothing.
import { Readable } from 'node:stream';
import { Agent } from 'undici';
import type { Clock } from '../lib/clock.ts';
import { createVerifier, PEER_HEADER, type Received, sign, tagBody, type Verdict } from './peer-signature.ts';

export { PEER_HEADER, type Refusal } from './peer-signature.ts';

/** Of one connection each, or said anew by the node that sends the request on. `expect` was answered already. */
export const connectionHeaders: ReadonlySet<string> = new Set(
  `connection keep-alive proxy-connection proxy-authenticate proxy-authorization te trailer transfer-encoding upgrade expect host`.split(
    ' ',
  ),
);

/** ms; a node that is there takes a connection at once. */
const CONNECT_TIMEOUT = 3_000;
/** Of a node that does not know tagged bodies, and read nothing. */
const UNKNOWN_TYPE = 415;
const MISDIRECTED = 421;

/** Another node. */
export interface PeerNode {
  id: string;
  url: string;
}

export interface PeerRequest {
  method: string;
  /** With its query. */
  path: string;
  headers: Record<string, string | string[]>;
  body: Readable | null;
  signal: AbortSignal;
}

export interface PeerAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** Fails as the connection does. */
  body: Readable;
}

export interface PeerQuestion {
  method: 'GET' | 'POST';
  path: string;
  body?: unknown;
  /** ms until the answer is there. */
  timeout: number;
}

export interface Peers {
  /**
   * Who sent the request, or why it is refused; null for a request of no node. The same for each call with the same request. A request of
   * a node loses what was not signed, and its body fails unless it is what was sent.
   */
  verify(request: Received): Verdict;
  /**
   * Sends the request as this node's, once. Has no time limit of its own. Answers 421 for a node of a release that signs in another way. Rejects
   * with what the connection failed of (`isUnsent`), or the signal's reason.
   */
  send(to: PeerNode, request: PeerRequest): Promise<PeerAnswer>;
  /** JSON for JSON. Rejects for every answer but a success. */
  ask(to: PeerNode, question: PeerQuestion): Promise<unknown>;
  /** Drops every connection. */
  close(): Promise<void>;
}

export interface PeersOptions {
  /** 32 bytes each, the newest first: it signs, and all of them verify. */
  keys: readonly Buffer[];
  /** This node's id; without dots. */
  node: string;
  /** About the same on all nodes. */
  clock: Pick<Clock, 'now'>;
}

export function createPeers({ keys, node, clock }: PeersOptions): Peers {
  const [newest = Buffer.alloc(0)] = keys;
  // Streams hold their connection for hours, so there may be any number; and only who asks knows how long an answer may take.
  const agent = new Agent({
    ...{ pipelining: 1, allowH2: false, headersTimeout: 0, bodyTimeout: 0 },
    connect: { timeout: CONNECT_TIMEOUT },
  });
  const verdicts = new WeakMap<Received, Verdict>();
  const examine = createVerifier({
    ...{ keys, receiver: node, now: () => clock.now() },
    isOfConnection: (name) => connectionHeaders.has(name),
  });
  const signed = (to: PeerNode, { method, path, headers }: Omit<PeerRequest, 'body' | 'signal'>, hasBody: boolean) =>
    sign(newest, { sender: node, receiver: to.id, now: clock.now() }, { method, path, headers, hasBody });
  return {
    verify(request) {
      const known = verdicts.get(request);
      if (known !== undefined) return known;
      const verdict = examine(request);
      verdicts.set(request, verdict);
      return verdict;
    },
    async send(to, { method, path, headers: given, body, signal }) {
      const { headers, tag } = signed(to, { method, path, headers: given }, body !== null);
      const answer = await agent.request({
        ...{ origin: new URL(to.url).origin, method, path, headers, signal },
        body: body && Readable.from(tagBody(body, tag), { objectMode: false }),
      });
      // Who hangs up early makes an error of the body, which nobody has to hear.
      answer.body.on('error', () => undefined);
      const isOfOtherRelease = answer.headers[PEER_HEADER] === undefined;
      const status = body && isOfOtherRelease && answer.statusCode === UNKNOWN_TYPE ? MISDIRECTED : answer.statusCode;
      return { status, headers: answer.headers, body: answer.body };
    },
    async ask(to, { method, path, body, timeout }) {
      const text = body === undefined ? null : Buffer.from(JSON.stringify(body));
      const given: Record<string, string> = text ? { 'content-type': 'application/json' } : {};
      const { headers, tag } = signed(to, { method, path, headers: given }, text !== null);
      const answer = await agent.request({
        ...{ origin: new URL(to.url).origin, method, path, headers, signal: AbortSignal.timeout(timeout) },
        body: text && Buffer.concat([text, tag.update(text).digest()]),
      });
      if (answer.statusCode < 300) return answer.body.json();
      await answer.body.dump();
      throw new Error(`${method} ${path} at ${to.url}: ${answer.statusCode}`);
    },
    close: () => agent.destroy(),
  };
}

const unreached = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Codes of certificates that are not to be trusted: that is found out before anything is sent. */
const isOfCertificate = (code: string) => /^ERR_TLS_CERT|^CERT_|_CERT(_|$)|_LEAF_SIGNATURE$/.test(code);

/** Whether the other node certainly read nothing of the request: there was no connection to it. */
export function isUnsent(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  const code = String(error.code);
  return unreached.has(code) || isOfCertificate(code) || ('syscall' in error && error.syscall === 'connect');
}
