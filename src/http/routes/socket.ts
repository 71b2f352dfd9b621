// Events over socket.io on the port of the gateway: the HTTP requests of its transports, and the authorization of clients.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createPeerTransport } from '../../cluster/peer-broadcast.ts';
import type { PeerResponse } from '../../cluster/peer-client.ts';
import { GatewayError } from '../../errors.ts';
import type { ListenRequest } from '../../sockets/socket-service.ts';
import type { AppDeps } from '../deps.ts';
import { requireScope } from '../plugins/auth.ts';
import { forwardedReplyHeaders, forwardedRequestHeaders } from '../plugins/peer-headers.ts';

const PATH = '/socket.io/';

/**
 * Whether the request may upgrade its connection. Other Upgrade headers, such as the HTTP/2 offer that some clients send with every
 * request, are ignored.
 */
export const mayUpgrade = ({ url = '' }: { url?: string }): boolean => /^\/socket\.io\/?(\?|$)/i.test(url);

const REQUIRED_KEY = {
  all: 'apikey (query, header or auth) must be the global key',
  one: 'apikey (query, header or auth) must be the key of this instance or the global key',
};

type Deps = Pick<AppDeps, 'manager' | 'sockets' | 'keys' | 'cluster' | 'peers'>;

export const socketRoutes: FastifyPluginAsyncTypebox<Deps> = async (
  app,
  { manager, sockets, keys, cluster, peers },
) => {
  if (!sockets) return;
  if (cluster && peers) sockets.connect(cluster.node.id, createPeerTransport({ cluster, peers }));
  /** The Fastify request of each connection, for the count of failed requests. */
  const opened = new WeakMap<FastifyRequest['raw'], FastifyRequest>();

  /** The id of the instance of a namespace, on any node. */
  const named = async (namespace: string): Promise<string | undefined> => {
    const names = [namespace.slice(1), decodeName(namespace.slice(1))];
    const here = names.map((name) => manager.get(name)).find((instance) => instance !== undefined);
    if (here || !cluster || namespace === '/') return here?.id;
    const [one, other] = await Promise.all(names.map((name) => cluster.locate({ name })));
    return (one ?? other)?.instanceId;
  };
  /** The reach of the key: `service`, or the id of its instance. */
  const reachOf = async (text: string | undefined) => {
    const caller = app.keys.callerOf(text);
    if (caller) return { scope: typeof caller.scope === 'object' ? caller.scope.id : caller.scope, key: caller.key };
    const key = text === undefined ? undefined : keys.find(text);
    const forwardLongPoll = key || !text ? key?.instanceId : (await cluster?.locate({ key: text }))?.instanceId;
    return { scope: cluster ? (forwardLongPoll ?? undefined) : undefined, key };
  };
  const admit = async ({ namespace, key: text, request, endWith }: ListenRequest): Promise<string | undefined> => {
    if (!manager.ready) throw new GatewayError('STARTING', 'Service Unavailable');
    const { scope, key } = await reachOf(text);
    const instance = await named(namespace);
    if (scope !== 'service' && (!scope || scope !== instance)) {
      const failure = new GatewayError('UNAUTHORIZED', [
        'Unauthorized',
        namespace === '/' ? REQUIRED_KEY.all : REQUIRED_KEY.one,
      ]);
      const opener = opened.get(request);
      throw opener ? await app.keys.count(opener, failure) : failure;
    }
    requireScope(key, 'read');
    if (key) endWith((end) => keys.onEnd(key.id, end));
    if (instance) return instance;
    if (namespace !== '/')
      throw new GatewayError('INSTANCE_NOT_FOUND', [`The "${namespace.slice(1)}" instance does not exist`]);
    if (sockets.isGlobal) return undefined;
    throw new GatewayError('INVALID_REQUEST', [
      'WEBSOCKET_GLOBAL_EVENTS is off: connect to the namespace of an instance, /<instanceName>',
    ]);
  };

  sockets.attach(app.server, (request, response) => app.routing(request, response), admit);
  app.addHook('preClose', () => sockets.close());
  // engine.io reads the bodies itself.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  app.route({
    method: ['GET', 'POST'],
    url: PATH,
    config: { access: 'public' },
    handler: async (request, reply) => {
      const answer = await elsewhere(request, reply, { cluster, peers });
      if (answer) return reply.code(answer.status).headers(forwardedReplyHeaders(answer.headers)).send(answer.body);
      opened.set(request.raw, request);
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
 * Forwards a long poll to the node that has the connection; undefined for every other request. Upgrades of such a connection are refused as
 * unknown, and the client continues with polling.
 */
async function elsewhere(
  request: FastifyRequest,
  reply: FastifyReply,
  { cluster, peers }: Pick<Deps, 'cluster' | 'peers'>,
): Promise<PeerResponse | undefined> {
  const { sid } = Object(request.query);
  if (!cluster || !peers || typeof sid !== 'string' || request.headers.upgrade || request.peer !== undefined) return;
  const [node] = sid.split('.', 1);
  const home = node === cluster.node.id ? undefined : (await cluster.peers()).find(({ id }) => id === node);
  if (!home) return;
  request.forwardedTo = home.url;
  const left = new AbortController();
  reply.raw.once('close', () => left.abort());
  const { method, url: path, raw } = request;
  const body = method === 'POST' ? raw : null;
  const forwarded = {
    method,
    path,
    headers: forwardedRequestHeaders(request, body !== null),
    body,
    signal: left.signal,
  };
  // When the node is gone, so is the connection: this node refuses the unknown session, and the client reconnects.
  return peers.send(home, forwarded).catch(() => undefined);
}
