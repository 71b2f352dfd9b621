// Events over socket.io on the port of the gateway: the HTTP requests of the socket.io transports, and the
// authorization of clients. A client connects to the namespace of an instance (`/` and its name), or to the namespace
// `/` for all instances. Decision D-123.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createPeerTransport } from '../../cluster/peer-broadcast.ts';
import type { PeerResponse } from '../../cluster/peer-client.ts';
import { ERRORS, GatewayError } from '../../errors.ts';
import type { ListenRequest } from '../../sockets/socket-service.ts';
import { abortOnClose } from '../abort-on-close.ts';
import type { AppDeps } from '../deps.ts';
import { requireScope } from '../plugins/auth.ts';
import { toForwardedReplyHeaders, toForwardedRequestHeaders } from '../plugins/peer-headers.ts';
import type { RoutePlugin } from '../type-provider.ts';

const SOCKET_PATH = '/socket.io/';

/**
 * Whether the server upgrades the connection of this request. Upgrade headers of other requests are ignored, for
 * example the offer of HTTP/2 that some clients send with every request.
 */
export const isSocketUpgrade = ({ method, url = '' }: { method?: string; url?: string }): boolean =>
  method === 'GET' && /^\/socket\.io\/?(\?|$)/i.test(url);

const KEY_HINT = {
  allInstances: 'Send the global key as apikey (query, header or auth).',
  oneInstance: 'Send the key of this instance or the global key as apikey (query, header or auth).',
};

type Deps = Pick<AppDeps, 'manager' | 'sockets' | 'keys' | 'cluster' | 'peers'>;

export const socketRoutes: RoutePlugin<Deps> = async (app, { manager, sockets, keys, cluster, peers }) => {
  if (!sockets) return;
  if (cluster && peers) sockets.joinCluster(cluster.node.id, createPeerTransport({ cluster, peers }));
  /** The Fastify request of each raw request: refuse() takes Fastify requests. */
  const fastifyRequests = new WeakMap<FastifyRequest['raw'], FastifyRequest>();

  /** The id of the instance that the namespace names, on any node; undefined when there is none. */
  const instanceIdOf = async (namespace: string): Promise<string | undefined> => {
    // A client can percent-encode the name or not.
    const names = [namespace.slice(1), decodeName(namespace.slice(1))];
    const local = names.map((name) => manager.get(name)).find((instance) => instance !== undefined);
    if (local || !cluster || namespace === '/') return local?.id;
    const [literal, decoded] = await Promise.all(names.map((name) => cluster.locate({ name })));
    return (literal ?? decoded)?.instanceId;
  };
  /** The id of the instance with this key, on any node. Rejects with RATE_LIMITED after too many failed requests. */
  const instanceIdOfKey = async (key: string, request: FastifyRequest | undefined): Promise<string | undefined> => {
    if (!cluster) return undefined;
    if (request && !cluster.hasLocated({ key })) await app.authenticator.assertBelowFailureLimit(request);
    // A search of the last second that found no instance is not repeated, so that invalid keys cause few queries.
    return (await cluster.locate({ key }, { acceptRecentMiss: true }))?.instanceId;
  };
  /**
   * What a caller with this API key may listen to. `reach` is `service` for all instances, the id of an instance of any
   * node, or undefined when the API key is invalid. `key` is the stored record of an access key; undefined for the
   * global key and the key of an instance.
   */
  const reachOf = async (apiKey: string | undefined, request: FastifyRequest | undefined) => {
    const caller = app.authenticator.callerOf(apiKey);
    if (caller) return { reach: typeof caller.reach === 'object' ? caller.reach.id : caller.reach, key: caller.key };
    if (!cluster || !apiKey) return { reach: undefined, key: undefined };
    // The instance of the key can be on another node.
    const key = keys.find(apiKey);
    const instanceId = key ? key.instanceId : await instanceIdOfKey(apiKey, request);
    return { reach: instanceId ?? undefined, key };
  };
  /**
   * Resolves with the id of the instance to listen to; undefined for all instances. Rejects when the key does not allow
   * the namespace.
   */
  const authorize = async ({
    namespace,
    key: apiKey,
    request,
    watchAccess,
  }: ListenRequest): Promise<string | undefined> => {
    if (!manager.ready) throw new GatewayError('STARTING', 'Service Unavailable');
    const fastifyRequest = fastifyRequests.get(request);
    const { reach, key } = await reachOf(apiKey, fastifyRequest);
    // A namespace is only looked up for a valid key.
    const instanceId = reach && (await instanceIdOf(namespace));
    if (reach !== 'service' && (!reach || reach !== instanceId)) {
      const failure = new GatewayError('UNAUTHORIZED', [
        'Unauthorized',
        namespace === '/' ? KEY_HINT.allInstances : KEY_HINT.oneInstance,
      ]);
      if (fastifyRequest) await app.authenticator.refuse(fastifyRequest, failure);
      throw failure;
    }
    requireScope(key, 'read');
    // Ends the socket when the access key is revoked or expires.
    if (key) watchAccess((endAccess) => keys.onEnd(key.id, endAccess));
    if (instanceId) return instanceId;
    if (namespace !== '/')
      throw new GatewayError('INSTANCE_NOT_FOUND', [`The "${namespace.slice(1)}" instance does not exist`]);
    if (sockets.isGlobal) return undefined;
    throw new GatewayError('INVALID_REQUEST', [
      'WEBSOCKET_GLOBAL_EVENTS is off. Connect to the namespace of an instance: /<instanceName>.',
    ]);
  };

  sockets.attach(app.server, (request, response) => app.routing(request, response), authorize);
  app.addHook('preClose', () => sockets.close());
  // engine.io, the transport layer of socket.io, reads the bodies itself.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  app.route({
    method: ['GET', 'POST'],
    url: SOCKET_PATH,
    config: { access: 'public' },
    handler: async (request, reply) => {
      const answer = await forwardLongPoll(request, reply, { cluster, peers });
      if (answer) return reply.code(answer.status).headers(toForwardedReplyHeaders(answer.headers)).send(answer.body);
      fastifyRequests.set(request.raw, request);
      // engine.io writes the response. The response also needs the headers that Fastify's hooks have set.
      reply.hijack();
      for (const [name, value] of Object.entries(reply.getHeaders())) {
        if (value !== undefined) reply.raw.setHeader(name, value);
      }
      sockets.handle(request.raw, reply.raw);
    },
  });
};

/** The percent-decoded name; unchanged when it is malformed. */
function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/**
 * Forwards a long poll to the node that has the client's socket.io session. Resolves with undefined when this node
 * handles the request. Upgrades are not forwarded: this node does not know the session and refuses the upgrade, and the
 * client continues with polling.
 */
async function forwardLongPoll(
  request: FastifyRequest,
  reply: FastifyReply,
  { cluster, peers }: Pick<Deps, 'cluster' | 'peers'>,
): Promise<PeerResponse | undefined> {
  const { sid } = request.query as { sid?: unknown };
  if (!cluster || !peers || typeof sid !== 'string') return undefined;
  // `peerId` is set when another node has forwarded the request to this node.
  if (request.headers.upgrade || request.peerId !== undefined) return undefined;
  // A session id begins with the id of the node that has the session.
  const [nodeId] = sid.split('.', 1);
  if (nodeId === cluster.node.id) return undefined;
  const owner = (await cluster.otherReachableNodes()).find(({ id }) => id === nodeId);
  if (!owner) return undefined;
  request.forwardedTo = owner.url;
  const { method, url: path, raw } = request;
  const body = method === 'POST' ? raw : null;
  const forwarded = {
    method,
    path,
    headers: toForwardedRequestHeaders(request, body !== null),
    body,
    signal: abortOnClose(reply),
  };
  // If the other node cannot be reached or another process runs at its address, this node handles the request: it
  // refuses the unknown session, and the client reconnects.
  const answer = await peers.send(owner, forwarded).catch(() => undefined);
  if (answer?.status !== ERRORS.MISDIRECTED.status) return answer;
  // Discards the body.
  answer.body.resume();
  return undefined;
}
