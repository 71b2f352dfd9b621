// Headers of requests between nodes of a cluster: the id of the sending node, and the address, host and protocol of the
// caller's connection. This plugin uses them only if the request has a valid signature of a node.
import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  PEER_HEADER,
  type PeerClient,
  REFUSED_MARK,
  type SignatureRefusal,
  UNFORWARDED_HEADERS,
} from '../../cluster/peer-client.ts';
import { GatewayError } from '../../errors.ts';
import type { AppDeps } from '../deps.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Id of the node that forwarded or sent the request; undefined for requests of callers. */
    peerId: string | undefined;
  }
}

type Headers = Record<string, string | string[]>;

/** The id of a request: for a forwarded request, the id that it has on the sending node. */
export function requestIdOf(peers: PeerClient | undefined, raw: FastifyRequest['raw']): string {
  const verdict = raw.headers[PEER_HEADER] === undefined ? undefined : peers?.verify(raw);
  const senderRequestId = verdict && 'sender' in verdict ? raw.headers['x-request-id'] : undefined;
  return typeof senderRequestId === 'string' ? senderRequestId : randomUUID();
}

/** `response.message` by the reason for which the signature is refused. */
const REFUSAL_MESSAGES: Record<SignatureRefusal, string> = {
  signature: 'The signature does not match the request.',
  clock: 'The signature is too old, or the clocks of the nodes differ.',
  replayed: 'The request was already answered.',
  'too many': 'There are too many requests to detect repeated ones.',
};

/**
 * For requests of other nodes, takes the address, host and protocol of the caller from the headers. Refuses requests
 * with an invalid signature.
 */
export function registerPeerHeaders(app: FastifyInstance, peers: PeerClient, metrics: AppDeps['metrics']): void {
  app.decorateRequest('peerId', undefined);
  app.addHook('onRequest', (request, reply, done) => {
    const { headers, raw } = request;
    const verdict = peers.verify(raw);
    delete headers[PEER_HEADER];
    // A request without a signature of this version is treated as a request of a caller.
    if (verdict === null) return done();
    if ('refused' in verdict) {
      metrics?.recordForward('PEER_REFUSED');
      // The signature can be meant for another node that had this address before. The mark makes the sending node read
      // from the database which node has the instance, and send the request again. A `replayed` signature gets no mark,
      // because the first request with this signature can have had an effect.
      if (verdict.refused !== 'replayed') reply.header(PEER_HEADER, REFUSED_MARK);
      // Any program can send a wrong signature, so only a debug line is logged. The other reasons apply to correct
      // signatures of nodes.
      const level = verdict.refused === 'signature' ? 'debug' : 'warn';
      request.log[level]({ reason: verdict.refused, address: request.ip }, 'peer.request.refused');
      return done(new GatewayError('PEER_REFUSED', [REFUSAL_MESSAGES[verdict.refused]], { certain: true }));
    }
    request.peerId = verdict.sender;
    // The value is the version of the signature. The sending node checks that the header exists, because nodes of
    // releases with other signatures do not set the header.
    reply.header(PEER_HEADER, '2');
    // Replaces the getters of Fastify, which return the values of the connection to the other node.
    const callerHeaders = { ip: 'x-forwarded-for', host: 'x-forwarded-host', protocol: 'x-forwarded-proto' };
    for (const [property, header] of Object.entries(callerHeaders)) {
      const value = headers[header];
      if (typeof value === 'string') Object.defineProperty(request, property, { value });
    }
    done();
  });
}

/** The headers of a request to forward to another node. */
export function toForwardedRequestHeaders(request: FastifyRequest, hasBody: boolean): Headers {
  const headers = pickForwardedHeaders(request.headers);
  if (!hasBody) delete headers['content-length'];
  return {
    ...headers,
    'x-request-id': request.id,
    'x-forwarded-for': request.ip,
    'x-forwarded-host': request.host,
    'x-forwarded-proto': request.protocol,
  };
}

/** The headers to send to the caller, from the response of another node. */
export const toForwardedReplyHeaders = ({
  [PEER_HEADER]: _,
  ...headers
}: Record<string, string | string[] | undefined>): Headers => pickForwardedHeaders(headers);

/** A copy without the headers in UNFORWARDED_HEADERS and the headers that `connection` lists. */
function pickForwardedHeaders(headers: Record<string, string | string[] | undefined>): Headers {
  const listed = String(headers.connection ?? '')
    .toLowerCase()
    .split(',');
  const dropped = new Set([...UNFORWARDED_HEADERS, ...listed.map((name) => name.trim())]);
  const kept: Headers = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !dropped.has(name)) kept[name] = value;
  return kept;
}
