// What nodes of the gateway tell each other around a request: who sent it on, and what the caller's own connection said. What callers write
// into these headers themselves counts for nothing.
import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { PEER_HEADER, type Peers } from '../egress/peers.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Id of the node that sent the request on, or asks for itself. */
    peer: string | undefined;
  }
}

type Raw = Pick<FastifyRequest['raw'], 'headers' | 'method' | 'url'>;
type Headers = Record<string, string | string[]>;

/** Of one connection each, or said anew by whoever sends the request on. `expect` was answered already. */
const ofConnections = new Set(
  `connection keep-alive proxy-connection proxy-authenticate proxy-authorization te trailer transfer-encoding upgrade expect host`.split(
    ' ',
  ),
);

const senderOf = (peers: Peers, { headers, method = '', url = '' }: Raw): string | null =>
  headers[PEER_HEADER] === undefined ? null : peers.verify(headers[PEER_HEADER], method, url);

/** The name of a request: on both nodes the same. */
export function requestIdOf(peers: Peers | undefined, raw: Raw): string {
  const sent = peers && senderOf(peers, raw) !== null ? raw.headers['x-request-id'] : undefined;
  return typeof sent === 'string' ? sent : randomUUID();
}

/** Believes other nodes, and them alone, what they say of the caller: address, host and protocol. */
export function registerPeer(app: FastifyInstance, peers: Peers): void {
  app.decorateRequest('peer', undefined);
  app.addHook('onRequest', (request, _reply, done) => {
    const { headers } = request;
    if (headers[PEER_HEADER] === undefined) return done();
    const sender = senderOf(peers, request.raw);
    delete headers[PEER_HEADER];
    if (sender === null) return done();
    request.peer = sender;
    const told = { ip: 'x-forwarded-for', host: 'x-forwarded-host', protocol: 'x-forwarded-proto' };
    for (const [property, header] of Object.entries(told)) {
      const value = headers[header];
      if (typeof value === 'string') Object.defineProperty(request, property, { value });
    }
    done();
  });
}

/** Headers of the request as another node gets it. */
export function passedOn(request: FastifyRequest, hasBody: boolean): Headers {
  const headers = between(request.headers);
  if (!hasBody) delete headers['content-length'];
  return {
    ...headers,
    'x-request-id': request.id,
    'x-forwarded-for': request.ip,
    'x-forwarded-host': request.host,
    'x-forwarded-proto': request.protocol,
  };
}

/** Headers of an answer for its caller. */
export const passedBack = (headers: Record<string, string | string[] | undefined>): Headers => between(headers);

function between(headers: Record<string, string | string[] | undefined>): Headers {
  const named = String(headers.connection ?? '')
    .toLowerCase()
    .split(',');
  const dropped = new Set([...ofConnections, ...named.map((name) => name.trim())]);
  const kept: Headers = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !dropped.has(name)) kept[name] = value;
  return kept;
}
