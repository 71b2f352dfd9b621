// Who is asking: the apikey header → a scope, before anything else looks at the request. Identity comes from the path only.
// A route is closed unless it says otherwise in its `config.access`; where it says `link`, a signed link is as good as a key.
// What a key may do there is a matter of its scopes: the contract names one for each operation (`x-scope`).
import { hash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { GatewayError } from '../../errors.ts';
import type { AccessKeyRow, AccessScope } from '../../storage/access-stores.ts';
import type { AppDeps, AppInstance } from '../deps.ts';

/** How far a key reaches. `service`: everywhere. Otherwise the one instance whose key it is, or that it is bound to. */
export type Scope = 'service' | AppInstance;

export interface Caller {
  scope: Scope;
  /** The key, if it is one that was given out; the global key and those of instances have all scopes. */
  key: AccessKeyRow | undefined;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The same check for whoever gets a key in another way than by the header. */
    keys: {
      callerOf(key: unknown): Caller | undefined;
      /** How far it reaches for reading; undefined when it is no key, or none for that. */
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
  interface FastifySchema {
    /** What a key must be for; `any`: nothing in particular. Without it: admin. */
    scope?: AccessScope | 'any';
  }
  interface FastifyRequest {
    scope: Scope | undefined;
    /** The key, if it is one that was given out. */
    key: AccessKeyRow | undefined;
  }
}

const sentences = {
  UNAUTHORIZED: 'Unauthorized',
  LINK_INVALID: ['The link is not valid'],
  LINK_EXPIRED: ['The link has expired'],
} as const;

const scopes: readonly AccessScope[] = ['read', 'send', 'admin'];

/** Whether the key is for this; the global key (undefined) and those of instances are for everything. */
const isFor = (key: AccessKeyRow | undefined, scope: AccessScope | 'any'): boolean =>
  !key || scope === 'any' || key.scopes.includes(scope);

/** What the key is for. */
export const scopesOf = (key: AccessKeyRow | undefined): AccessScope[] => scopes.filter((scope) => isFor(key, scope));

/** Whether it may read and change webhooks, whose addresses can hold secrets. */
export const isAdmin = (key: AccessKeyRow | undefined): boolean => isFor(key, 'admin');

/** Whether it is as good as the key of an instance. */
export const isUnlimited = (key: AccessKeyRow | undefined): boolean => scopesOf(key).length === scopes.length;

/** Throws SCOPE_MISSING for a key that is not for this. */
export function requireScope(key: AccessKeyRow | undefined, scope: AccessScope | 'any'): void {
  if (!isFor(key, scope)) throw new GatewayError('SCOPE_MISSING', [`This needs a key with the scope "${scope}"`]);
}

const digest = (key: string) => hash('sha256', key, 'buffer');

/** Requires a key on every route that is not public, and counts the requests that had none. Needs @fastify/rate-limit. */
export function registerAuth(
  app: FastifyInstance,
  { config, manager, files, keys }: Pick<AppDeps, 'config' | 'manager' | 'files' | 'keys'>,
): void {
  const serviceKey = digest(config.apiKey);
  // Only failures count: keys are too long to be guessed, so this saves logs and CPU, and must not lock out
  // a well-behaved client that shares an address with a broken one.
  const countFailure = app.createRateLimit({ max: config.authFailureLimit, timeWindow: 60_000 });

  // By instance and not by key where there is one, so that a new key starts nothing afresh.
  const countRequest = app.createRateLimit({
    max: config.rateLimit,
    timeWindow: 60_000,
    keyGenerator: ({ scope, key }) => (typeof scope === 'object' ? scope.id : (key?.id ?? 'service')),
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

  const callerOf = (text: unknown): Caller | undefined => {
    if (typeof text !== 'string' || text === '') return undefined;
    if (timingSafeEqual(digest(text), serviceKey)) return { scope: 'service', key: undefined };
    const key = keys.find(text);
    const scope = key ? (key.instanceId === null ? 'service' : manager.byId(key.instanceId)) : manager.byKey(text);
    return scope && { scope, key };
  };

  const scopeOf = (text: unknown): Scope | undefined => {
    const caller = callerOf(text);
    return caller && isFor(caller.key, 'read') ? caller.scope : undefined;
  };

  app.decorate('keys', { callerOf, scopeOf, count });
  app.decorateRequest('scope', undefined);
  app.decorateRequest('key', undefined);
  app.addHook('onRequest', async (request) => {
    const { config, schema } = request.routeOptions;
    if (config.access === 'public') return;
    const caller = callerOf(request.headers.apikey);
    request.scope = caller?.scope;
    request.key = caller?.key;
    // Here and not in the handler, before which Fastify parses the body.
    if (request.is404) return refuseUnknown(request);
    if (caller && (caller.scope === 'service' || isAllowed(request, caller.scope))) {
      await admit(request);
      const needed = schema?.scope ?? 'admin';
      const isLinked = config.access === 'link' && !isFor(caller.key, needed) && !problemWithLink(request);
      if (!isLinked) return requireScope(caller.key, needed);
    } else {
      // Instance keys are not known yet: a refusal now could be wrong.
      if (!manager.ready) throw new GatewayError('STARTING', 'Service Unavailable', { retryAfter: 1 });
      const problem = config.access === 'link' ? problemWithLink(request) : 'UNAUTHORIZED';
      if (problem) await refuse(request, new GatewayError(problem, sentences[problem]));
    }
    // Whose key came along with the link does not matter, then.
    request.scope = undefined;
    request.key = undefined;
  });

  // No key needed to learn that a route does not exist, as with other gateways.
  async function refuseUnknown(request: FastifyRequest): Promise<never> {
    const failure = new GatewayError('ROUTE_NOT_FOUND', [`Cannot ${request.method} ${request.url}`]);
    if (request.scope) throw failure;
    return refuse(request, failure);
  }
  // Also of routes that find nothing under a path of theirs.
  app.setNotFoundHandler(refuseUnknown);

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
