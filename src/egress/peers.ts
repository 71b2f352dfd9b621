// Requests from one node of the gateway to another. What another node sends is known by a signature over method and address, with a key
// that all nodes of one database have; what callers send with a header of that name counts for nothing.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Readable } from 'node:stream';
import { Agent } from 'undici';
import type { Clock } from '../lib/clock.ts';

/** `<node>.<epoch seconds>.<HMAC>` */
export const PEER_HEADER = 'x-gateway-peer';
/** Seconds by which the clocks of two nodes may differ, the way included. */
const VALID = 300;
/** ms; a node that is there takes a connection at once. */
const CONNECT_TIMEOUT = 3_000;

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
  /** The id of the node that sent the request; null when nobody can know. */
  verify(proof: unknown, method: string, path: string): string | null;
  /** Sends the request as this node's, once. Has no time limit of its own. Rejects with what the connection failed of (`isUnsent`), or the signal's reason. */
  send(base: string, request: PeerRequest): Promise<PeerAnswer>;
  /** JSON for JSON. Rejects for every answer but a success. */
  ask(base: string, question: PeerQuestion): Promise<unknown>;
  /** Drops every connection. */
  close(): Promise<void>;
}

export interface PeersOptions {
  /** 32 bytes each, the newest first: it signs, and all of them verify. */
  keys: readonly Buffer[];
  /** This node's id; without dots. */
  node: string;
  clock: Pick<Clock, 'now'>;
}

export function createPeers({ keys, node, clock }: PeersOptions): Peers {
  const [newest = Buffer.alloc(0)] = keys;
  // Streams hold their connection for hours, so there may be any number; and only who asks knows how long an answer may take.
  const agent = new Agent({
    ...{ pipelining: 1, allowH2: false, headersTimeout: 0, bodyTimeout: 0 },
    connect: { timeout: CONNECT_TIMEOUT },
  });
  const seconds = () => Math.floor(clock.now() / 1000);
  const sign = (method: string, path: string): string => {
    const at = String(seconds());
    return `${node}.${at}.${macOf(newest, [method, path, at, node]).toString('base64url')}`;
  };
  const request = (base: string, { path, headers, ...rest }: PeerRequest | JsonRequest) =>
    agent.request({
      ...{ origin: new URL(base).origin, path, ...rest },
      headers: { ...headers, [PEER_HEADER]: sign(rest.method, path) },
    });
  return {
    verify(proof, method, path) {
      if (typeof proof !== 'string') return null;
      const [sender = '', at = '', given = ''] = proof.split('.', 3);
      if (!/^\d{1,12}$/.test(at) || Math.abs(seconds() - Number(at)) > VALID) return null;
      const mac = Buffer.from(given, 'base64url');
      const isGood = (key: Buffer) => isSame(mac, macOf(key, [method, path, at, sender]));
      return keys.some(isGood) ? sender : null;
    },
    async send(base, asked) {
      const { statusCode: status, headers, body } = await request(base, asked);
      // Who hangs up early makes an error of the body, which nobody has to hear.
      body.on('error', () => undefined);
      return { status, headers, body };
    },
    async ask(base, { method, path, body, timeout }) {
      const signal = AbortSignal.timeout(timeout);
      const text = body === undefined ? null : JSON.stringify(body);
      const headers: Record<string, string> = text === null ? {} : { 'content-type': 'application/json' };
      const answer = await request(base, { method, path, headers, body: text, signal });
      if (answer.statusCode < 300) return answer.body.json();
      await answer.body.dump();
      throw new Error(`${method} ${path} at ${base}: ${answer.statusCode}`);
    },
    close: () => agent.destroy(),
  };
}

type JsonRequest = Omit<PeerRequest, 'body'> & { body: string | null };

const macOf = (key: Buffer, parts: readonly string[]): Buffer =>
  createHmac('sha256', key).update(JSON.stringify(parts)).digest();

const isSame = (given: Buffer, right: Buffer) => given.length === right.length && timingSafeEqual(given, right);

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
