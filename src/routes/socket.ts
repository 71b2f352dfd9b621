// Events over socket.io, on the gateway's own port (contract §10): the requests of its transports, and who may listen to what.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { GatewayError } from '../errors.ts';
import { demand } from '../plugins/auth.ts';
import type { Ask } from '../sockets/sockets.ts';
import type { AppDeps, AppInstance } from './deps.ts';

const PATH = '/socket.io/';

/**
 * Whether the request may turn its connection into something else. Every other wish of that kind, such as the HTTP/2 that some clients ask
 * for with each request, is passed over and the request is answered.
 */
export const mayUpgrade = ({ url = '' }: { url?: string }): boolean => /^\/socket\.io\/?(\?|$)/i.test(url);

const who = {
  all: 'apikey (query, header or auth) must be the global key',
  one: 'apikey (query, header or auth) must be the key of this instance or the global key',
};

export const socketRoutes: FastifyPluginAsyncTypebox<Pick<AppDeps, 'manager' | 'sockets' | 'keys'>> = async (
  app,
  { manager, sockets, keys },
) => {
  if (!sockets) return;
  /** The requests that opened connections, as the counter of failures knows them. */
  const opened = new WeakMap<FastifyRequest['raw'], FastifyRequest>();

  const named = (namespace: string): AppInstance | undefined => {
    const name = namespace.slice(1);
    return manager.get(name) ?? manager.get(decoded(name));
  };
  const admit = async ({ namespace, key: text, request, endWith }: Ask): Promise<string | undefined> => {
    if (!manager.ready) throw new GatewayError('STARTING', 'Service Unavailable');
    const { scope, key } = app.keys.callerOf(text) ?? { scope: undefined, key: undefined };
    const instance = named(namespace);
    if (scope !== 'service' && (!scope || scope.id !== instance?.id)) {
      const failure = new GatewayError('UNAUTHORIZED', ['Unauthorized', namespace === '/' ? who.all : who.one]);
      const opener = opened.get(request);
      throw opener ? await app.keys.count(opener, failure) : failure;
    }
    demand(key, 'read');
    if (key) endWith((end) => keys.onEnd(key.id, end));
    if (instance) return instance.id;
    if (namespace !== '/')
      throw new GatewayError('INSTANCE_NOT_FOUND', [`The "${namespace.slice(1)}" instance does not exist`]);
    if (sockets.isGlobal) return undefined;
    throw new GatewayError('INVALID_REQUEST', [
      'WEBSOCKET_GLOBAL_EVENTS is off: connect to the namespace of an instance, /<instanceName>',
    ]);
  };

  sockets.attach(app.server, (request, response) => app.routing(request, response), admit);
  app.addHook('preClose', () => sockets.close());
  // The transport reads its bodies itself.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  app.route({
    method: ['GET', 'POST'],
    url: PATH,
    config: { access: 'public' },
    handler: async (request, reply) => {
      opened.set(request.raw, request);
      reply.hijack();
      for (const [name, value] of Object.entries(reply.getHeaders())) {
        if (value !== undefined) reply.raw.setHeader(name, value);
      }
      sockets.handle(request.raw, reply.raw);
    },
  });
};

/** The name as a client may have to write it in an address. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
