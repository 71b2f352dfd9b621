// Who is asking: the apikey header → a scope, before anything else looks at the request. Identity comes from the path only.
// A route is closed unless it says otherwise in its `config.access`; where it says `link`, a signed link is as good as a key.
import { hash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { GatewayError } from '../errors.ts';
import type { AppDeps, AppInstance } from '../routes/deps.ts';

/** `service`: the global key. Otherwise the one instance whose key was used. */
export type Scope = 'service' | AppInstance;

declare module 'fastify' {
  interface FastifyInstance {
    /** The same check for whoever gets a key in another way than by the header. */
    keys: {
      scopeOf(key: unknown): Scope | undefined;
      /** Counts the failed request; resolves with the failure, or with RATE_LIMITED after too many. */
      count(request: FastifyRequest, failure: GatewayError): Promise<GatewayError>;
    };
  }
  interface FastifyContextConfig {
    /**
     * public: no key. service: the global key. record: any key, for the list of instances. link: the path's instance, or a link to this
     * very file (no scope then). Default: the path's instance.
     */
    access?: 'public' | 'service' | 'record' | 'link';
  }
  interface FastifyRequest {
    scope: Scope | undefined;
  }
}

const sentences = {
  UNAUTHORIZED: 'Unauthorized',
  LINK_INVALID: ['The link is not valid'],
  LINK_EXPIRED: ['The link has expired'],
} as const;

const digest = (key: string) => hash('sha256', key, 'buffer');

/** Requires a key on every route that is not public, and counts the requests that had none. Needs @fastify/rate-limit. */
export function registerAuth(
  app: FastifyInstance,
  { config, manager, files }: Pick<AppDeps, 'config' | 'manager' | 'files'>,
): void {
  const serviceKey = digest(config.apiKey);
  // Only failures count: keys are too long to be guessed, so this saves logs and CPU, and must not lock out
  // a well-behaved client that shares an address with a broken one.
  const countFailure = app.createRateLimit({ max: config.authFailureLimit, timeWindow: 60_000 });

  // By instance and not by key, so that a new key starts nothing afresh.
  const countRequest = app.createRateLimit({
    max: config.rateLimit,
    timeWindow: 60_000,
    keyGenerator: ({ scope }) => (typeof scope === 'object' ? scope.id : 'service'),
  });
  const admit = async (request: FastifyRequest): Promise<void> => {
    if (config.rateLimit === 0) return;
    const limit = await countRequest(request);
    if (limit.isAllowed || !limit.isExceeded) return;
    throw new GatewayError('RATE_LIMITED', ['Too many requests with this key'], { retryAfter: limit.ttlInSeconds });
  };

  const count = async (request: FastifyRequest, failure: GatewayError): Promise<GatewayError> => {
    if (config.authFailureLimit === 0) return failure;
    const limit = await countFailure(request);
    if (limit.isAllowed || !limit.isExceeded) return failure;
    return new GatewayError('RATE_LIMITED', ['Too many requests without a valid key'], {
      retryAfter: limit.ttlInSeconds,
    });
  };
  const refuse = async (request: FastifyRequest, failure: GatewayError): Promise<never> => {
    throw await count(request, failure);
  };

  const scopeOf = (key: unknown): Scope | undefined => {
    if (typeof key !== 'string' || key === '') return undefined;
    return timingSafeEqual(digest(key), serviceKey) ? 'service' : manager.byKey(key);
  };

  app.decorate('keys', { scopeOf, count });
  app.decorateRequest('scope', undefined);
  app.addHook('onRequest', async (request) => {
    const { access } = request.routeOptions.config;
    if (access === 'public') return;
    request.scope = scopeOf(request.headers.apikey);
    if (request.is404) return;
    if (request.scope === 'service' || (request.scope && isAllowed(request, request.scope))) return admit(request);
    // Instance keys are not known yet: a refusal now could be wrong.
    if (!manager.ready) throw new GatewayError('STARTING', 'Service Unavailable', { retryAfter: 1 });
    const problem = access === 'link' ? problemWithLink(request) : 'UNAUTHORIZED';
    if (problem) await refuse(request, new GatewayError(problem, sentences[problem]));
    // Whose key came along with the link does not matter, then.
    request.scope = undefined;
  });

  // No key needed to learn that a route does not exist, as with other gateways.
  app.setNotFoundHandler(async (request) => {
    const failure = new GatewayError('ROUTE_NOT_FOUND', [`Cannot ${request.method} ${request.url}`]);
    if (request.scope) throw failure;
    await refuse(request, failure);
  });

  function isAllowed(request: FastifyRequest, owner: AppInstance): boolean {
    const { access } = request.routeOptions.config;
    if (access !== undefined && access !== 'link') return access === 'record';
    const { instance } = request.params as { instance?: string };
    return instance !== undefined && manager.get(instance)?.id === owner.id;
  }

  /** Undefined for a good link. An instance that does not exist is no different from a signature that is wrong. */
  function problemWithLink({ headers, params, query }: FastifyRequest): keyof typeof sentences | undefined {
    const { instance = '', messageId: id = '' } = params as { instance?: string; messageId?: string };
    const { expires, signature } = query as { expires?: unknown; signature?: unknown };
    if (typeof expires !== 'string' || typeof signature !== 'string') return 'UNAUTHORIZED';
    const worth = files.verify({ instanceId: manager.get(instance)?.id ?? '', id, expires, signature });
    if (worth === 'good') return undefined;
    if (headers.apikey !== undefined) return 'UNAUTHORIZED';
    return worth === 'expired' ? 'LINK_EXPIRED' : 'LINK_INVALID';
  }
}
